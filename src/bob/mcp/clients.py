"""Where clients of the Model Context Protocol keep their servers, and in which form.

By the clients' own documentation, read in 2026: Claude Desktop and Claude Code, Cursor, VS Code, Windsurf,
Zed, Codex CLI, Gemini CLI, LM Studio and opencode.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bob.core.errors import UsageError

NAME = "bob"
"""What the server is called in every client."""

System = Literal["linux", "darwin", "win32"]


@dataclass(frozen=True, slots=True)
class Places:
    """Where this user's files are; `roaming` is Windows' %APPDATA%."""

    system: System
    home: Path
    project: Path
    roaming: Path

    def applications(self) -> Path:
        """The folder below which desktop programs keep their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.roaming if self.system == "win32" else self.home / ".config"


@dataclass(frozen=True, slots=True)
class ClientRecipe:
    """A client: its file, the key that its servers stand under, and what an entry looks like."""

    name: str
    title: str
    path: Callable[[Places], Path]
    key: str
    entry: Callable[[Sequence[str]], dict[str, Any]]
    form: Literal["json", "toml"] = "json"
    after: str = "Restart it."


def _plain(command: Sequence[str]) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _typed(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(command)}


def _local(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(command), "enabled": True}


def _zed(places: Places) -> Path:
    # On a Mac, too, it lies below .config.
    folder = places.roaming / "Zed" if places.system == "win32" else places.home / ".config" / "zed"
    return folder / "settings.json"


_RECIPES = (
    ClientRecipe(
        "claude-desktop",
        "Claude Desktop",
        lambda places: places.applications() / "Claude" / "claude_desktop_config.json",
        "mcpServers",
        _plain,
        after="Quit it completely and start it again.",
    ),
    ClientRecipe(
        "claude-code",
        "Claude Code, in this folder",
        lambda places: places.project / ".mcp.json",
        "mcpServers",
        _typed,
        after="Start it in this folder, and allow the server when it asks.",
    ),
    ClientRecipe(
        "cursor", "Cursor", lambda places: places.home / ".cursor" / "mcp.json", "mcpServers", _plain
    ),
    ClientRecipe(
        "vscode",
        "VS Code, in this folder",
        lambda places: places.project / ".vscode" / "mcp.json",
        "servers",
        _typed,
        after="Open the file in VS Code and press Start above the entry.",
    ),
    ClientRecipe(
        "windsurf",
        "Windsurf",
        lambda places: places.home / ".codeium" / "windsurf" / "mcp_config.json",
        "mcpServers",
        _plain,
    ),
    ClientRecipe("zed", "Zed", _zed, "context_servers", _plain, after="It reads its settings by itself."),
    ClientRecipe(
        "codex",
        "Codex CLI",
        lambda places: places.home / ".codex" / "config.toml",
        "mcp_servers",
        _plain,
        "toml",
    ),
    ClientRecipe(
        "gemini", "Gemini CLI", lambda places: places.home / ".gemini" / "settings.json", "mcpServers", _plain
    ),
    ClientRecipe(
        "lm-studio", "LM Studio", lambda places: places.home / ".lmstudio" / "mcp.json", "mcpServers", _plain
    ),
    ClientRecipe(
        "opencode",
        "opencode",
        lambda places: places.home / ".config" / "opencode" / "opencode.json",
        "mcp",
        _local,
    ),
)
RECIPES: Mapping[str, ClientRecipe] = {recipe.name: recipe for recipe in _RECIPES}


