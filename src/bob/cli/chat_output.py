"""How a chat looks: a line on the prompt, the reply, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bob.cli.output import Output, counted, print_line, source_line

if TYPE_CHECKING:
    from bob.answers.verified import VerifiedClaim
    from bob.conversations.context import Compiled
    from bob.conversations.reply import ContextReady, Replied

_MOST_SHOWN = 5


def show_context(ready: ContextReady) -> None:
    """One line: what the model is given; and what made the provider's cache useless, if something did."""
    out = Output()
    out.print(context_line(ready.compiled), style="dim")
    prediction = ready.prediction
    if prediction is not None and prediction.prefix.read_tokens:
        out.print(f"cached: {prediction.prefix.read_tokens:,} tokens", style="dim")
    elif prediction is not None and prediction.differs:
        out.print(f"not cached any more: {'; '.join(prediction.differs[:3])}", style="yellow")
    out.print()


def context_line(compiled: Compiled) -> str:
    """What a prompt is made of, in a line."""
    project, *rest = compiled.segments
    counts = {each.name: len(each.pieces) for each in rest}
    if not compiled.project:
        parts = ["no project"]
    elif compiled.pinned:
        parts = [f"pinned: {counted(len(project.pieces), 'document')}, {project.tokens:,} tokens"]
    else:
        parts = [f"too large to pin: {counted(len(project.pieces), 'passage')}, {project.tokens:,} tokens"]
    if compiled.smart:
        parts.append(f"inspired by {counts.get('inspiration', 0)}")
        parts.append(f"remembered {counts.get('memories', 0)}")
    else:
        parts.append("Smart Context off")
    return " · ".join(parts)


def show_reply(reply: Replied, streamed: bool) -> None:
    """The reply with its sources, unless it was streamed already, and what it cost."""
    from bob.llm.costs import shown

    out = Output()
    if streamed and reply.written_by is not None:
        print_line()
    if streamed and reply.written_by is None:
        out.print()
    for notice in reply.notices:
        out.print(notice, style="yellow")
    if reply.answer is not None:
        out.print_text(reply.answer.text)
        if reply.answer.sources:
            out.print()
        for source in reply.answer.sources:
            chunk = source.chunk
            out.print(f"[{source.n}] ", *source_line(chunk.path, source.locator, chunk.heading_path))
    if reply.checked is not None:
        _show_checked(out, reply.checked)
    if reply.usage is not None:
        used = reply.usage
        asked = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
        cached = f", {used.cache_read_tokens:,} of them from the cache" if used.cache_read_tokens else ""
        out.print()
        paid = (
            "" if reply.cost is None else f" · {shown(reply.cost.dollars)}, {shown(reply.cost.saved)} saved"
        )
        words = f"{reply.written_by}: {asked:,} tokens in{cached}, {used.output_tokens:,} out{paid}"
        out.print(words, style="dim")


def _show_checked(out: Output, claims: Sequence[VerifiedClaim]) -> None:
    """How much of a reply the project's sources bear out; what they contradict first."""
    out.print()
    wrong = [each for each in claims if not each.judgement.holds]
    if claims and not wrong:
        out.print(f"Checked: the project bears out {counted(len(claims), 'statement')}.", style="green")
    wrong.sort(key=lambda each: each.judgement.verdict != "contradicted")
    for each in wrong[:_MOST_SHOWN]:
        contradicted = each.judgement.verdict == "contradicted"
        told = "The project says otherwise" if contradicted else "No source in the project"
        why = f" ({each.judgement.reason})" if each.judgement.reason else ""
        out.print(f"{told}: «{' '.join(each.text.split())}»{why}", style="red" if contradicted else "yellow")
    if len(wrong) > _MOST_SHOWN:
        out.print(f"… and {len(wrong) - _MOST_SHOWN} more without a source", style="yellow")
