"""What readers mark in PDFs: highlights made over real text, and a file that a viewer annotated."""

import io
from datetime import date
from pathlib import Path

import pypdf
import pypdfium2 as pdfium
import pytest
from marked_pdf import annotated, boxes, highlight
from pypdf.annotations import FreeText, Popup, Text
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject

from bob.core.errors import UnreadableError
from bob_formats.pdf_annotations import _Character, _words, read_annotations

RULES = Path(__file__).parents[1] / "data" / "parts" / "rules.pdf"
LIMIT = 10**7


@pytest.fixture
def lines():
    text = pdfium.PdfDocument(RULES)[0].get_textpage().get_text_range()
    return [line.strip() for line in text.replace("\r", "").split("\n") if line.strip()]


def read(path):
    return [(each.text, each.comment, each.place, each.mark) for each in read_annotations(str(path), LIMIT)]


@pytest.mark.parametrize("order", ["rows", "around"])
def test_the_words_below_a_highlight(tmp_path, lines, order):
    word = lines[1].split()[1]
    marked = highlight(
        boxes(RULES, [word]), order, Contents="Why?", T="Ana", CreationDate="D:20240514091233+01'00'"
    )
    (found,) = read_annotations(str(annotated(RULES, tmp_path / "a.pdf", [marked])), LIMIT)
    assert (found.text, found.comment, found.by, found.added) == (word, "Why?", "Ana", date(2024, 5, 14))
    assert found.place == "page 1"


def test_a_highlight_over_several_lines_has_the_words_of_these_alone(tmp_path, lines):
    rectangles = boxes(RULES, [lines[1], lines[2]])
    assert len(rectangles) >= 2
    # Viewers draw boxes as high as the line, so that they touch the next one.
    tall = [(left, bottom - 2, right, top + 2) for left, bottom, right, top in rectangles]
    found = read(annotated(RULES, tmp_path / "a.pdf", [highlight(tall)]))
    assert found == [(f"{lines[1]} {lines[2]}", "", "page 1", "")]


def test_kinds_of_marks_and_comments(tmp_path, lines):
    first, last = boxes(RULES, [lines[1]]), boxes(RULES, [lines[2]])
    annotations = [
        highlight(last, kind="/StrikeOut"),
        highlight(first, kind="/Underline", Contents=lines[1]),
        Text(rect=(10, 10, 30, 30), text="A comment at the foot\rwith two lines", open=False),
        FreeText(rect=(10, 700, 200, 790), text="Written on the page"),
        Popup(rect=(50, 550, 200, 650)),
        DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Annot"),
                NameObject("/Subtype"): NameObject("/Link"),
                NameObject("/Rect"): ArrayObject([FloatObject(0)] * 4),
                NameObject("/Contents"): TextStringObject("a link's text"),
            }
        ),
    ]
    found = read(annotated(RULES, tmp_path / "a.pdf", annotations))
    assert sorted(found) == sorted(
        [
            (lines[2], "", "page 1", "struck out"),
            (lines[1], "", "page 1", "underlined"),
            ("", "A comment at the foot\nwith two lines", "page 1", ""),
            ("", "Written on the page", "page 1", ""),
        ]
    )
    assert found[-1][1].startswith("A comment at the foot")


def test_a_turned_page_is_read_as_well(tmp_path, lines):
    marked = highlight(boxes(RULES, [lines[1]]))
    path = annotated(RULES, tmp_path / "a.pdf", [marked])
    writer = pypdf.PdfWriter(clone_from=path)
    writer.pages[0].rotate(90)
    writer.write(tmp_path / "b.pdf")
    assert read(tmp_path / "b.pdf") == [(lines[1], "", "page 1", "")]


def test_a_file_is_the_same_work_when_it_is_moved_or_annotated_further(tmp_path, lines):
    made = annotated(RULES, tmp_path / "a.pdf", [highlight(boxes(RULES, [lines[1]]))])
    writer = pypdf.PdfWriter(clone_from=made)
    writer.generate_file_identifiers()
    writer.write(made)
    (first,) = read_annotations(str(made), LIMIT)
    further = annotated(made, tmp_path / "b.pdf", [highlight(boxes(RULES, [lines[2]]))])
    found = read_annotations(str(further), LIMIT)
    assert len(found) == 2 and {each.work.work_id for each in found} == {first.work.work_id}


def test_odd_annotations_cost_nothing_else(tmp_path, lines):
    rectangle = boxes(RULES, [lines[1]])
    odd = highlight(rectangle)
    odd[NameObject("/QuadPoints")] = ArrayObject([FloatObject(1)] * 5)
    off = highlight([(9000, 9000, 9100, 9010)])
    undated = highlight(rectangle, CreationDate="D:20241399", T="")
    found = read_annotations(str(annotated(RULES, tmp_path / "a.pdf", [odd, off, undated])), LIMIT)
    assert [(each.text, each.added) for each in found] == [(lines[1], None)]


def test_a_file_without_annotations_has_none_and_what_is_no_pdf_is_told(tmp_path):
    assert read(RULES) == []
    (tmp_path / "x.pdf").write_bytes(b"no pdf")
    with pytest.raises(UnreadableError, match="not a PDF"):
        read(tmp_path / "x.pdf")
    with pytest.raises(UnreadableError, match="password"):
        read(RULES.with_name("locked.pdf"))


def test_a_damaged_file_ends_in_an_error_or_in_what_is_left(tmp_path, lines):
    held = io.BytesIO()
    annotated(RULES, held, [highlight(boxes(RULES, [lines[1]]))])
    for keep in (2, 3, 5):
        data = held.getvalue()
        (tmp_path / "d.pdf").write_bytes(data[: len(data) * keep // 6])
        try:
            assert all(each[2] == "page 1" for each in read(tmp_path / "d.pdf"))
        except UnreadableError as error:
            assert "damaged" in str(error)


def test_a_word_that_a_line_cuts_is_whole_again():
    """PDFium gives the character 2 for a hyphen at the end of a line, and the line's end behind it."""
    text = "the print\x02\r\ning press"
    characters = [_Character(each, at, 5.0, each.isspace() or each == "\x02") for at, each in enumerate(text)]
    box = ((4, 0), (4, 10), (15, 10), (15, 0))
    assert _words(characters, [box]) == "printing"
