import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.units.chunk_units import ChunkText, cut_chunks
from bob.core.errors import UnreadableError
from bob.documents.formats.config import ConfigParser
from bob.documents.formats.plain import PlainParser
from bob.documents.formats.source import HeldFile
from bob.documents.formats.transcripts import TranscriptParser
from bob.search.chunker import StructureChunker


def parse(text, name="chat.txt"):
    parser = {"json": ConfigParser, "srt": TranscriptParser, "vtt": TranscriptParser}.get(
        name.rpartition(".")[2], PlainParser
    )
    return parser().parse(HeldFile(Path(name), text.encode()))


def told(document, **sizes):
    chunks = StructureChunker(**sizes).chunks(document.sections)
    cut = cut_chunks([ChunkText(chunk.text, chunk.context, document.source_type) for chunk in chunks])
    return [unit.said for units, _ in cut for unit in units]


ANDROID = """\
12.03.25, 19:02 - Nachrichten sind verschlüsselt.
12.03.25, 19:05 - Ida Roth: Der Bus fährt um acht Uhr ab.
12.03.25, 19:15 - Ida Roth: <Medien ausgeschlossen>
14.03.25, 08:30 - +49 171 5550199: Die Burg kostet 180 Euro,
das sind 7 Euro pro Kind. Wir zahlen am Freitag.
"""


def test_each_sentence_of_a_chat_is_told_with_who_wrote_it_and_when():
    document = parse(ANDROID)
    assert document.source_type == "chat"
    assert document.source_date.value == date(2025, 3, 14)
    assert told(document) == [
        "Ida Roth, 2025-03-12 19:05: Der Bus fährt um acht Uhr ab.",
        "+49 171 5550199, 2025-03-14 08:30: Die Burg kostet 180 Euro, das sind 7 Euro pro Kind.",
        "+49 171 5550199, 2025-03-14 08:30: Wir zahlen am Freitag.",
    ]
    assert [section.heading_path for section in document.sections] == [("2025-03-12",), ("2025-03-14",)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        (
            "[14/03/2025, 08:30:11] Ida: The rent goes up.\n[14/03/2025, 08:31:00] Bo: Who says so?\n",
            14,
        ),
        (
            "[3/5/25, 8:30:11\u202fAM] Ida: The rent goes up.\n[3/6/25, 8:31:00\u202fAM] Bo: Who says so?\n",
            5,
        ),
        (
            "[05/03/25, 8:30:11 AM] Ida: The rent goes up.\n[06/03/25, 8:31:00 AM] Bo: Who says so?\n",
            5,
        ),
        ("14/03/2025 08:30 - Ida: The rent goes up.\n15/03/2025 08:31 - Bo: Who says so?\n", 14),
    ],
)
def test_the_day_of_a_message_is_read_in_the_order_of_its_chat(text, day):
    assert parse(text).sections[0].heading_path == (f"2025-03-{day:02}",)


def test_places_are_the_lines_of_the_file():
    document = parse(ANDROID)
    for chunk in StructureChunker(2, 12).chunks(document.sections):
        assert chunk.locator.text_in(ANDROID) == chunk.text


def test_a_long_message_keeps_its_author_in_every_chunk():
    long = " ".join(f"The boat number {n} leaves the pier at noon." for n in range(200))
    document = parse(f"12.03.25, 19:05 - Ida: Hello to you all.\n12.03.25, 19:06 - Bo: {long}\n")
    said = told(document)
    assert len(said) == 201
    assert all(line.startswith("Bo, 2025-03-12 19:06: The boat") for line in said[1:])


def test_irc_tells_who_speaks_and_not_who_comes_and_goes():
    log = """\
--- Log opened Tue Mar 11 16:58:01 2025
16:59 -!- bramble [~b@192.0.2.7] has joined #shelf
17:02 < tansy> I have a fix for it and push it tomorrow
17:03 <@quill> so do we release on the 20th?
17:05  * bramble cheers for the new release
"""
    assert told(parse(log, "shelf.log")) == [
        "tansy, 2025-03-11 17:02: I have a fix for it and push it tomorrow",
        "quill, 2025-03-11 17:03: so do we release on the 20th?",
        "bramble, 2025-03-11 17:05: cheers for the new release",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[2025-03-14 08:30:11] app.ERROR: the disk is full\n[2025-03-14 08:30:12] app.INFO: it is not\n",
        "<p> some markup\n\nA text about it that goes on.\n<b> more\nand more\nand more\n",
        "Lunch on Friday\n\n12:30 - soup for everybody\n13:00 - coffee for everybody\n",
    ],
)
def test_other_texts_are_no_chats(text):
    assert parse(text, "notes.log").source_type == "plain"


