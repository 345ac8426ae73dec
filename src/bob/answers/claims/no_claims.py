"""Which sentences of a draft claim nothing (SPEC E2): questions, courtesies, remarks, labels."""

from __future__ import annotations

import re

from bob.answers.claims.clauses import has_verb
from bob.text import lexicon
from bob.text.negation import names_negation

_EMPHASIS = re.compile(r"[*_`~]+")
_QUESTION = re.compile(r"\?[\"'”’)\]]*$")
_NON_CLAIMS_WORD = re.compile(r"[^\W_]{2,}|\d")

_REMARKS = r"""
    here they are\b|here(?: is|'s| are)\b(?=.*(?::$|\bi (?:found|know|have)|answer|summary|overview|list|
    steps?|what))|
    below (?:is|are)|the following\b(?=.*:$)|let me|let us|let's|
    i(?:'m| am) (?:not sure|not certain|sorry|unable|afraid|happy)|
    i(?:'ve| have)? (?:do not|don't|did not|didn't|cannot|can't|could not|couldn't|was unable|
    found(?!.*\bthat\b)|checked|looked|searched|hope|will|would|can)\b|i'(?:ll|d) |hope (?:this|that|it)|
    feel free|please (?:let|feel|ask|see below|tell)|do not hesitate|don't hesitate|
    if you (?:have|need|want|would like|'d like)\b.*(?:questions?|more (?:help|details?|information)|let me|
    ask|tell me|i can)|
    (?:based on|according to|from) (?:the|your|these|my) SOURCES[^.]*:$|
    (?:the|your|these) SOURCES(?: provided| given)? (?:do not|don't|does not|doesn't) (?:say|mention|contain|
    include|provide|specify|state|tell|cover|give|answer)|
    as an? (?:ai|assistant)\b|
    last (?:updated|modified|reviewed|edited|changed)\b.{0,3}:|zuletzt (?:aktualisiert|geändert)\b|
    última atualização\b|
    aqui (?:está|estão)|espero que|hier (?:ist|sind)\b.*:$|ich hoffe|voici\b|j'espère|aquí (?:está|están)
"""
_NON_CLAIMS_SOURCES = (
    r"(?:provided |given |available |retrieved )?"
    r"(?:sources?|documents?|notes?|context|information|files|excerpts?)"
)
_BEFORE_REMARK = r"(?:(?:so|and|but|also|unfortunately|however|sorry)(?:,? but)?,?\s+)?"


def _joined(lines: str) -> str:
    return re.sub(r"\n\s*", "", lines)


_GREETINGS = lexicon.either((*lexicon.phrases("salutations"), *lexicon.phrases("sign-offs")))
_COURTESY = re.compile(
    rf"(?:(?i:{lexicon.any_of('no claims')})|"
    rf"(?i:{_GREETINGS})(?:[\s,]+(?i:there|all|everyone|you|again|so much|a lot)(?!\w))*"
    r"(?:[\s,]+[^\W\d_a-z][\w.]*){0,4})\s*[.!:,]*$"
)
"""Perhaps with the names of who is greeted or greets."""
_REMARK = re.compile(
    _BEFORE_REMARK + f"(?:{_joined(_REMARKS).replace('SOURCES', _NON_CLAIMS_SOURCES)})", re.IGNORECASE
)
_SHORTEST_REMARK = 4
"""Words of a remark behind which something else is said."""

_BEHIND_REMARK = re.compile(rf":\s+|,\s*(?:{lexicon.any_of('but')})\s+")
_POLITE = re.compile(rf"(?:{lexicon.any_of('courtesies')})(?!\w)", re.IGNORECASE)
_SAYS_THAT = re.compile(rf"\b(?:{lexicon.any_of('says that')})\b", re.IGNORECASE)
_INTRODUCES = re.compile(rf"\b(?:{lexicon.any_of('introducing')})\b", re.IGNORECASE)


def claims_nothing(sentence: str, *, listed: bool, is_document: bool = False) -> bool:
    """Whether a sentence states nothing that could be true or false; `listed` when it is a list's item. In
    somebody's document courtesies and what only leads on are such, too."""
    if _IMAGE.fullmatch(sentence.strip()) or _is_label(sentence.strip()):
        return True
    plain = _EMPHASIS.sub("", sentence).strip()
    if not _NON_CLAIMS_WORD.search(plain) or _QUESTION.search(plain):
        return True
    is_remark = _REMARK.match(plain) is not None and not _goes_on(plain)
    if _COURTESY.match(plain) or is_remark or (is_document and _is_polite(plain, listed)):
        return True
    return not listed and plain.endswith(":") and bool(_INTRODUCES.search(plain))


def _goes_on(remark: str) -> bool:
    """Whether a remark says something behind it: "Here is the answer: the excess is £900."."""
    first, *parts = _BEHIND_REMARK.split(remark, maxsplit=1)
    if len(first.split()) < _SHORTEST_REMARK:
        return False  # "Last updated: 3 May"
    parts = [part for part in parts if not _REMARK.match(part)]
    return any(any(map(str.isdigit, part)) or has_verb(f"- {part}", inflected=True) for part in parts)


def _is_polite(sentence: str, listed: bool) -> bool:
    """Whether a sentence without figures asks, thanks, wishes or only leads on, and says nothing beside."""
    if any(map(str.isdigit, sentence)) or ";" in sentence or _SAYS_THAT.search(sentence):
        return False
    if _POLITE.match(sentence):
        return not any(has_verb(f"- {part}", inflected=True) for part in sentence.split(",")[1:])
    leads_on = sentence.endswith(":") and not listed
    if not (leads_on or sentence.endswith("!")) or names_negation(sentence):
        return False
    longest = _LONGEST_INTRODUCTION if leads_on else _LONGEST_TITLE
    said = sentence.rpartition(" ")[0] if leads_on else sentence
    return len(sentence.split()) <= longest and not has_verb(said, inflected=True)


_IMAGE = re.compile(r"!\[[^\]]{0,500}\]\([^()]{0,500}\)")
_BOLD = re.compile(r"(\*\*|__)(?P<said>[^*_\d]{1,80})\1(?P<after>[.:]?)")
_LONGEST_LABEL, _LONGEST_TITLE, _LONGEST_INTRODUCTION = 5, 8, 12
"""Words of a label ("**Fees.**", "On the day itself:"), of a title in bold or an exclamation, and of what
only leads on ("A few practical points for the day:")."""


def _is_label(sentence: str) -> bool:
    """Whether a sentence is only the name of what follows: a few words without figures or a verb."""
    bold = _BOLD.fullmatch(sentence)
    said = bold["said"] + bold["after"] if bold else sentence
    if not bold and (not said.endswith(":") or any(map(str.isdigit, said))):
        return False
    is_title = bold is not None and said[-1] not in ".!?:"
    words = len(said.split())
    return words <= (_LONGEST_TITLE if is_title else _LONGEST_LABEL) and not has_verb(f"- {said}")
