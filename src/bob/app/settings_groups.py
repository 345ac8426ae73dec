"""The groups of settings, each with its keys, what they mean and what they may be (SPEC A3)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_core import PydanticCustomError

from bob.conversations.word_lists import GOLD, LOOKUPS, SMALL_TALK, TRANSLATIONS, FunnelWords
from bob.work.items import ARCHIVED, PRIORITIES, STATUSES

_WORD = re.compile(r"[A-Z][A-Z0-9_]{0,31}")


class Group(BaseModel):
    """A group of settings; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbedderSettings(Group):
    """Which model turns text into vectors."""

    kind: Literal["onnx", "openai-compatible"] = Field(
        "onnx", description="onnx: the built-in model. openai-compatible: a server."
    )
    base_url: str | None = Field(
        None, description="Address of the server, such as http://localhost:11434/v1."
    )
    model: str | None = Field(None, description="Name of the server's model.")
    api_key: SecretStr | None = Field(None, description="Key for the server, if it requires one.")
    threads: int = Field(0, ge=0, le=256, description="Processor threads for embedding; 0: all.")


class IngestSettings(Group):
    """What is read from a folder, and the limits that keep one file from stopping a run."""

    workers: int = Field(0, ge=0, le=64, description="Processes that read files; 0: one per processor.")
    max_file_mb: int = Field(100, ge=1, description="Maximum size of a file, in MB.")
    timeout_seconds: float = Field(60, gt=0, description="Timeout for reading a file, in seconds.")
    memory_mb: int = Field(2048, ge=256, description="Maximum memory for reading a file.")
    hidden: bool = Field(
        False,
        description="Also read files and folders whose name begins with a dot. "
        "What projects keep for contributors (.github) is always read.",
    )
    ignore: tuple[str, ...] = Field(
        (), description="Patterns to leave out everywhere, written as in a .gitignore file."
    )


class ChunkSettings(Group):
    """How long chunks are, in the embedder's tokens."""

    min_tokens: int = Field(200, ge=20, le=2000, description="Minimum length of a chunk, in tokens.")
    max_tokens: int = Field(500, ge=50, le=8000, description="Maximum length of a chunk, in tokens.")


class LintSettings(Group):
    """What `bob lint` looks for."""

    ignore: tuple[str, ...] = Field((), description="Rules to skip, by id or name, such as BOB053.")


class SearchSettings(Group):
    """How results are scored."""

    limit: int = Field(10, ge=1, le=1000, description="Maximum number of results.")
    vector_weight: float = Field(
        0.6, ge=0, le=1, description="Weight of vectors in the score; the rest is that of words."
    )
    threshold: float = Field(0.0, ge=0, le=1, description="Minimum score of a result.")
    rerank: Literal["none", "late-interaction"] = Field(
        "none",
        description="Reranker for the best results: none, or late-interaction (word by word in context).",
    )
    rerank_candidates: int = Field(10, ge=2, le=200, description="Number of results to rerank.")
    rerank_weight: float = Field(0.6, ge=0, le=1, description="Weight of the reranker in the score.")
    recency_half_life_days: float | None = Field(None, gt=0, description="Age at which a source counts half.")
    duplicate_similarity: float = Field(
        0.9, ge=0.5, le=1, description="Share of words at which results are folded."
    )
    bm25_k1: float = Field(1.2, ge=0, le=3, description="BM25: how fast repeated words stop counting.")
    bm25_b: float = Field(0.75, ge=0, le=1, description="BM25: penalty for long chunks.")
    heading_weight: float = Field(1.0, ge=0, le=10, description="Extra weight of a word in a heading.")


class AnswerSettings(Group):
    """How answers are made."""

    max_sentences: int = Field(5, ge=1, le=30, description="Maximum number of sentences in an answer.")
    judge: Literal["model", "rules"] = Field(
        "model",
        description="Judge of sentences and claims: small models that read them, or rules alone (faster).",
    )
    outdated_after_days: int = Field(
        730,
        ge=1,
        description="Age in days of the newest source above which an answer warns that it may be outdated.",
    )
    keep: bool = Field(True, description="Keep answers in the database, for bob feedback.")
    unsupported: Literal["remove", "mark"] = Field(
        "remove", description="What to do with unsupported claims of a language model: remove or mark them."
    )
    source_tokens: int = Field(
        6000,
        ge=100,
        le=1_000_000,
        description="Approximate number of tokens of passages for a language model.",
    )