def test_slack_discord_and_telegram_are_read_by_their_structure(tmp_path):
    (tmp_path / "ops").mkdir()
    (tmp_path / "users.json").write_text('[{"id": "U1", "profile": {"real_name": "Ida Roth"}}]')
    ts = "1741939800.0001"
    slack = [
        {"type": "message", "subtype": "channel_join", "ts": ts, "user": "U1", "text": "joined the channel"},
        {
            "type": "message",
            "ts": ts,
            "user": "U1",
            "text": "<!here> :x: <@U1> reads &lt;<x|it>&gt;",
        },
        {"type": "message", "ts": ts, "user": "U2", "text": "&gt; the port is 3000\nNo, it moved to 3311."},
    ]
    document = parse(json.dumps(slack), str(tmp_path / "ops" / "2025-03-14.json"))
    assert (document.title, document.source_type) == ("#ops", "chat")
    assert told(document) == [
        "Ida Roth, 2025-03-14 08:10: here @Ida Roth reads <it>",
        "Quoted: the port is 3000",
        "U2, 2025-03-14 08:10: No, it moved to 3311.",
    ]
    discord = {
        "guild": {"name": "Synths"},
        "channel": {"name": "power"},
        "messages": [
            {"type": "GuildMemberJoin", "timestamp": "2025-04-28T19:00:00+00:00", "author": {"name": "pat"}},
            {"type": "Default", "timestamp": "2025-04-28T19:03:11.2+00:00", "content": "The rail sags.",
             "author": {"name": "pat", "nickname": "Pat: the one"}},
        ],
    }  # fmt: skip
    document = parse(json.dumps(discord), "power.json")
    assert document.title == "Synths #power"
    assert told(document) == ["Pat the one, 2025-04-28 19:03: The rail sags."]
    telegram = {
        "name": "Family",
        "messages": [
            {"type": "service", "date": "2025-06-01T10:00:00", "actor": "Lena"},
            {"type": "message", "date": "2025-06-01T10:05:12", "from": "Lena",
             "text": ["Lunch is at ", {"type": "bold", "text": "one"}]},
            {"type": "message", "date": "2025-06-02T10:05:12", "from": "Lena",
             "forwarded_from": "Cy", "text": "The pills are blue."},
        ],
    }  # fmt: skip
    said = [
        "Lena, 2025-06-01 10:05: Lunch is at one",
        "Cy (forwarded by Lena), 2025-06-02 10:05: The pills are blue.",
    ]
    assert told(parse(json.dumps(telegram), "result.json")) == said
    document = parse(json.dumps({"chats": {"list": [telegram, telegram]}}), "result.json")
    assert told(document) == said * 2
    assert [section.locator.part for section in document.sections] == [0, 1, 2, 3]
    assert document.sections[0].heading_path == ("Family", "2025-06-01")


@pytest.mark.parametrize(
    "text", ['{"messages": [1]}', '[{"ts": 1}]', '{"messages": {}, "ts": []}', '{"messages": [' * 3000]
)
def test_other_data_stays_data(text):
    assert parse(text, "data.json").source_type == "config"


SRT = """\
1
00:00:04,500 --> 00:00:08,100
HOST: When did you start
working at the lighthouse?

2
00:00:08,400 --> 00:00:12,000
<i>ARTHUR: I came in the spring of 1962,</i>

3
00:00:12,300 --> 00:00:16,900
and I was nineteen years old.

4
00:01:24,500 --> 00:01:30,000
- Was the food any good?
- Mostly tins and old bread.
"""


def test_subtitles_are_read_as_sentences_with_speaker_and_time():
    document = parse(SRT, "talk.srt")
    assert document.source_type == "transcript"
    assert "-->" not in document.sections[0].text
    assert told(document) == [
        "HOST, 00:00:04: When did you start working at the lighthouse?",
        "ARTHUR, 00:00:08: I came in the spring of 1962, and I was nineteen years old.",
        "Was the food any good?",
        "Mostly tins and old bread.",
    ]


def test_web_captions_have_voices_and_no_notes():
    vtt = """\
WEBVTT

NOTE Confidence: 0.87

ab-1/12-0
00:01.200 --> 00:05.900 align:start
<v Ida Roth>Yesterday I finished the export of<br>the notes.</v>

ab-1/14-0
00:06.100 --> 00:10.300
<v.loud Bo Chan>It works &amp; it is <c.x>fast</c> now.</v>
"""
    assert told(parse(vtt, "talk.vtt")) == [
        "Ida Roth, 00:00:01: Yesterday I finished the export of the notes.",
        "Bo Chan, 00:00:06: It works & it is fast now.",
    ]


def test_a_long_talk_is_found_by_its_time():
    cues = (
        f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000 --> 0\nThe boat {n} leaves the pier at noon.\n\n"
        for n in range(0, 9000, 30)
    )
    document = parse("WEBVTT\n\n" + "".join(cues), "talk.vtt")
    assert len(document.sections) > 5
    assert document.sections[1].locator.heading > "00:05:00"
    assert document.sections[1].text.startswith(document.sections[1].locator.heading)


def captions(*cues):
    return "WEBVTT\n\n" + "".join(
        f"{n // 60:02}:{n % 60:02}.000 --> 0\n{cue}\n\n" for n, cue in enumerate(cues)
    )


