"""The statements of a message: its sentences, and the clauses of those that ramble."""

from __future__ import annotations

import re

from bob.text.sentences import message_sentences, without_code
from bob.text.words import folded

_RAMBLE = 25
"""Words; a longer sentence usually has several things to say."""

_SHORTEST_CLAUSE = 4
"""Words: what is shorter ("anyway, in the end, …") belongs to what follows."""

_CLAUSE = re.compile(r"[,;] |: | – | - ")


def own_words(text: str) -> str:
    """The text without lines that quote another's (`> …`)."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def statements(text: str) -> list[str]:
    """The sentences of a text. One that rambles is given once for each clause, from there to its end, so
    that what it comes to in the end is judged apart from what it passed on the way."""
    found: list[str] = []
    for sentence in message_sentences(text):
        if len(sentence.split()) <= _RAMBLE:
            found.append(sentence)
            continue
        start = 0
        for mark in _CLAUSE.finditer(sentence):
            if len(sentence[start : mark.start()].split()) >= _SHORTEST_CLAUSE:
                found.append(sentence[start:].strip())
                start = mark.end()
        found.append(sentence[start:].strip())
    return found


def first_clause(statement: str) -> str:
    """What a statement is judged by: a clause of a ramble, else all of it."""
    if len(statement.split()) <= _RAMBLE:
        return statement
    for mark in _CLAUSE.finditer(statement):
        if len(statement[: mark.start()].split()) >= _SHORTEST_CLAUSE:
            return statement[: mark.start()]
    return statement


_ACCEPTS = re.compile(
    r"\W*(?:(?:yes|ok|okay|agreed|perfect|great|sure|sounds good|good idea|deal|sim|certo|combinado|perfeito|"
    r"otimo|fechado|beleza|concordo|boa ideia)\b\W*)*"
    r"(?:agreed|deal|i agree|we agree|good idea|(?:let's|lets) (?:do|go with|use) (?:that|it|this)|"
    r"do (?:that|it)|"
    r"go (?:ahead|with (?:that|it))|that's (?:it|decided|what we do)|we'll do that|i'll take (?:that|it)|"
    r"accepted|"
    r"concordo|combinado|fechado|boa ideia|vamos (?:com|fazer|nessa|de) ?(?:isso|essa|esse)?|pode ser assim|"
    r"faca isso|faz isso|aceito|fica assim)\b"
    r"(?:\W+(?:then|please|thanks|thank you|entao|por favor|obrigad[oa]|assim|bob))*\W*$"
)
_PROPOSES = re.compile(
    r"^\W*(?:(?:in that case|then|so|for (?:this|that|your case)|nesse caso|então)\W+)?"
    r"(?:i(?:'d| would)? (?:suggest|recommend|propose|go with|advise)|i would use|let's (?:go with|use)|"
    r"my (?:suggestion|recommendation|proposal)(?: is|:)|we (?:could|should) (?:use|go with)|"
    r"(?:eu )?(?:sugiro|recomendo|proponho|sugeriria|recomendaria)|minha (?:sugestão|recomendação)(?: é|:)|"
    r"(?:podemos|poderíamos|devemos) usar)\W*(?:(?:that|to|que|we|you|vocês?)\b\W*)*",
    re.IGNORECASE,
)


def accepted_proposal(text: str, previous: str) -> str:
    """The one proposal of `previous`, the assistant's message before, when `text` does nothing but accept it.

    The sentence without its "I suggest"; empty when the text says more, or there are several proposals, so
    that it is not plain which one is meant.
    """
    if not _ACCEPTS.match(folded(text)):
        return ""
    found = []
    for sentence in message_sentences(without_code(previous)):
        proposal = _PROPOSES.sub("", sentence)
        if proposal != sentence and not sentence.endswith("?") and proposal:
            found.append(proposal[0].upper() + proposal[1:])
    return found[0] if len(found) == 1 else ""
