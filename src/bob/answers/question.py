"""What a question wants: a definition, a time, a number, a person, a reason, a way; and which texts have it.

Rules over a few words in English, Portuguese, German, French and Spanish; no rule applies to a question
that is only key words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bob.text.dates import MONTHS_WRITTEN
from bob.text.numbers import NUMBER_WORDS

_KINDS = (
    (
        "definition",
        r"what(?:'s| is| are)\s+(?:an?\s+|the\s+)?[\w./`'\"-]+(?:\s[\w./`'\"-]+)?\s*\?*$|"
        r"what does .* mean|define |"
        r"o que (?:é|são|significa)|was (?:ist|sind|bedeutet)|qu'est-ce|¿?qué (?:es|son|significa)",
    ),
    (
        "number",
        r"how (?:many|much|long|often|large|big|old|far|fast)|quant[oa]s?|wie ?viele?|wie lange|combien|"
        r"¿?cuánt[oa]s?",
    ),
    ("time", r"when\b|since when|which year|in what year|what date|quando|wann|quand|¿?cuándo"),
    ("person", r"who(?:m|se)?\b|quem\b|wer\b|qui\b|¿?quién"),
    (
        "reason",
        r"why\b|for what reason|what(?:'s| is) the reason|por ?que|por quê|porque|warum|wieso|pourquoi|"
        r"¿?por qué",
    ),
    ("way", r"how\b|what are the steps|in wh(?:at|ich) order|como\b|wie\b|comment\b|¿?cómo"),
    ("place", r"where\b|in which (?:region|folder|file|directory)|onde\b|wo\b|où\b|¿?dónde"),
)
_QUESTIONS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)

_NUMBER_WORDS = "|".join((*NUMBER_WORDS, "twice", "once"))
_WANTED = {
    "number": re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE),
    "time": re.compile(
        rf"\b(?:1[89]|20)\d\d\b|\b(?:{'|'.join(MONTHS_WRITTEN)})\b|versionadded|\bversion \d|\b\d+\.\d+\b|"
        r"\b(?:when|whenever|after|before|until|once|every|days?|weeks?|months?|years?|hours?|minutes?|on)\b",
    ),
    "person": re.compile(
        r"(?<=[a-z,;] )[A-Z][a-z]+|\b[A-Z][a-z]+ [A-Z][a-z]+|\b(?:team|we|authors?|maintainers?)\b"
    ),
    "reason": re.compile(
        r"\b(?:because|since|so that|in order to|reasons?|due to|"
        r"to (?:avoid|reduce|remove|ensure|allow|make|keep|save|simplify)|"
        r"therefore|allows?|ensures?|means that|would|porque|pois|weil|damit|parce que|afin)\b",
        re.IGNORECASE,
    ),
    "way": re.compile(
        r"`[^`]+`|\b(?:you can|use|using|by \w+ing|run|call|add|set|will|steps?|to \w+,)\b|--\w|^\s*[$>]",
        re.IGNORECASE | re.MULTILINE,
    ),
    "place": re.compile(r"\b(?:in|at|on|under|within|inside)\b|/\w", re.IGNORECASE),
}
_DEFINES = (
    r"^(?:\W*(?:an?|the|um|uma|o|a|ein|eine|der|die|das|un|une)\s+)?"
    r"[\"'`“*]*{subject}[\"'`”*]*(?:\s*\([^)]*\))?(?:s|es)?"
    r"(?:\s+(?:module|command|function|statement|class|type|object|term|file|domain|application))?"
    r"\s*(?:,[^,]{{1,60}},)?\s*(?:is|are|means|refers|denotes|stands|was|é|são|ist|sind|est|sont|es|son|:|—|–|--)(?:\s|$)"
)
_SUBJECT = re.compile(
    r"(?:what(?:'s| is| are)|define|what does|o que (?:é|são|significa)|was (?:ist|sind|bedeutet)|"
    r"qu'est-ce qu[e'](?: c'est)?|¿?qué (?:es|son|significa))\s++"
    r"(?:an?\s++|the\s++|um\s++|uma\s++|ein\s++|eine\s++|une?\s++)?(.+?)(?<!\s)(?:\s+mean|\s+do)?\s*\?*$",
    re.IGNORECASE,
)


class Question:
    """A question with what it wants."""

    def __init__(self, text: str) -> None:
        self.text = text
        asked = text.strip()
        self.kind = next((kind for kind, pattern in _QUESTIONS if pattern.match(asked)), "")
        found = _SUBJECT.match(asked)
        self._subject = found[1].strip("\"'`") if found else ""

    def fits(self, text: str) -> float:
        """1 when a text has what the question wants, 0 when not, 0.5 when the question does not tell."""
        if self._subject and self.defines(text):
            return 1.0
        if self.kind == "definition":
            return 0.0
        wanted = _WANTED.get(self.kind)
        return 0.5 if wanted is None else float(bool(wanted.search(text)))

    def defines(self, text: str) -> bool:
        """Whether a text begins as a definition of the question's subject does."""
        return bool(self._subject) and bool(_defining(self._subject).match(text))


@lru_cache(maxsize=64)
def _defining(subject: str) -> re.Pattern[str]:
    return re.compile(_DEFINES.format(subject=re.escape(subject)), re.IGNORECASE)
