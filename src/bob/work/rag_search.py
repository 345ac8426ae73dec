"""Searches an organization's work items by meaning; gives numbers alone, since SQL tells the facts (SPEC K5).

What people say of results re-ranks later ones, and every search is logged, so that an organization sees what
is asked often and never answered (SPEC K9).
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bob.core.errors import NotFoundError, RequestError, StoreError
from bob.core.protocols import OrganizationMemory
from bob.search.fusion import with_age, with_feedback
from bob.storage.database import Database
from bob.work import search_rows
from bob.work.items import is_number
from bob.work.search_rows import ItemFacts, LoggedSearch, Verdict
from bob.work.semantic_memory import QueryVectors
from bob.work.values import clean_text

log = logging.getLogger(__name__)

MOST_CHARACTERS = 2_000
MOST_RESULTS = 50
USUAL_RESULTS = 5

_CANDIDATES = 4
"""So many times the results are looked at, for feedback and age to choose from; and no fewer than 20."""

_ANALYZED = 5_000
"""The last searches that analytics read."""

_SAME_QUESTION = 0.85
"""Cosine from which two queries are one question in other words."""

_SIMILAR = 0.5
"""Probability from which an item is suggested as a duplicate: nobody asked, so it should be one."""

_VOTERS = 5
"""The nearest items whose categories vote."""

_WAIT_SECONDS = 1
"""An answer does not wait longer for its line in the log while others write."""

_ITEM = re.compile(r"workItem:([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that was asked `times` and never found anything; `query` as it was asked last."""

    query: str
    times: int
    last_at: datetime

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {"query": self.query, "times": self.times, "last_at": self.last_at.isoformat()}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What is known of a new item from those like it: likely duplicates, best first, and a category."""

    work_item_ids: tuple[int, ...]
    category_id: int | None
    category: str | None

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {
            "work_item_ids": list(self.work_item_ids),
            "category_id": self.category_id,
            "category": self.category,
        }


class RagSearch:
    """Searches of one organization. Safe to share between threads."""

    def __init__(
        self,
        database: Database,
        memory: OrganizationMemory,
        queries: QueryVectors,
        half_life_days: float | None,
        now: Callable[[], datetime],
    ) -> None:
        """`now` gives the moment with its time zone; `half_life_days`: see `work.recency_half_life_days`."""
        self._database = database
        self._memory = memory
        self._queries = queries
        self._half_life_days = half_life_days
        self._now = now

    def search_items(
        self, query: object, limit: object = USUAL_RESULTS, *, user_id: str = "", log: bool = True
    ) -> list[int]:
        """The numbers of the items that fit, best first; none that do not fit, are archived or gone. The
        search is logged as the user's, unless nothing may be written.

        Raises RequestError: the query is no text of 1 to 2,000 characters, or the limit no number from 1 to
        50. Raises MemoryServiceError.
        """
        text, most = _checked_query(query), _checked_limit(limit)
        scores, _ = self._ranked(text, most)
        ids = list(scores)[:most]
        if log:
            self._log(user_id, text, ids)
        return ids

    def feedback(self, query: object, work_item_id: int, helpful: bool, *, user_id: str = "") -> None:
        """Note whether an item helped with a query; a user's later verdict takes an earlier one's place.

        Raises RequestError: as `run`. Raises NotFoundError: there is no such item.
        """
        verdict = Verdict(_checked_query(query), work_item_id, helpful)
        is_id = is_number(work_item_id)
        with self._database.write() as transaction:
            if not is_id or work_item_id not in search_rows.facts_of(transaction, [work_item_id]):
                raise NotFoundError(f"no work item {work_item_id}")
            search_rows.give_feedback(transaction, user_id, verdict, self._now())

    def unanswered(self, at_least: int = 2) -> list[Unanswered]:
        """Questions that were asked `at_least` so often, in whatever words, and never found anything; the
        most frequent first. Raises RequestError, ModelError."""
        if at_least < 1:
            raise RequestError("at_least", "at_least must be 1 or more")
        with self._database.read() as transaction:
            searches = search_rows.last_searches(transaction, _ANALYZED)
        groups = self._by_question(searches)
        silent = [group for group in groups if not any(search.found for search in group)]
        found_searches = [
            Unanswered(searches[0].query, len(searches), searches[0].at)
            for searches in silent
            if len(searches) >= at_least
        ]
        return sorted(found_searches, key=lambda search: (-search.times, search.query))

    def duplicates_of(self, title: str, description: str | None = None, limit: int = 3) -> Suggestion:
        """Which items a new one may repeat, and the category that most items like it have.

        Raises MemoryServiceError.
        """
        text = "\n\n".join(part.strip() for part in (title, description or "") if part.strip())
        if not text:
            return Suggestion((), None, None)
        scores, facts = self._ranked(text[:MOST_CHARACTERS], max(limit, _VOTERS))
        alike = [item_id for item_id, score in scores.items() if score >= _SIMILAR]
        category = _majority([facts[item_id] for item_id in list(scores)[:_VOTERS]])
        return Suggestion(tuple(alike[:limit]), *category)

    def _ranked(self, text: str, limit: int) -> tuple[dict[int, float], Mapping[int, ItemFacts]]:
        """Items with their scores, best first, and the facts of each."""
        matches = self._memory.query(self._database.org_id, text, max(_CANDIDATES * limit, 20))
        scores = {int(item[1]): score for name, score in matches if (item := _ITEM.fullmatch(name))}
        with self._database.read() as transaction:
            facts = search_rows.facts_of(transaction, list(scores))
            verdicts = search_rows.verdicts_on(transaction, list(facts))
        opinions = self._said(text, verdicts)
        now = self._now()
        adjusted = {
            item: with_age(
                with_feedback(scores[item], opinions.get(item, ())),
                (now - its.updated_at) / timedelta(days=1),
                self._half_life_days,
            )
            for item, its in facts.items()
        }
        places = {item: rank for rank, item in enumerate(scores)}
        ranked = sorted(adjusted, key=lambda item: (-adjusted[item], places[item]))
        return {item: adjusted[item] for item in ranked}, facts

    def _said(self, text: str, verdicts: Sequence[Verdict]) -> dict[int, list[tuple[float, bool]]]:
        """The verdicts on each item, with the cosine of their queries to this one."""
        opinions: dict[int, list[tuple[float, bool]]] = {}
        if verdicts:
            query_vector, *vectors = self._queries.of_all([text, *(verdict.query for verdict in verdicts)])
            for verdict, vector in zip(verdicts, vectors, strict=True):
                opinions.setdefault(verdict.work_item_id, []).append(
                    (float(query_vector @ vector), verdict.helpful)
                )
        return opinions

    def _log(self, user_id: str, query: str, item_ids: Sequence[int]) -> None:
        # In a transaction of its own, and never at the cost of the answer.
        try:
            with self._database.write(_WAIT_SECONDS) as transaction:
                search_rows.log_search(transaction, user_id, query, item_ids, self._now())
        except StoreError as error:
            log.warning("cannot log a search: %s", error)

    def _by_question(self, searches: Sequence[LoggedSearch]) -> list[list[LoggedSearch]]:
        """The searches, those of one question together, the newest first in each."""
        import numpy as np

        wordings: dict[str, list[LoggedSearch]] = {}
        for search in searches:
            wordings.setdefault(" ".join(search.query.casefold().split()), []).append(search)
        groups: list[list[LoggedSearch]] = []
        vectors: list[Any] = []
        for (_, query), vector in zip(
            wordings.items(), self._queries.of_all(list(wordings)) if wordings else [], strict=True
        ):
            cosines = np.array(vectors) @ vector if vectors else np.zeros(1)
            if cosines.max() >= _SAME_QUESTION:
                groups[int(cosines.argmax())].extend(query)
            else:
                groups.append(list(query))
                vectors.append(vector)
        return groups


def _checked_query(query: object) -> str:
    text = clean_text(query) if isinstance(query, str) else ""
    if not text:
        raise RequestError("query", "query must be text, and not empty")
    if len(text) > MOST_CHARACTERS:
        raise RequestError("query", f"query has {len(text):,} characters; the limit is {MOST_CHARACTERS:,}")
    return text


def _checked_limit(limit: object) -> int:
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_RESULTS:
        raise RequestError("limit", f"limit must be a whole number from 1 to {MOST_RESULTS}")
    return limit


def _majority(items: Sequence[ItemFacts]) -> tuple[int | None, str | None]:
    """The category that more than half of the items with one have, and two at the least."""
    voted = Counter((item.category_id, item.category) for item in items if item.category_id is not None)
    if not voted:
        return None, None
    (category, votes), *_ = voted.most_common(1)
    return category if votes >= 2 and votes > voted.total() / 2 else (None, None)
