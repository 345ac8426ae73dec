"""What of a text is marked on its way to a terminal, and what of legitimate text stays as it is."""

import doctest
import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.text import visible as module
from bob.text.visible import LOOKS_BACK, escape_json, visible_line, visible_text

ENGLAND = "🏴" + "".join(chr(0xE0000 + ord(each)) for each in "gbeng") + "\U000e007f"
LEGITIMATE = {
    "a family": "👩\u200d👩\u200d👧\u200d👦 went",
    "a heart on fire": "❤\ufe0f\u200d🔥",
    "a skin tone": "👩🏽\u200d🔬 and 👍🏿",
    "text style": "☎\ufe0e ℹ\ufe0f ‼\ufe0f ↔\ufe0f",
    "keycaps": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "flags": f"🇫🇷 {ENGLAND}",
    "Persian": "می\u200cخواهم",
    "Arabic": "العَرَبِيَّة",
    "an Arabic number sign": "\u0600\u0661\u0662",
    "Hebrew": "שָׁלוֹם",
    "Hindi": "क्\u200dष क्\u200cष",
    "Sinhala": "ශ්\u200dරී",
    "Malayalam": "ന്\u200d",
    "combining marks": "e\u0301 a\u0308\u0323",
    "CJK": "中文 日本語 한국어",
    "an ideograph's variant": "葛\U000e0100 城\ufe00",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180b",
    "spaces": "10\u00a0kg 1\u202f000\u2009m\u3000x",
    "a soft hyphen": "Donau\xaddampf",
    "punctuation": "«a» – ‘b’ … 3 × 4 ≠ 5",
    "a nerd's font": "\ue0b0\uf015",
    "lines": "a\n\tb\n",
}
DANGEROUS = {
    "the clipboard": ("\x1b]52;c;cA==\x1b\\", "␛]52;c;cA==␛\\"),
    "the title": ("\x1b]0;x\x07", "␛]0;x␇"),
    "a link": ("\x1b]8;;evil:x\x1b\\", "␛]8;;evil:x␛\\"),
    "a device string": ("\x1bPq\x1b\\", "␛Pq␛\\"),
    "C1": ("\x9b2J\x9d0;x\x9c\x85", "⟨U+009B⟩2J⟨U+009D⟩0;x⟨U+009C⟩⟨U+0085⟩"),
    "backspaces": ("ab\b\bcd\x7f", "ab␈␈cd␡"),
    "a carriage return": ("good\rbad", "good␍bad"),
    "pages": ("a\x0bb\x0cc\0", "a␋b␌c␀"),
    "bidi": ("\u202eevil\u202c \u2066x\u2069 \u200f\u061c", None),
    "zero width": ("a\u200bb\u2060c\ufeffd\u200de\u200cf", None),
    "fillers": ("\u3164\uffa0\u115f\u1160\u034f\u17b4\u180e\u2062", None),
    "tags": ("x" + "".join(chr(0xE0000 + ord(each)) for each in "obey me"), None),
    "a flag that goes on": (ENGLAND + chr(0xE0061), ENGLAND + "⟨U+E0061⟩"),
    "a flag of nowhere": ("🏴" + chr(0xE0000 + ord("x")), "🏴⟨U+E0078⟩"),
    "variation selectors": ("😀\ufe0f\U000e0101\U000e0102\ufe0f", "😀\ufe0f⟨U+E0101⟩⟨U+E0102⟩⟨U+FE0F⟩"),
    "a selector on a letter": ("a\ufe0f", "a⟨U+FE0F⟩"),
    "two joiners": ("می\u200c\u200c", "می\u200c⟨U+200C⟩"),
    "separators": ("a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"),
    "a byte": (b"a\x9b".decode("utf-8", "surrogateescape"), "a⟨0x9B⟩"),
    "a surrogate": ("\ud83d", "⟨U+D83D⟩"),
}


@pytest.mark.parametrize("name", LEGITIMATE)
def test_legitimate_text_stays_as_it_is(name):
    assert visible_text(LEGITIMATE[name]) == LEGITIMATE[name]
    assert visible_text(f"before {LEGITIMATE[name]} after") == f"before {LEGITIMATE[name]} after"


@pytest.mark.parametrize("name", DANGEROUS)
def test_dangerous_text_is_marked(name):
    text, marked = DANGEROUS[name]
    shown = visible_text(text)
    assert shown == marked if marked is not None else not hidden(shown), shown
    assert visible_line(text) == visible_text(text)
    assert visible_text(shown) == shown
    assert json.loads(escape_json(json.dumps(text, ensure_ascii=False))) == text
    assert not hidden(
        escape_json(json.dumps(text, ensure_ascii=False))
        .replace(ENGLAND, "")
        .replace("😀\ufe0f", "")
        .replace("می\u200c", "")
    )


def hidden(text):
    return [
        each
        for each in text
        if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        or each in "\u3164\uffa0\u115f\u1160\u034f\u17b4\ufe0f"
    ]


def test_a_line_has_no_second_one():
    assert visible_line("a\nb\tc\r\nd") == "a␊b␉c␍␊d"
    assert visible_text("a\r\nb\rc") == "a\nb␍c"


def test_every_character_is_alone_marked_or_visible():
    """No character of Unicode that is a control or that no terminal shows passes by itself."""
    invisible = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0" + "".join(
        map(chr, [*range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)])
    )
    visible_formats = {  # signs of Arabic, Syriac and Kaithi, and what joins hieroglyphs
        *range(0x600, 0x606),
        0x6DD,
        0x70F,
        0x890,
        0x891,
        0x8E2,
        0x110BD,
        0x110CD,
        *range(0x13430, 0x13440),
    }
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        steers = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        expected = (steers and number not in visible_formats) or character in invisible
        marked = visible_line(character) != character
        # What is not assigned yet may be marked: all of Unicode's invisible planes are.
        assert marked == expected or (marked and unicodedata.category(character) == "Cn"), hex(number)
        assert visible_line("a" + visible_line(character)) == "a" + visible_line(character)


TROUBLE = st.text(
    st.one_of(
        st.sampled_from(
            "ab\n\r\t\x1b\x9b\u202e\u200d\u200c\ufe0f\xad❤👩🔬🏽می1⃣\U000e0067\U000e0062🏴葛\U000e0100\ud800"
        ),
        st.characters(),
    )
)


@given(TROUBLE)
def test_json_is_read_as_the_exact_text(text):
    shown = escape_json(json.dumps({"text": [text]}, ensure_ascii=False, indent=2))
    assert json.loads(shown) == {"text": [text]}
    assert visible_text(shown) == shown


@given(TROUBLE)
def test_marking_twice_changes_nothing(text):
    assert visible_text(visible_text(text)) == visible_text(text)
    assert not {"\n", "\r", "\t"} & set(visible_line(text))


@given(st.lists(TROUBLE))
def test_a_text_may_come_in_pieces(pieces):
    pieces = [each.replace("\r", "") for each in pieces]
    shown, before = "", ""
    for piece in pieces:
        shown += visible_text(piece, before)
        before = (before + piece)[-LOOKS_BACK:]
    assert shown == visible_text("".join(pieces))


def test_the_examples_in_the_module_are_true():
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(module).attempted > 2
