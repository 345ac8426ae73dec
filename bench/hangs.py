"""Whether any text that a person writes hangs Bob: ignore files, settings, queries, notes, imports and the rest.

    python bench/hangs.py
    python bench/hangs.py --inputs 1000000 --seed 1 [--checkpoint FILE]
    python bench/hangs.py --long 100000

Without options one line for each hang that is known, with the seconds until it ended and the error that came.
`--inputs` gives so many made-up texts to the readers, in turn by time; begun again with the same checkpoint it
goes on. `--long` gives each reader runs of its own pieces of that length. Readers and texts are those of
`tests/written_texts.py`. Each reads in a process of its own that is ended when it takes far too long. Seconds
are those of the processor, since a busy machine is no hang. The exit status is 1 if a text took more than one.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from measure import options, show

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from written_texts import ANYWHERE, READERS, Outcome, Reader, outcome_of

MOST_SECONDS = 1.0
_ENDED_AFTER = 60.0
"""Seconds on the clock after which a process is ended that no signal reaches."""

_SLICE_SECONDS = 2.0
_PROCESSES = 2
_BY_NAME = {each.name: each for each in READERS}
_FORK = get_context("fork")

_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{{', '.join(f'k{at}: *a{level - 1}' for at in range(9))}}}\n"
    for level in range(1, 12)
)
_LIST_BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12)
)
_CURSOR = base64.urlsafe_b64encode(b"[" * 7_000).decode().rstrip("=")

KNOWN: tuple[tuple[str, str, str], ...] = (
    ("stars in an ignore file", "ignore rules", "******************** build"),
    ("stars and letters in an ignore file", "ignore rules", "*a" * 30 + "*b"),
    ("brackets in the environment", "environment", "[" * 50_000),
    ("more stars than are read", "ignore rules", "drafts/\n" + "*a" * 33),
    ("folders of stars", "ignore rules", "**/" * 300 + "x"),
    ("classes in an ignore file", "ignore rules", "[a-z]*" * 31 + "1"),
    ("aliases in bob.yaml", "settings", _BOMB),
    ("brackets in bob.yaml", "settings", "search: " + "[" * 50_000),
    ("a number without end in bob.yaml", "settings", "search: {limit: " + "9" * 5_000 + "}"),
    ("merge keys in bob.yaml", "settings", "a: &a {b: 1}\nc: {<<: [" + "*a, " * 500 + "]}"),
    ("aliases of maps in front matter", "front matter", _BOMB),
    ("aliases of lists in front matter", "front matter", _LIST_BOMB),
    ("brackets in front matter", "front matter", "a: " + "[" * 50_000),
    ("tables in TOML", "front matter", "a = " + "[" * 50_000),
    ("dots in TOML", "front matter", "a." * 20_000 + "b = 1"),
    ("lists in front matter", "front matter", "- " * 20_000),
    ("aliases in a YAML file", "YAML", _BOMB),
    ("brackets in a JSON file", "JSON", "[" * 100_000),
    ("aliases in a template", "note template", f"---\n{_BOMB}---\n"),
    ("brackets in a template", "note template", "---\na: " + "[" * 20_000 + "\n---\n"),
    ("braces in a template", "note template", "---\nowner: x\n---\n" + "{{" * 20_000),
    (
        "places that double in a template",
        "note template",
        "---\na0: x\n" + "".join(f"a{at}: '{{{{a{at - 1}}}}}{{{{a{at - 1}}}}}'\n" for at in range(1, 60)) + "---\n",
    ),
    ("places in a template", "note template", "---\nowner: '" + "{{title}}" * 2_000 + "'\n---\n{{owner}}"),
    ("a query of brackets", "query", "(" * 9_999),
    ("a query of quotes", "query", '"' * 9_999),
    ("a query of minuses", "query", "-" * 9_999),
    ("filters without end", "query", "project:x " * 999),
    ("keys without values", "query", "project:" * 1_200),
    ("a day of many figures", "query", "before:" + "9" * 9_000),
    ("words with stars", "query", "a*" * 4_900),
    ("a long question", "question", "what is a " * 900),
    ("spaces in a question", "question", "what is a" + " " * 9_000 + "x"),
    ("dates", "dates", "1 of " * 5_000),
    ("numbers in place of dates", "dates", "2026-" * 5_000),
    ("brackets in SQL", "SQL", "select " + "(" * 4_000 + "1" + ")" * 4_000),
    ("conditions in SQL", "SQL", "select title from work_items where " + "not " * 900 + "1 = 1"),
    ("cases in SQL", "SQL", "select " + "case when 1=1 then " * 150 + "1" + " end" * 150),
    ("unions in SQL", "SQL", "select 1 " + "union select 1 " * 180),
    ("brackets in a cursor", "cursor", _CURSOR),
    ("brackets of links", "links", "[" * 50_000 + "](" * 10_000),
    ("wiki links", "links", "[[" * 50_000),
    ("spaces after a link's bracket", "links", "[a](" + " " * 50_000),
    ("quotations in quotations", "Markdown", "> " * 10_000 + "x"),
    ("lists in lists", "Markdown", "".join("  " * at + "- x\n" for at in range(300))),
    ("emphasis", "Markdown", "*a **b " * 10_000),
    ("images in links", "Markdown", "![" * 20_000 + "](" * 20_000),
    ("tags in tags", "HTML", "<div>" * 50_000),
    ("tables in tables", "HTML", "<table><tr><td>" * 10_000),
    ("comments without end", "HTML", "<!--" * 50_000),
    ("attributes", "HTML", "<a " + "b='c' " * 30_000 + ">"),
    ("a quote that never ends", "CSV", '"' + "a,b\n" * 20_000),
    ("quotes in an import", "work items, CSV", "id,title\n" + '1,"' * 10_000),
    ("columns in an import", "work items, CSV", "id,title" + ",a" * 50_000 + "\n1,x\n"),
    ("brackets in an import", "work items, GitHub", "[" * 100_000),
    ("folders in bookmarks", "bookmarks", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n" + "<DL><p><H3>a</H3>" * 10_000),
    ("brackets in bookmarks", "bookmarks", '{"roots":' + '{"children":[' * 20_000),
    ("a highlight of brackets", "highlights, JSON", '[{"highlights":' * 10_000),
    ("clippings without words", "highlights, clippings", "==========\n" * 10_000),
    ("a transcript of one line", "transcript", "User: " * 20_000),
    ("a recipe of marks", "recipe", "@a{" * 20_000 + "[-" * 10_000),
    ("a mail of rules", "mail", "From: a@b\n\n" + "-" * 50_000 + "\n" + "> " * 20_000),
    ("parts of a mail", "mail", "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\n" * 20_000),
    ("decisions and figures", "decisions", "# ADR-3: Bells\n\n## Status\n\n" + "0" * 20_000),
    ("spaces in a decision", "decisions", "We decided to ring" + " " * 20_000 + "because"),
    ("keys in a message", "secrets", "password=" * 10_000),
    ("marks of citations", "draft", "[1]" * 3_000),
    ("an emphatic draft", "draft", "**a** " * 3_000),
    ("figures in a claim", "claim", "1,000.5 % " * 200),
    ("stops", "language", "!" * 20_000),
    ("tags that look alike", "containment", "</ source " * 3_000),
    ("what nobody sees", "containment", "\U000e0041" * 20_000),
    ("marks of a persona", "persona corpus", "<!-- facet:" + " " * 20_000),
    ("a comment in a client's settings", "client settings", "/*a" * 20_000),
)  # fmt: skip


@dataclass
class Tally:
    """What became of the texts of one reader."""

    texts: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_text: str = ""
    errors: Counter[str] = field(default_factory=Counter)
    slow: list[tuple[float, str, str]] = field(default_factory=list)

    def add(self, outcome: Outcome, named: str) -> None:
        """Count one; `named` is how the text is found again."""
        self.texts += 1
        self.seconds += outcome.seconds
        self.errors[outcome.error] += 1
        if outcome.seconds > self.slowest:
            self.slowest, self.slowest_text = outcome.seconds, named
        if outcome.seconds > MOST_SECONDS:
            self.slow.append((outcome.seconds, named, outcome.said))


class Child:
    """A process that gives texts to readers, one that was forked after all of them were imported."""

    def __init__(self, work: Callable[[Connection], None]) -> None:
        self.pipe, theirs = _FORK.Pipe()
        self.process = _FORK.Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.since = time.monotonic()

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def in_child(reader: Reader, text: str, limit: float = 5.0) -> Outcome:
    """What becomes of the text in a process of its own."""
    child = Child(lambda pipe: pipe.send(outcome_of(reader, text, limit)))
    try:
        if child.pipe.poll(_ENDED_AFTER):
            outcome: Outcome = child.pipe.recv()
            return outcome
    except EOFError:
        return Outcome(time.monotonic() - child.since, "died")
    finally:
        child.end()
    return Outcome(_ENDED_AFTER, "no end")


def warm() -> None:
    """Import what the readers need, so that no text pays for it."""
    for reader in READERS:
        for text in ("a", "We decided to ring bells.", *(reader.framed("a", frame) for frame in reader.frames)):
            outcome_of(reader, text)


def known(lines: Sequence[tuple[str, str, str]] = KNOWN) -> list[tuple[str, str, Outcome]]:
    """Each known hang, and what became of it."""
    return [(what, name, in_child(_BY_NAME[name], text)) for what, name, text in lines]


def long_runs(reader: Reader, length: int) -> Iterator[tuple[str, str]]:
    """Runs of the reader's pieces, alone and in pairs, by how they are named."""
    pieces = dict.fromkeys((*reader.pieces, *ANYWHERE))
    units = [*pieces, *(a + b for a, b in product(list(pieces)[:16], ("a", " ", "\n", "1")))]
    for unit in dict.fromkeys(units):
        yield repr(unit), unit * (length // len(unit))
        yield f"a line of {unit!r}", "a" + unit * (length // len(unit)) + "!"


def _give(pipe: Connection) -> None:
    """Give texts to readers until the pipe is closed: (name, seed, first) comes, tallies go back. Each text
    is announced by its number, so that one from which nobody returns is known."""
    while True:
        try:
            name, seed, first, most = pipe.recv()
        except EOFError:
            return
        reader, number = _BY_NAME[name], first
        end = time.process_time() + _SLICE_SECONDS
        tally = Tally()
        while tally.texts < most and time.process_time() < end:
            text = reader.text(seed, number)
            if tally.texts % 50 == 0 or len(text) > 1_000:
                pipe.send(number)
            tally.add(outcome_of(reader, text), str(number))
            number += 1
        pipe.send(tally)


class Fuzz:
    """Gives made-up texts to all readers, in turn, in two processes."""

    def __init__(self, seed: int, checkpoint: Path | None) -> None:
        self.seed = seed
        self._checkpoint = checkpoint
        self.tallies = {each.name: Tally() for each in READERS}
        if checkpoint is not None and checkpoint.exists():
            kept = json.loads(checkpoint.read_text())
            if kept["seed"] != seed:
                raise SystemExit(f"{checkpoint} is of seed {kept['seed']}")
            for name, values in kept["readers"].items():
                if name in self.tallies:
                    self.tallies[name] = Tally(**values | {"errors": Counter(values["errors"])})

    @property
    def texts(self) -> int:
        """How many there were, in all."""
        return sum(each.texts for each in self.tallies.values())

    def run(self, inputs: int) -> None:
        """Go on until there were so many."""
        children: dict[Connection, tuple[Child, str, int]] = {}
        try:
            for _ in range(_PROCESSES):
                self._start(Child(_give), children)
            while self.texts < inputs and children:
                for pipe in wait(list(children), timeout=1):
                    self._hear(pipe, children)  # type: ignore[arg-type]
                for child, name, number in list(children.values()):
                    if time.monotonic() - child.since > _ENDED_AFTER:
                        self._lose(child, name, number, children)
        finally:
            for child, _, _ in children.values():
                child.end()
            self._keep()

    def _start(self, child: Child, children: dict[Connection, tuple[Child, str, int]]) -> None:
        """Give a child the reader that had least time so far, and is with no other."""
        taken = {name for _, name, _ in children.values()}
        free = [each for each in self.tallies if each not in taken]
        name = min(free, key=lambda each: self.tallies[each].seconds + self.tallies[each].texts / 3_000)
        first = self.tallies[name].texts
        child.since = time.monotonic()
        child.pipe.send((name, self.seed, first, 5_000))
        children[child.pipe] = (child, name, first)

    def _hear(self, pipe: Connection, children: dict[Connection, tuple[Child, str, int]]) -> None:
        child, name, number = children[pipe]
        try:
            told = pipe.recv()
        except (EOFError, ConnectionError):
            self._lose(child, name, number, children)
            return
        child.since = time.monotonic()
        if isinstance(told, int):
            children[pipe] = (child, name, told)
            return
        self._add(name, told)
        del children[pipe]
        self._start(child, children)

    def _lose(self, child: Child, name: str, number: int, children: dict[Connection, tuple[Child, str, int]]) -> None:
        """End a child that does not come back, and go on behind its text."""
        child.end()
        del children[child.pipe]
        tally = self.tallies[name]
        tally.texts = max(number, tally.texts)
        tally.add(Outcome(_ENDED_AFTER, "no end", "not to be ended by a signal"), str(number))
        self._start(Child(_give), children)

    def _add(self, name: str, found: Tally) -> None:
        tally = self.tallies[name]
        tally.texts += found.texts
        tally.seconds += found.seconds
        tally.errors.update(found.errors)
        tally.slow += found.slow
        if found.slowest > tally.slowest:
            tally.slowest, tally.slowest_text = found.slowest, found.slowest_text
        self._keep()

    def _keep(self) -> None:
        if self._checkpoint is not None:
            told = {"seed": self.seed, "readers": {name: asdict(each) for name, each in self.tallies.items()}}
            new = self._checkpoint.with_suffix(".new")
            new.write_text(json.dumps(told, indent=1))
            new.replace(self._checkpoint)


def _show_known(found: Sequence[tuple[str, str, Outcome]]) -> bool:
    for what, name, outcome in found:
        said = " ".join(outcome.said.split())
        error = f"{outcome.error}: {said[:140]}" if outcome.error else "no error"
        print(f"{outcome.seconds:7.3f} s  {name}: {what}: {error}")
    slow = [what for what, _, outcome in found if outcome.seconds > MOST_SECONDS]
    print(f"{len(found)} known hangs; above {MOST_SECONDS:g} s: {', '.join(slow) or 'none'}")
    return bool(slow)


def _show_long(length: int, names: Sequence[str]) -> bool:
    slow = 0
    for reader in READERS:
        if names and reader.name not in names:
            continue
        tally = Tally()
        for named, text in long_runs(reader, length):
            outcome = in_child(reader, text, limit=2 * MOST_SECONDS)
            tally.add(outcome, named)
            if outcome.seconds > MOST_SECONDS:
                print(f"  {outcome.seconds:7.3f} s  {reader.name}: {named} {outcome.said}", flush=True)
        print(f"{reader.name}: {tally.texts} runs, slowest {tally.slowest:.3f} s: {tally.slowest_text}", flush=True)
        slow += len(tally.slow)
    return bool(slow)


def _show_fuzz(fuzz: Fuzz, as_json: bool) -> bool:
    rows = [
        (
            name,
            each.texts,
            f"{each.seconds:.0f}",
            f"{each.slowest:.3f}",
            each.slowest_text,
            ", ".join(f"{error or 'none'} {count}" for error, count in each.errors.most_common()),
        )
        for name, each in fuzz.tallies.items()
    ]
    show("hangs", ["reader", "texts", "seconds", "slowest", "number", "errors"], rows, as_json=as_json)
    slow = [(name, *each) for name, tally in fuzz.tallies.items() for each in tally.slow]
    for each in slow:
        print(*each, file=sys.stderr)
    print(f"{fuzz.texts} texts; above {MOST_SECONDS:g} s: {len(slow)}", file=sys.stderr)
    return bool(slow)


def _given() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--inputs", type=int, help="how many made-up texts, those of the checkpoint included")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoint", type=Path, help="where to keep what was found, and go on from")
    parser.add_argument("--long", type=int, help="give runs of so many characters")
    parser.add_argument("--reader", action="append", default=[], help="with --long: only these")
    return parser.parse_args()


def main() -> None:
    """See the module."""
    given = _given()
    warm()
    if given.long:
        raise SystemExit(_show_long(given.long, given.reader))
    if given.inputs is None:
        raise SystemExit(_show_known(known()))
    fuzz = Fuzz(given.seed, given.checkpoint)
    fuzz.run(given.inputs)
    raise SystemExit(_show_fuzz(fuzz, given.json))


if __name__ == "__main__":
    main()
