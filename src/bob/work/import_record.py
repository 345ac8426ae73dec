"""What a reader makes of a row of an export, and the words of trackers for states and urgency."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item of an export.

    Attributes:
        where: for messages: "line 3".
        key: how the export calls the item, the same in the next export; None: the row is all there is.
        statuses, priorities: the tracker's words, the most exact first.
        fields: further values by name, as text.
    """

    where: str
    key: str | None
    title: str
    description: str = ""
    statuses: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    category: str = ""
    assignee_id: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is no item, and why."""

    where: str
    reason: str


_STATUSES = {
    "OPEN": ("TODO", "TO_DO", "NEW", "BACKLOG", "REOPENED", "SELECTED_FOR_DEVELOPMENT", "TRIAGE", "READY"),
    "IN_PROGRESS": ("DOING", "STARTED", "ACTIVE", "IN_REVIEW", "REVIEW", "IN_DEVELOPMENT", "INDETERMINATE"),
    "BLOCKED": ("ON_HOLD", "WAITING", "STALLED"),
    "DONE": ("CLOSED", "RESOLVED", "FIXED", "COMPLETE", "COMPLETED", "FINISHED", "MERGED"),
    "ARCHIVED": ("ARCHIVE",),
}
_PRIORITIES = {
    "LOW": ("LOWEST", "MINOR", "TRIVIAL", "P3", "P4"),
    "MEDIUM": ("NORMAL", "MAJOR", "MODERATE", "P2"),
    "HIGH": ("IMPORTANT", "P1"),
    "URGENT": ("HIGHEST", "CRITICAL", "BLOCKER", "IMMEDIATE", "P0"),
}


def known_status(words: Sequence[str], allowed: Sequence[str]) -> str | None:
    """The first of the tracker's words that is one of ours, by itself or by what it means.

    >>> known_status(["In QA", "In Progress"], ["OPEN", "IN_PROGRESS"])
    'IN_PROGRESS'
    """
    return _known(words, allowed, _STATUSES)


def known_priority(words: Sequence[str], allowed: Sequence[str]) -> str | None:
    """The same for how urgent an item is.

    >>> known_priority(["Blocker"], ["LOW", "URGENT"])
    'URGENT'
    """
    return _known(words, allowed, _PRIORITIES)


def _known(words: Sequence[str], allowed: Sequence[str], meant: Mapping[str, Sequence[str]]) -> str | None:
    for each in words:
        word = re.sub(r"[\s-]+", "_", each.strip()).upper()
        if word in allowed:
            return word
        for ours, theirs in meant.items():
            if word in theirs and ours in allowed:
                return ours
    return None


def moment(written: str) -> datetime | None:
    """A date and time as trackers write it, in ISO 8601; None if it is none. Without a zone it is UTC."""
    try:
        found = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
