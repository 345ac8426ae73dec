"""Measures what verdicts miss and what they wrongly flag, on errors put into true sentences (SPEC N2).

Sentences of a person's own files are made false in one place (`seeded`) and checked against the
chunks around the place where the true sentence stands. The same sentences untouched, and said a little
differently, show how often a true one is flagged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from bob.answers.claims.judge_claims import JudgeClaims
from bob.answers.units.unit import units_of
from bob.core.errors import UnreadableError, UsageError
from bob.core.search import FoundChunk
from bob.documents.parse_file import ParsedFile, ParseFile, ParseJob
from bob.documents.scan import scan
from bob.evaluation.seeded import KINDS, Kind, inject, names_of, rephrased
from bob.text.markup import readable

CHUNKS_AROUND = 2
"""With the sentence's own chunk, five in all."""

_FEWEST_WORDS, _MOST_WORDS = 6, 45
_POOL = 4_000
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class TrueSentence:
    """A sentence as it reads, and the chunks around its place."""

    text: str
    chunks: tuple[FoundChunk, ...]


@dataclass(frozen=True, slots=True)
class SeededRow:
    """Of `n` claims of a kind, how many were not let through."""

    n: int
    flagged: int

    def to_json(self) -> dict[str, Any]:
        """The row as JSON; no rate without claims."""
        return {"n": self.n, "flagged": self.flagged, "rate": self.flagged / self.n if self.n else None}


@dataclass(frozen=True, slots=True)
class SeededResult:
    """Errors caught by kind, in sentences as they are and in rephrased ones, and true sentences flagged:
    untouched, and rephrased."""

    caught: dict[str, SeededRow]
    caught_rephrased: dict[str, SeededRow]
    flagged: dict[str, SeededRow]
    seed: int

    def to_json(self) -> dict[str, Any]:
        """The result as `bob eval benchmark seeded --json` prints it."""
        return {
            "caught": {name: row.to_json() for name, row in self.caught.items()},
            "caught_rephrased": {name: row.to_json() for name, row in self.caught_rephrased.items()},
            "false_flags": {name: row.to_json() for name, row in self.flagged.items()},
            "seed": self.seed,
        }


class BenchmarkSeeded:
    """Puts errors into the sentences of files, and judges them."""

    def __init__(self, parse: ParseFile, judge: JudgeClaims) -> None:
        self._parse = parse
        self._judge = judge

    def measure_errors(
        self, paths: Sequence[Path], most: int, seed: int, report: Callable[[int, int], None]
    ) -> SeededResult:
        """At most `most` claims of each kind; the same for the same files and seed.

        Raises:
            UsageError: a path is not there, or there is no sentence to put errors into.
        """
        sentences = self.sentences(paths, seed)
        if not sentences:
            raise UsageError("no sentences in these files")
        pool = names_of([sentence.text for sentence in sentences[:_POOL]])
        untouched = [(sentence.text, sentence) for sentence in sentences]
        said_otherwise = list(_rephrased(sentences, seed))
        parts = (
            {kind: _injected(untouched, kind, pool, most, seed) for kind in KINDS},
            {kind: _injected(said_otherwise, kind, pool, most, seed) for kind in KINDS},
            {"untouched": untouched[:most], "rephrased": said_otherwise[:most]},
        )
        total = sum(len(claims) for part in parts for claims in part.values())
        done = 0
        rows: list[dict[str, SeededRow]] = []
        for part in parts:
            rows.append({})
            for name, claims in part.items():
                flagged = 0
                for start in range(0, len(claims), _AT_ONCE):
                    some = claims[start : start + _AT_ONCE]
                    judged = self._judge.judge_claims([(claim, sentence.chunks) for claim, sentence in some])
                    flagged += sum(not judgement.holds for judgement in judged)
                    done += len(some)
                    report(done, total)
                rows[-1][name] = SeededRow(len(claims), flagged)
        caught, caught_rephrased, true = rows
        return SeededResult(caught, caught_rephrased, true, seed)

    def sentences(self, paths: Sequence[Path], seed: int) -> list[TrueSentence]:
        """All sentences of the files, each once, in an order that the seed decides."""
        sentences: dict[str, TrueSentence] = {}
        for path in paths:
            if not path.exists():
                raise UsageError(f"{path}: no such file or folder")
            for file in sorted(scan(path).files, key=lambda file: file.path):
                job = ParseJob(file.path, file.size, file.mtime_ns, project="")
                try:
                    parsed = self._parse(job)
                except UnreadableError:
                    # What cannot be read has no sentences; `bob index` is the place to hear why.
                    continue
                if isinstance(parsed, ParsedFile):
                    sentences |= {sentence.text: sentence for sentence in _sentences_of(parsed)}
        return sorted(sentences.values(), key=lambda sentence: _shuffled(sentence.text, seed))


def _sentences_of(parsed: ParsedFile) -> Iterator[TrueSentence]:
    chunks = [_chunk(parsed, index) for index in range(len(parsed.chunks))]
    for index, chunk in enumerate(chunks):
        around = tuple(chunks[max(0, index - CHUNKS_AROUND) : index + CHUNKS_AROUND + 1])
        for unit in units_of(chunk.text):
            text = readable(chunk.text[unit.start : unit.end])
            whole = text.endswith(".") and text[0].isupper()
            if unit.kind in ("prose", "item") and whole and _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS:
                yield TrueSentence(text, around)


def _chunk(parsed: ParsedFile, index: int) -> FoundChunk:
    chunk = parsed.chunks[index].chunk
    return FoundChunk(
        chunk_id=index,
        document_id=0,
        ordinal=index,
        path=parsed.record.path,
        title=parsed.record.title,
        project="",
        source_type=parsed.record.source_type,
        language=parsed.record.language,
        source_date=None,
        source_date_kind=None,
        heading_path=chunk.heading_path,
        context=chunk.context,
        locator=chunk.locator,
        text=chunk.text,
        content_hash=chunk.content_hash,
    )


Claimed = tuple[str, TrueSentence]
"""What is claimed, and the sentence that it was made of."""


def _injected(
    claims: Sequence[Claimed], kind: Kind, pool: Sequence[str], most: int, seed: int
) -> list[Claimed]:
    made = (
        (inject(claim, kind, Random(_shuffled(claim, seed)), pool), sentence) for claim, sentence in claims
    )
    wrong = ((injection.sentence, sentence) for injection, sentence in made if injection is not None)
    return list(islice(wrong, most))


def _rephrased(sentences: Sequence[TrueSentence], seed: int) -> Iterator[Claimed]:
    for sentence in sentences:
        claim = rephrased(sentence.text, Random(_shuffled(sentence.text, seed)))
        if claim is not None:
            yield claim, sentence


def _shuffled(text: str, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}\0{text}".encode()).digest()[:8], "big")
