import io
import re
import zipfile
from pathlib import Path

import pytest

from bob.core.errors import UnreadableError
from bob.documents.formats.office.powerpoint import PowerPointParser

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
    assert document.extra["slides_damaged"] == "1"


def test_a_damaged_chart_costs_only_itself():
    name = next(
        n for n in zipfile.ZipFile(PARTS / "season.pptx").namelist() if n.startswith("ppt/charts/chart")
    )
    document = PowerPointParser().parse(changed(name, lambda _: b""))
    assert document.sections[-1].text == "Passengers\n\nPier | Boats\nNorth | 3\n\nGrouped words"


def test_a_presentation_without_its_main_part_is_damaged():
    with pytest.raises(UnreadableError, match="not a PowerPoint file"):
        PowerPointParser().parse(changed("ppt/presentation.xml", lambda _: None))
