"""Tells sentences that have a decision's words and settle nothing from those that settle something.

In minutes people say what was agreed before, put things off, take them from the agenda, and agree on how good
an idea is. Half of the sentences with "agreed" or "decided" are such.
"""

from __future__ import annotations

import re
from functools import cache

from bob.text import lexicon
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.words import folded, phrase_pattern, words_of

_VERB = (
    r"(?:agree(?:d|ment)?|decided?|resolved|committed|concordamos|decidimos|combinamos|"
    r"ficou (?:decidido|combinado)|beschlossen|vereinbart)"
)
_LATER = (
    r"defer|postpone|table|wait|revisit|circle back|loop back|follow[- ]up|roll(?:ing)? over|discuss|"
    r"continue (?:the |this |to )?discuss|think about|look into|get(?:ting)? more|gather more|come back|"
    r"meet again|talk (?:more|again)|go ahead and schedule|"
    r"(?:open|start|create|schedule|split|move|close|stop|end|hold) (?:an? |the |this |next |new )*"
    r"(?:github |separate |next |follow-up |weeks? )*(?:issue|discussion|meeting|call|thread|one\b)|"
    r"(?:take|bring|move|defer|leave|put|send) (?:\w+ ){0,3}?(?:back|offline|to github|"
    r"to the (?:issue|list|pr|next)|on (?:the )?agenda|for (?:now|next))|"
    r"(?:remove|drop|take|leave|keep|close)\b[^.]{0,40}agenda|(?:leave|keep) (?:\S+ ){0,6}?open\b|"
    r"leave\b.*\buntil\b|"
    r"(?:have|hold) an? (?:conversation|discussion)|"
    r"adiar|aguardar|voltar a (?:discutir|falar)|retomar|retirar da (?:pauta|agenda|ordem)|"
    r"vertag\w+|verschieb\w+|abzuwarten|weiter zu diskutieren"
)
_PUT_OFF = re.compile(
    rf"\b{_VERB}\b\W*(?:(?:that|to|on|we|will|should|it|just|then|que|de|em|dass)\W+){{0,5}}(?:{_LATER})",
    re.IGNORECASE,
)
"""What is decided is to decide later, or what the next meeting is about."""
_POSTPONED = re.compile(
    rf"(?:\W*(?:we|will|to|should|let['’]s|the|group|committee|item|it|be|was|is|wird|wurde)\b)*\W*"
    rf"(?:{_LATER}|no (?:consensus|conclusion|decision|resolution|agreement)\b|kein(?:e|en)? |"
    r"(?:sem|sans|sin) (?:consens|decis|décis|conclus))",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"(?:[^:]{0,80}:)?\s*<?https?:\S+")
