"""What the rare words of a query mean: names and versions that must stand first, and typing errors.

The index holds hashes of stems, no list of words. So an unknown word is corrected by trying each word
that is one edit away (Damerau, "A technique for computer detection and correction of spelling errors",
1964): a few hundred, looked up together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from bob.core.search import NO_FILTERS, Filters
from bob.search.index import (
    ChunkTexts,
    View,
    chunk_texts,
    frequency,
    known_terms,
    mask_of,
    rows_with_all,
)
from bob.search.query import documents_matching
from bob.search.ranking import Floats, Ids, Mask
from bob.storage.database import Database
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.words import composed, query_terms, uncached_hashes, words_among, words_of

FEW = 2
"""A word that so many passages have, or fewer, is rare."""

MOST_FORMS = 24
"""Where so many passages have the stem of a word, or fewer, those are looked for that write it as the query
does."""

LEAST_SHARE = 0.15
"""A rare word decides only where it is at least this share of the query, by rarity: in a long question it is
one word among many."""

MOST_MATCHES = 4
"""A version or dotted name that more passages have is no rare one, and brings none of them to the front."""

LEAST_ROWS = 100
"""Among fewer passages every word is rare, and that says nothing."""

MOST_READ = 100
"""Of the passages that have all parts of a version or dotted name, so many are read for the whole of it,"""

READ_AT_ONCE = 25
"""so many at a time."""

MOST_TRIED = 8
"""So many corrections of a word are looked for in passages,"""

MOST_LOOKED_AT = 20
"""in so many passages each."""

_SHORTEST_CORRECTED = 5
_ENDINGS = (
    *(("s", ""), ("es", ""), ("ies", "y"), ("ly", "")),
    *(("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")),
)
_SHORTEST_BARE = 4
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_WHOLE = re.compile(
    r"(?<![\w.])\.[A-Z]{2,}\b|(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)|(?<![\w.\-/])\w+(?:[.\-/_:]\w+)+(?![\w\-/])"
)
_V_OF_VERSION = re.compile(r"^v(?=\d)", re.IGNORECASE)
_NUMBERED = re.compile(r"\d+\.\d")
_TELLING = re.compile(r"\d|[a-z]\.[a-z]|_|[+#]|^\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Exact:
    """The rows that have a name or version of the query as it is written, and how rare that is."""

    rows: Ids
    idf: float


@dataclass(frozen=True, slots=True)
class Rare:
    """How rare a query's rare words are, added up, and the rows that have its names and versions."""

    idf: float
    exact: list[Exact]


NOTHING_RARE = Rare(0.0, [])


