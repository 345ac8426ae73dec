"""A message that states something is told from one that asks, by its words."""

import pytest

from bob.conversations.signals import tells


@pytest.mark.parametrize(
    "text",
    [
        "We decided to mow on Fridays at ten.",
        "From now on we water at six. My name is Ana.",
        "I am allergic to nuts",
        "We prefer bank transfer for all payments.",
        "Decidimos cortar a sebe em agosto.",
    ],
)
def test_what_states_something(text):
    assert tells(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "thanks!",
        "When do we mow",
        "When do we mow on Fridays?",
        "We prefer bank transfer. What else?",
        "hedge cutting rules",
        "The key of the shed",
        "tell me about hedges",
        "Show the open points",
        "I need the date of the meeting",
        "quando cortamos a sebe",
    ],
)
def test_what_asks_or_may_ask(text):
    assert not tells(text)
