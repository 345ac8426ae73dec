import datetime
import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.units.unit import units_of
from bob.core.errors import UnreadableError
from bob.documents.formats.office.excel import ExcelParser, shown_value
from bob.documents.formats.source import LocalFile
from bob.search.chunker import StructureChunker

PARTS = Path(__file__).parent.parent / "data" / "parts"


class Source:
    def __init__(self, data):
        self.data = data

    def read_bytes(self):
        return self.data


def workbook(rows, name="Sheet"):
    book = openpyxl.Workbook()
    book.active.title = name
    for row in rows:
        book.active.append(row)
    return saved(book)


def saved(book):
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def changed(data, name, change):
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as read, zipfile.ZipFile(made, "w") as write:
        for each in read.namelist():
            write.writestr(each, change(read.read(each)) if each == name else read.read(each))
    return made.getvalue()


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.1 + 0.2, "General", "0.3"),
        (1234567890123, "General", "1234567890123"),
        (1e21, "General", "1e+21"),
        (0.256, "0%", "26%"),
        (0.256, "0.00%", "25.60%"),
        (12, '0 "% of all"', "12"),
        (12.5, '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', "$12.50"),
        (-1200, '"$"#,##0_);[Red]\\("$"#,##0\\)', "-$1200"),
        (7.126, "#,##0.00 [$€-407]", "7.13 €"),
        (900, '_-"R$ "* #,##0.00_-', "R$ 900"),
        (5.5, "#,##0.00\\ _€", "5.50"),  # the width of a sign that is not shown
        (3, "[$-F800]0", "3"),
        (70.1556095499683, "0.0", "70.2"),
        (1234.565, '#,##0.00 "€"', "1234.57 €"),
        (0.00012345, "0.00E+00", "0.00012345"),
        (True, "General", "TRUE"),
        (datetime.datetime(2024, 5, 1), "d.m.yy", "2024-05-01"),
        (datetime.datetime(2024, 5, 1, 11, 59, 59, 999_900), "", "2024-05-01 12:00"),
        (datetime.time(7, 5), "", "07:05:00"),
        (datetime.timedelta(hours=25, minutes=1), "", "25:01:00"),
        ("two\n lines", None, "two lines"),
    ],
)
def test_values_are_shown_as_a_person_sees_them(value, number_format, text):
    assert shown_value(value, number_format) == text


def test_amounts_with_a_currency_stand_below_the_names_of_their_columns():
    book = openpyxl.Workbook()
    for row in (["Price", "Thing", "Year"], [12.5, "rope", 2023], [30, "oar", 2024]):
        book.active.append(row)
    for number, form in ((2, '"$"#,##0.00'), (3, '"$"#,##0.00')):
        book.active.cell(number, 1).number_format = form
    (section,) = ExcelParser().parse(Source(saved(book))).sections
    assert [line for _, _, line in answers(section)] == [
        "Price: $12.50; Thing: rope; Year: 2023",
        "Price: $30; Thing: oar; Year: 2024",
    ]


def test_a_tick_in_a_font_of_signs_is_told_as_one():
    book = openpyxl.Workbook()
    for row in (["Work", "Hours", "Done"], ["Sand", 3, "\u00fc"], ["Paint", 2, "x"], ["\u00fc", 1, "o"]):
        book.active.append(row)
    for place in ("C2", "C4"):
        book.active[place].font = openpyxl.styles.Font(name="Wingdings")
    (section,) = ExcelParser().parse(Source(saved(book))).sections
    assert section.text == "Work | Hours | Done\nSand | 3 | ✓\nPaint | 2 | x\nü | 1 | ☐"


def test_a_wrong_dimension_hides_no_cells():
    data = workbook([["a", "b"], ["c", "d"]])
    shrunk = changed(data, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b'ref="A1:B2"', b'ref="A1"'))
    assert shrunk != data
    assert ExcelParser().parse(Source(shrunk)).sections[0].text == "a | b\nc | d"


def test_a_header_below_a_title_is_the_context_of_its_rows():
    section = (
        ExcelParser()
        .parse(Source(workbook([["Boats"], [], ["Name", "Length"], ["Kestrel", 21.5]])))
        .sections[0]
    )
    assert section.context == "| Name | Length |"
    assert [block.position for block in section.blocks] == [1, 3, 4]
    assert (section.locator.first_row, section.locator.last_row, section.locator.row_count) == (1, 4, 4)


def test_the_limit_of_cells_is_kept_and_told():
    document = ExcelParser(max_cells=10).parse(Source(workbook([["a", "b"]] * 100)))
    assert document.sections[0].text.count("\n") < 10
    assert document.left_out == ('the sheet "Sheet" is read up to row 6 only: the workbook is too large',)
    assert ExcelParser(max_cells=10).parse(Source(workbook([["a", "b"]] * 5))).left_out == ()


def test_a_sheet_behind_the_limit_of_cells_is_named():
    book = openpyxl.Workbook()
    book.active.append(["a", "b", "c"])
    book.create_sheet("More").append(["d"])
    book.create_sheet("Empty")
    assert ExcelParser(max_cells=2).parse(Source(saved(book))).left_out == (
        'the sheet "More" is left out: the workbook is too large',
    )


