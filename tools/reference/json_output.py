"""The JSON that commands print, by running them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from bob.cli.main import app
from reference.place import NOTICE, ROOT

_JSON_PROSE = """
Every command that prints data prints JSON with `--json`. The examples are real, over three of the [example
notes](../examples/notes). Times, sizes, versions and folders are made even; `retrieved`, `closest`, `results`
and `drifts` are cut to their first entry, `settings` to three. The JSON of the benchmark is shown in
[evaluate](../evaluate.md#public-benchmarks).
""".strip()


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