class ContextSettings(Group):
    """What a chat's prompt is made of."""

    assistant: str = Field("Bobo", min_length=1, description="Name of the assistant.")
    locale: Literal["en", "pt"] = Field("en", description="Language of the headings above memories.")
    project_tokens: int = Field(
        200_000,
        ge=0,
        description="Maximum tokens of a project that is in the prompt whole, not in passages.",
    )
    inspiration_tokens: int = Field(2_000, ge=0, description="Maximum tokens from other projects.")
    similarity: float = Field(
        0.35, ge=-1, le=1, description="Minimum similarity of other projects' passages."
    )
    recent_messages: int = Field(4, ge=0, description="Number of last messages in the prompt word for word.")
    earlier_importance: int = Field(
        10,
        ge=0,
        le=100,
        description="Minimum importance of earlier messages that are in the prompt as summaries.",
    )
    check_replies: bool = Field(
        True,
        description="Check written replies against the project, and show statements without a source.",
    )
    memories: int = Field(6, ge=0, le=100, description="Maximum number of memories of other chats.")
    memory_similarity: float = Field(0.3, ge=-1, le=1, description="Minimum similarity of memories.")
    memory_chats: int = Field(50, ge=1, description="Number of last chats to search for memories.")


class ServerSettings(Group):
    """How `bob serve` serves."""

    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0: a free port.")
    max_request_mb: int = Field(32, ge=1, le=1024, description="Maximum size of a request in MB.")
    hosts: tuple[Annotated[str, Field(pattern=r"^[a-z0-9._:-]{1,253}$")], ...] = Field(
        (),
        description="Further host names or addresses, without a port, that requests may use.",
    )
    request_seconds: float = Field(60, gt=0, le=3600, description="Timeout for the body of a request.")
    uploads: Path = Field(
        Path("~/.local/share/bob/uploads"),
        description="Folder for uploaded files; they are indexed there.",
    )
    log_format: Literal["text", "json"] = Field(
        "text", description="Log format. Requests that failed or took long are logged, never what was asked."
    )


class OpenSettings(Group):
    """How a source is opened at its place."""

    command: tuple[str, ...] = Field(
        (),
        description="Command that opens a file, such as [code, --goto, '{path}:{line}'], or {page}.",
    )


class LanguageModelSettings(Group):
    """Which language model writes, if any."""

    provider: Literal["none", "openai", "anthropic", "gemini"] = Field(
        "none", description="openai: also every compatible server."
    )
    model: str | None = Field(None, description="Name of the model; required with a provider.")
    base_url: str | None = Field(
        None, description="Address of a server, such as http://localhost:11434/v1; empty: the provider's own."
    )
    api_key: SecretStr | None = Field(
        None, description="Key for the server; empty: the provider's usual variable, for its own server only."
    )
    timeout_seconds: float = Field(
        120,
        gt=0,
        le=3600,
        description="Timeout without data, in seconds; a whole answer may take ten times that.",
    )
    context_tokens: int | None = Field(
        None,
        ge=1024,
        description="Context window of the model in tokens; empty: the known value, else 16,384.",
    )
    max_tokens: int = Field(2048, ge=1, le=1_000_000, description="Maximum length of the model's answer.")
    temperature: float | None = Field(None, ge=0, le=2, description="Sampling temperature, if any.")

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str | None) -> str | None:
        if value is not None and not _is_server(value):
            # Not repeated: a key may stand in it.
            raise PydanticCustomError(
                "address", "must be an address such as http://HOST or https://HOST/PATH"
            )
        return value

    @model_validator(mode="after")
    def _fits_the_provider(self) -> Self:
        if self.provider != "none" and not self.model:
            raise PydanticCustomError("model", "model is required when provider is not none")
        if self.provider == "anthropic" and self.temperature is not None:
            raise PydanticCustomError(
                "temperature", "temperature must be empty: Anthropic no longer supports it"
            )
        return self


class PersonaSettings(Group):
    """Where personas are, and what of one is read for a question."""

    folder: Path = Field(Path("~/.local/share/bob/personas"), description="Folder with personas.")
    part_tokens: int = Field(
        500,
        ge=50,
        le=8000,
        description="Maximum tokens of a part; longer ones are split at ### headings, then paragraphs.",
    )
    limit: int = Field(5, ge=1, le=100, description="Maximum number of passages for a question.")
    threshold: float = Field(0.3, ge=-1, le=1, description="Minimum cosine of a passage.")
    corpus_tokens: int = Field(4000, ge=50, le=1_000_000, description="Maximum tokens of all passages.")


