"""Finds out when a source was written and in which language."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from bob.domain.document import SourceDate
from bob.text.dates import date_in_name

_SAMPLE = 4096
_MIN_HITS = 4
_MIN_WORDS = 3  # different ones: the letters that number a list are words in some languages
_LEAD = 1.25  # the best language must have this many times the hits of the second
_WORD = re.compile(r"[^\W\d_]+")
# Common words; those that two of the languages share say little, so each is listed wherever it belongs.
_STOP_WORDS = {
    "en": "the of and to in is that it for was with as on be are this by from or an not which have you at "
    "can will if has when but their they its we he his been were would there all",
    "pt": "o a os as de do da dos das em no na nos nas um uma que não para com por se é são mais como mas "
    "foi ao seu sua ou quando muito já também só pelo pela até isso ela ele entre você está",
    "es": "el la los las de del en un una que no para con por se es son más como pero fue al su sus o cuando "
    "muy ya también y lo le este esta entre desde todo sobre está hay",
    "fr": "le la les de des du en un une que ne pas pour avec par se est sont plus comme mais au aux son sa "
    "ses ou quand très et il elle dans ce cette qui sur nous vous être été",
    "de": "der die das und ist von zu den mit sich des auf für nicht im ein eine als auch es an werden aus "
    "er hat dass sie nach wird bei einer um am sind noch wie einem über wir oder",
    "it": "il lo la i gli le di del della dei in un una che non per con da si è sono più come ma fu al suo "
    "sua o quando molto già anche e nel nella alla questo questa tra sul essere",
    "nl": "de het een en van is in te dat op voor met zijn die niet aan er om ook als dan maar bij nog wordt "
    "uit naar over door je hij was deze kan meer of heeft worden hebben ze wij",
}
_LANGUAGES: dict[str, tuple[str, ...]] = {}
for _language, _words in _STOP_WORDS.items():
    for _word in _words.split():
        _LANGUAGES[_word] = (*_LANGUAGES.get(_word, ()), _language)


def resolve_source_date(parsed_date: SourceDate | None, path: Path, mtime: float) -> SourceDate:
    """When the source was written: what it says itself, else its name, else when the file was changed.

    `mtime` is in seconds since 1970; the day is that of UTC, so that it is the same on every machine.
    """
    if parsed_date is not None:
        return parsed_date
    named = date_in_name(path.name)
    if named is not None:
        return SourceDate(named, "file_name")
    return SourceDate(datetime.fromtimestamp(mtime, UTC).date(), "mtime")


def detect_language(text: str) -> str | None:
    """One of "en", "pt", "es", "fr", "de", "it", "nl" by the common words of the first 4,096 characters.

    None when there are too few of them, or two languages are close.
    """
    hits = dict.fromkeys(_STOP_WORDS, 0)
    different = dict.fromkeys(_STOP_WORDS, 0)
    for word, count in Counter(_WORD.findall(text[:_SAMPLE].lower())).items():
        for language in _LANGUAGES.get(word, ()):
            hits[language] += count
            different[language] += 1
    (best, most), (_, second) = sorted(hits.items(), key=lambda pair: -pair[1])[:2]
    is_clear = most >= _MIN_HITS and most >= second * _LEAD and different[best] >= _MIN_WORDS
    return best if is_clear else None
