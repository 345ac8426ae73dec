"""Our tokenizer against the `tokenizers` library with the settings of the original tokenizer.json."""

import sysconfig
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordPiece as Pieces
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from bob.models.networks import DEFAULT_MODEL
from bob.models.wordpiece import WordPiece

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = (DEFAULT_MODEL / "vocab.txt").read_text(encoding="utf-8").splitlines()


def _reference():
    ids = {piece: index for index, piece in enumerate(VOCABULARY)}
    made = Tokenizer(Pieces(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    made.pre_tokenizer = BertPreTokenizer()
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    return made


REFERENCE = _reference()
OURS = WordPiece(VOCABULARY)


def expected(text):
    return REFERENCE.encode(text, add_special_tokens=False).ids


def agree(text):
    ids = OURS.encode(text)
    assert ids == expected(text), text
    assert OURS.count(text) == len(ids)


# Python's Unicode is older or newer than the library's; a character that one of them does not know is no
# word of the vocabulary, so only what both agree on being is drawn at random.
characters = st.characters(exclude_categories=["Cs"])
words = st.sampled_from(VOCABULARY) | st.text(characters, max_size=8) | st.sampled_from(SPECIAL)
awkward = st.sampled_from(
    ["Σ", "ΟΔΟΣ", "İ", "ß", "ﬁ", "Å", "e\u0301", "\u0301", "\u200b", "\u00ad", "\x85", "\x1c", "\v", "\ufeff",
     "\u2028", "\u3000", "中", "東京", "\uf900", "가", "\U0001d165\U0001d16d",
     "´", "¨", "़", "😀", "\x00", "\ufffd",
     "[CLS", "CLS]", "[[MASK]]", "[mask]", "##", "##ing", "a" * 100, "a" * 101, "é" * 101, "_", "\r\n", "\t"]
)  # fmt: skip


@given(st.text(characters, max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text(text):
    agree(text)


@given(st.lists(words | awkward, max_size=12), st.sampled_from(["", " ", "\n", "-"]))
@settings(max_examples=200, deadline=None)
def test_words_and_awkward_characters(parts, between):
    agree(between.join(parts))


@given(st.lists(words | awkward, max_size=12))
@settings(max_examples=200, deadline=None)
def test_parts_encoded_apart_are_what_they_are_joined_by_spaces(parts):
    assert [*chain(*OURS.encode_all(parts))] == OURS.encode(" ".join(parts))


@given(st.text(st.sampled_from("aBé\u0301Σς中 \n[CLS]#'\u200d"), max_size=40))
@settings(max_examples=300, deadline=None)
def test_few_characters_in_every_order(text):
    agree(text)


def test_every_character_that_has_a_class_of_its_own():
    """In front of, inside and behind a word; a line a character keeps them apart. A sample of the rest."""
    dense = [(0, 0x3400), (0xA480, 0xAC00), (0xF900, 0x11A00), (0x1D100, 0x1D400)]
    codes = [code for first, last in dense for code in range(first, last)]
    codes += [code for code in range(0, 0x110000, 61) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(codes), 500):
        lines = [f"a{chr(code)}Be{chr(code)}" for code in codes[start : start + 500]]
        if OURS.encode("\n".join(lines)) != expected("\n".join(lines)):
            differing = [hex(ord(line[1])) for line in lines if OURS.encode(line) != expected(line)]
            pytest.fail(f"differ: {differing}")


def test_real_texts():
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [*library.glob("[a-c]*.py"), *library.glob("test/test_unicode*.py"), Path(__file__)]
    files += Path(__file__).parents[2].glob("src/**/*.py")
    assert len(files) > 30
    for path in files:
        agree(path.read_text(encoding="utf-8"))


def test_a_lone_surrogate_is_dropped():
    """The library cannot hold one; a file name or a broken message can bring one."""
    assert OURS.encode("hel\ud800lo") == OURS.encode("hello")


def test_the_cache_does_not_change_ids():
    few = WordPiece(VOCABULARY)
    text = " ".join(f"w{number}x" for number in range(34_000))
    assert few.encode(text) == few.encode(text) == expected(text)
