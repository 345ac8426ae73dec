"""Decisions: what was settled, what was turned down, and how a decision stands now or on a day (SPEC F)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from bob.core.document import SourceDateKind
from bob.core.locator import Locator, locator_to_json

DecisionStatus = Literal["proposed", "active", "superseded", "deprecated", "rejected"]
"""`active` is what ADRs call accepted; a decision that is only partly superseded or amended stays active."""

DecisionKind = Literal["record", "marked", "prose"]
"""Where it was found: a decision record (ADR, RFC, PEP), behind a marker ("Decision:"), or in a sentence."""

LinkKind = Literal["supersedes", "partly_supersedes", "amends"]
"""How a later decision bears on an earlier one."""

LinkOrigin = Literal["text", "user"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document as the index holds it: what decisions are extracted from."""

    text: str
    heading_path: tuple[str, ...]
    locator: Locator


@dataclass(frozen=True, slots=True)
class DatedDocument:
    """What extraction may know of a document beside its passages. `path` is absolute, with slashes."""

    path: str
    title: str
    source_type: str
    source_date: date | None
    source_date_kind: SourceDateKind | None
    extra: dict[str, str]


@dataclass(frozen=True, slots=True)
class Rejected:
    """An alternative that was turned down, in the source's words; `reason` where the source gives one."""

    text: str
    reason: str | None
    locator: Locator


@dataclass(frozen=True, slots=True)
class StatedLink:
    """A link as one record states it, to another that it names by number, title or file (`target`).

    `backward` when the text says what was done to this decision ("Superseded by 12"): then the target is the
    later of the two.
    """

    kind: LinkKind
    target: str
    backward: bool = False


@dataclass(frozen=True, slots=True)
class FoundDecision:
    """A decision as its text states it. Never the whole truth: see `Decision`.

    `key` names it among its project's: the same text gives the same key in every run, so that what a user
    said of it finds it again. `number` is a record's own ("12", "PEP 8" gives "8"). `status` is what the text
    says, `stated_date` a date that stands unmistakably in it (`date` of `DatedDocument` is what counts).
    `confidence` lies between 0 and 1.
    """

    key: str
    kind: DecisionKind
    number: str | None
    title: str
    statement: str
    context: str
    status: DecisionStatus
    stated_date: date | None
    confidence: float
    locator: Locator
    rejected: tuple[Rejected, ...] = ()
    links: tuple[StatedLink, ...] = ()


@dataclass(frozen=True, slots=True)
class PutAside:
    """Text that looks like a decision record and states no decision: `reason` says why in a few words, `line`
    where it begins, None in a format without lines."""

    reason: str
    line: int | None


@dataclass(frozen=True, slots=True)
class StatedDecision:
    """Of a decision of the registry what its text and its document say, as far as others can name it, link to
    it, or date it."""

    decision_id: int
    path: str
    key: str
    kind: DecisionKind
    number: str | None
    title: str
    status: DecisionStatus
    stated_date: date | None
    links: tuple[StatedLink, ...] = ()
    source_date: date | None = None
    source_date_kind: SourceDateKind | None = None


DateKind = SourceDateKind | Literal["text", "user"]
"""How a decision's date is known: as its document's is, from a date in its text, or from the user."""


