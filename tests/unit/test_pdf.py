from pathlib import Path

import pytest

from bob.core.errors import UnreadableError
from bob.documents.pdf import PdfParser
from bob.documents.pdf_layout import Line, page_text
from bob.documents.pdf_running import without_running_lines
from bob.documents.source import LocalFile

PARTS = Path(__file__).parent.parent / "data" / "parts"


def parse(path):
    return PdfParser().parse(LocalFile(path))


def column(*texts, left=72.0, y=700.0, pitch=14.0, width=400.0):
    return [Line(text, y - pitch * at, left, left + width, 11.0) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("locked.pdf", "encrypted", "needs a password"),
        ("scanned.pdf", "no-text", "scanned: pictures of pages without text (2 pages)"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(name, code, reason):
    with pytest.raises(UnreadableError) as caught:
        parse(PARTS / name)
    assert (caught.value.code, caught.value.reason) == (code, reason)


@pytest.mark.parametrize("data", [b"%PDF-1.4\n", b"words", b"%PDF-1.7\n%%EOF" + b"\x00" * 100])
def test_a_damaged_pdf_is_damaged(tmp_path, data):
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with pytest.raises(UnreadableError) as caught:
        parse(path)
    assert caught.value.code == "damaged"


def test_running_headers_and_page_numbers_are_left_out():
    text = "\n".join(section.text for section in parse(PARTS / "rules.pdf").sections)
    assert "Harbour rules" not in text
    assert "Page" not in text


def test_limits_are_kept_and_told():
    document = PdfParser(max_pages=2).parse(LocalFile(PARTS / "rules.pdf"))
    assert [section.locator.page for section in document.sections] == [1, 2]
    assert document.extra["truncated"] == "read 2 of 3 pages"


def test_lines_are_joined_to_paragraphs():
    text, blocks = page_text([*column("One", "two."), *column("Three", "four", y=640.0)])
    assert text == "One two.\n\nThree four"
    assert [text[block.start : block.end] for block in blocks] == ["One two.", "Three four"]


def test_a_hyphen_at_a_lines_end_goes_when_the_word_goes_on_in_small_letters():
    lines = [
        Line("exam", 700, 72, 400, 11, hyphenated=True),
        Line("ple and Al", 686, 72, 400, 11, hyphenated=True),
    ]
    assert page_text([*lines, Line("Khwarizmi", 672, 72, 200, 11)])[0] == "example and Al-Khwarizmi"


def test_list_items_and_short_lines_keep_their_line():
    lines = [
        *column("A full line of a list that goes on", "to its end"),
        *column("• first", "• second", y=672.0),
    ]
    assert page_text(lines)[0].endswith("to its end\n• first\n• second")


def test_a_heading_of_the_outline_stands_alone():
    text, blocks = page_text(column("Tides", "The gauge is read at noon."), {"tides"})
    assert [block.kind for block in blocks] == ["heading", "paragraph"]
    assert text == "Tides\n\nThe gauge is read at noon."


def test_only_what_stands_at_one_height_on_many_pages_is_a_running_line():
    pages = [
        [*column(f"Chapter {page}", y=820.0), *column(f"text {'abc'[page]}", "Total 12")] for page in range(3)
    ]
    kept = [[line.text for line in lines] for lines in without_running_lines(pages)]
    assert kept[0] == ["text a"]
    assert without_running_lines(pages[:2]) == pages[:2]