_UNDECIDED = re.compile(
    rf"\b{_VERB}\b.*(?:\bmore (?:time|discussion|consensus|information|feedback|input|thought|research)\b|"
    r"\bleave (?:\S+ ){0,6}?open\b|\b(?:next|following) (?:week|meeting|call|session|step)s?\b|"
    r"['’]s agenda\b|\bthink (?:it|this) over\b|\bdiscussion (?:point|should)\b|\bcould be\b)|"
    r"\?\W*(?:https?:\S+)?$",
    re.IGNORECASE | re.DOTALL,
)
_BACKWARDS = re.compile(
    r"\b(?:had|already|previously|at one point|last (?:week|time|meeting)|back then|once)\s+"
    rf"(?:\w+\s+){{0,2}}?(?:{_VERB}|made the decision)\b|"
    r"\b(?:agreed|decided)\b[^.]{0,40}\b(?:last (?:week|time|meeting)|at one point|in the past|back then)\b|"
    r"\b(?:have|['’]ve) committed\b|\bforgot\b|\bhave(?:n['’]t| not)\b",
    re.IGNORECASE,
)
_CUT_SHORT = re.compile(r"(?:[:,—]|\b(?:be|is|are|to|that|with|of|for|and|or|the))$", re.IGNORECASE)
_SPEAKER = re.compile(r"\W*(?:@[\w-]+:|(?:[A-Z][\w.@-]*\W?\s?){1,3}:)\s+\S")
_LABEL = re.compile(
    r"\W*(?:final |group |our |the )?(?:decisions?|decided|agreed|agreements?|resol\w+|outcome|result)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:agreed|consensus)\s+(?:that|on this)\b(?!.*\b(?:should|will|must|shall|may|can|won['’]t|"
    r"would(?! be\b| require)|"
    r"(?:ok|okay|best|better|thing|need|needs|have|has|want|is|are|fine|going) to|"
    r"to (?:do|use|have|keep|make))\b)"
    r".*(?:\b(?:is|are|was|were|would|feels?|seems?|looks?)\b|['’](?:s|re)\b)",
    re.IGNORECASE | re.DOTALL,
)
_NARRATED = re.compile(
    r"\([^()]*\)\W*$|(?:\w+ ){1,2}to comment\W*$|"
    r"\W*(?:there (?:is|are|was|were)(?: no|n['’]t)|no objections?|ok(?:ay)?\b)",
    re.IGNORECASE,
)
_ONES_OWN = re.compile(rf"\bI(?:['’]ve| have)?\s(?:\w+\s)?(?:{_VERB}|opted|chose|picked)\b")
_SAYS_NOTHING = FUNCTION_WORDS | frozenset(
    {
        *("agree", "agreed", "agreement", "agreements", "decide", "decided", "decision", "decisions"),
        *("resolved", "resolution", "go", "going", "went", "move", "moves", "moved", "moving", "forward"),
        *("ahead", "now", "ok", "okay", "fine", "yes", "do", "doing", "done", "thing", "things", "seems"),
        *("like", "suggestion", "suggestions", "proposal", "outcome", "direction", "way", "one", "point"),
        *("everyone", "everybody", "all", "team", "group", "meeting", "later", "see", "continue"),
        *("date", "time", "day", "improve", "better"),
        *("steering", "council", "committee", "board"),
    }
)


def is_speech(text: str) -> bool:
    """Whether a paragraph of minutes begins with the name of a speaker: all of it is what one person said."""
    line = _on_one_line(text)
    return _SPEAKER.match(line) is not None and _LABEL.match(line) is None


def is_put_off(text: str) -> bool:
    """Whether what stands where a decision is expected puts it off or says nothing: "Come back in May"."""
    line = _on_one_line(text)
    if _POSTPONED.match(line) or _REFERENCE.fullmatch(line) or _putting_off().search(folded(line)):
        return True
    return _no_outcome().union(_SAYS_NOTHING).issuperset(words_of(folded(line)))


@cache
def _putting_off() -> re.Pattern[str]:
    return phrase_pattern(lexicon.phrases("puts off"))


@cache
def _no_outcome() -> frozenset[str]:
    return frozenset(map(folded, lexicon.words("no outcome")))


def _on_one_line(text: str) -> str:
    return " ".join(text.replace("*", "").split())


@cache
def _told_of_before() -> re.Pattern[str]:
    return phrase_pattern(lexicon.phrases("told of before"))


def settles_nothing(text: str, *, in_minutes: bool) -> bool:
    """Whether a sentence weighs, is cut short or names nothing, rather than settle something.

    Nor does it `in_minutes` when it puts something off, tells of before, is what one person said, or what one
    decided alone.
    """
    line = _on_one_line(text)
    if _CUT_SHORT.search(line) or _OPINION.search(line) or _NARRATED.match(line):
        return True
    if in_minutes:
        forms = (_PUT_OFF, _UNDECIDED, _BACKWARDS, _ONES_OWN)
        if is_speech(line) or _told_of_before().search(folded(line)):
            return True
        if any(form.search(line) for form in forms):
            return True
    return not any(word not in _SAYS_NOTHING and not word.isdigit() for word in words_of(line.lower()))
