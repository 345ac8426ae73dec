"""Reads the status of a record from the words that stand after "Status"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bob.core.decision import DecisionStatus

# The words a status begins with. English, German, French, Spanish and Portuguese.
_WORDS: tuple[tuple[DecisionStatus, str], ...] = (
    (
        "superseded",
        r"super[sc]ee?ded|replaced|obsoleted?|obsoleto|(?:abgelöst|ersetzt)|remplacée?|reemplazad[oa]|"
        r"su[bs]+titu[ií]d[oa]",
    ),
    ("deprecated", r"deprecated|retired|sunset(?:ted)?|historic(?:al)?|veraltet|obsolète|stale|expired"),
    (
        "rejected",
        r"rejected|declined|withdrawn|abandoned|cancell?ed|not (?:accepted|approved|adopted)|won'?t do|dead|"
        r"denied|discarded|dropped|abgelehnt|verworfen|rejetée?|refusée?|rechazad[oa]|rejeitad[oa]",
    ),
    (
        "proposed",
        r"propos(?:ed|al)|draft(?:ing)?|pending|(?:in|under|for|awaiting|needs?) (?:peer )?"
        r"(?:review|discussion|consideration|decision)|deferred|postponed|open|wip|work in progress|"
        r"in progress|rfc|review|idea|exploratory|experimental|undecided|tbd|todo|unknown|not decided|"
        r"vorgeschlagen|entwurf|offen|proposée?|brouillon|propuest[oa]|borrador|propost[oa]|rascunho",
    ),
    (
        "active",
        r"accept(?:ed)?|approved?|active|adopted|implement(?:ed|ing)|decided|agreed|final(?:i[sz]ed)?|done|"
        r"in (?:effect|force|use|place)|ratified|completed?|confirmed|current|resolved|provisional|published|"
        r"standards? track|best current practice|live|ok|enacted|shipped|akzeptiert|angenommen|"
        r"beschlossen|gültig|acceptée?|adoptée?|validée?|aceptad[oa]|aprobad[oa]|aceit[oa]|aprovad[oa]",
    ),
)
_LEAD = (
    r"(?:now|then|was|is|has been|and|but|later|currently|conditionally|provisionally|fully|mostly|status|"
    r"(?:this|the) (?:adr|decision|record|proposal|document)|initially|originally|it|already)\s+"
)
_BEGINNINGS = tuple(
    (status, re.compile(rf"\W*(?:{_LEAD})*(?:{words})(?!\w)", re.IGNORECASE)) for status, words in _WORDS
)
PARTLY = re.compile(r"\b(?:part(?:ly|ial|ially)|in[\s-]part|teilweise)\b", re.IGNORECASE)
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)|`[^`\n]*`_*|<[^>\n]*>|~~[^~\n]*~~")
_CLAUSE = re.compile(r"[,;.()\n→/|·•—–:]|->|=>|\s-\s|\bthen\b", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\([^()\n]*\)")
_CHOICE = re.compile(r"\||/|\bor\b", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StatusLine:
    """What a record says of its status; `is_partly` when a part of it no longer holds."""

    status: DecisionStatus | None
    is_partly: bool = False
    is_template: bool = False


def read_status(texts: Sequence[str]) -> StatusLine | None:
    """The status that lines of text give, the later lines being the newer ones; None when they are empty.

    `status` is None when the words are none that are known. A list of all that could stand there
    ("proposed | accepted | ...") is a template's.
    """
    whole = "\n".join(without_comments(each) for each in texts)
    if not whole.strip():
        return None
    if _is_choice(whole):
        return StatusLine(None, is_template=True)
    plain = _LINK.sub(" ", whole)
    is_partly = PARTLY.search(plain) is not None
    found = [each for clause in _CLAUSE.split(_PARENTHESIS.sub(" ", plain)) if (each := _beginning(clause))]
    if is_partly:
        found = ["active" if each == "superseded" else each for each in found] or ["active"]
    # What ended a decision counts over what began it, and what was agreed over what was proposed.
    order: tuple[DecisionStatus, ...] = ("superseded", "deprecated", "rejected", "active", "proposed")
    return StatusLine(next((each for each in order if each in found), None), is_partly=is_partly)


def without_comments(text: str) -> str:
    """A text without its HTML comments."""
    return _COMMENT.sub("", text)


def _beginning(clause: str) -> DecisionStatus | None:
    return next((status for status, words in _BEGINNINGS if words.match(clause)), None)


def _is_choice(text: str) -> bool:
    """Whether a text lists the statuses to choose from."""
    line = next(each for each in text.split("\n") if each.strip())
    if "{" in line and "|" in line:
        return True
    parts = [each for each in _CHOICE.split(_LINK.sub("", line)) if any(map(str.isalpha, each))]
    kinds = [_beginning(each) for each in parts]
    return None not in kinds and len(set(kinds)) > 1
