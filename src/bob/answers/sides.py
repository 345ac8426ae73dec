"""The two sides of a question that compares two things, or that asks the same of both (SPEC E1).

Rules over a few joining words; the words are in `bob.text.lexicon`. A question without two sides has none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from bob.text import lexicon
from bob.text.dates import dates_in
from bob.text.opposites import OPPOSITES
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.words import stem, words_of

_LONGEST = 400
"""No rule reads a longer question."""

_MOST_WORDS = 8
"""Of so many words at the most is a thing that stands in a choice."""

_LEAST_ASKED = 4
"""Words of a question that can be asked alone."""

_MOST_OF = 4
"""So many words tell what the difference is of: "the difference in price between"."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: the `question` as it would be asked of this one alone. `earlier` is the first of two
    questions in one, of which the second goes on."""

    question: str
    earlier: tuple[str, ...] = ()


Sides = tuple[Side, Side]


def sides_of(question: str) -> Sides | None:
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
    if not _words().joined.search(text):
        return _told_apart(text)
    rules = (_opposite, _two_questions, _told_apart, _between, _differing, _parallel, _dated, _choice)
    return next((sides for rule in rules if (sides := rule(text)) is not None), None)


def both_told(sides: Sides, text: str) -> bool:
    """Whether a text has a word of each side that the other does not have."""
    one, other = (_content(side.question) for side in sides)
    told = _content(text)
    return bool((one - other) & told) and bool((other - one) & told)


def _content(text: str) -> frozenset[str]:
    return frozenset(words_of(text.lower())) - QUERY_STOP_WORDS


def _pair(one: str, other: str) -> Sides:
    return Side(f"{_squeezed(one)}?"), Side(f"{_squeezed(other)}?")


def _squeezed(text: str) -> str:
    return re.sub(r"\s+([,;])", r"\1", " ".join(text.split())).strip(" ,;:")


@dataclass(frozen=True, slots=True)
class _Asking:
    """A pattern of one language with the sides `a` and `b`, and how that language asks what a thing is."""

    pattern: re.Pattern[str]
    what_is: str

    def sides(self, text: str) -> Sides | None:
        match = self.pattern.match(text)
        return match and _pair(f"{self.what_is} {match['a']}", f"{self.what_is} {match['b']}")


@dataclass(frozen=True, slots=True)
class _Words:
    """The rules' patterns and words, built once; `leading` stand before a date."""

    opposite: re.Pattern[str]
    again: re.Pattern[str]
    apart: tuple[_Asking, ...]
    between: re.Pattern[str]
    differing: tuple[_Asking, ...]
    joined: re.Pattern[str]
    choice: re.Pattern[str]
    prepositions: frozenset[str]
    leading: frozenset[str]