class MemorySettings(Group):
    """Which messages are worth a judgement. Case and accents make no difference."""

    judge: Literal["rules", "language-model"] = Field(
        "rules",
        description="Judge of messages: rules with the built-in model, or the language model of llm.*.",
    )
    min_characters: int = Field(10, ge=0, le=1000, description="Minimum length of a remembered message.")
    gold: tuple[str, ...] = Field(GOLD, description="Words that send a message to the judge.")
    more_gold: tuple[str, ...] = Field((), description="Additional words for gold.")
    small_talk: tuple[str, ...] = Field(SMALL_TALK, description="Messages with only these words are dropped.")
    more_small_talk: tuple[str, ...] = Field((), description="Additional words for small_talk.")
    lookups: tuple[str, ...] = Field(LOOKUPS, description="Short questions that begin so are dropped.")
    more_lookups: tuple[str, ...] = Field((), description="Additional words for lookups.")
    translations: tuple[str, ...] = Field(
        TRANSLATIONS,
        description="Requests that begin with these words are not remembered, with all that follows.",
    )
    more_translations: tuple[str, ...] = Field((), description="Additional words for translations.")

    @property
    def words(self) -> FunnelWords:
        """The lists as the funnel takes them."""
        return FunnelWords(
            self.min_characters,
            (*self.small_talk, *self.more_small_talk),
            (*self.lookups, *self.more_lookups),
            (*self.translations, *self.more_translations),
            (*self.gold, *self.more_gold),
        )


class NotesSettings(Group):
    """Where notes are written, and what they look like."""

    folders: tuple[Path, ...] = Field(
        (),
        description="Folders that Bob may write notes into, such as [~/notes]; new notes go into the first.",
    )
    templates: Path | None = Field(
        None, description="Folder with your templates; one with the name of a built-in template replaces it."
    )


class WorkSettings(Group):
    """Work items, and what an assistant may ask about them."""

    statuses: tuple[str, ...] = Field(
        STATUSES, min_length=2, description="Statuses; a new item has the first."
    )
    priorities: tuple[str, ...] = Field(PRIORITIES, min_length=1, description="Priorities of an item.")
    relevance_floor: float = Field(0.1, ge=0, le=1, description="Minimum probability of a fit.")
    recency_half_life_days: float | None = Field(
        None, gt=0, description="Days after which an item counts half."
    )
    sql_seconds: float = Field(3, gt=0, le=60, description="Timeout for a question in SQL, in seconds.")
    sql_rows: int = Field(200, ge=1, le=10_000, description="Maximum number of rows in an answer to SQL.")

    @field_validator("statuses", "priorities")
    @classmethod
    def _capitals(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value) or not all(_WORD.fullmatch(each) for each in value):
            raise PydanticCustomError(
                "words", "must be unique, in capitals and underscores, such as IN_PROGRESS"
            )
        return value

    @field_validator("statuses")
    @classmethod
    def _can_be_archived(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if ARCHIVED not in value[1:]:
            raise PydanticCustomError("archived", "ARCHIVED must be one of them, and not the first")
        return value


class HippocampusSettings(Group):
    """Where the memory of work items is, if it is not Bob's own."""

    url: str | None = Field(
        None,
        description="Address of a Hippocampus service or of another Bob; empty: Bob's own semantic index.",
    )
    api_key: SecretStr | None = Field(None, description="Key for the service.")
    timeout_seconds: float = Field(
        30, gt=0, le=600, description="Timeout without data, in seconds, before a request is tried again."
    )

    @field_validator("url")
    @classmethod
    def _an_address(cls, value: str | None) -> str | None:
        if value and not _is_server(value):
            raise PydanticCustomError(
                "address", "must be an address such as http://HOST or https://HOST/PATH"
            )
        return value


def _is_server(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment) and port != 0
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain and address.isprintable()


_LEAST_SECRET_BYTES = 32
"""RFC 7518, 3.2: a key for HS256 has at least the size of the hash."""

_PLACE = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]@]+?)(?::\d{1,5})?", re.ASCII)
"""A host and perhaps a port: what `urlsplit` takes for a host may be followed by another."""

_KEYS = ("jwt_secret", "jwks_url", "jwks_file", "public_key_file")


