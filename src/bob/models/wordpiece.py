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

Ranges = tuple[tuple[int, int], ...]


def _ranges(table: str) -> Ranges:
    pairs = (entry.partition("-") for entry in table.split())
    return tuple((int(first, 16), int(last or first, 16)) for first, _, last in pairs)


REMOVED = _ranges(
    "0-8 B-C E-1F 7F-9F AD 600-605 61C 6DD 70F 180E 200B-200F 202A-202E 2060-2064 2066-206F D800-F8FF "
    "FEFF FFF9-FFFB FFFD 110BD 1BCA0-1BCA3 1D173-1D17A E0001 E0020-E007F F0000-FFFFD 100000-10FFFD "
)
"""Controls, formats, private use and U+FFFD: dropped. Surrogates too, which the reference cannot hold."""

IDEOGRAPHS = _ranges("3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F ")
"""Each is a word of its own. 2B920 is the reference's spelling of 2B820; the ids depend on it."""

MARKS = _ranges(
    "300-36F 483-487 591-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-65F 670 6D6-6DC 6DF-6E4 6E7-6E8 "
    "6EA-6ED 711 730-74A 7A6-7B0 7EB-7F3 816-819 81B-823 825-827 829-82D 859-85B 8E3-902 93A 93C "
    "941-948 94D 951-957 962-963 981 9BC 9C1-9C4 9CD 9E2-9E3 A01-A02 A3C A41-A42 A47-A48 A4B-A4D A51 "
    "A70-A71 A75 A81-A82 ABC AC1-AC5 AC7-AC8 ACD AE2-AE3 B01 B3C B3F B41-B44 B4D B56 B62-B63 B82 BC0 "
    "BCD C00 C3E-C40 C46-C48 C4A-C4D C55-C56 C62-C63 C81 CBC CBF CC6 CCC-CCD CE2-CE3 D01 D41-D44 D4D "
    "D62-D63 DCA DD2-DD4 DD6 E31 E34-E3A E47-E4E EB1 EB4-EB9 EBB-EBC EC8-ECD F18-F19 F35 F37 F39 "
    "F71-F7E F80-F84 F86-F87 F8D-F97 F99-FBC FC6 102D-1030 1032-1037 1039-103A 103D-103E 1058-1059 "
    "105E-1060 1071-1074 1082 1085-1086 108D 109D 135D-135F 1712-1714 1732-1734 1752-1753 1772-1773 "
    "17B4-17B5 17B7-17BD 17C6 17C9-17D3 17DD 180B-180D 18A9 1920-1922 1927-1928 1932 1939-193B "
    "1A17-1A18 1A1B 1A56 1A58-1A5E 1A60 1A62 1A65-1A6C 1A73-1A7C 1A7F 1AB0-1ABD 1B00-1B03 1B34 "
    "1B36-1B3A 1B3C 1B42 1B6B-1B73 1B80-1B81 1BA2-1BA5 1BA8-1BA9 1BAB-1BAD 1BE6 1BE8-1BE9 1BED "
    "1BEF-1BF1 1C2C-1C33 1C36-1C37 1CD0-1CD2 1CD4-1CE0 1CE2-1CE8 1CED 1CF4 1CF8-1CF9 1DC0-1DF5 "
    "1DFC-1DFF 20D0-20DC 20E1 20E5-20F0 2CEF-2CF1 2D7F 2DE0-2DFF 302A-302D 3099-309A A66F A674-A67D "
    "A69E-A69F A6F0-A6F1 A802 A806 A80B A825-A826 A8C4 A8E0-A8F1 A926-A92D A947-A951 A980-A982 A9B3 "
    "A9B6-A9B9 A9BC A9E5 AA29-AA2E AA31-AA32 AA35-AA36 AA43 AA4C AA7C AAB0 AAB2-AAB4 AAB7-AAB8 AABE- "
    "AABF AAC1 AAEC-AAED AAF6 ABE5 ABE8 ABED FB1E FE00-FE0F FE20-FE2F 101FD 102E0 10376-1037A "
    "10A01-10A03 10A05-10A06 10A0C-10A0F 10A38-10A3A 10A3F 10AE5-10AE6 11001 11038-11046 1107F-11081 "
    "110B3-110B6 110B9-110BA 11100-11102 11127-1112B 1112D-11134 11173 11180-11181 111B6-111BE "
    "111CA-111CC 1122F-11231 11234 11236-11237 112DF 112E3-112EA 11300-11301 1133C 11340 11366-1136C "
    "11370-11374 114B3-114B8 114BA 114BF-114C0 114C2-114C3 115B2-115B5 115BC-115BD 115BF-115C0 "
    "115DC-115DD 11633-1163A 1163D 1163F-11640 116AB 116AD 116B0-116B5 116B7 1171D-1171F 11722-11725 "
    "11727-1172B 16AF0-16AF4 16B30-16B36 16F8F-16F92 1BC9D-1BC9E 1D167-1D169 1D17B-1D182 1D185-1D18B "
    "1D1AA-1D1AD 1D242-1D244 1DA00-1DA36 1DA3B-1DA6C 1DA75 1DA84 1DA9B-1DA9F 1DAA1-1DAAF 1E8D0-1E8D6 "
    "E0100-E01EF "
)
"""Accents and other marks without width, dropped after decomposition."""

