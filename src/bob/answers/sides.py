"""The two sides of a question that compares two things, or that asks the same of both (SPEC E1).

Rules over a few joining words; the words are in `bob.text.lexicon`. A question without two sides has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from bob.text import lexicon
from bob.text.dates import dates_in
from bob.text.opposites import OPPOSITES
from bob.text.words import stem

_LONGEST = 400
"""No rule reads a longer question."""

_MOST_WORDS = 8
"""Of so many words at the most is a thing that stands in a choice."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: the `question` as it would be text of this one alone. `earlier` is the first of two
    questions in one, of which the second goes on."""

    question: str
    earlier: tuple[str, ...] = ()


def sides_of(question: str) -> tuple[Side, Side] | None:
    """The two sides, in the question's order.

    >>> one, other = sides_of("What is the water ratio for rolled oats and for steel cut oats?")
    >>> one.question, other.question
    ('What is the water ratio for rolled oats?', 'What is the water ratio for steel cut oats?')
    >>> sides_of("What does restic prune do?") is None
    True
    """
    text = " ".join(question.split()).rstrip(" ?.!")
    if not text or len(text) > _LONGEST:
        return None
    for rule in (_opposite, _two_questions, _told_apart, _between, _differing, _parallel, _dated, _choice):
        sides = next(rule(text), None)
        if sides is not None:
            return sides
    return None


def _pair(one: str, other: str) -> tuple[Side, Side]:
    return Side(f"{_squeezed(one)}?"), Side(f"{_squeezed(other)}?")


def _squeezed(text: str) -> str:
    return re.sub(r"\s+([,;])", r"\1", " ".join(text.split())).strip(" ,;:")


@dataclass(frozen=True, slots=True)
class _Words:
    """The rules' patterns, built once."""

    opposite: re.Pattern[str]
    again: re.Pattern[str]
    apart: re.Pattern[str]
    between: re.Pattern[str]
    differing: re.Pattern[str]
    joined: re.Pattern[str]
    choice: re.Pattern[str]
    prepositions: frozenset[str]


@cache
def _words() -> _Words:
    def among(*words: str) -> str:
        return "(?:" + "|".join(map(re.escape, words)) + ")"

    both, either = lexicon.words("and"), lexicon.words("or")
    join = among(*both, *either)
    between = among(*lexicon.words("between"))
    differences = among(*lexicon.phrases("differences"))
    apart = "|".join(
        rf"{re.escape(verb)}\s+(?P<a{n}>.+?)\s+{among(*words)}\s+(?P<b{n}>.+)"
        for n, (verb, words) in enumerate(lexicon.pairs("telling apart"))
    )
    article = r"(?:(?:an?|the|der|die|das|den|dem|ein\w*|os?|as?|uma?)\s+)?"
    asks = among(*lexicon.words("question words"))
    return _Words(
        re.compile(rf"\b(?P<a>\w+)\s+{among(*both)}\s+{article}(?P<b>\w+)\b", re.I),
        re.compile(rf"^(?P<a>.{{8,}}?),?\s+{join}\s+(?P<b>(?:\w+\s+)?{asks}\b.+)$", re.I),
        re.compile(rf"^\w+(?:\s+\w+)?\s+(?:{apart})$", re.I),
        re.compile(
            rf"^(?P<head>.*?)(?:(?:\b{article}{differences}\s+(?:\w+\s+){{0,4}}?)?{between})\s+{article}"
            rf"(?P<a>.+?)\s+{join}\s+{article}(?P<b>[^,;?]+)(?P<tail>.*)$",
            re.I,
        ),
        re.compile(
            rf"^\w+\s+(?:do|does|did|sich|se|{among(*lexicon.phrases('differing'))})\s+(?:sich\s+|se\s+)?"
            rf"(?P<a>.+?)\s+{join}\s+(?P<b>.+?)(?:\s+{among(*lexicon.phrases('differing'))})?$",
            re.I,
        ),
        re.compile(rf"\s+{join}\s+", re.I),
        re.compile(rf"^(?P<head>.+)[,:;]\s*(?P<a>[^,:;]+?)\s+{among(*either)}\s+(?P<b>[^,:;]+)$", re.I),
        frozenset(lexicon.words("prepositions")),
    )