class AuthSettings(Group):
    """How tokens (JWT) are checked. One of the four keys decides the algorithm, so that a token can never
    choose it: jwt_secret takes HS256, the others RS256."""

    jwt_secret: SecretStr | None = Field(
        None, description="HS256: the secret that tokens are signed with, of 32 bytes or more."
    )
    jwks_url: str | None = Field(
        None, description="RS256: address of the issuer's key set; https, or http on this machine."
    )
    jwks_file: Path | None = Field(None, description="RS256: a file with the issuer's key set.")
    public_key_file: Path | None = Field(
        None, description="RS256: a file with the issuer's one public key (PEM)."
    )
    audience: str | None = Field(
        None,
        min_length=1,
        description="Value that aud must contain; required for RS256, where a key signs for many programs.",
    )
    issuer: str | None = Field(None, min_length=1, description="Value that iss must have; empty: any.")
    leeway_seconds: float = Field(30, ge=0, le=300, description="Allowed clock difference in seconds.")
    organization_claim: str = Field("org_id", min_length=1, description="Claim with the organization.")
    role_claim: str = Field("role", min_length=1, description="Claim with the role: reader, member or admin.")
    requests_per_minute: int = Field(
        600, ge=1, le=1_000_000, description="Requests per minute for an API key, or for the user of a token."
    )

    @property
    def algorithm(self) -> Literal["HS256", "RS256"] | None:
        """The only algorithm that tokens may have; None: no token is accepted."""
        if self.jwt_secret is not None:
            return "HS256"
        return "RS256" if any(getattr(self, name) for name in _KEYS) else None

    @field_validator("jwt_secret")
    @classmethod
    def _a_secret(cls, value: SecretStr | None) -> SecretStr | None:
        secret = value.get_secret_value() if value else None
        if secret is not None and len(secret.encode()) < _LEAST_SECRET_BYTES:
            raise PydanticCustomError("secret", "must have at least 32 bytes, such as: openssl rand -hex 32")
        if secret is not None and secret.lstrip().startswith(("-----BEGIN", "ssh-", "{")):
            raise PydanticCustomError("secret", "must be a secret; a public key belongs in public_key_file")
        return value

    @field_validator("jwks_url")
    @classmethod
    def _a_safe_address(cls, value: str | None) -> str | None:
        if value is not None and not _is_safe(value):
            raise PydanticCustomError("address", "must be https://, or http:// on this machine")
        return value

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [name for name in _KEYS if getattr(self, name) is not None]
        if len(given) > 1:
            raise PydanticCustomError("kinds", f"only one of {', '.join(_KEYS)} may be set")
        if not given and (self.audience or self.issuer):
            raise PydanticCustomError("kinds", f"audience and issuer require one of {', '.join(_KEYS)}")
        if self.algorithm == "RS256" and not self.audience:
            raise PydanticCustomError(
                "audience",
                f"audience is required with {given[0]}, else tokens for other programs are accepted",
            )
        return self


def _is_safe(address: str) -> bool:
    try:
        parts = urlsplit(address)
        usable = parts.port != 0 and bool(parts.hostname) and address.isprintable()
        usable = usable and _PLACE.fullmatch(parts.netloc) is not None
    except ValueError:
        return False
    if parts.username or parts.password or parts.fragment or not usable:
        return False
    return parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    )


class StaleSettings(Group):
    """After how many days a document wants to be read again, by its type; empty: never."""

    markdown: int | None = Field(730, ge=1, description="Notes; those of a day, such as meetings, never age.")
    plain: int | None = Field(730, ge=1, description="Plain text.")
    restructured: int | None = Field(730, ge=1, description="reStructuredText.")
    html: int | None = Field(1095, ge=1, description="Web pages.")
    word: int | None = Field(1095, ge=1, description="Word documents.")
    powerpoint: int | None = Field(1095, ge=1, description="Presentations.")
    pdf: int | None = Field(1825, ge=1, description="PDFs.")
    other: int | None = Field(None, ge=1, description="Everything else: mail, books, recipes, tables, code.")

    def of(self, source_type: str) -> int | None:
        """The days for a source type, None for never."""
        days: Any = getattr(self, source_type) if source_type in type(self).model_fields else self.other
        return None if days is None else int(days)


class HealthSettings(Group):
    """What the health of your memory is judged by."""

    minimum_answers: int = Field(
        50, ge=1, description="Minimum number of answers before documents that no answer needed are reported."
    )
    unsorted_projects: tuple[str, ...] = Field(
        ("root", "inbox", "unsorted", "misc", "downloads", "desktop", "tmp"),
        description="Catch-all projects, whose documents still need a real one.",
    )
    stale_days: StaleSettings = StaleSettings()


McpScope = Literal["read", "remember", "write", "work"]


class McpSettings(Group):
    """What `bob mcp` lets a client do. A folder's own bob.yaml is not read: its author could open doors."""

    scopes: tuple[McpScope, ...] = Field(
        ("read", "remember"),
        description="read: search, ask and read; remember: save memories; write: notes, into mcp.write; "
        "work: work items.",
    )
    projects: tuple[str, ...] = Field((), description="Projects that clients can see; empty: all.")
    folders: tuple[Path, ...] = Field((), description="Folders whose documents clients can see; empty: all.")
    write: tuple[Path, ...] = Field(
        (), description="Folders, with subfolders, that notes may be written into."
    )
    dry_run: bool = Field(False, description="Writing and remembering only report what they would do.")
    port: int = Field(8765, ge=0, le=65535, description="Port of bob mcp --http; 0: a free port.")
    token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Token for clients of bob mcp --http; empty: a new one at each start.",
    )

    @field_validator("folders", "write")
    @classmethod
    def _from_the_root(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        # Clients start the server in folders of their own choice.
        if not all(each.is_absolute() or str(each).startswith("~") for each in value):
            raise PydanticCustomError("from_the_root", "must begin with / or ~, such as ~/notes")
        return value
