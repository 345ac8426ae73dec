"""What an assistant did to answer a question about work: its tools, what came back, and the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Tool = Literal["rag_search", "execute_sql"]


@dataclass(frozen=True, slots=True)
class Step:
    """One use of a tool: what it was given, and what it gave. `error` is set when it refused."""

    tool: Tool
    given: dict[str, Any]
    found: dict[str, Any]
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        step = {"tool": self.tool, "input": self.given, "output": self.found}
        return step if self.error is None else step | {"error": self.error}


@dataclass(frozen=True, slots=True)
class Assistance:
    """A reply and how it came about. `work_item_ids` are the items it rests on, and `written_by` is None when
    rules wrote it; `notice` says why they did although there is a language model."""

    reply: str
    steps: tuple[Step, ...]
    work_item_ids: tuple[int, ...]
    written_by: str | None = None
    notice: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {
            "reply": self.reply,
            "work_item_ids": list(self.work_item_ids),
            "steps": [step.to_json() for step in self.steps],
            "written_by": self.written_by,
            "notice": self.notice,
        }
