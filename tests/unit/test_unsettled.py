"""What has a decision's words and settles nothing."""

import pytest
from small_decisions import document_of, extract

from bob.decisions.unsettled import settles_nothing

NOTHING = [
    "We agreed to defer the roof until next week.",
    "Agreed to remove it from the agenda for now.",
    "We decided to take this back to GitHub for more discussion.",
    "Ben: We agreed that if it was internal,",
    "there were no abstentions from voting",
    "As we had agreed, the roof is red.",
    "Everyone agreed that this was for the best.",
    "We agreed to:",
    "We decided on this.",
    "Agreed to leave the issue about the roof open.",
    "(Ana)",
]
SETTLED = [
    "We agreed to paint the roof red.",
    "Agreed that the roof should be red.",
    "We decided to move to monthly meetings.",
    "Agreed to extend the lease by a year.",
    "The team agreed to store the oars in the shed.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_it_settles_nothing_in_minutes(text):
    assert settles_nothing(text, in_minutes=True)


@pytest.mark.parametrize("text", SETTLED)
def test_it_settles_something(text):
    assert not settles_nothing(text, in_minutes=True)


def test_outside_of_minutes_waiting_may_be_what_was_decided():
    assert not settles_nothing("We decided to wait for the lock.", in_minutes=False)


def test_a_marker_takes_what_is_below_it_alone():
    text = (
        "# Meeting 2025-01-02\n\n- Agreed:\n    - Paint the roof red\n        - it is rusty\n"
        "    - Sell the boat\n- Reasons not to:\n    - The boat is dear to Ana\n"
    )
    assert [each.statement for each in extract(*document_of(text))] == ["Paint the roof red", "Sell the boat"]
