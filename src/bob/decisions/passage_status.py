"""Tells of found passages which decision they are part of and how that one stands, now or on a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from bob.core.decision import Decision, DecisionLink
from bob.core.decision_status import Standing
from bob.core.hit import FoundChunk, Hit
from bob.decisions import rows
from bob.decisions.status_on_day import Chains, decisions_at
from bob.storage.database import Database, DriverConnection


class Standings:
    """The standings of one organization's decisions."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def marked(self, hits: Sequence[Hit], day: date | None) -> list[Hit]:
        """The hits, each with the decisions that it is part of."""
        with self._database.search() as connection:
            documents = {hit.chunk.document_id for hit in hits}
            found = rows.of_documents(connection, self._org_id, documents)
            parts = [_of_chunk(hit.chunk, found) for hit in hits]
            standings = self._standings(connection, [each for part in parts for each in part], day)
        return [
            replace(hit, decisions=tuple(sorted((standings[each.decision_id] for each in part), key=_first)))
            for hit, part in zip(hits, parts, strict=True)
        ]

    def rejecting(self, day: date | None) -> list[Standing]:
        """The decisions that turned alternatives down, as they stand; none that was made after the day."""
        with self._database.search() as connection:
            found = rows.with_rejected(connection, self._org_id)
            standings = self._standings(connection, found, day) if found else {}
        return [
            standings[each.decision_id]
            for each in found
            if day is None or each.date is None or each.date <= day
        ]

    def documents(self, statuses: Sequence[str], day: date | None) -> set[int]:
        """The documents that have a decision of one of the statuses on that day ("any": that have one)."""
        with self._database.search() as connection:
            found = rows.every(connection, self._org_id)
            standings = self._standings(connection, found, day) if found else {}
        wanted = {each.lower() for each in statuses}
        return {
            each.document_id
            for each in found
            if "any" in wanted or standings[each.decision_id].status in wanted
        }

    def _standings(
        self, connection: DriverConnection, decisions: Sequence[Decision], day: date | None
    ) -> dict[int, Standing]:
        known = {each.decision_id: each for each in decisions}
        links = self._onward(connection, known)
        chains = Chains(known, links, day)
        return {each.decision_id: chains.standing(each) for each in decisions}

    def _onward(self, connection: DriverConnection, known: dict[int, Decision]) -> list[DecisionLink]:
        """The links to later decisions, and to those after them; the decisions are added to `known`."""
        links: dict[tuple[int, int], DecisionLink] = {}
        at: Iterable[int] = list(known)
        while True:
            found = rows.links_to(connection, self._org_id, at)
            links |= {(each.later, each.earlier): each for each in found}
            later = rows.at(connection, self._org_id, {each.later for each in found} - known.keys())
            if not later:
                return list(links.values())
            known |= later
            at = list(later)


def _of_chunk(chunk: FoundChunk, decisions: Sequence[Decision]) -> list[Decision]:
    of_document = [each for each in decisions if each.document_id == chunk.document_id]
    return decisions_at(of_document, chunk.locator, chunk.heading_path) if of_document else []


def _first(standing: Standing) -> tuple[bool, bool, int]:
    return not standing.superseded, standing.status == "active", standing.decision.decision_id
