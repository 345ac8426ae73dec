"""The composition root: the services of every feature, over the parts that they share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from bob.app.parts import Parts
from bob.app.settings import Settings
from bob.core.errors import ModelError

if TYPE_CHECKING:
    from bob.answers.answer import KeepAnswer
    from bob.answers.feedback import GiveFeedback
    from bob.answers.verify_answer import VerifyAnswer
    from bob.app.conversations import Conversations
    from bob.app.disclosure import Disclosure
    from bob.app.evaluation import Evaluation
    from bob.app.knowledge import Knowledge
    from bob.app.sources import Sources
    from bob.app.status import Status
    from bob.app.team import Team
    from bob.documents.embed_pending import Maintain
    from bob.models.networks import EmbedTexts
    from bob.personas.find import Personas
    from bob.storage.worker import Runner, Worker

_EMBED_SECONDS = 5.0
"""An organization's turn at embedding: as long as another may wait for its own."""


class Engine(Parts):
    """All services over one database and one organization."""

    def __init__(self, settings: Settings, disclosure: Disclosure | None = None) -> None:
        """`disclosure` is asked before text goes to a server that the settings name; None: nobody is."""
        super().__init__(settings, disclosure)
        self._sides: dict[str, Engine] = {settings.organization: self}
        self._siding = threading.Lock()

    def for_organization(self, org_id: str) -> Engine:
        """The engine of another organization of the same database; connections and models are shared."""
        with self._siding:
            if org_id not in self._sides:
                side = Engine(self.settings.model_copy(update={"organization": org_id}), self.disclosure)
                from bob.storage.organizations import ensure_organization

                side.database = self.database.for_organization(org_id)
                ensure_organization(side.database)
                side.embedder, side.shipped_model = self.embedder, self.shipped_model
                side.question_encoder = self.question_encoder
                side.reader, side.verifier = self.reader, self.verifier
                self._sides[org_id] = side
            return self._sides[org_id]

    def warm_up(self, *, for_answers: bool = False) -> None:
        """Begin to load the model in the background, `for_answers` the question encoder and the reader in its
        place: the half second that takes then passes beside other work.

        The process does not end before they are loaded: ONNX Runtime aborts when it is cut short.
        """
        loads: list[Callable[[], object]] = []
        reader = self.reader if for_answers else None
        if self.settings.embedder.kind == "onnx":
            if for_answers:
                loads.append(partial(self.question_encoder.embed, ["warm"]))
            if reader is None:
                # Rules compare the question with each sentence, and a search what is typed with each passage.
                loads.append(partial(self.embedder.embed, ["warm"]))
        if reader is not None:
            loads.append(lambda: reader.score_passages("warm", ["warm"]))
        if loads:
            threading.Thread(target=_load_models, args=(loads,)).start()

    @cached_property
    def verify_answer(self) -> VerifyAnswer:
        """Checks kept answers against their sources as they are now."""
        from bob.answers.verify_answer import VerifyAnswer

        return VerifyAnswer(
            self.database, self.index_files, self.index_git, self.search, self.judge_claims, self.disks
        )

    @cached_property
    def keep_answer(self) -> KeepAnswer:
        """Keeps answers, if the settings say so."""
        from bob.answers.answer import KeepAnswer

        return KeepAnswer(self.database, keep=self.settings.answer.keep)

    @cached_property
    def give_feedback(self) -> GiveFeedback:
        """Takes feedback on answers."""
        from bob.answers.feedback import GiveFeedback

        return GiveFeedback(self.database)

    @cached_property
    def status(self) -> Status:
        """Tells what the index holds and whether all works."""
        from bob.app.status import Status

        disks, correct = self.disks, self.places.correct_all
        embedders, judges = (self.embedder, self.question_encoder), (self.reader, self.verifier)
        return Status(self.database, self.index, embedders, judges, disks, correct)

    @cached_property
    def maintain(self) -> Maintain:
        """Repairs the index."""
        from bob.documents.embed_pending import Maintain

        return Maintain(self.database, self.disks)

    @cached_property
    def embed_texts(self) -> EmbedTexts:
        """Embeds texts for others."""
        from bob.models.networks import EmbedTexts, OnnxEmbedder
        from bob.text.tokens import estimate_tokens

        own = self.embedder if isinstance(self.embedder, OnnxEmbedder) else None
        return EmbedTexts(self.embedder, own.tokenizer.count if own else estimate_tokens)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What measures."""
        from bob.app.evaluation import Evaluation

        return Evaluation(self)

    @cached_property
    def conversations(self) -> Conversations:
        """Chats and what is remembered of them."""
        from bob.app.conversations import Conversations

        return Conversations(self)

    @cached_property
    def knowledge(self) -> Knowledge:
        """Decisions, git sources, capture and health."""
        from bob.app.knowledge import Knowledge

        return Knowledge(self, lambda: self.conversations.memories)

    @cached_property
    def sources(self) -> Sources:
        """What is indexed, to be shown."""
        from bob.app.sources import Sources

        return Sources(self)

    @cached_property
    def team(self) -> Team:
        """Work items and their memory."""
        from bob.app.team import Team

        return Team(self, lambda org_id: self.for_organization(org_id).team.hippocampus)

    @cached_property
    def personas(self) -> Personas:
        """Personas: interviews, questions for them, and reports."""
        from bob.app.evaluation import personas_over

        return personas_over(self)

    @cached_property
    def worker(self) -> Worker:
        """Runs the jobs of every organization of the database."""
        from bob.storage.worker import Worker

        return Worker(self.database, lambda org_id: self.for_organization(org_id).runners(), time.time)

    def runners(self) -> Mapping[str, Runner]:
        """What runs the jobs of the organization, by their kind."""
        from bob.conversations.rows import REMEMBER
        from bob.search.vector_rows import EMBED
        from bob.storage.worker import Stopped, Turn
        from bob.work.index_items import KIND

        def embed(stopped: Stopped) -> Turn:
            report = self.embed_pending.embed_chunks(budget_seconds=_EMBED_SECONDS)
            return Turn(report.chunks, report.error)

        return {
            EMBED: embed,
            REMEMBER: self.conversations.remember_turn,
            KIND: self.team.index_turn,
        }

    def close(self) -> None:
        """Give back the database, if it was opened, and what a team's services hold."""
        if "team" in self.__dict__:
            self.team.close()
        if "database" in self.__dict__:
            self.database.close()


def _load_models(loads: Iterable[Callable[[], object]]) -> None:
    for load in loads:
        # Whoever needs the model next meets the same error and tells it; here no one would hear.
        with suppress(ModelError):
            load()
