import io
import zipfile
from pathlib import Path

import pytest

from bob.core.errors import UnreadableError
from bob.documents.formats.epub import EpubParser
from bob.documents.formats.html.markup import html_pieces
from bob.documents.formats.source import LocalFile

PARTS = Path(__file__).parent.parent / "data" / "parts"


class Source:
    def __init__(self, data):
        self.data = data

    def read_bytes(self):
        return self.data


def changed(changes):
    made = io.BytesIO()
    with zipfile.ZipFile(PARTS / "light.epub") as read, zipfile.ZipFile(made, "w") as write:
        for each in read.namelist():
            data = changes.get(each, read.read(each))
            if data is not None:
                write.writestr(each, data)
    return Source(made.getvalue())


def test_a_locked_book_says_that_it_is():
    with pytest.raises(UnreadableError) as caught:
        EpubParser().parse(LocalFile(PARTS / "locked.epub"))
    assert caught.value.code == "encrypted"
    assert "DRM" in caught.value.reason


@pytest.mark.parametrize("member", ["META-INF/container.xml", "OPS/nav.xhtml", "OPS/one a.xhtml"])
def test_a_missing_part_costs_only_what_it_held(member):
    document = EpubParser().parse(changed({member: None}))
    assert document.sections[-1].text.startswith("In spring the keeper painted")
    chapter = member.endswith("one a.xhtml")
    assert document.left_out == (('chapter "The Storm" is missing or damaged',) if chapter else ())


def test_a_book_that_is_too_long_says_where_it_ends():
    assert EpubParser(max_chars=10).parse(LocalFile(PARTS / "light.epub")).left_out == (
        'the chapters after "The Storm" are left out: the book is too long',
    )
    whole = EpubParser(max_chars=1_000).parse(LocalFile(PARTS / "light.epub"))
    assert whole.left_out == ()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"OPS/book.opf": None}, "damaged"),
        ({"OPS/book.opf": b"<package"}, "damaged"),
        ({"OPS/one a.xhtml": None, "OPS/two.xhtml": None}, "damaged"),
        ({"OPS/one a.xhtml": b"<html/>", "OPS/two.xhtml": b"<img src='a.png'/>"}, "no-text"),
    ],
)
def test_a_book_that_cannot_be_read_says_why(changes, code):
    with pytest.raises(UnreadableError) as caught:
        EpubParser().parse(changed(changes))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("markup", "pieces"),
    [
        ("<p>a <b>b</b>c<br>d", [("a bc\nd", "paragraph")]),
        ("<ul><li>x<ul><li>y</ul></ul>", [("- x", "list"), ("  - y", "list")]),
        ("<table><tr><td>1<td><p>2</p></table>", [("1 | 2", "table")]),
        ("<table><tr><td><h2>T</h2><p>a</p></td><td></td></table>", [("T", "heading"), ("a", "paragraph")]),
        ("<pre>  k\n v</pre>", [("  k\n v", "code")]),
        ("<style>p{}</style><script>x</script><title>t</title>", []),
        ("a\u200b\u00adb", [("ab", "paragraph")]),
        (
            "<ol start=3><li>x<li>y<ul><li>z</ul></ol>",
            [("3. x", "list"), ("4. y", "list"), ("  - z", "list")],
        ),
        (
            "<p>She<span epub:type='pagebreak'>12</span> left.<a epub:type='noteref' href='n#1'>1</a></p>",
            [("She left.", "paragraph")],
        ),
        (
            "<table><tr><th>Plan<th>Has</tr><tr><td>Basic<td><ul><li>mail</li> <li>files</ul></table>",
            [("Plan | Has\n|---|---|\nBasic | mail, files", "table")],
        ),
        ("<p style='display: none'>preview</p><p>Dear all</p>", [("Dear all", "paragraph")]),
        ("<p>One.<br><br>Two.</p>", [("One.", "paragraph"), ("Two.", "paragraph")]),
        ("", []),
    ],
)
def test_html_gives_its_visible_pieces(markup, pieces):
    assert [(each.text, each.kind) for each in html_pieces(markup)] == pieces


def test_what_follows_a_note_stands_under_the_heading_before_it():
    page = b"<h1>Storm</h1><p>It blew.</p><aside><h2>Winds</h2><p>Force nine.</p></aside><p>It ended.</p>"
    sections = EpubParser().parse(changed({"OPS/one a.xhtml": page})).sections
    assert [(section.heading_path, section.text) for section in sections[:3]] == [
        (("Storm",), "Storm\n\nIt blew."),
        (("Storm", "Winds"), "Winds\n\nForce nine."),
        (("Storm",), "It ended."),
    ]


def test_html_that_nests_without_end_is_read_or_left():
    assert len(html_pieces("<div>" * 20_000 + "a")) <= 1
