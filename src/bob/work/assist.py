"""Answers questions about work: the memory says where to look, SQL says what is so (seed 001; SPEC K7).

Every fact in a reply comes of a SELECT that was run for it. Without a language model, rules know three
patterns; with one, it chooses the tools itself, a bounded number of times, and its reply is held to what they
gave: a reply that names an item which no tool gave is not handed on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bob.core.errors import BobError, LanguageModelError, RequestError
from bob.core.prompt import Message, Prompt, Segment
from bob.core.protocols import LanguageModel
from bob.core.sql import SqlResult
from bob.llm.complete import complete
from bob.llm.containment import HOSTILE, MARKS, fenced, neutralized, neutralized_values
from bob.work.assist_rules import AssistRules
from bob.work.assist_values import Assistance, Step, Tool
from bob.work.question import AssistPlan, plan_of
from bob.work.values import clean_text

MOST_STEPS = 6
LONGEST_MESSAGE = 4_000
_MAX_TOKENS = 1_000
_ROWS_SHOWN = 50
"""Of a result, a language model reads so many rows."""

STEP_SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["action", "query", "limit", "sql", "answer"],
    "properties": {
        "action": {"type": "string", "enum": ["rag_search", "execute_sql", "answer"]},
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "sql": {"type": "string"},
        "answer": {"type": "string"},
    },
}
_INSTRUCTION = (
    """
You answer questions about a team's work items, with two tools. Each of your messages is one JSON object:
{"action": "rag_search", "query": "what to look for", "limit": 5, "sql": "", "answer": ""}
{"action": "execute_sql", "query": "", "limit": 0, "sql": "SELECT ...", "answer": ""}
{"action": "answer", "query": "", "limit": 0, "sql": "", "answer": "your reply"}
Tools:
%s
rag_search only points: it gives ids. Facts (status, owner, category, numbers) come from execute_sql alone;
never state one that no tool gave. Name items as #45. When nothing fits, say so.
What a tool gives stands between <result-ID> and </result-ID>, where ID is a number that is new for it. It
""".strip()
    + f" {HOSTILE}.\nIn it {MARKS}"
)

_ID_COLUMNS = frozenset({"id", "work_item_id"})
_NAMED = re.compile(r"#(\d{1,18})\b")


class Assist:
    """Answers for one organization. `search` gives ids for a query, `sql` the rows of a SELECT."""

    def __init__(
        self,
        search: Callable[[str, int], list[int]],
        sql: Callable[[str], SqlResult],
        tools: Callable[[], Sequence[dict[str, Any]]],
        model: Callable[[], LanguageModel | None],
    ) -> None:
        self._search = search
        self._sql = sql
        self._tools = tools
        self._model = model

    def answer_message(
        self, message: str, history: Sequence[Message] = (), work_item_id: int | None = None
    ) -> Assistance:
        """Answer a message; `history` is what was said in the thread before, which is about the item
        `work_item_id` if there is one.

        Raises:
            RequestError: the message is empty or too long.
        """
        if not message.strip() or len(message) > LONGEST_MESSAGE:
            raise RequestError("message", f"message must have 1 to {LONGEST_MESSAGE} characters")
        plan = plan_of(message)
        if work_item_id is not None:
            message = f"About work item #{work_item_id}: {message}"
            # Without a model, only what asks for other items, or names them, is about others.
            plan = plan_of(message) if plan.pattern == "triage" else plan
        model = self._model()
        if model is None:
            return self._ruled(plan)
        steps: list[Step] = []
        try:
            reply = self._written(model, message, history, steps)
        except LanguageModelError as error:
            return self._ruled(plan, notice=str(error))
        known_ids = {number for step in steps for number in _ids_in(step)}
        invented = {int(work_item_id) for work_item_id in _NAMED.findall(reply)} - known_ids
        if invented:
            names = ", ".join(f"#{work_item_id}" for work_item_id in sorted(invented))
            return self._ruled(plan, notice=f"{model.name} named {names}, which no tool returned")
        named = dict.fromkeys(int(work_item_id) for work_item_id in _NAMED.findall(reply))
        return Assistance(reply, tuple(steps), tuple(named), model.name)

    def _ruled(self, plan: AssistPlan, notice: str | None = None) -> Assistance:
        rules = AssistRules(self._tool)
        reply, ids = rules.reply(plan)
        return Assistance(reply, tuple(rules.steps), tuple(ids), None, notice)

    def _written(
        self, model: LanguageModel, message: str, history: Sequence[Message], steps: list[Step]
    ) -> str:
        """The model's reply; the tools that it used are added to `steps`. Raises LanguageModelError."""
        described = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in self._tools())
        system = (Segment(_INSTRUCTION % described, cached=True),)
        turns = [replace(message, text=neutralized(message.text)) for message in history]
        turns.append(Message("user", neutralized(message)))
        for _ in range(MOST_STEPS + 1):
            prompt = Prompt(system, tuple(turns), _MAX_TOKENS, json_schema=STEP_SCHEMA)
            written = complete(model, prompt).text
            chosen = _step_of(written)
            if chosen is None:
                raise LanguageModelError(f"{model.name} did not answer in the required form")
            if chosen["action"] == "answer":
                reply = clean_text(chosen["answer"])
                if not reply:
                    raise LanguageModelError(f"{model.name} gave an empty reply")
                return reply
            if len(steps) == MOST_STEPS:
                break
            if chosen["action"] == "rag_search":
                step = self._tool("rag_search", {"query": chosen["query"], "limit": chosen["limit"] or 5})
            else:
                step = self._tool("execute_sql", {"sql": chosen["sql"]})
            steps.append(step)
            turns += [Message("assistant", neutralized(written)), Message("user", _shown(step))]
        raise LanguageModelError(f"{model.name} had no reply after {MOST_STEPS} steps")

    def _tool(self, tool: Tool, arguments: dict[str, Any]) -> Step:
        """Use a tool. What it refuses is a result too."""
        try:
            if tool == "rag_search":
                scores = self._search(arguments["query"], arguments["limit"])
                return Step(tool, arguments, {"success": True, "work_item_ids": scores})
            result = self._sql(arguments["sql"])
        except BobError as error:
            return Step(tool, arguments, {"success": False}, str(error))
        return Step(tool, arguments, {"success": True, **result.to_json()})


