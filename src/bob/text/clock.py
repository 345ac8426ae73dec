"""Reads the times of day of a text, however they are written: 15:30, 3.30 pm, 21h30, half past three."""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import attrgetter

from bob.text import lexicon

DAY, HALF_DAY = 24 * 60, 12 * 60
"""Both in minutes."""

_HOURS, _PARTS = lexicon.numbers("number words"), lexicon.numbers("parts of an hour")
_NAMED = {name: 60 * hour for name, hour in lexicon.numbers("hours by name").items()}
_MINUTE, _HOUR = r"(?P<minute>[0-5]\d)", r"(?P<hour>[01]?\d|2[0-4])"
_HOUR_NAMES = lexicon.either(word for word, hour in _HOURS.items() if 0 < hour <= 12)
_HOUR_SAID = rf"(?P<hour>[01]?\d|2[0-4]|{_HOUR_NAMES})"
_BEHIND, _BEFORE = lexicon.any_of("behind an hour"), lexicon.any_of("before an hour")
_BEGINS = r"(?<![\w.,:/#])(?<![^\W\d]-)"
_WAYS = (
    rf"{_BEGINS}{_HOUR}(?:[:.]{_MINUTE})?\s?(?P<half>[ap])(?:\.\s?m\.?|m)(?!\w)",
    rf"{_BEGINS}{_HOUR_SAID}(?:[:.]{_MINUTE})?\s(?:{_BEHIND})(?!\w)",
    rf"{_BEGINS}{_HOUR}[:h]{_MINUTE}(?::[0-5]\d)?(?![\w:])",
    rf"\b(?P<part>{lexicon.either(_PARTS)})\s{_HOUR_SAID}(?!\w)",
    rf"\b(?P<name>{lexicon.either(_NAMED)})(?!\w)",
    rf"\b(?:{_BEFORE})\s(?P<time>{_HOUR}\s?(?:h|{lexicon.any_of('hours of the day')}))(?!\w)",
)
"""The ways to write one, the more exact first."""
_PATTERNS = tuple(re.compile(way, re.IGNORECASE) for way in _WAYS)
_UP_TO = lexicon.either(lexicon.words("up to a number"))
_FROM = re.compile(rf"{_BEGINS}(?P<time>{_HOUR}(?:[:.]{_MINUTE})?)\s?(?:-|–|—|\b(?:{_UP_TO}))\s?\Z")
_LONGEST_BEFORE = 20


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day at a range of a text: minutes since midnight. "3:30" may be in the afternoon as well, and
    then `is_sure` is False."""

    start: int
    end: int
    minutes: int
    is_sure: bool

    @property
    def written(self) -> str:
        """The time in figures, of two each where it is sure: 09:00 is in the morning, 9:00 may not be."""
        hour, minute = divmod(self.minutes, 60)
        return f"{hour:02}:{minute:02}" if self.is_sure else f"{hour}:{minute:02}"

    def is_same(self, other: TimeOfDay) -> bool:
        """Whether both may be the same time.

        >>> afternoon, half_past_three, morning = (times_in(text)[0] for text in ("15:30", "3:30", "3:30 am"))
        >>> afternoon.is_same(half_past_three), afternoon.is_same(morning)
        (True, False)
        """
        apart = abs(self.minutes - other.minutes) % DAY
        return apart == 0 or (apart == HALF_DAY and not (self.is_sure and other.is_sure))


def times_in(plain: str) -> list[TimeOfDay]:
    """The times of day in a text without markup, in order. A number before the end of a span of time is one
    too: "9 to 5 pm".

    >>> [divmod(time.minutes, 60) for time in times_in("9 to 5.30 pm, um 21 Uhr")]
    [(9, 0), (17, 30), (21, 0)]
    """
    times: list[TimeOfDay] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(plain):
            time = _time_of(match)
            if not any(time.start < other.end and other.start < time.end for other in times):
                times.append(time)
    for time in tuple(times):
        before = _FROM.search(plain, max(0, time.start - _LONGEST_BEFORE), time.start)
        if before and not any(before.start("time") < other.end <= time.start for other in times):
            times.append(_time_of(before))
    return sorted(times, key=attrgetter("start"))


def _time_of(match: re.Match[str]) -> TimeOfDay:
    parts = match.groupdict()
    start, end = match.span("time") if parts.get("time") else match.span()
    if name := parts.get("name"):
        return TimeOfDay(start, end, _NAMED[name.lower()] % DAY, True)
    written = parts["hour"].lower()
    hour, minute = _HOURS.get(written) or int(written), int(parts.get("minute") or 0)
    if part := parts.get("part"):
        minute = _PARTS[" ".join(part.lower().split())]
    half = parts.get("half")
    if half:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    is_sure = bool(half) or hour > 12 or written.startswith("0")
    return TimeOfDay(start, end, (60 * hour + minute) % DAY, is_sure)
