"""Finds what is still to be done in a Markdown text: the boxes of its task lists that are not ticked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.text.markup import closes_fence, opened_fence

_OPEN = re.compile(r"[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[ \]\s+(?=\S)")
_PROMISE = re.compile(
    r"\?$|\b(?:to-?do|next steps?|open question|follow(?:ing)? up|still (?:open|to)"
    r"|por fazer|próximos? passos?|pendente)\b",
    re.IGNORECASE,
)


def open_tasks(text: str) -> Iterator[tuple[int, int]]:
    """Where the words of each open task begin and end, in the order of the text; nothing in code fences."""
    fence = ""
    start = 0
    for line in text.split("\n"):
        if fence:
            fence = "" if closes_fence(line, fence) else fence
        elif not (fence := opened_fence(line)) and (task := _OPEN.match(line)):
            yield start + task.end(), start + len(line.rstrip())
        start += len(line) + 1


def is_open(statement: str) -> bool:
    """Whether a sentence speaks of what is still to be done, or asks.

    >>> is_open("Next step: call the notary"), is_open("Who signs?"), is_open("The gate is green.")
    (True, True, False)
    """
    return _PROMISE.search(statement.strip()) is not None
