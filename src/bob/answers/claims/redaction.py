"""Takes claims out of a draft so that its Markdown and its sentences stay whole (SPEC E2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bob.answers.claims.draft_blocks import Block, Container, lines_of, text_prefix
from bob.answers.claims.draft_claims import ClaimSpan, Outline, Statement
from bob.text.markup import ends_with_colon

LEFT_OUT = "…"
"""Stands where a text went whose place has to stay: an item's own words, above items that remain."""

_OPENING_MARKUP = re.compile(r"[*~\"'“‘(\[]*")
_LOOSE_END = re.compile(r"[\s,;:]+$")
_STOP = re.compile(r"([.!?…]+)[\"'”’)\]*_`~]*$")
_PLAIN_WORD = re.compile(r"[a-zà-öø-ÿ][a-zà-öø-ÿ'’-]*[.,;:!?*)]*$")
_STANDS_FIRST = ("list", "numbered")


def removed(outlined: Outline, claims: Iterable[ClaimSpan]) -> str:
    """The draft without the claims, which are some of `outlined.claims`.

    What a claim leaves empty goes with it: the item, row, quote, table, and a heading under which nothing is
    left. What remains of a compound sentence begins with a capital and ends with its stop.
    """
    touched = set(outlined.claims).intersection(claims)
    draft = outlined.draft
    return _Edit(draft, lines_of(draft), outlined.blocks, touched).result() if touched else draft


