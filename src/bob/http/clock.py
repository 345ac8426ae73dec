"""What time it is for whoever asks: nothing below the faces looks at the clock."""

from __future__ import annotations

from datetime import date, datetime


def now() -> datetime:
    """This moment, in the time zone of this machine."""
    return datetime.now().astimezone()


def today() -> date:
    """The day it is on this machine."""
    return now().date()
