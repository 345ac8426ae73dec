"""Whether any text that a person writes hangs Bob: ignore files, settings, queries, notes, imports and more.

    python bench/hangs.py
    python bench/hangs.py --inputs 1000000 --seed 1 [--checkpoint FILE]
    python bench/hangs.py --long 100000

Without options one line for each hang that is known, with the seconds until it ended and the error that came.
`--inputs` gives so many made-up texts to the readers, by turns; begun again with the same checkpoint it
goes on. `--long` gives each reader runs of its own pieces of that length. Readers and texts are those of
`tests/written_texts.py` and `tests/known_hangs.py`. Each reads in a process of its own that is ended when it
takes far too long. Seconds are those of the processor, since a busy machine is no hang. The exit status is 1
if a text took more than one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from measure import options, show

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from known_hangs import KNOWN
from written_texts import ANYWHERE, READERS, Outcome, Reader, outcome_of

MOST_SECONDS = 1.0
_ENDED_AFTER = 60.0
"""Seconds on the clock after which a process is ended that no signal reaches."""

_SLICE_SECONDS = 2.0
_PROCESSES = 2
_BY_NAME = {each.name: each for each in READERS}
_FORK = get_context("fork")


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
        for text in (
            "a",
            "We decided to ring bells.",
            *(reader.framed("a", frame) for frame in reader.frames),
        ):
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

    def _lose(
        self, child: Child, name: str, number: int, children: dict[Connection, tuple[Child, str, int]]
    ) -> None:
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
            told = {"seed": self.seed, "readers": {name: vars(each) for name, each in self.tallies.items()}}
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
        print(
            f"{reader.name}: {tally.texts} runs, slowest {tally.slowest:.3f} s: {tally.slowest_text}",
            flush=True,
        )
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
