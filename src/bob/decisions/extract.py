"""Finds the decisions that a document states: records (ADRs and their kin), marked ones, and sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bob.core.decision import DatedDocument, FoundDecision, Passage, PutAside
from bob.decisions.marked import found_in_notes
from bob.decisions.minutes import is_minutes
from bob.decisions.passages import read_sections
from bob.decisions.record_names import is_place_of_records
from bob.decisions.records import found_records, unrecognized_record

_KEY_LENGTH = 32
_NOT_PROSE = ("code", "config", "csv", "recipe")  # source types that state no decisions


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a document states, and what of it looks like a decision record but states no decision."""

    decisions: tuple[FoundDecision, ...] = ()
    put_aside: tuple[PutAside, ...] = ()


def extract(document: DatedDocument, passages: Sequence[Passage]) -> Extraction:
    """The decisions of one document, from its passages in order; the same input gives the same, always.

    Their keys are unique within the document.
    """
    if document.source_type in _NOT_PROSE or "import_id" in document.extra or not passages:
        return Extraction()  # of what was taken over from elsewhere nothing is the user's own decision
    sections = read_sections(passages, document.source_type)
    in_minutes = is_minutes(document, sections)
    is_likely = in_minutes or is_place_of_records(document.path)
    if not is_likely and not any(section.has_cue for section in sections):
        return Extraction()
    records, put_aside, rest = found_records(document, sections, in_minutes=in_minutes)
    decisions = tuple(_keyed([*records, *found_in_notes(rest, document.path, is_minutes=in_minutes)]))
    if not decisions and not put_aside and not in_minutes:
        put_aside = unrecognized_record(document, sections)
    return Extraction(decisions, tuple(put_aside))


def _keyed(found_decisions: Iterable[FoundDecision]) -> Iterable[FoundDecision]:
    """The decisions with their keys: of a record its number and title, of any other its words."""
    seen: dict[str, int] = {}
    for decision in found_decisions:
        name = (
            f"{decision.number or ''}\x1f{decision.title}"
            if decision.kind == "record"
            else decision.statement
        )
        name = f"{decision.kind}\x1f{' '.join(name.lower().split())}"
        seen[name] = seen.get(name, 0) + 1
        counted = f"{name}\x1f{seen[name]}".encode("utf-8", "surrogatepass")
        yield replace(decision, key=hashlib.sha256(counted).hexdigest()[:_KEY_LENGTH])
