"""What `bob health` finds of the faults that were planted in made-up vaults, and what else it finds."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path

from measure import options, show
from played_vault import compared, play
from seeded_vault import NOW, seeded_vault

from bob.engine import Engine
from bob.settings import load_settings

DEVELOPED_WITH = 1
"""The seed that the rules were written with; results are told for others."""


def main() -> None:
    """Run the bench."""
    parser = options(__doc__)
    parser.add_argument("--seeds", default="2,3", help="comma-separated")
    parser.add_argument("--notes", type=int, default=500)
    parser.add_argument("--verbose", action="store_true", help="list what was missed and what is false")
    chosen = parser.parse_args()
    rows = []
    for seed in (int(each) for each in chosen.seeds.split(",")):
        rows += run(seed, chosen.notes, chosen.verbose)
    head = ["seed", "rule", "planted", "found", "false"]
    show("health", head, rows, as_json=chosen.json)


def run(seed: int, notes: int, verbose: bool) -> list[list[object]]:
    """A row a rule, and one for all, of one vault."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        values = {"BOB_DATABASE": str(folder / "bob.db")}
        engine = Engine(load_settings(environment=values, home=folder, folder=folder).settings)
        expected = play(engine, seeded_vault(seed, notes), folder / "vault")
        began = time.perf_counter()
        report = engine.knowledge.check_health.run(NOW)
        seconds = time.perf_counter() - began
        result = compared(report, expected, folder / "vault")
        engine.close()
    if verbose:
        for name, listed in (("missed", result.missed), ("false", result.false)):
            for each in listed:
                print(name, each.rule, each.subject)
        print(f"seed {seed}: {seconds:.1f} s for {report.documents} documents, {report.answers} answers")
    planted = Counter(each.rule for each in expected)
    found = Counter(each.rule for each in expected) - Counter(each.rule for each in result.missed)
    false = Counter(each.rule for each in result.false)
    rows: list[list[object]] = [
        [seed, rule, planted[rule], found[rule], false[rule]] for rule in sorted({*planted, *false})
    ]
    share = false.total() / max(found.total() + false.total(), 1)
    rows.append([seed, "all", planted.total(), found.total(), f"{false.total()} ({share:.1%})"])
    return rows


if __name__ == "__main__":
    main()
