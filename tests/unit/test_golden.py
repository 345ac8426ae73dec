"""Golden sets: what is read, and how mistakes are told."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.core.errors import UsageError
from bob.evaluation.golden import ExpectedSource, question_id, read_golden, write_golden

FULL = {
    "id": "hedge",
    "question": "When is the hedge cut?",
    "sources": [{"path": "./notes/hedge.md", "locator": {"start_line": 3, "end_line": 4}, "grade": 2}],
    "phrases": ["after 15 August"],
    "forbidden": ["in May"],
    "confirmed": False,
}


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("golden") / "set.jsonl"


def read(file, *records):
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in records]
    file.write_bytes(b"\n".join(lines))
    return read_golden(file)


def test_a_full_record_and_the_shortest_one(file):
    full, short = read(
        file, b"\xef\xbb\xbf" + json.dumps(FULL).encode(), b" \r", {"question": "Why?"}
    ).questions
    assert full.sources == (ExpectedSource("notes/hedge.md", {"start_line": 3, "end_line": 4}, 2),)
    assert (full.id, full.phrases, full.forbidden) == ("hedge", ("after 15 August",), ("in May",))
    assert (full.confirmed, short.confirmed, short.unanswerable, short.sources) == (False, True, False, ())
    assert short.id == question_id("Why?") == question_id("  Why? ")


def test_the_hash_is_that_of_the_bytes(file):
    one, same, other = (read(file, {"question": each}).content_hash for each in ("a", "a", "b"))
    assert one == same != other


WRONG = [
    (b"{", "is not JSON"),
    (b"\xff", "is not valid UTF-8"),
    (rb'{"question": "\ud800"}', "is not valid UTF-8"),
    (b"[" * 100_000, "is not JSON"),
    ([1], "must be an object"),
    ({}, "question: must be a non-empty text"),
    ({"question": " "}, "question: must be a non-empty text"),
    ({"question": "q", "answer": "a"}, "answer: unknown; known: id, question, sources"),
    ({"question": "q", "id": 3}, "id: must be a non-empty text"),
    ({"question": "q", "phrases": "one"}, "phrases: must be a list"),
    ({"question": "q", "forbidden": [""]}, "forbidden: must be a list"),
    ({"question": "q", "unanswerable": 1}, "unanswerable: must be true or false"),
    ({"question": "q", "sources": {}}, "sources: must be a list"),
    ({"question": "q", "sources": ["a.md"]}, "sources[0]: must be an object"),
    ({"question": "q", "sources": [{"path": "a"}, {}]}, "sources[1].path: must be a non-empty text"),
    ({"question": "q", "sources": [{"path": "../a.md"}]}, "without «..»"),
    ({"question": "q", "sources": [{"path": "a", "line": 3}]}, "sources[0].line: unknown"),
    ({"question": "q", "sources": [{"path": "a", "grade": True}]}, "grade: must be a whole number"),
    ({"question": "q", "sources": [{"path": "a", "locator": 3}]}, "locator: must be an object"),
    ({"question": "q", "sources": [{"path": "a", "locator": {"line": 3}}]}, "locator.line: unknown"),
    ({"question": "q", "sources": [{"path": "a", "locator": {"page": "3"}}]}, "page: must be a whole number"),
    (
        {"question": "q", "sources": [{"path": "a", "locator": {"page": True}}]},
        "page: must be a whole number",
    ),
    ({"question": "q", "sources": [{"path": "a", "locator": {"heading": 3}}]}, "heading: must be text"),
    ({"question": "q", "sources": [{"path": "a", "locator": {"end_line": 3}}]}, "end_line: needs start_line"),
    (
        {"question": "q", "sources": [{"path": "a", "locator": {"start_line": 3, "end_line": 2}}]},
        "end_line: lies before start_line",
    ),
    (
        {"question": "q", "unanswerable": True, "phrases": ["x"]},
        "phrases: must be empty for an unanswerable question",
    ),
    ({"question": "q", "id": "hedge"}, "id: 'hedge' is also that of line 1"),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_a_mistake_is_told_with_file_line_and_field(file, line, said):
    with pytest.raises(UsageError) as caught:
        read(file, FULL, b"", line)
    (message,) = str(caught.value).splitlines()
    assert message.startswith(f"{file}:3: ") and said in message


def test_all_mistakes_are_told_at_once_up_to_twenty(file):
    with pytest.raises(UsageError) as caught:
        read(file, FULL, *[{"question": ""}] * 25)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{file}:2: ") and lines[19].startswith(f"{file}:21: ")
    assert lines[20:] == ["and 5 more"]


def test_a_file_without_questions_or_without_a_file(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n\n")
    for name, said in (
        ("empty.jsonl", "no question"),
        ("none.jsonl", "cannot be read"),
        (".", "cannot be read"),
    ):
        with pytest.raises(UsageError, match=said):
            read_golden(tmp_path / name)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["id", "question", "sources", "phrases", "forbidden", "unanswerable", "confirmed", "path", "locator"]
records = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), json_values)
with_sources = st.builds(
    lambda record, sources: {**record, "question": "q", "sources": sources},
    records,
    st.lists(
        st.fixed_dictionaries(
            {"path": st.text()},
            optional={
                "grade": json_values,
                "locator": st.dictionaries(
                    st.sampled_from(["page", "start_line", "end_line", "heading", "notes"]), json_values
                ),
            },
        ),
        max_size=2,
    ),
)


@given(
    st.lists(
        st.binary(max_size=40) | st.builds(lambda each: json.dumps(each).encode(), records | with_sources),
        min_size=1,
        max_size=4,
    )
)
def test_any_file_is_read_or_refused_line_by_line(file, lines):
    try:
        found = read(file, *lines)
    except UsageError as error:
        for message in str(error).splitlines():
            assert message.startswith(f"{file}:") or message.startswith("and "), message
    else:
        assert found.questions
        for each in found.questions:
            assert each.id.strip() and each.question.strip()
            json.dumps([each.id, each.question], ensure_ascii=False).encode()


def test_a_set_is_written_once_unless_told_otherwise(tmp_path):
    path = tmp_path / "set.jsonl"
    write_golden(path, [FULL], replace=False)
    with pytest.raises(UsageError, match="already exists; to overwrite"):
        write_golden(path, [FULL, {"question": "Why?"}], replace=False)
    assert len(read_golden(path).questions) == 1
    write_golden(path, [FULL, {"question": "Wärum?"}], replace=True)
    assert [each.question for each in read_golden(path).questions] == [FULL["question"], "Wärum?"]
    with pytest.raises(UsageError, match="cannot be written"):
        write_golden(Path(tmp_path / "no" / "set.jsonl"), [FULL], replace=False)
