"""Marks claims in a draft, so that a reader sees which of them no source bears out (SPEC E2)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bob.answers.claims import WARNING_SIGN, ClaimSpan, outline
from bob.answers.draft_blocks import Block, lines_of, text_prefix

_UNSAFE = re.compile(r"[\[\]|<>`*~\\\n\r]+")
_FENCE = re.compile(r"`{3,}|~{3,}")


def marked(draft: str, reasons: Mapping[ClaimSpan, str]) -> str:
    """The draft with a visible mark, `[⚠ unsupported: reason]`, right after each of the claims; after the
    fence when it is code. Claims that the draft does not have are passed over."""
    inserts: dict[int, str] = {}
    lines = lines_of(draft)
    for block, statements in outline(draft):
        for claim in (each for statement in statements for each in statement.claims):
            if claim not in reasons:
                continue
            said = as_plain_text(reasons[claim])
            mark = f"[{WARNING_SIGN} unsupported: {said}]" if said else f"[{WARNING_SIGN} unsupported]"
            if block.kind == "code":
                inserts[lines[block.stop - 1][1]] = below_code(draft, lines, block, mark)
            else:
                inserts[claim.end] = f" {mark}"
    for at in sorted(inserts, reverse=True):
        draft = draft[:at] + inserts[at] + draft[at:]
    return draft


def as_plain_text(reason: str) -> str:
    """The reason on one line, without what Markdown or a table would read as markup."""
    return " ".join(_UNSAFE.sub(" ", reason).replace("_", "\\_").split())


def below_code(draft: str, lines: list[tuple[int, int]], block: Block, mark: str) -> str:
    """What to insert at the end of a block of code, so that a mark is a paragraph of its own below it; the
    fence is closed if it was not."""
    opening, closing = (draft[slice(*lines[at])] for at in (block.first, block.stop - 1))
    prefix = re.sub(r"[^\s>]", " ", text_prefix(opening))
    fence = _FENCE.match(opening[len(prefix) :])
    if fence is None:
        prefix = prefix[: len(prefix) - 4] if prefix.endswith("    ") else ""
    unclosed = fence and not (block.stop - 1 > block.first and closing.strip(" \t>").startswith(fence[0]))
    end = f"\n{prefix}{fence[0]}" if fence and unclosed else ""
    goes_on = block.stop < len(lines) and draft[slice(*lines[block.stop])].strip(" \t>")
    return f"{end}\n{prefix.rstrip()}\n{prefix}{mark}" + (f"\n{prefix.rstrip()}" if goes_on else "")
