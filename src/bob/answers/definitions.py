"""Definitions: what a question asks the definition of, and which sentences define it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from bob.core.search import Hit
from bob.text import lexicon
from bob.text.sentences import PART_OF_SPEECH, sentence_ranges

_DEFINES = (
    r"^\W*(?:(?:art(?:\.|icle|igo|ikel)?|section|§+)\s*\d[\w.º]*[\s:.—–-]*)?(?:\d{{1,3}}[a-z]?[.)]\s+)?"
    r"(?:(?:an?|the|um|uma|o|a|ein|eine|der|die|das|un|une)\s+[\"'`“*]*)?{subject}[\"'`”*]*"
    rf"(?:\s*\((?:[^\s)]+\s+){{{{2,}}}}[^)]+\)\W*$|,?\s+{PART_OF_SPEECH}(?=\s)|"
    r"(?:\s*\([^)]*\))?(?:(?:s|es)?[\"'`”*]*)"
    r"(?:\s+(?:module|command|function|statement|class|type|object|term|file|domain|application))?"
    r"\s*(?:,[^,]{{1,60}},)?\s*"
    rf"(?:\.\s+(?=\S)|(?:{lexicon.either(lexicon.words('verbs of a definition'))}|:|—|–|--)(?:\s|$)))"
)
"""A sentence that says what its subject is, or an entry of a dictionary ("snag, n. A …") or glossary, with a
few words in brackets, or as its name alone before the next sentence ("Glare. Light that …")."""
_SUBJECT = re.compile(
    rf"(?:{lexicon.any_of('asks for a definition')})\s++"
    r"(?:an?\s++|the\s++|um\s++|uma\s++|ein\s++|eine\s++|une?\s++)?(.+?)(?<!\s)(?:\s+(?:mean|do|stand\s+for))?\s*\?*$",
    re.IGNORECASE,
)

_WHERE_IT_STANDS = re.compile(rf",?\s+(?:{lexicon.any_of('according to')})\s.*", re.IGNORECASE | re.DOTALL)

_LEAST_INFLECTED = 4
"""A word of fewer letters has no plural here: it may be an acronym."""

MOST_DEFINING = 2
"""So many passages that define what is asked for may take the place of the last that were found."""


def subject_of(question: str) -> str:
    """What a question asks the definition of ("What is a weir?"), empty where it asks for none.

    >>> subject_of("What does ICE stand for?"), subject_of("Who runs the lock?")
    ('ICE', '')
    """
    match = _SUBJECT.match(question)
    return _WHERE_IT_STANDS.sub("", match[1]).strip("\"'`") if match else ""


def defines(subject: str, text: str) -> bool:
    """Whether a text begins as a definition of the subject does, or is a row with the subject in its first
    cell.

    >>> defines("weir", "(2) Weirs are low dams."), defines("weir", "Name: Weir; Use: dam")
    (True, True)
    """
    return _defining(subject).match(text) is not None


def with_definitions(hits: Sequence[Hit], subject: str, most: int) -> list[Hit]:
    """The first hits, of which the last give way to passages further down that define the subject."""
    first = list(hits[:most])
    if any(_has_definition(hit, subject) for hit in first):
        return first
    defining = [hit for hit in hits[most:] if _has_definition(hit, subject)][:MOST_DEFINING]
    return first[: most - len(defining)] + defining


def _has_definition(hit: Hit, subject: str) -> bool:
    text = hit.chunk.text
    ranges = [*sentence_ranges(text)]
    # A name alone is told apart from others by the sentence behind it.
    with_next = [(start, end) for (start, _), (_, end) in pairwise(ranges)]
    return any(defines(subject, text[start:end].lstrip()) for start, end in (*ranges, *with_next))


@lru_cache(maxsize=64)
def _defining(subject: str) -> re.Pattern[str]:
    named = r"\s+".join(map(_in_any_number, subject.split()))
    of_row = rf"^[^:;\n]{{1,40}}:\s[\"'`“*]*{named}[\"'`”*]*;\s"
    return re.compile(rf"{_DEFINES.format(subject=named)}|{of_row}", re.IGNORECASE)


def _in_any_number(word: str) -> str:
    """The pattern of a word in the singular and the plural."""
    if len(word) < _LEAST_INFLECTED or not word.isalpha():
        return re.escape(word)
    endings = lexicon.either(lexicon.words("endings of plurals"))
    for singular, plurals in lexicon.pairs("plurals"):
        if word.lower().endswith(singular):
            stem = re.escape(word[: -len(singular)])
            return f"{stem}(?:{singular}(?:{endings})?|{lexicon.either(plurals)})"
    return f"{re.escape(word)}(?:{endings})?"
