"""Forgets memories, in every place that has words of them, and proves it (SPEC G6).

What is forgotten: the memory, its features, the text of the messages that said it and of the replies that
repeat it, and every other row and line of a log that has its sentence or its distinctive words. The plan is
shown first; afterwards the rows and the bytes of the files are searched for the words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bob.conversations import memory_rows, mention_rows, message_feature_rows
from bob.conversations import rows as chats
from bob.conversations.byte_search import search_bytes
from bob.conversations.find_mentions import FindMentions
from bob.conversations.forgetting import SURE, ForgetPlan, ForgetReport, Mention, Probe
from bob.conversations.recognizer import Fact, Recognizer, fact_of, folded, sentence_of
from bob.conversations.timeline import Timeline
from bob.core.conversation import ChatMessage, Memory
from bob.core.errors import NotFoundError, UsageError
from bob.storage.agent_log import AgentLog
from bob.storage.database import Database, Transaction
from bob.storage.idempotency import forget_answers

ALL = "all"
"""In place of the keys of candidates: every one of them."""

_BEYOND_SERVER = (
    "the server's write-ahead log, its backups and its replicas: deleted text stays there until they are "
    "recycled"
)
_BEYOND_FILES = (
    "copies that you or other programs made, such as backups, exports and files that the shell wrote"
)


class Forget:
    """Forgets for one organization. `derived` gives the files beside the database that Bob writes, `uploads`
    those that users sent."""

    def __init__(
        self,
        database: Database,
        timeline: Timeline,
        derived: Callable[[], Sequence[Path]],
        uploads: Callable[[], Sequence[Path]] = lambda: (),
    ) -> None:
        self._database = database
        self._timeline = timeline
        self._derived = derived
        self._uploads = uploads
        self._find = FindMentions(database.org_id, timeline.model_id)
        self._log = AgentLog(database.path)

    def plan(self, user_id: str, memory_ids: Sequence[int]) -> ForgetPlan:
        """What forgetting these memories takes away. Raises NotFoundError: the user has no such memory."""
        with self._database.read() as transaction:
            chosen = []
            for memory_id in dict.fromkeys(memory_ids):
                memory = memory_rows.by_id(transaction, user_id, memory_id)
                if memory is None:
                    raise NotFoundError(f"no memory {memory_id}; list the memories with bob memories list")
                chosen.append(memory)
            ids = [memory.memory_id for memory in chosen]
            sources = [source_id for source_id in memory_rows.sources_of(transaction, ids) if source_id > 0]
            by_number = chats.messages_at(transaction, sources)
            messages = tuple(by_number[source] for source in sources if source in by_number)
            shared = {
                number
                for message in messages
                for number in memory_rows.of_message(transaction, message.message_id)
            }
            beside = [memory_rows.by_id(transaction, user_id, n) for n in sorted(shared - set(ids))]
            others = tuple(memory for memory in beside if memory is not None)
            recognizer = self._recognizer(transaction, user_id, chosen, messages)
            skipped = {f"memories:{memory_id}" for memory_id in ids} | {
                f"messages:{message.message_id}" for message in messages
            }
            rows = self._find.of_user(transaction, user_id, recognizer, skipped, ids)
            rows += self._find.in_log(self._log, user_id, recognizer)
            left = self._find.left(transaction, recognizer)
            sure = [row for row in rows if row.why in SURE and not _is_other_memory(row)]
            repeats = [int(mention.key.partition(":")[2]) for mention in sure if mention.table == "messages"]
            texts = chats.messages_at(transaction, repeats)
        return ForgetPlan(
            user_id,
            tuple(chosen),
            messages,
            tuple(texts[repeat] for repeat in repeats if repeat in texts),
            others,
            tuple(mention for mention in sure if mention.table != "messages"),
            tuple(row for row in rows if row not in sure),
            tuple(left),
        )

    def forget_memories(
        self, plan: ForgetPlan, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> ForgetReport:
        """Carry out a plan, and search rows and files for what should be gone.

        `include` are keys of candidates that go as well, or "all" of them; `exclude` keys of messages and
        rows that stay. Raises UsageError: the plan has no such key.
        """
        plan, numbers = _chosen(plan, include, exclude)
        for scope in dict.fromkeys(memory.scope for memory in plan.memories):
            self._timeline.fill(self._database, scope, current=False)
        with self._database.write() as transaction:
            added = chats.messages_at(transaction, numbers).values()
            plan = replace(plan, repeated=(*plan.repeated, *added))
            recognizer = self._recognizer(transaction, plan.user_id, plan.memories, plan.said)
            self._erase(transaction, plan, recognizer)
            forget_answers(transaction, plan.user_id)
        rows = Counter(mention.table for mention in plan.mentions if mention.table not in ("memories", "log"))
        lines = self._log.remove(
            self._database.org_id, plan.user_id, lambda text: recognizer.why(text) in SURE
        )
        self._database.truncate_log()
        if lines:
            rows[self._log.path.name] = lines
        touched = {"memories", "messages", "message_features", "memory_features", "chats", "recalls"}
        touched |= {"idempotency_keys", *rows}
        words = self._words(plan)
        with self._database.read() as transaction:
            searched = self._find.counts(transaction, plan.user_id)
            left, live = self._find.afterwards(transaction, plan.user_id, recognizer, words, exclude)
        probes, compacted = self._probed([word for word in words if word not in live], touched)
        probes = self._without_others_lines(plan.user_id, probes)
        probes, in_uploads = self._without_uploads(probes)
        left += in_uploads
        elsewhere = dict.fromkeys(
            mention.excerpt for mention in left if mention.left_because == mention_rows.DOCUMENT
        )
        on_server = not self._database.files()
        return ForgetReport(
            sum(1 for mention in plan.mentions if mention.table == "memories") + len(plan.memories),
            len(plan.messages),
            dict(rows),
            searched,
            tuple(probes),
            tuple(left),
            tuple(elsewhere),
            compacted,
            (_BEYOND_SERVER, _BEYOND_FILES) if on_server else (_BEYOND_FILES,),
        )

    def _recognizer(
        self,
        transaction: Transaction,
        user_id: str,
        chosen: Sequence[Memory],
        messages: Sequence[ChatMessage],
    ) -> Recognizer:
        facts = [fact_of(memory.summary) for memory in chosen]
        # "Sounds good, let's do that" made a memory of what it answers; its own words say nothing of it.
        tells = Recognizer(facts)
        telling = [message.text for message in messages if tells.why(message.text) in SURE]
        facts += [Fact(sentence_of(text), (), ()) for text in telling]
        ids = {memory.memory_id for memory in chosen}
        common = self._find.common_codes(transaction, user_id, Recognizer(facts), ids)
        return Recognizer(facts, common)

    def _erase(self, transaction: Transaction, plan: ForgetPlan, recognizer: Recognizer) -> None:
        others = [
            int(mention.key.partition(":")[2]) for mention in plan.mentions if mention.table == "memories"
        ]
        gone = [*(memory.memory_id for memory in plan.memories), *others]
        blanked = [message.message_id for message in plan.messages]
        for scope in dict.fromkeys(memory.scope for memory in plan.memories):
            # What they had ended holds again, unless something else speaks against it.
            self._timeline.remove(transaction, scope, gone)
        memory_rows.remove(transaction, gone)
        message_feature_rows.remove_of_messages(transaction, blanked)
        chats.blank(transaction, blanked)
        self._find.erase(transaction, plan.mentions, lambda text: recognizer.why(text) is not None)

    def _words(self, plan: ForgetPlan) -> list[str]:
        """By what the facts would be recognized in a file: their sentences, as they were said and repeated,
        and their distinctive words."""
        facts = [fact_of(memory.summary) for memory in plan.memories]
        recognizer = Recognizer(facts)
        lines = [
            line.strip() for message in plan.messages for line in (message.text, *message.text.splitlines())
        ]
        sentences = [line for line in lines if sentence_of(line) and recognizer.why(line) in SURE]
        return list(dict.fromkeys([*recognizer.sentences, *sentences, *recognizer.codes]))

    def _probed(self, words: Sequence[str], touched: set[str]) -> tuple[list[Probe], bool]:
        files = [*self._database.files(), *self._derived(), *self._uploads()]
        if not self._database.files():
            self._database.compact(sorted(touched))
            return search_bytes(files, words), True
        probes = search_bytes(files, words)
        own = {str(file) for file in self._database.files()}
        compacted = any(probe.found for probe in probes if probe.path in own)
        if compacted:
            # Files of before may keep words that were deleted without being overwritten.
            self._database.compact()
            probes = search_bytes(files, words)
        return probes, compacted

    def _without_others_lines(self, user_id: str, probes: Sequence[Probe]) -> list[Probe]:
        """The probes without what stands in the log in lines of other users only."""
        logs = {str(path) for path in self._log.paths()}
        own_lines = [folded(text) for _, _, text in self._log.lines(self._database.org_id, user_id)]
        return [
            replace(
                probe,
                found=tuple(word for word in probe.found if any(folded(word) in line for line in own_lines)),
            )
            if probe.path in logs
            else probe
            for probe in probes
        ]

    def _without_uploads(self, probes: Sequence[Probe]) -> tuple[list[Probe], list[Mention]]:
        sent = {str(upload) for upload in self._uploads()}
        left = [
            Mention(f"file:{probe.path}", "file", "distinctive word", probe.path, (), mention_rows.DOCUMENT)
            for probe in probes
            if probe.found and probe.path in sent
        ]
        return [replace(probe, found=()) if probe.path in sent else probe for probe in probes], left


def _is_other_memory(mention: Mention) -> bool:
    """Whether it is a memory that says something else: such a one is forgotten by its own number."""
    return mention.table == "memories" and mention.why != "sentence"


def _chosen(plan: ForgetPlan, include: Sequence[str], exclude: Sequence[str]) -> tuple[ForgetPlan, list[int]]:
    """The plan with the candidates that were chosen and without what is to stay, and the messages among the
    candidates."""
    by_key = {candidate.key: candidate for candidate in plan.candidates}
    numbered = {f"messages:{message.message_id}" for message in plan.messages}
    sure = numbered | {mention.key for mention in plan.mentions}
    unknown = [key for key in include if key not in by_key and key != ALL and key not in sure]
    unknown += [key for key in exclude if key not in sure and key not in by_key]
    if unknown:
        raise UsageError(f"{', '.join(unknown)}: no such row in the plan; use keys such as answers:12")
    included = by_key if ALL in include else {key: by_key[key] for key in include if key in by_key}
    added = [candidate for key, candidate in included.items() if key not in exclude]
    chosen = replace(
        plan,
        said=tuple(message for message in plan.said if f"messages:{message.message_id}" not in exclude),
        repeated=tuple(
            message for message in plan.repeated if f"messages:{message.message_id}" not in exclude
        ),
        mentions=(
            *(mention for mention in plan.mentions if mention.key not in exclude),
            *(candidate for candidate in added if candidate.table != "messages"),
        ),
    )
    return chosen, [
        int(candidate.key.partition(":")[2]) for candidate in added if candidate.table == "messages"
    ]
