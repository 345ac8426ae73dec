"""Entry of `bob`: gathers the commands, and turns errors into one line and an exit code.

Exit codes: 0 done; 1 nothing found (ask, search, rag-search), or a check failed (doctor, eval); 2 usage or
bad input; 3 finished, with some files or jobs failed; 4 the database or the model cannot be used; 130
interrupted.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from copy import copy
from typing import Annotated, cast

import typer

from bob.cli import (
    ask,
    assist,
    chat,
    chats,
    config,
    context,
    db,
    decisions,
    doctor,
    evaluate,
    feedback,
    health,
    imports,
    index,
    keys,
    lint,
    maintain,
    mcp,
    memories,
    new,
    persona,
    remember,
    routine,
    search,
    serve,
    status,
    trust,
    verify,
    work,
    worker,
)
from bob.cli.options import is_text
from bob.cli.output import print_error, print_line, print_notice
from bob.cli.terminal import install_visible_streams
from bob.core.errors import BobError, UsageError
from bob.text.visible import LineFormatter

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNUSABLE = 4
EXIT_INTERRUPTED = 130

_ArgumentError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""What the library raises about arguments that are wrong or missing; the class has no public name."""

app = typer.Typer(
    name="bob",
    help="A local-first memory: index your files, ask questions, and open the source of every claim.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print_line(f"bob {version('boring-organizer-bot')}")
        raise typer.Exit


@app.callback()
def bob(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before any command."""


for module in (index, ask, chat, context, serve, worker, verify, search, status, doctor, config, trust):
    module.register(app)
chats.register(app)
memories.register(app)
decisions.register(app)
imports.register(app)
lint.register(app)
remember.register(app)
maintain.register(app)
db.register(app)
feedback.register(app)
health.register(app)
evaluate.register(app)
persona.register(app)
keys.register(app)
work.register(app)
assist.register(app)
new.register(app)
routine.register(app)
mcp.register(app)


_OBJECTS_BEFORE_COLLECTING = 50_000
"""Imports make so many objects, and no garbage: looking for some 70 times as often costs a tenth of a
start."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTING)
    install_visible_streams()
    log = logging.StreamHandler()
    log.setFormatter(LineFormatter("bob: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[log])
    try:
        _check_arguments(sys.argv[1:])
        code = _only(sys.argv[1:2])(standalone_mode=False)
    except _ArgumentError as error:
        # By itself the library writes to a Windows console, and to a stream in ASCII, past our stream.
        error.show(sys.stderr)
        sys.exit(error.exit_code)
    except typer.Abort:
        print_notice("Aborted!")
        sys.exit(EXIT_FAILED)
    except UsageError as error:
        _fail(error, EXIT_USAGE)
    except BobError as error:
        _fail(error, EXIT_UNUSABLE)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        # What the system refuses, such as a full disk or a folder that may not be written, is no fault of
        # Bob's, and a trace of Bob's calls does not help against it.
        prefix = f"{error.filename}: " if error.filename else ""
        print_error(f"{prefix}{error.strerror or error}")
        sys.exit(EXIT_UNUSABLE)

    sys.exit(code or 0)


def _check_arguments(arguments: list[str]) -> None:
    """Refuse what is not text; the name of a file may be of any bytes.

    Raises:
        UsageError: an argument could not be decoded.
    """
    for argument in arguments:
        if not (is_text(argument) or os.path.lexists(argument)):
            raise UsageError(f"the argument {argument} is not UTF-8 text")


def _only(called: list[str]) -> typer.Typer:
    """Bob with no command but the one that is called: building all takes a fifth of a short one's time."""
    commands = [
        registered_command
        for registered_command in app.registered_commands
        if [registered_command.name] == called
    ]
    groups = [
        registered_group for registered_group in app.registered_groups if [registered_group.name] == called
    ]
    if not (commands or groups):
        return app
    only = copy(app)
    only.registered_commands, only.registered_groups = commands, groups
    return only


def _fail(error: BobError, code: int) -> None:
    print_error(str(error))
    sys.exit(code)


if __name__ == "__main__":
    main()
