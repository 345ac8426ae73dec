"""No hostile text escapes from its place in any kind of prompt, and the counting sees those that would."""

import pytest
from hostile_texts import FAMILIES
from recorded_prompts import INDEXED, KINDS, count_escapes, nothing_neutralized

SEEN = ("closing tags", "tags that look alike", "template tokens", "fake turns", "smuggled characters")
SEEN += ("tags with hidden letters", "text turned around", "guessed fences")
"""Families of which each text escapes, where nothing is neutralized, from each kind of prompt."""


def escaped(found):
    return [
        (kind, family, text, why)
        for family, row in found.items()
        for kind, (_, cases) in row.items()
        for text, why in cases
    ]


def test_there_are_enough_texts_of_many_families():
    assert sum(map(len, FAMILIES.values())) >= 200 and len(FAMILIES) >= 12 and len(KINDS) >= 6
    assert len({each for texts in FAMILIES.values() for each in texts}) == sum(map(len, FAMILIES.values()))


def test_nothing_escapes(tmp_path):
    assert escaped(count_escapes(tmp_path, kinds=[each for each in KINDS if each not in INDEXED])) == []


def test_nothing_escapes_that_was_indexed(tmp_path):
    """Every fourth text: indexing takes a while. `tools/containment_table.py` takes all."""
    half = {family: texts[::4] for family, texts in FAMILIES.items()}
    assert sum(map(len, half.values())) >= 50
    assert escaped(count_escapes(tmp_path, half, INDEXED)) == []


@pytest.mark.parametrize("family", SEEN)
def test_what_would_escape_is_seen(tmp_path, family):
    few = {family: FAMILIES[family][::8]}
    with nothing_neutralized():
        found = count_escapes(tmp_path, few, ("ask", "memory judge", "chat"))
    assert all(len(cases) == sent > 0 for sent, cases in found[family].values()), found
