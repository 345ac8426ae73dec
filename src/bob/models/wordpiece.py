"""BERT's uncased WordPiece tokenizer: text to token ids, equal to the `tokenizers` library, without it.

The library is right but brings a hub client of 37 MB into an install that has to be small and offline, and
it is slower here than a dictionary of words seen before. The steps are those of BERT: clean, set ideographs
apart, decompose, drop accents, lower, split at spaces and punctuation, then take the longest piece of the
vocabulary again and again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, count
from pathlib import Path

from bob.models.bert_characters import IDEOGRAPHS, MARKS, PUNCTUATION, REMOVED, Ranges

UNKNOWN = "[UNK]"
LONGEST_WORD = 100
"""Characters; a longer word is one `[UNK]` (BERT's rule)."""

_CACHED_WORDS = 1 << 15
"""About 6 MB. Emptied when full: text repeats its words soon enough that this beats keeping an order."""

_CONTINUED = "##"
_SPECIAL = re.compile(r"\[(?:PAD|UNK|CLS|SEP|MASK)\]")


class WordPiece:
    """A vocabulary, one piece a line, the line number is the id. Safe to share between threads."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._ids = dict(zip(vocabulary, count(), strict=False))
        self._words = _Words(self._ids)

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Reads a `vocab.txt` (UTF-8). Raises OSError if there is none."""
        return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    def id_of(self, piece: str) -> int:
        """The id of a piece such as "[CLS]". Raises KeyError."""
        return self._ids[piece]

    def encode(self, text: str) -> list[int]:
        """All token ids in order; nothing is cut, no `[CLS]` or `[SEP]` is added.

        A special token that stands literally in the text gets its id, as in the library.
        """
        return list(chain.from_iterable(map(self._words.__getitem__, _words(text))))

    def count(self, text: str) -> int:
        """How many ids `encode` gives."""
        return sum(map(len, map(self._words.__getitem__, _words(text))))


class _Words(dict[str, tuple[int, ...]]):
    """The pieces of every word seen lately."""

    def __init__(self, ids: dict[str, int]) -> None:
        super().__init__()
        self._ids = ids
        self._unknown = (ids[UNKNOWN],)
        self._longest_piece = max(map(len, ids))

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= _CACHED_WORDS:
            self.clear()
        pieces = self[word] = self._pieces(word)
        return pieces

    def _pieces(self, word: str) -> tuple[int, ...]:
        if _SPECIAL.fullmatch(word):
            return (self._ids[word],)
        if len(word) > LONGEST_WORD:
            return self._unknown
        pieces: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest_piece), start, -1):
                piece = self._ids.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return self._unknown
            pieces.append(piece)
            start, prefix = end, _CONTINUED
        return tuple(pieces)


def _words(text: str) -> list[str]:
    """Lower-cased words and single punctuation marks; special tokens stay whole."""
    if "[" not in text or _SPECIAL.search(text) is None:
        return _plain_words(text)
    return list(chain.from_iterable(_around_special(text)))


def _around_special(text: str) -> Iterator[list[str]]:
    start = 0
    for special in _SPECIAL.finditer(text):
        yield _plain_words(text[start : special.start()])
        yield [special.group()]
        start = special.end()
    yield _plain_words(text[start:])


def _plain_words(text: str) -> list[str]:
    if text.isascii():
        return _split(text.translate(_ASCII), _ASCII_MARKS)
    # Most lines are ASCII even where some are not, and their path is many times faster.
    words: list[str] = []
    for line in text.split("\n"):
        if line.isascii():
            words += _split(line.translate(_ASCII), _ASCII_MARKS)
        else:
            decomposed = unicodedata.normalize("NFD", line.translate(_CLEANED))
            words += _split(decomposed.translate(_FOLDED), _MARKS)
    return words


def _split(text: str, marks: frozenset[str]) -> list[str]:
    # A replace a mark and one split take a third of the time of a regular expression.
    for mark in marks.intersection(text):
        text = text.replace(mark, f" {mark} ")
    return text.split()


def _within(code: int, ranges: Ranges) -> bool:
    return any(first <= code <= last for first, last in ranges)


class _Cleaned(dict[int, str]):
    """For `str.translate`, before decomposition: drops what is removed, sets spaces and ideographs."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if _within(code, REMOVED):
            character = ""
        elif character.isspace():
            character = " "
        elif _within(code, IDEOGRAPHS):
            character = f" {character} "
        self[code] = character
        return character


class _Folded(dict[int, str]):
    """For `str.translate`, after decomposition: drops marks and lowers each character by itself.

    By itself, because `str.lower` on a whole text writes a Greek sigma by its place in the word.
    """

    def __missing__(self, code: int) -> str:
        character = self[code] = "" if _within(code, MARKS) else chr(code).lower()
        return character


_CLEANED = _Cleaned()
_FOLDED = _Folded()
_ASCII = {code: _FOLDED[ord(cleaned)] if (cleaned := _CLEANED[code]) else "" for code in range(128)}
_MARKS = frozenset(chr(code) for first, last in PUNCTUATION for code in range(first, last + 1))
_ASCII_MARKS = frozenset(mark for mark in _MARKS if mark.isascii())