@cache
def _words() -> _Words:
    def among(*words: str) -> str:
        return f"(?:{lexicon.either(words)})"

    def rule(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    both, either = lexicon.words("and"), lexicon.words("or")
    join = among(*both, *either)
    apart: list[_Asking] = []
    differing: list[_Asking] = []
    for language in lexicon.LANGUAGES:
        what_is = "".join(lexicon.whole_lines("what is", language))
        for verb, words in lexicon.pairs("telling apart", language):
            two = rf"(?P<a>.+?)\s+{among(*words)}\s+(?P<b>.+)"
            apart.append(_Asking(rule(rf"^\w+(?:\s+\w+)?\s+{re.escape(verb)}\s+{two}$"), what_is))
        if verbs := lexicon.phrases("differing", language):
            differ, helping = among(*verbs), among(*lexicon.words("helping to differ", language), *verbs)
            two = rf"(?:{helping}\s+)*(?P<a>.+?)\s+{join}\s+(?P<b>.+?)"
            pattern = rf"^(?=.*\b{differ}\b)\w+\s+{helping}\s+{two}(?:\s+{differ})?$"
            differing.append(_Asking(rule(pattern), what_is))
    article = rf"(?:{among(*lexicon.words('articles'))}\s+)?"
    difference = rf"\b{article}{among(*lexicon.phrases('differences'))}(?P<of>(?:\s+\w+){{0,{_MOST_OF}}}?)\s+"
    prepositions = lexicon.words("prepositions")
    return _Words(
        opposite=rule(rf"\b(?P<a>\w+)\s+{among(*both)}\s+{article}(?P<b>\w+)\b"),
        again=rule(
            rf"^(?P<a>.{{8,}}?),?\s+{join}\s+(?P<b>(?:\w+\s+)?{among(*lexicon.words('question words'))}\b.+)$"
        ),
        apart=tuple(apart),
        between=rule(
            rf"^(?P<head>.*?){difference}{among(*lexicon.words('between'))}\s+{article}(?P<a>.+?)\s+{join}"
            rf"\s+{article}(?P<b>[^,;?]+)(?P<tail>.*)$"
        ),
        differing=tuple(differing),
        joined=rule(rf"\s+{join}\s+"),
        choice=rule(rf"^(?P<head>.+)[,:;]\s*(?P<a>[^,:;]+?)\s+{among(*either)}\s+(?P<b>[^,:;]+)$"),
        prepositions=frozenset(prepositions),
        leading=frozenset((*prepositions, *lexicon.words("parts of a period"))),
    )


def _opposite(text: str) -> Sides | None:
    """As in «vor und nach der Geburt» and "a soft and a hard deprecation"."""
    for match in _words().opposite.finditer(text):
        one, other = stem(match["a"].lower()), stem(match["b"].lower())
        if other in OPPOSITES.get(one, ()):
            before, after = text[: match.start()], text[match.end() :]
            return _pair(before + match["a"] + after, before + match["b"] + after)
    return None


def _two_questions(text: str) -> Sides | None:
    """As in "How long do I boil soft eggs and how long hard ones"; "How long" alone asks nothing."""
    match = _words().again.match(text)
    if match and len(match["a"].split()) >= _LEAST_ASKED:
        first = f"{_squeezed(match['a'])}?"
        return Side(first), Side(f"{_squeezed(match['b'])}?", (first,))
    return None


def _told_apart(text: str) -> Sides | None:
    """As in «Was trennt Schankbier von Bockbier»."""
    return _first(_words().apart, text)


def _first(askings: tuple[_Asking, ...], text: str) -> Sides | None:
    return next((sides for asking in askings if (sides := asking.sides(text)) is not None), None)


def _between(text: str) -> Sides | None:
    """As in "What is the difference between forget and prune"."""
    if match := _words().between.match(text):
        head, tail = match["head"] + match["of"], match["tail"]
        return _pair(f"{head} {match['a']} {tail}", f"{head} {match['b']} {tail}")
    return None


def _differing(text: str) -> Sides | None:
    """As in "How do forget and prune differ"."""
    return _first(_words().differing, text)


def _parallel(text: str) -> Sides | None:
    """As in "for rolled oats and for steel cut oats": the same word before each."""
    words = _words()
    for match in words.joined.finditer(text):
        preposition = text[match.end() :].split(" ", 1)[0]
        if preposition.lower() not in words.prepositions:
            continue
        same = re.compile(rf"\b{re.escape(preposition)}\s+\w", re.I)
        start = max((before.start() for before in same.finditer(text, 0, match.start())), default=None)
        if start is None:
            continue
        end = re.search(r"[,;:]", text[match.end() :])
        stop = len(text) if end is None else match.end() + end.start()
        before, after = text[:start], text[stop:]
        return _pair(before + text[start : match.start()] + after, before + text[match.end() : stop] + after)
    return None


def _dated(text: str) -> Sides | None:
    """As in "in March 2026 and at the end of May 2026"."""
    dates = [stated for stated in dates_in(text) if stated.month]
    if len(dates) != 2:
        return None
    one, other = dates
    joined = _words().joined.search(text, one.end, other.start)
    if joined is None:
        return None
    before, after = text[: _with_prepositions(text, one.start)], text[other.end :]
    return _pair(text[: joined.start()] + after, before + text[joined.end() : other.end] + after)


def _with_prepositions(text: str, start: int) -> int:
    """Where the words begin that lead to a date: "at the end of May"."""
    before = list(re.finditer(r"\w+\s+", text[:start]))
    while before and before[-1].group().strip().lower() in _words().leading:
        start = before.pop().start()
    return start


def _choice(text: str) -> Sides | None:
    """As in "Which has more members, the council or the board"."""
    match = _words().choice.match(text)
    if match is None or max(len(match["a"].split()), len(match["b"].split())) > _MOST_WORDS:
        return None
    return _pair(f"{match['head']}, {match['a']}", f"{match['head']}, {match['b']}")
