"""Keeps a text inside its section: what looks like a tag of the prompt loses its bracket (SPEC H3)."""

from __future__ import annotations

import re

TAGS = ("project_context", "global_context", "document", "snippet", "added_context")
"""The tags of the prompt. No text that is put between them can open or close one."""

_UNSEEN = (
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]*"
)
"""Blanks and characters that are not seen: a model may read a tag through them."""

_BRACKETS = "<\u02c2\u2039\u2329\u27e8\u2e24\u3008\ufe64\uff1c"
"""What is, or looks like, an opening bracket."""


def _spelled(name: str) -> str:
    return _UNSEEN.join("[_\\-\uff3f\u203f]?" if letter == "_" else _either(letter) for letter in name)


def _either(letter: str) -> str:
    """A letter, large or small, or its full-width form."""
    wide = chr(ord(letter) + 0xFEE0)
    return f"[{letter}{letter.upper()}{wide}{chr(ord(letter.upper()) + 0xFEE0)}]"


_TAG = re.compile(
    f"[{re.escape(_BRACKETS)}](?={_UNSEEN}(?:[/\\\\\u2044\u2215\uff0f]{_UNSEEN})*"
    f"(?:{'|'.join(_spelled(name) for name in TAGS)}))"
)


def contained(text: str) -> str:
    """The text with `&lt;` where it opens or closes a tag of the prompt; otherwise as it is."""
    return _TAG.sub("&lt;", text)


def attribute(text: str) -> str:
    """A text for between the quotes of an attribute: one line, no quotes, no brackets."""
    line = one_line(text)
    return line.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def one_line(text: str) -> str:
    """A text for a line of a list or for a sentence: no line breaks, and contained."""
    return contained(" ".join(text.split()))
