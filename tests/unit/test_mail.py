from datetime import date
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.core.errors import UnreadableError
from bob.documents.mail import MailParser
from bob.search.chunker import StructureChunker


class Source:
    def __init__(self, data):
        self.data = data

    def read_bytes(self):
        return self.data


def parse(data):
    return MailParser().parse(Source(data))


def blocks(section):
    return [(block.kind, section.text[block.start : block.end]) for block in section.blocks]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "no-such-charset", "utf-16", "", "hex"])
def test_wrong_charsets_survive(charset):
    head = b"From: a@example.org\nContent-Type: text/plain; charset=" + charset.encode() + b"\n\n"
    assert parse(head + "Die Fähre fährt.".encode("cp1252")).sections
    assert "Kestrel" in parse(head.replace(b"utf-16", b"utf-8") + b"Kestrel").sections[0].text


def test_headers_that_break_the_rules_are_shown_as_far_as_they_go():
    data = b"From: =?utf-8?b?zzz\nSubject: F\xe4hre =?x-no?q?a?= \nDate: yesterday\nTo: <<>>,,\n\nBody"
    (section,) = parse(data).sections
    assert section.locator.subject.startswith("Fähre")
    assert parse(data).source_date is None


def test_an_attached_message_and_html_alone_are_read():
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("The inner words.")
    outer = EmailMessage()
    outer["Subject"] = "outer"
    outer.set_content("<p>The outer <i>words</i>.</p>", subtype="html")
    outer.add_attachment(inner)
    text = parse(outer.as_bytes()).sections[0].text
    assert "The outer words." in text
    assert "The inner words." in text


def test_a_mailbox_is_parted_and_dated_by_its_newest_message():
    one = b"From a@b.c Fri May 17 09:30:00 2024\nSubject: A\nDate: Fri, 17 May 2024 09:30:00 +0000\n\n"
    one += b"From here on.\n\n"
    two = b"From a@b.c Wed May 15 09:30:00 2024\nSubject: B\nDate: Wed, 15 May 2024 09:30:00 +0000\n\nwords\n"
    document = parse(one + two)
    assert [section.heading_path for section in document.sections] == [("A",), ("B",)]
    assert document.source_date.value == date(2024, 5, 17)
    assert document.sections[1].locator.message == document.sections[1].locator.total_messages == 2


def test_the_limit_of_messages_is_kept_and_told():
    mailbox = b"From a@b.c Fri May 17 09:30:00 2024\nSubject: A\n\nwords\n\n" * 5
    document = MailParser(max_messages=2).parse(Source(mailbox))
    assert len(document.sections) == 2
    assert document.extra["truncated"] == "read 2 of 5 messages"


def test_what_is_no_mail_is_damaged():
    with pytest.raises(UnreadableError) as caught:
        parse(b"Once upon a time there was no header.\n")
    assert caught.value.code == "damaged"


def test_replies_are_quotes():
    data = b"Subject: a\n\nYes.\n> No?\n>\n> Maybe?\nFine.\n\nOn Monday\nthe crew wrote:\n\n> Old\n"
    assert blocks(parse(data).sections[0])[1:] == [
        ("paragraph", "Yes."),
        ("quote", "> No?\n>\n> Maybe?"),
        ("paragraph", "Fine."),
        ("quote", "On Monday\nthe crew wrote:\n> Old"),
    ]


lines = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=80)


@settings(deadline=None)
@given(lines, st.lists(lines, max_size=10), st.sampled_from(["plain", "html"]))
def test_any_message_gives_its_words_and_true_locators(subject, body, subtype):
    message = EmailMessage()
    message["From"] = "a@example.org"
    message["Subject"] = " ".join(subject.split())
    message.set_content("\n".join(body), subtype=subtype)
    (section,) = parse(message.as_bytes()).sections
    if subtype == "plain":
        assert "".join("".join(body).split()) in "".join(section.text.split())
    for chunk in StructureChunker(2, 8).chunks([section]):
        where = chunk.locator
        assert section.text[where.start_char : where.end_char] == chunk.text


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_mail_or_unreadable(data):
    try:
        assert parse(b"Subject: a\n" + data).sections
        parse(data)
    except UnreadableError as error:
        assert error.code in ("damaged", "no-text")


@pytest.mark.parametrize(
    "data",
    [
        b"Subject: " + b"=?utf-8?q?a?= " * 100_000 + b"\n\nwords",
        b"Subject: a\nContent-Type: text/plain; " + b";" * 1_000_000 + b"\n\nwords",
        b"Subject: a\n"
        + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)),
        b"Subject: a\n" + b"Content-Type: message/rfc822\n\n" * 3000 + b"words",
    ],
    ids=["encoded words", "parameters", "nested parts", "nested messages"],
)
def test_headers_and_parts_without_end_are_bounded(data):
    (section,) = parse(data).sections
    assert section.text.startswith("Subject: a")
