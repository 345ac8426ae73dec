"""Numbers that tell no amount: of the parts of documents ("§ 6", "Table 4", a leading "(4)"), of laws and
opinions ("Lei nº 7.398")."""

from __future__ import annotations

import re
from functools import lru_cache

from bob.text import lexicon
from bob.text.dates import MONTHS
from bob.text.words import folded, words_of

_OPENING = re.compile(
    r"(?:^|(?<=; )|(?<=\|))[ \t>*_-]{0,8}"
    r"(?:\(\d{1,3}[a-z]?\)|\d{1,3}(?:\.\d{1,3}){2,4}|\d{1,3}[.)])(?=\s+\S)",
    re.M,
)
"""The number of a clause, a heading or an item: "(4) Liability", "1. Open the lid", "3.2.1 Fees"."""

_NUMBER_OF = r"(?:(?:\s(?-i:[A-Z]{2,8}))?\s?(?:n[º°o]s?\.?|nr\.?))?"
_OF_A_DAY = (
    rf"(?:,?\s(?:de|of|vom)\s\d{{1,2}}[.º]?\s(?:de\s)?(?:{MONTHS})(?:,?\s(?:de\s)?[12]\.?\d{{3}}(?!\d))?)?"
)
_FIGURES = r"\d{1,6}(?:[./]\d{1,4}){0,3}[a-zºª°]{0,2}(?:\s?\(\w{1,4}\)){0,3}"


def without_part_numbers(text: str, question: str) -> str:
    """A text with a blank for each number that only names a part of a document, or a document. What the
    question asks for by name is left: "What is the number of the law?"

    >>> without_part_numbers("(4) It lasts 3 days (§ 6, Table 2).", "How long does it last?")
    '  It lasts 3 days ( ,  ).'
    """
    if not any(map(str.isdigit, text)):
        return text
    asked = frozenset(words_of(folded(question))) & _names()
    return _references(asked).sub(" ", _OPENING.sub(" ", text))


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(map(folded, lexicon.phrases("numbered parts")))


@lru_cache(maxsize=64)
def _references(asked: frozenset[str]) -> re.Pattern[str]:
    names = [name for name in lexicon.phrases("numbered parts") if folded(name) not in asked]
    joined = lexicon.either((*lexicon.words("and"), *lexicon.words("or"), *lexicon.words("up to a number")))
    more = rf"(?:\s?(?:[-–,]|(?:{joined})\s)\s?{_FIGURES}(?![\w%€$]|\.\d|\s[^\W\d]))"
    behind = rf"(?:,?\s(?:nr\.?|n[º°]|nummer|number|no\.)\s{_FIGURES}(?!\w))?"
    return re.compile(
        rf"(?<!\w)(?:§+|(?:{lexicon.either(names)})\.?{_NUMBER_OF})\s?{_FIGURES}(?!\w|\.\d|,\d){more}{{0,4}}{behind}{_OF_A_DAY}",
        re.IGNORECASE,
    )
