# ruff: noqa: E501 - markup is easier to compare when it is not cut
"""Makes the files in `tests/data/parts`, which are committed: run by hand, with python-docx and python-pptx.

All content is invented. Files are made as other programs make them, so that a parser is not tested against
its own idea of the format; what those programs do not write (text boxes, notes, locks) is patched in.
"""

from __future__ import annotations

import datetime
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdf
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

OUT = Path(__file__).parent / "parts"
DAY = datetime.datetime(2024, 5, 17, 9, 30)


def word() -> None:
    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author, properties.keywords = "Harbour move", "Facilities", "move; harbour"
    properties.created = properties.modified = DAY
    document.add_heading("Harbour move", 0)
    document.add_paragraph("The workshop moves to the old harbour hall in September.")
    document.add_heading("Costs", 1)
    document.add_paragraph("The rent is 1,900 a month, heating included.")
    table = document.add_table(rows=3, cols=3)
    for row, cells in zip(
        table.rows, [["Item", "Cost", "Note"], ["Van", "240", ""], ["Paint", "85", "two coats"]], strict=True
    ):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    table.cell(1, 1).merge(table.cell(1, 2))
    document.add_heading("Steps", 1)
    document.add_heading("Before", 2)
    document.add_paragraph("Measure the doors", style="List Bullet")
    document.add_paragraph("Label the boxes", style="List Bullet")
    document.add_heading("After", 2)
    document.add_paragraph("Return the keys", style="List Number")
    document.add_paragraph("Read the meters", style="List Number")
    document.sections[0].header.paragraphs[0].text = "Header that is on each page"
    made = io.BytesIO()
    document.save(made)
    box = (
        '<w:p><w:r><w:t>Seen beside a box.</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats'
        '.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:txbxContent><w:p><w:r><w:t>Inside the box.</w:t>'
        "</w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>Inside the box.</w:t></w:r>"
        "</w:p></w:txbxContent></mc:Fallback></mc:AlternateContent></w:r><w:del><w:r><w:delText>Deleted.</w:delText>"
        "</w:r></w:del></w:p><w:sectPr"
    )
    with (
        zipfile.ZipFile(made) as read,
        zipfile.ZipFile(OUT / "move.docx", "w", zipfile.ZIP_DEFLATED) as write,
    ):
        for name in read.namelist():
            data = read.read(name)
            if name == "word/document.xml":
                data = data.replace(b"<w:sectPr", box.encode(), 1)
            if not name.endswith("thumbnail.jpeg"):
                write.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def excel() -> None:
    book = openpyxl.Workbook()
    book.properties.title, book.properties.creator = "Boat hours", "Harbour office"
    book.properties.created = book.properties.modified = DAY
    sheet = book.active
    sheet.title = "Hours"
    sheet["B2"] = "Hours of the ferry Kestrel"
    rows = [["Day", "Hours", "Share", "Sum"], [datetime.date(2024, 5, 1), 0.1 + 0.2, 0.256, 12000000000]]
    rows += [[datetime.datetime(2024, 5, 2, 14, 30), 7, 0.5, True]]
    for at, row in enumerate(rows, start=4):
        for column, value in enumerate(row, start=2):
            sheet.cell(at, column, value)
        if at > 4:
            sheet.cell(at, 4).number_format = "0.0%"
    book.create_sheet("Empty")
    notes = book.create_sheet("Notes")
    notes["A1"] = "Line one\nline two"
    book.save(OUT / "hours.xlsx")


def powerpoint() -> None:
    deck = pptx.Presentation()
    deck.core_properties.title, deck.core_properties.author = "", "Harbour office"
    deck.core_properties.modified = DAY
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Ferry season"
    first.placeholders[1].text = "Starts in April\nEnds in October"
    first.notes_slide.notes_text_frame.text = "Thank the crew of the Kestrel first."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Passengers"
    data = CategoryChartData()
    data.categories = ["April", "May"]
    data.add_series("Kestrel", (310, 450.5))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data)
    table = second.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for at, text in enumerate(["Pier", "Boats", "North", "3"]):
        table.cell(at // 2, at % 2).text = text
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1)).text_frame.text = "Grouped words"
    deck.slides.add_slide(deck.slide_layouts[6])
    made = io.BytesIO()
    deck.save(made)
    with (
        zipfile.ZipFile(made) as read,
        zipfile.ZipFile(OUT / "season.pptx", "w", zipfile.ZIP_DEFLATED) as write,
    ):
        for name in read.namelist():
            if "thumbnail" not in name:
                write.writestr(zipfile.ZipInfo(name), read.read(name), zipfile.ZIP_DEFLATED)


