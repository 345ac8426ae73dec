from collections import Counter
from datetime import date
from email.message import EmailMessage
from pathlib import Path

import pytest
from drawn_pdf import SCAN, drawn_pdf, paragraph
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.units.chunk_units import ChunkText, cut_chunks
from bob.answers.units.spoken_units import cut_spoken
from bob.core.errors import UnreadableError
from bob.documents.formats.mail.parser import MailParser
from bob.documents.formats.plain import PlainParser
from bob.documents.formats.source import HeldFile
from bob.search.chunker import StructureChunker
from bob.text.turns import mail_turns

PARTS = Path(__file__).parent.parent / "data" / "parts"


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
    assert [section.heading_path for section in document.sections] == [("2024-05-17: A",), ("2024-05-15: B",)]
    assert document.source_date.value == date(2024, 5, 17)
    assert document.sections[1].locator.message == document.sections[1].locator.total_messages == 2


ARCHIVE = """\
From ann at boats.example  Mon Mar  3 09:00:00 2025
From: ann at boats.example (Ann Lee)
Date: Mon, 3 Mar 2025 09:00:00 +0000
Subject: [crew] Paint

Which paint do we take?

From bo at boats.example  Tue Mar  4 10:00:00 2025
From: bo at boats.example (Bo Chan)
Date: Tue, 4 Mar 2025 10:00:00 +0000
Subject: [crew] Paint

> Which paint do we take?

The red one from the shed.
-------------- next part --------------
An HTML attachment was scrubbed...
URL: <http://boats.example/attachment.html>
"""


def test_the_archive_of_a_list_is_a_mailbox():
    document = PlainParser().parse(HeldFile(Path("2025-March.txt"), ARCHIVE.encode()))
    assert document.source_type == "mail"
    assert [section.heading_path for section in document.sections] == [
        ("2025-03-03, Ann Lee: [crew] Paint",),
        ("2025-03-04, Bo Chan: [crew] Paint",),
    ]
    assert document.sections[1].text.startswith("From: Bo Chan <bo@boats.example>\n")
    assert document.sections[1].text.endswith("The red one from the shed.")
    notes = HeldFile(Path("a.txt"), b"From Monday at 9:00 on\nthe pier is open.\n")
    assert PlainParser().parse(notes).source_type == "plain"


def test_the_limit_of_messages_is_kept_and_told():
    mailbox = b"From a@b.c Fri May 17 09:30:00 2024\nSubject: A\n\nwords\n\n" * 5
    document = MailParser(max_messages=2).parse(Source(mailbox))
    assert len(document.sections) == 2
    assert document.left_out == ("messages 3 to 5 are left out: the mailbox is too long",)


def attached(*files):
    message = EmailMessage()
    message["Subject"] = "offer"
    message.set_content("The offer is attached.")
    for name, data in files:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def test_attachments_that_are_not_read_are_named(tmp_path):
    scan = drawn_pdf(tmp_path / "a.pdf", paragraph("The lease begins in May."), SCAN).read_bytes()
    document = parse(
        attached(
            ("plan.dwg", b"AC1032"),
            ("old.doc", b"\xd0\xcf"),
            ("all.mbox", b"From a"),
            ("lease.pdf", scan),
            ("scan.pdf", (PARTS / "scanned.pdf").read_bytes()),
            ("secret.asc", b"-----BEGIN PGP MESSAGE-----"),
            ("long.csv", b"room,person\n" + b"12,Ann\n" * 150_000),
        )
    )
    assert document.left_out == (
        "attachment plan.dwg is of no format that Bob reads",
        "attachment old.doc is not read (old Word format: save it as .docx)",
        "attachment all.mbox is not read (a mailbox within a mail)",
        "attachment lease.pdf: page 2 has no text (scanned?)",
        "attachment scan.pdf is not read (scanned: pictures of pages without text (2 pages))",
        "attachment secret.asc is of no format that Bob reads",
        "attachment long.csv: only the first 1,000,000 characters are read",
    )


def test_pictures_signatures_and_keys_are_not_missed():
    files = [("logo.png", b"x"), ("smime.p7s", b"x"), ("key.asc", b"-----BEGIN PGP PUBLIC KEY BLOCK-----")]
    assert parse(attached(*files)).left_out == ()


def test_in_a_mailbox_the_message_of_an_attachment_is_named():
    one = b"From a@b.c Fri May 17 09:30:00 2024\n" + attached(("plan.dwg", b"AC1032")) + b"\n"
    assert parse(one * 2).left_out == tuple(
        f"message {number}: attachment plan.dwg is of no format that Bob reads" for number in (1, 2)
    )


