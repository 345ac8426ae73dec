"""The two sides of a question that compares two things, or that asks the same of both (SPEC E1).

Rules over a few joining words; the words are in `bob.text.lexicon`. A question without two sides has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from bob.answers.candidates import Candidate
from bob.answers.comparisons import among, article_or_none, compared, joining, prepositions
from bob.answers.quantity import ASKING_WORDS, quantity_of, states
from bob.text import lexicon
from bob.text.dates import dates_in
from bob.text.languages import is_in_english
from bob.text.opposites import OPPOSITES
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.words import stem, stems_of, words_of

_LONGEST, _LONG = 400, 4
"""Characters: no rule reads a longer question; a word of so many is found inside longer ones."""

_MOST_WORDS = 8
"""Of so many words at the most is a thing that stands in a choice."""

_LEAST_ASKED = 4
"""Words of a question that can be asked alone."""

NEARLY = 0.75
"""A unit is nearly as good as the best one where it scores at least this share of it."""


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
    rules = (_two_questions, _compared, _opposite, _parallel, _dated, _choice, _of_both)
    return next((sides for rule in rules if (sides := rule(text)) is not None), None)


def both_told(sides: Sides, text: str) -> bool:
    """Whether a text has a word of each side that the other does not have."""
    return all(_own_words(sides)) and not not_told(sides, text)


def _own_words(sides: Sides) -> tuple[frozenset[str], frozenset[str]]:
    """The words of each side that the other does not have."""
    one, other = (_written(side.question) for side in sides)
    return one - other, other - one


def not_told(sides: Sides, text: str) -> list[str]:
    """The questions of the sides of which a text has no word that is of this side alone, perhaps inflected,
    nor the quantity, where that is all that the side asks for: "and how many?"."""
    told, lower = stems_of(text), text.lower()

    def names(word: str) -> bool:
        # A German dative has a letter more: "Gästen"; "dimensions" are told by "384-dimensional".
        return stem(word) in told or (len(word) >= _LONG and (word in lower or stem(word) in lower))

    return [
        side.question
        for side, own in zip(sides, _own_words(sides), strict=True)
        if own and not any(map(names, own)) and not _states_quantity(side.question, own, text)
    ]


def _states_quantity(question: str, own: frozenset[str], text: str) -> bool:
    quantity = quantity_of(question)
    return own <= ASKING_WORDS and quantity is not None and states(quantity, text)


def told_of_each(
    sides: Sides, found: Sequence[Sequence[Candidate]]
) -> tuple[int | None, list[list[Candidate]]]:
    """Of what was found for each side, what may be told of it. Where one passage has a unit that names only
    this side, nearly as good as the best, and one of the other side, both are told from it: then the id of
    its chunk is given, too. Of two things that are compared, what names only the other is not told of this
    one."""
    owns = _own_words(sides)
    only_own = [
        [unit for unit in units if _names(unit, own) and not other & _written(unit.text)]
        for own, other, units in zip(owns, owns[::-1], found, strict=True)
    ]
    best = [_best_of_passages(*units) for units in zip(only_own, found, strict=True)]
    common = best[0].keys() & best[1].keys()
    passage = max(common, key=lambda chunk_id: best[0][chunk_id] + best[1][chunk_id], default=None)
    within = [[unit for unit in units if passage in (None, unit.chunk.chunk_id)] for units in found]
    if any(side.earlier for side in sides):
        return passage, within
    not_other = [
        [unit for unit in units if _names(unit, own) or not other & _written(unit.text)]
        for own, other, units in zip(owns, owns[::-1], within, strict=True)
    ]
    return passage, [_only(units, picked) for units, picked in zip(within, not_other, strict=True)]


def _best_of_passages(only_own: Sequence[Candidate], units: Sequence[Candidate]) -> dict[int, float]:
    """The best score of each chunk by units that name only a side, where it is near that of all units."""
    least = NEARLY * max((unit.score for unit in units), default=0.0)
    best: dict[int, float] = {}
    for unit in only_own:
        if unit.cosine is not None and unit.score >= least:
            best[unit.chunk.chunk_id] = max(best.get(unit.chunk.chunk_id, 0.0), unit.score)
    return best


def _only(units: Sequence[Candidate], picked: Sequence[Candidate]) -> list[Candidate]:
    """The units, of which those that are not picked may only be brought along; all where none is picked."""
    ids = {id(unit) for unit in picked if unit.cosine is not None}
    return [unit if not ids or id(unit) in ids else replace(unit, cosine=None) for unit in units]


def _names(unit: Candidate, own: frozenset[str]) -> bool:
    """Whether a unit has a word of a side, or the headings above it, perhaps inflected."""
    headings = " ".join((unit.text, unit.chunk.title, *unit.chunk.heading_path))
    return not {stem(word) for word in own}.isdisjoint(stems_of(headings))


def _written(text: str) -> frozenset[str]:
    return frozenset(words_of(text.lower())) - QUERY_STOP_WORDS


def _pair(one: str, other: str) -> Sides:
    return Side(f"{_squeezed(one)}?"), Side(f"{_squeezed(other)}?")


def _squeezed(text: str) -> str:
    return re.sub(r"\s+(?=[,;:](?:\s|\Z))", "", " ".join(text.split())).strip(" ,;:")


@dataclass(frozen=True, slots=True)
class _Words:
    """The rules' patterns and words, built once; `leading` stand before a date."""

    opposite: re.Pattern[str]
    again: re.Pattern[str]
    asking: re.Pattern[str]
    why: re.Pattern[str]
    verb: re.Pattern[str]
    both: re.Pattern[str]
    joined: re.Pattern[str]
    choice: re.Pattern[str]
    leading: frozenset[str]


