"""Finds the names of a text: of people, products and places, in code, and what stands in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile

from bob.text import lexicon
from bob.text.dates import MONTHS_WRITTEN, StatedDate, dates_in
from bob.text.number_words import MULTIPLIER, NUMBER_WORDS
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.units import unit_named
from bob.text.words import folded

_QUOTED = re.compile(r'(?<!\w)"([^"\n]{2,300})"(?!\w)')
_CODE_MARKED = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+?)\1(?!`)")
_IDENTIFIER = re.compile(
    r"(?<![\w./-])(?:"
    r"--?[a-z][\w-]*(?:=\w+)?|"
    r"[A-Za-z]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\))?|"
    r"_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*(?:\(\))?|_{1,2}[A-Za-z]\w*|"
    r"[A-Za-z_]\w*\(\)|"
    r"[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|"
    r"(?:[~.]{0,2}/)?[\w.-]+(?:/[\w.-]+)+/?|"
    r"[\w-]+\.(?:py|md|txt|rst|json|ya?ml|toml|ini|cfg|conf|csv|html?|js|ts|css|c|h|cpp|rs|go|java|sh|sql|db|"
    r"log|pdf|docx|xlsx|pptx|png|jpe?g|svg|zip|gz|exe|dll|so)\b"
    r")(?![\w])"
)
_NO_QUANTITY = (
    r"(?![\w%]|\.\d| [a-zA-Z]?(?:illion|B\b)|"
    r" (?:thousand|percent|times|seconds?|minutes?|hours?|days?|weeks?|months?|years?|ms|s|k?m|kg)\b)"
)
_VERSION = re.compile(
    r"(?<![\w.])(?:[vV](?:ersions? )?\.?\s?)(?P<marked>\d+(?:\.\d+)*[a-z]?\d*)(?![\w%]|\.\d)|"
    r"(?<![\w.])(?!\d{1,3}(?:\.\d{3}){2,}(?!\d))(?P<long>\d+(?:\.\d+){2,}(?:[a-z]+\d*)?)(?![\w%]|\.\d)|"
    rf"(?<![\w.])[A-Z][A-Za-z+#]+ (?P<after>\d+\.\d+(?:[a-z]+\d*)?){_NO_QUANTITY}"
)
_SERIAL = re.compile(r"(?<![\w./-])\w++(?:-\w++){2,}+(?![/-])")
_OPENING_VERSION = re.compile(
    r"\W{0,20}v?(?P<version>\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|pre|preview|post)(?:[-.]?\d+)*)?)"
    rf"(?!-[a-z]){_NO_QUANTITY}(?:\s+(?P<next>\w+))?"
)
_CAPITAL = r"(?:[A-ZÀ-ÖØ-Þ]\.(?=\s?[A-Z])|[A-ZÀ-ÖØ-Þ][\w'&-]*(?:\.\w+)*)"
_CAPITALIZED = re.compile(
    rf"(?<![\w.'-]){_CAPITAL}(?:(?:\s+(?:of|de|da|do|van|von|der|la|le)(?=\s+[A-Z]))?\s+{_CAPITAL})*"
)
_BEFORE_SENTENCE = " \"'([*_"
_OPENING_MARKS = 100
"""No more blanks, brackets and marks stand between the end of a sentence and the next one's first word."""
_NEAR = 3000
"""A word that stands once more so near is no capital by its place alone."""

