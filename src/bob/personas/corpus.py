"""Cuts a persona's corpus into parts along its headings (SPEC J2).

Every line below the front matter is in exactly one part, in order. A `##` heading begins a part; one that is
longer than allowed is cut at its `###` headings, and what is still longer between paragraphs. A paragraph is
never cut. Equal headings name one facet, wherever they stand.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from markdown_it import MarkdownIt

from bob.personas.values import MARK, CorpusPart, Stance

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BLOCKS = MarkdownIt("commonmark").enable("table").disable(["normalize", "inline", "text_join"])

_STANCES: dict[str, Stance] = {name: name for name in get_args(Stance)}


@dataclass(frozen=True, slots=True)
class CutCorpus:
    """The parts of a corpus, and what is odd about its marks."""

    parts: tuple[CorpusPart, ...]
    notices: tuple[str, ...]


def cut_corpus(text: str, front_lines: int, most_tokens: int, count: Callable[[str], int]) -> CutCorpus:
    """The parts of a corpus of at most `most_tokens` tokens by `count`, but for longer paragraphs.

    `front_lines` lines of front matter at the top are left out. Lines end at a line feed.
    """
    corpus = _Corpus(text, front_lines)
    parts: list[CorpusPart] = []
    for first, last in corpus.sections(front_lines, len(corpus.lines), 2):
        title = corpus.headings.get(first, (0, ""))
        path = (title[1],) if title[0] == 2 else ()
        whole = corpus.part(first, last, path, count)
        if whole.tokens <= most_tokens:
            parts.append(whole)
            continue
        for begin, end in corpus.sections(first, last, 3):
            below = corpus.headings.get(begin, (0, ""))
            own = (*path, below[1]) if below[0] == 3 else path
            for piece in corpus.packed(begin, end, most_tokens, count):
                parts.append(corpus.part(*piece, own, count))
    return _marked(parts, corpus)


class _Corpus:
    """The lines of a corpus, counted from 0, with its headings and the lines at which blocks begin."""

    def __init__(self, text: str, front_lines: int) -> None:
        self.lines = text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        self._front = front_lines
        self.headings: dict[int, tuple[int, str]] = {}
        """By line: the level from 1 to 3, and the heading's text."""
        self._heading_lines: set[int] = set()
        """Of all levels, underlines included."""
        self.blocks: list[int] = []
        """Where blocks and the items of lists begin."""
        self.comments: set[int] = set()
        """Lines of HTML that stands by itself: only there a mark is one, and not in code."""
        self._read()

    def _read(self) -> None:
        plain = [line.rstrip("\r").replace("\r", " ") for line in self.lines[self._front :]]
        tokens = _BLOCKS.parse("\n".join(plain))
        for at, token in enumerate(tokens):
            if token.map is None:
                continue
            first, last = (line + self._front for line in token.map)
            if token.level == 0 or (token.level == 1 and token.type == "list_item_open"):
                self.blocks.append(first)
            if token.level == 0 and token.type == "heading_open":
                self._heading_lines |= set(range(first, last))
                if token.tag in ("h1", "h2", "h3"):
                    self.headings[first] = (int(token.tag[1]), " ".join(tokens[at + 1].content.split()))
            if token.type == "html_block":
                self.comments |= set(range(first, last))

    @cached_property
    def marks(self) -> dict[int, str]:
        """What is marked, by line."""
        found = {at: MARK.match(self.lines[at].rstrip("\r")) for at in sorted(self.comments)}
        return {at: match[1].lower() for at, match in found.items() if match is not None}

    def sections(self, first: int, last: int, level: int) -> list[tuple[int, int]]:
        """The range of lines cut before each heading of this level or a higher one."""
        starts = [at for at, (own, _) in self.headings.items() if first < at < last and own <= level]
        return list(pairwise([first, *starts, last])) if first < last else []

    def packed(
        self, first: int, last: int, most_tokens: int, count: Callable[[str], int]
    ) -> list[tuple[int, int]]:
        """The range cut between blocks into as few pieces as fill up in order. A heading stays with what
        follows it."""
        starts = [at for at in self.blocks if first < at < last and not self._is_bare(first, at)]
        found: list[tuple[int, int]] = []
        begin = first
        for start, end in pairwise([first, *starts, last]):
            if start > begin and count(self.text(begin, end)) > most_tokens:
                found.append((begin, start))
                begin = start
        return [*found, (begin, last)]

    def part(self, first: int, last: int, path: tuple[str, ...], count: Callable[[str], int]) -> CorpusPart:
        text = self.text(first, last)
        return CorpusPart(path, first + 1, last, text, count(text), not self._is_bare(first, last))

    def text(self, first: int, last: int) -> str:
        return "\n".join(self.lines[first:last])

    def _is_bare(self, first: int, last: int) -> bool:
        """Whether only headings, marks and blank lines are in the range."""
        said = (at for at in range(first, last) if at not in self._heading_lines and at not in self.marks)
        return not any(self.lines[at].strip() for at in said)


