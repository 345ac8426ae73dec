import io
import zipfile

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.units.unit import units_of
from bob.core.errors import UnreadableError
from bob.documents.formats.office.word import WordParser
from bob.search.chunker import StructureChunker

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
words = st.text(st.characters(categories=("L", "M", "N", "P", "S", "Zs")), max_size=60)


class Source:
    def __init__(self, data):
        self.data = data

    def read_bytes(self):
        return self.data


def parse(body, **members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as write:
        write.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        for name, data in members.items():
            write.writestr(name, data)
    return WordParser().parse(Source(made.getvalue()))


def paragraph(text, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_the_barest_document_is_read():
    assert parse(paragraph("words")).sections[0].text == "words"


def test_a_strict_document_is_read_like_any_other():
    made = io.BytesIO()
    strict = W.replace("schemas.openxmlformats.org", "purl.oclc.org/ooxml").replace("/2006", "")
    with zipfile.ZipFile(made, "w") as write:
        body = f'<w:document xmlns:w="{strict}"><w:body>{paragraph("words")}</w:body></w:document>'
        write.writestr("word/document.xml", body)
    assert WordParser().parse(Source(made.getvalue())).sections[0].text == "words"


def test_an_outline_level_makes_a_heading_without_a_style():
    first, second = parse(
        paragraph("Top", '<w:outlineLvl w:val="0"/>') + paragraph("Sub", '<w:outlineLvl w:val="1"/>')
    ).sections
    assert (first.heading_path, second.heading_path) == (("Top",), ("Top", "Sub"))
    assert second.locator.parent_heading == "Sub"


def test_charts_and_embedded_files_in_a_text_are_named():
    chart = '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/>'
    file = '<o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="{}"/>'
    objects = chart + chart + file.format("Excel.Sheet.12") + file.format("Package") + "<w:altChunk/>"
    body = f"{paragraph('words')}<w:p><w:r><w:drawing>{objects}</w:drawing></w:r></w:p>"
    assert parse(body).left_out == (
        "2 charts are not read",
        "1 imported file is not read",
        "2 embedded objects are not read (Excel and Package)",
    )
    assert parse(paragraph("words")).left_out == ()


def test_damaged_footnotes_and_the_end_of_a_long_text_are_named():
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    relation = f'<Relationship Id="rId1" Type="{kind}" Target="footnotes.xml"/>'
    related = f'<Relationships xmlns="{package}">{relation}</Relationships>'
    members = {"word/_rels/document.xml.rels": related, "word/footnotes.xml": "<w:footnotes"}
    assert parse(paragraph("words"), **members).left_out == ("the footnotes are damaged",)
    made = io.BytesIO()
    docx.Document().save(made)
    long = docx.Document(made)
    for number in range(9):
        long.add_paragraph(f"word {number}")
    made = io.BytesIO()
    long.save(made)
    document = WordParser(max_chars=20).parse(Source(made.getvalue()))
    assert document.left_out == ("only the first 20 characters are read",)


def test_a_cell_of_several_rows_is_of_each_and_nested_tables_are_read_once():
    cell = "<w:tc><w:tcPr>{}</w:tcPr><w:p><w:r><w:t>{}</w:t></w:r></w:p>{}</w:tc>"
    start, go_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    nested = f"<w:tbl><w:tr>{cell.format('', 'inner', '')}</w:tr></w:tbl>"
    rows = f"<w:tr>{cell.format(start, 'both', '')}{cell.format('', '1', nested)}</w:tr>"
    rows += f"<w:tr>{cell.format(go_on, 'hidden', '')}{cell.format('', '2', '')}</w:tr>"
    rows += f"<w:tr>{cell.format('', '', '')}{cell.format('', '3', '')}</w:tr>"
    section = parse(f"<w:tbl>{rows}</w:tbl>").sections[0]
    assert section.text == "both | 1 inner\nboth | 2\n|  | 3"
    assert [block.position for block in section.blocks] == [0, 1, 2]


def test_the_head_of_a_nested_table_is_words_of_its_cell():
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p>{}</w:tc>".format
    head = f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('Day', '')}{cell('Hour', '')}</w:tr>"
    nested = f"<w:tbl>{head}<w:tr>{cell('Monday', '')}{cell('9', '')}</w:tr></w:tbl>"
    section = parse(f"<w:tbl><w:tr>{cell('Open', '')}{cell('When:', nested)}</w:tr></w:tbl>").sections[0]
    assert section.text == "Open | When: Day \\| Hour Monday \\| 9"


@pytest.mark.parametrize(
    ("body", "code"), [("", "no-text"), (paragraph(" "), "no-text"), ("<w:p>", "damaged")]
)
def test_a_document_without_text_or_form_says_why(body, code):
    with pytest.raises(UnreadableError) as caught:
        parse(body)
    assert caught.value.code == code


def test_another_archive_is_no_word_file():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as write:
        write.writestr("a.txt", "words")
    with pytest.raises(UnreadableError, match="not a Word file"):
        WordParser().parse(Source(made.getvalue()))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), words), max_size=15))
