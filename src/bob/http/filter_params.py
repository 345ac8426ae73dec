"""Which documents a question is about: the conditions that several routes take."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from pydantic import Field

from bob.core.errors import RequestError
from bob.core.filters import Filters
from bob.http.failures import Body
from bob.text.dates import first_day

_MOST = 100
"""Values of one condition."""

DAY = "As 2025, 2025-06 or 2025-06-30."


class Narrowing(Body):
    """Conditions that all hold; within one list any value will do."""

    projects: list[str] = Field(
        [], max_length=_MOST, description="Only documents of these projects.", examples=[["garden"]]
    )
    types: list[str] = Field(
        [],
        max_length=_MOST,
        description="Only these source types, or file name endings.",
        examples=[["markdown"]],
    )
    tags: list[str] = Field(
        [], max_length=_MOST, description="Only documents with one of these tags.", examples=[["plan"]]
    )
    languages: list[str] = Field(
        [], max_length=_MOST, description="Only documents in one of these languages.", examples=[["en"]]
    )
    paths: list[str] = Field(
        [],
        max_length=_MOST,
        description="Only below this folder or file; a relative path matches below every folder.",
        examples=[["notes/"]],
    )
    after: str | None = Field(
        None, description=f"Only sources of this day or later. {DAY}", examples=["2025"]
    )
    before: str | None = Field(None, description=f"Only sources before this day. {DAY}", examples=["2026-06"])

    def filters(self) -> Filters:
        """The conditions.

        Raises:
            RequestError: a date is none.
        """
        return Filters(
            projects=tuple(self.projects),
            source_types=tuple(self.types),
            tags=tuple(self.tags),
            languages=tuple(self.languages),
            path_prefixes=tuple(self.paths),
            after=day("after", self.after),
            before=day("before", self.before),
        )


class NarrowingAtDay(Narrowing):
    """Conditions, and the day whose knowledge counts."""

    as_of: str | None = Field(None, description=f"Answer as of this day. {DAY}", examples=["2024-06-30"])

    def filters(self) -> Filters:
        """The conditions. Raises RequestError as `Narrowing.filters` does."""
        return replace(super().filters(), as_of=day("as_of", self.as_of))


def day(field: str, value: str | None) -> date | None:
    """The day that a request names in `field`; the first one of a month or a year.

    Raises:
        RequestError: it is none.
    """
    found = None if value is None else first_day(value)
    if value is not None and found is None:
        raise RequestError(field, f"{field} is not a date; use for example 2025, 2025-06 or 2025-06-30")
    return found
