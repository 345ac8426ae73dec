"""Where clients of the Model Context Protocol keep their servers, and in which form.

By the clients' own documentation, read in 2026: Claude Desktop and Claude Code, Cursor, VS Code, Windsurf,
Zed, Codex CLI, Gemini CLI, LM Studio and opencode.
"""

from __future__ import annotations

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
        after="Quit it wholly and start it again.",
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