def test_any_document_gives_its_words_in_order_and_true_locators(content):
    document = docx.Document()
    for level, text in content:
        if level:
            document.add_heading(text, level)
        else:
            document.add_paragraph(text)
    made = io.BytesIO()
    document.save(made)
    expected = "".join("".join(text.split()) for _, text in content)
    if not expected:
        with pytest.raises(UnreadableError, match="no text"):
            WordParser().parse(Source(made.getvalue()))
        return
    sections = WordParser().parse(Source(made.getvalue())).sections
    assert "".join("".join(section.text.split()) for section in sections) == expected
    for chunk in StructureChunker(2, 8).chunks(sections):
        where = chunk.locator
        assert sections[where.part].text[where.start_char : where.end_char] == chunk.text


def test_lists_are_counted_as_word_counts_them():
    level = '<w:lvl w:ilvl="{}"><w:start w:val="{}"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
    levels = level.format(0, 3, "decimal", "%1.") + level.format(1, 1, "lowerRoman", "%1.%2")
    numbering = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kind}" Target="numbering.xml"/></Relationships>'
    )
    number = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'
    body = "".join(
        paragraph(text, number.format(depth)) for text, depth in [("a", 0), ("b", 1), ("c", 1), ("d", 0)]
    )
    members = {"word/numbering.xml": numbering, "word/_rels/document.xml.rels": relations}
    assert parse(body, **members).sections[0].text == "3. a\n  3.i b\n  3.ii c\n4. d"


def test_notes_and_comments_come_last_under_their_own_heading():
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kind}" Target="comments.xml"/></Relationships>'
    )
    comment = f'<w:comment w:author="The crew">{paragraph("Why?")}</w:comment>'
    comments = f'<w:comments xmlns:w="{W}">{comment}</w:comments>'
    members = {"word/comments.xml": comments, "word/_rels/document.xml.rels": relations}
    last = parse(paragraph("words"), **members).sections[-1]
    assert (last.text, last.heading_path) == ("The crew: Why?", ("Comments",))


def test_an_empty_paragraph_ends_a_list():
    written = docx.Document()
    for text in ("apples", "pears", "", "steel", "copper"):
        written.add_paragraph(text, style="List Bullet" if text else None)
    made = io.BytesIO()
    written.save(made)
    (section,) = WordParser().parse(Source(made.getvalue())).sections
    assert section.text == "- apples\n- pears\n\n- steel\n- copper"


def table(*rows, head=0):
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>"
    made = ""
    for number, row in enumerate(rows):
        marks = "<w:trPr><w:tblHeader/></w:trPr>" if number < head else ""
        cells = ((text, 1) if isinstance(text, str) else text for text in row)
        made += f"<w:tr>{marks}"
        made += "".join(
            cell.format(f'<w:gridSpan w:val="{width}"/>', paragraph(text)) for text, width in cells
        )
        made += "</w:tr>"
    return f"<w:tbl>{made}</w:tbl>"


def test_a_head_that_word_repeats_has_a_rule_below_it():
    section = parse(
        table(["Course", ("Visitors", 2)], ["", "in 2022", "in 2023"], ["Clay | 1", "18", "23"], head=2)
    ).sections[0]
    assert section.text == (
        "Course | Visitors | Visitors\n|  | in 2022 | in 2023\n|---|---|---|\nClay \\| 1 | 18 | 23"
    )
    assert units_of(section.text)[-1].line == "Course: Clay | 1; Visitors in 2022: 18; Visitors in 2023: 23"
    assert [block.position for block in section.blocks] == [0, 1, 2]


def test_a_head_of_one_cell_names_no_columns():
    days = [[("Monday", 2)], ["Done:", "painted"], [("Tuesday", 2)], ["Done:", "sanded"]]
    assert parse(table(*days, head=1)).sections[0].text == "Monday\nDone: | painted\nTuesday\nDone: | sanded"


