"""What a made-up vault of notes is made of: its files, and the list of faults that were planted in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
"""When the vault's health is looked at."""

WRITTEN = NOW - timedelta(days=60)
"""When its files were last changed."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault: `subject` is a path, "path written-link", "path path" of two documents, or a question."""

    rule: str
    subject: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to play, with what is said of its answer."""

    text: str
    verdict: str | None = None


@dataclass(frozen=True, slots=True)
class Superseded:
    """Two decision records, by path; the later one takes the place of the earlier."""

    earlier: str
    earlier_title: str
    later: str
    later_title: str
    since: date


@dataclass
class Vault:
    """Files by path below the folder; `gone` are deleted after the questions."""

    files: dict[str, bytes] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    superseded: list[Superseded] = field(default_factory=list)
    lost_corrections: list[str] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    """Notes about other things than all else, that nobody asks about."""


@dataclass(frozen=True, slots=True)
class Note:
    """One note before it is written."""

    path: str
    title: str
    person: str
    thing: str
    place: str
    body: str
    links: tuple[str, ...] = ()
    dated: date | None = None
    headed: bool = True
    front: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The file's text."""
        front = [f"{key}: {value}" for key, value in self.front]
        if self.dated is not None:
            front.insert(0, f"date: {self.dated}")
        head = "\n".join(["---", *front, "---", ""]) if front else ""
        title = f"# {self.title}\n\n" if self.headed else ""
        links = "".join(f"\nSee also {each}.\n" for each in self.links)
        return f"{head}{title}{self.body}\n{links}"

    @property
    def question(self) -> str:
        """A question that only this note answers."""
        return f"Who looks after the {self.thing} at {self.place}?"
