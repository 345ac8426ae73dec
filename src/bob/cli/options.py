"""Options that several commands share, and the engine that they ask for."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bob.cli.output import print_error, print_notice
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.app.disclosure import Disclosure
    from bob.app.settings import LoadedSettings, Settings
    from bob.core.conversation import Chat
    from bob.core.search import Filters


_PLAIN = re.compile(r"[\w.@%+:-]+")
"""Names that no shell reads anything into: what is offered goes into a line of it as it stands."""


def known_projects(context: typer.Context, incomplete: str) -> list[str]:
    """The projects of the database that the line names or the settings do, if it is a file: a key press
    waits for no server, and makes no database."""
    from bob.app.settings import load_settings
    from bob.core.errors import BobError

    try:
        # Nothing is said of the settings: the line that is being typed stands on the screen.
        loaded = load_settings(context.params.get("config"))
        engine = engine_of(loaded, context.params.get("database"))
        if engine.settings.on_server or not engine.settings.database_path.is_file():
            return []
        names = [str(project["project"]) for project in engine.sources.library.projects()]
        engine.close()
    except BobError:
        return []
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)]


def project(told: str) -> Any:
    """The option `--project`, with what its help says; the Tab key offers the projects that there are."""
    return typer.Option("--project", "-p", help=told, autocompletion=known_projects)


def is_for_command(context: typer.Context) -> bool:
    """Whether a group is followed by one of its commands, which reads its own options.

    Raises:
        UsageError: one of the group's options stands before it, where the command would not see it.
    """
    command = context.invoked_subcommand
    for parameter in context.command.params if command else ():
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{parameter.opts[0]} must stand after {command}")
    return command is not None


def chat_about(engine: Engine, chat_id: int, project: str | None) -> Chat:
    """A chat by its number. Raises UsageError: there is none, or it is not about that project."""
    chat = engine.conversations.chats.at(engine.settings.user, chat_id)
    if project is not None and project != chat.scope.project:
        raise UsageError(f"chat {chat_id} is about {chat.scope.project or 'no project'}, not {project}")
    return chat


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Apply the changes.")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings file.")]
Db = Annotated[
    str | None, typer.Option("--database", metavar="FILE", help="Database file, or postgresql:// address.")
]
Projects = Annotated[list[str] | None, project("Only this project (repeatable).")]
Languages = Annotated[
    list[str] | None, typer.Option("--language", help="Only documents in this language: en, pt, de, …")
]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only this type: pdf, markdown, …")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Only documents with this tag.")]
Paths = Annotated[list[Path] | None, typer.Option("--path", help="Only below this folder.")]
After = Annotated[
    str | None, typer.Option("--after", metavar="DATE", help="Only sources of this day or later.")
]
Before = Annotated[str | None, typer.Option("--before", metavar="DATE", help="Only sources before this day.")]

AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="Answer as of this day, ignoring later sources.")
]
Smart = Annotated[
    bool | None,
    typer.Option(
        "--smart-context/--no-smart-context",
        help="Override bob smart-context for this message.",
        show_default=False,
    ),
]


LARGEST_NUMBER = 2**53
"""As over HTTP; a database counts only a little further."""


def number(written: str) -> int:
    """The number of something that is kept, from the command line."""
    try:
        row_id = int(written)
    except ValueError as error:
        raise typer.BadParameter(f"{written!r} is not a valid integer.") from error
    if not 1 <= row_id <= LARGEST_NUMBER:
        raise typer.BadParameter(f"{written} is not in the range 1<=x<={LARGEST_NUMBER}.")
    return row_id


ChatId = Annotated[
    int | None,
    typer.Option("--chat", metavar="N", parser=number, help="Number of the chat to continue."),
]
ChatProject = Annotated[str | None, project("Project to chat about.")]


def engine(config: Path | None, database: str | None = None, *, service: bool = False) -> Engine:
    """The engine for the settings in force; says which settings of the folder's file are not.

    Before text goes to a server for the first time it is said, or asked in a terminal. A `service` says it at
    its start, each time, and asks nobody.
    """
    return engine_of(loaded_settings(config), database, service=service)


def loaded_settings(config: Path | None, folder: Path | None = None) -> LoadedSettings:
    """The settings in force; says which settings of the folder's file are not."""
    from bob.app.settings import load_settings

    loaded = load_settings(config, folder=folder)
    if loaded.ignored is not None:
        _say_once(loaded.ignored.message)
    return loaded


