"""Makes memories of messages, from the outbox's jobs: no reply waits for it (SPEC G1 to G3, G6).

Each message goes through the funnel; what it leaves is set against what holds already in the same project:
said before, or the end of something, or new. Every message gets its features, so that it can be found again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bob.conversations import memory_rows, message_feature_rows, statement_rows
from bob.conversations import rows as chats
from bob.conversations.compare_statements import Reconciled, Same, Supersedes, reconcile
from bob.conversations.judge import BULLETS, Funnel
from bob.conversations.statement_rows import Statement
from bob.conversations.timeline import Timeline
from bob.core.conversation import Assessment, Chat, ChatMessage, Memory, Scope
from bob.core.errors import ModelError, StoreError
from bob.search.message_features import FeatureBuilder, MessageFeatures
from bob.storage import jobs
from bob.storage.database import Database, Transaction
from bob.text.secrets import redacted, redacted_line, without_account_numbers

log = logging.getLogger(__name__)

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class RememberReport:
    """What a run did; `error` says why messages are still waiting."""

    messages: int = 0
    added: int = 0
    said_again: int = 0
    superseded: int = 0
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return asdict(self)


@dataclass(slots=True)
class _Counts:
    messages: int = 0
    added: int = 0
    said_again: int = 0
    superseded: int = 0


@dataclass(frozen=True, slots=True)
class _Compared:
    """What a new memory is to those that held, in these words, when it was compared with them; `complete` if
    all of them had features to compare."""

    relation: Reconciled
    wordings: dict[int, str]
    made: dict[str, MessageFeatures]
    complete: bool


@dataclass(frozen=True, slots=True)
class _New:
    """Something that a message says, with its features and what it is to what holds."""

    statement: Statement
    made: MessageFeatures
    compared: _Compared


class Remember:
    """Works through the messages that the funnel has not seen; any number of processes may do so at once."""

    def __init__(
        self,
        database: Database,
        funnel: Callable[[], Funnel],
        builder: FeatureBuilder,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._funnel = funnel
        self._builder = builder
        self._clock = clock
        self._timeline = Timeline(database.org_id, builder)

    def process_messages(
        self,
        progress: Callable[[int], None] = lambda done: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> RememberReport:
        """Go on until no message waits, or it is `stopped`. What fails is tried three times."""
        counts = _Counts()
        error = None
        while error is None and (claimed := self._claimed()):
            # In the order in which they were said: a later word ends an earlier one.
            waiting = sorted(claimed, key=lambda job: job.subject)
            while waiting and error is None:
                job = waiting.pop(0)
                try:
                    self._remember(job, counts)
                except ModelError as failure:
                    error = str(failure)
                    self._fail(job, error)
                except StoreError:
                    raise
                except Exception as failure:  # BLE001 - one message must not hold up those of all users
                    log.exception("message %d cannot be remembered", job.subject)
                    self._fail(job, f"{type(failure).__name__}: {failure}")
                progress(counts.messages)
                if stopped():
                    break
            if waiting:
                with self._database.write() as transaction:
                    jobs.release(transaction, waiting)
                break
        return RememberReport(counts.messages, counts.added, counts.said_again, counts.superseded, error)

    def tell(self, scope: Scope, text: str, importance: int | None = None) -> Memory | None:
        """Keep what a person says to remember, without a chat. The words that hold already are said again,
        and what they contradict ends. None: nothing is left of the text without secrets and account numbers.

        Raises:
            ValueError: the importance is not from 0 (rated by the judge) to 100.
            ModelError: the embedding model is damaged.
        """
        cleaned = redacted_line(text)
        said = replace(cleaned, text=without_account_numbers(cleaned.text))
        if not said.text:
            return None
        found = self._funnel().assess(said, "user")
        # The person asked for it: it is kept whatever the judge thinks, in the person's own words.
        worth = importance or max(found.importance, _TOLD)
        if not 0 <= worth <= 100:
            raise ValueError(f"importance must be from 0 to 100, not {worth}")
        kind = found.message_type if found.importance else "fact"
        assessment = Assessment(worth, said.text, kind, None, "user")
        statement = Statement(self._clock().timestamp(), True, 0, None, None, assessment)
        (made,) = self._builder.build([said.text])
        compared = self._compared(scope, statement, made)
        with self._database.write() as transaction:
            memory_id = self._keep(transaction, scope, statement, made, compared, _Counts())
            return memory_rows.by_id(transaction, scope.user_id, memory_id)

    def tell_lines(self, scope: Scope, text: str, importance: int | None = None) -> list[Memory]:
        """As `tell`, each line by itself; marks of a list are no words."""
        pieces = (line for splitline in text.splitlines() if (line := splitline.lstrip(BULLETS).rstrip()))
        memories = (self.tell(scope, piece, importance) for piece in pieces)
        return [memory for memory in memories if memory is not None]

    def _claimed(self) -> list[jobs.Job]:
        with self._database.read() as transaction:
            if not jobs.any_of(transaction, chats.REMEMBER):
                return []
        now = self._clock().timestamp()
        with self._database.write() as transaction:
            return jobs.claim(transaction, chats.REMEMBER, _AT_ONCE, now, oldest_first=True)

    def _fail(self, job: jobs.Job, error: str) -> None:
        with self._database.write() as transaction:
            jobs.fail(transaction, job, error, self._clock().timestamp())

    def _remember(self, job: jobs.Job, counts: _Counts) -> None:
        with self._database.read() as transaction:
            chat = chats.chat_of(transaction, job.subject)
            message = chats.messages_at(transaction, [job.subject]).get(job.subject)
            previous = chats.before(transaction, job.subject)
            injected = [] if chat is None else memory_rows.injected_in(transaction, chat.chat_id)
        if chat is None or message is None:
            with self._database.write() as transaction:
                jobs.finish(transaction, job)
            return
        answered = previous is not None and previous.role == "assistant"
        said_before = previous.text if previous is not None and answered else ""
        assessment = self._funnel().assess(message.text, message.role, injected, previous=said_before)
        # The model and the comparison run before the transaction: whoever sends a message meanwhile must not
        # wait for them.
        said = (assessment, *assessment.further)
        message_features, *made = self._builder.build(
            [redacted(message.text).text, *(one.summary for one in said)]
        )
        moment = message.sent_at.timestamp()
        statements = [Statement(moment, False, job.subject, None, chat.chat_id, one) for one in said]
        new = [
            _New(statement, features, self._compared(chat.scope, statement, features))
            for statement, features in zip(statements, made, strict=True)
            if statement.assessment.importance
        ]
        with self._database.write() as transaction:
            self._settle(transaction, chat, message, assessment, message_features, new, counts)
            jobs.finish(transaction, job)
        counts.messages += 1

    def _settle(
        self,
        transaction: Transaction,
        chat: Chat,
        message: ChatMessage,
        assessment: Assessment,
        features: MessageFeatures,
        new: Sequence[_New],
        counts: _Counts,
    ) -> None:
        now = chats.messages_at(transaction, [message.message_id])
        if message.message_id not in now or now[message.message_id].text != message.text:
            return  # Its user had it forgotten meanwhile.
        chats.assess(transaction, message.message_id, assessment)
        packed = {message.message_id: features.pack_columns()}
        message_feature_rows.keep_for_messages(transaction, self._builder.model_id, packed)
        for one in new:
            self._keep(transaction, chat.scope, one.statement, one.made, one.compared, counts)

    def _keep(
        self,
        transaction: Transaction,
        scope: Scope,
        statement: Statement,
        made: MessageFeatures,
        compared: _Compared,
        counts: _Counts,
    ) -> int:
        """The number of the memory that says it now."""
        if self._is_late(transaction, scope, statement):
            settled = self._timeline.insert(transaction, scope, statement, compared.made)
            counts.said_again += settled.said_again
            counts.added += not settled.said_again
            counts.superseded += settled.ended
            return settled.memory_id
        if memory_rows.wordings(transaction, scope) != compared.wordings:
            # Another process was faster, or the user edited a memory.
            compared = self._compared_in(transaction, scope, statement, made)
        relation = compared.relation
        if isinstance(relation, Same):
            counts.said_again += 1
            if statement.told:
                when = memory_rows.last_began(transaction, [relation.memory_id], statement.moment)
                statement_rows.tell_again(transaction, relation.memory_id, when)
            else:
                memory_rows.say_again(transaction, relation.memory_id, statement.number)
            return relation.memory_id
        ended = relation.memory_ids if isinstance(relation, Supersedes) else ()
        # A clock may have gone back: what is told directly is said after all that it ends.
        moment = memory_rows.last_began(transaction, ended, statement.moment)
        began, made_of = datetime.fromtimestamp(moment, UTC), statement.assessment
        worth, kind = made_of.importance, made_of.message_type
        memory = Memory(0, scope, statement.chat_id, made_of.summary, worth, kind, began)
        sources = () if statement.told else (statement.number,)
        features = self._builder.model_id, made.pack()
        added = memory_rows.add(transaction, memory, sources, features)
        counts.added += 1
        memory_rows.supersede(transaction, ended, added.memory_id, began)
        counts.superseded += len(ended)
        return added.memory_id

    def _is_late(self, transaction: Transaction, scope: Scope, statement: Statement) -> bool:
        """Whether something that is remembered was said after it."""
        return not statement.told and statement_rows.any_after(
            transaction, scope, statement.moment, statement.number
        )

    def _compared(self, scope: Scope, statement: Statement, made: MessageFeatures) -> _Compared:
        with self._database.read() as transaction:
            is_late = self._is_late(transaction, scope, statement)
            compared = self._compared_in(transaction, scope, statement, made)
        if compared.complete and not is_late:
            return compared
        self._timeline.fill(self._database, scope, current=not is_late)
        # The model and the comparison of what lies between run before the transaction.
        features = compared.made
        while True:
            with self._database.read() as transaction:
                missing = self._timeline.missing(transaction, scope, statement, features) if is_late else []
                compared = self._compared_in(transaction, scope, statement, made)
            if not missing:
                return replace(compared, made=features)
            features |= dict(zip(missing, self._builder.build(missing), strict=True))

    def _compared_in(
        self, transaction: Transaction, scope: Scope, statement: Statement, made: MessageFeatures
    ) -> _Compared:
        current = memory_rows.of_user(transaction, scope.user_id, project=scope.project)
        wordings = {memory.memory_id: memory.summary for memory in current}
        packed = memory_rows.features_of(transaction, self._builder.model_id, list(wordings))
        summary, vector = statement.assessment.summary, made.vector.astype(np.float32)
        # A memory without features has a row of zeros, near nothing.
        vectors = np.zeros((len(current), len(vector)), np.float32)
        for row, memory in zip(vectors, current, strict=True):
            if memory.memory_id in packed:
                row[:] = MessageFeatures.unpack(packed[memory.memory_id]).vector
        relation = reconcile(summary, vector, current, vectors)
        return _Compared(relation, wordings, {summary: made}, packed.keys() == wordings.keys())


_TOLD = 60
"""The least importance of what a person asks to remember: context, in seed 004's bands."""