class RareWords:
    """Reads the rare words of queries with one organization's passages beside them."""

    def __init__(self, database: Database, is_english: Callable[[str], bool]) -> None:
        """`is_english` tells of a word in lower case whether it is a word of English."""
        self._database = database
        self._is_english = is_english

    def corrections(
        self, view: View, mask: Mask, text: str, unknown: set[tuple[int, ...]], scope: Filters
    ) -> tuple[tuple[str, str], ...]:
        """For each word of a text whose terms are `unknown`, since no row of the mask has them, the likeliest
        word that is meant: one edit away, with the same first letter. A word that a file of the `scope` has,
        which the mask leaves out for another reason, is no typing error.

        What is a word of English, or a form of one, is meant as it is typed, and so is one with a figure.
        Where there are documents of other languages, whose words are not known, only long words are
        corrected, and no letter is replaced by another.
        """
        in_scope = view.current
        if scope != NO_FILTERS:
            with self._database.read() as transaction:
                in_scope = mask_of(view, documents_matching(transaction, scope))
        nowhere = {group for group in unknown if not frequency(view, group, in_scope)}
        careful = bool(set(view.languages) - {"en"})
        corrections: list[tuple[str, str]] = []
        for word in words_among(text, nowhere, view.languages):
            lower = word.lower()
            if len(word) < _SHORTEST_CORRECTED + 2 * careful or not word.isalpha():
                continue
            if lower in QUERY_STOP_WORDS or any(map(self._is_english, _bare_forms(lower))):
                continue
            likeliest = _likeliest(view, mask, lower, replaced=not careful)
            correction = next((near for near in likeliest if self._stands(view, mask, near)), None)
            if correction is not None:
                corrections.append((word, correction))
        return tuple(corrections)

    def find_exact(
        self,
        view: View,
        mask: Mask,
        text: str,
        groups: Sequence[Sequence[int]],
        idfs: Floats,
        scores: Floats,
    ) -> Rare:
        """The versions, dotted names and names of a query, with the rows that have them as they are written;
        in a query of bare words, which makes no sentence, every rare word and every rare form of a word.
        `groups` are the terms of the query's words with their `idfs`, `scores` are those of the rows by
        words."""
        seldom = seldom_rows(view, mask, groups, idfs)
        rare = [(group, rows, idf) for group, rows, idf in seldom if len(rows) <= FEW]
        words = words_of(text) if seldom else []
        bare = not any(word.lower() in QUERY_STOP_WORDS for word in words)
        typed = {tuple(query_terms(word, view.languages)[0]): word for word in words}
        rarest = max((idf for _, _, idf in seldom), default=1.0)
        tests: list[tuple[Ids, float, Callable[[ChunkTexts], bool]]] = []
        idf_of = dict(zip(map(tuple, groups), idfs.tolist(), strict=True))
        exact: list[Exact] = []
        of_wholes: set[tuple[int, ...]] = set()
        for whole in whole_words(text):
            rows = self._rows_with_whole(view, mask, whole, scores)
            terms = set(chain(*query_terms(whole, view.languages)))
            parts = {group for group in idf_of if not terms.isdisjoint(group)}
            # All of its parts in one place are rarer than each of them.
            exact.append(Exact(rows, max(rarest, sum(idf_of[part] for part in parts))))
            of_wholes |= parts if len(rows) else set()
        for group, rows, idf in seldom if bare else rare:
            word = typed[tuple(group)]
            if tuple(group) in of_wholes:
                continue
            if len(rows) > FEW:
                tests.append((rows, rarest, partial(has_form, word=word)))
            else:
                tests.append((rows, idf, _any_chunk if bare else partial(has_name, word=word)))
        exact += [Exact(self._rows_where(has, view, rows), idf) for rows, idf, has in tests]
        total = sum(idf for _, _, idf in rare)
        return Rare(total, [match for match in exact if 0 < len(match.rows) <= MOST_MATCHES])

    def _stands(self, view: View, mask: Mask, word: str) -> bool:
        """Whether a word stands as it is in one of the first rows that have its stem: "sitly" has that of
        "sit"."""
        rows = np.flatnonzero(mask & rows_with_all(view, query_terms(word, view.languages)))
        chunks = self._chunks(view, rows[:MOST_LOOKED_AT].tolist()).values()
        return any(_written(chunk, word) for chunk in chunks)

    def _rows_with_whole(self, view: View, mask: Mask, whole: str, scores: Floats) -> Ids:
        """The rows that have a version or name as it is written, or, where none has, as a version with a v or
        without it."""
        rows = np.empty(0, np.int64)
        for form in dict.fromkeys((whole, other_form(whole))):
            named = partial(has_whole, whole=form.lower(), pattern=_whole_pattern(form))
            rows = self._rows_where(named, view, _rows_with_parts(view, mask, form, scores))
            if len(rows):
                break
        return rows

    def _rows_where(self, has: Callable[[ChunkTexts], bool], view: View, rows: Ids) -> Ids:
        """Those of the rows whose chunk passes a test; once these are too many, no more are looked for."""
        matches: list[int] = []
        for begin in range(0, len(rows), READ_AT_ONCE):
            chunks = self._chunks(view, rows[begin : begin + READ_AT_ONCE].tolist())
            matches += [row for row, chunk in chunks.items() if has(chunk)]
            if len(matches) > MOST_MATCHES:
                break
        return np.array(matches, np.int64)

    def _chunks(self, view: View, rows: Sequence[int]) -> dict[int, ChunkTexts]:
        """The texts of the rows' chunks, by row."""
        if not len(rows):
            return {}
        ids = {row: int(view.chunk_ids[row]) for row in rows}
        with self._database.read() as transaction:
            chunks = chunk_texts(transaction, list(ids.values()))
        return {row: chunks[chunk_id] for row, chunk_id in ids.items() if chunk_id in chunks}


def _bare_forms(word: str) -> Iterator[str]:
    """A word as it is, and without an ending of English: "stinks" is a form of "stink"."""
    yield word
    for ending, instead in _ENDINGS:
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= _SHORTEST_BARE:
            yield bare + instead


