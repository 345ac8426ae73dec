"""Where clients of the Model Context Protocol keep their servers, and in which form.

By the clients' own documentation, read in 2026: Claude Desktop and Claude Code, Cursor, VS Code, Windsurf,
Zed, Codex CLI, Gemini CLI, LM Studio and opencode.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
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
        lambda at: at.applications() / "Claude" / "claude_desktop_config.json",
        "mcpServers",
        _plain,
        after="Quit it completely and start it again.",
    ),
    ClientRecipe(
        "claude-code",
        "Claude Code, in this folder",
        lambda at: at.project / ".mcp.json",
        "mcpServers",
        _typed,
        after="Start it in this folder, and allow the server when it asks.",
    ),
    ClientRecipe("cursor", "Cursor", lambda at: at.home / ".cursor" / "mcp.json", "mcpServers", _plain),
    ClientRecipe(
        "vscode",
        "VS Code, in this folder",
        lambda at: at.project / ".vscode" / "mcp.json",
        "servers",
        _typed,
        after="Open the file in VS Code and press Start above the entry.",
    ),
    ClientRecipe(
        "windsurf",
        "Windsurf",
        lambda at: at.home / ".codeium" / "windsurf" / "mcp_config.json",
        "mcpServers",
        _plain,
    ),
    ClientRecipe("zed", "Zed", _zed, "context_servers", _plain, after="It reads its settings by itself."),
    ClientRecipe(
        "codex", "Codex CLI", lambda at: at.home / ".codex" / "config.toml", "mcp_servers", _plain, "toml"
    ),
    ClientRecipe(
        "gemini", "Gemini CLI", lambda at: at.home / ".gemini" / "settings.json", "mcpServers", _plain
    ),
    ClientRecipe(
        "lm-studio", "LM Studio", lambda at: at.home / ".lmstudio" / "mcp.json", "mcpServers", _plain
    ),
    ClientRecipe(
        "opencode",
        "opencode",
        lambda at: at.home / ".config" / "opencode" / "opencode.json",
        "mcp",
        _local,
    ),
)
RECIPES: Mapping[str, ClientRecipe] = {each.name: each for each in _RECIPES}


def recipe_of(name: str) -> ClientRecipe:
    """The recipe for a client. Raises UsageError: none is known."""
    found = RECIPES.get(name)
    if found is None:
        raise UsageError(f"{name}: no such client is known; known: {', '.join(RECIPES)}")
    return found


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|[^\s{}\[\]:,"/]+|\s+', re.DOTALL)
_MARKS = "{}[]:,"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: its key, where that begins, and where the value begins and ends."""

    key: str
    begin: int
    value: int
    end: int


def with_json_entry(text: str, key: str, name: str, entry: Json) -> str:
    """The JSON text with `entry` as `name` in the object under `key`. Raises UsageError: it is not JSON."""
    before = read_json(text)
    servers = before.get(key, {})
    if not isinstance(servers, dict):
        raise UsageError(f"{key} is not an object")
    after = _put_json(text, key, name, entry) if text.strip() else _dump({key: {name: entry}}, 0) + "\n"
    return _checked(after, before | {key: servers | {name: entry}}, read_json)


def without_json_entry(text: str, key: str, name: str) -> str:
    """The JSON text without `name` in the object under `key`. Raises UsageError: it is not JSON."""
    before = read_json(text)
    servers = before.get(key)
    if not isinstance(servers, dict) or name not in servers:
        return text
    held = next(member for member in _members(text, _start(text)) if member.key == key)
    members = _members(text, held.value)
    at = next(number for number, each in enumerate(members) if each.key == name)
    begin, end = members[at - 1].end if at else held.value + 1, members[at].end
    following = next(token for token in _tokens(text) if token.start() >= end and not _is_space(token[0]))
    if at == 0 and following[0] == ",":
        # Behind another member its comma stays, and the one before goes.
        end = following.end()
    after = text[:begin] + text[end:]
    rest = {each: value for each, value in servers.items() if each != name}
    return _checked(after, before | {key: rest}, read_json)


def with_toml_entry(text: str, key: str, name: str, entry: Json) -> str:
    """The TOML text with a table `[key.name]`, the old one taken out. Raises UsageError: it is not TOML."""
    before = _read_toml(text)
    head = without_toml_entry(text, key, name).rstrip("\n")
    lines = [f"[{key}.{name}]", *(f"{each} = {json.dumps(value)}" for each, value in entry.items())]
    after = f"{head}\n\n" * bool(head) + "\n".join(lines) + "\n"
    return _checked(after, before | {key: before.get(key, {}) | {name: entry}}, _read_toml)


def without_toml_entry(text: str, key: str, name: str) -> str:
    """The TOML text without the tables of `key.name`. Raises UsageError: it is not TOML."""
    before = _read_toml(text)
    servers = before.get(key)
    if not isinstance(servers, dict) or name not in servers:
        return text
    own = re.compile(rf'\[\s*{key}\s*\.\s*"?{name}"?\s*[.\]]')
    kept: list[str] = []
    waiting: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        begun = line.lstrip()
        if begun.startswith("["):
            inside = own.match(begun) is not None
            # Comments above a table are about that table.
            kept += [] if inside else waiting
            waiting = []
        if inside:
            waiting = [*waiting, line] if not begun or begun.startswith("#") else []
        else:
            kept.append(line)
    rest = {each: value for each, value in servers.items() if each != name}
    expected = before | {key: rest} if rest else {each: v for each, v in before.items() if each != key}
    return _checked("".join(kept), expected, _read_toml)


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
    except ValueError as error:
        raise UsageError(f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise UsageError("it has no JSON object")
    return value


def _read_toml(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"it is not TOML ({error})") from error


def _checked(after: str, expected: Json, read: Callable[[str], Json]) -> str:
    try:
        found = read(after)
    except UsageError:
        found = None
    if found != expected:
        raise UsageError("its entry cannot be changed without changing others; edit it by hand (--print)")
    return after


def _put_json(text: str, key: str, name: str, entry: Json) -> str:
    start = _start(text)
    held = next((member for member in _members(text, start) if member.key == key), None)
    if held is None:
        return _inserted(text, start, key, {name: entry}, 1)
    old = next((member for member in _members(text, held.value) if member.key == name), None)
    if old is None:
        return _inserted(text, held.value, name, entry, 2)
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
    found: list[re.Match[str]] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise UsageError("it is not JSON")
        found.append(token)
        at = token.end()
    return found


def _start(text: str) -> int:
    start = next((token.start() for token in _tokens(text) if token[0] == "{"), None)
    if start is None:
        raise UsageError("it has only comments; add an object, {}")
    return start


def _members(text: str, brace: int) -> list[_Member]:
    """The members of the object that opens at `brace`."""
    tokens = [each for each in _tokens(text) if each.start() > brace and not _is_space(each[0])]
    found: list[_Member] = []
    key: re.Match[str] | None = None
    value, end, depth = -1, -1, 0
    for token in tokens:
        piece = token[0]
        if depth == 0 and piece in (",", "}"):
            if key is not None:
                found.append(_Member(json.loads(key[0]), key.start(), value, end))
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
    return found


def _last_mark(pieces: list[str]) -> int | None:
    """The last piece that is no space."""
    return next((at for at in range(len(pieces) - 1, -1, -1) if not pieces[at].isspace()), None)


def _is_space(piece: str) -> bool:
    return piece.isspace() or piece.startswith(("//", "/*"))