@dataclass(slots=True)
class _Edit:
    """One removal: which blocks vanish, and what changes within the others."""

    draft: str
    lines: list[tuple[int, int]]
    known: list[tuple[Block, list[Statement]]]
    taken: set[ClaimSpan]
    gone: list[bool] = field(default_factory=list)
    changes: list[tuple[int, int, str]] = field(default_factory=list)
    """Ranges of the draft and what stands there instead."""

    vain: set[Statement] = field(default_factory=set)
    """Sentences that only introduce what went."""

    def result(self) -> str:
        """The draft after the removal."""
        self.gone = [bool(statements) and all(map(self._goes, statements)) for _, statements in self.known]
        self._tables()
        self._introductions()
        self._headings()
        for (_, statements), gone in zip(self.known, self.gone, strict=True):
            if not gone:
                self._sentences(statements)
        dropped = self._lines()
        self._numbers()
        return self._written(dropped)

    def _tables(self) -> None:
        """The head of a table goes with its last row."""
        rows: dict[int, list[bool]] = {}
        for (block, _), gone in zip(self.known, self.gone, strict=True):
            if block.kind == "row":
                rows.setdefault(block.containers[-1].number, []).append(gone)
        for index, (block, _) in enumerate(self.known):
            if block.kind == "head" and all(rows.get(block.containers[-1].number, [False])):
                self.gone[index] = True

    def _goes(self, statement: Statement) -> bool:
        return statement in self.vain or (bool(statement.claims) and self.taken.issuperset(statement.claims))

    def _introductions(self) -> None:
        """A sentence that only introduces what is gone ("Here they are:") goes too."""
        for index in reversed(range(len(self.known))):
            statements = self.known[index][1]
            if not statements or statements[-1].claims:
                continue
            shown = self._shown_after(index)
            introduces = ends_with_colon(self.draft[statements[-1].start : statements[-1].end])
            if introduces and shown and all(self.gone[other] for other in shown):
                self.vain.add(statements[-1])
                self.gone[index] = all(map(self._goes, statements))

    def _shown_after(self, index: int) -> list[int]:
        """The blocks that the line before them introduces: one, or all of a list, quote or table."""
        depth = len(self.known[index][0].containers)
        shown: list[int] = []
        holder: Container | None = None
        for other in range(index + 1, len(self.known)):
            around = self.known[other][0].containers
            outer = around[depth] if len(around) > depth else None
            if shown and (holder is None or outer != holder):
                break
            holder = outer
            shown.append(other)
        return shown

    def _headings(self) -> None:
        """A heading goes when all that stood under it went, other headings included."""
        for index in reversed(range(len(self.known))):
            block = self.known[index][0]
            if block.kind != "heading":
                continue
            under = []
            for each in range(index + 1, len(self.known)):
                other = self.known[each][0]
                if other.kind == "heading" and other.level <= block.level:
                    break
                under.append(each)
            if under and all(self.gone[other] for other in under):
                self.gone[index] = True

    def _sentences(self, statements: Sequence[Statement]) -> None:
        gone = [self._goes(statement) for statement in statements]
        for index, statement in enumerate(statements):
            remaining = [claim for claim in statement.claims if claim not in self.taken]
            if remaining and len(remaining) < len(statement.claims):
                self._rejoin(statement, remaining)
            if gone[index] and (index == 0 or not gone[index - 1]):
                last = next((i for i in range(index, len(statements)) if not gone[i]), len(statements)) - 1
                if last + 1 < len(statements):
                    self.changes.append((statement.start, statements[last + 1].start, ""))
                else:
                    self.changes.append((statements[index - 1].end, statements[last].end, ""))

    def _rejoin(self, sentence: Statement, remaining: Sequence[ClaimSpan]) -> None:
        """Put the remaining parts of a compound sentence together."""
        pieces: list[str] = []
        for index, claim in enumerate(remaining):
            text = self.draft[claim.start : claim.end]
            if index == 0:
                pieces.append(_capitalized(text) if claim != sentence.claims[0] else text)
                continue
            earlier = sentence.claims[sentence.claims.index(claim) - 1]
            pieces.append(self.draft[earlier.end : claim.start] + text)
        ends = sentence.claims[-1]
        joined = "".join(pieces)
        if remaining[-1] != ends:
            stop = _STOP.search(_marks_off(self.draft[ends.start : ends.end]))
            joined = _LOOSE_END.sub("", joined) + (stop[1] if stop else "")
        self.changes.append((sentence.start, sentence.end, joined))

    def _alive(self) -> set[Container]:
        """The lists, items, quotes and tables that still hold something."""
        return {
            holder
            for (block, _), gone in zip(self.known, self.gone, strict=True)
            if not gone
            for holder in block.containers
        }

    def _lines(self) -> set[int]:
        """The lines that go; where a vanished block's place has to stay, a sign is put there instead."""
        alive = self._alive()
        kept_markers = {block.first for block in alive if block.kind == "item"}
        dropped: set[int] = set()
        for index, (block, _) in enumerate(self.known):
            if not self.gone[index]:
                continue
            if block.first in kept_markers or self._parts_lists(index):
                self._leave_sign(block)
                dropped.update(range(block.first + 1, block.stop))
            else:
                dropped.update(range(block.first, block.stop))
            for container in block.containers:
                if container not in alive and container.first not in kept_markers:
                    dropped.update(range(container.first, container.stop))
        return dropped

    def _parts_lists(self, index: int) -> bool:
        """Whether, without this block, two lists would become one, or a list take in what follows."""
        if index and self.gone[index - 1]:
            return False
        following = next((other for other in range(index, len(self.known)) if not self.gone[other]), None)
        if not index or following is None:
            return False
        before, after = self.known[index - 1][0], self.known[following][0]
        depth = len(self.known[index][0].containers)
        if len(before.containers) <= depth or before.containers[depth].kind not in _STANDS_FIRST:
            return False
        listed = len(after.containers) > depth and after.containers[depth].kind in _STANDS_FIRST
        apart = not listed or before.containers[depth].number != after.containers[depth].number
        own = self.known[index][0].containers[:depth]
        return (
            own == before.containers[:depth] == after.containers[:depth]
            and apart
            and (listed or after.kind == "code")
        )

    def _leave_sign(self, block: Block) -> None:
        start, end = self.lines[block.first]
        start += len(text_prefix(self.draft[start:end]))
        self.changes.append((start, end, LEFT_OUT))

    def _numbers(self) -> None:
        """The items that remain of a numbered list take its first numbers."""
        alive = self._alive()
        items: dict[int, list[Container]] = {}
        for block, _ in self.known:
            for outer, holder in zip(block.containers, block.containers[1:], strict=False):
                listed = items.setdefault(outer.number, [])
                if outer.kind == "numbered" and holder not in listed:
                    listed.append(holder)
        for listed in items.values():
            remaining = [block for block in listed if block in alive]
            for old, new in zip(remaining, listed, strict=False):
                start = self.draft.find(old.marker, *self.lines[old.first])
                # A longer marker would need its item's further lines indented more.
                if old.marker != new.marker and len(new.marker) <= len(old.marker) and start >= 0:
                    self.changes.append((start, start + len(old.marker), new.marker))

    def _written(self, dropped: set[int]) -> str:
        for first, stop in self._runs(dropped):
            if first and all(self._blank(index) for index in range(stop, len(self.lines))):
                self.changes.append((self.lines[first - 1][1], self.lines[stop - 1][1], ""))
                continue
            begin = self.lines[first][0]
            end = self.lines[stop][0] if stop < len(self.lines) else len(self.draft)
            self.changes.append((begin, end, self._between(first, stop)))
        text = self.draft
        for start, end, instead in sorted(self.changes, reverse=True):
            text = text[:start] + instead + text[end:]
        return text

    def _runs(self, dropped: set[int]) -> list[tuple[int, int]]:
        """The dropped lines as ranges, with the blank lines that nothing separates any more."""
        runs: list[tuple[int, int]] = []
        for line in sorted(dropped):
            if runs and all(self._blank(index) for index in range(runs[-1][1], line)):
                runs[-1] = (runs[-1][0], line + 1)
            else:
                runs.append((line, line + 1))
        return [self._widened(first, stop) for first, stop in runs]

    def _widened(self, first: int, stop: int) -> tuple[int, int]:
        before, after = first, stop
        while before > 0 and self._blank(before - 1):
            before -= 1
        while after < len(self.lines) and self._blank(after):
            after += 1
        if after == len(self.lines):
            return before, stop
        if before == 0:
            return 0, after
        if before < first and after > stop:
            quoted = ">" in self._line(stop) and ">" not in self._line(first - 1)
            return (first, after) if quoted else (before, stop)
        return first, stop

    def _between(self, first: int, stop: int) -> str:
        """A blank line where two blocks would else become one."""
        if first == 0 or stop >= len(self.lines) or self._blank(first - 1) or self._blank(stop):
            return ""
        following = next((block for block, _ in self.known if block.first == stop), None)
        if following is None or any(
            container.kind == "item" and container.first == stop for container in following.containers
        ):
            return ""
        if following.kind == "row":
            return ""
        return f"{text_prefix(self._line(stop)).rstrip()}\n"

    def _line(self, index: int) -> str:
        start, end = self.lines[index]
        return self.draft[start:end]

    def _blank(self, index: int) -> bool:
        return not self._line(index).strip(" \t>")


def _capitalized(text: str) -> str:
    """The text with a capital at its beginning, unless it begins with a name in code or a file's name."""
    match = _OPENING_MARKUP.match(text)
    start = match.end() if match else 0
    first = text[start:].split(maxsplit=1)[0] if text[start:].strip() else ""
    return text[:start] + text[start].upper() + text[start + 1 :] if _PLAIN_WORD.match(first) else text


def _marks_off(text: str) -> str:
    """A claim's text without the citation marks after its stop."""
    return re.sub(r"(?:\s*\[[^\]]*\])+$", "", text)