_Day = date
"""The type, where a field is called so."""
Effective = tuple[DecisionStatus, date | None, DateKind | None]
"""What counts of a decision: its status, its date, and how that is known."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a user said of a decision; None where its text counts.

    It is kept by project and key, and so outlives the row that it corrects. `superseded_by` is the key of a
    decision of the same project. `about` names the decision to people when it is gone.
    """

    project: str
    key: str
    about: str
    given_at: datetime
    status: DecisionStatus | None = None
    title: str | None = None
    date: date | None = None
    superseded_by: str | None = None

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.status or self.title or self.date or self.superseded_by)

    def to_json(self) -> dict[str, Any]:
        """What was said, as JSON; what was not is left out."""
        said = {
            "about": self.about,
            "status": self.status,
            "title": self.title,
            "date": None if self.date is None else self.date.isoformat(),
            "superseded_by": self.superseded_by,
        }
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the registry: what the text says, corrected by what the user says, linked with others.

    `found` has the user's title where there is one. `own_status` is what text and user say of it alone,
    `status` what counts after its links; `fixed` when the user gave the status, which no link then changes.
    """

    decision_id: int
    document_id: int
    path: str
    project: str
    found: FoundDecision
    status: DecisionStatus
    date: date | None
    date_kind: DateKind | None
    own_status: DecisionStatus
    fixed: bool = False
    corrected: bool = False

    @property
    def day(self) -> _Day | None:
        """Its date, unless that is only the day on which the file was last written on this disk."""
        return None if self.date_kind == "mtime" else self.date

    @property
    def name(self) -> str:
        """What people call it: "ADR 12", "PEP 8"; a decision without a number goes by its title."""
        if self.found.number is None:
            return f"«{shortened(self.found.title, 60)}»"
        return f"{series_of(self.path)} {self.found.number}"

    def to_json(self) -> dict[str, Any]:
        """The decision as `bob decisions --json` prints it."""
        found = self.found
        return {
            "id": self.decision_id,
            "name": self.name,
            "key": found.key,
            "project": self.project,
            "status": self.status,
            "stated_status": found.status,
            "corrected": self.corrected,
            "title": found.title,
            "date": None if self.date is None else self.date.isoformat(),
            "date_kind": self.date_kind,
            "kind": found.kind,
            "number": found.number,
            "statement": found.statement,
            "context": found.context,
            "rejected": [rejected_to_json(each) for each in found.rejected],
            "confidence": round(found.confidence, 4),
            "document_id": self.document_id,
            "path": self.path,
            "locator": locator_to_json(found.locator),
        }


SERIES = ("rfc", "pep", "adr", "tep", "kep", "rfd", "fep")
"""Words that say which records a number is of; any other word before a number says nothing."""

_SERIES = re.compile(rf"(?:^|[^a-z])({'|'.join(SERIES)})s?(?:[^a-z]|$)")


def series_of(path: str) -> str:
    """What the numbered records beside a file are called: by its name, else its folder, else "ADR".

    >>> series_of("/docs/rfcs/0012-queues.md"), series_of("/peps/pep-0008.rst"), series_of("/a/12-x.md")
    ('RFC', 'PEP', 'ADR')
    """
    for part in reversed(path.lower().split("/")[-3:]):
        if found := _SERIES.search(part):
            return found[1].upper()
    return "ADR"


def shortened(text: str, most: int) -> str:
    """A text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def rejected_to_json(rejected: Rejected) -> dict[str, Any]:
    """A rejected alternative as JSON."""
    return {
        "text": rejected.text,
        "reason": rejected.reason,
        "locator": locator_to_json(rejected.locator),
    }


@dataclass(frozen=True, slots=True)
class DecisionLink:
    """`later` bears on `earlier`, both ids of decisions."""

    later: int
    earlier: int
    kind: LinkKind
    origin: LinkOrigin

    def to_json(self) -> dict[str, Any]:
        """The link as JSON."""
        return {"later": self.later, "earlier": self.earlier, "kind": self.kind, "origin": self.origin}


@dataclass(frozen=True, slots=True)
class Standing:
    """A decision with what has taken its place.

    `replaced_by` are the decisions that supersede it themselves, `current` those at the ends of the chains
    that begin with them; both are empty unless `status` is "superseded", and may be empty then: a text can
    say that it is superseded and not by what. `revised_by` supersede it in part, or amend it.
    """

    decision: Decision
    status: DecisionStatus
    replaced_by: tuple[Decision, ...] = ()
    current: tuple[Decision, ...] = ()
    revised_by: tuple[tuple[LinkKind, Decision], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The standing as hits and answers carry it."""
        return _named(self.decision) | {
            "status": self.status,
            "superseded_by": [_named(each) for each in self.replaced_by],
        }


def _named(decision: Decision) -> dict[str, Any]:
    return {
        "id": decision.decision_id,
        "name": decision.name,
        "title": decision.found.title,
        "date": None if decision.date is None else decision.date.isoformat(),
    }