def test_a_message_that_is_too_long_is_cut():
    words = b"Subject: A\n\n" + b"many words in a line\n" * 250_000
    parts = "".join(f"--x\nContent-Type: text/plain\n\nword {number}\n" for number in range(600))
    mixed = f"Subject: A\nContent-Type: multipart/mixed; boundary=x\n\n{parts}--x--\n".encode()
    for data in (words, mixed):
        assert parse(data).left_out == ("the text is cut off: it is too long",)


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


HEAD = "From: Ann Lee <ann@example.org>\nDate: Mon, 3 Mar 2025 09:00:00 +0000\nSubject: paint\n\n"


def told(body, head=HEAD):
    """How each sentence of a mail is told, without those of its header."""
    document = parse((head + body).encode())
    chunks = [
        ChunkText(chunk.text, chunk.context, "mail") for chunk in StructureChunker().chunks(document.sections)
    ]
    said = [unit.said for units, _ in cut_chunks(chunks) for unit in units]
    return [line for line in said if not line.startswith(("From: Ann", "Date: Mon", "Subject: paint"))]


@pytest.mark.parametrize(
    ("attribution", "name"),
    [
        (
            "On Sun, Mar 2, 2025 at 8:00 AM Bo Chan <bo@example.org>\nwrote:",
            "On Sun, Mar 2, 2025 at 8:00 AM Bo Chan wrote",
        ),
        (
            "Em dom., 2 de mar. de 2025 às 8:00, Bo <bo@example.org> escreveu:",
            "Em dom., 2 de mar. de 2025 às 8:00, Bo escreveu",
        ),
        ("Am 02.03.25 um 08:00 schrieb Bo Chan:", "Am 02.03.25 um 08:00 schrieb Bo Chan"),
        ("Bo Chan wrote:", "Bo Chan wrote"),
        ("* Bo Chan <bo@example.org> [2025-03-02 08:00]:", "Bo Chan [2025-03-02 08:00]"),
    ],
)
def test_what_another_wrote_is_told_as_theirs(attribution, name):
    own = "I vote for the green paint."
    theirs = "> The red paint costs 30 pounds.\n> It dries fast, too.\n"
    expected = [own, f"{name}: The red paint costs 30 pounds.", f"{name}: It dries fast, too."]
    assert told(f"{own}\n\n{attribution}\n{theirs}") == expected
    assert told(f"{own}\n{attribution}\n\n{theirs}") == expected


@pytest.mark.parametrize(
    "header",
    [
        "From: Bo Chan <bo@example.org>\nSent: 2 March 2025 08:00\nTo: Ann Lee\nSubject: paint\n",
        "________________________________\nFrom: Bo Chan\nSent: 2 March 2025 08:00\nTo: Ann\nSubject: x\n",
        "-----Original Message-----\nFrom: Bo Chan\nDate: 2 March 2025 08:00\nTo: Ann Lee\n",
        "Von: Bo Chan\nGesendet: 2 March 2025 08:00\nAn: Ann\nCc: Cy <cy@example.org>\nBetreff: AW: x\n",
        "*De:* Bo Chan\n*Enviado:* 2 March 2025 08:00\n*Para:* Ann Lee\n*Assunto:* tinta\n",
    ],
)
def test_an_earlier_mail_below_its_header_is_told_as_its_senders(header):
    assert told(
        f"I vote for the green paint.\n\n{header}\nThe red paint costs 30 pounds.\n\nIt dries fast.\n"
    ) == [
        "I vote for the green paint.",
        "Bo Chan, 2 March 2025 08:00: The red paint costs 30 pounds.",
        "Bo Chan, 2 March 2025 08:00: It dries fast.",
    ]


@pytest.mark.parametrize(
    "cut",
    ["---------- cut here ----------", "--8<---------------cut here---------------start------------->8---"],
)
def test_a_sample_mail_ends_where_it_is_cut(cut):
    said = told(
        f"This is a sample.\n\n{cut}\nFrom: Bo Chan <bo@example.org>\nTo: all@example.org\nSubject: Paint\n\n"
        f"The red paint is cheap.\n\n{cut}\n\nI find the green paint nicer.\n"
    )
    assert "Bo Chan: The red paint is cheap." in said
    assert said[-1] == "I find the green paint nicer."


def test_the_rest_below_a_dated_attribution_is_quoted_without_marks():
    body = "I vote for the green paint.\n\nOn 2 Mar 2025, at 08:00, Bo Chan <bo@example.org> wrote:\n\n"
    name = "On 2 Mar 2025, at 08:00, Bo Chan wrote"
    assert told(f"{body}The red paint is cheap.\n\nIt dries fast.\n") == [
        "I vote for the green paint.",
        f"{name}: The red paint is cheap.",
        f"{name}: It dries fast.",
    ]