_MULTIPLIER = re.compile(rf"(?:{MULTIPLIER})\b\.?\s*", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(rf"(?:\d|\b(?:{lexicon.either(NUMBER_WORDS)}))\s\Z", re.IGNORECASE)
"""Behind a number, German writes what multiplies it with a capital ("5 Millionen Besucher")."""
_LONGEST_NUMBER = 24
_FIRST_WORD = re.compile(r"(\w+)\s+")

_HAS_INNER_CAPITAL = re.compile(r"(?<![\w.])[A-Z][a-z0-9]+[A-Z]\w* |(?<= )[A-Z][a-z0-9]+[A-Z]\w*(?![\w.])")
"""A word like those of code that is a part of a name of several: "GitHub Actions"."""
_UNIT_BEHIND = re.compile(r"\s?([€£%°$]|EUR\b|[^\W\d_]{4,}|(?:[KMG]B|[kcm]?m|k?g|ml)\b)")
_AMOUNTS = re.compile(r"\d[\d.]*(?:/[1-9]|[CF]/\d+[CF]|m?g/[lL])")
"""What looks like a path and is a fraction, a temperature or a concentration: 2/3, 95F/30C, 1.3g/L."""
_IN_THREES = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_TITLES = frozenset(lexicon.words("titles before a name"))
_BEHIND_TITLE = re.compile(rf"(?<!\w)(?:{lexicon.either(_TITLES)})\.\Z")
_LONGEST_TITLE = 12
_INNER_CAPITAL = re.compile(r"[A-Z].*[A-Z]|\d")
_ABBREVIATIONS = ("e.g", "i.e", "a.m", "p.m", "z.b", "d.h", "p.ex", "and/or")
_NO_NAMES = "I I'm I've I'll I'd Ok OK Yes No Note Mr Mrs Ms Dr True False None Also"
_NO_NAME = frozenset([*_NO_NAMES.split(), *MONTHS_WRITTEN, *map(str.capitalize, MONTHS_WRITTEN)])


_LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z][a-z]+|[A-Z]+(?![a-z])|^[a-z]+")
_ENDINGS = lexicon.either(lexicon.words("endings of nouns"))
_LEAST_OF_STEM = 6
"""Letters that are left of a word without its ending."""
_LEAST_OF_COMPOUND = 4
"""A name of fewer letters is not looked for inside words."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name at a range of a text. Kinds: quote (of several words), code, version, name, serial (numbers of
    at least three parts: telephones, plates)."""

    start: int
    end: int
    text: str
    kind: str

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands, the end excluded."""
        return self.start, self.end


def has_name(plain: str, name: str, *, in_english: bool = True) -> bool:
    """Whether a folded text (`bob.text.words.folded`) has a name, perhaps inflected; an acronym is a word of
    its own, or a part of one in snake case. A long name that is not `in_english` may have lost an ending, one
    with a hyphen is there where its long parts are, one in camel case where its parts stand together.

    >>> has_name("the flags of the clubs", "Club"), has_name("the flagged staggered", "AGG")
    (True, False)
    >>> has_name("api_url=x", "API"), has_name("capital", "API")
    (True, False)
    >>> has_name("rated ip66", "IP"), has_name("an s30", "S3")
    (True, False)
    >>> has_name("a (pi) or two", "Pi"), has_name("typical", "Pi")
    (True, False)
    >>> has_name("der hauptantrag", "Hauptantrags", in_english=False), has_name("aunt rogers", "Rogerson")
    (True, False)
    >>> has_name("ein antrag an den notfonds", "Notfonds-Antrag"), has_name("the boat camp", "BoatCamp")
    (True, True)
    """
    return (
        _has_name(plain, name)
        or any(form.search(plain) for form in _other_forms(name, in_english))
        or (_has_parts(plain, name, in_english))
    )


def _has_parts(plain: str, name: str, in_english: bool) -> bool:
    parts = name.split("-")
    is_long = all(len(part) >= _LEAST_OF_COMPOUND and part.isalpha() for part in parts)
    return len(parts) > 1 and is_long and all(has_name(plain, part, in_english=in_english) for part in parts)


@lru_cache(maxsize=1000)
def _other_forms(name: str, in_english: bool) -> tuple[re.Pattern[str], ...]:
    """For a name that is written otherwise: "Boat Camp" for BoatCamp, "Antrag" for Antrags."""
    forms: list[str] = []
    parts = _CAMEL.findall(name) if name.isalnum() else []
    if len(parts) > 1 and "".join(parts) == name and min(map(len, parts)) > 1:
        forms.append(rf"(?<![^\W_]){'[ _-]'.join(folded(part) for part in parts)}")
    if not in_english and name.isalpha() and not name.isupper():
        word = folded(name)
        forms += [
            rf"{re.escape(bare)}(?:{_ENDINGS})?(?![^\W\d_])"
            for ending in _ENDINGS.split("|")
            if word.endswith(ending) and len(bare := word.removesuffix(ending)) >= _LEAST_OF_STEM
        ]
    return tuple(map(re.compile, forms))


def _has_name(plain: str, name: str) -> bool:
    word = folded(name)
    if not (name.isupper() and len(name) > 1):
        # "Pi" is no part of "typical"; "Schere" is one of "Heckenschere".
        return word in plain if len(word) >= _LEAST_OF_COMPOUND else f" {word}" in _spaced(plain)
    behind = r"(?![^\W_])" if word[-1].isdigit() else r"(?![^\W\d_])"
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?:'?s)?{behind}", plain) is not None


def _spaced(plain: str) -> str:
    """A text with a blank before each of its words, and nothing else but letters and digits."""
    return f" {' '.join(_LETTERS_AND_DIGITS.findall(plain))}"


def names_in(text: str, plain: str) -> list[Name]:
    """The names in a text, given also without markup (`unmarked`), in order; none inside another."""
    names: list[Name] = []
    occupied = bytearray(len(plain))

    def add(start: int, end: int, kind: str) -> None:
        while end > start and plain[end - 1] in ".,;:'&-":
            end -= 1
        if kind == "name" and _NUMBER_BEFORE.search(plain, max(0, start - _LONGEST_NUMBER), start):
            start = _behind_unit(plain, start, end)
        quote = plain[start:end]
        degree = "°" if plain.endswith(("°", "° "), 0, start) else ""
        dollar = "$" if plain.startswith("$", end) else ""
        is_unit = any(map(unit_named, (quote, degree + quote, quote + dollar)))
        if not quote or quote.lower() in _ABBREVIATIONS or is_unit:
            return
        if not any(occupied[start:end]):
            occupied[start:end] = b"\1" * (end - start)
            names.append(Name(start, end, quote, kind))

    for match in _SERIAL.finditer(plain):
        if _is_serial(match[0]):
            add(*match.span(), "serial")
    for match in _QUOTED.finditer(plain):
        add(match.start(1), match.end(1), _quoted_kind(match[1]))
    for match in _CODE_MARKED.finditer(text):
        if re.search(r"[A-Za-z]", match[2]) and len(match[2].split()) == 1:
            start = match.start(2) + len(match[2]) - len(match[2].lstrip("~!:"))
            add(start, match.end(2), "code")
    for match in _VERSION.finditer(plain):
        if match["after"] and (unit_named(match[0].split()[0]) or _is_amount(match, plain)):
            continue  # "EUR 1.500"
        add(*match.span(match.lastgroup or 0), "version")
    capitalized = [
        (start, end)
        for match in _CAPITALIZED.finditer(plain)
        for start, end in _without_opening(plain, match.start(), match.end())
    ]
    for start, end in capitalized:
        if _HAS_INNER_CAPITAL.search(plain[start:end]):
            add(start, end, "name")
    for match in _IDENTIFIER.finditer(plain):
        if _AMOUNTS.fullmatch(match[0]):
            continue
        add(match.start(), match.end(), "code")
    for start, end in capitalized:
        add(start, end, "name")
    return sorted((name for name in names if not _explained(name, plain)), key=lambda name: name.start)


def _is_amount(version: re.Match[str], plain: str) -> bool:
    """Whether a number behind a capital is an amount: "Repairs 1.500 €"."""
    unit = _UNIT_BEHIND.match(plain, version.end())
    in_threes = _IN_THREES.fullmatch(version["after"])
    return bool(in_threes) or (unit is not None and unit_named(unit[1]) is not None)


def _behind_unit(plain: str, start: int, end: int) -> int:
    """Where a name begins behind a number: "5 Millionen Euro Schaden" and "30 Minuten Pause" count."""
    if multiplier := _MULTIPLIER.match(plain, start, end):
        start = multiplier.end()
    first = _FIRST_WORD.match(plain, start, end)
    return first.end() if first and unit_named(first[1]) else start


def _is_serial(code: str) -> bool:
    """Whether at least two of its parts have digits, and it is no date."""
    with_digits = sum(any(map(str.isdigit, part)) for part in code.split("-"))
    return with_digits > 1 and not any((date.start, date.end) == (0, len(code)) for date in dates_in(code))


def versions_in(text: str) -> tuple[str, ...]:
    """The versions in a text without markup, in order."""
    return tuple(name.text for name in names_in(text, text) if name.kind == "version")


def version_of_heading(heading: str) -> str:
    """The version that a heading is of, empty where it is of none: also a number that is none in running
    text, where it opens a heading that states a day, or is all that the heading says besides its day.

    >>> version_of_heading("1.4 (2026-07-14)"), version_of_heading("[1.0b2] - 2026-07-14: new lids")
    ('1.4', '1.0b2')
    >>> version_of_heading("2.5 litres are enough (2026-07-14)"), version_of_heading("14.07.2026")
    ('', '')
    """
    dates = dates_in(heading)
    numbers = [] if (opening := _opening_version(heading, dates)) is None else [opening]
    numbers += [name.span for name in names_in(heading, heading) if name.kind == "version"]
    return next((heading[slice(*span)] for span in numbers if not _is_day(heading, span, dates)), "")


def version_heading(headings: Sequence[str]) -> str:
    """The nearest of the headings above a text, the outermost first, that is of a version; "" without one."""
    return next((heading for heading in reversed(headings) if version_of_heading(heading)), "")


def _opening_version(heading: str, dates: Sequence[StatedDate]) -> tuple[int, int] | None:
    match = _OPENING_VERSION.match(heading)
    if match is None:
        return None
    is_alone = not any(
        character.isalnum() and not any(stated.start <= at < stated.end for stated in dates)
        for at, character in enumerate(heading[match.end("version") :], match.end("version"))
    )
    if "." in match["version"]:
        is_version = is_alone or (bool(dates) and unit_named(match["next"] or "") is None)
    else:
        is_version = is_alone and bool(dates)
    return match.span("version") if is_version else None


def _is_day(heading: str, span: tuple[int, int], dates: Sequence[StatedDate]) -> bool:
    """Whether a number is of a date. One with stops that begins with the year ("2026.07.14") is a version,
    too: so some count their releases."""
    number = heading[slice(*span)]
    begins_with = number.split(".")[0] if "." in number else None
    return any(
        stated.start < span[1] and span[0] < stated.end and str(stated.year) != begins_with
        for stated in dates
    )


def _explained(name: Name, plain: str) -> bool:
    """Whether a name is only the abbreviation, in brackets, of the words before it."""
    if plain[name.start - 1 : name.start] != "(" or plain[name.end : name.end + 1] != ")":
        return False
    letters = iter(plain[max(0, name.start - 80) : name.start].lower())
    return any(map(str.isupper, name.text)) and all(
        character in letters for character in name.text.lower().rstrip("s") if character.isalnum()
    )


def _quoted_kind(quote: str) -> str:
    """A quotation, unless it is one word or a title, which sources write with small differences."""
    if " " not in quote.strip():
        return "code"
    long = [word for word in re.findall(r"[^\W_]+", quote) if len(word) > 3]
    return "name" if long and all(word[0].isupper() or word[0].isdigit() for word in long) else "quote"


def _without_opening(plain: str, start: int, end: int) -> list[tuple[int, int]]:
    """The range of a capitalized sequence, less words that are capitals only as a sentence's beginning."""
    said = plain[start:end]
    words = list(re.finditer(r"\S+", said))
    if _opens(plain, start):
        label = plain[end : end + 1] == ":"
        first = words[0][0].strip(".,;:")
        own = (
            bool(_INNER_CAPITAL.search(first)) or plain.count(first, max(0, start - _NEAR), start + _NEAR) > 1
        )
        if label and not own:
            return []
        if not own or first.lower() in FUNCTION_WORDS:
            words = words[1:]
    words = list(dropwhile(_is_no_name, words))
    while words and (words[-1][0].strip(".,") in _NO_NAME or _is_title(plain, start + words[-1].end())):
        words.pop()
    return [(start + words[0].start(), start + words[-1].end())] if words else []


def _is_no_name(word: re.Match[str]) -> bool:
    bare = word[0].strip(".,")
    return bare in _NO_NAME or bare.lower() in FUNCTION_WORDS


def _is_title(plain: str, end: int) -> bool:
    """Whether a title or rank that is short for a word ends there, before its stop or behind it."""
    end += plain.startswith(".", end)
    return bool(_BEHIND_TITLE.search(plain, max(0, end - _LONGEST_TITLE), end))


def _opens(plain: str, start: int) -> bool:
    """Whether a sentence, or what follows a colon, begins there; "Dr." before a name ends none."""
    before = plain[max(0, start - _OPENING_MARKS) : start].rstrip(_BEFORE_SENTENCE)
    if _BEHIND_TITLE.search(before, max(0, len(before) - _LONGEST_TITLE)):
        return False
    return before[-1] in ".!?:;|-#" if before else start <= _OPENING_MARKS
