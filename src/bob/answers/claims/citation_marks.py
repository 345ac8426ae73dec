"""Puts the citation marks of a draft right, and marks the claims that no source supports (SPEC E2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bob.answers.claims.draft_blocks import Block, lines_of, text_prefix
from bob.answers.claims.draft_claims import (
    WARNING_SIGN,
    ClaimSpan,
    Outline,
    Statement,
    lists_of_sources,
    marks_of,
)

_UNSAFE = re.compile(r"[\[\]|<>`*~\\\n\r]+")
_FENCE = re.compile(r"`{3,}|~{3,}")


_SHOWN = {"partly": "partly supported"}


def marked(outlined: Outline, reasons: Mapping[ClaimSpan, tuple[str, str]]) -> str:
    """The draft with a visible mark, `[⚠ contradicted: reason]`, right after each of the claims that have a
    verdict and a reason; after the fence when it is code. Claims that the draft lacks are passed over."""
    inserts: dict[int, str] = {}
    draft = outlined.draft
    lines = lines_of(draft)
    for block, statements in outlined.blocks:
        for claim in (claim for statement in statements for claim in statement.claims):
            if claim not in reasons:
                continue
            verdict, why = reasons[claim]
            shown, reason = _SHOWN.get(verdict, verdict), as_plain_text(why)
            mark = f"[{WARNING_SIGN} {shown}: {reason}]" if reason else f"[{WARNING_SIGN} {shown}]"
            if block.kind == "code":
                inserts[lines[block.stop - 1][1]] = below_code(draft, lines, block, mark)
            else:
                inserts[claim.end] = f" {mark}"
    for position in sorted(inserts, reverse=True):
        draft = draft[:position] + inserts[position] + draft[position:]
    return draft


def as_plain_text(reason: str) -> str:
    """The reason on one line, without what Markdown or a table would read as markup."""
    return " ".join(_UNSAFE.sub(" ", reason).replace("_", "\\_").split())


def below_code(draft: str, lines: list[tuple[int, int]], block: Block, mark: str) -> str:
    """What to insert at the end of a block of code, so that a mark is a paragraph of its own below it; the
    fence is closed if it was not."""
    opening, closing = (draft[slice(*lines[line])] for line in (block.first, block.stop - 1))
    prefix = re.sub(r"[^\s>]", " ", text_prefix(opening))
    fence = _FENCE.match(opening[len(prefix) :])
    if fence is None:
        prefix = prefix[: len(prefix) - 4] if prefix.endswith("    ") else ""
    unclosed = fence and not (block.stop - 1 > block.first and closing.strip(" \t>").startswith(fence[0]))
    end = f"\n{prefix}{fence[0]}" if fence and unclosed else ""
    goes_on = block.stop < len(lines) and draft[slice(*lines[block.stop])].strip(" \t>")
    return f"{end}\n{prefix.rstrip()}\n{prefix}{mark}" + (f"\n{prefix.rstrip()}" if goes_on else "")


_LABEL = re.compile(r"[\s>]*\[\^?\d{1,3}\]:")
_RULE = re.compile(r"[\s>]*([-*_])(?:\s*\1){2,}\s*$")


def recited(outlined: Outline, citations: Mapping[ClaimSpan, tuple[int, ...]]) -> str:
    """The draft with these citation marks and no others.

    A mark stands where the claim's last one stood, else at its end; a claim that cites nothing has none, or
    a warning sign where one was in its middle. What a draft says beside its claims and
    may not be left as it is goes: lists of sources, whose numbers no longer hold, and blocks of HTML.
    """
    draft = outlined.draft
    lines = lines_of(draft)
    dropped = set(_dropped_lines(outlined, lines))
    changes: dict[tuple[int, int], str] = {}
    marks = marks_of(draft)
    for start, end in marks:
        changes[_with_blanks(draft, start, end)] = ""
    for block, statements in outlined.blocks:
        for statement in statements:
            for claim in statement.claims:
                shown = "".join(f"[{n}]" for n in citations.get(claim, ()))
                own = [(start, end) for start, end in marks if claim.start <= start < claim.end]
                for start, end in own[:-1]:
                    if draft[:start].rstrip().endswith((".", "!", "?")):
                        # Without a mark here, the words before it would become a sentence of their own.
                        changes[_with_blanks(draft, start, end)] = f" {shown or f'[{WARNING_SIGN}]'}"
                if not shown or (not own and _inherits(claim, statement, citations, marks)):
                    continue
                place, text = _placed(draft, lines, block, claim, shown, own)
                changes[place] = text
    return _changed(draft, lines, changes, dropped)


def _inherits(
    claim: ClaimSpan,
    statement: Statement,
    citations: Mapping[ClaimSpan, tuple[int, ...]],
    marks: list[tuple[int, int]],
) -> bool:
    """Whether a part of a sentence is covered by the mark at the sentence's end, which says the same."""
    last = statement.claims[-1]
    return claim != last and citations.get(claim) == citations.get(last)


def _placed(
    draft: str,
    lines: list[tuple[int, int]],
    block: Block,
    claim: ClaimSpan,
    shown: str,
    own: list[tuple[int, int]],
) -> tuple[tuple[int, int], str]:
    """Which range of the draft the new marks take, and the text to put there."""
    if block.kind == "code":
        end = lines[block.stop - 1][1]
        return (end, end), below_code(draft, lines, block, shown)
    if own and own[-1][0] > claim.start:
        return _with_blanks(draft, *own[-1]), f" {shown}"
    return (claim.end, claim.end), f" {shown}"


def _with_blanks(draft: str, start: int, end: int) -> tuple[int, int]:
    """A mark's range with the blanks before it; at the beginning of its line, with those after it."""
    before = start
    while before and draft[before - 1] in " \t":
        before -= 1
    if before and draft[before - 1] not in "\r\n":
        return (before, end) if draft[before - 1] not in "|>-*+" else _with_blanks_after(draft, start, end)
    return _with_blanks_after(draft, start, end)


def _with_blanks_after(draft: str, start: int, end: int) -> tuple[int, int]:
    while end < len(draft) and draft[end] in " \t":
        end += 1
    return start, end


def _dropped_lines(outlined: Outline, lines: list[tuple[int, int]]) -> Iterator[int]:
    draft, blocks = outlined.draft, [block for block, _ in outlined.blocks]
    for block in lists_of_sources(draft, blocks):
        yield from range(block.first, block.stop)
    for block in blocks:
        if block.kind == "other" and not _RULE.match(draft[slice(*lines[block.first])]):
            yield from range(block.first, block.stop)
    code = {index for block in blocks if block.kind == "code" for index in range(block.first, block.stop)}
    yield from (
        index for index, line in enumerate(lines) if index not in code and _LABEL.match(draft[slice(*line)])
    )


def _changed(
    draft: str, lines: list[tuple[int, int]], changes: dict[tuple[int, int], str], dropped: set[int]
) -> str:
    inserted = [
        (start, end, text)
        for (start, end), text in changes.items()
        if not any(lines[line][0] <= start <= lines[line][1] for line in dropped)
    ]
    for line in dropped:
        end = lines[line + 1][0] if line + 1 < len(lines) else len(draft)
        inserted.append((lines[line][0], end, ""))
    for start, end, text in sorted(inserted, reverse=True):
        draft = draft[:start] + text + draft[end:]
    return draft
