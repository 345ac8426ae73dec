"""Shows a draft while it is written, so that nobody waits before an empty screen; it never stays there."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bob.cli.output import print_error
from bob.cli.terminal import styled_console
from bob.text.visible import visible_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from bob.answers.values import Answer, AnswerEvent

_LABEL = "unchecked draft, not the answer yet"


def final_answer(events: Iterable[AnswerEvent], *, live: bool) -> Answer:
    """The answer that the events end with. With `live`, the terminal shows the draft as it grows, and its end
    where it is longer than the screen; all of it is taken away before this returns or raises."""
    from bob.answers.values import Answered

    pieces = iter(events)
    event = next(pieces)
    if not isinstance(event, Answered) and live:
        event = _watched(event, pieces)
    while not isinstance(event, Answered):
        event = next(pieces)
    return event.answer


def _watched(first: AnswerEvent, events: Iterable[AnswerEvent]) -> AnswerEvent:
    """The event after the draft was written and checked."""
    from rich.live import Live

    from bob.answers.values import Answered, DraftPiece

    console = styled_console(sys.stdout)
    event: AnswerEvent = first
    draft = ""
    pieces = iter(events)
    try:
        with Live(console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as screen:
            while not isinstance(event, Answered):
                if isinstance(event, DraftPiece):
                    draft += event.text
                    screen.update(_fitting(draft, console))
                event = next(pieces)
    finally:
        if not isinstance(event, Answered):
            print_error("stopped before the draft was checked; none of it is shown")
    return event


def _fitting(draft: str, console: Console) -> Text:
    """The end of the draft that the screen has room for."""
    from rich.text import Text

    room = max(console.height - 3, 1)
    shown = Text(visible_text(draft[-room * console.width :])).wrap(console, console.width)[-room:]
    return Text("\n", style="dim").join([Text(f"[{_LABEL}]"), *shown])
