"""What a search may return: which documents, and which words (SPEC D2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all hold; within one tuple any value will do. Empty means no condition.

    `after` and `before` compare the source date: on or after, and strictly before.
    """

    projects: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None

    @property
    def none(self) -> bool:
        """Whether every document passes."""
        return self == NO_FILTERS


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """A query after parsing. `text` is what is ranked by: the words and phrases, without the operators."""

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS
