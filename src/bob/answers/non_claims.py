"""Sentences of a draft that claim nothing: greetings, questions, remarks about the answer itself.

English, with the plainest forms in Portuguese, German, French and Spanish.
"""

from __future__ import annotations

import re

_EMPHASIS = re.compile(r"[*_`~]+")
_QUESTION = re.compile(r"\?[\"'”’)\]]*$")
_WORD = re.compile(r"[^\W_]{2,}|\d")

_PHRASES = """
    hi|hello|hey|dear|good (?:morning|afternoon|evening)|sure|certainly|of course|absolutely|great|
    great question|good question|thanks|thank you|you're welcome|ok|okay|yes|no|
    in (?:short|summary|brief|conclusion)|
    to summari[sz]e|to sum up|summary|notes?|answer|conclusion|overview|tl;?dr|for example|example|
    that's (?:it|all)|good luck|cheers|best regards|
    olá|oi|sim|não|claro|obrigad[oa]|em resumo|
    hallo|guten tag|ja|nein|natürlich|danke|zusammenfassung|
    bonjour|oui|non|merci|en résumé|
    hola|sí|gracias|en resumen
"""
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
    aqui (?:está|estão)|espero que|hier (?:ist|sind)\b.*:$|ich hoffe|voici\b|j'espère|aquí (?:está|están)
"""
_SOURCES = (
    r"(?:provided |given |available |retrieved )?"
    r"(?:sources?|documents?|notes?|context|information|files|excerpts?)"
)
_BEFORE_REMARK = r"(?:(?:so|and|but|also|unfortunately|however|sorry)(?:,? but)?,?\s+)?"


def _joined(lines: str) -> str:
    return re.sub(r"\n\s*", "", lines)


_COURTESY = re.compile(
    rf"(?:{_joined(_PHRASES)})(?:[\s,]+(?:there|all|everyone|you|again|so much|[A-Z]\w+))*\s*[.!:,]*$",
    re.IGNORECASE,
)
_REMARK = re.compile(_BEFORE_REMARK + f"(?:{_joined(_REMARKS).replace('SOURCES', _SOURCES)})", re.IGNORECASE)
_INTRODUCES = re.compile(
    r"\b(?:following|as follows|below|these|this|seguintes?|folgende[nrs]?|suivante?s?)\b", re.IGNORECASE
)


def claims_nothing(sentence: str, *, listed: bool) -> bool:
    """Whether a sentence states nothing that could be true or false; `listed` when it is a list's item."""
    plain = _EMPHASIS.sub("", sentence).strip()
    if not _WORD.search(plain) or _QUESTION.search(plain):
        return True
    if _COURTESY.match(plain) or _REMARK.match(plain):
        return True
    return not listed and plain.endswith(":") and bool(_INTRODUCES.search(plain))
