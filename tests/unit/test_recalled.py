import pytest

from bob.conversations.compare_statements import new_part

KNOWN = (
    "- [85] We use PostgreSQL for the billing service.\n- [60] I prefer short answers without bullet points.",
    "Todo deploy precisa de duas aprovações.",
    "- [90] My son takes ibuprofen against migraine on weekends.",
    "- [55] Our flight leaves on 3 May now, no longer on 10 May.",
)


@pytest.mark.parametrize(
    "text",
    [
        "As you said, we use PostgreSQL for the billing service.",
        "as you said, we use PostgreSQL",
        "> We use PostgreSQL for the billing service.",
        "You told me that I prefer short answers without bullet points.",
        "Como você disse, todo deploy precisa de duas aprovações.",
        "for the billing service we use postgresql",
        "As you said, our flight leaves on 3 May.",
    ],
)
def test_what_only_repeats_is_nothing_new(text):
    found = new_part(text, KNOWN)
    assert not found.text and found.repeated


@pytest.mark.parametrize(
    "text",
    [
        "we use PostgreSQL no more, we moved to SQLite",
        "We no longer use PostgreSQL for the billing service.",
        "As you said, we use PostgreSQL for the search service.",
        "We use PostgreSQL 17 for the billing service.",
        "Todo deploy precisa de três aprovações agora.",
        "Maria likes long walks.",
        "Our flight leaves on 10 May now, no longer on 3 May.",
        "Our flight leaves on 10 May.",
        "My daughter takes ibuprofen against migraine on weekends.",
        "We use PostgreSQL.\n\n  ",
    ],
)
def test_what_says_something_else_stays_to_the_byte(text):
    assert new_part(text, KNOWN).text == text


def test_only_the_new_sentences_are_left():
    text = "As you said, we use PostgreSQL for the billing service. We back it up every night.\n> Is that so?"
    found = new_part(text, KNOWN)
    assert found.text == "We back it up every night.\n> Is that so?"
    assert len(found.repeated) == 1


def test_code_that_was_shown_is_repeated_and_other_code_is_not():
    shown = "Use this:\n```python\ndef retry(call):\n    return call()\n```"
    own = "```python\ndef other():\n    return 2\n```"
    found = new_part(f"```python\ndef retry(call):\n    return call()\n```\n{own}", [shown])
    assert found.text == own


def test_without_injected_text_nothing_is_looked_at():
    assert new_part("we use PostgreSQL", ()).repeated == ()
