import pytest

from bob.core.document import Block, Section
from bob.core.locator import LineLocator, ParagraphLocator
from bob.documents.markdown import parse_markdown
from bob.search.chunker import StructureChunker


def words(text: str) -> int:
    return len(text.split())


def chunked(text: str, low: int = 10, high: int = 20):
    return StructureChunker(low, high, words).chunks(parse_markdown(text).sections)


def prose(count: int) -> str:
    return " ".join(f"w{at}" for at in range(count))


def test_blocks_are_packed_until_there_is_enough():
    chunks = chunked("\n\n".join([prose(6)] * 6))
    assert [each.tokens for each in chunks] == [12, 12, 12]
    assert [(each.locator.start_line, each.locator.end_line) for each in chunks] == [(1, 3), (5, 7), (9, 11)]


def test_a_small_tail_joins_what_is_before_it_when_it_fits():
    assert [each.tokens for each in chunked(f"{prose(12)}\n\n{prose(4)}")] == [16]
    assert [each.tokens for each in chunked(f"{prose(18)}\n\n{prose(4)}")] == [18, 4]


def test_no_chunk_crosses_a_heading():
    chunks = chunked("# A\n\none\n\n# B\n\ntwo\n")
    assert [each.text for each in chunks] == ["# A\n\none", "# B\n\ntwo"]
    assert [each.heading_path for each in chunks] == [("A",), ("B",)]


def test_a_heading_over_headings_gives_no_chunk_but_a_lone_one_does():
    chunks = chunked("# A\n\n## B\n\none\n\n# C\n")
    assert [each.text for each in chunks] == ["## B\n\none", "# C"]
    assert chunks[0].heading_path == ("A", "B")


def test_a_heading_stays_with_what_follows():
    chunks = chunked(f"# A title of five words\n\n{prose(18)}")
    assert chunks[0].text.startswith("# A title") and "w0" in chunks[0].text


def test_a_table_with_an_empty_head_has_no_names_for_its_columns():
    rows = "\n".join(f"| r{at} | of {at} |" for at in range(12))
    _, *others = chunked(f"|  |  |\n|---|---|\n{rows}")
    assert {each.context for each in others} == {""}
    _, *others = chunked(f"|  |  |\n|---|---|\n| **name** | **size** |\n{rows}")
    assert {each.context for each in others} == {"| **name** | **size** |"}


def test_a_table_is_cut_between_rows_and_its_parts_know_the_columns():
    rows = "\n".join(f"| r{at} | {at} |" for at in range(12))
    first, *others = chunked(f"| name | size |\n|---|---|\n{rows}")
    assert others
    assert first.context == ""
    assert {each.context for each in others} == {"| name | size |"}
    assert all(line.startswith("| r") for each in others for line in each.text.split("\n"))


def test_code_stays_whole_or_is_cut_at_blank_lines():
    assert len(chunked("```\n" + "x = 1\n" * 5 + "```")) == 1
    part = "a b c d\n" * 3
    chunks = chunked(f"```\n{part}\n{part}\n{part}```")
    assert [each.text.split("\n")[-1] for each in chunks[:-1]] == ["a b c d"] * 2


def test_a_long_paragraph_is_cut_between_sentences():
    chunks = chunked("One two three four five six. Seven eight? " * 4)
    assert all(each.text.endswith((".", "?")) for each in chunks)


def test_a_word_without_end_is_cut():
    chunker = StructureChunker(10, 20, len)
    (section,) = parse_markdown("x" * 105).sections
    chunks = chunker.chunks([section])
    assert "".join(each.text for each in chunks) == "x" * 105
    assert max(each.tokens for each in chunks) <= 20
    assert all(each.locator.text_in(section.text) == each.text for each in chunks)


def test_native_positions_and_context_reach_the_locator_and_chunk():
    section = Section(
        "one\n\ntwo",
        ParagraphLocator(part=3, end_char=8),
        blocks=(Block(0, 3, position=7), Block(5, 8, position=9)),
        context="columns",
    )
    (chunk,) = StructureChunker().chunks([section])
    assert (chunk.locator.paragraph_index, chunk.locator.last_paragraph_index) == (7, 9)
    assert chunk.context == "columns"


def test_a_section_without_blocks_is_cut_at_blank_lines():
    text = f"{prose(12)}\n \t\n{prose(12)}"
    chunks = StructureChunker(10, 20, words).chunks([Section(text, LineLocator(start_line=5, end_line=7))])
    assert [(each.locator.start_line, each.locator.end_line) for each in chunks] == [(5, 5), (7, 7)]


def test_impossible_limits():
    with pytest.raises(ValueError, match="not possible"):
        StructureChunker(20, 10)
