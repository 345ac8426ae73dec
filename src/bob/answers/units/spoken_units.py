"""Cuts what several people say into units, each told under who says it: mails, chats, transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bob.answers.units.unit import Unit, cut, unit_at
from bob.text.turns import Turn, chat_turns, contact_turns, mail_turns

TURNS_OF = {"mail": mail_turns, "chat": chat_turns, "transcript": chat_turns, "contacts": contact_turns}
"""How the turns of a text are found, by the type of its source."""


def cut_spoken(chunks: Sequence[tuple[str, str, str]]) -> list[tuple[list[Unit], list[Unit]]]:
    """The units of each chunk and what it states beside them, as `bob.answers.units.chunk_units` gives them:
    no sentence goes on from one person's words to another's."""
    turns = [TURNS_OF[source_type](text, context) for text, context, source_type in chunks]
    said = cut(
        (text[turn.start : turn.end], "")
        for (text, *_), of_text in zip(chunks, turns, strict=True)
        for turn in of_text
        if not turn.is_line
    )
    left = iter(said)
    return [
        _units_of_turns(
            text, of_text, [([], []) if turn.is_line else next(left) for turn in of_text], source_type
        )
        for (text, _, source_type), of_text in zip(chunks, turns, strict=True)
    ]


def _units_of_turns(
    text: str, turns: Sequence[Turn], cut_turns: Sequence[tuple[list[Unit], list[Unit]]], source_type: str
) -> tuple[list[Unit], list[Unit]]:
    units: list[Unit] = []
    beside: list[Unit] = []
    for turn, (own, whole) in zip(turns, cut_turns, strict=True):
        if turn.is_line:
            line = text[turn.start : turn.end]
            start = turn.start + len(line) - len(line.lstrip())
            names = "" if line.strip().startswith(turn.speaker) else turn.speaker
            units.append(replace(unit_at(text, start, turn.end, "field"), under=names))
        units += (_told_by(unit, turn) for unit in _without_names(own, source_type))
        beside += (_told_by(unit, turn) for unit in whole)
    return units, beside


def _without_names(units: list[Unit], source_type: str) -> list[Unit]:
    """The units of a turn: what is said last names nothing of what another says, and of a mail it is the name
    below it. Lines of a mail behind ">>>" are a quotation, not code."""
    if source_type == "mail":
        units = [replace(unit, kind="prose") if _is_quoted(unit) else unit for unit in units]
    if not units or units[-1].kind != "term" or units[-1].line.endswith("?"):
        return units
    return [*units[:-1], *([] if source_type == "mail" else [replace(units[-1], kind="prose")])]


def _is_quoted(unit: Unit) -> bool:
    return unit.kind == "code" and unit.line.startswith(">")


def _told_by(unit: Unit, turn: Turn) -> Unit:
    """A unit of what somebody says, where it stands in the whole text and under who says it."""
    items = tuple(_told_by(item, turn) for item in unit.items[:1])
    items += tuple(_moved(item, turn.start) for item in unit.items[1:])
    return replace(
        _moved(unit, turn.start), items=items, under=": ".join(filter(None, (turn.speaker, unit.under)))
    )


def _moved(unit: Unit, by: int) -> Unit:
    above = tuple(start + by for start in unit.above)
    return replace(unit, start=unit.start + by, end=unit.end + by, above=above)
