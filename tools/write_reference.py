"""Writes the reference pages and `bob.yaml.example` from the code itself, so that they cannot disagree.

    python tools/write_reference.py           # write
    python tools/write_reference.py --check   # write nothing; exit code 1 if a file is not current

What a machine or a day decides (times, sizes, versions, places) is written as a fixed value.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
import yaml
from pydantic import SecretStr
from pydantic.fields import FieldInfo
from typer.models import ArgumentInfo, OptionInfo
from typer.testing import CliRunner

from bob.cli.main import app
from bob.domain.locator import Locator, locator_to_json
from bob.ingest.builtin import ADVICE
from bob.ingest.registry import ENTRY_POINT_GROUP, ParserRegistry
from bob.ingest.source import LocalFile
from bob.settings import ENVIRONMENT_PREFIX, known_keys

ROOT = Path(__file__).parents[1]
COMMAND = "python tools/write_reference.py"
NOTICE = f"<!-- Written by `{COMMAND}`; change the code, not this page. -->"

_DECIMAL = re.compile(r"\d+(?:\.\d+)+")
_SAMPLES = ROOT / "tests" / "data"
_SAMPLE_OF = {
    "markdown": "text/notes.md",
    "plain": "text/letter.txt",
    "restructured": "text/guide.rst",
    "html": "text/page.html",
    "code": "text/stock.py",
    "config": "text/settings.toml",
    "csv": "text/plants.csv",
    "notebook": "text/rain.ipynb",
    "recipe": "text/soup.cook",
    "pdf": "parts/rules.pdf",
    "word": "parts/move.docx",
    "excel": "parts/hours.xlsx",
    "powerpoint": "parts/season.pptx",
    "epub": "parts/light.epub",
    "mail": "parts/timetable.eml",
}
"""A small file for each parser, from which its page shows a real locator."""

_COMMANDS_PROSE = """
`bob --help` and `bob COMMAND --help` show the same. Exit codes: 0 done; 1 nothing found (`ask`, `search`),
or a check failed (`doctor`, `eval`); 2 wrong usage or bad input; 3 finished, but some files or jobs failed;
4 the database or the model cannot be used; 130 interrupted.
""".strip()

_SETTINGS_PROSE = """
Nothing has to be set. Values come from four places, and the later one wins key by key:

1. the defaults below;
2. `~/.config/bob/bob.yaml`;
3. `bob.yaml` in the working folder, or the file that `--config` names;
4. environment variables: KEY is VARIABLE.

`bob config` prints the values in force and where each comes from. An unknown key or a bad value is an error
that names the key, the file and what is allowed. `bob.yaml.example`, at the top of the repository, has
every key.
""".strip()

_EXAMPLE_PROSE = """
# Settings of Bob: every key at its default. Copy this file to ~/.config/bob/bob.yaml, or to bob.yaml in the
# folder where you work. To change a value, remove the # before its line and before the line of its group.
""".strip()

_FORMATS_PROSE = """
The end of a file's name chooses the parser; a `.gz` after it makes no difference. Files that no parser
takes are passed over, and `bob index` counts them.
""".strip()

_LOCATORS_PROSE = """
A locator says where a piece of text stands. Its JSON has the `kind` and the keys below; keys with a
question mark may be missing. The text at a locator is the text that was quoted, to the byte: for `lines` in
the decoded file, for all others in the extracted text of the part that `part` counts, from 0.
""".strip()

_JSON_PROSE = """
Every command that prints data prints JSON with `--json`. The examples are real, over three of the [example
notes](../examples/notes). Times, sizes, versions and folders are made even; `retrieved`, `closest`, `results`
and `drifts` are cut to their first entry, `settings` to three. The JSON of the benchmark is shown in
[measuring](../measure.md).
""".strip()


def pages() -> dict[Path, str]:
    """Every generated file with its content."""
    reference = ROOT / "docs" / "reference"
    return {
        reference / "cli.md": cli_page(),
        reference / "settings.md": settings_page(),
        reference / "formats.md": formats_page(),
        reference / "json.md": json_page(),
        ROOT / "bob.yaml.example": settings_example(),
    }


def stale() -> list[Path]:
    """The generated files that are not what the code says."""
    return [path for path, content in pages().items() if not _current(path, content)]


def _current(path: Path, content: str) -> bool:
    if not path.is_file():
        return False
    written = path.read_text(encoding="utf-8")
    if path.name == "json.md":
        # The last digits of a score differ between processors.
        return _DECIMAL.sub("0.0", written) == _DECIMAL.sub("0.0", content)
    return written == content


# The command line


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
            yield from commands(group.typer_instance, f"{prefix} {group.name}")


def _parameters(callback: Any) -> str:
    hints = get_type_hints(callback, include_extras=True)
    rows = ["| argument or option | meaning |", "| --- | --- |"]
    for parameter in inspect.signature(callback).parameters.values():
        kind, *extras = get_args(hints[parameter.name])
        info = next(each for each in extras if isinstance(each, ArgumentInfo | OptionInfo))
        rows.append(f"| {_spelled(parameter.name, kind, info)} | {_meaning(parameter, info)} |")
    return "\n".join(rows)


def _spelled(name: str, kind: Any, info: ArgumentInfo | OptionInfo) -> str:
    inner, is_list = _inner(kind)
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


def _inner(kind: Any) -> tuple[Any, bool]:
    """The type without `None` and `list`, and whether it was a list."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)


