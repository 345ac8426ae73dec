"""Which statements of drafts are taken for claims: of mails, minutes, reports, briefings, replies and notes.

    python bench/statements.py [--part first]

The baseline takes every sentence, line and item for a claim, as a draft has them in Markdown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import measure
from json_lines import records_in

from bob.answers.claims.draft_blocks import blocks_of
from bob.answers.claims.draft_claims import claims_of
from bob.text.sentences import sentence_ranges

DATA = Path(__file__).parent / "data" / "statements"
PARTS = ("reserved", "first", "second")
_TASK_BOX = re.compile(r"\[[ xX]\]")
_WORD = re.compile(r"[^\W_]+")
_COVERED = 0.4
"""A claim that is cut into parts is found if a part has this share of its characters."""


def words(text: str) -> str:
    """A text without marks and capitals, with a blank at both ends."""
    return f" {' '.join(_WORD.findall(_TASK_BOX.sub('', text).lower()))} "


def claimed(draft: str) -> list[str]:
    """What Bob checks of a document."""
    return [draft[claim.start : claim.end] for claim in claims_of(draft, is_document=True)]


def every_sentence(draft: str) -> list[str]:
    """The baseline."""
    blocks, _ = blocks_of(draft)
    texts = ("\n".join(draft[start:end] for start, end in block.segments) for block in blocks)
    return [text[start:end] for text in texts for start, end in sentence_ranges(text)]


def counted(drafts: Sequence[dict[str, Any]], claims_in: Callable[[str], Sequence[str]]) -> Counter[str]:
    """How many claims are missed and how many other statements are taken for claims, by language."""
    counts: Counter[str] = Counter()
    for draft in drafts:
        language, found = draft["language"], list(map(words, claims_in(draft["draft"])))
        claims = [words(claim) for claim in draft["claims"]]
        for claim in filter(str.strip, claims):
            is_found = any(
                claim in part or (part in claim and len(part) >= _COVERED * len(claim)) for part in found
            )
            counts[f"claims {language}"] += 1
            counts[f"missed {language}"] += not is_found
        for statement in filter(str.strip, map(words, draft["nothing"])):
            is_taken = any(statement in part or part in statement for part in found if part.strip())
            is_part_of_claim = any(statement in claim for claim in claims)
            counts[f"nothing {language}"] += 1
            counts[f"taken {language}"] += is_taken and not is_part_of_claim
    return counts


def main() -> None:
    """Print both by language."""
    parser = measure.options(__doc__)
    parser.add_argument("--part", choices=PARTS, default=PARTS[0])
    chosen = parser.parse_args()
    drafts = records_in(DATA / f"{chosen.part}.jsonl")
    rows = []
    for name, claims_in in (
        ("Bob", claimed),
        ("every sentence", every_sentence),
    ):
        counts = counted(drafts, claims_in)
        for language in sorted({draft["language"] for draft in drafts}):
            missed, taken = (
                f"{counts[f'{one} {language}']} of {counts[f'{of} {language}']}"
                for one, of in (("missed", "claims"), ("taken", "nothing"))
            )
            rows.append([name, language, missed, taken])
    head = ["judge", "language", "claims that are missed", "other statements taken for claims"]
    measure.show(f"Statements of drafts, {chosen.part}", head, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
