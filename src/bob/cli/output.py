"""How results look: coloured and clickable in a terminal, plain text in a pipe, JSON when asked for.

All commands print with what is here, so that each says whether it prints a line or a text. Names, titles and
errors are of others: in a line their newlines, tabs and carriage returns are marked, and they cannot forge a
second line. What else is dangerous in them is marked by the streams (`bob.cli.terminal`)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bob.cli.terminal import FILE_ADDRESS, styled_console
from bob.text.visible import escape_json, visible_line, visible_text

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

    from bob.core.locator import Locator


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as JSON, readable by programs and people; with no indent on one line."""
    text = escape_json(json.dumps(value, ensure_ascii=False, indent=indent))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent)
    print(text)


def print_line(line: str = "") -> None:
    """Print one line, without colours."""
    print(visible_line(line))


def print_text(text: str, end: str = "\n") -> None:
    """Print a text of several lines, without colours."""
    print(text, end=end, flush=not end.endswith("\n"))


def print_notice(line: str) -> None:
    """Print one line on standard error, so that it does not get into the output."""
    print(visible_line(line), file=sys.stderr, flush=True)


def print_error(message: str) -> None:
    """Print what went wrong as one line on standard error."""
    print_notice(f"bob: {message}")


Piece = str | tuple[str, str]
"""A part of a line: text, or text with a style as rich names it."""


class Output:
    """Lines for a person: coloured, wrapped and clickable in a terminal, plain in a pipe."""

    def __init__(self) -> None:
        self._console: Console | None = None
        if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
            # In a pipe none of it shows, and the import takes longer than a search.
            self._console = styled_console(sys.stdout, soft_wrap=not sys.stdout.isatty())

    def print(self, *pieces: Piece, style: str = "", end: str = "\n") -> None:
        """Print the pieces as one line; brackets in texts are just that."""
        marked = [
            visible_line(piece) if isinstance(piece, str) else (visible_line(piece[0]), piece[1])
            for piece in pieces
        ]
        if self._console is None:
            print("".join(part if isinstance(part, str) else part[0] for part in marked), end=end)
            return
        from rich.text import Text

        self._console.print(Text.assemble(*marked, style=style), end=end)

    def print_text(self, text: str, style: str = "") -> None:
        """Print a text of several lines."""
        if self._console is None:
            print(text)
            return
        from rich.text import Text

        self._console.print(Text(visible_text(text), style=style))

    def indented(self, text: str, columns: int, style: str = "") -> None:
        """Print a text of one or more lines, all of them indented, also where a terminal wraps them."""
        if self._console is None:
            print(_indented(text, columns))
            return
        from rich.padding import Padding
        from rich.text import Text

        self._console.print(Padding(Text(visible_text(text), style=style), (0, 0, 0, columns)))


def _indented(text: str, columns: int) -> str:
    """The text with all its lines indented, and carriage returns at their ends taken away."""
    return "\n".join(" " * columns + line for line in text.replace("\r\n", "\n").split("\n"))


def place(path: str, locator: Locator) -> str:
    """Where something stands, in words: `notes.md:12-14`, `report.pdf page 3`."""
    from bob.core.place import place_in

    return visible_line(place_in(shown_path(path), locator))


def link(path: str, locator: Locator | None = None) -> str | None:
    """A `file:` address for terminals that open links, percent-encoded; line or page as a fragment where
    there is one. None for a file that is not on this machine's disk, but in a commit or on a server."""
    from bob.core.locator import LineLocator, PageLocator

    if not Path(path).is_absolute() or not Path(path).exists():
        return None
    address = Path(path).as_uri()
    if isinstance(locator, LineLocator):
        address = f"{address}#L{locator.start_line}"
    elif isinstance(locator, PageLocator):
        address = f"{address}#page={locator.page}"
    return address if FILE_ADDRESS.fullmatch(address) else None


def shown_path(path: str) -> str:
    """A path as short as it can be, below the working folder or below home, and as one line."""
    for base, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        try:
            return visible_line(prefix + str(Path(path).relative_to(base)))
        except ValueError:
            continue
    return visible_line(path)


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
    shown = " › ".join(heading for heading in headings if f"«{heading}»" not in where)
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
