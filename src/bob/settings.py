"""Settings: built-in defaults, then the user's file, the folder's file, and the environment (SPEC A3).

Each value in force remembers where it came from, and a wrong one is an error that names the key, the file
and what is allowed.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from bob.errors import SettingsError
from bob.settings_layers import leaves, merge, nested, parsed, read_layer

ENVIRONMENT_PREFIX = "BOB_"
_NESTING = "__"
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@|[?#].*")
"""Where an address may hold a password or a key."""


class Group(BaseModel):
    """A group of settings; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbedderSettings(Group):
    """Which model turns text into vectors."""

    kind: Literal["onnx", "openai-compatible"] = Field(
        "onnx", description="onnx: the model that comes with Bob. openai-compatible: a server that you name."
    )
    base_url: str | None = Field(
        None, description="Address of the server, such as http://localhost:11434/v1."
    )
    model: str | None = Field(None, description="Name of the server's model.")
    api_key: SecretStr | None = Field(None, description="Key for the server, if it wants one.")
    threads: int = Field(0, ge=0, le=256, description="Processor threads for embedding; 0: all there are.")


class IngestSettings(Group):
    """What is read from a folder, and the limits that keep one file from stopping a run."""

    workers: int = Field(0, ge=0, le=64, description="Processes that read files; 0: one a processor.")
    max_file_mb: int = Field(100, ge=1, description="Larger files are reported and left out.")
    timeout_seconds: float = Field(60, gt=0, description="A file that takes longer to read is left out.")
    memory_mb: int = Field(2048, ge=256, description="Memory that reading one file may take.")
    hidden: bool = Field(False, description="Also read files and folders whose name begins with a dot.")
    ignore: tuple[str, ...] = Field(
        (), description="Patterns to leave out everywhere, written as in a .gitignore file."
    )


class ChunkSettings(Group):
    """How long chunks are, in the embedder's tokens."""

    min_tokens: int = Field(200, ge=20, le=2000, description="Short paragraphs are joined up to this.")
    max_tokens: int = Field(500, ge=50, le=8000, description="No chunk is longer.")


class SearchSettings(Group):
    """How results are scored."""

    limit: int = Field(10, ge=1, le=1000, description="How many results are shown.")
    vector_weight: float = Field(
        0.6, ge=0, le=1, description="Share of meaning (vectors) in the score; the rest is words (BM25)."
    )
    threshold: float = Field(0.0, ge=0, le=1, description="Results with a lower score are left out.")
    rerank: Literal["none", "late-interaction"] = Field(
        "none", description="How the best results are read once more: not, or word by word in context."
    )
    rerank_candidates: int = Field(10, ge=2, le=200, description="So many of the best are reranked.")
    rerank_weight: float = Field(0.6, ge=0, le=1, description="Share of the reranker in their scores.")
    recency_half_life_days: float | None = Field(
        None, gt=0, description="Sources this much older count half; off when empty."
    )
    duplicate_similarity: float = Field(
        0.9, ge=0.5, le=1, description="Results whose words overlap more than this collapse into one."
    )
    bm25_k1: float = Field(1.2, ge=0, le=3, description="BM25: how soon repeated words stop counting.")
    bm25_b: float = Field(0.75, ge=0, le=1, description="BM25: how much long chunks are marked down.")
    heading_weight: float = Field(1.0, ge=0, le=10, description="What a word in a heading counts extra.")


class AnswerSettings(Group):
    """How answers are made."""

    max_sentences: int = Field(5, ge=1, le=30, description="An answer has at most this many sentences.")
    outdated_after_days: int = Field(
        730, ge=1, description="An answer whose newest source is older says that it may be outdated."
    )
    keep: bool = Field(True, description="Keep answers in the database, for bob feedback.")
    unsupported: Literal["remove", "mark"] = Field(
        "remove", description="What happens to what a language model wrote and no source bears out."
    )
    source_tokens: int = Field(
        6000, ge=100, le=1_000_000, description="A language model is given passages of about so many tokens."
    )


