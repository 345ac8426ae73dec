"""Passages of another year or version than the one that a question states."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bob.answers.question import YEAR, Question
from bob.core.search import FoundChunk, Hit
from bob.text.names import version_of_heading
from bob.text.numbers import has_number
from bob.text.words import folded

_YEARS = re.compile(rf"(?<![\w.]){YEAR.pattern}(?!\d|[.,]\d)")


def of_its_edition(hits: Sequence[Hit], question: Question) -> list[Hit]:
    """The hits without those that stand under another year or version, and state none that the question
    does; all where none is left. The nearest heading that names one tells: minutes of 2024 may have a
    section "2025 elections"."""
    years = [edition for edition in question.editions if YEAR.fullmatch(edition)]
    versions = [edition for edition in question.editions if edition not in years]
    return [
        hit
        for hit in hits
        if not (_is_of_other_years(hit.chunk, years) or _is_of_another_version(hit.chunk, versions))
    ] or list(hits)


def _is_of_other_years(chunk: FoundChunk, years: Sequence[str]) -> bool:
    above = next(
        (years_named for heading in reversed(chunk.heading_path) if (years_named := _YEARS.findall(heading))),
        [],
    )
    # A heading may be of a span of years.
    is_there = any(min(above) <= year <= max(above) for year in years) if above else True
    return bool(years) and not is_there and not _states_one(chunk, years)


def _is_of_another_version(chunk: FoundChunk, versions: Sequence[str]) -> bool:
    above = next(
        (version for heading in reversed(chunk.heading_path) if (version := version_of_heading(heading))), ""
    )
    is_there = any(f"{above}.".startswith(f"{version}.") for version in versions)
    return bool(versions) and above != "" and not is_there and not _states_one(chunk, versions)


def _states_one(chunk: FoundChunk, editions: Sequence[str]) -> bool:
    plain = folded(chunk.text)
    return any(has_number(plain, edition) for edition in editions)
