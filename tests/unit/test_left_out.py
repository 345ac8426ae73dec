"""How parsers name what they leave out of a file."""

import pytest

from bob.documents.formats.left_out import MOST_SENTENCES, bounded, is_missed, numbered, said_of


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        ([3], "page 3"),
        ([4, 3], "pages 3 and 4"),
        ([3, 7, 8, 9], "pages 3 and 7 to 9"),
        (range(999, 1_002), "pages 999 to 1,001"),
        (range(1, 40, 2), "pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 10 more"),
    ],
)
def test_parts_are_named_by_their_numbers(numbers, named):
    assert numbered("page", numbers) == named


def test_nothing_is_said_of_no_parts():
    assert list(said_of("page", [], "is damaged", "are damaged")) == []


def test_few_short_sentences_are_kept_of_a_file():
    assert bounded(["page 3 is\n damaged", "page 3 is damaged", ""]) == ("page 3 is damaged",)
    kept = bounded(f"attachment {number} is damaged" for number in range(100))
    assert len(kept) == MOST_SENTENCES and kept[-1] == "81 more parts are left out"
    assert len(bounded(["a" * 10_000])[0]) == 300


@pytest.mark.parametrize(
    ("name", "missed"), [("plan.dwg", True), ("photo.JPG", False), ("smime.p7s", False), ("notes", True)]
)
def test_pictures_and_signatures_are_not_missed(name, missed):
    assert is_missed(name) == missed
