"""The statements of a message: its sentences, and the clauses of those that ramble."""

from __future__ import annotations

import re

from bob.text.sentences import message_sentences

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
