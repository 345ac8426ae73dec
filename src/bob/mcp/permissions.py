"""What a client of the Model Context Protocol may do, from the settings `mcp.*` (SPEC P3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bob.app.settings import Settings
from bob.app.settings_groups import McpScope
from bob.core.errors import UsageError
from bob.core.search import NO_FILTERS, Filters
from bob.storage.paths import absolute


@dataclass(frozen=True, slots=True)
class Permissions:
    """`allowed` are the documents that may be seen, whatever is asked for; `projects` those that memories may
    be of, empty for all. With `dry_run` nothing is written."""

    scopes: frozenset[McpScope]
    allowed: Filters
    dry_run: bool

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects that may be seen; empty for all."""
        return self.allowed.projects

    def filters(self, project: str = "") -> Filters:
        """What a search may find, within a project if one is named."""
        # Without a limit a search need not look at its documents at all.
        within = None if self.allowed == NO_FILTERS else self.allowed
        return Filters(projects=(project,) if project else (), within=within)

    def memory_projects(self, project: str, known_projects: Sequence[str]) -> list[str] | None:
        """The projects whose memories are looked at; None for all. `known_projects` has their spelling.

        Raises:
            UsageError: the project may not be seen.
        """
        if project:
            return [self.memory_project(project, known_projects)]
        return [_spelled(project, known_projects) for project in self.projects] if self.projects else None

    def memory_project(self, project: str, known_projects: Sequence[str]) -> str:
        """The project that a memory is kept under, "" for none.

        Raises:
            UsageError: it may not be seen, or one has to be named.
        """
        if not self.projects:
            return _spelled(project, known_projects)
        if not project and len(self.projects) == 1:
            return _spelled(self.projects[0], known_projects)
        if project.lower() not in {known_project.lower() for known_project in self.projects}:
            raise UsageError(f"project must be one of: {', '.join(self.projects)}")
        return _spelled(project, known_projects)


def permissions_of(settings: Settings) -> Permissions:
    """The permissions that settings give. Raises UsageError: a folder's home is unknown."""
    mcp = settings.mcp
    folders = tuple(str(absolute(folder)) for folder in mcp.folders)
    scopes = set(mcp.scopes)
    if not mcp.write:
        scopes.discard("write")
    return Permissions(frozenset(scopes), Filters(projects=mcp.projects, path_prefixes=folders), mcp.dry_run)


def _spelled(project: str, known_projects: Sequence[str]) -> str:
    return next(
        (known_project for known_project in known_projects if known_project.lower() == project.lower()),
        project,
    )
