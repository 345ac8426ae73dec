"""Puts the true target into links that lead nowhere, and changes nothing else of a text."""

from __future__ import annotations

import posixpath
from urllib.parse import quote

from bob.notes.link_targets import NOTE_SUFFIXES
from bob.notes.links import Link, find_links

_UNQUOTED = "/-_.~!$&'*+,;=:@"
"""Characters that stand in a bare address as they are; parentheses and spaces would end it."""


def relinked(text: str, source: str, written: str, leads_to: str) -> str | None:
    """The text of the file `source` with every link that is written so leading to the path `leads_to`; None
    when it has no such link. Anchors stay."""
    links = [link for link in find_links(text) if text[link.start : link.end] == written]
    for link in reversed(links):
        target = _target(link, text, source, leads_to)
        text = text[: link.start] + target + text[link.end :]
    return text if links else None


def _target(link: Link, text: str, source: str, leads_to: str) -> str:
    _, mark, anchor = text[link.start : link.end].partition("#")
    if link.is_wiki:
        # A wiki link is a name, and the name leads to one file only: that is why it could be mended.
        name = posixpath.basename(leads_to)
        stem, suffix = posixpath.splitext(name)
        return (stem if suffix in NOTE_SUFFIXES else name) + mark + anchor
    path = posixpath.relpath(leads_to, posixpath.dirname(source))
    bracketed = text[link.start - 1 : link.start] == "<"
    return (path if bracketed else quote(path, safe=_UNQUOTED)) + mark + anchor
