import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.text.secrets import _compiled, _rules, _written_rules, redacted, redacted_line

# Put together here, so that no scanner takes this file for a leak.
RANDOM = "q7Rt2ZpLx9VbN4mKw8Yd3HsJf6Gc1Ta5"
SECRETS = [
    ("api key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("api key", "ghp_" + RANDOM + "abcd"),
    ("api key", "sk-ant-" + RANDOM),
    ("api key", "sk_live_" + RANDOM),
    ("api key", "AIza" + RANDOM + "xyz"),
    ("api key", "bobkey.acme-2." + "0123456789abcdef." + RANDOM + "abcdefghijklmnopq"),
    ("api key", "xoxb-" + "123456789012-" + RANDOM),
    ("token", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "c2lnbmF0dXJlLWhlcmU"),
    ("card number", "4111 1111 1111 1111"),
    ("card number", "5500-0000-0000-0004"),
    ("random string", RANDOM),
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"),
    ("private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r"),
]


@pytest.mark.parametrize("kind, secret", SECRETS, ids=[each[1][:12] for each in SECRETS])
def test_known_forms_go(kind, secret):
    found = redacted(f"Here it is: {secret}\nplease keep it")
    assert secret not in found.text and f"[{kind} removed]" in found.text
    assert kind in found.kinds and found.text.startswith("Here it is: ")


@pytest.mark.parametrize(
    "text, secret",
    [
        ("The password is hunter2!", "hunter2"),
        ("the password for the router is Blue-42-Sky, ok?", "Blue-42-Sky"),
        ("A senha é Girassol99", "Girassol99"),
        ("a senha do wifi é Sol123!mar.", "Sol123!mar"),
        ("DB_PASSWORD=correcthorse", "correcthorse"),
        ('{"client_secret": "s3cr3tvalue"}', "s3cr3tvalue"),
        ("api_key: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
        ("my PIN is 4821", "4821"),
        ("postgresql://app:s3cret@db.internal/billing", "s3cret"),
        ("redis://:p4ss@cache:6379/0", "p4ss"),
        ("curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx'", "abcdefghijklmnopqrstuvwx"),
    ],
)
def test_what_is_named_a_secret_goes(text, secret):
    assert secret not in redacted(text).text


@pytest.mark.parametrize(
    "text",
    [
        "The password is too short, choose a longer one.",
        "The token is expired and the api key is missing.",
        "A senha é obrigatória.",
        "password: str = field()",
        "PASSWORD=$SECRET_FROM_VAULT",
        "Fixed in da39a3ee5e6b4b0d3255bfef95601890afd80709 yesterday",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "see https://example.org/docs/AReallyLongPageName2024/WithManyParts?x=1",
        "call src/bob/memory/ReconcileEverythingTwice2.py or make_everything_better_v2_final",
        "order 4111 1111 1111 1112 and phone +351 912 345 678",
        "The number 1234567890123456 is no card.",
        "Mail ana@example.org at 10:30",
    ],
)
def test_ordinary_text_stays(text):
    assert redacted(text).text == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("My password\nis hunter2x9.", "My password is [password removed]"),
        ("The card 4111\n1111 1111\t1111 is mine.", "The card [card number removed] is mine."),
        ("12\n4111 1111 1111 1111 is the card.", "12 [card number removed] is the card."),
        ("  Tea,\n no   coffee. ", "Tea, no coffee."),
    ],
)
def test_a_secret_that_runs_over_the_end_of_a_line_is_removed(text, line):
    assert redacted_line(text).text == line
    assert bool(redacted_line(text).kinds) == ("removed" in line)


def test_an_image_in_a_document_stays():
    image = base64.b64encode(hashlib.sha256(b"pixels").digest() * 3).decode()
    text = f"![logo](data:image/png;base64,{image})"
    assert redacted(text).text == text


@given(
    st.lists(st.sampled_from([secret for _, secret in SECRETS] + ["and", "is", "=", "password", "\n", "x"]))
)
def test_nothing_is_left_to_remove(parts):
    once = redacted(" ".join(parts))
    assert redacted(once.text).text == once.text
    assert not [secret for _, secret in SECRETS if secret in once.text]


@given(st.text())
def test_any_text_is_taken(text):
    assert bool(redacted(text).kinds) == (redacted(text).text != text)


def test_the_rules_of_gitleaks_can_all_be_used():
    assert len(_rules()) > 150
    for (name, keywords, *_), rule in zip(_written_rules(), _rules(), strict=True):
        assert _compiled(rule.pattern).groups >= rule.group, name
        assert keywords and all(each == each.casefold() for each in keywords), f"{name} would never be tried"
