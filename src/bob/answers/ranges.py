"""Ranges of a text that are taken, so that no two findings share a character."""

from __future__ import annotations

from collections.abc import Iterable


class TakenRanges:
    """The characters of a text that some range has. Looking takes as long as the range that is looked at."""

    def __init__(self, length: int, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self._taken = bytearray(length)
        for start, end in ranges:
            self.add(start, end)

    def add(self, start: int, end: int) -> None:
        """Take the range (end excluded)."""
        self._taken[start:end] = b"\1" * (end - start)

    def meets(self, start: int, end: int) -> bool:
        """Whether a character of the range is taken."""
        return self._taken.find(1, start, end) >= 0
