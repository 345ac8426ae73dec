"""The streams that everything goes through on its way to a terminal or a pipe.

`install_visible_streams` puts a stream that marks dangerous characters (see `bob.text.visible`) in the
place of standard output and standard error. It is there for the whole process: prints, the usage errors and
questions of the library for the command line, log lines, warnings and tracebacks pass it, and no command can
forget it. Pipes are no exception, because `bob ask | less -R` hands all on to a terminal, and neither are
files that a shell opens for the output, because `| tee file` and `> file` should give the same. What has to
be exact is printed with --json, or written by Bob itself to a file that is named.

Colours, links and the line that is drawn again need raw control sequences. They have a channel of their own,
`styled_console`, that marks the text of each styled piece before it is styled, drops the target of a link
that is no percent-encoded file: address, and lets only the sequences of `_OWN` through.

What the stream cannot know is where a name ends: `bob.cli.output` marks the newlines in what has to be one
line. A library in C that writes to the file descriptor itself passes by; the processes that read documents,
where such libraries work, have no standard error."""

from __future__ import annotations

import codecs
import re
import sys
from io import TextIOBase, TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO

from bob.text.visible import LOOKS_BACK, visible_line, visible_text

if TYPE_CHECKING:
    from rich.console import Console

FILE_ADDRESS = re.compile(r"file:///(?:[\w.~/:-]|%[0-9A-Fa-f]{2})*(?:#(?:L|page=)\d+)?", re.ASCII)
"""The only addresses that a link on the terminal leads to."""

_OWN = re.compile(
    "\x1b\\[[0-9;]*m"  # colours
    f"|\x1b\\]8;(?:id=\\d+)?;(?:{FILE_ADDRESS.pattern})?\x1b\\\\"  # links
    "|\x1b\\[\\d*A|\x1b\\[2K|\x1b\\[\\?25[hl]|\r(?=\x1b\\[)",  # a part of the screen is drawn again
    re.ASCII,
)
_REPLACE = "bob.visible"
_ASCII = {"\u2421": "<7F>", "⟨": "<", "⟩": ">"} | {
    chr(0x2400 + number): f"<{number:02X}>" for number in range(0x20)
}


class VisibleStream(TextIOWrapper):
    """A text stream that marks dangerous characters in whatever is written to it."""

    _before = ""

    def write(self, text: str, /) -> int:
        """Write the text with its dangerous characters marked."""
        self._write_marked(text)
        return len(text)

    def write_styled(self, text: str) -> None:
        """Write text that Bob has styled: its own sequences as they are, all else marked."""
        end = 0
        for own in _OWN.finditer(text):
            self._write_marked(text[end : own.start()])
            super().write(own[0])
            end = own.end()
        self._write_marked(text[end:])

    def _write_marked(self, text: str) -> None:
        super().write(visible_text(text, self._before))
        # A model's reply comes in pieces, and an emoji may be cut in two by them.
        self._before = (self._before + text)[-LOOKS_BACK:]


class _StyledChannel(TextIOBase):
    """A `VisibleStream` as the library for colours sees it: its writes are styled text."""

    def __init__(self, stream: VisibleStream) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def write(self, text: str, /) -> int:
        self._stream.write_styled(text)
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def install_visible_streams() -> None:
    """Put visible streams in the place of standard output and standard error.

    Output comes line by line: in one pipe with the errors, what was said first must come first. A character
    that the stream's encoding lacks is written in ASCII.
    """
    codecs.register_error(_REPLACE, _written_in_ascii)
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if isinstance(stream, TextIOWrapper) and not isinstance(stream, VisibleStream):
            encoding, write_through = stream.encoding, stream.write_through
            # Nobody can write past the new stream by way of the old one.
            visible = VisibleStream(
                stream.detach(), encoding, _REPLACE, line_buffering=True, write_through=write_through
            )
            setattr(sys, name, visible)
            setattr(sys, f"__{name}__", visible)


def styled_console(stream: TextIO, **options: Any) -> Console:
    """A console of rich that writes its styles to the stream as they are, and marks the text in them."""
    from rich.console import Console
    from rich.segment import Segment

    class MarkingConsole(Console):
        def render(self, *arguments: Any, **more: Any) -> Any:
            for segment in super().render(*arguments, **more):
                if segment.control:
                    yield segment
                    continue
                style = segment.style
                if style is not None and style.link and not FILE_ADDRESS.fullmatch(style.link):
                    style = style.update_link(None)
                yield Segment(visible_text(segment.text), style)

    file: Any = _StyledChannel(stream) if isinstance(stream, VisibleStream) else stream
    return MarkingConsole(file=file, highlight=False, markup=False, emoji=False, **options)


def redraw_line(line: str = "") -> None:
    """Draw the last line of the terminal again, on standard error; without a line, clear it."""
    sequence = f"\r\x1b[2K{visible_line(line)}"
    if isinstance(sys.stderr, VisibleStream):
        sys.stderr.write_styled(sequence)
    else:
        sys.stderr.write(sequence)
    sys.stderr.flush()


def _written_in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_ASCII.get(character) or _escaped(character) for character in characters), error.end


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode("ascii")
