"""What services are made of: a database and an organization, models, and what reads, searches and answers.
Each part is made when it is first needed.

Nothing below this module looks at the clock, the environment or the settings.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from bob.app.models import processors
from bob.app.private_places import PrivatePlaces
from bob.app.settings import Settings

if TYPE_CHECKING:
    from bob.answers.ask import Ask
    from bob.answers.claims.judge_claims import JudgeClaims
    from bob.answers.claims.verify_text import VerifyText
    from bob.answers.decision_statements import StateDecisions
    from bob.answers.score_sentences import ScoreSentences
    from bob.answers.write_answer import WriteAnswer
    from bob.app.disclosure import Disclosure
    from bob.core.protocols import Embedder, LanguageModel, Reranker
    from bob.decisions.service import ExtractDecisions
    from bob.decisions.status import Standings
    from bob.documents.disks import LocalDisks
    from bob.documents.embed_pending import EmbedPending
    from bob.documents.git.index_git import IndexGit
    from bob.documents.index_files import IndexFiles
    from bob.documents.ingest_changes import IngestChanges
    from bob.documents.parse_file import ParseFile
    from bob.models.networks import OnnxEmbedder
    from bob.models.pair_models import OnnxReader, OnnxVerifier
    from bob.search.index import SearchIndex
    from bob.search.service import Search
    from bob.storage.database import Database


class Parts:
    """What the services of every feature share."""

    def __init__(self, settings: Settings, disclosure: Disclosure | None = None) -> None:
        """`disclosure` is asked before text goes to a server that the settings name; None: nobody is."""
        self.settings = settings
        self.disclosure = disclosure
        self.places = PrivatePlaces(settings)

    def projects(self) -> list[str]:
        """The names of the projects that are indexed."""
        from bob.documents.library import Library

        return [str(project["project"]) for project in Library(self.database).projects()]

    @cached_property
    def database(self) -> Database:
        """The database, opened and of the newest schema."""
        from bob.app.open_database import open_database

        self.places.correct()
        return open_database(self.settings)

    @cached_property
    def disks(self) -> LocalDisks:
        """The disks that this machine reads."""
        from bob.app.disks import local_disks

        return local_disks(self.settings)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of the settings; it is loaded when it embeds for the first time."""
        from bob.app.disclosure import embedder

        return embedder(self.settings, self.disclosure, self.projects)

    @cached_property
    def llm(self) -> LanguageModel | None:
        """The language model of the settings, or None. Raises SettingsError: it needs a key and has none."""
        if self.settings.llm.provider == "none":
            return None
        from bob.app.disclosure import language_model

        return language_model(self.settings, self.disclosure, self.projects, self.database)

    @cached_property
    def shipped_model(self) -> OnnxEmbedder:
        """The model that comes with Bob, also where another makes the vectors: for meaning word by word, and
        for conversations, of which nothing leaves the machine."""
        from bob.models.networks import OnnxEmbedder

        if isinstance(self.embedder, OnnxEmbedder):
            return self.embedder
        return OnnxEmbedder(threads=self._threads)

    @cached_property
    def question_encoder(self) -> Embedder:
        """Makes the vectors of questions that are compared with those of passages: Bob's own where its own
        model makes these, and otherwise the model that does."""
        from bob.models.networks import OnnxEmbedder, OnnxQuestionEncoder

        if isinstance(self.embedder, OnnxEmbedder):
            return OnnxQuestionEncoder(self.embedder, threads=self._threads)
        return self.embedder

    @property
    def _threads(self) -> int:
        return self.settings.embedder.threads or processors()

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, or None; it reads by Bob's own model, whichever embeds."""
        if self.settings.search.rerank == "none":
            return None
        from bob.search.late_interaction import LateInteraction

        return LateInteraction(self.shipped_model)

    @cached_property
    def reader(self) -> OnnxReader | None:
        """Reads sentences for answers; None where the settings have rules judge alone."""
        if self.settings.answer.judge == "rules":
            return None
        from bob.models.pair_models import OnnxReader

        return OnnxReader(self.shipped_model, threads=self._threads)

    @cached_property
    def verifier(self) -> OnnxVerifier | None:
        """Reads claims beside evidence; None where the settings have rules judge alone."""
        if self.settings.answer.judge == "rules":
            return None
        from bob.models.pair_models import OnnxVerifier

        return OnnxVerifier(self.shipped_model, threads=self._threads)

    @cached_property
    def score_sentences(self) -> ScoreSentences:
        """Finds what may be quoted, and says what it is worth."""
        from bob.answers.score_sentences import ScoreSentences

        return ScoreSentences(self.embedder, self.question_encoder, self.reader)

    @cached_property
    def index(self) -> SearchIndex:
        """The search index."""
        from bob.search.index import SearchIndex
        from bob.search.ranking import Bm25
        from bob.search.snapshot import Recipe
        from bob.text.words import ANALYZER

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
    def parse_file(self) -> ParseFile:
        """Turns one file into chunks."""
        from bob.documents.parse_file import ParseFile

        chunk = self.settings.chunk
        return ParseFile(self.settings.ingest.max_file_mb * 1024 * 1024, chunk.min_tokens, chunk.max_tokens)

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
            self.disks,
            self.extract_decisions.extract_decisions,
        )

    @cached_property
    def index_files(self) -> IndexFiles:
        """Indexes folders and files."""
        from bob.app.models import read_options
        from bob.documents.index_files import IndexFiles

        options = read_options(self.settings.ingest)
        return IndexFiles(self.database, self.index, self.read_changes, options, self.disks)

    @cached_property
    def index_git(self) -> IndexGit:
        """Indexes refs of git repositories."""
        from bob.app.models import read_options
        from bob.documents.git.index_git import IndexGit

        return IndexGit(
            self.database,
            self.index,
            self.read_changes,
            read_options(self.settings.ingest),
            self.disks,
            self.settings.ingest.max_file_mb * 1024 * 1024,
        )

    @cached_property
    def extract_decisions(self) -> ExtractDecisions:
        """Keeps the registry of decisions in line with the index."""
        from bob.decisions.service import ExtractDecisions

        return ExtractDecisions(self.database)

    @cached_property
    def standings(self) -> Standings:
        """Tells how decisions stand, to searches that find some."""
        from bob.decisions.status import Standings

        return Standings(self.database)

    @cached_property
    def state_decisions(self) -> StateDecisions:
        """Has answers tell which decisions hold."""
        from bob.answers.decision_statements import StateDecisions

        return StateDecisions(self.database, self.score_sentences)

    @cached_property
    def search(self) -> Search:
        """Searches."""
        from bob.search.service import Search, SearchOptions

        search = self.settings.search
        return Search(
            self.database,
            self.index,
            self.embedder,
            self.question_encoder,
            SearchOptions(
                search.vector_weight,
                search.threshold,
                search.recency_half_life_days,
                search.duplicate_similarity,
                search.rerank_candidates,
                search.rerank_weight,
            ),
            lambda: self.standings,
            self.shipped_model.knows_word,
            self.reranker,
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
    def judge_claims(self) -> JudgeClaims:
        """Checks claims against the chunks that they cite."""
        from bob.answers.claims.judge_claims import JudgeClaims
        from bob.answers.claims.word_rarity import IndexRarity

        return JudgeClaims(self.shipped_model, self.verifier, IndexRarity(self.index))

    @cached_property
    def verify_text(self) -> VerifyText:
        """Checks texts against the index."""
        from bob.answers.claims.verify_text import VerifyText

        return VerifyText(self.search, self.judge_claims)

    @cached_property
    def ask(self) -> Ask:
        """Answers questions."""
        from bob.answers.ask import Ask, AskOptions

        answer = self.settings.answer
        return Ask(
            self.search,
            self.score_sentences,
            lambda: self.state_decisions,
            AskOptions(answer.max_sentences, answer.outdated_after_days),
            lambda: self.write_answer,
        )
