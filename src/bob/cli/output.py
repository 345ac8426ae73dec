"""How results look: coloured and clickable in a terminal, plain text in a pipe, JSON when asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

    from bob.domain.locator import Locator


def print_json(value: Any) -> None:
    """Print a value as JSON, readable by programs and people."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


Piece = str | tuple[str, str]
"""A part of a line: text, or text with a style as rich names it."""


class Output:
    """Lines for a person: coloured, wrapped and clickable in a terminal, plain in a pipe."""

    def __init__(self) -> None:
        self._console: Console | None = None
        if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
            # In a pipe none of it shows, and the import takes longer than a search.
            from rich.console import Console

            self._console = Console(highlight=False, markup=False, soft_wrap=not sys.stdout.isatty())

    def print(self, *pieces: Piece, style: str = "", end: str = "\n") -> None:
        """Print the pieces as one line; brackets in texts are just that."""
        if self._console is None:
            print("".join(each if isinstance(each, str) else each[0] for each in pieces), end=end)
            return
        from rich.text import Text

        self._console.print(Text.assemble(*pieces, style=style), end=end)

    def indented(self, text: str, columns: int, style: str = "") -> None:
        """Print text that stays indented where a terminal wraps it; one line in a pipe."""
        if self._console is None:
            print(" " * columns + text)
            return
        from rich.padding import Padding
        from rich.text import Text

        self._console.print(Padding(Text(text, style=style), (0, 0, 0, columns)))


def place(path: str, locator: Locator) -> str:
    """Where something stands, in words: `notes.md:12-14`, `report.pdf page 3`."""
    from bob.domain.place import place_in

    return place_in(shown_path(path), locator)


def link(path: str, locator: Locator | None = None) -> str | None:
    """A `file:` address for terminals that open links; line or page as a fragment where there is one. None
    for a file that is not on the disk, but in a commit."""
    from bob.domain.locator import LineLocator, PageLocator

    if not Path(path).exists():
        return None
    address = Path(path).as_uri()
    if isinstance(locator, LineLocator):
        return f"{address}#L{locator.start_line}"
    if isinstance(locator, PageLocator):
        return f"{address}#page={locator.page}"
    return address


def shown_path(path: str) -> str:
    """A path as short as it can be: below the working folder, or below home."""
    for base, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        try:
            return prefix + str(Path(path).relative_to(base))
        except ValueError:
            continue
    return path


def when(moment: datetime) -> str:
    """A moment on the user's clock, to the minute."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def counted(count: int, noun: str, many: str = "") -> str:
    """A number with its noun: «1 file», «2,000 files», «2 memories»."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def source_line(path: str, locator: Locator, headings: Sequence[str]) -> list[Piece]:
    """The place as a link (OSC 8) in terminals that know links, then the headings above it that the place
    does not name itself."""
    where = place(path, locator)
    shown = " › ".join(each for each in headings if f"«{each}»" not in where)
    address = link(path, locator)
    linked = (where, f"cyan link {address}" if address else "cyan")
    return [linked, (f"  {shown}", "dim")] if shown else [linked]


def size(count: int) -> str:
    """Bytes for people."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
