"""What an answer may quote: ranges of the text, in order, never overlapping, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from bob.answers.units import units_of
from bob.text.markup import readable

LINES = st.sampled_from(
    [
        "# Heading",
        "A plain sentence. Another one here! Is it?",
        "- a list item with words",
        "1. numbered item too",
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
