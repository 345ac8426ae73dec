"""Every command with its arguments and options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from bob.cli.main import app
from reference.kinds import inner_kind
from reference.place import NOTICE

_COMMANDS_PROSE = """
`bob --help` and `bob COMMAND --help` show the same. Exit codes: 0 done; 1 nothing found (`ask`, `search`),
or a check failed (`doctor`, `eval`); 2 wrong usage or bad input; 3 finished, but some files or jobs failed;
4 the database or the model cannot be used; 130 interrupted.

`bob --version` shows the version. After `bob --install-completion`, in a new shell, the Tab key completes
commands, options and the names of projects (bash, zsh, fish, PowerShell); `bob --show-completion` only prints
what that would install.

Settings come from `~/.config/bob/bob.yaml`, `bob.yaml` in the working folder and variables that begin with
`BOB_`; [settings](settings.md) has them all. The database is `~/.local/share/bob/bob.db` unless the setting
`database` or the option `--database` names another. What is asked for goes to standard output; progress,
notices and errors go to standard error.
""".strip()


def cli_page() -> str:
    """Every command with its arguments and options."""
    parts = [
        NOTICE,
        "# Commands",
        str(app.info.help),
        _COMMANDS_PROSE,
    ]
    for name, info in commands(app):
        described = inspect.cleandoc(info.help or inspect.getdoc(info.callback) or "")
        parts += [f"## {name}", described, _parameters(info.callback)]
    return "\n\n".join(parts) + "\n"


def commands(within: typer.Typer, prefix: str = "bob") -> Iterator[tuple[str, Any]]:
    """Every command below an app with its full name, in the order of the help."""
    for info in within.registered_commands:
        yield f"{prefix} {info.name or getattr(info.callback, '__name__', '')}", info
    for group in within.registered_groups:
        if group.typer_instance is not None:
            name, own = f"{prefix} {group.name}", group.typer_instance.registered_callback
            if own is not None:
                # A group that is a command itself.
                yield name, own
            yield from commands(group.typer_instance, name)


def _parameters(callback: Any) -> str:
    hints = get_type_hints(callback, include_extras=True)
    rows = ["| argument or option | meaning |", "| --- | --- |"]
    for parameter in inspect.signature(callback).parameters.values():
        if hints[parameter.name] is typer.Context:
            continue
        kind, *extras = get_args(hints[parameter.name])
        info = next(each for each in extras if isinstance(each, ArgumentInfo | OptionInfo))
        rows.append(f"| {_spelled(parameter.name, kind, info)} | {_meaning(parameter, info)} |")
    return "\n".join(rows)


def _spelled(name: str, kind: Any, info: ArgumentInfo | OptionInfo) -> str:
    inner, is_list = inner_kind(kind)
    if isinstance(info, ArgumentInfo):
        return f"`{name.upper()}`" + ("…" if is_list else "")
    # Inside Annotated typer takes the first flag for the default, and puts it right when it builds a command.
    first = (info.default,) if isinstance(info.default, str) else ()
    flags = (*first, *(info.param_decls or ())) or (f"--{name.replace('_', '-')}",)
    value = "" if inner is bool else f" {info.metavar or _value_name(inner)}"
    return ", ".join(f"`{flag}{value}`" for flag in flags)


def _meaning(parameter: inspect.Parameter, info: ArgumentInfo | OptionInfo) -> str:
    meaning = (info.help or "").replace("|", "\\|")
    if info.min is not None or info.max is not None:
        meaning += f" Between {info.min} and {info.max}."
    default = parameter.default
    if default not in (None, False, inspect.Parameter.empty):
        meaning += f" Default: `{default.value if isinstance(default, Enum) else default}`."
    return meaning


def _value_name(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "\\|".join(str(each.value) for each in kind)
    return {int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")