def test_a_journey_is_no_header_and_ones_own_words_stay_so():
    assert told("From: Leeds\nTo: York\nDate: 3 March\n\nThe train has a buffet car.\n") == [
        "From: Leeds",
        "To: York",
        "Date: 3 March",
        "The train has a buffet car.",
    ]
    assert told("This is what Bo wrote:\n\nThe train is late.\n")[-1] == "The train is late."


def test_marks_tell_authors_apart():
    body = "> > The gate code is 4471.\n> No, the code is 9920.\n\nThe gate has no code any more.\n"
    assert told("Bo Chan wrote:\n" + body) == [
        "Quoted: The gate code is 4471.",
        "Bo Chan wrote: No, the code is 9920.",
        "The gate has no code any more.",
    ]
    nested = (
        "Bo wrote:\n> Cy wrote:\n>> Use the blue door.\n> It is locked at night.\n\nI have a key for it.\n"
    )
    assert told(nested) == [
        "Cy wrote: Use the blue door.",
        "Bo wrote: It is locked at night.",
        "I have a key for it.",
    ]
    other = " > The red paint costs 30.\nNo, it does not.\n| Take the wide brush.\n"
    other += "Bo> The landlord pays it.\nHe never did so.\n"
    assert told(other) == [
        "Quoted: The red paint costs 30.",
        "No, it does not.",
        "Quoted: Take the wide brush.",
        "Bo: The landlord pays it.",
        "He never did so.",
    ]


def test_a_long_quotation_is_a_part_of_its_own_and_keeps_its_author_in_every_chunk():
    quoted = "".join(f"> The boat number {n} leaves the pier at noon.\n>\n" for n in range(120))
    document = parse(f"{HEAD}I agree with that.\n\nOn Monday Bo wrote:\n{quoted}".encode())
    own, long = document.sections
    assert "boat" not in own.text
    assert long.heading_path == ("paint", "On Monday Bo wrote")
    chunks = StructureChunker().chunks(document.sections)
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        ((units, _),) = cut_chunks([ChunkText(chunk.text, chunk.context, "mail")])
        assert {unit.under for unit in units} == {"On Monday Bo wrote"}


def test_quotations_of_html_have_their_author():
    head = HEAD.replace("Subject", "Content-Type: text/html\nSubject")
    gmail = (
        "<p>I vote for green paint.</p><div>On Sunday Bo &lt;bo@example.org&gt; wrote:</div>"
        "<blockquote><p>The red one is cheap.</p></blockquote>"
    )
    assert told(gmail, head) == ["I vote for green paint.", "On Sunday Bo wrote: The red one is cheap."]
    outlook = (
        "<p>I vote for green paint.</p><p><b>From:</b> Bo<br><b>Sent:</b> Sunday<br><b>Subject:</b> x</p>"
        "<p>The red one is cheap.</p>"
    )
    assert told(outlook, head) == ["I vote for green paint.", "Bo, Sunday: The red one is cheap."]


@pytest.mark.parametrize("mark", ["", "> "])
def test_what_signs_a_message_is_no_text(mark):
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe paint is dry by noon.\n"
        "-----BEGIN PGP SIGNATURE-----\nVersion: GnuPG v1\n\niQEzBAEBCAAdFiEE\n=7Ykz\n"
        "-----END PGP SIGNATURE-----\n"
        "The second coat follows.\n"
    )
    said = told("".join(f"{mark}{line}" for line in signed.splitlines(keepends=True)))
    assert [line.rpartition(": ")[2] for line in said] == [
        "The paint is dry by noon.",
        "The second coat follows.",
    ]


def test_the_lines_of_a_signature_stand_alone():
    body = "The cake is for Sunday.\n\nAnn\n-- \nAnn Lee, Bakers Guild\n\nTel. 020 555 0100\n"
    assert told(body) == ["The cake is for Sunday.", "Ann Lee, Bakers Guild", "Ann Lee: Tel. 020 555 0100"]


def test_html_behind_a_plain_part_that_says_nothing_is_read():
    html = "<p>The parcel with the <b>hinges</b> arrives on Friday.</p>"
    for plain in ("Your program cannot display this message.", "The parcel with hinges arrives on Friday."):
        message = EmailMessage()
        message["Subject"] = "order"
        message.set_content(plain)
        message.add_alternative(html, subtype="html")
        assert parse(message.as_bytes()).sections[0].text.count("hinges") == 1