def other_form(whole: str) -> str:
    """A version without its v, or with one; anything else as it is.

    >>> other_form("v2.4.2"), other_form("2.4.2"), other_form("asyncio.run"), other_form("21-1834")
    ('2.4.2', 'v2.4.2', 'asyncio.run', '21-1834')
    """
    if _V_OF_VERSION.match(whole):
        return whole[1:]
    return f"v{whole}" if _NUMBERED.match(whole) else whole


def with_corrections(text: str, corrections: Iterable[tuple[str, str]]) -> str:
    """The text with some words replaced."""
    text = composed(text)
    for typed, word in corrections:
        text = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", word, text)
    return text


def whole_words(text: str) -> list[str]:
    """The versions, numbers of series, dotted names and the like in a query: what means something as a whole.

    >>> whole_words("Does asyncio.run of Python 3.11.2 close CVE-2021-44228 in C++ and a well-known .NET?")
    ['asyncio.run', '3.11.2', 'CVE-2021-44228', 'C++', '.NET']
    """
    return [match[0] for match in _WHOLE.finditer(text) if _TELLING.search(match[0])]


def seldom_rows(
    view: View, mask: Mask, groups: Sequence[Sequence[int]], idfs: Floats
) -> list[tuple[Sequence[int], Ids, float]]:
    """The words that few rows have and that weigh enough in a query: their terms, rows and idf."""
    if np.count_nonzero(mask) < LEAST_ROWS:
        return []
    least = LEAST_SHARE * float(idfs.sum())
    return [
        (group, np.flatnonzero(mask & rows_with_all(view, [group])), float(idf))
        for group, idf in zip(groups, idfs, strict=True)
        if idf >= least and 0 < frequency(view, group, mask) <= MOST_FORMS
    ]


def _whole_pattern(whole: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.\-/]){re.escape(whole)}(?![\w\-/]|\.\w)", re.IGNORECASE)


def has_whole(chunk: ChunkTexts, whole: str, pattern: re.Pattern[str]) -> bool:
    """Whether a passage, its title or a heading has a version or dotted name, given in lower case.

    `pattern` finds it as a whole, and is much slower than to see that it is not there.
    """
    return any(whole in text.lower() and pattern.search(text) for text in chunk.texts)


def has_form(chunk: ChunkTexts, word: str) -> bool:
    """Whether a passage has a word in this form."""
    return bool(_written(chunk, word))


def has_name(chunk: ChunkTexts, word: str) -> bool:
    """Whether a passage writes a word as a name, and never otherwise: with a capital, an underscore or a
    figure; in German, where every noun has a capital, with one inside."""
    begin = 1 if chunk.language == "de" else 0
    written = _written(chunk, word)
    return bool(written) and all(any(map(str.isupper, w[begin:])) or not w.isalpha() for w in written)


def _any_chunk(_: ChunkTexts) -> bool:
    return True


def _written(chunk: ChunkTexts, word: str) -> list[str]:
    """How a passage, its title and its headings write a word, as often as they do."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    return [found for text in chunk.texts for found in pattern.findall(text)]


def _rows_with_parts(view: View, mask: Mask, whole: str, scores: Floats) -> Ids:
    """The rows that have all words of a version or dotted name somewhere, the best of them by words."""
    rows = np.flatnonzero(mask & rows_with_all(view, query_terms(whole, view.languages)))
    return rows[np.argsort(-scores[rows], kind="stable")][:MOST_READ]


def _one_edit_away(word: str, *, replaced: bool) -> Iterator[str]:
    """The words with the same first letter; `replaced` tells whether a letter may be another."""
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in _LETTERS:
            yield before + letter + after
            if after and replaced:
                yield before + letter + after[1:]


def _likeliest(view: View, mask: Mask, word: str, *, replaced: bool) -> list[str]:
    """Words one edit away whose stems are known, first those whose stem most rows have."""
    languages = view.languages or ("en",)
    tried = {
        near: [term for language in languages for term in uncached_hashes(near, language)]
        for near in set(_one_edit_away(word, replaced=replaced))
    }
    known = known_terms(view, chain(*tried.values()))
    counts = {near: frequency(view, list(known.intersection(terms)), mask) for near, terms in tried.items()}
    ranked = sorted((near for near, rows in counts.items() if rows), key=lambda near: (-counts[near], near))
    return ranked[:MOST_TRIED]
