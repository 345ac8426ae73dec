"""The replies of rules to the three patterns of seed 001: history, triage, patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from bob.work.assist_values import Step, Tool
from bob.work.question import AssistPlan

_FEW, _MANY = 5, 50
_NOTHING = "No similar work items found."
_LEAST_SHARE = 0.5
"""A value is a pattern when at least half of the items that have the field have it."""

_ITEMS = """
SELECT w.id, w.title, w.status, w.priority, c.name AS category, w.assignee_id, w.created_at
FROM work_items w LEFT JOIN categories c ON c.id = w.category_id WHERE w.id IN ({ids})
"""
_VALUES = """
SELECT v.field_name, v.value, COUNT(*) AS items, t.total FROM custom_field_values v
JOIN (SELECT field_name, COUNT(*) AS total FROM custom_field_values WHERE work_item_id IN ({ids})
GROUP BY field_name) t ON t.field_name = v.field_name
WHERE v.work_item_id IN ({ids}) GROUP BY v.field_name, v.value, t.total HAVING COUNT(*) > 1
ORDER BY items DESC, v.field_name, v.value
"""
"""The database counts: of many values, it would hand out only the first."""
_CUT = "The database did not give all of it: there is more than this reply counts."


_ASKED: dict[Tool, str] = {"rag_search": "The memory", "execute_sql": "The database"}


class _ToolFailed(Exception):  # noqa: N818 - no error of Bob's tree: it becomes a reply
    """A tool did not do what it was asked."""


class AssistRules:
    """Replies to one message; `steps` are the tools that it took."""

    def __init__(self, tool: Callable[[Tool, dict[str, Any]], Step]) -> None:
        self._tool = tool
        self.steps: list[Step] = []
        self._is_cut = False

    def reply(self, plan: AssistPlan) -> tuple[str, list[int]]:
        """The reply, and the items that it rests on. A tool that failed is no sign that nothing is there."""
        try:
            reply, ids = self._answered(plan)
            return (f"{reply}\n{_CUT}" if self._is_cut else reply), ids
        except _ToolFailed as failure:
            return str(failure), []

    def _answered(self, plan: AssistPlan) -> tuple[str, list[int]]:
        if plan.pattern == "items":
            ids = list(plan.work_item_ids)
        else:
            limit = _MANY if plan.pattern == "patterns" else _FEW
            ids = self._use("rag_search", {"query": plan.query, "limit": limit})["work_item_ids"]
        items = self._items(ids)
        present = [int(item["id"]) for item in items]
        lacking = [f"#{number}" for number in plan.work_item_ids if number not in present]
        missing = f"No work item {', '.join(lacking)}." if lacking and not self._is_cut else ""
        if not items:
            return missing or _NOTHING, []
        match plan.pattern:
            case "items":
                return "\n".join([*map(_line, items), *filter(None, [missing])]), present
            case "history":
                count = "is 1 similar item" if len(items) == 1 else f"are {len(items)} similar items"
                return f"Yes, there {count}:\n" + "\n".join(map(_line, items)), present
            case "triage":
                return self._triage(items), present
            case _:
                return self._patterns(items, present), present

    def _items(self, ids: Sequence[int]) -> list[dict[str, Any]]:
        """The items as SQL has them, in the order of the ids: the memory's order is its only say."""
        if not ids:
            return []
        rows = self._select(_ITEMS, ids)
        by_id = {row["id"]: row for row in rows}
        return [by_id[item_id] for item_id in ids if item_id in by_id]

    def _select(self, statement: str, ids: Sequence[int]) -> list[dict[str, Any]]:
        sql = " ".join(statement.format(ids=", ".join(str(int(item_id)) for item_id in ids)).split())
        result = self._use("execute_sql", {"sql": sql})
        self._is_cut = self._is_cut or bool(result.get("truncated"))
        return [dict(zip(result["columns"], row, strict=True)) for row in result["rows"]]

    def _use(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the tool gives. Raises _ToolFailed."""
        step = self._tool(tool, arguments)
        self.steps.append(step)
        if step.error is not None:
            raise _ToolFailed(f"{_ASKED[tool]} is not available: {step.error}")
        return step.found

    def _triage(self, items: Sequence[dict[str, Any]]) -> str:
        lines = "\n".join(map(_line, items))
        categories = Counter(str(item["category"]) for item in items if item["category"])
        if not categories:
            return f"Similar items, none with a category:\n{lines}"
        (name, count), *_ = categories.most_common(1)
        return f"This looks like the items in «{name}» ({count} of {len(items)} similar ones):\n{lines}"

    def _patterns(self, items: Sequence[dict[str, Any]], ids: Sequence[int]) -> str:
        most: dict[str, tuple[str, int, int]] = {}
        for row in self._select(_VALUES, ids):
            counts = (str(row["value"]), int(row["items"]), int(row["total"]))
            most.setdefault(str(row["field_name"]), counts)
        most = dict(sorted(most.items()))
        for name in ("category", "status", "priority"):
            counted = Counter(str(item[name]) for item in items if item[name])
            if counted:
                most[name.capitalize()] = (*counted.most_common(1)[0], counted.total())
        lines = [
            f"- {name}: {value} in {count} of {total}"
            for name, (value, count, total) in most.items()
            if count > 1 and count >= _LEAST_SHARE * total
        ]
        titles = "\n".join(map(_line, items[:_FEW]))
        if not lines:
            return f"{_fit(len(items))}, but most of them share no value:\n{titles}"
        return f"{_fit(len(items))}. Most of them have:\n" + "\n".join(lines) + f"\nSuch as:\n{titles}"


def _fit(count: int) -> str:
    return "One item fits" if count == 1 else f"{count} items fit"


def _line(item: dict[str, Any]) -> str:
    facts = [str(item["status"]), *(str(item[name]) for name in ("priority", "category") if item[name])]
    if item["assignee_id"]:
        facts.append(f"assigned to {item['assignee_id']}")
    return f"#{item['id']} {item['title']} ({', '.join(facts)})"
