"""Names and versions of a query stand first, and typing errors are corrected where that is safe."""

import pytest
from small_memory import write_files

from bob import Bob
from bob.app.settings import Settings
from bob.core.search import Filters
from bob.search.query import parse_query
from bob.search.rare_words import whole_words, with_corrections

PLANTS = ["roses", "tulips", "herbs", "beans", "apples", "pears", "carrots", "leeks", "onions", "lilies"]
TOOLS = ["the spade", "the rake", "a hoe", "old shears", "the barrow", "a can", "two buckets", "the fork"]
SPECIAL = {
    "release.md": "# Release\n\nBesides the roses, version 3.11.2 of the planner knows the hedge.",
    "other.md": "# Other\n\nThe roses stand in 3 rows of 11, and 2 more near the hedge.",
    "zubrin.md": "# Visit\n\nWe showed Zubrin the tulips, the herbs and the beans.",
    "advice.md": "# Advice\n\nThe compost is kept damp in every season.",
    "pruned.md": "# Shears\n\nWhoever prunes the pears takes the old shears.",
    "form.md": "# Gate\n\nThe gate was painted after the pruning of the pears.",
    "knife.md": "# Knife\n\nTo prune the pears a knife is enough, and so it is for the apples.",
    "written_with_v.md": "# v2.4.1\n\nThe planner counts tulips.",
    "written_without.md": "# Release 2.4.2\n\nThe planner counts tulips.",
    "code.md": "# Code\n\nThe pump is driven by garden.pump.start() and closes CVE-2021-44228.",
}


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    folder = tmp_path_factory.mktemp("garden")
    notes = {
        f"{plant}/{number}.md": f"# {plant.title()}\n\nThe {plant} were tended with {tool} in week {number}."
        for plant in PLANTS
        for number, tool in enumerate(TOOLS * 2, 1)
    }
    write_files(folder / "garden", notes | SPECIAL)
    write_files(
        folder / "other", {"secret.md": "# Other\n\nBellwether owns the greenhouse. Zubrni was not there."}
    )
    with Bob(settings=Settings(database=str(folder / "bob.db"))) as bob:
        bob.index(folder / "garden")
        bob.index(folder / "other")
        yield bob


def first(bob, query):
    return bob.search(query)[0].chunk.path.rsplit("/", 1)[-1]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("roses 3.11.2", "release.md"),
        ("is there anything about version 3.11.2 and the roses in rows", "release.md"),
        ("Zubrin roses tended with the spade in week 3", "zubrin.md"),
        ("zubrin carrots rake", "zubrin.md"),
        ("pruning pears shears", "form.md"),
        ("carrots garden.pump.start", "code.md"),
        ("CVE-2021-44228 onions week", "code.md"),
        ("roses v3.11.2", "release.md"),
        ("tulips 2.4.1", "written_with_v.md"),
        ("tulips v2.4.2", "written_without.md"),
        ("release 2.4.1", "written_with_v.md"),
    ],
)
def test_the_only_passage_with_a_name_or_version_comes_first(garden, query, path):
    assert first(garden, query) == path
    best = garden.search(query)[0]
    assert best.score <= 1
    assert best.score == pytest.approx(
        best.explain.words + best.explain.vectors + best.explain.exact, abs=1e-5
    )


@pytest.mark.parametrize(
    ("typed", "meant", "path"),
    [
        ("where is the commpost kept", "compost", "advice.md"),
        ("damp copmost", "compost", "advice.md"),
        ("the Zubirn visit", "zubrin", "zubrin.md"),
    ],
)
def test_a_typing_error_is_corrected_and_said(garden, typed, meant, path):
    found = garden._engine.search.search_chunks(parse_query(typed), 3)
    assert [word for _, word in found.corrections] == [meant]
    assert found.hits[0].chunk.path.endswith(path)
    assert repr(meant) in found.notices[0]


@pytest.mark.parametrize(
    "typed", ["the winter", "Damm", "44229", "xqzvbn", "what shall we keep", "it was tented"]
)
def test_what_may_be_meant_as_it_is_typed_is_not_corrected(garden, typed):
    assert garden._engine.search.search_chunks(parse_query(typed), 3).corrections == ()


def test_no_word_of_what_may_not_be_seen_is_named(garden):
    def asked(**filters):
        return garden._engine.search.search_chunks(parse_query("Belwether", Filters(**filters)), 3)

    assert [word for _, word in asked().corrections] == ["bellwether"]
    for hidden in ({"projects": ("garden",)}, {"within": Filters(projects=("garden",))}):
        found = asked(**hidden)
        assert found.corrections == () and "bellwether" not in str(found.notices).lower()


def test_a_word_is_corrected_by_what_the_project_has(garden):
    def asked(text, **filters):
        return garden._engine.search.search_chunks(parse_query(text, Filters(**filters)), 3)

    assert asked("damp copmost", projects=("garden",)).corrections == (("copmost", "compost"),)
    assert asked("the Bellwethr", projects=("other",)).corrections == (("Bellwethr", "bellwether"),)
    # A word of another project is a typing error here, and one that this project has elsewhere is none.
    assert asked("a zubrni", projects=("garden",)).corrections == (("zubrni", "zubrin"),)
    assert asked("the Zubirn visit", projects=("other",)).corrections == ()
    assert asked("Zubrin path:advice.md").corrections == ()


def test_a_question_with_a_typing_error_is_answered_with_a_notice(garden):
    answer = garden.ask("How is the commpost kept in every season?")
    assert answer.found and "damp" in answer.text
    assert "'compost'" in " ".join(answer.notices)


def test_an_unknown_name_is_not_answered_for_one_that_is_near_it(garden):
    answer = garden.ask("What did we show to Zubrina?")
    assert not answer.found or "'zubrin'" in " ".join(answer.notices)


def test_whole_words_and_corrections_in_place():
    assert whole_words("a.b? e.g. v1.2, 2024-05-06 and well-known UTF-8, F# too") == [
        "a.b",
        "e.g",
        "v1.2",
        "2024-05-06",
        "UTF-8",
        "F#",
    ]
    assert with_corrections("teh cat, teh other", [("teh", "the")]) == "the cat, the other"
