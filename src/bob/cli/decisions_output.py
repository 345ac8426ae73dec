"""How decisions look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bob.cli.output import Output, Piece, counted, source_line

if TYPE_CHECKING:
    from bob.core.decision import Decision
    from bob.decisions.resolve import Dropped
    from bob.decisions.values import Branch, Change, History, Listed

_STYLES = {
    "active": "green",
    "proposed": "cyan",
    "superseded": "yellow",
    "deprecated": "yellow",
    "rejected": "red",
}
_FORWARD = {
    "supersedes": "superseded by",
    "partly_supersedes": "superseded in part by",
    "amends": "amended by",
}
_BACKWARD = {"supersedes": "supersedes", "partly_supersedes": "supersedes in part", "amends": "amends"}


def show_list(listed: Listed) -> None:
    """Decisions, a line each, and what is to be told of them."""
    out = Output()
    names = {each.decision_id: each.name for each in listed.decisions}
    projects = {each.project for each in listed.decisions}
    for each in listed.decisions:
        by = [
            names.get(link.later, f"#{link.later}")
            for link in listed.links
            if link.earlier == each.decision_id and link.kind == "supersedes"
        ]
        notes = [f"by {', '.join(by)}"] if by and each.status == "superseded" else []
        notes += [each.project] if len(projects) > 1 else []
        notes += ["corrected"] if each.corrected else []
        out.print(*_line(each), (f"  ({'; '.join(notes)})" if notes else "", "dim"))
    if listed.dropped:
        out.print()
        links = counted(len(listed.dropped), "stated link")
        out.print(f"{links} could not be followed:", style="dim")
        for dropped in listed.dropped:
            out.print(f"  {names[dropped.decision_id]}: {_dropped(dropped)}", style="dim")
    if listed.lost:
        out.print()
        out.print("What you said of these is kept, though they are gone:", style="yellow")
        for lost in listed.lost:
            out.print(f"  {lost.about} ({lost.project}): {_said(lost.to_json())}")


def _line(each: Decision) -> list[Piece]:
    dated = "          " if each.date is None else each.date.isoformat()
    number = f"{each.name}  " if each.found.number else ""
    return [
        f"{each.decision_id:>5}  ",
        (f"{each.status:10}  ", _STYLES[each.status]),
        (f"{dated}  ", "dim"),
        (number, "bold"),
        each.found.title,
    ]


def _dropped(dropped: Dropped) -> str:
    return f"«{dropped.target}» {dropped.reason}"


def _said(changes: dict[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value}" for name, value in changes.items() if name != "about"
    )


def show_decision(history: History, dropped: Sequence[Dropped]) -> None:
    """All that is known of a decision."""
    out, each = Output(), history.decision
    found = each.found
    out.print(*_line(each), style="")
    if each.corrected:
        out.print("       corrected by you: bob decisions undo takes it back", style="dim")
    out.print("       ", *source_line(each.path, found.locator, ()))
    _block(out, "Decision", found.statement)
    _block(out, "Context", found.context)
    if found.rejected:
        out.print()
        out.print("Turned down", style="bold")
        for rejected in found.rejected:
            reason = f" ({' '.join(rejected.reason.split())})" if rejected.reason else ""
            out.indented(f"- {' '.join(rejected.text.split())}{reason}", 2)
    links = [*((_FORWARD, each) for each in history.later), *((_BACKWARD, each) for each in history.earlier)]
    if links or dropped:
        out.print()
        out.print("Links", style="bold")
    for words, branch in links:
        out.print("  ", *_branch(branch, words))
    for one in dropped:
        out.print(f"  {_dropped(one)}", style="dim")


def _block(out: Output, heading: str, text: str) -> None:
    if text.strip():
        out.print()
        out.print(heading, style="bold")
        for line in text.strip().splitlines():
            out.indented(line, 2)


def show_history(history: History) -> None:
    """A decision as a tree, what came of it above what led to it."""
    out = Output()
    out.print(*_line(history.decision))
    rows = [*((_FORWARD, each) for each in history.later), *((_BACKWARD, each) for each in history.earlier)]
    _tree(out, rows, "       ")
    if not rows:
        out.print("       no other decision is linked to it", style="dim")


def _tree(out: Output, rows: Sequence[tuple[dict[str, str], Branch]], indent: str) -> None:
    for at, (words, branch) in enumerate(rows):
        last = at == len(rows) - 1
        out.print((f"{indent}{'└' if last else '├'} ", "dim"), *_branch(branch, words))
        _tree(out, [(words, each) for each in branch.onward], indent + ("  " if last else "│ "))


def _branch(branch: Branch, words: dict[str, str]) -> list[Piece]:
    each = branch.decision
    how = words[branch.link.kind] if branch.link else ""
    said = " (you said so)" if branch.link and branch.link.origin == "user" else ""
    dated = "" if each.date is None else f", {each.date.isoformat()}"
    title = f" {each.found.title}" if each.found.number else ""
    return [
        (f"{how} ", "dim"),
        (each.name, "bold"),
        f"{title} ",
        (f"[{each.status}{dated}]", _STYLES[each.status]),
        (said, "dim"),
    ]


def show_change(change: Change) -> None:
    """What a correction did, or would do."""
    out = Output()
    for before, after in change.changed:
        moves = [
            f"{name} {was or 'none'} → {now or 'none'}"
            for name, was, now in (
                ("status", before.status, after.status),
                ("title", f"«{before.found.title}»", f"«{after.found.title}»"),
                ("date", before.date, after.date),
            )
            if was != now
        ]
        out.print(*_line(after), (f"  {'; '.join(moves) or 'nothing changes'}", "dim"))
    if not change.done:
        out.print("Nothing was done: leave --dry-run out to do it.", style="yellow")
