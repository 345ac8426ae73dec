"""The words of a text: as they are compared, with their stems and places whatever markup stands around them,
and as terms of the word index: lower-cased, split, stemmed, hashed.

A posting is one 64-bit number: 52 bits of the term's hash, 4 bits of its count in the headings, 8 bits of
its count in the text, both counts capped. So a chunk's postings are one sorted array, no vocabulary table
has to be kept in step between processes, and a whole index is inverted by sorting numbers. With a million
different terms the chance that any two of them share a hash is about 1 in 10,000.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from bob.text.dates import dates_in
from bob.text.portuguese_plurals import singular_of
from bob.text.stop_words import FUNCTION_WORDS, QUERY_STOP_WORDS

_WORD_OF_PROSE = re.compile(r"[Nn]on-[^\W\d_]{3,}|[^\W_]+(?:'[^\W\d_]+)?")
_ROLE = re.compile(
    r":(?:[a-z]+:)?[a-z+-]+:(?=`)|(?<=`)[~!](?=\w)|\s<[^<>`\n]*>(?=`)|(?<=\])\([^()\s]*\)|\]\([^()\s]*\)"
)
_NUMBERED_ROLE = re.compile(r":(pep|rfc|cve):(?=`)")
_SAME_LENGTH = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "\u2011": "-",
        "−": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "\n": " ",
        "\t": " ",
        "\r": " ",
    }
)

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\u00a0": " "})


def with_plain_marks(text: str) -> str:
    """The text with plain quotation marks and blanks."""
    return text.translate(_MARKS)


def folded(text: str) -> str:
    """The text as it is compared: no case, no accents, plain quotation marks."""
    if text.isascii():
        return text.casefold()
    return _without_accents(text.translate(_MARKS)).casefold()


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join([character for character in apart if not unicodedata.combining(character)])


def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of the phrases in a folded text, at word borders, the longest first; none in no phrases."""
    return re.compile(rf"(?<!\w)(?:{_either(phrases)})(?!\w)")


def opening_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Matches a folded text that begins with any of the phrases."""
    return re.compile(rf"\W*(?:{_either(phrases)})(?!\w)")


def _either(phrases: Iterable[str]) -> str:
    words = sorted(
        {" ".join(folded(phrase).split()) for phrase in phrases} - {""},
        key=lambda phrase: (-len(phrase), phrase),
    )
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words) or r"(?!)"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its range, the word in lower case and its stem."""

    start: int
    end: int
    text: str
    stem: str

    @property
    def carries_meaning(self) -> bool:
        """Whether the word is more than grammar."""
        return self.text not in FUNCTION_WORDS


STEMMERS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
}
_DEFAULT_LANGUAGE = "en"


class Stemmer(Protocol):
    """The one call of PyStemmer that is used."""

    def stemWord(self, word: str) -> str:  # noqa: N802 - the library's name
        """The stem of a lower-case word."""


class _OfSingulars:
    """Snowball's stemmer of Portuguese, which knows of few plurals."""

    def __init__(self, snowball: Stemmer) -> None:
        self._snowball = snowball

    def stemWord(self, word: str) -> str:  # noqa: N802 - as the library has it
        """The stem of a word in the singular."""
        return self._snowball.stemWord(singular_of(word))


@lru_cache(maxsize=16)
def _stemmer(language: str) -> Stemmer:
    import Stemmer as pystemmer  # noqa: N813 - the library is named like its class

    made: Stemmer = pystemmer.Stemmer(STEMMERS[language])
    return _OfSingulars(made) if language == "pt" else made


def _stemmer_of(language: str) -> Stemmer:
    return _stemmer(language if language in STEMMERS else _DEFAULT_LANGUAGE)


@lru_cache(maxsize=50_000)
def stem(word: str, language: str = _DEFAULT_LANGUAGE) -> str:
    """The stem of a word in lower case. With the stems of English, words of other languages lose at least
    what English ones would."""
    return _stemmer_of(language).stemWord(word.removesuffix("'s"))


def unmarked(text: str) -> str:
    """The text with plain quotes and dashes and blanks for markup, each character at its place."""
    plain = text.translate(_SAME_LENGTH)
    plain = _NUMBERED_ROLE.sub(lambda match: f" {match[1].upper()} ", plain)
    plain = _ROLE.sub(lambda match: " " * len(match[0]), plain)
    return plain.replace("`", " ").replace("**", "  ")


def words_in(plain: str, language: str = _DEFAULT_LANGUAGE) -> tuple[Word, ...]:
    """The words of a text without markup (`unmarked`), with the stems of a language."""
    return tuple(
        Word(match.start(), match.end(), lower, stem(lower, language))
        for match in _WORD_OF_PROSE.finditer(plain)
        for lower in (match[0].lower().replace("-", ""),)
    )


ANALYZER = "terms-3"
"""Names this way of making terms; stored with the index, so that a change rebuilds it."""

HEADING_BITS, TEXT_BITS = 4, 8
COUNT_BITS = HEADING_BITS + TEXT_BITS
_MOST_IN_HEADING, _MOST_IN_TEXT = (1 << HEADING_BITS) - 1, (1 << TEXT_BITS) - 1

_WORD = re.compile(r"\w+")
_VERSION = re.compile(r"v(\d+)", re.IGNORECASE)
_INNER_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SCRIPT_WITHOUT_SPACES = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def stems_of(text: str) -> set[str]:
    """The stems of the words of a text that say something; of "start_date" those of both parts."""
    words = words_of(text.replace("_", " ").lower())
    return {stem(word) for word in words if word not in QUERY_STOP_WORDS}


