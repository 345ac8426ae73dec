import pytest

from bob.core.document import Block, Section
from bob.core.locator import LineLocator, ParagraphLocator
from bob.documents.formats.markdown import parse_markdown
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


def test_the_rows_of_a_table_that_are_blocks_know_its_columns_and_values_name_none():
    def parts(head, **more):
        rows = [head, *(f"w{at} | {at}.5 | {at}" for at in range(12))]
        text = "\n".join(rows)
        starts = [sum(len(row) + 1 for row in rows[:at]) for at in range(len(rows))]
        blocks = tuple(
            Block(start, start + len(row), "table") for start, row in zip(starts, rows, strict=True)
        )
        section = Section(text, ParagraphLocator(part=0, end_char=len(text)), (), blocks, **more)
        return StructureChunker(10, 20, words).chunks([section])

    assert [each.context for each in parts("Name | Size | Age")[:2]] == ["", "| Name | Size | Age |"]
    assert {each.context for each in parts("w | 1.5 | 2")} == {""}


def test_the_head_of_a_table_is_never_cut():
    names = " | ".join(f"column {at}{' ' * 90}" for at in range(12))
    rows = "\n".join(f"| r{at} | {' | '.join(['1'] * 11)} |" for at in range(12))
    _, other, *_ = chunked(f"| {names} |\n{'|---' * 12}|\n{rows}", 30, 60)
    assert other.context == f"| {' | '.join(f'column {at}' for at in range(12))} |"
    assert len(other.embedding_text) < len(other.text) + 600


def test_a_long_row_is_cut_between_its_cells_and_each_part_knows_its_columns():
    long = " ".join(f"Look at seal {at}." for at in range(12))
    head = "| Tool | Care | Place | Built |\n|---|---|---|---|"
    text = f"{head}\n| Press | {long} | Shed 2 | 1998 |\n| Saw | none | Shed 1 | 2001 |"
    _, *others = chunked(text)
    assert [each.context.replace("\n", " / ") for each in others] == [
        "| Tool |",
        *["| Care | / | Press |"] * 3,
        "| Place | Built | / | Press |",
        "| Tool | Care | Place | Built |",
    ]
    assert [each.text for each in others[-2:]] == ["Shed 2 | 1998 |", "| Saw | none | Shed 1 | 2001 |"]
    assert all(each.text.startswith("Look at seal") for each in others[1:4])


def test_a_long_row_of_delimited_text_is_cut_between_its_cells():
    text = f'Press;"{prose(30)}; {prose(5)}";Shed 2;1998'
    section = Section(
        text,
        LineLocator(start_line=2, end_line=2),
        (),
        (Block(0, len(text), "table"),),
        "Tool;Care;Place;Built",
        ";",
    )
    *_, last = StructureChunker(10, 20, words).chunks([section])
    assert (last.text, last.context) == ("Shed 2;1998", "Place;Built\nPress")


def test_a_long_list_is_cut_where_its_outer_items_begin() -> None:
    item = "- Item number {0} is on this line\n  and goes on here\n  - with a part {0}\n    of two lines\n"
    text = "".join(item.format(number) for number in range(40))
    chunks = StructureChunker(40, 60).chunks(parse_markdown(text).sections)
    assert len(chunks) > 5
    assert all(chunk.text.startswith("- Item") for chunk in chunks)