def test_a_long_talk_without_punctuation_is_found_by_its_time():
    document = parse(captions(*(f"the boat {n} leaves the pier at noon" for n in range(1500))), "talk.vtt")
    assert len(document.sections) > 20
    assert document.sections[1].locator.heading > "00:00:30"


def test_lines_of_captions_that_scroll_are_told_once_and_what_is_said_twice_is_told_twice():
    scrolling = captions("we sail", "we sail", "we sail\nat noon", "at noon", "at noon\nto the pier.")
    assert [section.text for section in parse(scrolling, "a.vtt").sections] == [
        "00:00:00: we sail at noon to the pier."
    ]
    said = captions("Yes.", "Yes.", "No.")
    assert [section.text for section in parse(said, "a.vtt").sections] == ["00:00:00: Yes. Yes. No."]


def test_subtitles_without_words_are_told():
    with pytest.raises(UnreadableError) as caught:
        parse("WEBVTT\n\n00:01.000 --> 00:02.000\n\n", "talk.vtt")
    assert caught.value.code == "no-text"


begin = st.sampled_from(
    ["12.03.25, 19:05 - A: ", "[1/2/25, 9:00] B: ", "17:02 <c> ", "00:00:01,000 --> 2\n", "", "> "]
)
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=30)
texts = st.lists(st.tuples(begin, words))


@settings(deadline=None)
@given(texts, st.sampled_from(["chat.txt", "chat.log", "talk.srt", "talk.vtt"]))
def test_any_text_is_read_and_its_places_are_true(lines, name):
    text = "\n".join(begin + rest for begin, rest in lines)
    try:
        document = parse(text, name)
    except UnreadableError as error:
        assert error.code in ("no-text", "empty", "binary")
        return
    for chunk in StructureChunker(2, 8).chunks(document.sections):
        where = chunk.locator
        if document.source_type == "transcript":
            assert document.sections[where.part].text[where.start_char : where.end_char] == chunk.text
        else:
            assert where.text_in(text) == chunk.text
        for units, beside in cut_chunks([ChunkText(chunk.text, chunk.context, document.source_type)]):
            assert all(0 <= unit.start < unit.end <= len(chunk.text) for unit in (*units, *beside))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("12.03.25, 19:05 - A: " + "a" * 1_000_000, "chat.txt"),
        ("12.03.25, 19:05 - " + "a " * 500_000, "chat.txt"),
        ("<" + "a" * 1_000_000, "chat.log"),
        ("00:00:01,000 --> 2\n" + "<v " * 300_000, "talk.vtt"),
        ("00:00:01,000 --> 2\n" + "A: " * 300_000, "talk.srt"),
    ],
)
def test_long_lines_take_their_time_once(line, name):
    assert parse(f"12.03.25, 19:05 - A: one\n12.03.25, 19:05 - A: two\n{line}\n", name).sections


BRACKETS = """\
\ufeff[2018-03-26 10:58:00] <ida> Good morning everyone: the meeting begins.
[2018-03-26 10:59:44] <bo> It lasts until noon.
[2018-03-26 11:00:47] → rex joined (~rex@host: example)
[2018-03-26 11:01:02] * ida waves: the sluice is closed.
[2018-03-26 11:02:00] The topic is the sluice
"""


def test_a_chat_of_irc_in_brackets_is_told_with_who_wrote_it():
    document = parse(BRACKETS)
    assert document.source_type == "chat"
    assert told(document) == [
        "ida, 2018-03-26 10:58:00: Good morning everyone: the meeting begins.",
        "bo, 2018-03-26 10:59:44: It lasts until noon.",
        "ida, 2018-03-26 11:01:02: waves: the sluice is closed.",
    ]


@pytest.mark.parametrize("zone", ["Z", ".496Z", "+02:00", ".5+0200", ""])
def test_a_log_of_irc_with_moments_of_a_computer_is_a_chat(zone):
    log = f"[2025-03-11T16:02:15{zone}]\t<tansy>\tpresent+\n[2025-03-11T16:04:08{zone}]\t<quill>\tSo do we?\n"
    assert told(parse(log, "irc.log")) == [
        "tansy, 2025-03-11 16:02:15: present+",
        "quill, 2025-03-11 16:04:08: So do we?",
    ]


def test_lines_of_a_chat_that_are_nobodys_stay_in_its_text():
    document = parse("saved on Monday\n" + BRACKETS[1:])
    text = "\n".join(section.text for section in document.sections)
    assert document.source_type == "chat"
    assert "saved on Monday" in text and "The topic is the sluice" in text
    assert "Nachrichten sind verschlüsselt." in parse(ANDROID).sections[0].text
    assert len(told(document)) == 4


def test_no_chunk_ends_within_a_line_of_a_chat():
    said = "<ida> One rope. Two ropes. Three of them."
    lines = [f"2018-03-26T11:{minute:02}:00 {said}" for minute in range(60)]
    document = parse("\n".join(["b'2018-03-26T10:59:00 <bo> Hello.", *lines]))
    for chunk in StructureChunker(20, 90).chunks(document.sections):
        assert chunk.text.endswith((" Three of them.", "Hello."))