def recipe_of(name: str) -> ClientRecipe:
    """The recipe for a client. Raises UsageError: none is known."""
    recipe = RECIPES.get(name)
    if recipe is None:
        raise UsageError(f"{name}: no such client is known; known: {', '.join(RECIPES)}")
    return recipe


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|[^\s{}\[\]:,"/]+|\s+', re.DOTALL)
_MARKS = "{}[]:,"
Json = dict[str, Any]
_BY_HAND = "its entry cannot be changed without changing others; edit it by hand (--print)"


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: its key, where that begins, and where the value begins and ends."""

    key: str
    begin: int
    value: int
    end: int


def with_json_entry(text: str, key: str, name: str, entry: Json) -> str:
    """The JSON text with `entry` as `name` in the object under `key`; what else an older entry says stays,
    such as its environment. Raises UsageError: it is not JSON."""
    before = read_json(text)
    servers = before.get(key, {})
    if not isinstance(servers, dict):
        raise UsageError(f"{key} is not an object")
    entry = _merged(servers.get(name), entry)
    after = _put_json(text, key, name, entry) if text.strip() else _dump({key: {name: entry}}, 0) + "\n"
    return _checked(after, before | {key: servers | {name: entry}}, read_json)


def without_json_entry(text: str, key: str, name: str) -> str:
    """The JSON text without `name` in the object under `key`. Raises UsageError: it is not JSON."""
    before = read_json(text)
    servers = before.get(key)
    if not isinstance(servers, dict) or name not in servers:
        return text
    member_found = next(member for member in _members(text, _start(text)) if member.key == key)
    members = _members(text, member_found.value)
    position = next(number for number, other in enumerate(members) if other.key == name)
    begin, end = members[position - 1].end if position else member_found.value + 1, members[position].end
    following = next(token for token in _tokens(text) if token.start() >= end and not _is_space(token[0]))
    if position == 0 and following[0] == ",":
        # Behind another member its comma stays, and the one before goes.
        end = following.end()
    after = text[:begin] + text[end:]
    rest = {other: value for other, value in servers.items() if other != name}
    return _checked(after, before | {key: rest}, read_json)


def with_toml_entry(text: str, key: str, name: str, entry: Json) -> str:
    """The TOML text with a table `[key.name]` at its end; what else an older one says stays, such as its
    environment. Raises UsageError: it is not TOML."""
    before = _read_toml(text)
    servers = before.get(key, {})
    if not isinstance(servers, dict):
        raise UsageError(f"{key} is not a table")
    entry = _merged(servers.get(name), entry)
    head = without_toml_entry(text, key, name).rstrip("\n")
    try:
        tables = "\n".join(_toml_tables(f"{key}.{name}", entry))
    except TypeError as error:  # a date, which JSON has no form for
        raise UsageError(_BY_HAND) from error
    after = f"{head}\n\n" * bool(head) + tables + "\n"
    return _checked(after, before | {key: servers | {name: entry}}, _read_toml)


def _merged(old: object, entry: Json) -> Json:
    """The entry, with what else an older one for a command says; one for an address is another thing."""
    return old | entry if isinstance(old, dict) and "command" in old else entry


def _toml_tables(name: str, values: Json) -> Iterator[str]:
    """The lines of a table with the tables in it."""
    yield f"[{name}]"
    tables = {field: value for field, value in values.items() if isinstance(value, dict)}
    for field, value in values.items():
        if field not in tables:
            yield f"{_toml_key(field)} = {json.dumps(value)}"
    for field, table in tables.items():
        yield ""
        yield from _toml_tables(f"{name}.{_toml_key(field)}", table)


def _toml_key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)


def without_toml_entry(text: str, key: str, name: str) -> str:
    """The TOML text without the tables of `key.name`. Raises UsageError: it is not TOML."""
    before = _read_toml(text)
    servers = before.get(key)
    if not isinstance(servers, dict) or name not in servers:
        return text
    own = re.compile(rf'\[\s*{key}\s*\.\s*"?{name}"?\s*[.\]]')
    lines_left: list[str] = []
    waiting: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        begun = line.lstrip()
        if begun.startswith("["):
            inside = own.match(begun) is not None
            # Comments above a table are about that table.
            lines_left += [] if inside else waiting
            waiting = []
        if inside:
            waiting = [*waiting, line] if not begun or begun.startswith("#") else []
        else:
            lines_left.append(line)
    rest = {other: value for other, value in servers.items() if other != name}
    expected = before | {key: rest} if rest else {other: v for other, v in before.items() if other != key}
    return _checked("".join(lines_left), expected, _read_toml)


def read_json(text: str) -> Json:
    """The object of a JSON text that may have comments and trailing commas. Raises UsageError."""
    pieces: list[str] = []
    for token in _tokens(text):
        piece = token[0]
        if piece.startswith(("//", "/*")):
            continue
        if piece in "}]" and (last := _last_mark(pieces)) is not None and pieces[last] == ",":
            del pieces[last]
        pieces.append(piece)
    try:
        value = json.loads("".join(pieces)) if "".join(pieces).strip() else {}
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise UsageError("it has no JSON object")
    return value


def _read_toml(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"it is not TOML ({error})") from error


def _checked(after: str, expected: Json, read: Callable[[str], Json]) -> str:
    try:
        parsed = read(after)
    except UsageError:
        parsed = None
    if parsed != expected:
        raise UsageError(_BY_HAND)
    return after


def _put_json(text: str, key: str, name: str, entry: Json) -> str:
    start = _start(text)
    member_found = next((member for member in _members(text, start) if member.key == key), None)
    if member_found is None:
        return _inserted(text, start, key, {name: entry}, 1)
    old = next((member for member in _members(text, member_found.value) if member.key == name), None)
    if old is None:
        return _inserted(text, member_found.value, name, entry, 2)
    return text[: old.value] + _dump(entry, 2) + text[old.end :]


def _inserted(text: str, brace: int, name: str, value: Json, depth: int) -> str:
    """The text with a new first member in the object that opens at `brace`: nothing before it can lack a
    comma."""
    inside = text[brace + 1 :]
    comma = "," if _members(text, brace) else ""
    tail = "" if comma or inside.lstrip(" \t").startswith("\n") else "\n" + "  " * (depth - 1)
    member = f"\n{'  ' * depth}{json.dumps(name)}: {_dump(value, depth)}{comma}"
    return f"{text[: brace + 1]}{member}{tail}{inside}"


def _dump(value: Json, depth: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)


def _tokens(text: str) -> list[re.Match[str]]:
    tokens: list[re.Match[str]] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise UsageError("it is not JSON")
        tokens.append(token)
        position = token.end()
    return tokens


def _start(text: str) -> int:
    start = next((token.start() for token in _tokens(text) if token[0] == "{"), None)
    if start is None:
        raise UsageError("it has only comments; add an object, {}")
    return start


def _members(text: str, brace: int) -> list[_Member]:
    """The members of the object that opens at `brace`."""
    tokens = [token for token in _tokens(text) if token.start() > brace and not _is_space(token[0])]
    members: list[_Member] = []
    key: re.Match[str] | None = None
    value, end, depth = -1, -1, 0
    for token in tokens:
        piece = token[0]
        if depth == 0 and piece in (",", "}"):
            if key is not None:
                members.append(_Member(json.loads(key[0]), key.start(), value, end))
            if piece == "}":
                break
            key, value = None, -1
            continue
        if depth == 0 and key is None:
            key = token
            continue
        if depth == 0 and piece == ":":
            continue
        value = token.start() if value < 0 else value
        end = token.end()
        depth += (piece in "{[") - (piece in "}]") if piece in _MARKS else 0
    return members


def _last_mark(pieces: list[str]) -> int | None:
    """The last piece that is no space."""
    return next((index for index in range(len(pieces) - 1, -1, -1) if not pieces[index].isspace()), None)


def _is_space(piece: str) -> bool:
    return piece.isspace() or piece.startswith(("//", "/*"))
