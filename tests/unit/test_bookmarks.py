"""Bookmarks as Chrome and Firefox export them; the files are written to the letter of the formats."""

import json
import sys
from datetime import date
from pathlib import Path

import lz4.block
import pytest
from hypothesis import given
from hypothesis import strategies as some

from bob.core.errors import MissingExtraError, UnreadableError, UsageError
from bob_formats.bookmarks import MAGIC, decompressed, read_bookmarks

FILES = Path(__file__).parents[1] / "data" / "imports"
OIL, PAPER, INK = (
    "https://press.example/oil?unit=1&view=all",
    "https://paper.example/weights_(gsm)",
    "https://ink.example/",
)
MAY, JULY = date(2024, 5, 1), date(2024, 7, 1)


def rows(name, form=None):
    found = read_bookmarks((FILES / name).read_bytes(), form)
    return [(each.address, each.title, " / ".join(each.folder), each.added) for each in found]


def test_the_html_of_chrome():
    assert rows("chrome.html") == [
        (OIL, "Oiling & greasing [guide]", "Bookmarks bar", MAY),
        (PAPER, "Weights", "Bookmarks bar / Paper", JULY),
        ("javascript:void(prompt('%22',document.title))", "Share this", "Bookmarks bar / Paper", JULY),
        ("file:///C:/Shelf/Press%20manual.pdf", "Press manual", "Bookmarks bar", JULY),
        ("chrome://flags/", "Experiments", "", JULY),
        (INK, "Tinta — loja", "", JULY),
    ]


def test_the_html_of_firefox():
    found = read_bookmarks((FILES / "firefox.html").read_bytes())
    assert rows("firefox.html") == [
        (INK, "Tinta — loja", "", JULY),
        (PAPER, "Weights", "Paper", JULY),
        ("place:type=6&sort=14&maxResults=10", "Recent tags", "Paper", None),
        (OIL, "Oiling", "Bookmarks Toolbar", MAY),
    ]
    assert found[0].tags == ("ink", "shop")
    assert [each.note for each in found] == ["Where the soy ink comes from. Delivers on Mondays.", "", "", ""]


def test_the_file_of_chrome():
    assert rows("chrome.json") == [
        (OIL, "Oiling & greasing [guide]", "Bookmarks bar", MAY),
        (PAPER, "Weights", "Bookmarks bar / Paper", JULY),
        (INK, "Tinta — loja", "Other bookmarks", JULY),
    ]


def test_the_backup_of_firefox():
    assert rows("firefox.json") == [
        (INK, "Tinta — loja", "Bookmarks menu", JULY),
        (PAPER, "Weights", "Bookmarks menu / Paper", JULY),
        ("place:type=6&sort=14&maxResults=10", "Recent tags", "Bookmarks menu / Paper", JULY),
        (OIL, "Oiling", "Bookmarks toolbar", MAY),
    ]
    first = read_bookmarks((FILES / "firefox.json").read_bytes())[0]
    assert (first.tags, first.note) == (("ink", "shop"), "Where the soy ink comes from.")


def packed(content):
    return MAGIC + len(content).to_bytes(4, "little") + lz4.block.compress(content, store_size=False)


def test_the_packed_backup_of_firefox_is_the_same():
    content = (FILES / "firefox.json").read_bytes()
    assert read_bookmarks(packed(content)) == read_bookmarks(content)


@given(
    some.lists(some.binary(max_size=30) | some.sampled_from([b"a" * 300, b"ab" * 99]), max_size=30).map(
        b"".join
    )
)
def test_what_is_packed_is_unpacked(content):
    assert decompressed(packed(content)) == content


@given(some.binary(max_size=60), some.integers(0, 200))
def test_a_damaged_pack_is_told_as_such(data, size):
    try:
        assert len(decompressed(MAGIC + size.to_bytes(4, "little") + data)) == size
    except UsageError as error:
        assert "damaged" in str(error)


@pytest.mark.parametrize(
    ("data", "form", "message"),
    [
        (b"Just a text.", None, "unknown bookmark format"),
        (b"<html><body>no links</body></html>", None, "the file has no links"),
        (b'{"a": 1}', None, "not a bookmark file of Firefox"),
        (b'{"roots": 1}', None, "not a bookmark file of Chrome"),
        (b'{"roots": {}}', "firefox", "not a bookmark file of Firefox"),
        (b"{broken", "chrome", "not valid JSON"),
        (b"[" * 100_000, "chrome", "not valid JSON"),
        (MAGIC + b"\x10\0\0\0\xff", None, "damaged .jsonlz4"),
    ],
)
def test_what_is_no_export_is_refused(data, form, message):
    with pytest.raises(UsageError, match=message):
        read_bookmarks(data, form)


def test_what_is_no_text_is_refused():
    with pytest.raises(UnreadableError):
        read_bookmarks(b"SQLite format 3\0\x10\0\x01\x01\0")


def test_an_export_of_nothing_is_nothing():
    assert read_bookmarks(b'{"roots": {"other": {"children": []}}}') == []
    assert read_bookmarks(b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n</DL>") == []


def test_folders_may_be_nested_as_deep_as_anybody_likes():
    node = {"uri": INK, "title": "deep", "type": "text/x-moz-place"}
    for _ in range(300):
        node = {"title": "f", "children": [node]}
    (found,) = read_bookmarks(json.dumps(node).encode())
    assert len(found.folder) == 300
    html = "<dl>" + "<dt><h3>f</h3><dl>" * 2000 + f'<dt><a href="{INK}">deep</a>'
    (found,) = read_bookmarks(html.encode())
    assert len(found.folder) == 2000


@given(some.text(alphabet='<>/DLATH3R"= ref\n&;éx', max_size=200))
def test_any_html_is_read_somehow(text):
    for each in read_bookmarks(f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{text}".encode()):
        assert each.address and each.title == " ".join(each.title.split())


@pytest.mark.parametrize("moment", ["1714521600", "1714521600000", "1714521600000000"])
def test_moments_in_other_units_are_understood(moment):
    html = f'<dl><dt><a href="{INK}" ADD_DATE="{moment}">x</a></dl>'
    assert read_bookmarks(html.encode())[0].added == MAY
    wrong = html.replace(moment, "9" * 40)
    assert read_bookmarks(wrong.encode())[0].added is None


def test_without_its_library_a_compressed_backup_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "lz4.block", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'boring-organizer-bot\[firefox\]'"):
        read_bookmarks(packed(b"{}"))
    assert read_bookmarks(b'{"children": []}') == []
