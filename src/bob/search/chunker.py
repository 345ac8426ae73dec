"""Cuts sections into chunks along their own structure, each byte-equal to the source at its locator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from bob.core.chunk import Chunk
from bob.core.document import Block, Section
from bob.core.locator import Locator, PartLocator
from bob.search.splitting import Atom, atoms_of, paragraphs
from bob.text.tokens import estimate_tokens

_FAN_OUT = 8  # see _located


class StructureChunker:
    """Packs a section's blocks into chunks of `min_tokens` to `max_tokens`.

    A chunk ends at the end of a block once it has `min_tokens`. Only a block above `max_tokens` is cut: a
    table between rows, code between lines, a paragraph between sentences, and any of them between words or
    anywhere when there is nothing better. `estimate` counts the tokens of a text.
    """

    def __init__(
        self,
        min_tokens: int = 200,
        max_tokens: int = 500,
        estimate: Callable[[str], int] = estimate_tokens,
    ) -> None:
        if not 1 <= min_tokens <= max_tokens:
            raise ValueError(f"chunks of {min_tokens} to {max_tokens} tokens are not possible")
        self._min = min_tokens
        self._max = max_tokens
        self._estimate = estimate

    def chunks(self, sections: Sequence[Section]) -> list[Chunk]:
        """All chunks in order, ordinals from 0; the same for the same input, always.

        A section that is nothing but the heading of the sections below it gives none: its words are in their
        heading path.
        """
        found: list[Chunk] = []
        for at, section in enumerate(sections):
            following = sections[at + 1] if at + 1 < len(sections) else None
            if not _is_only_heading_of(section, following):
                found.extend(self._section_chunks(section, len(found)))
        return found

    def _section_chunks(self, section: Section, ordinal: int) -> Iterator[Chunk]:
        groups = [
            fitting
            for group in self._packed(self._atoms(section))
            for fitting in self._fitting(section.text, group)
        ]
        spans = [(each[0].start, each[-1].end, each[0].position, each[-1].position) for each in groups]
        locators = _located(section.locator, section.text, spans)
        for at, (group, locator) in enumerate(zip(groups, locators, strict=True)):
            text = section.text[group[0].start : group[-1].end]
            context = section.context or group[0].context
            yield Chunk(
                ordinal=ordinal + at,
                text=text,
                heading_path=section.heading_path,
                locator=locator,
                tokens=group[0].tokens if len(group) == 1 else self._estimate(text),
                context="" if text.startswith(context) else context,
            )

    def _atoms(self, section: Section) -> Iterator[Atom]:
        heading_tokens = 0
        for block in _all_blocks(section):
            # A heading stays with what follows, so what follows must leave room for it.
            room = max(self._max - heading_tokens, self._max // 2)
            atoms = atoms_of(section.text, block, room if heading_tokens else self._max, self._estimate)
            yield from atoms
            is_heading = block.kind == "heading"
            heading_tokens = heading_tokens + sum(each.tokens for each in atoms) if is_heading else 0

    def _packed(self, atoms: Iterable[Atom]) -> list[list[Atom]]:
        groups: list[list[Atom]] = []
        current: list[Atom] = []
        size = 0
        for atom in atoms:
            is_new_part = atom.kind == "heading" and size >= self._min // 2 and current[-1].kind != "heading"
            if current and (size + atom.tokens > self._max or is_new_part):
                current = _closed(current, groups)
                size = sum(each.tokens for each in current)
                if size + atom.tokens > self._max:
                    groups.extend([current] if current else [])
                    current, size = [], 0
            current.append(atom)
            size += atom.tokens
            if size >= self._min and atom.kind != "heading":
                groups.append(current)
                current, size = [], 0
        if current:
            self._add_tail(current, size, groups)
        return groups

    def _add_tail(self, tail: list[Atom], size: int, groups: list[list[Atom]]) -> None:
        if groups and size + sum(each.tokens for each in groups[-1]) <= self._max:
            groups[-1].extend(tail)
        else:
            groups.append(tail)

    def _fitting(self, text: str, group: list[Atom]) -> list[list[Atom]]:
        # The tokens of a whole may be more than those of its parts: the white space between them counts too.
        if len(group) == 1 or self._estimate(text[group[0].start : group[-1].end]) <= self._max:
            return [group]
        middle = len(group) // 2
        return self._fitting(text, group[:middle]) + self._fitting(text, group[middle:])


def _closed(current: list[Atom], groups: list[list[Atom]]) -> list[Atom]:
    """Closes a group before its trailing headings, which it returns: they belong to what follows."""
    end = len(current)
    while end and current[end - 1].kind == "heading":
        end -= 1
    if end == 0:
        return current
    groups.append(current[:end])
    return current[end:]


def _is_only_heading_of(section: Section, following: Section | None) -> bool:
    path = section.heading_path
    if following is None or not path:
        return False
    is_heading = bool(section.blocks) and all(each.kind == "heading" for each in section.blocks)
    return is_heading and following.heading_path[: len(path)] == path


def _all_blocks(section: Section) -> Iterator[Block]:
    """The section's blocks, and paragraphs wherever its parser named none."""
    position, end = 0, 0
    for block in section.blocks:
        yield from paragraphs(section.text, end, block.start, position)
        yield block
        position, end = block.position, block.end
    yield from paragraphs(section.text, end, len(section.text), position)


def _located(locator: Locator, text: str, spans: list[tuple[int, int, int, int]]) -> list[Locator]:
    """The locator of each span.

    Narrowing a line locator counts the lines before it, so a long section would cost the square of its
    length: it is narrowed in steps, to an eighth each time.
    """
    if len(spans) <= _FAN_OUT or isinstance(locator, PartLocator):
        return [
            locator.narrowed(text, start, end, first=first, last=last) for start, end, first, last in spans
        ]
    found: list[Locator] = []
    step = -(-len(spans) // _FAN_OUT)
    for at in range(0, len(spans), step):
        part = spans[at : at + step]
        start, end = part[0][0], part[-1][1]
        shifted = [(a - start, b - start, first, last) for a, b, first, last in part]
        found.extend(_located(locator.narrowed(text, start, end), text[start:end], shifted))
    return found