def _step_of(written: str) -> dict[str, Any] | None:
    """The model's choice; None when it is not of the form."""
    try:
        parsed = json.loads(written[written.index("{") : written.rindex("}") + 1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict) or parsed.get("action") not in ("rag_search", "execute_sql", "answer"):
        return None
    texts = {key: parsed.get(key) or "" for key in ("query", "sql", "answer")}
    limit = parsed.get("limit")
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    return {"action": parsed["action"], **texts, "limit": limit if isinstance(limit, int) else 0}


def _shown(step: Step) -> str:
    """What the model reads of a step."""
    found = dict(step.found)
    if len(found.get("rows", [])) > _ROWS_SHOWN:
        found |= {"rows": found["rows"][:_ROWS_SHOWN], "truncated": True}
    if step.error is not None:
        found["error"] = step.error
    values = neutralized_values(json.loads(json.dumps(found, default=str)))
    return fenced("result", json.dumps(values, ensure_ascii=False), {"tool": step.tool})


def _ids_in(step: Step) -> set[int]:
    """The items that a step gave: found by the search, or in a column of a SELECT that is called by an id."""
    if step.tool == "rag_search":
        return set(step.found.get("work_item_ids", ()))
    places = [
        index for index, name in enumerate(step.found.get("columns", ())) if name.lower() in _ID_COLUMNS
    ]
    values = (row[index] for row in step.found.get("rows", ()) for index in places)
    return {value for value in values if isinstance(value, int) and not isinstance(value, bool)}
