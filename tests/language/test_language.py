"""Every reader of language agrees with the tables of cases beside this file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bob.text.sentences import message_sentences, sentence_ranges

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


@pytest.mark.parametrize("case", table("sentences")["messages"], ids=lambda case: repr(case["text"]))
def test_sentences_of_messages(case):
    assert message_sentences(case["text"]) == case["sentences"]
