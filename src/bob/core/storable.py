"""Which texts databases take: neither the character 0 nor bytes of a command line that are not UTF-8, which
Python reads as halves of surrogate pairs."""

from __future__ import annotations

import re

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with a question mark in place of each half of a surrogate pair, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_storable(text: str) -> bool:
    """Whether databases take a text."""
    return _NO_TEXT.search(text) is None


def storable(text: str) -> str:
    """The text as UTF-8 can hold it (`encodable`), with a mark in place of each character 0.

    >>> storable("a\\0b"), storable("a\\ud800b")
    ('a�b', 'a?b')
    """
    return encodable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")
