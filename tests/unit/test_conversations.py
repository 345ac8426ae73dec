"""Readers of public sets of questions about conversations."""

import gzip
import json

import pytest
from small_talk import LOCOMO, LONGMEMEVAL

from bob.core.errors import UsageError
from bob.evaluation.conversation_sets import read_locomo, read_longmemeval


def written(folder, records, name="set.json"):
    path = folder / name
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_locomos_turns_come_in_order_with_captions(tmp_path):
    garden, kitchen = read_locomo(written(tmp_path, LOCOMO))
    assert (garden.name, kitchen.name) == ("garden", "kitchen")
    assert [each.id for each in garden.turns] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2"]
    assert [each.chat for each in garden.turns] == ["session_1"] * 3 + ["session_2"] * 2
    assert garden.turns[2].text == "Look at this! [shared a photo of a grey cat in a wheelbarrow]"
    plain, _ = read_locomo(written(tmp_path, LOCOMO), captions=False)
    assert plain.turns[2].text == "Look at this!" and plain.turns[2].author == "Nora"


def test_evidence_is_every_turn_that_is_named_however_it_is_written(tmp_path):
    garden, _ = read_locomo(written(tmp_path, LOCOMO))
    found = [(each.category, sorted(each.evidence)) for each in garden.questions]
    assert found == [("single-hop", ["D1:2"]), ("multi-hop", ["D1:3", "D2:2"]), ("temporal", ["D2:2"])]


def test_longmemeval_is_one_pool_of_what_the_user_said(tmp_path):
    path = tmp_path / "set.json.gz"
    path.write_bytes(gzip.compress(json.dumps(LONGMEMEVAL).encode()))
    pool = read_longmemeval(path)
    assert [(each.chat, each.text) for each in pool.turns] == [
        ("music", "I have taken up the cello."),
        ("music", "It is loud."),
        ("trip", "My train to Oslo leaves at nine."),
        ("ferry", "The ferry to Kiel was late."),
    ]
    assert [each.evidence for each in pool.questions] == [{"music"}, {"trip", "ferry"}]


@pytest.mark.parametrize("read", [read_locomo, read_longmemeval])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[{]", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"{}", "format: it is not a list of records"),
        (b"[]", "format: it is not a list of records"),
        (b"[3]", "format"),
        (b'[{"question": "x"}]', "format: the field '"),
    ],
)
def test_another_file_is_refused_with_its_name(tmp_path, read, content, said):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"other\.json: not") as refused:
        read(path)
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["none.json", "none.json.gz"])
def test_a_missing_file_and_one_that_is_no_gzip(tmp_path, name):
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_locomo(tmp_path / name)
    (tmp_path / "plain.json.gz").write_text("[]")
    with pytest.raises(UsageError, match="cannot be read: Not a gzipped file"):
        read_locomo(tmp_path / "plain.json.gz")
