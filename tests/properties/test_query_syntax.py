"""Whatever is typed means something, and what the syntax promises is what comes out."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.core.search import NO_FILTERS, Filters, Query
from bob.search.query import parse_query
from bob.text.dates import first_day

PIECES = st.sampled_from(
    [
        '"',
        "-",
        ":",
        "project:",
        "type:",
        "after:",
        "before:",
        "tag:x",
        "-a",
        '-"',
        "2024",
        " ",
        "\n",
        "é",
        "--",
    ]
)
TYPED = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=12).map("".join)
WORD = st.from_regex(r"[a-z][a-z0-9_.]{0,8}", fullmatch=True)
VALUE = st.text(
    st.characters(codec="utf-8", exclude_characters='"', exclude_categories=["C", "Z"]), min_size=1
)
DATES = st.dates(date(1000, 1, 1), date(9999, 12, 31))


@given(TYPED)
def test_it_never_raises_and_always_gives_clean_values(typed):
    query = parse_query(typed)
    assert all(each.strip() == each and each for each in query.phrases)
    assert all(each.strip() for each in query.excluded)
    for values in (query.filters.projects, query.filters.source_types, query.filters.tags):
        assert all(each.strip() for each in values)
    assert isinstance(query.text, str) and len(query.text) <= 2 * len(typed)


@given(st.text())
def test_it_is_the_same_every_time(typed):
    assert parse_query(typed) == parse_query(typed)


@given(st.lists(WORD, max_size=6))
def test_plain_words_are_what_is_ranked_by(words):
    assert parse_query("  ".join(words)) == Query(" ".join(words))


@given(
    st.lists(WORD, max_size=4),
    st.lists(WORD, max_size=2),
    st.lists(WORD, max_size=2),
    st.lists(st.lists(WORD, min_size=1, max_size=3).map(" ".join), max_size=2),
    DATES,
    DATES,
    st.randoms(),
)
def test_what_is_meant_comes_out_in_any_order(words, excluded, tags, phrases, after, before, chance):
    tokens = (
        [f"-{each}" for each in excluded]
        + [f"tag:{each}" for each in tags]
        + [f"after:{after.isoformat()}", f"before:{before.isoformat()}"]
        + [f'"{each}"' for each in phrases]
        + words
    )
    chance.shuffle(tokens)
    query = parse_query(" ".join(tokens))
    assert sorted(query.excluded) == sorted(excluded)
    assert sorted(query.filters.tags) == sorted(tags)
    assert sorted(query.phrases) == sorted(phrases)
    assert sorted(query.text.split()) == sorted(words + [word for each in phrases for word in each.split()])
    assert (query.filters.after, query.filters.before) == (after, before)


@given(VALUE, st.sampled_from(["project", "type", "tag", "lang", "path"]))
def test_a_value_in_quotes_is_taken_whole(value, key):
    names = {"type": "source_types", "lang": "languages", "path": "path_prefixes"}
    for typed in (f'{key}:"{value} {value}"', f'{key.upper()}:"{value} {value}"'):
        query = parse_query(typed)
        assert getattr(query.filters, names.get(key, f"{key}s")) == (f"{value} {value}",)
        assert query.text == ""


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('"exact phrase" more', Query("exact phrase more", ("exact phrase",))),
        ("word -draft", Query("word", (), ("draft",))),
        ('word -"first draft"', Query("word", (), ("first draft",))),
        ("project:acme x", Query("x", filters=Filters(projects=("acme",)))),
        ('project:"two words"', Query("", filters=Filters(projects=("two words",)))),
        ("type:pdf type:word", Query("", filters=Filters(source_types=("pdf", "word")))),
        ("tag:a lang:pt path:notes/", Query("", (), (), Filters((), (), ("a",), ("pt",), ("notes/",)))),
        ("after:2024", Query("", filters=Filters(after=date(2024, 1, 1)))),
        ("after:2024-06", Query("", filters=Filters(after=date(2024, 6, 1)))),
        ("before:2025-06-30", Query("", filters=Filters(before=date(2025, 6, 30)))),
        ("before:soon", Query("before:soon")),
        ("after:2024-13 x", Query("after:2024-13 x")),
        ("project: x", Query("project: x")),
        ("-project:x", Query("", but_not=(Filters(projects=("x",)),))),
        ("tank -type:pdf -after:soon", Query("tank after:soon", but_not=(Filters(source_types=("pdf",)),))),
        ("“exact phrase” «another» more", Query("exact phrase another more", ("exact phrase", "another"))),
        ("word -„first draft“", Query("word", (), ("first draft",))),
        ("path:caf\udce9 tank", Query("tank", filters=Filters(path_prefixes=("caf?",)))),
        ("a-b", Query("a-b")),
        ("5 - 3", Query("5 - 3")),
        ("http://x.y/z", Query("http://x.y/z")),
        ('""', Query("")),
        ('an "open quote', Query('an "open quote')),
        ("-", Query("-")),
        ("", Query("")),
    ],
)
def test_operators(typed, expected):
    assert parse_query(typed) == expected


def test_typed_filters_come_on_top_of_those_that_hold_anyway():
    held = Filters(projects=("one",), after=date(2020, 1, 1))
    query = parse_query("project:two before:2021", held)
    assert query.filters == Filters(projects=("one", "two"), after=date(2020, 1, 1), before=date(2021, 1, 1))
    assert parse_query("x", held).filters == held and parse_query("x").filters is NO_FILTERS


@given(DATES)
def test_days_read_back(day):
    assert first_day(day.isoformat()) == day
    assert first_day(day.isoformat()[:7]) == day.replace(day=1)
    assert first_day(f"{day.year:04}") == date(day.year, 1, 1)


@given(st.text(max_size=12))
def test_anything_else_is_no_day(value):
    found = first_day(value)
    assert found is None or str(found.year) in value