def test_formulas_without_values_are_named():
    book = openpyxl.Workbook()
    for row in (["oats", 3], ["rye", 4], ["all", "=SUM(B1:B2)"]):
        book.active.append(row)
    data = saved(book)
    named = 'on the sheet "Sheet" 1 formula has no value: open it in a spreadsheet program and save it'
    assert ExcelParser().parse(Source(data)).left_out == (named,)
    sheet = "xl/worksheets/sheet1.xml"
    computed = changed(data, sheet, lambda xml: re.sub(rb"<v ?/>|<v></v>", b"<v>7</v>", xml))
    assert ExcelParser().parse(Source(computed)).left_out == ()
    empty_text = changed(data, sheet, lambda xml: re.sub(rb'(<c r="B3")', rb'\1 t="str"', xml))
    assert ExcelParser().parse(Source(empty_text)).left_out == ()


def test_comments_and_text_boxes_on_a_sheet_are_named():
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active["A1"].comment = openpyxl.comments.Comment("Ask the harbour office.", "Ann")
    document = ExcelParser().parse(Source(saved(book)))
    assert document.left_out == ('comments on the sheet "Sheet" are not read',)
    assert ExcelParser().parse(LocalFile(PARTS / "hours.xlsx")).left_out == ()


def test_entities_are_refused_before_they_are_read():
    bomb = b'<!DOCTYPE x [<!ENTITY a "ha">]>'
    data = changed(workbook([["a"]]), "xl/worksheets/sheet1.xml", lambda xml: bomb + xml)
    with pytest.raises(UnreadableError, match="document type"):
        ExcelParser().parse(Source(data))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (workbook([]), "no-text"),
        (b"PK\x03\x04", "damaged"),
        (changed(workbook([["a"]]), "xl/workbook.xml", lambda _: b"<"), "damaged"),
    ],
)
def test_a_workbook_that_cannot_be_read_says_why(data, code):
    with pytest.raises(UnreadableError) as caught:
        ExcelParser().parse(Source(data))
    assert caught.value.code == code


words = st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=20).filter(
    lambda text: not text.startswith("=")
)
values = st.one_of(
    st.none(),
    words,
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)


@settings(deadline=None)
@given(st.lists(st.lists(values, max_size=6), max_size=12))
def test_any_sheet_gives_its_rows_and_true_locators(rows):
    filled = [
        number
        for number, row in enumerate(rows, start=1)
        if any(shown_value(v, None) for v in row if v is not None)
    ]
    data = workbook(rows)
    if not filled:
        with pytest.raises(UnreadableError, match="no text"):
            ExcelParser().parse(Source(data))
        return
    sections = ExcelParser().parse(Source(data)).sections
    # Tables that stand side by side have a section each.
    assert sorted({block.position for section in sections for block in section.blocks}) == filled
    for section in sections:
        for chunk in StructureChunker(2, 8).chunks([section]):
            where = chunk.locator
            assert section.text[where.start_char : where.end_char] == chunk.text
            assert where.first_row <= where.last_row


