"""What an answer may quote: ranges of the text, in order, never overlapping, whatever the text; and what is
read around them."""

from hypothesis import given
from hypothesis import strategies as st

from bob.answers.candidates import Candidate
from bob.answers.read_texts import AROUND_CHARACTERS, READ_CHARACTERS, surroundings
from bob.answers.units.lists import MOST_LISTED
from bob.answers.units.narrow_units import narrowed
from bob.answers.units.unit import cut, units_of
from bob.core.locator import LineLocator
from bob.core.search import FoundChunk
from bob.text.markup import readable
from bob.text.words import stems_of

LINES = st.sampled_from(
    [
        "# Heading",
        "A plain sentence. Another one here! Is it?",
        "- a list item with words",
        "1. numbered item too",
        "  - an item further in",
        "\t* Named:",
        "- [a link](#into-the-page)",
        "| a | table | row |",
        "|---|---|",
        "```",
        "code = this + that",
        "> a quoted line. It goes on",
        "",
        "   ",
        "Title line here",
        "=====",
        "e.g. this is no end. Dr. Who came.",
        "一句話很長。又一句。",
        ".. note:: hidden",
        "very " * 200 + "long.",
        "\tindented words in here",
        "line with return\r",
        "[a]: http://x.y",
        "x" * 50,
        "…",
    ]
)
TEXTS = st.one_of(st.lists(LINES, max_size=12).map("\n".join), st.text(max_size=200))


@given(TEXTS)
def test_units_are_ranges_in_order_that_do_not_overlap(text):
    end = 0
    for unit in units_of(text):
        assert end <= unit.start < unit.end <= len(text)
        quote = text[unit.start : unit.end]
        assert quote == quote.strip() or unit.kind in ("code", "row")
        end = unit.end


@given(TEXTS)
def test_units_are_the_same_every_time_and_readable_on_one_line(text):
    assert units_of(text) == units_of(text)
    for unit in units_of(text):
        assert "\n" not in readable(text[unit.start : unit.end])


@given(TEXTS)
def test_lists_have_their_items_in_order_each_behind_those_that_it_stands_under(text):
    [(_, beside)] = cut([(text, "")])
    for unit in beside:
        starts = [item.start for item in unit.items]
        assert len(starts) <= MOST_LISTED
        assert starts == sorted(set(starts))
        assert not starts or (unit.start, unit.end) == (starts[0], unit.items[-1].end)
        assert all(above < item.start for item in unit.items for above in item.above)


def quotes(text):
    return [text[unit.start : unit.end] for unit in units_of(text)]


def test_sentences_items_rows_and_code():
    text = (
        "# Backup\n\nWe rotate the keys every ninety days. The ring lives in the safe.\n\n"
        "- first item of three words\n- second item of the list\n\n```\nx = load(key, ring)\n```\n"
    )
    assert quotes(text) == [
        "We rotate the keys every ninety days.",
        "The ring lives in the safe.",
        "first item of three words",
        "second item of the list",
        "x = load(key, ring)",
    ]


def test_abbreviations_end_no_sentence():
    assert quotes("We met Dr. Smith at 5 p.m. and left, e.g. by car. Then we slept well.") == [
        "We met Dr. Smith at 5 p.m. and left, e.g. by car.",
        "Then we slept well.",
    ]


def test_headings_and_rules_state_nothing():
    assert quotes("# A heading of many words\n\nTitle of four words\n===================\n\n---\n") == []


def candidates_of(texts):
    found = []
    for number, ((units, beside), text) in enumerate(
        zip(cut([(text, "") for text in texts]), texts, strict=True)
    ):
        chunk = FoundChunk(
            number, number, 0, "a.md", "Title", "p", "markdown", "en", None, None, ("Heading",), "",
            LineLocator(start_line=1, end_line=1), text, "hash",
        )  # fmt: skip
        for place, unit in enumerate((*units, *beside)):
            found.append(Candidate(chunk, unit, number, place, 0.0, 0.0, 0.0, 0.0))
    return found


@given(st.lists(TEXTS, min_size=1, max_size=3), st.randoms(use_true_random=False), st.integers(1, 4))
def test_every_candidate_stands_in_at_most_one_stretch_and_is_read_as_it_is(texts, chance, most):
    candidates = candidates_of(texts)
    places = chance.sample(range(len(candidates)), len(candidates))
    found = surroundings(candidates, places, most)
    assert len(found) <= most
    read = [place for stretch in found for place in stretch.places]
    assert len(read) == len(set(read))
    for stretch in found:
        assert len(stretch.text) <= len("Title: Heading:") + 2 * max(AROUND_CHARACTERS, READ_CHARACTERS)
        for place, (begin, end) in zip(stretch.places, stretch.parts, strict=True):
            assert 0 < begin <= end <= len(stretch.text)
            unit = candidates[place].unit
            if unit.kind not in ("list", "clauses", "heading", "field", "code"):
                assert stretch.text[begin:end] == unit.line[:READ_CHARACTERS]


@given(TEXTS, st.text(max_size=40))
def test_what_is_told_of_a_long_unit_stands_in_it(text, question):
    for unit in units_of(text):
        told = narrowed(unit, text, stems_of(question))
        assert unit.start <= told.start < told.end <= unit.end
        assert told.kind == unit.kind


def test_of_long_code_the_lines_with_the_words_are_told():
    lines = [f"header-{number}: value of number {number}" for number in range(40)]
    lines[17] = "rate-limit: 60"
    text = "The server says:\n\n```\n" + "\n".join(lines) + "\n```\n"
    (code,) = (unit for unit in units_of(text) if unit.kind == "code")
    told = narrowed(code, text, stems_of("What is the rate limit?"))
    quote = text[told.start : told.end]
    assert "rate-limit: 60" in quote and len(quote) < 400
    assert narrowed(code, text, stems_of("Who?")) == code
