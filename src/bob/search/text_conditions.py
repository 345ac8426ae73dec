"""Phrases and excluded words, looked for in the texts themselves: the index knows only which words occur, by
their stems and without their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bob.core.search import Query
from bob.search.index import View, chunk_texts, rows_with_all
from bob.search.ranking import Floats, Ids, Mask
from bob.storage.database import Database
from bob.text.words import folded, query_terms, unmarked

READ_AT_ONCE = 500

MOST_READ = 10_000
"""So many passages are read before rows are ranked, a second's work; of the others only the hits are."""

_EMPHASIS = re.compile(r"(?<![\w*])[*_]+(?=\w)|(?<=\w)[*_]+(?![\w*])")
_BEFORE_MARK = re.compile(r"\s+([,;:!?)]|\.(?!\d))")
_WITHOUT_SPACES = re.compile(
    r"[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
"""Scripts in which words stand without spaces, or have words as endings: a phrase has no borders there."""


def plain_text(text: str) -> str:
    """The text as phrases are compared: without case, accents, markup and kinds of marks, with single blanks.

    >>> plain_text("The **retry** limit of “São Paulo”, don’t")
    'the retry limit of "sao paulo", don\\'t'
    """
    words = " ".join(folded(_EMPHASIS.sub("", unmarked(text))).split())
    return _BEFORE_MARK.sub(r"\1", words)


@dataclass(frozen=True, slots=True)
class _Wording:
    """A phrase or word: `pattern` finds it in a plain text, `words` finds its words in their order in a text
    as it is written, which takes a tenth of the time."""

    pattern: re.Pattern[str]
    words: re.Pattern[str]

    def may_be_in(self, text: str) -> bool:
        """Whether the plain text has to be looked at."""
        return not text.isascii() or "`" in text or "](" in text or self.words.search(text) is not None

    def is_in(self, text: str) -> bool:
        """Whether a text has it."""
        return self.may_be_in(text) and self.pattern.search(plain_text(text)) is not None


class TextConditions:
    """The phrases that a query asks for, and the words and phrases that it excludes."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._phrases = [wording for phrase in query.phrases if (wording := _wording(phrase))]
        self._excluded = [
            wording for phrase in query.excluded if (wording := _wording(phrase, or_plural=True))
        ]

    def are_met(self, texts: Iterable[str]) -> bool:
        """Whether a passage passes, given with its title and headings: each phrase is in one of them, and
        nothing that is excluded is in any."""
        texts = tuple(texts)
        return all(any(map(phrase.is_in, texts)) for phrase in self._phrases) and not any(
            wording.is_in(text) for wording in self._excluded for text in texts
        )

    def with_words(self, view: View, mask: Mask) -> Mask:
        """The rows of a mask that have the words of every phrase, in whatever order and form."""
        for phrase in self._query.phrases:
            mask = mask & rows_with_all(view, query_terms(phrase, view.languages))
        return mask

    def narrowed(self, database: Database, view: View, mask: Mask, order: Floats, enough: int) -> Mask:
        """The rows of a mask (`with_words`) but those that turn out not to pass when they are read.

        `order` has what speaks for each row. Those with the most are read first, until `enough` pass; what
        nothing speaks for, and what is left, stays in the mask unread.
        """
        unsure = np.zeros(view.rows, dtype=np.bool_) if not self._phrases else mask.copy()
        for phrase in self._query.excluded:
            unsure |= mask & rows_with_all(view, query_terms(phrase, view.languages))
        rows = np.flatnonzero(unsure & (order > 0))
        rows = rows[np.argsort(-order[rows], kind="stable")][:MOST_READ]
        mask, passed = mask.copy(), 0
        for begin in range(0, len(rows), READ_AT_ONCE):
            piece = rows[begin : begin + READ_AT_ONCE]
            passing = self._passing(database, view, piece)
            mask[piece] = passing
            passed += int(np.count_nonzero(passing))
            if passed >= enough:
                break
        return mask

    def _passing(self, database: Database, view: View, rows: Ids) -> Mask:
        """Which of the rows pass; shape (len(rows),)."""
        ids: Sequence[int] = view.chunk_ids[rows].tolist()
        with database.read() as transaction:
            chunks = chunk_texts(transaction, ids)
        return np.array([each in chunks and self.are_met(chunks[each].texts) for each in ids], np.bool_)


def _wording(phrase: str, *, or_plural: bool = False) -> _Wording | None:
    """A phrase, or a word with its plain plural, as whole words: "1.2" is not in "1.20" or "1.2.3". None
    where nothing is left of it as a plain text."""
    plain = plain_text(phrase)
    if not plain:
        return None
    forms = re.escape(plain)
    or_plural = or_plural and plain.isalpha()
    words = re.findall(r"[^\W_]+", plain.removesuffix("y") if or_plural else plain)
    if or_plural:
        forms = rf"{forms}(?:e?s)?" + (rf"|{re.escape(plain[:-1])}ies" if plain[-1] == "y" else "")
    before = after = ""
    if plain[0].isalnum() and not _WITHOUT_SPACES.match(plain[0]):
        before = r"(?<!\w)(?<!\d\.)" if plain[0].isdigit() else r"(?<!\w)"
    if plain[-1].isalnum() and not _WITHOUT_SPACES.match(plain[-1]):
        # C is not in C++ and C#.
        after = r"(?!\w|\.\d|\+\+|#)"
    return _Wording(
        re.compile(rf"{before}(?:{forms}){after}"),
        re.compile(r"[\W_]*".join(map(re.escape, words)), re.IGNORECASE),
    )
