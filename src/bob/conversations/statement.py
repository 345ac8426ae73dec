"""What a short statement is about and what it says of it: its words, figures and words of change."""

from __future__ import annotations

import re

from bob.text.stop_words import SUBJECT_STOP_WORDS
from bob.text.words import folded

_WORD = re.compile(r"\w+(?:[.,:/+#-]\w+)*[+#]*")
_CHANGE = re.compile(
    r"(?<!\w)(?:no longer|no more|not \w+ any ?more|anymore|instead|rather than|moved|switched|migrated|"
    r"changed|"
    r"replaced|replaces|now|from now on|these days|actually|correction|turns out|reverted|off the table|"
    r"stopped|"
    r"used to|new|scrap that|"
    r"nao [\w ]{1,30}? mais|em vez d[eoa]|ao inves d[eoa]|mud(?:ei|amos|ou)|troc(?:amos|ou|uei)|migr(?:amos|"
    r"ou|ei)|"
    r"passamos|passou|substitu\w+|agora|a partir de agora|na verdade|correcao|voltamos atras|nov[oa]|"
    r"antes)(?!\w)"
)
_TO_A_MARK = r"(?:\b(?:mr|mrs|ms|dr|prof|st|sr|sra|dra)\.|[.,](?=\d)|[^,.;])*"
"""Up to the next mark that ends a clause: not the one of "Dr." or inside a figure."""

_BEFORE = re.compile(
    rf"\s*,?\s*(?:instead of|rather than|em vez d[eoa]|ao invés d[eoa])(?!\w){_TO_A_MARK}"
    rf"|\s*,\s*(?:and )?(?:no longer|not|no more|não mais|e não(?: mais)?)(?!\w){_TO_A_MARK}"
    r"|\s+d[eoa] (?-i:[A-Z0-9])[\w-]*(?= para )|\s+from (?:[\w'-]+ ){1,4}?(?=to )",
    re.IGNORECASE,
)
"""Where a statement of a change says what held before."""

_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_SUFFIXES = ("ing", "ed", "es", "s", "ly")
_STEM = 4
"""No stem is shorter: "uses" and "used" meet, "is" and "as" do not."""


def subject_words(text: str) -> list[str]:
    """The words that carry meaning, folded and without plain endings, in order. Figures are among them."""
    found = []
    for word in _WORD.findall(folded(text)):
        if word not in SUBJECT_STOP_WORDS:
            found.append(_stem(word))
    return found


def figures(text: str) -> frozenset[str]:
    """The numbers of a text as they are written."""
    return frozenset(_FIGURE.findall(text))


def changes(text: str) -> bool:
    """Whether the text tells of a change: "no longer", "moved to", "agora"."""
    return bool(_CHANGE.search(folded(text)))


def asserted(text: str) -> str:
    """The statement without what it says held before: "gas instead of oil" is "gas"."""
    return _BEFORE.sub("", text) if changes(text) else text


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM:
            return word[: -len(suffix)].rstrip("e")
    return word if len(word) <= _STEM else word.rstrip("e")
