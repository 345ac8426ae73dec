"""How many seeded errors the typed checks of claims notice alone: `python bench/seeded.py TREE...`.

Sentences of real trees are made false in one place (`bob.eval.seeded`). Each is checked against the sentence
it was made of and the four around it, as they stand in their file. True sentences, untouched and said a
little differently, show how often the checks are wrong. Files fall into two halves by their names' hash; only
the development half may be looked at when the checks are changed (`--show KIND`), the other is reported.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import measure

from bob.answer.checks import Finding, check
from bob.answer.units import readable, units_of
from bob.eval.rephrase import rephrased
from bob.eval.seeded import KINDS, inject, names_of

_SUFFIXES = (".txt", ".rst", ".md", ".adoc")
_AROUND = 2
_FEWEST_WORDS, _MOST_WORDS = 6, 45
_POOL = 4000


@dataclass(frozen=True, slots=True)
class Case:
    """A true sentence as it reads, and the texts it is checked against: itself and its neighbours, raw."""

    sentence: str
    evidence: tuple[str, ...]


def cases(trees: list[Path], half: str) -> list[Case]:
    """The sentences of one half of the files, in an order that is always the same."""
    found: dict[str, Case] = {}
    for path in sorted(path for tree in trees for path in tree.rglob("*") if path.suffix in _SUFFIXES):
        development = hashlib.sha256(path.name.encode()).digest()[0] % 2 == 0
        if path.is_file() and development == (half == "development"):
            found |= {each.sentence: each for each in _cases_in(path)}
    kept = list(found.values())
    Random(1).shuffle(kept)
    return kept


def _cases_in(path: Path) -> Iterator[Case]:
    text = path.read_text(encoding="utf-8", errors="replace")
    quotes = [text[each.start : each.end] for each in units_of(text) if each.kind in ("prose", "item")]
    for at, quote in enumerate(quotes):
        said = readable(quote)
        if _FEWEST_WORDS <= len(said.split()) <= _MOST_WORDS and said.endswith(".") and said[0].isupper():
            yield Case(said, tuple(quotes[max(0, at - _AROUND) : at + _AROUND + 1]))


def row(half: str, name: str, claims: list[tuple[str, Case]], show: bool, wanted: bool) -> tuple[object, ...]:
    """How many of the claims have a finding; `wanted` says whether they should."""
    caught = 0
    began = time.process_time()
    for claim, case in claims:
        findings = check(claim, case.evidence)
        caught += bool(findings)
        if show and bool(findings) != wanted:
            _print(claim, case, findings)
    took = (time.process_time() - began) / max(len(claims), 1)
    return half, name, len(claims), caught, f"{caught / max(len(claims), 1):.1%}", f"{1000 * took:.2f}"


def _print(claim: str, case: Case, findings: list[Finding]) -> None:
    print(f"- {claim}\n  {case.sentence}", file=sys.stderr)
    for each in findings:
        print(f"    {each.kind} {each.outcome}: {each.reason}", file=sys.stderr)


def main() -> None:
    """Inject, rephrase, check, print."""
    arguments = measure.options(__doc__)
    arguments.add_argument("trees", type=Path, nargs="+")
    arguments.add_argument("--most", type=int, default=500, help="claims a kind and half")
    arguments.add_argument(
        "--show", default="", help="print the wrong ones of this kind, development half only"
    )
    chosen = arguments.parse_args()
    rows = []
    for half in ("development", "reported"):
        every = cases(chosen.trees, half)
        pool = names_of([each.sentence for each in every[:_POOL]])
        for kind in (*KINDS, "entity"):
            claims: list[tuple[str, Case]] = []
            for at, case in enumerate(every):
                near = names_of([readable(each) for each in case.evidence]) if kind == "entity" else pool
                made = inject(case.sentence, "name" if kind == "entity" else kind, Random(at), near)
                if made is not None and len(claims) < chosen.most:
                    claims.append((made.sentence, case))
            show = chosen.show == kind and half == "development"
            rows.append(row(half, kind, claims, show, True))
        show = half == "development"
        untouched = [(each.sentence, each) for each in every[: 2 * chosen.most]]
        rows.append(row(half, "untouched", untouched, show and chosen.show == "untouched", False))
        said = [(rephrased(each.sentence, Random(at)), each) for at, each in enumerate(every)]
        changed = [(claim, each) for claim, each in said if claim is not None][: 2 * chosen.most]
        rows.append(row(half, "rephrased", changed, show and chosen.show == "rephrased", False))
    columns = ("half", "claims", "count", "with a finding", "share", "CPU ms a claim")
    measure.show("seeded errors and true sentences, typed checks alone", columns, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
