"""The composition root: builds the parts that the settings ask for, each when it is first needed.

Nothing below this module looks at the clock, the environment or the settings.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from bob.app.models import processors
from bob.app.private_places import PrivatePlaces
from bob.app.settings import Settings
from bob.core.errors import ModelError

if TYPE_CHECKING:
    from bob.answers.ask import Ask, KeepAnswer
    from bob.answers.feedback import GiveFeedback
    from bob.answers.judge_claims import JudgeClaims, VerifyText
    from bob.answers.verify_answer import VerifyAnswer
    from bob.answers.write_answer import WriteAnswer
    from bob.app.conversations import Conversations
    from bob.app.disclosure import Disclosure
    from bob.app.evaluation import Evaluation
    from bob.app.knowledge import Knowledge
    from bob.app.sources import Sources
    from bob.app.status import Status
    from bob.app.team import Team
    from bob.core.protocols import Embedder, LanguageModel, Reranker
    from bob.documents.embed_pending import EmbedPending, Maintain
    from bob.documents.index_files import IndexFiles
    from bob.documents.ingest_changes import IngestChanges
    from bob.documents.parse_file import ParseFile
    from bob.models.embedder import EmbedTexts, OnnxEmbedder
    from bob.personas.find import Personas
    from bob.search.index import SearchIndex
    from bob.search.service import Search
    from bob.storage.database import Database
    from bob.storage.worker import Worker


class Engine:
    """All services over one database and one organization."""

    def __init__(self, settings: Settings, disclosure: Disclosure | None = None) -> None:
        """`disclosure` is asked before text goes to a server that the settings name; None: nobody is."""
        self.settings = settings
        self.disclosure = disclosure
        self._sides: dict[str, Engine] = {settings.organization: self}
        self._siding = threading.Lock()
        self._places = PrivatePlaces(settings)

    def for_organization(self, org_id: str) -> Engine:
        """The engine of another organization of the same database; connections and models are shared."""
        with self._siding:
            if org_id not in self._sides:
                side = Engine(self.settings.model_copy(update={"organization": org_id}), self.disclosure)
                from bob.storage.organizations import ensure_organization

                side.database = self.database.for_organization(org_id)
                ensure_organization(side.database)
                side.embedder, side.shipped_model = self.embedder, self.shipped_model
                self._sides[org_id] = side
            return self._sides[org_id]

    @cached_property
    def database(self) -> Database:
        """The database, opened and of the newest schema."""
        from bob.app.open_database import open_database

        self._places.correct()
        return open_database(self.settings)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of the settings; it is loaded when it embeds for the first time."""
        from bob.app.disclosure import embedder

        return embedder(self)

    @cached_property
    def llm(self) -> LanguageModel | None:
        """The language model of the settings, or None. Raises SettingsError: it needs a key and has none."""
        if self.settings.llm.provider == "none":
            return None
        from bob.app.disclosure import language_model

        return language_model(self)

    def warm_up(self) -> None:
        """Begin to load the model in the background: its half second then passes beside other work.

        The process does not end before the model is loaded: ONNX Runtime aborts when it is cut short.
        """
        if self.settings.embedder.kind == "onnx":
            threading.Thread(target=self._load_embedder).start()

    def _load_embedder(self) -> None:
        # Whoever embeds next meets the same error and tells it; here no one would hear.
        with suppress(ModelError):
            self.embedder.embed(["warm"])

    @cached_property
    def index(self) -> SearchIndex:
        """The search index."""
        from bob.search.index import SearchIndex
        from bob.search.ranking import Bm25
        from bob.search.snapshot import Recipe
        from bob.text.terms import ANALYZER

        search = self.settings.search
        bm25 = Bm25(search.bm25_k1, search.bm25_b, search.heading_weight)
        recipe = Recipe(ANALYZER, self.embedder.model_id, self.embedder.dimension, bm25)
        return SearchIndex(self.database, recipe)

    @cached_property
    def embed_pending(self) -> EmbedPending:
        """Makes missing vectors."""
        from bob.documents.embed_pending import EmbedPending

        return EmbedPending(self.database, self.embedder)

    @cached_property
    def index_files(self) -> IndexFiles:
        """Indexes folders and files."""
        from bob.app.models import read_options
        from bob.documents.index_files import IndexFiles

        options = read_options(self.settings.ingest)
        return IndexFiles(self.database, self.index, self.read_changes, options, self.sources.disks)

    @cached_property
    def read_changes(self) -> IngestChanges:
        """Reads and saves what differs from the index."""
        from bob.app.models import read_options
        from bob.documents.ingest_changes import IngestChanges

        return IngestChanges(
            self.database,
            self.index,
            self.embed_pending,
            self.embedder.model_id,
            self.parse_file,
            read_options(self.settings.ingest),
            self.sources.disks,
            self.knowledge.extract_decisions.extract_decisions,
        )

    @cached_property
    def parse_file(self) -> ParseFile:
        """Turns one file into chunks."""
        from bob.documents.parse_file import ParseFile

        chunk = self.settings.chunk
        return ParseFile(self.settings.ingest.max_file_mb * 1024 * 1024, chunk.min_tokens, chunk.max_tokens)

    @cached_property
    def search(self) -> Search:
        """Searches."""
        from bob.search.service import Search, SearchOptions

        search = self.settings.search
        return Search(
            self.database,
            self.index,
            self.embedder,
            SearchOptions(
                search.vector_weight,
                search.threshold,
                search.recency_half_life_days,
                search.duplicate_similarity,
                search.rerank_candidates,
                search.rerank_weight,
            ),
            lambda: self.knowledge.standings,
            self.reranker,
        )

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, or None; it reads by Bob's own model, whichever embeds."""
        if self.settings.search.rerank == "none":
            return None
        from bob.search.late_interaction import LateInteraction

        return LateInteraction(self.shipped_model)

    @cached_property
    def ask(self) -> Ask:
        """Answers questions."""
        from bob.answers.ask import Ask, AskOptions

        answer = self.settings.answer
        return Ask(
            self.search,
            self.embedder,
            lambda: self.knowledge.state_decisions,
            AskOptions(answer.max_sentences, answer.outdated_after_days),
            lambda: self.write_answer,
        )

    @cached_property
    def write_answer(self) -> WriteAnswer | None:
        """Writes answers with the language model of the settings; None without one."""
        if self.llm is None:
            return None
        from bob.answers.write_answer import WriteAnswer, WriteOptions

        answer, llm = self.settings.answer, self.settings.llm
        options = WriteOptions(
            answer.max_sentences, answer.unsupported, answer.source_tokens, llm.max_tokens, llm.temperature
        )
        return WriteAnswer(self.llm, self.judge_claims, options)

    @cached_property
    def shipped_model(self) -> OnnxEmbedder:
        """The model that comes with Bob, also where another makes the vectors: for meaning word by word, and
        for conversations, of which nothing leaves the machine."""
        from bob.models.embedder import OnnxEmbedder

        if isinstance(self.embedder, OnnxEmbedder):
            return self.embedder
        return OnnxEmbedder(threads=self.settings.embedder.threads or processors())

    @cached_property
    def judge_claims(self) -> JudgeClaims:
        """Checks claims against the chunks that they cite."""
        from bob.answers.judge_claims import IndexRarity, JudgeClaims

        return JudgeClaims(self.shipped_model, IndexRarity(self.index))

    @cached_property
    def verify_text(self) -> VerifyText:
        """Checks texts against the index."""
        from bob.answers.judge_claims import VerifyText

        return VerifyText(self.search, self.judge_claims)

    @cached_property
    def verify_answer(self) -> VerifyAnswer:
        """Checks kept answers against their sources as they are now."""
        from bob.answers.verify_answer import VerifyAnswer

        git, disks = self.knowledge.index_git, self.sources.disks
        return VerifyAnswer(self.database, self.index_files, git, self.search, self.judge_claims, disks)

    @cached_property
    def keep_answer(self) -> KeepAnswer:
        """Keeps answers, if the settings say so."""
        from bob.answers.ask import KeepAnswer

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

        disks, correct = self.sources.disks, self._places.correct_all
        return Status(self.database, self.index, self.embedder, disks, correct)

    @cached_property
    def maintain(self) -> Maintain:
        """Repairs the index."""
        from bob.documents.embed_pending import Maintain

        return Maintain(self.database, self.sources.disks)

    @cached_property
    def embed_texts(self) -> EmbedTexts:
        """Embeds texts for others."""
        from bob.models.embedder import EmbedTexts, OnnxEmbedder
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

        return Knowledge(self)

    @cached_property
    def sources(self) -> Sources:
        """What is indexed, to be shown."""
        from bob.app.sources import Sources

        return Sources(self)

    @cached_property
    def team(self) -> Team:
        """Work items and their memory."""
        from bob.app.team import Team

        return Team(self)

    @cached_property
    def personas(self) -> Personas:
        """Personas: interviews, questions for them, and reports."""
        from bob.app.evaluation import personas_over

        return personas_over(self)

    @cached_property
    def worker(self) -> Worker:
        """Runs the jobs of every organization of the database."""
        from bob.app.jobs import worker_over

        return worker_over(self)

    def close(self) -> None:
        """Give back the database, if it was opened, and what a team's services hold."""
        if "team" in self.__dict__:
            self.team.close()
        if "database" in self.__dict__:
            self.database.close()
