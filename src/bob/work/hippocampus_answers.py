"""Reads what a Hippocampus service answers, in all forms that are known of its deployments.

An id is called `collectionId` or `resourceId`, `_id` or `id`; what is asked for may be wrapped in `data`.
"""

from __future__ import annotations

import json
import math
from typing import Any


class UnusableAnswerError(Exception):
    """An answer is none of the forms; the message is for a log."""


def parsed(content: bytes) -> Any:
    """The JSON of an answer. Raises UnusableAnswerError."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnusableAnswerError(f"it is not JSON ({type(error).__name__})") from error


def collection_id(answer: Any) -> str:
    """The id of a collection that was made or found. Raises UnusableAnswerError.

    >>> collection_id({"data": {"_id": "c1", "name": "org:acme"}})
    'c1'
    """
    return _identifier(_unwrapped(answer, "collectionId"), "collectionId")


def check_resource(answer: Any, resource_id: str) -> None:
    """Raises UnusableAnswerError: a resource was kept under another id, so it would not be found again."""
    kept = _identifier(_unwrapped(answer, "resourceId"), "resourceId")
    if kept != resource_id:
        raise UnusableAnswerError(f"{resource_id} was kept under another id")


def results(answer: Any) -> list[tuple[str, float]]:
    """The ids found and their scores, brought into the range from 0 to 1. Raises UnusableAnswerError.

    >>> results({"data": [{"id": "workItem:8", "score": 0.75}]})
    [('workItem:8', 0.75)]
    """
    if not isinstance(answer, dict):
        raise UnusableAnswerError("it has no results")
    found = _unwrapped(answer, "results")
    listed = found.get("results") if isinstance(found, dict) else found
    if not isinstance(listed, list):
        raise UnusableAnswerError("it has no list of results")
    return [(_identifier(each, "resourceId"), _score(each)) for each in listed]


def _unwrapped(answer: Any, expected: str) -> Any:
    if isinstance(answer, dict) and expected not in answer and "data" in answer:
        return answer["data"]
    return answer


def _identifier(found: Any, name: str) -> str:
    if not isinstance(found, dict):
        raise UnusableAnswerError(f"it has no {name}")
    value = next((found[each] for each in (name, "_id", "id") if each in found), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise UnusableAnswerError(f"it has no {name}")
    return value


def _score(found: dict[str, Any]) -> float:
    value = found.get("score")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnusableAnswerError("a result has no score")
    return min(max(float(value), 0.0), 1.0)