def engine_of(loaded: LoadedSettings, database: str | None = None, *, service: bool = False) -> Engine:
    """The engine for settings, over another database if one is named."""
    from bob.app import Engine

    settings = loaded.settings
    if database is not None:
        settings = settings.model_copy(update={"database": database})
    if not _sends_text(settings):
        return Engine(settings)
    disclosure = _disclosure(loaded)
    if not service:
        return Engine(settings, disclosure)
    from bob.app.disclosure import text_servers

    for server in text_servers(settings):
        _say_once(disclosure.notice(server))
    return Engine(settings)


def _sends_text(settings: Settings) -> bool:
    """Whether any server is named: most often none is, and what follows need not be imported."""
    named = settings.llm.provider != "none" or settings.embedder.kind != "onnx"
    return named or bool(settings.hippocampus.url)


def _disclosure(loaded: LoadedSettings) -> Disclosure:
    import os

    from bob.app.disclosure import Disclosure
    from bob.app.settings import known_servers

    answers = sys.stdin.isatty() and sys.stderr.isatty()
    return Disclosure(known_servers(os.environ), loaded.origins, _say_once, _agrees if answers else None, now)


def _agrees(notice: str) -> bool:
    # A line that shows progress would stand before the question.
    print_notice("")
    return typer.confirm(f"bob: {notice} Continue?", err=True)


@cache
def _say_once(message: str) -> None:
    print_error(message)


def filters(
    projects: list[str] | None = None,
    types: list[str] | None = None,
    tags: list[str] | None = None,
    languages: list[str] | None = None,
    paths: list[Path] | None = None,
    after: str | None = None,
    before: str | None = None,
    as_of: str | None = None,
) -> Filters:
    """The filters that the flags ask for.

    Raises:
        UsageError: a date is none.
    """
    from bob.core.search import Filters
    from bob.storage.paths import absolute

    return Filters(
        projects=tuple(projects or ()),
        source_types=tuple(types or ()),
        tags=tuple(tags or ()),
        languages=tuple(languages or ()),
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
    from bob.text.dates import first_day

    if value is None:
        return None
    day = first_day(value)
    if day is None:
        raise UsageError(f"{flag}: {value!r} is not a date; use for example 2025, 2025-06 or 2025-06-30")
    return day


_LONGEST_QUERY = 10_000
"""Characters, as over HTTP: each few hundred of them cost a pass of the embedding model."""


def query(words: Sequence[str]) -> str:
    """The words of a query or question, as one. Raises UsageError: it is too long."""
    joined = " ".join(words)
    if len(joined) > _LONGEST_QUERY:
        raise UsageError(
            f"the query is too long: {len(joined):,} characters; the limit is {_LONGEST_QUERY:,}"
        )
    return joined


def now() -> datetime:
    """The moment on the user's clock, with its time zone."""
    return datetime.now().astimezone()


def today() -> date:
    """The day on the user's clock."""
    return now().date()


def standard_input() -> str:
    """All of standard input. Raises UsageError: it is not UTF-8 text."""
    try:
        return checked_input(sys.stdin.read())
    except UnicodeDecodeError as error:
        raise UsageError("standard input: not UTF-8 text") from error


def checked_input(text: str) -> str:
    """The text, which was read from standard input. Raises UsageError: it is not UTF-8 text."""
    if not is_text(text):
        raise UsageError("standard input: not UTF-8 text")
    return text


def is_text(text: str) -> bool:
    """Whether all of it could be decoded: the system's encoding may keep other bytes as halves of pairs."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def text_of(name: str | Path) -> str:
    """The text, without the mark that some editors begin a file with.

    Raises:
        UsageError: the file cannot be read, or it is not UTF-8.
    """
    try:
        if str(name) == "-":
            return standard_input()
        return Path(name).read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 text") from error