class LanguageModelSettings(Group):
    """Which language model writes, if any."""

    provider: Literal["none", "openai", "anthropic", "gemini"] = Field(
        "none", description="none: Bob quotes your files. openai: also every server that speaks like it."
    )
    model: str | None = Field(None, description="The provider's name of the model; needed with a provider.")
    base_url: str | None = Field(
        None, description="Address of a server, such as http://localhost:11434/v1; empty: the provider's own."
    )
    api_key: SecretStr | None = Field(
        None, description="Key for the server; empty: the provider's usual variable, for its own server only."
    )
    timeout_seconds: float = Field(
        120, gt=0, le=3600, description="A server that is silent for so long is given up."
    )
    max_tokens: int = Field(2048, ge=1, le=1_000_000, description="No answer of the model is longer.")
    temperature: float | None = Field(
        None, ge=0, le=2, description="How freely words are chosen; empty: as the model does by itself."
    )

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str | None) -> str | None:
        if value is not None and not _is_server(value):
            # Not repeated: a key may stand in it.
            raise PydanticCustomError("address", "must be http:// or https://, a host, and perhaps a path")
        return value

    @model_validator(mode="after")
    def _fits_the_provider(self) -> Self:
        if self.provider != "none" and not self.model:
            raise PydanticCustomError("model", "model is needed when provider is not none")
        if self.provider == "anthropic" and self.temperature is not None:
            raise PydanticCustomError("temperature", "temperature must be empty: Anthropic has none any more")
        return self


class PersonaSettings(Group):
    """Where personas are, and what of one is read for a question."""

    folder: Path = Field(
        Path("~/.local/share/bob/personas"), description="Each folder in it is a persona, called by its name."
    )
    part_tokens: int = Field(
        500, ge=50, le=8000, description="Longer parts of a corpus are cut at ### headings, then paragraphs."
    )
    limit: int = Field(5, ge=1, le=100, description="At most so many passages are read for a question.")
    threshold: float = Field(0.3, ge=-1, le=1, description="Only passages with a higher cosine are read.")
    corpus_tokens: int = Field(
        4000, ge=50, le=1_000_000, description="Passages have about so many tokens together at the most."
    )


def _is_server(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment) and port != 0
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain and address.isprintable()


class Settings(Group):
    """All settings of Bob."""

    database: Path = Field(
        Path("~/.local/share/bob/bob.db"), description="The database file; made when it is not there."
    )
    organization: str = Field(
        "local", pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", description="The organization whose memory this is."
    )
    embedder: EmbedderSettings = EmbedderSettings()
    ingest: IngestSettings = IngestSettings()
    chunk: ChunkSettings = ChunkSettings()
    search: SearchSettings = SearchSettings()
    answer: AnswerSettings = AnswerSettings()
    llm: LanguageModelSettings = LanguageModelSettings()
    persona: PersonaSettings = PersonaSettings()

    @property
    def database_path(self) -> Path:
        """The database file, absolute. Raises SettingsError when it begins with an unknown home folder."""
        try:
            return self.database.expanduser().absolute()
        except RuntimeError as error:
            raise SettingsError(f"database: {self.database}: there is no such home folder") from error

    def without_secrets(self) -> dict[str, Any]:
        """The values by key, for records: no secret, and none inside an address."""
        secret = {key for key, field in known_keys().items() if SecretStr in get_args(field.annotation)}
        return {
            key: _CREDENTIALS.sub("", value) if isinstance(value, str) and "://" in value else value
            for key, value in leaves(self.model_dump(mode="json"))
            if key not in secret
        }


@dataclass(frozen=True, slots=True)
class Setting:
    """One value in force: `key` with dots, and `origin` as a person would name it."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings, and for each key that is not a default where it was set."""

    settings: Settings
    origins: Mapping[str, str]

    def rows(self) -> list[Setting]:
        """Every setting with its value (secrets masked) and origin."""
        values = self.settings.model_dump(mode="json")
        return [Setting(key, value, self.origins.get(key, "default")) for key, value in leaves(values)]


