"""Claims as drafts make them, about documents: which wrong ones pass, and which true ones are flagged.

    python bench/drafts.py FOLDER [--set paraphrases] [--part test]

FOLDER holds the corpora that `python bench/judgement.py build FOLDER` wrote for the sets `fresh`,
`everyday`, `strangers` and `judgement`. Each claim of `data/drafts`, `data/paraphrases` or
`data/strangers/claims` is verified by itself against its corpus, as `bob verify` does: by rules, and with the
verifier. The baseline is the share of its words that the nearest source has, with the threshold that is best
for these very claims.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measure
from json_lines import records_in

from bob import Bob
from bob.app.settings import Settings
from bob.evaluation.claim_sets import auroc, balanced_accuracy

DATA = Path(__file__).parent / "data"
SETS = {
    "drafts": {"dev": ("cairn", "restic", "small-company"), "test": ("agency", "council", "privacy")},
    "paraphrases": {
        "dev": ("company", "embedded", "httpx", "learned", "minutes", "steering", "wiki"),
        "test": ("budget", "build-group", "developer-docs", "guides", "privacy", "shell", "small-company"),
    },
    "strangers/claims": {
        "dev": ("recipes", "quality-guides"),
        "test": ("finances", "technical-council"),
    },
}
"""The corpora of each folder, half of them set aside."""


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict."""

    claim: dict[str, Any]
    holds: bool
    score: float
    words: float

    @property
    def true(self) -> bool:
        """Whether the documents bear the claim out."""
        return bool(self.claim["true"])

    @property
    def kind(self) -> str:
        """What kind of true or wrong claim it is."""
        return f"{'true' if self.true else 'wrong'}: {self.claim['kind']}"


def judged(folder: Path, name: str, part: str, cache: Path, judge: str) -> Iterator[Judged]:
    """Each claim of a part of a set with its verdict."""
    for corpus in SETS[name][part]:
        database = str(cache / f"drafts-{corpus}.db")
        settings = Settings.model_validate({"database": database, "answer": {"judge": judge}})
        with Bob(settings=settings) as bob:
            bob.index(folder / corpus)
            for claim in records_in(DATA / name / f"{corpus}.jsonl"):
                verdicts = [verified.judgement for verified in bob.verify(claim["claim"]).claims]
                worst = min(verdicts, key=lambda verdict: verdict.score)
                words = (worst.signals or {}).get("words_in_one", 0.0)
                holds = all(verdict.holds for verdict in verdicts)
                yield Judged(claim, holds, worst.score, words)


def figures(claims: Sequence[Judged], holds: Sequence[bool], scores: Sequence[float]) -> list[str]:
    """What passes and what is flagged, balanced accuracy and AUROC."""
    labels = [claim.true for claim in claims]
    passed = sum(hold and not label for hold, label in zip(holds, labels, strict=True))
    flagged = sum(label and not hold for hold, label in zip(holds, labels, strict=True))
    shares = balanced_accuracy(labels, holds), auroc(labels, scores)
    counts = [f"{passed} of {len(labels) - sum(labels)}", f"{flagged} of {sum(labels)}"]
    return [*counts, *(f"{share:.3f}" for share in shares if share is not None)]


def by_words(claims: Sequence[Judged]) -> list[str]:
    """The same by words in common alone, at their best threshold."""
    labels, shares = [claim.true for claim in claims], [claim.words for claim in claims]
    least = max(set(shares), key=lambda each: balanced_accuracy(labels, [s >= each for s in shares]) or 0)
    return figures(claims, [share >= least for share in shares], shares)


def main() -> None:
    """Verify, and print by judge and by kind of claim."""
    parser = measure.options(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", choices=sorted(SETS), default="drafts")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--cache", type=Path, default=measure.DEFAULT_CACHE)
    chosen = parser.parse_args()
    if missing := [name for name in SETS[chosen.set][chosen.part] if not (chosen.folder / name).is_dir()]:
        parser.error(f"{chosen.folder} has no {', '.join(missing)}: bench/judgement.py build makes them")
    chosen.cache.mkdir(parents=True, exist_ok=True)
    rows, kinds = [], defaultdict[str, list[str]](list)
    for name, judge in (("rules", "rules"), ("with the verifier", "model")):
        claims = list(judged(chosen.folder, chosen.set, chosen.part, chosen.cache, judge))
        holds, scores = [claim.holds for claim in claims], [claim.score for claim in claims]
        rows.append([name, *figures(claims, holds, scores)])
        for kind in sorted({claim.kind for claim in claims}):
            right = [claim.holds is claim.true for claim in claims if claim.kind == kind]
            kinds[kind].append(f"{sum(right)} of {len(right)}")
    rows.append(["words in common", *by_words(claims)])
    head = ["judge", "wrong that pass", "true that are flagged", "balanced accuracy", "AUROC"]
    measure.show(f"Claims of {chosen.set}, {chosen.part}", head, rows, as_json=chosen.json)
    told = [[kind, *counts] for kind, counts in kinds.items()]
    measure.show("Judged rightly", ["kind", "rules", "with the verifier"], told, as_json=chosen.json)


if __name__ == "__main__":
    main()
