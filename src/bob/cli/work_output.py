"""How work items look."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bob.cli.output import Output, counted, when

if TYPE_CHECKING:
    from bob.work.import_items import ImportReport
    from bob.work.items import CustomField, WorkEvent, WorkItem
    from bob.work.service import WorkPage

_LONGEST_CHANGE = 60


def show_item(item: WorkItem, *, brief: bool = False) -> None:
    """An item, in a line if `brief`."""
    out = Output()
    marks = [item.status, *([item.priority] if item.priority else [])]
    about = [item.category.name] if item.category else []
    about += [f"@{item.assignee_id}"] if item.assignee_id else []
    out.print(
        f"{item.work_item_id:>5}  ",
        (f"{' '.join(marks)}  ", "cyan"),
        item.title,
        (f"  ({', '.join(about)})" if about else "", "dim"),
    )
    if brief:
        return
    for line in (item.description or "").splitlines():
        out.indented(line, 7) if line else out.print()
    for name, value in item.fields.items():
        out.print("       ", (f"{name}: ", "dim"), value)
    made = f"by {item.created_by}, {when(item.created_at)}"
    changed = f"; changed {when(item.updated_at)}" if item.updated_at != item.created_at else ""
    out.print(f"       {made}{changed}", style="dim")


def show_page(page: WorkPage) -> None:
    """Items, and how to see those that follow."""
    for item in page.items:
        show_item(item, brief=True)
    if not page.items:
        Output().print("No work items.")
    if page.next_after is not None:
        Output().print(f"More items: --after {page.next_after}", style="dim")


def show_events(events: Sequence[WorkEvent]) -> None:
    """What happened, a line a change."""
    out = Output()
    for event in events:
        out.print(
            f"{event.event_id:>5}  ",
            (f"{when(event.at)}  ", "dim"),
            (f"{event.event_type}  ", "cyan"),
            f"item {event.work_item_id}  by {event.actor}",
        )
        for name, (before, after) in event.changes.items():
            shown = _short(after) if before is None else f"{_short(before)} → {_short(after)}"
            called = "assignee" if name == "assignee_id" else name.removeprefix("field:")
            out.print(f"         {called}: {shown}")
    if not events:
        out.print("No changes yet.")


def field_line(field: CustomField) -> str:
    """A custom field with its type."""
    options = f": {', '.join(field.options)}" if field.options else ""
    return f"{field.name}  ({field.field_type}{options})"


def show_import(report: ImportReport, dry_run: bool) -> None:
    """What an import did, or would do."""
    out = Output()
    counts = f"{counted(report.added, 'item')} added, {report.changed} changed, {report.unchanged} unchanged"
    out.print(counts)
    if report.categories:
        out.print(f"New categories: {', '.join(report.categories)}")
    if report.fields:
        out.print(f"New custom fields: {', '.join(report.fields)}")
    if report.errors:
        out.print(f"{counted(len(report.errors), 'row')} left out", style="yellow")
    if dry_run:
        out.print("Nothing was imported. To import, omit --dry-run.", style="yellow")


def _short(value: Any) -> str:
    if value is None or value == "":
        return "nothing"
    line = " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return line if len(line) <= _LONGEST_CHANGE else f"{line[:_LONGEST_CHANGE]}…"