def test_attachments_are_read_under_their_names():
    inner = EmailMessage()
    inner["From"], inner["Date"] = "Met Office <met@example.org>", "Sun, 2 Mar 2025 06:00:00 +0000"
    inner["Subject"] = "wind"
    inner.set_content("Gusts of 75 mph are expected.")
    outer = EmailMessage()
    outer["From"], outer["Subject"] = "Ann Lee <ann@example.org>", "Fwd: wind"
    outer.set_content("The office stays closed today.")
    outer.add_attachment(inner)
    outer.add_attachment("room,person\n12,Ann\n14,Bo\n", subtype="csv", filename="rooms.csv")
    outer.add_attachment(
        "<h1>Keys</h1><p>The key hangs behind the door.</p>", subtype="html", filename="keys.html"
    )
    outer.add_attachment(b"PK..", maintype="application", subtype="octet-stream", filename="lease.docx")
    outer.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="map.png")
    document = parse(outer.as_bytes())
    paths = [section.heading_path for section in document.sections]
    assert paths == [("Fwd: wind",), ("Fwd: wind", "rooms.csv"), ("Fwd: wind", "keys.html", "Keys")]
    assert [section.locator.part for section in document.sections] == [0, 1, 2]
    assert document.left_out == ("attachment lease.docx is not read (damaged, or not a Word file)",)
    said = told("", outer.as_string())
    assert "Met Office, Sun, 02 Mar 2025 06:00:00 +0000: Gusts of 75 mph are expected." in said
    assert "room: 12; person: Ann" in said


def test_messages_of_a_mailbox_state_their_day_and_sender():
    one = f"From a@b.c Mon Mar  3 09:00:00 2025\n{HEAD}The roof is dry.\n\n"
    document = parse((one + one).encode())
    assert {section.heading_path for section in document.sections} == {("2025-03-03, Ann Lee: paint",)}


@pytest.mark.parametrize(
    "body",
    [
        "> " * 500_000,
        "a" * 1_000_000 + ":",
        "From: " * 200_000,
        "-- \n\n" + "a\n\n" * 5_000,
        "On 1 " * 200_000 + "wrote:",
        "> a\n\nb wrote:\n" * 5_000,
    ],
    ids=["marks", "colon", "fields", "signature", "attribution", "replies"],
)
def test_long_lines_and_many_quotations_take_their_time_once(body):
    document = parse((HEAD + body).encode())
    chunks = StructureChunker().chunks(document.sections)
    assert cut_chunks([ChunkText(chunk.text, chunk.context, "mail") for chunk in chunks])


lines = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=80)


@settings(deadline=None)
@given(lines, st.lists(lines, max_size=10), st.sampled_from(["plain", "html"]))
def test_any_message_gives_its_words_and_true_locators(subject, body, subtype):
    message = EmailMessage()
    message["From"] = "a@example.org"
    message["Subject"] = " ".join(subject.split())
    message.set_content("\n".join(body), subtype=subtype)
    sections = parse(message.as_bytes()).sections
    if subtype == "plain":
        letters = Counter(c for section in sections for c in section.text if c.isalnum())
        assert Counter(c for c in "".join(body) if c.isalnum()) <= letters
    for chunk in StructureChunker(2, 8).chunks(sections):
        where = chunk.locator
        assert sections[where.part].text[where.start_char : where.end_char] == chunk.text
        cut_chunks([ChunkText(chunk.text, chunk.context, "mail")])


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


SIGNED = """\
From: Ann Lee <ann@boats.example>
Subject: Paint

On 3 March 2025, Bo Chan wrote:
> The red one from the shed.
> --
> Bo Chan, the shed, pier 4

Thanks, I take it.

-- 
Ann Lee

Boats of every kind
>>> Hulls and oars ...  http://boats.example/
>>> Paint and ropes ...  http://paint.example/
___________________________________________

::: We row in all waters :::
"""


def test_signatures_go_on_over_empty_lines_and_ornaments_and_are_lines_in_quotations_too():
    (section,) = parse(SIGNED.encode()).sections
    lines = {
        (turn.speaker, section.text[turn.start : turn.end].strip())
        for turn in mail_turns(section.text)
        if turn.is_line
    }
    own = {line for speaker, line in lines if speaker == "Ann Lee"}
    assert own >= {"Ann Lee", "Boats of every kind", "Hulls and oars ...  http://boats.example/"}
    assert ("On 3 March 2025, Bo Chan wrote", "Bo Chan, the shed, pier 4") in lines
    said = [section.text[turn.start : turn.end] for turn in mail_turns(section.text) if not turn.is_line]
    assert said == ["> The red one from the shed.", "Thanks, I take it."]


def test_lines_behind_marks_in_a_mail_are_no_code():
    text = "I saw:\n\n>>> Hulls and oars ...  http://boats.example/\n>>> Paint, ropes ...  http://paint.example/\n"
    [(units, _)] = cut_spoken([(text, "", "mail")])
    assert {unit.kind for unit in units} <= {"prose", "term"}
