"""One word in another's place, in a sentence that is otherwise a source's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.claims.fact_checks import check
from bob.answers.claims.single_word_changes import alterations, swaps

CACHE = "The cache keeps at most 2GiB of blobs for 10 years on Linux before it is cleaned."


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        ("10 years", "10 minutes", "unit"),
        ("2GiB", "2KiB", "unit"),
        ("on Linux", "on Windows", "name"),
    ],
)
def test_a_swapped_unit_or_name_is_found_where_it_stands(was, now, kind):
    claim = CACHE.replace(was, now)
    (swap,) = swaps(claim, ["Something else.", f"First this. {CACHE} Then that."])
    assert (swap.kind, swap.evidence_index) == (kind, 1)
    assert claim[slice(*swap.claim_range)] in now and now.split()[-1] in claim[slice(*swap.claim_range)]
    assert f"First this. {CACHE}"[slice(*swap.evidence_range)] in was


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("It does not lose any history here.", "It does lose any history here."),
        (
            "There can be blanks before or after the value.",
            "There cannot be blanks before or after the value.",
        ),
        ("A plain fetch will update all the branches.", "A plain fetch will not update all the branches."),
        ("The server won't accept such a request.", "The server will accept such a request."),
    ],
)
def test_a_denial_that_is_put_in_or_left_out_is_found(was, now):
    for claim, source in ((now, was), (was, now)):
        (found,) = [each for each in check(claim, [source]) if each.kind == "negation"]
        assert (found.outcome, found.evidence_index) == ("contradicted", 0)
    (swap,) = swaps(now, [was])
    assert swap.kind == "negation"


def test_a_name_that_stands_elsewhere_in_the_evidence_is_no_excuse():
    said = "Some basic familiarity with Git is required before this."
    evidence = ["The Clone command copies a repository.", said]
    (found,) = check(said.replace("Git", "Clone"), evidence)
    assert (found.kind, found.outcome, found.evidence_index) == ("name", "contradicted", 1)
    assert found.reason == "the source says Git, the claim Clone"


@pytest.mark.parametrize(
    "claim",
    [
        CACHE,
        CACHE.replace("keeps", "holds"),
        CACHE.replace("cleaned", "emptied"),
        CACHE.replace("2GiB", "2KiB").replace("Linux", "Windows"),
        CACHE.replace("on Linux", "on linux"),
        "It is cleaned on Windows.",
        CACHE.replace("blobs", "large blobs"),
        CACHE.replace("at most ", ""),
    ],
)
def test_what_is_said_otherwise_or_differs_more_is_no_swap(claim):
    assert list(swaps(claim, [CACHE])) == []


def test_a_sentence_that_another_source_has_word_for_word_is_not_blamed():
    one = "A boolean value which lets you enable the --signoff option of this command."
    other = one.replace("--signoff", "--base=auto")
    assert check(one, [other, one]) == []
    assert [each.kind for each in check(one, [other])] == ["name"]


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_text_is_taken_and_a_text_has_no_swap_with_itself(claim, evidence):
    assert all(each.evidence_index < len(evidence) for each in swaps(claim, evidence))
    assert list(swaps(claim, [claim])) == []


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Members pay 30 euros in the summer and in the winter season each year.",
            "Members pay 30 euros in the winter season and in the summer each year.",
        ),
        (
            "The fast card costs 78 euros and takes one week to come by post.",
            "The fast card costs 78 euros, does not open doors at night and takes one week to come by post.",
        ),
    ],
)
def test_words_that_stand_elsewhere_are_no_alteration(claim, text):
    assert list(alterations(claim, [text])) == []