def _opposite(text: str) -> Iterator[tuple[Side, Side]]:
    """«vor und nach der Geburt», "a soft and a hard deprecation"."""
    for match in _words().opposite.finditer(text):
        one, other = stem(match["a"].lower()), stem(match["b"].lower())
        if other in OPPOSITES.get(one, ()):
            before, after = text[: match.start()], text[match.end() :]
            yield _pair(before + match["a"] + after, before + match["b"] + after)


def _two_questions(text: str) -> Iterator[tuple[Side, Side]]:
    """ "How long do I boil soft-boiled eggs and how long hard-boiled ones", "… and when was it resolved"."""
    if match := _words().again.match(text):
        first = f"{_squeezed(match['a'])}?"
        yield Side(first), Side(f"{_squeezed(match['b'])}?", (first,))


def _told_apart(text: str) -> Iterator[tuple[Side, Side]]:
    """«Was trennt Schankbier von Bockbier»."""
    if match := _words().apart.match(text):
        one, other = (name for name in match.groups() if name is not None)
        yield _pair(f"What is {one}", f"What is {other}")


def _between(text: str) -> Iterator[tuple[Side, Side]]:
    """ "What is the difference between forget and prune"."""
    if match := _words().between.match(text):
        head, tail = match["head"], match["tail"]
        yield _pair(f"{head} {match['a']} {tail}", f"{head} {match['b']} {tail}")


def _differing(text: str) -> Iterator[tuple[Side, Side]]:
    """ "How do forget and prune differ"."""
    if any(word in text.lower() for word in map(str.lower, lexicon.phrases("differing"))) and (
        match := _words().differing.match(text)
    ):
        yield _pair(f"What is {match['a']}", f"What is {match['b']}")


def _parallel(text: str) -> Iterator[tuple[Side, Side]]:
    """ "for rolled oats and for steel cut oats": the same word before each."""
    words = _words()
    for match in words.joined.finditer(text):
        preposition = text[match.end() :].split(" ", 1)[0]
        if preposition.lower() not in words.prepositions:
            continue
        starts = [
            before.start()
            for before in re.finditer(rf"\b{re.escape(preposition)}\s+\w", text[: match.start()], re.I)
        ]
        if not starts:
            continue
        end = re.search(r"[,;:]", text[match.end() :])
        stop = len(text) if end is None else match.end() + end.start()
        before, after = text[: starts[-1]], text[stop:]
        yield _pair(
            before + text[starts[-1] : match.start()] + after, before + text[match.end() : stop] + after
        )


def _dated(text: str) -> Iterator[tuple[Side, Side]]:
    """ "in March 2026 and at the end of May 2026"."""
    dates = [stated for stated in dates_in(text) if stated.month]
    if len(dates) != 2:
        return
    one, other = dates
    joined = _words().joined.search(text, one.end, other.start)
    if joined is None:
        return
    start = _with_prepositions(text, one.start)
    yield _pair(
        text[: joined.start()] + text[other.end :],
        text[:start] + text[joined.end() : other.end] + text[other.end :],
    )


def _with_prepositions(text: str, start: int) -> int:
    """Where the words begin that lead to a date: "at the end of May"."""
    leading = frozenset((*lexicon.words("prepositions"), *lexicon.words("parts of a period")))
    before = list(re.finditer(r"\w+\s+", text[:start]))
    while before and before[-1].group().strip().lower() in leading:
        start = before.pop().start()
    return start


def _choice(text: str) -> Iterator[tuple[Side, Side]]:
    """ "Which has more members, the council or the board"."""
    match = _words().choice.match(text)
    if match and max(len(match["a"].split()), len(match["b"].split())) <= _MOST_WORDS:
        head = match["head"]
        yield _pair(f"{head}, {match['a']}", f"{head}, {match['b']}")
