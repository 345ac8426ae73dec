"""What a meeting resolved, in the words of minutes: sentences, and motions with the vote below them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from bob.core.decision import DecisionStatus
from bob.decisions.passages import Paragraph, Section, Span
from bob.decisions.statements import sentences
from bob.decisions.unsettled import is_speech
from bob.text import lexicon
from bob.text.sentences import section_pattern, stated_in
from bob.text.words import folded, opening_pattern, phrase_pattern

_LONGEST = 800
_SENTENCES_BACK = 6
"""A motion stands at most so many sentences before its vote: who seconded it comes between."""
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_NAME = r"[A-ZÀ-Þ][\w.]*"


@dataclass(frozen=True, slots=True)
class Voted:
    """A motion and the vote on it, and what the vote says."""

    span: Span
    status: DecisionStatus


def resolution_of(sentence: str) -> DecisionStatus | None:
    """How a motion stands when a sentence of minutes tells what was resolved on it; None when it does not."""
    plain = sentence.replace("*", "").strip()
    if len(plain) > _LONGEST or plain.endswith("?"):
        return None
    if stated_in("rejections", plain, may_deny=True):
        return "rejected"
    is_opening = section_pattern("opens a resolution").match(folded(plain).lstrip("\"'(_ ")) is not None
    return "active" if is_opening or stated_in("resolutions", plain) else None


def voted_in(section: Section) -> Iterator[Voted]:
    """The votes of a section of minutes, each with the motion before it."""
    units = [(index, span) for index, span in _units(section.paragraphs)]
    taken = index = 0
    while index < len(units):
        end = index
        while end < len(units) and _is_near(units, index, end) and _is_vote(units[end][1].text):
            end += 1
        if end == index:
            index += 1
            continue
        status = _status("\n".join(span.text for _, span in units[index:end]))
        begin = _motion_before(units, index, taken)
        if status is not None and not units[begin][1].text.rstrip("*_ ").endswith("?"):
            if begin < index and end < len(units) and _is_near(units, index, end):
                end += resolution_of(units[end][1].text) is not None
            first, last = units[begin][1], units[end - 1][1]
            yield Voted(Span(first.passage, first.start, last.end), status)
            taken = end
        index = end


def _units(paragraphs: Sequence[Paragraph]) -> Iterator[tuple[int, Span]]:
    """The sentences of paragraphs, each with the number of its own; of what a speaker said only a motion."""
    for index, paragraph in enumerate(paragraphs):
        # "Yes: 5" looks like what somebody called Yes said.
        is_said = is_speech(paragraph.text) and not _is_vote(paragraph.text)
        if is_said and not _is_motion(paragraph.text):
            continue
        yield from ((index, sentence) for sentence in sentences(paragraph.span))


def _is_near(units: Sequence[tuple[int, Span]], one: int, other: int) -> bool:
    return (
        units[one][1].passage is units[other][1].passage
        and abs(units[one][1].start - units[other][1].start) <= _LONGEST
    )


def _motion_before(units: Sequence[tuple[int, Span]], vote: int, taken: int) -> int:
    """Where the motion before a vote begins: at what is called one, else with the sentence before."""
    for index in range(vote - 1, max(vote - _SENTENCES_BACK, taken) - 1, -1):
        if not _is_near(units, index, vote):
            break
        if _is_motion(units[index][1].text):
            return index
    if vote == taken or not _is_near(units, vote - 1, vote) or units[vote][0] - units[vote - 1][0] > 1:
        return vote
    return vote - 1 if _WORD.search(units[vote - 1][1].text) else vote


def _is_motion(text: str) -> bool:
    plain = folded(text.replace("*", ""))
    return _opening("motions").match(plain) is not None or _phrases("moves").search(plain) is not None


def _is_vote(text: str) -> bool:
    """Whether a sentence has nothing but the words of votes, numbers, and names behind "by"."""
    plain = folded(_done_by().sub(" ", text.replace("*", "")))
    words = _WORD.findall(plain)
    return bool(words) and len(plain) <= _LONGEST and _words_of_votes().issuperset(words)


def _status(votes: str) -> DecisionStatus | None:
    plain = folded(votes)
    if _phrases("defeated").search(plain):
        return "rejected"
    if _phrases("carried").search(plain):
        return "active"
    counted = _counted(plain)
    if len(counted) < 2 or "for" not in counted:
        return None
    return "active" if counted["for"] > counted.get("against", 0) else "rejected"


def _counted(plain: str) -> dict[str, int]:
    """How many votes a tally counts for and against and withheld: "5 yes, 1 no" or "yes: 5, no: 1"."""
    counts: dict[str, int] = {}
    number_first, word_first = _tallies()
    in_front = re.search(r"\d|(?!\d)(?:" + _any_vote() + r")(?!\w)", plain)
    form = number_first if in_front and in_front[0].isdigit() else word_first
    for match in form.finditer(plain):
        name = _kind_of_vote()[match["word"]]
        counts[name] = counts.get(name, 0) + int(match["number"])
    return counts


@cache
def _kind_of_vote() -> dict[str, str]:
    kinds = {"withheld": "votes withheld", "against": "votes against", "for": "votes for"}
    return {folded(entry): kind for kind, section in kinds.items() for entry in lexicon.phrases(section)}


@cache
def _any_vote() -> str:
    return lexicon.either(_kind_of_vote())


@cache
def _tallies() -> tuple[re.Pattern[str], re.Pattern[str]]:
    word, number = rf"(?<!\w)(?P<word>{_any_vote()})(?!\w)", r"(?P<number>\d{1,6})"
    return (
        re.compile(rf"{number}\W{{0,3}}(?:[^\W\d_]+\s)??{word}"),
        re.compile(rf"{word}\W{{0,6}}{number}"),
    )


@cache
def _words_of_votes() -> frozenset[str]:
    return frozenset(map(folded, lexicon.words("words of votes")))


@cache
def _done_by() -> re.Pattern[str]:
    words = lexicon.any_of("done by")
    return re.compile(rf"\b(?:{words}) {_NAME}(?:(?: and| und| e| et| y)? {_NAME}){{0,3}}")


@cache
def _phrases(section: str) -> re.Pattern[str]:
    return phrase_pattern(lexicon.phrases(section))


@cache
def _opening(section: str) -> re.Pattern[str]:
    return opening_pattern(lexicon.phrases(section))
