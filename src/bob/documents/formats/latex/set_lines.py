"""The lines of a LaTeX text as they are set: spaces, dashes, quotation marks, and headings on their own."""

from __future__ import annotations

import re

from bob.documents.formats.latex.tokens import BREAK, GONE, HEADING, HEADING_END

_TIDIED = (
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r"\( ?[,;]? ?\)|\[ ?\]"), ""),
    (re.compile(r"(?<=\S) +(?=[.,;:)])"), ""),
    (re.compile(r"``|''"), '"'),
    (re.compile(r"(?<!\w)`([^`'\n]{1,200})'(?!\w)"), r"'\1'"),
    (re.compile(r"(?<!-)---(?!-)"), "—"),
    (re.compile(r"(?<!-)--(?!-)"), "–"),
)


def tidy(text: str) -> str:
    """A text with the spaces, dashes and quotation marks that are set."""
    for pattern, replacement in _TIDIED:
        text = pattern.sub(replacement, text)
    return text


def set_lines(text: str) -> list[str | None]:
    """The lines of what was read: a heading on a line of its own, None where nothing is left of one."""
    lines: list[str | None] = []
    carried = ""
    for raw in text.split("\n"):
        before, heading, rest = raw.partition(HEADING)
        title, _, after = rest.partition(HEADING_END)
        is_gone = GONE in raw and BREAK not in raw
        text_of_line = " ".join(filter(None, (carried, *(_plain(part) for part in (before, after)))))
        carried = ""
        if heading:
            carried, line = text_of_line, title
        else:
            line = text_of_line
        lines.append(line or (None if is_gone else ""))
    if carried and lines:
        lines[-1] = f"{lines[-1] or ''} {carried}".strip()
    return lines


def _plain(text: str) -> str:
    """A part of a line, with the indent that an item of a list has."""
    parts = [part for part in text.replace(GONE, "").split(BREAK) if part.strip()]
    text_of_line = " ".join(tidy(part).strip() for part in parts)
    is_item = text_of_line.startswith(("- ", "1. "))
    return " " * (len(parts[0]) - len(parts[0].lstrip(" ")) if is_item else 0) + text_of_line


def opening(name: str) -> str:
    """A name before what it is of."""
    return f"{name}{'' if name.endswith(('.', ':', '?', '!')) else ':'} " if name else ""


def nothing(ends: int) -> str:
    """What stands for something that shows nothing, with the line ends that it has."""
    return GONE + f"\n{GONE}" * ends
