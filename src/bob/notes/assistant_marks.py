"""Marks what an assistant writes into notes, so that no answer quotes it as a person's word.

A new note says so in its front matter. In a person's note, the blocks that an assistant changed stand between
two comments; a block that mixes both is marked whole. A tick in a task is no word, and metadata in the front
matter counts as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bob.documents.formats.authorship import ASSISTANT, ASSISTANT_END, authorship_of, front_key
from bob.documents.formats.front_matter import FrontMatter, read_front_matter
from bob.documents.formats.lines import TextLines
from bob.documents.formats.markdown import block_ranges

_TICK = re.compile(r"\[[ xX]\]")


def marked_note(text: str) -> str:
    """A whole note by an assistant, with the mark in its front matter."""
    if _front(text)[1]:
        return text
    ((key, value),) = front_key("assistant").items()
    fence, *rest = text.removeprefix("\ufeff").split("\n")
    end = "\r\n" if fence.endswith("\r") else "\n"
    if _front(text)[0].lines:
        line = f'{key} = "{value}"' if fence.startswith("+++") else f"{key}: {value}"
        return "\n".join([fence, line + end[:-1], *rest])
    return f"---{end}{key}: {value}{end}---{end}{end}{text}"


def marked_edit(before: str, after: str) -> str:
    """A note after an assistant's edit: what is not as it was is marked, and nothing loses its mark."""
    if _front(before)[1]:
        return marked_note(after)
    own = {_words(line) for line in _persons_lines(before.split("\n"))}
    lines = list(_without_marks(after.split("\n")))
    first = _front("\n".join(lines))[0].lines
    strange = [index >= first and _words(line) not in own for index, line in enumerate(lines)]
    return "\n".join(_with_marks(lines, strange, "\r" if "\r\n" in after else ""))


def _with_marks(lines: Sequence[str], strange: Sequence[bool], end: str) -> Iterator[str]:
    """The lines with marks around the blocks that have a strange one, and around neighbours together."""
    blocks = [(first, last) for first, last in block_ranges("\n".join(lines)) if any(strange[first:last])]
    runs: list[tuple[int, int]] = []
    for first, last in blocks:
        if runs and not any(line.strip() for line in lines[runs[-1][1] : first]):
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    reached = 0
    for first, last in runs:
        block = lines[first:last]
        while block and not block[-1].strip():
            block = block[:-1]
        yield from lines[reached:first]
        # Some readers take a table or a paragraph right below a comment for a part of it.
        yield from [ASSISTANT + end, end, *block, end, ASSISTANT_END + end]
        reached = first + len(block)
    yield from lines[reached:]


def _without_marks(lines: Sequence[str]) -> Iterator[str]:
    """The lines without the marks, and without the empty lines that stand inside of them."""
    padded = ["", *map(str.strip, lines), ""]
    for before, line, after in zip(padded, lines, padded[2:], strict=False):
        is_padding = not line.strip() and (before == ASSISTANT or after == ASSISTANT_END)
        if line.strip() not in (ASSISTANT, ASSISTANT_END) and not is_padding:
            yield line


def _persons_lines(lines: Sequence[str]) -> Iterator[str]:
    is_assistants = False
    for line in lines:
        if line.strip() in (ASSISTANT, ASSISTANT_END):
            is_assistants = line.strip() == ASSISTANT
        elif not is_assistants:
            yield line


def _words(line: str) -> str:
    return _TICK.sub("[]", line).strip()


def _front(text: str) -> tuple[FrontMatter, bool]:
    """The front matter, and whether it says that an assistant wrote the note."""
    front = read_front_matter(TextLines(text.removeprefix("\ufeff")).plain)
    return front, authorship_of(front, "").by_assistant