PUNCTUATION = _ranges(
    "21-2F 3A-40 5B-60 7B-7E A1 A7 AB B6-B7 BB BF 37E 387 55A-55F 589-58A 5BE 5C0 5C3 5C6 5F3-5F4 "
    "609-60A 60C-60D 61B 61E-61F 66A-66D 6D4 700-70D 7F7-7F9 830-83E 85E 964-965 970 AF0 DF4 E4F "
    "E5A-E5B F04-F12 F14 F3A-F3D F85 FD0-FD4 FD9-FDA 104A-104F 10FB 1360-1368 1400 166D-166E 169B-169C "
    "16EB-16ED 1735-1736 17D4-17D6 17D8-17DA 1800-180A 1944-1945 1A1E-1A1F 1AA0-1AA6 1AA8-1AAD "
    "1B5A-1B60 1BFC-1BFF 1C3B-1C3F 1C7E-1C7F 1CC0-1CC7 1CD3 2010-2027 2030-2043 2045-2051 2053-205E "
    "207D-207E 208D-208E 2308-230B 2329-232A 2768-2775 27C5-27C6 27E6-27EF 2983-2998 29D8-29DB "
    "29FC-29FD 2CF9-2CFC 2CFE-2CFF 2D70 2E00-2E2E 2E30-2E42 3001-3003 3008-3011 3014-301F 3030 303D "
    "30A0 30FB A4FE-A4FF A60D-A60F A673 A67E A6F2-A6F7 A874-A877 A8CE-A8CF A8F8-A8FA A8FC A92E-A92F "
    "A95F A9C1-A9CD A9DE-A9DF AA5C-AA5F AADE-AADF AAF0-AAF1 ABEB FD3E-FD3F FE10-FE19 FE30-FE52 "
    "FE54-FE61 FE63 FE68 FE6A-FE6B FF01-FF03 FF05-FF0A FF0C-FF0F FF1A-FF1B FF1F-FF20 FF3B-FF3D FF3F "
    "FF5B FF5D FF5F-FF65 10100-10102 1039F 103D0 1056F 10857 1091F 1093F 10A50-10A58 10A7F 10AF0-10AF6 "
    "10B39-10B3F 10B99-10B9C 11047-1104D 110BB-110BC 110BE-110C1 11140-11143 11174-11175 111C5-111C9 "
    "111CD 111DB 111DD-111DF 11238-1123D 112A9 114C6 115C1-115D7 11641-11643 1173C-1173E 12470-12474 "
    "16A6E-16A6F 16AF5 16B37-16B3B 16B44 1BC9F 1DA87-1DA8B "
)
"""Each is a word of its own."""


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
        """Raises KeyError: a special token is missing."""
        ids = dict(zip(vocabulary, count(), strict=False))
        self.first_id, self.last_id = ids["[CLS]"], ids["[SEP]"]
        """What stands before and after every text that a model reads."""
        self._words = _Words(ids)

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Reads a `vocab.txt` (UTF-8). Raises OSError if there is none."""
        return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    def encode_all(self, texts: Iterable[str]) -> list[list[int]]:
        """What `encode` gives for each of the texts."""
        return [self.encode(text) for text in texts]

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