def _value_name(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "\\|".join(str(each.value) for each in kind)
    return {int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


# Settings


def settings_page() -> str:
    """Every setting with its default and bounds."""
    rows = ["| key | default | allowed | meaning |", "| --- | --- | --- | --- |"]
    for key, field in known_keys().items():
        default = _yaml(_default(field)).replace("|", "\\|")
        rows.append(f"| `{key}` | `{default}` | {_allowed(field)} | {field.description} |")
    nested = next(key for key in known_keys() if "." in key)
    variable = ENVIRONMENT_PREFIX + nested.upper().replace(".", "__")
    return (
        "\n\n".join(
            [
                NOTICE,
                "# Settings",
                _SETTINGS_PROSE.replace("KEY", f"`{nested}`").replace("VARIABLE", f"`{variable}`"),
                "\n".join(rows),
            ]
        )
        + "\n"
    )


def settings_example() -> str:
    """A settings file with every key commented out at its default."""
    lines = [_EXAMPLE_PROSE]
    group = ""
    for key, field in known_keys().items():
        *parents, name = key.split(".")
        if ".".join(parents) != group:
            group = ".".join(parents)
            lines += ["", f"#{group}:"]
        indent = "  " * len(parents)
        allowed = _allowed(field)
        lines += [] if parents else [""]
        lines += [
            f"{indent}# {field.description}" + (f" Allowed: {allowed.replace('`', '')}." if allowed else "")
        ]
        lines += [f"#{indent}{name}: {_yaml(_default(field))}".replace(": null", ":")]
    return "\n".join(lines) + "\n"


def _default(field: FieldInfo) -> Any:
    default = field.get_default(call_default_factory=True)
    return default.get_secret_value() if isinstance(default, SecretStr) else default


def _yaml(value: Any) -> str:
    plain = str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value
    return yaml.safe_dump(plain, default_flow_style=True).removesuffix("\n").removesuffix("\n...")


def _allowed(field: FieldInfo) -> str:
    kind, _ = _inner(field.annotation)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{each}`" for each in get_args(kind))
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than", "pattern": "like"}
    found = [
        f"{said} {f'`{bound}`' if name == 'pattern' else bound}"
        for each in field.metadata
        for name, said in words.items()
        if (bound := getattr(each, name, None)) is not None
    ]
    return ", ".join(found)


# Formats


def formats_page() -> str:
    """Every parser with its endings and a real locator, the kinds of locators, and what is refused why."""
    registry = ParserRegistry(plug_ins=[])
    parsers = ["| parser | what it reads | files | locator |", "| --- | --- | --- | --- |"]
    for row in registry.describe():
        sample = _SAMPLES / _SAMPLE_OF[row.name]
        parser = registry.parser_for(sample)
        assert parser is not None, f"{row.name}: the parser does not load"
        takes = _first_line(type(parser))
        locator = parser.parse(LocalFile(sample)).sections[-1].locator
        files = " ".join(f"`{ending}`" for ending in row.suffixes)
        parsers.append(f"| {row.name} | {takes} | {files} | `{locator.kind}` |")
    kinds = ["| kind | points at | keys |", "| --- | --- | --- |"]
    for kind in get_args(Locator):
        keys = ", ".join(f"`{each.name}`" + ("" if each.default is MISSING else "?") for each in fields(kind))
        kinds.append(f"| `{kind.kind}` | {_first_line(kind)} | {keys} |")
    advice = ["| ending | what Bob says |", "| --- | --- |"]
    advice += [f"| `{ending}` | {said} |" for ending, said in ADVICE.items()]
    return (
        "\n\n".join(
            [
                NOTICE,
                "# Formats",
                _FORMATS_PROSE,
                "\n".join(parsers),
                f"Packages add parsers through the entry-point group `{ENTRY_POINT_GROUP}`: see "
                "[parsers](../parsers.md).",
                "## Locators",
                _LOCATORS_PROSE,
                "\n".join(kinds),
                "Real examples:",
                "```json\n" + "\n".join(_sample_locators(registry)) + "\n```",
                "## Known, but not read",
                "These are documents to their owner, so Bob reports each as a failure.",
                "\n".join(advice),
            ]
        )
        + "\n"
    )


def _first_line(documented: object) -> str:
    paragraph = (inspect.getdoc(documented) or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def _sample_locators(registry: ParserRegistry) -> Iterator[str]:
    shown: set[str] = set()
    for sample in _SAMPLE_OF.values():
        parser = registry.parser_for(_SAMPLES / sample)
        assert parser is not None
        locator = parser.parse(LocalFile(_SAMPLES / sample)).sections[-1].locator
        if locator.kind not in shown:
            shown.add(locator.kind)
            yield json.dumps(locator_to_json(locator), ensure_ascii=False)


# JSON

# Text formats only: they are read in one process and so in order, which makes all ids the same each time.
_JSON_FILES = ("rules.md", "watering.md", "plots.csv")
_JSON_COMMANDS = (
    ("bob index notes", "What one run did. With several folders it is a list of such objects."),
    (
        'bob ask "When are petrol mowers not used?"',
        "An answer. `found` is false when no source answers: then `answer` is the sentence «Not found in "
        "sources.», `claims` and `sources` are empty, and `audit.closest` has what came nearest.",
    ),
    (
        'bob ask "What is the wifi password?"',
        "A question that no source answers; the exit code is 1.",
    ),
    ("bob feedback 2 didnt-answer", "What was noted."),
    ("bob feedback", "The last answers, newest first, with the feedback on each."),
    ("bob feedback 1", "One answer; `answer` is what `bob ask` printed."),
    ('bob search "rainwater tank" --limit 1', "Search results, best first."),
    (
        "bob eval golden suggest --limit 2 --out golden.jsonl",
        "Drafted questions; without `--json` each is a line.",
    ),
    (
        "bob eval run golden.jsonl --unconfirmed",
        "A run with the result of each question; `failed` says which limits it does not hold.",
    ),
    ("bob eval runs", "Stored runs, newest first. `bob eval runs 1` adds `results`, as of `bob eval run`."),
    (
        "bob eval compare 1 1",
        "Two runs compared. Pairs are before and after; `kind` is `regressed`, `improved`, `changed`, "
        "`added`, `removed` or `same`.",
    ),
    ("bob status", "What the index holds."),
    ("bob doctor", "The checks of all parts."),
    ("bob config", "Every setting with its origin; here the first three."),
    ("bob retry", "One report for each indexed folder, as of `bob index`; nothing when nothing has failed."),
    ("bob rebuild --yes", "One report for each indexed folder, as of `bob index`."),
    ("bob index notes --remove", "How many documents were taken out of the index, by folder."),
)
_SHOWN_KEYS = 3
_CUT = frozenset({"retrieved", "closest", "results", "drifts"})
_MOMENTS = frozenset({"asked_at", "given_at", "started_at"})
_SHORT_LIST = re.compile(r"\[\s+[^\[\]{}]{1,60}\]")


def json_page() -> str:
    """The JSON that each command prints, over three of the example notes."""
    parts = [
        NOTICE,
        "# JSON",
        _JSON_PROSE,
    ]
    with _memory() as place:
        for command, meaning in _JSON_COMMANDS:
            printed = _run(command, place)
            parts += [f"## `{command}`", meaning]
            parts += [f"```json\n{printed}\n```"] if printed else []
    return "\n\n".join(parts) + "\n"


@contextlib.contextmanager
def _memory() -> Iterator[Path]:
    """A temporary folder as home and working folder, with three notes of a known age."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("BOB_", "XDG_"))}
    home = os.environ.get("HOME")
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        place = Path(made).resolve()
        for name in _JSON_FILES:
            target = place / "notes" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / "docs" / "examples" / "notes" / name, target)
            os.utime(target, (1.75e9, 1.75e9))
        os.environ["HOME"] = made
        # Else the example would be outdated one day.
        os.environ["BOB_ANSWER__OUTDATED_AFTER_DAYS"] = "36500"
        try:
            yield place
        finally:
            del os.environ["BOB_ANSWER__OUTDATED_AFTER_DAYS"]
            os.environ.update(kept)
            if home is not None:
                os.environ["HOME"] = home


def _run(command: str, place: Path) -> str:
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)][1:]
    result = CliRunner().invoke(app, [*words, "--json"])
    if not result.stdout:
        return ""
    value = _even(json.loads(result.stdout), str(place))
    if command == "bob config":
        value = dict(list(value.items())[:_SHOWN_KEYS])
    printed = json.dumps(value, ensure_ascii=False, indent=2)
    return _SHORT_LIST.sub(
        lambda match: " ".join(match[0].split()).replace("[ ", "[").replace(" ]", "]"), printed
    )


def _even(value: Any, place: str, key: str = "") -> Any:
    """The value without what differs from run to run and from machine to machine."""
    if key == "settings":
        value = dict(list(value.items())[:_SHOWN_KEYS])
    if isinstance(value, dict):
        return {_even(name, place): _even(each, place, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_even(each, place, key) for each in (value[:1] if key in _CUT else value)]
    if isinstance(value, float) and key.endswith("seconds"):
        return 0.01
    if key in _MOMENTS:
        return "2025-06-15T12:00:00+00:00"
    if key == "bytes":
        return 200_000
    if isinstance(value, str):
        even = value.replace(place, "/home/you")
        return re.sub(r"(Python|SQLite) [\d.]+\w*", r"\1 3.0", even)
    return value


def main() -> None:
    """Write the files, or say which are not current."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is stale")
    if parser.parse_args().check:
        wrong = stale()
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is not current: {COMMAND}")
        sys.exit(bool(wrong))
    for path, content in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _current(path, content):
            path.write_text(content, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
