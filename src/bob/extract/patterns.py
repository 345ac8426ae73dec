"""The words by which decisions are told: markers, cues, headings and the names of statuses."""

from __future__ import annotations

import re

from bob.domain.decision import DecisionStatus

# A text with none of these holds no decision that could be told: looked for before anything else is done.
CUES = (
    "decision",
    "decid",
    "agreed",
    "resolved",
    "status",
    "chosen",
    "chose ",
    "supersed",
    "obsolet",
)

# Words after a record's "Status", the first that matches counts. A partly superseded record is in force.
_STATUSES: tuple[tuple[DecisionStatus, str], ...] = (
    ("superseded", r"super[sc]eded|replaced|obsoleted?"),
    ("deprecated", r"deprecated|retired|sunset"),
    ("rejected", r"rejected|declined|withdrawn|abandoned|cancell?ed|not accepted|not approved"),
    ("proposed", r"propos(?:ed|al)|draft|pending|(?:in|under) (?:review|discussion)|deferred|open|wip|rfc"),
    ("active", r"accept(?:ed)?|approved|active|adopted|implemented|decided|agreed|final|done|in effect"),
)
STATUSES = tuple((status, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for status, words in _STATUSES)
PARTLY = re.compile(r"\b(?:part(?:ly|ially)|in part)\b", re.IGNORECASE)

DECISION_HEADING = re.compile(r"(?:the |our )?(?:decisions?|decision outcome|resolution)", re.IGNORECASE)
CONTEXT_HEADING = re.compile(
    r"context(?: and problem statement)?|background|problem|motivation", re.IGNORECASE
)
STATUS_HEADING = re.compile(r"(?:decision )?status", re.IGNORECASE)

MARKER = re.compile(
    r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?[*_]{0,3}"
    r"(?P<word>decision|decided|agreed|resolved)[*_]{0,3}\s*:[*_]{0,3}\s*(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
PLACEHOLDER = re.compile(
    r"\{[^{}\n]+\}|\[(?:YYYY|yyyy|short|name|insert|title|description)[^\]\n]*\]|<[a-z][^<>\n]* [^<>\n]*>"
)
