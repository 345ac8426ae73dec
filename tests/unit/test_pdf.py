from pathlib import Path

import pypdf
import pypdfium2 as pdfium
import pytest
from drawn_pdf import LOGO, SCAN, drawn_pdf, paragraph, table
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.units.unit import cut
from bob.core.errors import UnreadableError
from bob.documents.formats.pdf.layout import Line, page_text
from bob.documents.formats.pdf.parser import PdfParser
from bob.documents.formats.pdf.running import without_running_lines
from bob.documents.formats.pdf.tables import Cell, cells_of, table_text
from bob.documents.formats.source import LocalFile
from bob.documents.part_view import quote_boxes

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
    first, *others = [section.text for section in parse(PARTS / "rules.pdf").sections]
    text = "\n".join(others)
    assert first.startswith("Harbour rules\n\n")
    assert "Harbour rules" not in text
    assert "Page" not in text


def test_limits_are_kept_and_told():
    document = PdfParser(max_pages=2).parse(LocalFile(PARTS / "rules.pdf"))
    assert [section.locator.page for section in document.sections] == [1, 2]
    assert document.left_out == ("page 3 is left out: the document is too long",)


def test_pages_without_text_beside_others_are_named(tmp_path):
    pages = [paragraph("The lease begins in May."), SCAN, *[paragraph(FULL, FULL, FULL)] * 3, SCAN, SCAN]
    document = parse(drawn_pdf(tmp_path / "a.pdf", *pages))
    assert document.left_out == ("pages 2, 6 and 7 have no text (scanned?)",)


def test_a_scanned_page_with_a_stamp_has_no_text(tmp_path):
    words = ("alder", "birch", "cedar", "elder")
    pages = [[*paragraph(f"The {word} grows here."), (72, 30, f"Bates {n}")] for n, word in enumerate(words)]
    stamped = f"{SCAN} BT /regular 11 Tf 72 30 Td (Bates 4) Tj ET"
    document = parse(drawn_pdf(tmp_path / "a.pdf", *pages, stamped))
    assert len(document.sections) == 4
    assert document.left_out == ("page 5 has no text (scanned?)",)


@pytest.mark.parametrize("page", ["", LOGO, "72 760 m 500 760 l S 0 0 595 842 re f", " "])
def test_a_page_that_shows_nothing_to_read_is_no_loss(tmp_path, page):
    assert parse(drawn_pdf(tmp_path / "a.pdf", paragraph("The lease begins in May."), page)).left_out == ()


def test_letters_that_are_drawn_as_shapes_have_no_text(tmp_path):
    letter = "".join(f"{x} {700 + x % 7} m {x + 4} 706 l {x + 9} 700 l h f " for x in range(72, 500, 10))
    document = parse(drawn_pdf(tmp_path / "a.pdf", paragraph("The lease begins in May."), letter))
    assert document.left_out == ("page 2 has no text (scanned?)",)


def test_files_in_a_pdf_are_named_but_not_the_data_of_an_invoice(tmp_path):
    with pdfium.PdfDocument(
        drawn_pdf(tmp_path / "a.pdf", paragraph("Invoice 12 over 900 euros."))
    ) as document:
        for name in ("factur-x.xml", "logo.png", "hours.xlsx"):
            document.new_attachment(name).set_data(b"data")
        document.save(tmp_path / "b.pdf")
    assert parse(tmp_path / "b.pdf").left_out == ("attached file hours.xlsx is not read",)


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
    assert kept[:2] == [["text a", "Total 12"], ["text b"]]
    assert without_running_lines(pages[:2]) == pages[:2]


def texts(path):
    return [section.text for section in parse(path).sections]


def kinds(path):
    return [[block.kind for block in section.blocks] for section in parse(path).sections]


def said(text):
    (units, _), *_ = cut([(text, "")])
    return [unit.said for unit in units]


FULL = "The harbour office keeps a list of all boats that lie at the pier over the winter"


def test_rows_of_a_table_are_lines_with_bars_between_their_cells(tmp_path):
    prices = table(("Cider", "5.00"), ("Plum brandy", "5.00"), ("Rhubarb soda", "3.50"), xs=(72, 460))
    path = drawn_pdf(tmp_path / "a.pdf", [*paragraph("Prices"), *prices])
    (text,) = texts(path)
    assert text == "Prices\n\nCider | 5.00\nPlum brandy | 5.00\nRhubarb soda | 3.50"
    assert "Plum brandy | 5.00" in said(text)
    (box,) = quote_boxes(path.read_bytes(), 1, "Plum brandy | 5.00")[:1]
    assert 0.1 < box[0] < 0.2


