"""How a compiled prompt looks: a table of its parts, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bob.cli.output import Output

if TYPE_CHECKING:
    from bob.conversations.context import Compiled
    from bob.conversations.reply import ContextReady
    from bob.conversations.simulate_context import Simulation

_MOST_SOURCES = 12


def show_compiled(compiled: Compiled) -> None:
    """Tokens per part with its sources, breakpoints, and what was left out and why."""
    out = Output()
    for segment in compiled.segments:
        out.print((f"{segment.tokens:>8,}  {segment.name}", "bold"))
        for piece in segment.pieces[:_MOST_SOURCES]:
            where = f"  ({piece.project})" if segment.name == "inspiration" and piece.project else ""
            out.print(f"{piece.tokens:>8,}    {piece.source}{where}", style="dim")
        if len(segment.pieces) > _MOST_SOURCES:
            out.print(f"{'':>8}    … and {len(segment.pieces) - _MOST_SOURCES} more", style="dim")
        if segment.cached:
            out.print(
                f"{'':>8}  ---- cache breakpoint: the same bytes on every turn up to here ----", style="cyan"
            )
    for turn in compiled.turns:
        out.print(f"{turn.tokens:>8,}  message of the {turn.role}")
    out.print((f"{compiled.tokens:>8,}  tokens in all, as estimated", "bold"))
    for each in compiled.left_out[:_MOST_SOURCES]:
        out.print(f"left out: {each.source}: {each.why}", style="yellow")
    if len(compiled.left_out) > _MOST_SOURCES:
        out.print(f"left out: … and {len(compiled.left_out) - _MOST_SOURCES} more", style="yellow")


def show_prediction(ready: ContextReady) -> None:
    """What the prompt should find in the provider's cache and cost, beside the chat's last prompt; nothing
    without a language model."""
    from bob.llm.costs import shown

    prediction = ready.prediction
    if prediction is None:
        return
    out = Output()
    prefix = prediction.prefix
    out.print(
        f"predicted: {prefix.read_tokens:,} tokens from the cache, {prefix.write_tokens:,} written to it, "
        f"{shown(prediction.dollars)} for the prompt"
        + ("" if ready.last_dollars is None else f" (the last one: {shown(ready.last_dollars)})")
    )
    for each in prediction.differs[:_MOST_SOURCES]:
        out.print(f"not cached any more: {each}", style="yellow")


def show_simulation(found: Simulation) -> None:
    """What stayed the same from turn to turn, and what that is worth with each provider."""
    from bob.llm.costs import shown

    out = Output()
    out.print(
        f"{found.turns} turns, {found.memories_written} memories written: the project "
        f"({found.project_tokens:,} tokens) was the same bytes on {found.same} of {found.turns} turns"
    )
    out.print(
        f"{found.prefix_bytes_share:.1%} of all prompt bytes and {found.prefix_tokens_share:.1%} of the "
        f"{found.prompt_tokens:,} tokens stand before the breakpoint"
    )
    for miss in found.misses:
        out.print(miss, style="yellow")
    out.print()
    out.print(f"{'':28} {'from cache':>10} {'cost':>14} {'memory first':>14} {'no cache':>14}", style="bold")
    for each in found.shares:
        name = f"{each.model.provider}:{each.model.model}"
        amounts = (each.dollars, each.naive_dollars, each.uncached_dollars)
        out.print(f"{name:28} {each.read_share:>10.1%} " + " ".join(f"{shown(one):>14}" for one in amounts))