def _marked(parts: Sequence[CorpusPart], corpus: _Corpus) -> CutCorpus:
    """The parts with their stances: that of a facet's first mark, else of the `##` part around it."""
    notices: list[str] = []
    stances: dict[tuple[str, ...], tuple[Stance, int]] = {}
    for part in parts:
        for at in range(part.start_line - 1, part.end_line):
            if at not in corpus.marks:
                continue
            stance = _STANCES.get(corpus.marks[at])
            known = stances.get(part.heading_path)
            if stance is None:
                notices.append(
                    f"corpus.md:{at + 1}: unknown facet {corpus.marks[at]!r}; use one of "
                    f"{', '.join(_STANCES)}"
                )
            elif known is None:
                stances[part.heading_path] = (stance, at)
            elif known[0] != stance:
                notices.append(
                    f"corpus.md:{at + 1}: «{part.label}» is marked {known[0]} at line {known[1] + 1}, which "
                    "counts: give the other part a ## heading of its own"
                )
    marked = []
    for part in parts:
        found = stances.get(part.heading_path) or stances.get(part.heading_path[:1])
        marked.append(part if found is None or not part.heading_path else replace(part, stance=found[0]))
    return CutCorpus(tuple(marked), tuple(notices))


_FORMAT = 1
"""Counts up when other texts are embedded, or the file changes."""

_TOLERANCE = 1e-3
"""How far from 1 the length of a vector may be."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the disk tells of a file without reading it. `ctime_ns` changes with every write, also where
    somebody puts an old `mtime_ns` back."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """That of the file as it is now. Raises OSError."""
        found = path.stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class KeptEmbeddings:
    """What a cache file holds: `vectors` has a row a place. `written_ns` is when the file was written."""

    stamp: Stamp
    content_hash: str
    places: tuple[tuple[int, int], ...]
    vectors: npt.NDArray[np.float32]
    written_ns: int

    def is_of(self, stamp: Stamp) -> bool:
        """Whether the corpus is surely as it was, by the looks of it.

        A corpus written in the same tick of the clock as the cache may have changed after it was read.
        """
        return self.stamp == stamp and stamp.ctime_ns < self.written_ns


def read_cache(path: Path, model_id: str) -> KeptEmbeddings | None:
    """The embeddings in the file; None when there are none of this model, or the file is damaged."""
    try:
        written_ns = path.stat().st_mtime_ns
        kept = json.loads(path.read_bytes())
        if kept["format"] != _FORMAT or kept["model"] != model_id:
            return None
        stamp = Stamp(*(int(kept["stamp"][name]) for name in ("size", "mtime_ns", "ctime_ns")))
        rows = [_row(each["vector"]) for each in kept["parts"]]
        places = tuple((int(each["start_line"]), int(each["end_line"])) for each in kept["parts"])
        return KeptEmbeddings(stamp, str(kept["content_hash"]), places, _stacked(rows), written_ns)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None


def write_cache(
    path: Path,
    model_id: str,
    stamp: Stamp,
    content_hash: str,
    parts: Sequence[CorpusPart],
    vectors: npt.NDArray[np.float32],
) -> None:
    """Puts the file in place as a whole. Raises OSError: it cannot be written there."""
    kept: dict[str, Any] = {
        "format": _FORMAT,
        "model": model_id,
        "stamp": asdict(stamp),
        "content_hash": content_hash,
        "parts": [
            {
                "heading_path": list(part.heading_path),
                "start_line": part.start_line,
                "end_line": part.end_line,
                "vector": base64.b64encode(row.astype("<f4").tobytes()).decode("ascii"),
            }
            for part, row in zip(parts, vectors, strict=True)
        ],
    }
    handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False, indent=1)
        Path(made).replace(path)
    except OSError:
        Path(made).unlink(missing_ok=True)
        raise


def _row(encoded: str) -> npt.NDArray[np.float32]:
    """Raises ValueError: this is no array in base 64."""
    import numpy as np

    return np.frombuffer(base64.b64decode(encoded, validate=True), "<f4").astype(np.float32)


def _stacked(rows: Sequence[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """The rows as one array. Raises ValueError: they differ in length, or are no embeddings."""
    import numpy as np

    found = np.stack(rows)
    if not np.all(np.abs(np.linalg.norm(found.astype(np.float64), axis=1) - 1) < _TOLERANCE):
        raise ValueError("a vector does not have the length 1")
    return found
