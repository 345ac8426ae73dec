import io
import re
import zipfile
from pathlib import Path

import pytest

from bob.core.errors import UnreadableError
from bob.documents.formats.office.powerpoint import PowerPointParser
from bob.documents.formats.source import LocalFile

PARTS = Path(__file__).parent.parent / "data" / "parts"


class Source:
    def __init__(self, data):
        self.data = data

    def read_bytes(self):
        return self.data


def changed(name, change):
    made = io.BytesIO()
    with zipfile.ZipFile(PARTS / "season.pptx") as read, zipfile.ZipFile(made, "w") as write:
        for each in read.namelist():
            data = change(read.read(each)) if each == name else read.read(each)
            if data is not None:
                write.writestr(each, data)
    return Source(made.getvalue())


def test_slides_come_in_the_order_they_are_shown():
    def swap(xml):
        first, second, *_ = re.findall(rb"<p:sldId [^>]*/>", xml)
        return xml.replace(first, b"#").replace(second, first).replace(b"#", second)

    sections = PowerPointParser().parse(changed("ppt/presentation.xml", swap)).sections
    assert [(each.locator.slide, each.heading_path) for each in sections] == [
        (1, ("Passengers",)),
        (2, ("Ferry season",)),
        (2, ("Ferry season",)),
    ]


def test_a_damaged_slide_costs_only_itself():
    document = PowerPointParser().parse(changed("ppt/slides/slide1.xml", lambda _: b"<p:sld"))
    assert [section.heading_path for section in document.sections] == [("Passengers",)]
    assert document.sections[0].locator.part == 0
    assert document.left_out == ("slide 1 is damaged",)


def test_files_and_comments_on_slides_are_named():
    def embed(xml):
        frame = b'<p:graphicFrame><p:oleObj progId="Excel.Sheet.12"/></p:graphicFrame></p:spTree>'
        return xml.replace(b"</p:spTree>", frame)

    def comment(xml):
        kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
        relation = b'<Relationship Id="rId90" Type="' + kind + b'" Target="../comments/c1.xml"/>'
        return xml.replace(b"</Relationships>", relation + b"</Relationships>")

    document = PowerPointParser().parse(changed("ppt/slides/slide1.xml", embed))
    assert document.left_out == ("embedded files on slide 1 are not read",)
    document = PowerPointParser().parse(changed("ppt/slides/_rels/slide2.xml.rels", comment))
    assert document.left_out == ("comments on slide 2 are not read",)


def test_the_limit_of_slides_is_kept_and_told():
    document = PowerPointParser(max_slides=1).parse(LocalFile(PARTS / "season.pptx"))
    assert document.left_out == ("slides 2 and 3 are left out: the presentation is too long",)


def test_a_damaged_chart_costs_only_itself():
    name = next(
        n for n in zipfile.ZipFile(PARTS / "season.pptx").namelist() if n.startswith("ppt/charts/chart")
    )
    document = PowerPointParser().parse(changed(name, lambda _: b""))
    assert document.sections[-1].text == "Passengers\n\nPier | Boats\nNorth | 3\n\nGrouped words"


def test_a_cell_of_several_rows_is_of_each():
    def merge(xml):
        row = re.findall(rb"<a:tr .*?</a:tr>", xml, re.DOTALL)[-1]
        below = row.replace(b"<a:tc>", b'<a:tc vMerge="1">', 1).replace(b">3<", b">5<")
        return xml.replace(row, row + below)

    slides = [f"ppt/slides/slide{number}.xml" for number in (1, 2)]
    with zipfile.ZipFile(PARTS / "season.pptx") as read:
        name = next(each for each in slides if b"<a:tbl>" in read.read(each))
    document = PowerPointParser().parse(changed(name, merge))
    assert any("Pier | Boats\nNorth | 3\nNorth | 5" in section.text for section in document.sections)


def shape(paragraphs, place="", style=""):
    fills = f"<p:ph {place}/>" if place else ""
    return (
        f"<p:sp><p:nvSpPr><p:nvPr>{fills}</p:nvPr></p:nvSpPr>"
        f"<p:txBody><a:bodyPr/><a:lstStyle>{style}</a:lstStyle>{paragraphs}</p:txBody></p:sp>"
    )


def paragraph(text, properties=""):
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def text_of(*shapes):
    """What is read of the first slide with nothing but these shapes on it."""

    def replace(xml):
        before, mark, _ = xml.partition(b"<p:grpSpPr/>")
        return before + mark + "".join(shapes).encode() + xml[xml.index(b"</p:spTree>") :]

    return PowerPointParser().parse(changed("ppt/slides/slide1.xml", replace)).sections[0].text


def test_items_of_a_list_have_their_marks_as_the_layout_gives_them():
    items = (
        paragraph("Bring a rope") + paragraph("of ten metres", '<a:pPr lvl="1"/>') + paragraph("Call Piet")
    )
    assert text_of(shape(items, 'idx="1"')) == "- Bring a rope\n  - of ten metres\n- Call Piet"
    assert text_of(shape(items)) == "Bring a rope\nof ten metres\nCall Piet"
    none = "<a:lvl1pPr><a:buNone/></a:lvl1pPr><a:lvl2pPr><a:buNone/></a:lvl2pPr>"
    assert text_of(shape(items, 'idx="1"', none)) == "Bring a rope\nof ten metres\nCall Piet"
    assert text_of(shape(paragraph("Bring a rope"), 'idx="1"')) == "Bring a rope"


def test_numbers_of_a_list_are_counted_and_what_is_no_item_stands_apart():
    number = '<a:pPr><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr>'
    within = '<a:pPr lvl="1"><a:buChar char="-"/></a:pPr>'
    lines = (
        paragraph("Needed:")
        + paragraph("oars", number)
        + paragraph("two of them", within)
        + paragraph("an anchor", number)
        + paragraph("All is on board.")
    )
    assert text_of(shape(lines)) == "Needed:\nb) oars\n  - two of them\nc) an anchor\n\nAll is on board."


def test_columns_of_a_slide_are_read_one_after_the_other():
    places = {
        'type="body" idx="1"': "For",
        'type="body" idx="3"': "Against",
        'idx="2"': "cheap",
        'idx="4"': "slow",
    }
    shapes = [shape(paragraph(text), place) for place, text in places.items()]
    number = shape('<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>')
    assert text_of(number, *shapes) == "For\n\ncheap\n\nAgainst\n\nslow"


def test_a_presentation_without_its_main_part_is_damaged():
    with pytest.raises(UnreadableError, match="not a PowerPoint file"):
        PowerPointParser().parse(changed("ppt/presentation.xml", lambda _: None))