def sections(rows, merged=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    made = io.BytesIO()
    book.save(made)
    return ExcelParser().parse(Source(made.getvalue())).sections


def answers(section):
    (chunk,) = StructureChunker(200, 500).chunks([section])
    units = units_of(chunk.text, chunk.context)
    places = [chunk.locator.narrowed(chunk.text, unit.start, unit.end) for unit in units]
    return [
        (place.first_row, place.last_row, unit.line)
        for place, unit in zip(places, units, strict=True)
        if unit.cells
    ]


def test_merged_names_stand_over_each_of_their_columns():
    rows = [["Course", "Visitors", None, "Led by"], [None, 2022, 2023, None], ["Pottery", 18, 23, "Ana"]]
    (section,) = sections(rows, ["A1:A2", "B1:C1", "D1:D2"])
    assert section.context == "| Course | Visitors 2022 | Visitors 2023 | Led by |"
    assert answers(section) == [(3, 3, "Course: Pottery; Visitors 2022: 18; Visitors 2023: 23; Led by: Ana")]


def test_a_merged_name_in_the_last_row_of_a_head_is_of_each_of_its_columns():
    names = ["Week", "Mon", None, "Tue", None, "Notes"]
    (section,) = sections(
        [names, [1, 14, "sail", 15, "row"], [2, 21, None, 22, "swim"]], ["B1:C1", "D1:E1", "F1:H1"]
    )
    assert section.context == "| Week | Mon | Mon | Tue | Tue | Notes |"
    assert [line for _, _, line in answers(section)] == [
        "Week: 1; Mon: 14; Mon: sail; Tue: 15; Tue: row",
        "Week: 2; Mon: 21; Tue: 22; Tue: swim",
    ]


def test_a_title_of_several_cells_names_nothing():
    title = ["Plan", None, "Begins:", datetime.date(2024, 1, 1), "Annex 2"]
    names = ["Work", None, "Days", "After", "Ends", "Who", "Done"]
    first, second = sections(
        [title, [], names, [1, "Sand", 3, "permit", 4, "Ana"], [2, "Paint", 2, "Sand", 5]]
    )
    assert (first.context, second.context) == ("", "| Work |  | Days | After | Ends | Who | Done |")
    assert first.text == "Plan |  | Begins: | 2024-01-01 | Annex 2"


def test_a_form_above_a_table_hides_no_names_of_its_columns():
    form = [["Invoice", "2024-17", None, "Date", datetime.date(2024, 3, 1)], ["Customer", "Ann"], []]
    first, second = sections([*form, ["Item", "Count", "Price"], ["Rope", 2, 12.5], ["Oar", 1, 30]])
    assert (first.context, first.text) == ("", "Invoice | 2024-17 |  | Date | 2024-03-01\nCustomer | Ann")
    assert answers(second) == [
        (5, 5, "Item: Rope; Count: 2; Price: 12.5"),
        (6, 6, "Item: Oar; Count: 1; Price: 30"),
    ]


def test_what_stands_in_several_rows_is_of_each():
    rows = [
        ["Pier", "Boat", "Length"],
        ["North", "Heron", 9],
        [None, "Tern", 7],
        ["South", "Gull", 6],
        [None, "Ibis", 5],
    ]
    (section,) = sections(rows, ["A2:A3"])
    assert [line for _, _, line in answers(section)] == [
        "Pier: North; Boat: Heron; Length: 9",
        "Pier: North; Boat: Tern; Length: 7",
        "Pier: South; Boat: Gull; Length: 6",
        "Boat: Ibis; Length: 5",
    ]


def test_a_title_of_two_cells_is_no_head_and_a_new_head_takes_over():
    rows = [
        ["In euros", None, None, "All of 2023"],
        ["Stall", "Sales", "Costs", "Profit"],
        ["Cheese", 9, 4, 5],
        [],
        ["Crew"],
        ["Person", "Hours"],
        ["Ana", 12],
    ]
    first, second = sections(rows)
    assert (first.context, second.context) == ("| Stall | Sales | Costs | Profit |", "| Person | Hours |")
    assert (second.locator.part, second.locator.first_row, second.locator.last_row) == (1, 5, 7)
    assert answers(first) == [(3, 3, "Stall: Cheese; Sales: 9; Costs: 4; Profit: 5")]
    assert answers(second) == [(7, 7, "Person: Ana; Hours: 12")]


def test_a_sheet_of_names_and_values_has_no_head():
    (section,) = sections([["Owner", "Marta"], ["Berth", "A3"]])
    assert section.context == ""


def test_rows_between_empty_ones_are_placed_as_far_as_can_be_told():
    (section,) = sections([["Boats"], [], ["Name", "Length"], ["Kestrel", 21.5], ["Heron", 9]])
    assert [row[:2] for row in answers(section)] == [(3, 4), (4, 5)]


def test_a_row_of_groups_and_a_bar_in_a_cell_move_no_columns():
    (section,) = sections([["Kind", "Work", "Hours"], ["Roof"], [None, "read|write", 3]])
    assert [row[2] for row in answers(section)] == ["Kind: Roof", "Roof; Work: read | write; Hours: 3"]


@pytest.mark.parametrize(
    "names",
    [
        ["Current", "1 - 30", "31 - 60", "61+"],
        ["Total", "Jan 2023", "2023-02-01", "2023-03-01"],
        ["Total", *(datetime.datetime(2023, month, 1) for month in (1, 2, 3))],
    ],
)
def test_days_and_ranges_name_columns_and_titles_stand_above_every_row(names):
    titles = [["Harbour club"], ["As of May 31, 2025"], []]
    rows = [*titles, [None, *names], ["Ann", 12.5, 0, 7, 1], ["Bo", 9, 1, 2, 3]]
    section = ExcelParser().parse(Source(workbook(rows))).sections[0]
    shown = [str(name).removesuffix(" 00:00:00") for name in names]
    assert section.context == f"|  | {' | '.join(shown)} |"
    assert section.heading_path[1:] == ("Harbour club, As of May 31, 2025",)


def test_tables_side_by_side_are_two():
    rows = [
        ["Spent", None, None, "Given"],
        ["Item", "Total", None, "Giver", "Kind", "Amount"],
        ["Bread", 5, None, "Ann", "cash", 50],
        ["Rope", 7, None, "Bo", "cheque", 20],
        ["Paint", 9],
        ["Oars", 4],
    ]
    sections = ExcelParser().parse(Source(workbook(rows))).sections
    assert [section.context for section in sections] == ["| Item | Total |", "| Giver | Kind | Amount |"]
    assert sections[0].text.endswith("Rope | 7\nPaint | 9\nOars | 4")
    assert sections[1].text == "Given\nGiver | Kind | Amount\nAnn | cash | 50\nBo | cheque | 20"
    assert (sections[1].locator.first_row, sections[1].locator.last_row) == (1, 4)
    spaced = [
        ["Item", "Total", None, "Note", "By"],
        ["Bread", 5, None, "stale", "Ann"],
        ["Rope", 7],
        ["Oars", 4, None, "new", "Bo"],
    ]
    assert len(ExcelParser().parse(Source(workbook(spaced))).sections) == 1