def load_settings(
    config: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
    folder: Path | None = None,
) -> LoadedSettings:
    """The settings in force; later sources win key by key.

    Args:
        config: a file named on the command line; it takes the place of the folder's `bob.yaml`.
        environment, home, folder: where to look, by default those of the process.

    Raises:
        SettingsError: naming key, source and what is allowed.
    """
    environment = os.environ if environment is None else environment
    home = home or Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    if config is not None and not config.is_file():
        raise SettingsError(f"{config}: there is no such settings file")
    own = (folder or Path.cwd()) / "bob.yaml"
    files = [home / "bob" / "bob.yaml", config or own]
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in [(str(path), read_layer(path)) for path in files if path.is_file()]:
        merge(merged, layer, origin, origins)
    for name, value in sorted(environment.items()):
        if name.startswith(ENVIRONMENT_PREFIX):
            keys = name.removeprefix(ENVIRONMENT_PREFIX).lower().split(_NESTING)
            merge(merged, nested(keys, parsed(value)), f"environment {name}", origins)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        raise SettingsError(_explained(error, origins)) from error
    if settings.chunk.min_tokens > settings.chunk.max_tokens:
        raise SettingsError("chunk.min_tokens is larger than chunk.max_tokens")
    if settings.embedder.kind == "openai-compatible" and not settings.embedder.base_url:
        raise SettingsError("embedder.base_url is needed when embedder.kind is openai-compatible")
    if config is None:
        _keep_keys_home(settings, origins, str(own))
    return LoadedSettings(_with_usual_key(settings, environment, origins), origins)


def _keep_keys_home(settings: Settings, origins: Mapping[str, str], folders: str) -> None:
    """Refuse the folder's file to name the server that gets a key from elsewhere: such a file may come with
    somebody else's folder, and the key would go to whom it names."""
    for name, group in (("llm", settings.llm), ("embedder", settings.embedder)):
        address, key = f"{name}.base_url", f"{name}.api_key"
        if not group.base_url or origins.get(address) != folders:
            continue
        if group.api_key and group.api_key.get_secret_value() and origins[key] != folders:
            raise SettingsError(
                f"{folders}: {address}: this file may not name the server that gets your {key}, which is "
                f"from {origins[key]}. If you trust it, set {address} where the key is set, or run with "
                f"--config {folders}; if the server needs no key, write {key}: '' into the file"
            )


def _with_usual_key(settings: Settings, environment: Mapping[str, str], origins: dict[str, str]) -> Settings:
    """The settings with the key that the provider's own variable holds, if they have none."""
    llm = settings.llm
    if llm.provider == "none" or (llm.api_key and llm.api_key.get_secret_value()):
        return settings
    from bob.llm.providers import PROVIDERS

    found = PROVIDERS[llm.provider].key_in(environment, llm.base_url)
    if found is None:
        return settings
    origins["llm.api_key"] = f"environment {found[0]}"
    return settings.model_copy(update={"llm": llm.model_copy(update={"api_key": SecretStr(found[1])})})


def known_keys(model: type[BaseModel] = Settings, prefix: str = "") -> dict[str, Any]:
    """Every key with its pydantic field, in the order in which they are declared."""
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            found |= known_keys(kind, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = field
    return found


def _explained(error: ValidationError, origins: Mapping[str, str]) -> str:
    lines = []
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"])
        origin = next((o for k, o in origins.items() if k == key or k.startswith(f"{key}.")), "settings")
        origin = origins.get(key, origin)
        if problem["type"] == "extra_forbidden":
            close = difflib.get_close_matches(key, known_keys(), n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known_keys())}"
            lines.append(f"{origin}: unknown setting {key}{hint}")
        else:
            # The value is not repeated: it may be a secret that stands at the wrong key.
            lines.append(f"{origin}: {key}: {problem['msg'][:1].lower()}{problem['msg'][1:]}")
    return "\n".join(lines)