@cache
def _words() -> _Words:
    def rule(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    both, either = lexicon.words("and"), lexicon.words("or")
    join = joining()
    article = article_or_none()
    question_word = among(*lexicon.words("question words"))
    verbs = f"(?:{lexicon.any_of('asks whether')})"
    called = r"(?-i:[A-ZÀ-ÖØ-Þ0-9])[\w.'’-]*"
    thing = rf"{article}{called}(?:\s{called}){{0,3}}"
    return _Words(
        opposite=rule(rf"\b(?P<a>\w+)\s+{among(*both)}\s+{article}(?P<b>\w+)\b"),
        again=rule(rf"^(?P<a>.{{8,}}?),?\s+{join}\s+(?P<b>(?:\w+\s+)?{question_word}\b.*)$"),
        asking=rule(rf"(?:\w+\s+)?{question_word}"),
        why=rule(rf"(?:{lexicon.any_of('asks why')})"),
        verb=rule(rf"(?<=\s){verbs}\s"),
        both=rule(rf"^(?P<head>.{{3,}}?\s{verbs})\s(?P<a>{thing})\s{join}\s(?P<b>{thing})(?P<rest>\s.+)$"),
        joined=rule(rf"\s+{join}\s+"),
        choice=rule(rf"^(?P<head>.+)[,:;]\s*(?P<a>[^,:;]+?)\s+{among(*either)}\s+(?P<b>[^,:;]+)$"),
        leading=prepositions().union(lexicon.words("parts of a period")),
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
    """As in "How long do I boil soft eggs and how long hard ones"; "How long" alone asks nothing. Where the
    second is only an asking word ("and until when"), it asks it of what the first one does; why something is
    so is told with it."""
    match = _words().again.match(text)
    if match is None or len(match["a"].split()) < _LEAST_ASKED or _words().why.fullmatch(match["b"]):
        return None
    first, second = (f"{_squeezed(match[name])}?" for name in "ab")
    is_bare = _words().asking.fullmatch(match["b"]) is not None
    return Side(first), Side(_asked_of(match["b"], first) if is_bare else second, (first,))


def _asked_of(asking: str, first: str) -> str:
    """A question with its asking words exchanged: "How much may I take, and when" is "when may I take?"."""
    words = _words()
    rest = words.verb.search(first) or words.asking.match(first)
    if rest is None:
        return f"{_squeezed(asking)}?"
    start = rest.start() if rest.re is words.verb else rest.end()
    return f"{_squeezed(asking)} {first[start:].strip()}"


def _compared(text: str) -> Sides | None:
    """As in "What is the difference between forget and prune"."""
    sides = compared(text)
    return sides and _pair(*sides)


def _parallel(text: str) -> Sides | None:
    """As in "for rolled oats and for steel cut oats": the same word before each."""
    words = _words()
    for match in words.joined.finditer(text):
        preposition = text[match.end() :].split(" ", 1)[0]
        if preposition.lower() not in prepositions():
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


def _of_both(text: str) -> Sides | None:
    """As in "Which seats do the Swift and the Heron have": what is asked of two names. In German all nouns
    look like names."""
    match = _words().both.match(text)
    if match is None or not is_in_english(text):
        return None
    return _pair(*(f"{match['head']} {match[name]}{match['rest']}" for name in "ab"))
