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
from typing import Annotated, Any, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
)

from bob.app.folder_settings import (
    FILE_NAME,
    FolderTrust,
    IgnoredSettings,
    UserRecords,
    read_folder_file,
    split_settings,
    trust_name,
)
from bob.app.settings_groups import (
    AnswerSettings,
    AuthSettings,
    ChunkSettings,
    ContextSettings,
    EmbedderSettings,
    Group,
    HealthSettings,
    HippocampusSettings,
    IngestSettings,
    LanguageModelSettings,
    LintSettings,
    McpSettings,
    MemorySettings,
    NotesSettings,
    OpenSettings,
    PersonaSettings,
    SearchSettings,
    ServerSettings,
    WorkSettings,
)
from bob.app.settings_layers import leaves, merge, nested, parsed, read_layer
from bob.core.errors import SettingsError
from bob.text.visible import visible_line

ENVIRONMENT_PREFIX = "BOB_"
_SHARED_VARIABLES = {
    "HIPPOCAMPUS_API_URL": "hippocampus.url",
    "HIPPOCAMPUS_API_KEY": "hippocampus.api_key",
}
"""Variables with names of their own, that services around Hippocampus share."""
_NESTING = "__"
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@|[?#].*")
"""Where an address may hold a password or a key."""
_MASK = "*" * 10
_MOST_TOLD = 20
"""Mistakes that are told at once: a search for a similar key is made for each."""
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^/@\s]*@")