def pdf_bytes(pages: list[list[tuple[int, int, str]]]) -> bytes:
    """A PDF with lines of text at x and y; a page without any is a picture."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    objects += ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    objects += [
        _stream(
            "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
            "A",
        )
    ]
    for lines in pages:
        drawn = "".join(f"BT /F 11 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in lines)
        objects.append(_stream("<<", drawn or "q 400 0 0 600 50 100 cm /I Do Q"))
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>"
        )
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode("latin-1")


def _stream(head: str, body: str) -> str:
    return f"{head} /Length {len(body)} >>\nstream\n{body}\nendstream"


def pdf() -> None:
    pages = []
    story = [
        [
            "1 Tides",
            "The tide table of the harbour is kept by the pilot station, which reads the",
            "gauge at noon and at midnight.",
        ],
        [
            "The ferry Kestrel sails at half tide and never later than one hour after",
            "the gauge falls below two metres.",
            "2 Signals",
            "Three long blasts mean that the bridge opens.",
        ],
        ["Flags", "A red flag closes the pier for all boats but the pilot's own."],
    ]
    for number, texts in enumerate(story, start=1):
        lines = [(72, 800, "Harbour rules"), (290, 40, f"Page {number} of 3")]
        y = 760
        for text in texts:
            heading = text[0].isdigit() or text == "Flags"
            y -= 30 if heading else 14
            lines.append((72, y, text))
            y -= 16 if heading else 0
        pages.append(lines)
    writer = pypdf.PdfWriter(io.BytesIO(pdf_bytes(pages)))
    writer.add_outline_item(title="1 Tides", page_number=0)
    second = writer.add_outline_item(title="2 Signals", page_number=1)
    writer.add_outline_item(title="Flags", page_number=2, parent=second)
    writer.add_metadata(
        {"/Title": "Harbour rules", "/Author": "Pilot station", "/Keywords": "tides, signals"}
    )
    writer.add_metadata({"/CreationDate": "D:20230102120000Z", "/ModDate": "D:20240517093000+02'00'"})
    writer.write(OUT / "rules.pdf")
    (OUT / "scanned.pdf").write_bytes(pdf_bytes([[], []]))
    for name, password in (("locked.pdf", "tide"), ("owner.pdf", "")):
        writer = pypdf.PdfWriter(io.BytesIO(pdf_bytes([[(72, 700, "Behind a password.")]])))
        writer.encrypt(password, "owner", algorithm="RC4-128")
        writer.write(OUT / name)


def epub(name: str, *, locked: bool = False) -> None:
    def chapter(body: str) -> str:
        return f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{body}</body></html>'

    files = {
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>The Keeper of the Light</dc:title><dc:creator>A. N. Author</dc:creator><dc:date>1912</dc:date><dc:language>en-GB</dc:language><dc:subject>Lighthouses</dc:subject></metadata>
<manifest><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one%20a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>""",
        "OPS/nav.xhtml": chapter(
            '<nav><ol><li><a href="one%20a.xhtml">The Storm</a></li><li><a href="two.xhtml#x">The <i>Calm</i></a></li></ol></nav>'
        ),
        "OPS/one a.xhtml": chapter(
            "<h1>Chapter I</h1><h2>The Storm</h2><p>The lamp went out at <b>nine</b>.</p><h2>Morning</h2><p>No ship was lost&#160;that night.</p><blockquote><p>Keep the lamp.</p></blockquote>"
        ),
        "OPS/two.xhtml": chapter(
            "<p>In spring the keeper painted the door green.</p><ul><li>oil</li><li>wick</li></ul>"
        ),
    }
    if locked:
        files["META-INF/encryption.xml"] = (
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><e:CipherData><e:CipherReference URI="OPS/one%20a.xhtml"/></e:CipherData></e:EncryptedData></encryption>'
        )
    with zipfile.ZipFile(OUT / name, "w") as write:
        write.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        for member, text in files.items():
            write.writestr(zipfile.ZipInfo(member), text, zipfile.ZIP_DEFLATED)


def mail() -> None:
    message = EmailMessage()
    message["From"], message["To"] = "Harbour office <office@example.org>", "crew@example.org"
    message["Subject"], message["Date"] = "Fähre: new timetable", "Fri, 17 May 2024 09:30:00 +0200"
    message["Message-ID"] = "<timetable-1@example.org>"
    message.set_content(
        "The timetable changes on Monday.\n\nOn Thursday the crew wrote:\n> When does it change?\n> We need a week.\n\n-- \nHarbour office\n"
    )
    message.add_alternative("<p>The timetable changes on Monday.</p>", subtype="html")
    message.add_attachment("Pier,Time\nNorth,07:10\n", subtype="csv", filename="times.csv")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="map.png")
    message.set_boundary("outer")
    next(message.iter_parts()).set_boundary("inner")
    (OUT / "timetable.eml").write_bytes(message.as_bytes())
    (OUT / "crew.mbox").write_bytes(
        b"From office@example.org Fri May 17 09:30:00 2024\nFrom: office@example.org\nSubject: Keys\n"
        b"Date: Fri, 17 May 2024 09:30:00 +0200\n\nThe keys are at the pier.\n>From Monday on they are at the office.\n\n"
        b"From crew@example.org Sat May 18 10:00:00 2024\nFrom: crew@example.org\nSubject: Re: Keys \xfcber\n"
        b"Date: Sat, 18 May 2024 10:00:00 +0200\nContent-Type: text/html; charset=x-unknown\n\n"
        b"<p>Thanks, we <b>have</b> them.</p><blockquote>The keys are at the pier.</blockquote>\n"
    )


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    word()
    excel()
    powerpoint()
    pdf()
    epub("light.epub")
    epub("locked.epub", locked=True)
    mail()
