"""Questions about something that may have been turned down: "Did we ever consider MySQL?"."""

from __future__ import annotations

import re
from functools import cache

_WE = r"(?:we|you|they|the team|anyone|anybody|somebody|someone)"
_NOT = r"(?:n['’]t| not)"
_WEIGHED = (
    r"(?:consider|discuss|evaluat|look at|looked at|think of|thought of|reject|rul(?:e|ed) out|turn down|"
    r"turned down|talk about|talked about)(?:e|ed)?"
)
_CHOSE = (
    r"(?:us|choos|chose|pick|adopt|go with|going with|tak|move to|moving to|switch to|switching to|reject|"
    r"rule out|turn down|decide against|consider)(?:e|ed|ing)?"
)
_ASKS = re.compile(
    r"\s*(?:(?:did|have|had|has)(?:n['’]t)?|was|were|why|what (?:was|is|speaks|spoke)|já|por ?qu[eê]|haben|"
    r"hatten|warum)\b",
    re.IGNORECASE,
)
"""How all the questions below begin: most others are told apart by it."""


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(rf"\s*(?:{pattern})\s*\?*\s*$", re.IGNORECASE | re.DOTALL)
        for pattern in _REJECTED_ALTERNATIVES_QUESTIONS
    )


_REJECTED_ALTERNATIVES_QUESTIONS = (
    rf"(?:did|have|had|has){_NOT}? {_WE} (?:ever |already |also |not )*{_WEIGHED} (?P<what>.+?)"
    r"(?: before| at all| yet)?",
    r"(?:was|were|has|have) (?P<what>.+?) (?:been )?(?:ever |already )?(?:been )?"
    r"(?:considered|evaluated|rejected|discussed|ruled out|turned down)",
    r"why (?:not|no) (?P<what>.+)",
    rf"why (?:did|do|have|are|was|were){_NOT}? {_WE} (?:not )?(?:just |simply )?{_CHOSE} (?P<what>.+)",
    r"why (?:was|were) (?P<what>.+?) (?:rejected|turned down|ruled out|not (?:chosen|used|picked))",
    r"what (?:was|is|speaks|spoke) (?:the reason |wrong )?(?:against|with) (?P<what>.+)",
    r"já (?:consideramos|pensamos em|avaliamos|discutimos) (?P<what>.+)",
    r"por ?qu[eê] não (?:usamos |escolhemos |usar )?(?P<what>.+)",
    r"(?:haben|hatten) wir (?:jemals |schon |mal )*(?P<what>.+?) (?:erwogen|diskutiert|verworfen)",
    r"warum (?:nicht|kein(?:en?|e)?) (?P<what>.+)",
)
_LONGEST = 400


def considered(question: str) -> str | None:
    """What a question asks about that may have been turned down, None for any other question.

    >>> considered("Did we ever consider MySQL?"), considered("Why not use a message queue?")
    ('MySQL', 'use a message queue')
    >>> considered("Didn't we already look at Kafka?"), considered("Why don't we use Kafka?")
    ('Kafka', 'Kafka')
    >>> considered("Which database do we use?") is None
    True
    """
    if len(question) > _LONGEST or not _ASKS.match(question):
        return None
    for pattern in _patterns():
        if match := pattern.match(question):
            return match["what"].strip(" \t\n?.!\"'“”«»") or None
    return None
