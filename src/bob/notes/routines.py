"""Routines: a note for the day, for a meeting or of the week, made of what is known (SPEC M2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from bob.core.errors import UsageError
from bob.notes.capture import Capture, Captured, NoteRequest
from bob.notes.digest import Line, as_list
from bob.notes.gather_lines import GatherLines

Routine = Literal["daily", "meeting", "review"]

_NOTHING = "Nothing found."


@dataclass(frozen=True, slots=True)
class Occasion:
    """When and for what a routine is done; `topic` is what a meeting is about. `into` as for any note."""

    day: date
    project: str | None = None
    topic: str = ""
    into: Path | None = None


@dataclass(frozen=True, slots=True)
class RoutineNote:
    """The note, and the lines in it by the field that they are in."""

    note: Captured
    lines: Mapping[str, Sequence[Line]]

    def to_json(self) -> dict[str, Any]:
        """The note as `bob routine --json` prints it."""
        gathered = {name: [line.to_json() for line in lines] for name, lines in self.lines.items()}
        return self.note.to_json() | {"lines": gathered}


class Routines:
    """Writes notes by the templates of their names, whose places it fills."""

    def __init__(self, capture: Capture, gather: GatherLines) -> None:
        self._capture = capture
        self._gather = gather

    def write_routine(
        self, routine: Routine, occasion: Occasion, *, write: bool = True, index: bool = True
    ) -> RoutineNote:
        """Gather, and write the note.

        Raises:
            UsageError: a meeting has no topic, the template has no place for what is gathered, or as
                `Capture.write_note` does.
        """
        template = self._capture.template(routine)
        lines = self._lines(routine, occasion)
        missing = [name for name in lines if name not in template.places]
        if missing:
            raise UsageError(f"the template {routine} has no placeholder {{{{{missing[0]}}}}}: add it")
        folder = self._capture.folder(routine, occasion.into)
        values = {name: as_list(values, folder, _NOTHING) for name, values in lines.items()}
        if occasion.topic:
            values["title"] = occasion.topic
        if occasion.project:
            values["project"] = occasion.project
        request = NoteRequest(routine, occasion.day, values, into=occasion.into, writer="bob")
        return RoutineNote(self._capture.write_note(request, write=write, index=index), lines)

    def _lines(self, routine: Routine, occasion: Occasion) -> dict[str, list[Line]]:
        gather, project, day = self._gather, occasion.project, occasion.day
        match routine:
            case "daily":
                return {"open_loops": gather.open_loops(project)}
            case "meeting":
                if not occasion.topic.strip():
                    raise UsageError("missing topic; use bob routine meeting TOPIC")
                decided, recorded = gather.on(occasion.topic, project)
                return {
                    "decided": decided,
                    "background": recorded,
                    "open_loops": gather.open_loops(project) if project else [],
                }
            case "review":
                return {
                    "stale_decisions": gather.stale_decisions(project, day),
                    "gaps": gather.gaps(project, day),
                    "open_loops": gather.open_loops(project),
                }
