"""Every seam of Bob on one page: what a stage needs from its neighbours, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.core.caching import KnownCache
    from bob.core.conversation import Assessment, MessageRole
    from bob.core.document import ParsedDocument
    from bob.core.prompt import Piece, Prompt
    from bob.core.search import FoundChunk
    from bob.core.sql import SqlLimits, SqlRows


class SourceFile(Protocol):
    """A file as a parser sees it: read once, within the limits of the settings."""

    @property
    def path(self) -> Path:
        """Where the file is; its name and suffix may carry meaning."""

    def read_bytes(self) -> bytes:
        """The whole content. Raises UnreadableError (vanished, no permission, too large)."""

    def read_text(self) -> str:
        """The content decoded, newlines as they are. Raises UnreadableError (also: binary)."""


DataForm = Literal["json", "json-ld", "yaml"]
"""What a text of data is written in; JSON-LD says of itself what it describes."""


class Parser(Protocol):
    """Turns one file into sections with locators. One module, one registration (SPEC B4)."""

    @property
    def name(self) -> str:
        """A short word, unique among parsers: "markdown", "pdf"."""

    @property
    def suffixes(self) -> frozenset[str]:
        """Lower-case file name endings with their dot, that this parser takes."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The parsed document. Raises UnreadableError with a reason that the file's owner understands."""


class Embedder(Protocol):
    """Turns text into vectors of length 1, so that a dot product is the cosine."""

    @property
    def model_id(self) -> str:
        """Names model and revision; vectors of different ids are never compared."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text, shape (len(texts), dimension). A row does not depend on the other texts."""


class Reader(Protocol):
    """Reads question and passage together and says how far the answer stands there."""

    @property
    def model_id(self) -> str:
        """Names model and revision, for the audit."""

    def score_passages(self, question: str, passages: Sequence[str]) -> list[float]:
        """For each passage by how much an answer in it is more likely than none, as a difference of logits.

        A margin does not depend on the other passages. Raises ModelError.
        """

    def score_parts(
        self, question: str, passages: Sequence[tuple[str, Sequence[tuple[int, int]]]]
    ) -> list[list[float | None]]:
        """The same for parts of passages, each read with what stands around it: a passage is given with the
        characters at which its parts begin and end. None for a part beyond what is read of a passage.
        Raises ModelError.
        """


class Verifier(Protocol):
    """Reads a claim beside evidence and says whether it is borne out."""

    @property
    def model_id(self) -> str:
        """Names model and revision, for the audit."""

    def judge_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        """For each claim with its evidence the probabilities that the evidence says it, and that it denies
        it; what is left is that it does neither. Raises ModelError."""


class TokenEmbedder(Protocol):
    """Turns text into one vector of length 1 a token, in context."""

    def token_vectors(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """For each text shape (tokens, dimension), in order; an empty text has no rows."""


class Reranker(Protocol):
    """Reads query and chunk together, which no index can: too slow for all, so for the best few (SPEC D4)."""

    @property
    def name(self) -> str:
        """As the setting `search.rerank` calls it."""

    def scores(self, query: str, chunks: Sequence[FoundChunk]) -> npt.NDArray[np.float32]:
        """How well each chunk fits, higher is better, on any scale; shape (len(chunks),).

        A score does not depend on the other chunks. Raises ModelError.
        """


class LanguageModel(Protocol):
    """Writes an answer to a prompt. There may be none: Bob does without (SPEC A1)."""

    @property
    def name(self) -> str:
        """Provider and model: "openai:gpt-5"."""

    def stream(self, prompt: Prompt) -> Iterator[Piece]:
        """The answer as it is written: text in pieces that are not empty, then one `Finished`.

        Raises LanguageModelError, also in the middle: what was handed on by then is not the whole answer.
        """


class ProviderCaches(Protocol):
    """Remembers what providers keep for us under names, so that a later process uses it too (SPEC I1).

    `key` is a digest of exactly what is kept. Whoever asks looks at `expires_at`: nothing here has a clock.
    """

    def find(self, provider: str, model: str, key: str) -> KnownCache | None:
        """What was kept last for this key, perhaps expired by now."""

    def keep(self, provider: str, model: str, key: str, name: str, expires_at: datetime) -> None:
        """Remembers the name and when it expires, with its time zone, in place of what was known before."""

    def drop(self, provider: str, model: str, key: str) -> None:
        """Forgets the key. It need not be known."""


class WordEmbedder(Protocol):
    """Gives words their meaning where they stand, for laying texts beside each other word by word."""

    def word_vectors(self, texts: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float32]]:
        """For each text, given as its words and marks, one row each, of length 1 (0 for what the model does
        not know at all): shape (words, dimension)."""

    def rarity(self, word: str) -> float:
        """How rare a word is in the language at large, from 0 to 1."""


class MessageEmbedder(Protocol):
    """Reads a message once, for its meaning as a whole and word by word."""

    @property
    def model_id(self) -> str:
        """Names model and revision; vectors of different ids are never compared."""

    def embed_with_words(
        self, texts: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.float32]]]:
        """For texts given as their words and marks: one row a text, shape (len(texts), dimension), and for
        each text one row a word, shape (words, dimension). Rows have length 1; a word that the model does
        not know at all is 0."""


class Judge(Protocol):
    """Says what a message of a conversation is worth, when the funnel lets it through (SPEC G2)."""

    @property
    def name(self) -> str:
        """As an assessment calls it: "rules", or a language model's name."""

    def judge(self, text: str, role: MessageRole) -> Assessment:
        """Importance, summary and type of one message, without secrets; stopped by `judge` when trivial.

        Raises ModelError: the embedding model is damaged. A language model's failure is no error: the rules
        judge in its place.
        """


class OrganizationMemory(Protocol):
    """The semantic memory of an organization's work items: it points, SQL tells the facts (seed 001).

    Bob's own, or a Hippocampus service. `org_id` names the collection `org:{org_id}`, which is made when it
    is first written to. Every method raises MemoryServiceError with a text that its reader may see.
    """

    def create_collection(self, org_id: str) -> None:
        """Make the organization's collection; one that is there stays as it is."""

    def add_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index a text under an id, in place of what the id had."""

    def update_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index the text anew; an id that is not there is added."""

    def delete_resource(self, org_id: str, resource_id: str) -> None:
        """Take an id out. It need not be there."""

    def query(self, org_id: str, text: str, limit: int) -> list[tuple[str, float]]:
        """The ids whose texts fit, best first, each with its score from 0 to 1; none that do not fit."""


class SigningKeys(Protocol):
    """What tokens are checked with: keys of one algorithm, which no token chooses (SPEC L2)."""

    @property
    def algorithm(self) -> Literal["HS256", "RS256"]:
        """The only algorithm of tokens."""

    def find(self, kid: str | None) -> Any:
        """The key that a token names, as the library for tokens takes it; None: there is none."""


class SqlReader(Protocol):
    """Answers SQL over one organization's views (`bob.core.sql.VIEWS`), whatever the text says: it reads
    nothing else and writes nothing, without any other check of the text (SPEC K6)."""

    @property
    def dialect(self) -> str:
        """Which SQL it speaks, as sqlglot calls it."""

    def answer(self, sql: str, limits: SqlLimits) -> SqlRows:
        """The rows of one SELECT.

        Raises:
            RequestError: the text cannot be answered, for a reason that whoever asked may read.
            StoreError: the database cannot be asked at all.
        """
