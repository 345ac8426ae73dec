"""Passages of another year or version than the one that a question states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bob.answers.question import Question
from bob.core.search import FoundChunk, Hit
from bob.text.dates import YEAR_OF_EDITION
from bob.text.names import version_heading, version_of_heading
from bob.text.numbers import has_number
from bob.text.words import folded

_YEARS = re.compile(rf"(?<![\w.]){YEAR_OF_EDITION}(?!\d|[.,]\d)")


def of_its_edition(hits: Sequence[Hit], question: Question) -> list[Hit]:
    """The hits without those that stand under another year or version, and state none that the question
    does; all where none is left. The nearest heading that names one tells: minutes of 2024 may have a
    section "2025 elections"."""
    years = [edition for edition in question.editions if edition.isdecimal()]
    versions = [edition for edition in question.editions if edition not in years]
    return [
        hit
        for hit in hits
        if not (_is_of_other_years(hit.chunk, years) or _is_of_another_version(hit.chunk, versions))
    ] or list(hits)


def with_its_heading(
    hits: Sequence[Hit], question: Question, find_under: Callable[[FoundChunk, str], Iterable[Hit]]
) -> list[Hit]:
    """The hits, and where the day of a version is asked for before them the passage that begins with the
    version's heading, which may state it: a long section has more than one. `find_under` finds the passages
    of a document under a heading."""
    if question.quantity not in ("date", "time"):
        return list(hits)
    for hit in hits:
        heading = version_heading(hit.chunk.heading_path)
        if not (heading and _is_of(heading, question.editions)):
            continue
        if any(heading in other.chunk.text for other in hits):
            break
        section = [other for other in find_under(hit.chunk, heading) if heading in other.chunk.text]
        if section:
            return [replace(min(section, key=lambda other: other.chunk.ordinal), score=hit.score), *hits]
    return list(hits)


def _is_of_other_years(chunk: FoundChunk, years: Sequence[str]) -> bool:
    above = next(
        (years_named for heading in reversed(chunk.heading_path) if (years_named := _YEARS.findall(heading))),
        [],
    )
    # A heading may be of a span of years.
    is_there = any(min(above) <= year <= max(above) for year in years) if above else True
    return bool(years) and not is_there and not _states_one(chunk, years)


def _is_of_another_version(chunk: FoundChunk, versions: Sequence[str]) -> bool:
    above = version_heading(chunk.heading_path)
    return bool(versions) and above != "" and not _is_of(above, versions) and not _states_one(chunk, versions)


def _is_of(heading: str, versions: Sequence[str]) -> bool:
    """Whether a heading is of one of these versions: that of 3.11.2 is of 3.11."""
    return any(f"{version_of_heading(heading)}.".startswith(f"{version}.") for version in versions)


def _states_one(chunk: FoundChunk, editions: Sequence[str]) -> bool:
    plain = folded(chunk.text)
    return any(has_number(plain, edition) for edition in editions)
