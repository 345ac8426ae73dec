"""Options that several commands share, and the engine that they ask for."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bob.cli.known_projects import known_projects
from bob.errors import UsageError

if TYPE_CHECKING:
    from bob.domain.filters import Filters
    from bob.engine import Engine


def project(told: str) -> Any:
    """The option `--project`, with what its help says; the Tab key offers the projects that there are."""
    return typer.Option("--project", "-p", help=told, autocompletion=known_projects)


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it.")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings file to use.")]
Db = Annotated[
    str | None, typer.Option("--database", metavar="FILE", help="Database file, or postgresql:// address.")
]
Projects = Annotated[list[str] | None, project("Only this project (repeatable).")]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only this type: pdf, markdown, …")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Only documents with this tag.")]
Paths = Annotated[list[Path] | None, typer.Option("--path", help="Only below this folder.")]
After = Annotated[
    str | None, typer.Option("--after", metavar="DATE", help="Only sources of this day or later.")
]
Before = Annotated[str | None, typer.Option("--before", metavar="DATE", help="Only sources before this day.")]

AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="As it was on this day: nothing later counts.")
]


def engine(config: Path | None, database: str | None = None) -> Engine:
    """The engine for the settings in force."""
    from bob.engine import Engine
    from bob.settings import load_settings

    settings = load_settings(config).settings
    if database is not None:
        settings = settings.model_copy(update={"database": database})
    return Engine(settings)


def filters(
    projects: list[str] | None = None,
    types: list[str] | None = None,
    tags: list[str] | None = None,
    paths: list[Path] | None = None,
    after: str | None = None,
    before: str | None = None,
    as_of: str | None = None,
) -> Filters:
    """The filters that the flags ask for.

    Raises:
        UsageError: a date is none.
    """
    from bob.domain.filters import Filters
    from bob.store.paths import absolute

    return Filters(
        projects=tuple(projects or ()),
        source_types=tuple(types or ()),
        tags=tuple(tags or ()),
        path_prefixes=tuple(str(absolute(path)) for path in paths or ()),
        after=day("--after", after),
        before=day("--before", before),
        as_of=day("--as-of", as_of),
    )


def day(flag: str, value: str | None) -> date | None:
    """The day that a flag names; the first one of a month or a year.

    Raises:
        UsageError: it is none.
    """
    from bob.retrieval.query import first_day

    if value is None:
        return None
    found = first_day(value)
    if found is None:
        raise UsageError(f"{flag}: {value!r} is no date; write 2025, 2025-06 or 2025-06-30")
    return found


def now() -> datetime:
    """The moment on the user's clock, with its time zone."""
    return datetime.now().astimezone()


def today() -> date:
    """The day on the user's clock."""
    return now().date()
