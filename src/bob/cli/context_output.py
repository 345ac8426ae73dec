"""How a compiled prompt looks: a table of its parts, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bob.cli.output import Output

if TYPE_CHECKING:
    from bob.domain.context import Compiled

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