def test_rows_written_cell_by_cell_name_their_columns_also_where_a_cell_is_empty(tmp_path):
    rows = (
        ("Boat", "Berth", "Length", "Owner"),
        ("Heron", "A3", "9.2 m", "Piet"),
        ("Swift", "", "5.1 m", "Ada"),
        ("", "B7", "6.4 m", ""),
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", table(*rows)))
    assert text.split("\n")[2:] == ["| Swift |  | 5.1 m | Ada |", "|  | B7 | 6.4 m |  |"]
    assert "Boat: Swift; Length: 5.1 m; Owner: Ada" in said(text)
    assert kinds(tmp_path / "a.pdf") == [["table"]]


def test_a_cell_of_two_lines_is_one_cell(tmp_path):
    rows = table(
        ("Heron", "repaired after", "9.2 m"), ("", "the storm", ""), ("Swift", "new", "5.1 m"), pitch=13
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", rows))
    assert text == "Heron | repaired after the storm | 9.2 m\nSwift | new | 5.1 m"


def test_cells_of_several_lines_are_whole_in_their_row_and_name_their_columns(tmp_path):
    names = [
        *paragraph("Boat"),
        *paragraph("Berth on", "the quay", x=200),
        *paragraph("Due in", "full", x=330),
    ]
    heron = [
        *paragraph("Heron", y=724),
        *paragraph("A3, where the old", "lanterns hang above", "the stairs", x=200, y=731),
        *paragraph("120.00", x=330, y=724),
    ]
    swift = [
        *paragraph("Swift of", "Dalby", y=688),
        *paragraph("B7", x=200, y=688),
        *paragraph("90.00", x=330, y=688),
    ]
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", [*names, *heron, *swift]))
    assert text.split("\n") == [
        "Boat | Berth on the quay | Due in full",
        "Heron | A3, where the old lanterns hang above the stairs | 120.00",
        "Swift of Dalby | B7 | 90.00",
    ]
    assert "Boat: Swift of Dalby; Berth on the quay: B7; Due in full: 90.00" in said(text)


def test_a_name_of_two_lines_beside_cells_in_the_middle_of_its_row_is_one_cell(tmp_path):
    rows = []
    for y, names in ((700, ("Maria of", "the Lakes")), (664, ("Swift of", "Dalby"))):
        rows += [*paragraph(*names, y=y), *table(("", "B7", "90.00", "Ada"), y=y - 7)]
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", rows))
    assert text == "Maria of the Lakes | B7 | 90.00 | Ada\nSwift of Dalby | B7 | 90.00 | Ada"


def test_a_sentence_goes_on_in_a_line_whose_wide_gaps_justify_it(tmp_path):
    full = "The pier is closed to carts until the old crane is down. It is"
    words = [(72, 746, "for members to"), (230, 746, "read the"), (321.4, 746, "notice")]
    pieces = [*paragraph(full), *words, *paragraph("board each week.", y=732)]
    assert texts(drawn_pdf(tmp_path / "a.pdf", pieces)) == [
        f"{full} for members to read the notice board each week."
    ]


def test_numbers_and_names_too_close_for_a_gap_are_each_in_their_column():
    rows = [
        [Cell("North", 200, 230), Cell("South Isle", 258, 330)],
        [Cell("Spring", 72, 110), Cell("4.12", 200, 225), Cell("11.25", 255, 285), Cell("0.99", 310, 330)],
        [Cell("Autumn", 72, 110), Cell("1114.80 1494.22", 192, 285), Cell("1.50", 310, 330)],
        [Cell("Winter", 72, 110), Cell("3.05", 200, 225), Cell("1 200", 250, 285), Cell("0.15", 310, 330)],
    ]
    assert table_text(rows)[0].split("\n") == [
        "|  | North | South | Isle |",
        "| Spring | 4.12 | 11.25 | 0.99 |",
        "| Autumn | 1114.80 | 1494.22 | 1.50 |",
        "| Winter | 3.05 | 1 200 | 0.15 |",
    ]


@pytest.mark.parametrize(("label", "first"), [("", ""), ("Quay", "Quay")])
def test_names_above_several_columns_stand_before_the_name_of_each(tmp_path, label, first):
    xs = (72, 180, 240, 310, 370, 430)
    upper = [(72, 718, label)] * bool(label) + [(205, 718, "Berths"), (365, 718, "Lockers")]
    rows = table(
        ("", "2023", "2024", "old", "new", "all"),
        ("North", "12", "14", "30", "9", "39"),
        ("South", "7", "8", "11", "2", "13"),
        xs=xs,
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", [*upper, *rows]))
    names = ["Berths 2023", "Berths 2024", "Lockers old", "Lockers new", "Lockers all"]
    assert text.split("\n")[0].strip("| ") == " | ".join([first, *names]).strip("| ")
    quay = f"{first}: South" if first else "South"
    values = zip(names, ("7", "8", "11", "2", "13"), strict=True)
    assert "; ".join([quay, *(f"{name}: {value}" for name, value in values)]) in said(text)


def test_a_row_without_values_below_names_is_no_second_level(tmp_path):
    rows = table(
        ("Boat", "Length", "Depth"), ("Swift", "n/a", "n/a"), ("Heron", "9", "2"), ("Tern", "5", "1")
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", rows))
    assert text.split("\n")[:2] == ["Boat | Length | Depth", "Swift | n/a | n/a"]


def test_the_sign_of_a_currency_goes_with_its_amount(tmp_path):
    rows = table(
        ("Locker", "Deposit", "", "Rent", ""),
        ("North", "£", "1,800.00", "£", "180.00"),
        ("South", "£", "95.00", "£", "-"),
        xs=(72, 200, 260, 340, 400),
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", rows))
    assert text == "Locker | Deposit | Rent\nNorth | £1,800.00 | £180.00\nSouth | £95.00 | £-"


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (("Rent", "R$", "40,00"), ["Rent", "R$40,00"]),
        (("Rent", "£", "1,800.00 £", "180.00"), ["Rent", "£1,800.00", "£180.00"]),
        (("Rent", "40 $", "35 $"), ["Rent", "40 $", "35 $"]),
        (("Currency", "£", "Amount"), ["Currency", "£", "Amount"]),
    ],
)
def test_a_sign_behind_an_amount_is_that_amounts_unless_it_stands_before_another(cells, read):
    parts = [Cell(text, 72.0 + 90 * at, 100.0 + 90 * at) for at, text in enumerate(cells)]
    assert [cell.text for cell in cells_of(parts)] == read


def test_columns_of_text_side_by_side_are_no_row(tmp_path):
    left = paragraph("The pier is closed to all", "carts until the crane is", "taken down again.", y=700)
    right = paragraph(
        "Boats of members may be", "moored at the old quay", "as long as it takes.", x=320, y=700
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", [*left, *right]))
    assert "|" not in text


def test_a_title_above_rows_is_no_part_of_their_first_cell(tmp_path):
    rows = [
        *paragraph("Moorings", y=714),
        *table(("Heron", "A3", "120.00"), ("Swift", "B7", "90.00"), pitch=14),
    ]
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", rows))
    assert "Moorings" in text.split("\n")
    assert "Heron | A3 | 120.00" in text


def test_a_number_or_a_label_before_a_gap_is_no_cell(tmp_path):
    pieces = table(("2.1", "Duties of the board"), xs=(72, 120)) + table(
        ("When:", "Saturday at noon"), ("Where:", "At the pier"), xs=(72, 160), y=600
    )
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", pieces))
    assert text == "2.1 Duties of the board\n\nWhen: Saturday at noon\nWhere: At the pier"


def test_wide_spaces_of_justified_text_are_no_gaps(tmp_path):
    words = ["The", "pier", "is", "closed", "today"]
    justified = [(72 + 90 * number, 700, word) for number, word in enumerate(words)]
    apart = [
        (72 + 6 * number + 5.5 * sum(map(len, words[:number])), 680, word)
        for number, word in enumerate(words)
    ]
    (text,) = texts(drawn_pdf(tmp_path / "a.pdf", [*apart, *paragraph(FULL, y=660)]))
    assert "|" not in text
    assert "|" in texts(drawn_pdf(tmp_path / "b.pdf", justified))[0]


def test_a_line_with_a_gap_inside_is_a_line_of_its_own():
    lines = [
        Line(f"{name} 5.00", 626 - 20 * at, 49, 498, 11) for at, name in enumerate(("Cider", "Wine", "Tea"))
    ]
    assert page_text(lines)[0] == "Cider 5.00\nWine 5.00\nTea 5.00"


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_text_is_read_alike_however_the_page_is_turned(tmp_path, rotation):
    path = drawn_pdf(tmp_path / "a.pdf", table(("Heron", "9.2 m"), ("Swift", "5.1 m")), rotation=rotation)
    assert "9.2 m" in texts(path)[0]


def test_a_heading_stands_alone_by_its_size_also_where_the_page_enlarges_a_font_of_one_point(tmp_path):
    pieces = [
        *paragraph("Tides", font="scaled", size=16),
        *paragraph(FULL, "and reads the gauge.", y=744, font="scaled"),
    ]
    assert texts(drawn_pdf(tmp_path / "a.pdf", pieces)) == [f"Tides\n\n{FULL} and reads the gauge."]


@pytest.mark.parametrize("font", ["bold", "italic"])
def test_a_heading_in_bold_or_slanted_letters_stands_alone(tmp_path, font):
    pieces = [*paragraph("Background", font=font), *paragraph(FULL, "and reads the gauge.", y=746)]
    assert texts(drawn_pdf(tmp_path / "a.pdf", pieces)) == [f"Background\n\n{FULL} and reads the gauge."]


def test_a_sentence_that_a_pages_end_cuts_is_whole_on_the_page_where_it_begins(tmp_path):
    path = drawn_pdf(
        tmp_path / "a.pdf",
        [
            *paragraph("The office is shut in May.", y=790),
            *paragraph(FULL, FULL.lower().replace("list", "book")),
        ],
        paragraph("and sends the bill in March. The rest is due at once."),
    )
    first, second = texts(path)
    assert first.endswith("over the winter and sends the bill in March.")
    assert second == "The rest is due at once."
    assert quote_boxes(path.read_bytes(), 1, said(first)[-1])
    assert [section.locator.end_char for section in parse(path).sections] == [len(first), len(second)]


def test_a_word_that_a_pages_end_cuts_is_whole(tmp_path):
    path = drawn_pdf(
        tmp_path / "a.pdf",
        paragraph(FULL, "and they are all in the har-"),
        paragraph("bour. The rest is not."),
    )
    assert texts(path)[0].endswith("in the harbour.")


@pytest.mark.parametrize("following", ["Fees", "• first item of the list", "2. Duties"])
def test_what_does_not_go_on_overleaf_stays(tmp_path, following):
    path = drawn_pdf(tmp_path / "a.pdf", paragraph(FULL, "and so on"), paragraph(following))
    assert texts(path)[1] == following


def test_accents_that_are_set_apart_stand_on_their_letters(tmp_path):
    # "nao e permitido" with its accents drawn after the words, as LaTeX does.
    pieces = [(72, 700, "nao e permitido"), (78.5, 700, "˜"), (93.4, 700, "´")]
    path = drawn_pdf(tmp_path / "a.pdf", pieces)
    assert texts(path) == ["não é permitido"]
    assert quote_boxes(path.read_bytes(), 1, "não é permitido")


@pytest.mark.parametrize("bullet", ["°", "_"])
def test_items_are_items_whatever_their_bullets_look_like(tmp_path, bullet):
    lines = paragraph(f"{bullet} The pier is closed in winter", f"{bullet} The ferry sails at noon")
    path = drawn_pdf(tmp_path / "a.pdf", lines)
    assert said(texts(path)[0]) == ["The pier is closed in winter", "The ferry sails at noon"]
    assert quote_boxes(path.read_bytes(), 1, texts(path)[0])


def test_bookmarks_of_tags_are_no_headings(tmp_path):
    path = drawn_pdf(
        tmp_path / "a.pdf", paragraph("The pier opens at noon."), paragraph("It closes at dusk.")
    )
    writer = pypdf.PdfWriter(clone_from=path)
    tags = writer.add_outline_item(title="Structure Bookmarks", page_number=0)
    writer.add_outline_item(title="It opens at noon.", page_number=0, parent=tags)
    writer.write(path)
    sections = parse(path).sections
    assert [section.heading_path for section in sections] == [(), ()]


def test_a_printed_table_of_contents_is_no_text(tmp_path):
    contents = paragraph(
        "1. Fees of the pier .................... 2", "2. Boats . . . . . . . . . . . . . . iii"
    )
    path = drawn_pdf(tmp_path / "a.pdf", contents, paragraph("The fee is due in May ..... or later."))
    assert said(" ".join(texts(path))) == ["The fee is due in May ..... or later."]


def test_an_accent_without_a_letter_stays(tmp_path):
    assert texts(drawn_pdf(tmp_path / "a.pdf", [(72, 700, "run `bob ask` now")])) == ["run `bob ask` now"]


@pytest.mark.parametrize("numbers", [("1", "2", "3", "4"), ("iii", "iv", "v", "vi")])
def test_the_name_of_a_section_with_the_pages_number_is_a_running_line(tmp_path, numbers):
    names = ("Tides", "Tides", "Signals", "Flags")
    pages = [
        [*paragraph(f"{number}   {name}", y=810), *paragraph(f"In {word} words.", f"It has {word} parts.")]
        for number, name, word in zip(numbers, names, ("two", "five", "nine", "six"), strict=True)
    ]
    for text in texts(drawn_pdf(tmp_path / "a.pdf", *pages)):
        assert text.startswith("In ")


def test_numbered_titles_of_slides_are_no_running_lines(tmp_path):
    pages = [
        [
            *paragraph(f"{number} {title}", size=28, y=780),
            *paragraph(*(f"{title} {word}" for word in ("one", "two"))),
        ]
        for number, title in enumerate(("Tides", "Signals", "Flags", "Fees"), start=1)
    ]
    assert texts(drawn_pdf(tmp_path / "a.pdf", *pages))[2].startswith("3 Flags")


def test_a_letterhead_of_many_lines_is_left_out(tmp_path):
    head = paragraph(
        "Harbour office", "Pier 3", "Open in summer", "Closed in winter", "Ring twice", y=830, pitch=11
    )
    pages = [
        [*head, *paragraph(f"In {word} words.", f"It has {word} parts.", y=600)]
        for word in ("two", "five", "six", "ten")
    ]
    assert texts(drawn_pdf(tmp_path / "a.pdf", *pages))[1].startswith("In five words.")


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("CURRICU", "LARES", "CURRICULARES"),
        ("2/3", "Mehrheit", "2/3-Mehrheit"),
        ("Vorstands", "positionen", "Vorstandspositionen"),
        ("Ein", "und Ausgang", "Ein- und Ausgang"),
        ("see https://example.org/the", "guide.html", "see https://example.org/the-guide.html"),
    ],
)
def test_a_hyphen_at_a_lines_end_stays_where_it_is_the_words_own(first, second, joined):
    lines = [Line(first, 700, 72, 400, 11, hyphenated=True), Line(second, 686, 72, 200, 11)]
    assert page_text(lines)[0] == joined


def test_how_the_document_writes_a_word_elsewhere_decides_on_its_hyphen(tmp_path):
    lines = paragraph(
        "The dual-encoder is small. It is trained once a year, and then the dual-", "encoder is used."
    )
    assert texts(drawn_pdf(tmp_path / "a.pdf", lines))[0].endswith("the dual-encoder is used.")


def test_an_address_goes_on_in_the_next_line(tmp_path):
    lines = paragraph(
        "All of the rules are in the book at https://harbour.example.org/books/", "rules/winter.html for all."
    )
    assert (
        "https://harbour.example.org/books/rules/winter.html for all."
        in texts(drawn_pdf(tmp_path / "a.pdf", lines))[0]
    )


def test_an_address_in_an_item_goes_on_below_its_text():
    lines = [
        *column(
            "• Members of the harbour pay in the month of May of each year.",
            "• Use the form (https://harbour.",
        ),
        Line("example.org/form).", 672, 84, 180, 11),
    ]
    assert page_text(lines)[0].endswith("\n• Use the form (https://harbour.example.org/form).")


def test_lines_ended_on_purpose_stay_lines_but_not_before_a_small_letter(tmp_path):
    lines = [
        *paragraph(f"{FULL}.", f"{FULL}.", f"{FULL}."),
        *paragraph(
            "9:47 The pump stops in the engine room of the ferry",
            "10:05 The crew is warned",
            "by radio",
            y=600,
        ),
    ]
    text = texts(drawn_pdf(tmp_path / "a.pdf", lines))[0]
    assert text.endswith(
        "9:47 The pump stops in the engine room of the ferry\n10:05 The crew is warned by radio"
    )


@given(
    st.lists(
        st.builds(
            Line,
            st.text("aB1-.|´ /•", min_size=1).map(lambda text: " ".join(text.split()) or "a"),
            *[st.floats(-50, 900, allow_nan=False)] * 3,
            st.sampled_from([0.0, 1.0, 11.0, 30.0]),
            st.booleans(),
            st.booleans(),
            st.lists(
                st.builds(Cell, st.sampled_from(["a", "|", "1."]), *[st.floats(0, 600)] * 2), max_size=4
            ).map(tuple),
        ),
        max_size=12,
    )
)
def test_lines_anywhere_give_blocks_that_cover_the_text(lines):
    pages = without_running_lines([lines, lines, lines[::-1]])
    for page in [lines, *pages]:
        text, blocks = page_text(page)
        assert "\n\n".join(text[block.start : block.end] for block in blocks) == text


@pytest.mark.parametrize("text", ["www." * 60_000, "a´ " * 60_000, "a- " * 60_000, "a    b " * 30_000])
def test_a_very_long_line_is_read(tmp_path, text):
    assert texts(drawn_pdf(tmp_path / "a.pdf", [(0, 700, text, "regular", 0.1)]))


def test_a_drawing_of_many_labels_at_one_height_is_read():
    text, _ = page_text([Line("x", 800, 10 * number, 10 * number + 1, 5) for number in range(4_000)])
    assert text.count("x") == 4_000


def test_rows_that_differ_only_in_numbers_are_no_running_lines(tmp_path):
    keys = [(f"Locker {number:03}", f"key {number + 1000}", "3.50 EUR") for number in range(1, 41)]
    pages = [
        [*paragraph("Harbour club"), *table(("Locker", "Key", "Deposit"), *keys[first : first + 8])]
        for first in range(0, 40, 8)
    ]
    read = texts(drawn_pdf(tmp_path / "a.pdf", *pages))
    assert [locker for locker, *_ in keys if not any(locker in text for text in read)] == []
    assert all("Locker | Key | Deposit" in text for text in read)
    assert ["Harbour club" in text for text in read] == [True, False, False, False, False]


def test_the_number_of_a_page_is_left_out_and_what_else_its_line_says_stays_once(tmp_path):
    pages = [
        [
            *paragraph(f"In {word} words.", f"It has {word} parts."),
            *paragraph(f"Approved by the harbour board on 2013-03-26, page {number} of 4", y=40),
            *paragraph(f"Page {number} of 4", y=20),
        ]
        for number, word in enumerate(("two", "five", "nine", "six"), start=1)
    ]
    read = texts(drawn_pdf(tmp_path / "a.pdf", *pages))
    assert ["Approved by" in text for text in read] == [True, False, False, False]
    assert not any("Page" in text for text in read)


def test_a_running_line_that_stays_parts_no_sentence(tmp_path):
    foot = paragraph("Harbour club, confidential", y=30)
    pages = [[*paragraph(FULL, "and so"), *foot], *([*paragraph("on it goes."), *foot] for _ in range(2))]
    assert "and so on it goes." in texts(drawn_pdf(tmp_path / "a.pdf", *pages))[0]


def test_a_running_line_of_two_parts_is_left_out_also_close_above_columns_and_tables(tmp_path):
    head = [(72, 715, "The Harbour Gazette", "regular", 8), (420, 715, "Volume 12", "regular", 8)]
    left = paragraph("The pier is closed to", "all carts until", "the crane is down.", y=690)
    right = paragraph("Boats of members may", "be moored at the", "old quay till then.", x=320, y=690)
    rows = table(("", "North", "South"), ("Berths", "12", "40"), ("Lockers", "8", "25"), y=690)
    pages = [[*head, *left, *right]] * 3 + [[*head, *rows]]
    first, *others = texts(drawn_pdf(tmp_path / "a.pdf", *pages))
    assert "Gazette" in first
    assert not any("Gazette" in other for other in others)
    assert "| Berths | 12 | 40 |" in others[-1]
