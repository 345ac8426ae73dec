"""How memories look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bob.cli.output import Output, counted, when

if TYPE_CHECKING:
    from bob.conversations.forgetting import ForgetPlan, ForgetReport, Mention
    from bob.core.conversation import ChatMessage, Memory

_EXCERPT = 100


def show_memory_line(memory: Memory, nearness: str = "") -> None:
    """A memory in a line."""
    marks = [f"said {memory.times_said} times"] if memory.times_said > 1 else []
    marks += ["pinned"] if memory.pinned else []
    if memory.valid_until is not None:
        successor = f", see {memory.superseded_by}" if memory.superseded_by else ""
        marks.append(f"until {memory.valid_until.astimezone():%Y-%m-%d}{successor}")
    about = f"  ({memory.scope.project})" if memory.scope.project else ""
    Output().print(
        f"{memory.memory_id:>5}  ",
        (f"{nearness}  " if nearness else "", "dim"),
        (f"{memory.importance:>3} {memory.message_type:10}  ", "cyan"),
        memory.summary,
        (about, "cyan"),
        (f"  {', '.join(marks)}" if marks else "", "dim"),
    )


def show_memory(memory: Memory, said: Sequence[ChatMessage]) -> None:
    """A memory with the messages that said it."""
    show_memory_line(memory)
    out = Output()
    for each in said:
        out.print()
        out.print(f"chat {each.chat_id}, {each.role}, {when(each.sent_at)}", style="dim")
        out.indented(each.text, 2)


def show_plan(plan: ForgetPlan) -> None:
    """What forgetting would take away."""
    out = Output()
    out.print("This would be forgotten for good:")
    for memory in plan.memories:
        show_memory_line(memory)
    _messages(out, "the words of the messages that said it:", plan.said)
    _messages(out, "the words of messages that repeat it:", plan.repeated)
    if plan.other_memories:
        out.print()
        out.print("These messages also said what stays remembered:")
        for memory in plan.other_memories:
            show_memory_line(memory)
    _mentions(out, "and these rows, which have its words:", plan.mentions)
    _mentions(
        out,
        "These may be about it as well. --include KEY, or --include all, takes them along:",
        plan.candidates,
    )
    _mentions(out, "This has its words too, and stays:", plan.left)
    numbers = " ".join(str(each.memory_id) for each in plan.memories)
    out.print()
    out.print(f"Nothing was done. To do it: bob memories forget {numbers} --yes", style="yellow")


def _messages(out: Output, heading: str, messages: Sequence[ChatMessage]) -> None:
    if not messages:
        return
    out.print()
    out.print(heading)
    for each in messages:
        line = " ".join(each.text.split())
        shown = line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]}…"
        out.print(f"  chat {each.chat_id}, {each.role}: {shown}", style="dim")


def _mentions(out: Output, heading: str, mentions: Sequence[Mention]) -> None:
    if not mentions:
        return
    out.print()
    out.print(heading)
    for each in mentions:
        because = f"  ({each.left_because})" if each.left_because else ""
        out.print(f"  {each.key}  {each.kind}: {each.excerpt}{because}", style="dim")


def show_forgotten(report: ForgetReport) -> None:
    """What was done, what was searched afterwards, and what is left and why."""
    out = Output()
    size = sum(each.size for each in report.probes)
    memories = counted(report.memories, "memory", "memories")
    rows = "".join(f", {count} of {table}" for table, count in sorted(report.rows.items()))
    out.print(f"Forgotten: {memories}, the words of {counted(report.messages, 'message')}{rows}.")
    read = f"{counted(sum(report.searched.values()), 'row')} of {counted(len(report.searched), 'table')}"
    searched = f"{read} and {counted(len(report.probes), 'file')} ({size:,} bytes) searched"
    if report.gone and not report.left:
        out.print(f"{searched}: the words are in none of them.")
    else:
        out.print(f"{searched}. Left:")
    for each in report.left:
        out.print(f"  {each.key}  {each.kind}: {each.excerpt}  ({each.left_because})", style="yellow")
    for probe in report.probes:
        if probe.found:
            out.print(f"  still in {probe.path}, in no row that Bob knows of", style="red")
    out.print(f"Not searched: {'; '.join(report.beyond)}.", style="dim")