class Settings(Group):
    """All settings of Bob."""

    database: Annotated[str, BeforeValidator(str)] = Field(
        "~/.local/share/bob/bob.db",
        description="Database file, created if missing, or a PostgreSQL address: "
        "postgresql://USER@HOST/NAME.",
    )
    cache: Path = Field(
        Path("~/.cache/bob"),
        description="Folder for data derived from a PostgreSQL database; made again if it is deleted.",
    )
    disk: str | None = Field(
        None,
        pattern=r"^[\w.-]{1,64}$",
        description="What a server's database calls this machine's disk; machines that read the same shared "
        "folders may have one name. By default one is made up, and kept in ~/.local/share/bob/disk.",
    )
    organization: str = Field(
        "local", pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", description="Organization whose data is used."
    )
    user: str = Field("me", pattern=r"^[^\s:/]{1,64}$", description="User whose chats and memories are used.")
    embedder: EmbedderSettings = EmbedderSettings()
    ingest: IngestSettings = IngestSettings()
    chunk: ChunkSettings = ChunkSettings()
    search: SearchSettings = SearchSettings()
    answer: AnswerSettings = AnswerSettings()
    context: ContextSettings = ContextSettings()
    llm: LanguageModelSettings = LanguageModelSettings()
    persona: PersonaSettings = PersonaSettings()
    memory: MemorySettings = MemorySettings()
    notes: NotesSettings = NotesSettings()
    health: HealthSettings = HealthSettings()
    work: WorkSettings = WorkSettings()
    server: ServerSettings = ServerSettings()
    lint: LintSettings = LintSettings()
    open: OpenSettings = OpenSettings()
    hippocampus: HippocampusSettings = HippocampusSettings()
    auth: AuthSettings = AuthSettings()
    mcp: McpSettings = McpSettings()

    @property
    def on_server(self) -> bool:
        """Whether the database is a PostgreSQL server's."""
        return self.database.startswith(("postgresql://", "postgres://"))

    @property
    def database_path(self) -> Path:
        """The database file, absolute. Raises SettingsError when it begins with an unknown home folder."""
        try:
            return Path(self.database).expanduser().absolute()
        except RuntimeError as error:
            raise SettingsError(f"database: {self.database}: no such home folder") from error

    @property
    def cache_folder(self) -> Path:
        """The folder for what is derived, absolute. Raises SettingsError: its home folder is unknown."""
        try:
            return self.cache.expanduser().absolute()
        except RuntimeError as error:
            raise SettingsError(f"cache: {self.cache}: no such home folder") from error

    def without_secrets(self) -> dict[str, Any]:
        """The values by key, for records: no secret, and none inside an address."""
        secret = secret_keys()
        return {
            key: without_credentials(value) if isinstance(value, str) else value
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
    ignored: IgnoredSettings | None = None
    """What the folder's file sets and is not in force, if there is such a file and it is not trusted."""

    def rows(self) -> list[Setting]:
        """Every setting with its value (secrets masked) and origin."""
        values = self.settings.model_dump(mode="json")
        return [
            Setting(key, without_password(value), self.origins.get(key, "default"))
            for key, value in leaves(values)
        ]


def shown_value(key: str, value: Any) -> Any:
    """The value of a file as it may be shown: masked where it is a secret, without a password in an
    address."""
    secret = any(key == name or key.startswith(f"{name}.") for name in secret_keys())
    return _MASK if secret and value not in (None, "") else without_password(value)


def secret_keys() -> set[str]:
    """The settings that are never shown."""
    return {key for key, field in known_keys().items() if SecretStr in get_args(field.annotation)}


def without_credentials(value: str) -> str:
    """An address without user, password and query; any other text as it is."""
    return _CREDENTIALS.sub("", value) if "://" in value else value


def without_password(value: Any) -> Any:
    """The value without a password that stands in an address."""
    return _PASSWORD.sub(r"\1:**********@", value) if isinstance(value, str) else value


def load_settings(
    config: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
    folder: Path | None = None,
    state: Path | None = None,
) -> LoadedSettings:
    """The settings in force; later sources win key by key.

    Of the folder's `bob.yaml` only harmless settings are, unless the user trusts the file.

    Args:
        config: a file named on the command line; it takes the place of the folder's `bob.yaml`.
        environment, home, folder: where to look, by default those of the process.
        state: where it is kept which files the user trusts; the user's state folder, or `home` if that is
            given.

    Raises:
        SettingsError: naming key, source and what is allowed.
    """
    environment = os.environ if environment is None else environment
    state = state or home or state_home(environment)
    home = home or _user_folder(environment, "XDG_CONFIG_HOME", ".config")
    if config is not None and not config.is_file():
        raise SettingsError(f"{config}: no such settings file")
    users = home / "bob" / FILE_NAME
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for path in (users, config):
        if path is not None and path.is_file():
            merge(merged, read_layer(path), str(path), origins)
    ignored = None
    folder = folder or Path.cwd()
    # In the folder of the user's own file there is no other.
    if config is None and trust_name(folder) != trust_name(users.parent):
        ignored = _merge_folder_file(folder, FolderTrust(state), merged, origins)
    for name, key in _SHARED_VARIABLES.items():
        if environment.get(name):
            merge(merged, nested(key.split("."), environment[name]), f"environment {name}", origins)
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
        raise SettingsError("embedder.base_url is required when embedder.kind is openai-compatible")
    return LoadedSettings(_with_usual_key(settings, environment, origins), origins, ignored)


def _merge_folder_file(
    folder: Path, trust: FolderTrust, merged: dict[str, Any], origins: dict[str, str]
) -> IgnoredSettings | None:
    """Lay what is in force of a folder's file over the values so far; gives what is not."""
    file = read_folder_file(folder)
    if file is None:
        return None
    in_force, others = split_settings(file.values, known_keys())
    if others and trust.trusts(file):
        in_force, others = file.values, {}
    merge(merged, in_force, str(file.path), origins)
    return IgnoredSettings(file, others, trust.knows(file)) if others else None


def state_home(environment: Mapping[str, str]) -> Path:
    """Where programs keep what the user did."""
    return _user_folder(environment, "XDG_STATE_HOME", ".local/state")


def known_servers(environment: Mapping[str, str]) -> UserRecords:
    """Records of the servers of which the user knows that text goes there."""
    return UserRecords(state_home(environment) / "bob" / "known-servers")


def _user_folder(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    # A relative path would be one in the working folder, which may be anybody's; the specification of these
    # variables says to ignore it.
    named = Path(environment.get(variable) or "")
    return named if named.is_absolute() else Path.home() / usual


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
    for problem in error.errors()[:_MOST_TOLD]:
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
    # A key of the folder's file may hold anything.
    return "\n".join(map(visible_line, lines))