def test_an_empty_row_ends_no_table():
    rows = [["Work", "Who", "Hours"], ["Roof", "Ana", "3"], ["", "", ""], ["Keel", "Piet", "4"]]
    section = parse(paragraph("Plan") + table(*rows) + paragraph("") + table(["Sum", "7"])).sections[0]
    assert section.text == "Plan\n\nWork | Who | Hours\nRoof | Ana | 3\nKeel | Piet | 4\n\nSum | 7"
    assert [block.position for block in section.blocks] == [0, 1, 2, 4, 6]
    assert units_of(section.text)[-2].line == "Work: Keel; Who: Piet; Hours: 4"


def test_a_merged_cell_moves_no_columns():
    section = parse(table(["A", "B", "C"], [("wide", 2), "last"])).sections[0]
    assert section.text == "A | B | C\nwide |  | last"


def test_a_table_of_one_cell_is_a_frame_around_its_paragraphs():
    frame = f"<w:tbl><w:tr><w:tc>{paragraph('First.')}{paragraph('Second.')}</w:tc></w:tr></w:tbl>"
    section = parse(frame).sections[0]
    assert section.text == "First.\n\nSecond."
    assert [block.kind for block in section.blocks] == ["paragraph", "paragraph"]


def bold(text):
    return f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p>"


def test_a_bold_paragraph_names_what_follows_it():
    body = (
        paragraph("Rules", '<w:outlineLvl w:val="0"/>') + bold("Fees:") + "<w:p/>" + paragraph("20 EUR a day")
    )
    body += paragraph("paid at noon") + bold("Keys") + paragraph("Ask Ann.")
    assert [(section.heading_path, section.text) for section in parse(body).sections[1:]] == [
        (("Rules", "Fees:"), "Fees:\n\n20 EUR a day\n\npaid at noon"),
        (("Rules", "Keys"), "Keys\n\nAsk Ann."),
    ]


@pytest.mark.parametrize(
    "body",
    [
        bold("Ann Roe") + bold("Pier 3") + bold("Oldport") + paragraph("Open in summer."),
        bold("The pier is closed.") + paragraph("It is mended."),
        paragraph("It is mended.") + bold("At last"),
        bold("Pier 3") + paragraph("Tides", '<w:outlineLvl w:val="0"/>'),
    ],
)
def test_other_bold_paragraphs_are_text(body):
    assert parse(body).sections[0].heading_path == ()


def run(text, properties=""):
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


HIGH, DEEP = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def math(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("runs", "shown"),
    [
        (run("10") + run("1", HIGH) + run("2", HIGH) + run(" cells"), "10^12 cells"),
        (run("5 m") + run("2", HIGH) + run(" of CO") + run("2", DEEP), "5 m² of CO2"),
        (run("the 1") + run("st", HIGH) + run(" of May"), "the 1st of May"),
        (f"<m:f><m:num>{math(1)}</m:num><m:den>{math(2)}</m:den></m:f>", "1/2"),
        (run("2") + f"<m:f><m:num>{math(1)}</m:num><m:den>{math('a+b')}</m:den></m:f>", "2 1/(a+b)"),
        (f"<m:sSup><m:e>{math(10)}</m:e><m:sup>{math(6)}</m:sup></m:sSup>", "10^6"),
        (f"<m:sSup><m:e><m:d><m:e>{math('a')}</m:e></m:d></m:e><m:sup>{math(2)}</m:sup></m:sSup>", "(a)^2"),
        (f"<m:sSub><m:e>{math('x')}</m:e><m:sub>{math('i')}</m:sub></m:sSub>", "x_i"),
        (f"<m:rad><m:deg/><m:e>{math('x')}</m:e></m:rad>", "√(x)"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + run(" paid"), "☑ paid"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>' + run(" paid"), "☐ paid"),
        (
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/>'
            "</w:checkBox></w:ffData></w:fldChar></w:r>" + run(" paid"),
            "☑ paid",
        ),
    ],
)
def test_powers_fractions_and_ticks_are_told(runs, shown):
    assert parse(f'<w:p xmlns:m="{M}">{runs}</w:p>').sections[0].text == shown


def tabbed(*cells):
    return f"<w:p><w:r>{'<w:tab/><w:tab/>'.join(f'<w:t>{cell}</w:t>' for cell in cells)}</w:r></w:p>"


def test_paragraphs_with_tabs_are_rows_of_a_table():
    rows = tabbed("Hours", "Percent") + tabbed("301-400", "40") + tabbed("401-500", "50")
    section = parse(paragraph("Leave is paid.") + rows).sections[0]
    assert section.text == "Leave is paid.\n\nHours | Percent\n301-400 | 40\n401-500 | 50"
    assert [block.kind for block in section.blocks] == ["paragraph", "table", "table", "table"]
    fields = tabbed("From:", "Ann") + tabbed("To:", "Bo") + tabbed("On:", "Monday")
    assert "|" not in parse(fields).sections[0].text
