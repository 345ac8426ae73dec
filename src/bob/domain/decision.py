"""Decisions: what was settled, what was turned down, and what has taken a decision's place since (SPEC F)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from bob.domain.document import SourceDateKind
from bob.domain.locator import Locator

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
class Decision:
    """A decision of the registry: what the text says, corrected by what the user says, linked with others."""

    decision_id: int
    document_id: int
    path: str
    project: str
    found: FoundDecision
    status: DecisionStatus
    date: date | None
    date_kind: SourceDateKind | Literal["user"] | None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class DecisionLink:
    """`later` bears on `earlier`, both ids of decisions."""

    later: int
    earlier: int
    kind: LinkKind
    origin: LinkOrigin
