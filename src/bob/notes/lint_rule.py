"""What a rule of the linter is, what it may know of a note's surroundings, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from bob.notes.link_targets import LinkTargets
    from bob.notes.lint_note import Note

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the mildest on; they are the levels of SARIF."""


NAMESAKES_TOLD = 3
NAMESAKES = NAMESAKES_TOLD + 1
"""One more than are told shows that there are more."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """`text` in the place of the characters from `start` to `end` (excluded) of the note."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found: characters from `start` to `end` (excluded), and what puts it right if that is
    unmistakable."""

    start: int
    end: int
    message: str
    replacement: Replacement | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a check may know beside the text.

    `read_date` reads a date as the index does; `name_date` is the date in the file's name; `find_secrets`
    gives start, end and kind of each; `namesakes` are the first of the other notes with this one's title
    (`NAMESAKES`). `path` is where the note lies (absolute, with slashes; None: nowhere, as text that is piped
    in), `targets` are the files that its links can lead to, `exists` looks for others, and `anchors_of` gives
    what can be linked to in a file (None: it is no Markdown).
    """

    today: date
    name_date: date | None = None
    read_date: Callable[[str], date | None] = lambda _: None
    find_secrets: Callable[[str], Sequence[tuple[int, int, str]]] = lambda _: ()
    namesakes: tuple[str, ...] = ()
    path: str | None = None
    targets: LinkTargets | None = None
    exists: Callable[[str], bool] = lambda _: False
    anchors_of: Callable[[str], Sequence[str] | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Example:
    """A note that shows a rule: its text, its name, and notes that stand beside it."""

    text: str
    name: str = "note.md"
    beside: Mapping[str, str] = field(default_factory=dict)


Check = Callable[["Note", Facts], Iterable[Found]]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule with its stable id, such as BOB003. `fixable` when some of its findings bring a replacement."""

    rule_id: str
    name: str
    severity: Severity
    what: str
    why: str
    remedy: str
    bad: Example
    good: Example
    check: Check
    fixable: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a note breaks a rule. Lines and columns count characters from 1; the end is excluded."""

    rule: Rule
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    replacement: Replacement | None = None

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "rule": self.rule.rule_id,
            "name": self.rule.name,
            "severity": self.rule.severity,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "message": self.message,
            "remedy": self.rule.remedy,
            "fixable": self.replacement is not None,
        }
