"""Terms and postings: the same for the same text, sorted, and within their bits."""

import unicodedata
from array import array

from hypothesis import given
from hypothesis import strategies as st

from bob.text.words import COUNT_BITS, TEXT_BITS, postings, query_terms, term_hashes

TEXTS = st.text(max_size=80)
LANGUAGES = st.sampled_from([None, "en", "de", "pt", "xx"])


def unpacked(packed):
    return {
        each >> COUNT_BITS: (each & ((1 << TEXT_BITS) - 1), (each >> TEXT_BITS) & 0xF)
        for each in array("Q", packed)
    }


@given(TEXTS, st.lists(TEXTS, max_size=3), LANGUAGES)
def test_postings_are_sorted_unique_and_deterministic(text, headings, language):
    packed = postings(text, headings, language)
    assert packed == postings(text, iter(headings), language)
    numbers = list(array("Q", packed))
    assert numbers == sorted(numbers)
    assert len(unpacked(packed)) == len(numbers)
    assert all(in_text or in_heading for in_text, in_heading in unpacked(packed).values())


@given(st.integers(1, 600), st.integers(0, 40))
def test_counts_are_capped_where_their_bits_end(in_text, in_heading):
    ((found_in_text, found_in_heading),) = unpacked(
        postings("tide " * in_text, ["tide"] * in_heading, "en")
    ).values()
    assert found_in_text == min(in_text, 255) and found_in_heading == min(in_heading, 15)


@given(TEXTS, LANGUAGES)
def test_each_word_of_a_text_finds_it(text, language):
    held = set(unpacked(postings(text, [], language)))
    for group in query_terms(text, [language or "en"]):
        assert held & set(group)


@given(st.text(min_size=1, max_size=20), LANGUAGES)
def test_hashes_fit_their_bits(word, language):
    for term in term_hashes(word, language or "en"):
        assert 0 <= term < 1 << (64 - COUNT_BITS)


def test_forms_of_a_word_are_one_term():
    assert term_hashes("rotating", "en") == term_hashes("Rotated", "en") == term_hashes("ROTATE", "en")
    assert set(term_hashes("name", "en")) & set(term_hashes("getUserName", "en"))
    assert term_hashes("ação", "pt") == term_hashes("acao", "pt") or len(term_hashes("ação", "pt")) == 1


def test_the_number_of_a_version_is_found_with_its_v_and_without():
    for written, asked in (("v2.4.1", "2.4.1"), ("2.4.1", "v2.4.1"), ("V10", "10")):
        held = set(unpacked(postings(written, [], "en")))
        assert all(held & set(group) for group in query_terms(asked))


@given(TEXTS, LANGUAGES)
def test_accents_are_one_term_however_they_are_stored(text, language):
    apart, composed = unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)
    assert postings(apart, [apart], language) == postings(composed, [composed], language)
    assert query_terms(apart) == query_terms(composed)


def test_grammar_leaves_a_query_that_has_better_words():
    assert query_terms("how do boats float") == query_terms("boats float")
    assert len(query_terms("how do you do")) > 0
    assert query_terms("What's Weber’s boat?") == query_terms("Weber boat")
    assert query_terms("Why doesn't it float?") == query_terms("float")
    assert query_terms("S corp's vitamin d") == query_terms("S corp vitamin d")