def words_of(text: str) -> list[str]:
    """The words of a text in order, as they are written, without punctuation, letters with their accents."""
    return _WORD.findall(composed(text))


def composed(text: str) -> str:
    """The text with each accent and its letter as one character, as most texts are: a Mac writes two."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=200_000)
def term_hashes(word: str, language: str) -> tuple[int, ...]:
    """The hashes (52 bits each) of the terms that a written word stands for.

    `max_bytes` and `RotatingFileHandler` stand for themselves and for their parts, `v2` for itself and for 2;
    a run of Chinese or Japanese characters for its pairs.
    """
    if _SCRIPT_WITHOUT_SPACES.search(word):
        pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        return tuple(dict.fromkeys(_hash(pair) for pair in pairs))
    forms = [word]
    if version := _VERSION.fullmatch(word):
        forms.append(version[1])
    if "_" in word or (not word.islower() and not word.isupper() and not word.istitle()):
        parts = [part for part in _INNER_PARTS.findall(word) if len(part) > 1]
        if len(parts) > 1:
            forms += parts
    return tuple(dict.fromkeys(_hash(_stem_in(form.lower(), language)) for form in forms))


def hashed_words(texts: Iterable[tuple[str, str]]) -> list[list[tuple[str, tuple[int, ...]]]]:
    """The words of each text, given with its language, in order, each with the hashes of its terms
    (`term_hashes`)."""
    return [[(word, term_hashes(word, language)) for word in words_of(text)] for text, language in texts]


def uncached_hashes(word: str, language: str) -> tuple[int, ...]:
    """The same for a word that is only tried: keeping it would push out one that is used."""
    return term_hashes.__wrapped__(word, language)


def _stem_in(word: str, language: str) -> str:
    return _without_accents(_stemmer_of(language).stemWord(word))


@lru_cache(maxsize=1_000)
def date_terms(text: str) -> tuple[int, ...]:
    """The hashes of the months and days that a text states with their year, in whatever form: "27 March 2026"
    and "2026-03-27" both have "2026-03" and "2026-03-27"."""
    stated = [date for date in dates_in(text) if date.year and date.month]
    months = [f"{date.year}-{date.month:02}" for date in stated]
    days = [date.exact.isoformat() for date in stated if date.exact]
    return tuple(dict.fromkeys(_hash(term) for term in (*months, *days)))


def _hash(term: str) -> int:
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> COUNT_BITS


def postings(text: str, headings: Iterable[str], language: str | None) -> bytes:
    """The postings of a chunk: sorted 64-bit numbers, native byte order (see the module's docstring). A month
    or day that a heading states is a term of it in each form, and a word with accents is one without them as
    well: many type it so, and the stem of "sao" is not that of "são"."""
    headings = tuple(headings)
    language = language or _DEFAULT_LANGUAGE
    counts: dict[int, list[int]] = {term: [0, 1] for heading in headings for term in date_terms(heading)}
    for field, content in enumerate((text, " ".join(headings))):
        for word, count in Counter(words_of(content)).items():
            for term in _found_by(word, language):
                counts.setdefault(term, [0, 0])[field] += count
    packed = (
        (term << COUNT_BITS) | (min(in_heading, _MOST_IN_HEADING) << TEXT_BITS) | min(in_text, _MOST_IN_TEXT)
        for term, (in_text, in_heading) in counts.items()
    )
    return array("Q", sorted(packed)).tobytes()


def _found_by(word: str, language: str) -> tuple[int, ...]:
    """The terms by which a word of a text is found: those of Markdown's _emphasis_ also without the marks."""
    terms = term_hashes(word, language)
    if (bare := word.strip("_")) and bare != word:
        terms += term_hashes(bare, language)
    if word.isascii() or _SCRIPT_WITHOUT_SPACES.search(word):
        return tuple(dict.fromkeys(terms))
    return tuple(dict.fromkeys((*terms, _hash(_stem_in(_without_accents(word).lower(), language)))))


_CONTRACTED = re.compile(r"\b\w+n['’]t\b|(?<=\w)['’](?:s|t|d|m|ll|re|ve)\b", re.IGNORECASE)


def query_terms(text: str, languages: Iterable[str] = ()) -> list[tuple[int, ...]]:
    """For each word of a text that counts, the hashes under which documents of these languages may hold it.

    Stop words are left out unless there is nothing else, and so are "n't" with its verb and what an
    apostrophe puts behind a word ("Weber's"). A word that is asked twice counts once.
    """
    every = list(dict.fromkeys(words_of(_CONTRACTED.sub(" ", text)) or words_of(text)))
    content_words = [word for word in every if word.lower() not in QUERY_STOP_WORDS] or every
    spoken = dict.fromkeys((_DEFAULT_LANGUAGE, *languages))
    groups = [
        tuple(dict.fromkeys(h for lang in spoken for h in term_hashes(word, lang))) for word in content_words
    ]
    return list(dict.fromkeys(groups))


def words_among(text: str, groups: Container[tuple[int, ...]], languages: Iterable[str]) -> list[str]:
    """The words of a text, each once, whose terms (`query_terms`) are one of these groups."""
    spoken = tuple(languages)
    return [word for word in dict.fromkeys(words_of(text)) if query_terms(word, spoken)[0] in groups]
