"""What a search may return: which documents, and which words (SPEC D2)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all hold; within one tuple any value will do. Empty means no condition.

    `other_than` names projects whose documents do not pass. `after` and `before` compare the source date: on
    or after, and strictly before. `as_of` asks for what held on a day: what is dated later does not pass, and
    past versions pass that had not been replaced by then. Without it only what holds now passes. `decisions`
    are statuses: only documents pass that have a decision of one of them ("any": that have a decision).
    `within` are conditions that hold besides, whatever a query asks for: what whoever asks may see at all.
    """

    projects: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    other_than: tuple[str, ...] = ()
    as_of: date | None = None
    decisions: tuple[str, ...] = ()
    within: Filters | None = None

    def to_json(self) -> dict[str, Any]:
        """The conditions as JSON; those that are not set are left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _json(value) for name, value in values.items() if value}


def _json(value: date | Filters | tuple[str, ...]) -> Any:
    if isinstance(value, Filters):
        return value.to_json()
    return value.isoformat() if isinstance(value, date) else list(value)


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """A query after parsing. `text` is what is ranked by: the words and phrases, without the operators."""

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS
