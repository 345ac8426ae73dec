"""Every reader of language agrees with the tables of cases beside this file."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from small_decisions import document_of, extract

from bob.conversations.signals import signals_of
from bob.notes.lint import lint
from bob.notes.lint_rule import Facts
from bob.text.clock import times_in
from bob.text.dates import dates_in, first_day, only_day, read_date
from bob.text.languages import detect_language
from bob.text.names import names_in
from bob.text.negation import denies, quantifiers_in, signed_words
from bob.text.numbers import numbers_in
from bob.text.opposites import OPPOSITES
from bob.text.secrets import Redacted, redacted
from bob.text.sentences import (
    announces_decision,
    decision_certainty,
    message_sentences,
    sentence_ranges,
    states_preference,
)
from bob.text.stop_words import FUNCTION_WORDS, QUERY_STOP_WORDS, SUBJECT_STOP_WORDS
from bob.text.words import stem, unmarked, words_in

HERE = Path(__file__).parent


def table(kind):
    return yaml.load((HERE / f"{kind}.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)


def texts_of(case):
    return [part.strip() for part in case.split("‖")]


@pytest.mark.parametrize("case", table("sentences")["cases"])
def test_sentences(case):
    text = case.replace("‖", "")
    ranges = list(sentence_ranges(text))
    assert [text[start:end].strip() for start, end in ranges] == texts_of(case)
    assert "".join(text[start:end] for start, end in ranges) == text
    assert message_sentences(text) == texts_of(case)


def written_time(time):
    hour, minute = divmod(time.minutes, 60)
    return f"{hour}:{minute:02}{'' if time.is_sure else '?'}"


@pytest.mark.parametrize("case", table("times")["cases"], ids=lambda case: repr(case["text"]))
def test_times(case):
    assert [written_time(time) for time in times_in(case["text"])] == case["times"]


@pytest.mark.parametrize("case", table("sentences")["messages"], ids=lambda case: repr(case["text"]))
def test_sentences_of_messages(case):
    assert message_sentences(case["text"]) == case["sentences"]


def written(stated):
    """A stated date as the tables have it."""
    if stated.decade:
        return f"{stated.year}s"
    parts = [
        (stated.year and str(stated.year)) or "-",
        stated.month and f"{stated.month:02}",
        stated.day and f"{stated.day:02}",
    ]
    return "-".join(part for part in parts if part)


def iso(day):
    return "null" if day is None else day.isoformat()


@pytest.mark.parametrize("case", table("dates")["cases"], ids=lambda case: repr(case["text"]))
def test_dates(case):
    text, stated = case["text"], case["stated"]
    found = dates_in(text)
    assert [written(each) for each in found] == stated
    assert all(each.start < each.end <= after.start for each, after in pairwise(found))
    exact = [each for each in stated if re.fullmatch(r"\d{4}-\d\d-\d\d", each)]
    day = case.get("day", exact[0] if exact else "null")
    assert iso(read_date(text)) == day
    if len(exact) == 1 and day == exact[0]:
        assert iso(only_day(text)) == day


@pytest.mark.parametrize("case", table("dates")["ordered"], ids=lambda case: repr(case["text"]))
@pytest.mark.parametrize("order", ["day first", "month first"])
def test_dates_in_numbers(case, order):
    assert iso(read_date(case["text"], order)) == case[order]
    assert [iso(each.exact) for each in dates_in(case["text"], order)] == [case[order]]


@pytest.mark.parametrize("case", table("dates")["first days"], ids=lambda case: repr(case["text"]))
def test_first_days(case):
    assert iso(first_day(case["text"])) == case["day"]


@pytest.mark.parametrize("case", table("numbers")["cases"], ids=lambda case: repr(case["text"]))
def test_numbers(case):
    found = numbers_in(case["text"], [])
    assert [" ".join(f"{each.bound} {each.value:g} {each.dimension}".split()) for each in found] == case[
        "numbers"
    ]


@pytest.mark.parametrize("case", table("names")["cases"], ids=lambda case: repr(case["text"]))
def test_names(case):
    found = names_in(case["text"], unmarked(case["text"]))
    assert [f"{each.kind} {each.text}" for each in found] == case["names"]


@pytest.mark.parametrize("case", table("negation")["cases"], ids=lambda case: repr(case["text"]))
def test_negation(case):
    text = case["text"]
    denied = [
        each.word.text for each in signed_words(words_in(unmarked(text)), unmarked(text)) if each.sign < 0
    ]
    assert denied == case["denied"]
    assert denies(text) == (case["denies"] == "yes" if "denies" in case else bool(denied))


@pytest.mark.parametrize("case", table("negation")["quantifiers"], ids=lambda case: repr(case["text"]))
def test_quantifiers(case):
    assert [kind for kind, _, _ in quantifiers_in(words_in(case["text"]))] == case["kinds"]


@pytest.mark.parametrize("case", table("negation")["opposites"], ids=lambda case: case["pair"])
def test_opposites(case):
    one, other = map(stem, case["pair"].split())
    assert (
        (other in OPPOSITES.get(one, ())) == (one in OPPOSITES.get(other, ())) == (case["opposed"] == "yes")
    )


STOP_WORDS = table("stop_words")
DIFFERING = {word: case["in"] for word, case in STOP_WORDS["differing"].items()}


@pytest.mark.parametrize(("word", "lists"), (STOP_WORDS["words"] | DIFFERING).items())
def test_stop_words(word, lists):
    every = {"function": FUNCTION_WORDS, "query": QUERY_STOP_WORDS, "subject": SUBJECT_STOP_WORDS}
    assert [name for name, words in every.items() if word in words] == lists


@pytest.mark.parametrize("case", table("languages")["cases"], ids=lambda case: repr(case["text"]))
def test_languages(case):
    assert (detect_language(case["text"]) or "null") == case["language"]


@pytest.mark.parametrize("case", table("secrets")["removed"], ids=lambda case: repr(case["text"]))
def test_secrets(case):
    found = redacted(case["text"].replace("+", ""))
    assert found.kinds == (case["kind"],)
    assert redacted(found.text) == Redacted(found.text, ())


@pytest.mark.parametrize("text", table("secrets")["kept"])
def test_no_secrets(text):
    assert redacted(text) == Redacted(text, ())


@pytest.mark.parametrize("case", table("cues")["decisions"], ids=lambda case: repr(case["text"]))
def test_decisions(case):
    assert announces_decision(case["text"]) == (case["decides"] == "yes")
    assert (decision_certainty(case["text"]) > 0) == (case.get("registered", case["decides"]) == "yes")


@pytest.mark.parametrize("case", table("cues")["preferences"], ids=lambda case: repr(case["text"]))
def test_preferences(case):
    assert states_preference(case["text"]) == (case["prefers"] == "yes")


EVERYDAY = [case["text"] for case in table("cues")["decisions"][:20]]


@pytest.mark.parametrize("text", EVERYDAY)
def test_the_registry_the_memory_and_the_linter_agree_on_everyday_phrasings(text):
    (found,) = extract(*document_of(f"# Note\n\n{text}\n", "note.md"))
    assert found.statement == text
    assert signals_of(text).decided
    note = f"---\nkind: decision\n---\n\n# Note\n\n{text}\n"
    assert "BOB040" not in [each.rule.rule_id for each in lint(note, "note.md", Facts(date(2026, 1, 31)))]
    empty = note.replace(text, "The press is old.")
    assert "BOB040" in [each.rule.rule_id for each in lint(empty, "note.md", Facts(date(2026, 1, 31)))]
