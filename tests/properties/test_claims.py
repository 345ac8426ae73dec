"""Claims of any draft: ranges in order; taking them out leaves the rest of the Markdown as it was."""

import itertools
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.claims.citation_marks import marked, recited
from bob.answers.claims.draft_blocks import markdown
from bob.answers.claims.draft_claims import claims_of, marks_of, outline
from bob.answers.claims.redaction import LEFT_OUT, removed

WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet"]


@st.composite
def sentences(draw):
    """A sentence, marked up in some way, some of whose words are found nowhere else."""
    number = draw(st.integers(0, 10**6))
    subject, thing = draw(st.sampled_from(WORDS)), f"w{number}x"
    return draw(
        st.sampled_from(
            [
                f"The {subject} keeps {thing} in order [1].",
                f"The {subject} *keeps* {thing}. [2]",
                f"**The {subject} holds {thing}.**",
                f"`{thing}()` returns the {subject}.[3]",
                f"The {subject} runs {thing} [1], and the second {subject} stores v{thing} [2].",
                f"The {subject} needs {thing}; the last {subject} has u{thing}.",
                f"See [the {subject}. {thing}](http://a.b/c.d) for more.",
                f"**Label {thing}**: the {subject} is ~~not~~ old, e.g. here.",
                f"Is {thing} a {subject}?",
                "I hope this helps!",
                "Here is what I found:",
                f"A *{subject} b_{thing}_c 5 * 3 remains.",
            ]
        )
    )


PARAGRAPHS = st.lists(sentences(), min_size=1, max_size=4).map(" ".join)


@st.composite
def drafts(draw):
    found = []
    for _ in range(draw(st.integers(1, 5))):
        text = [draw(PARAGRAPHS) for _ in range(3)]
        broken = [re.sub(r" (?=the )", "\n", each) for each in text]
        found.append(
            draw(
                st.sampled_from(
                    [
                        text[0],
                        broken[0],
                        f"{'#' * draw(st.integers(1, 3))} Title",
                        "Title\n===",
                        f"- {text[0]}\n- {text[1]}\n- {text[2]}",
                        f"- {text[0]}\n\n- {text[1]}",
                        f"- {text[0]}\n  - {text[1]}\n    - {text[2]}",
                        f"1. {text[0]}\n\n   {text[1]}\n2. {text[2]}",
                        f"9. {text[0]}\n10. {text[1]}\n    ```\n    x = 1\n    ```\n11. {text[2]}",
                        "> " + broken[0].replace("\n", "\n> ") + "\n>\n> " + text[1],
                        f"> - {text[0]}\n> - {text[1]}",
                        f"| a | b |\n|---|---|\n| {text[0]} | 1 |\n| {text[1]} | 2 |",
                        f"```python\n# {text[0]}\ny = 2\n```",
                        "---",
                        f"Look:\n- {text[0]}\n- {text[1]}",
                    ]
                )
            )
        )
        found.append(draw(st.sampled_from(["\n\n", "\n\n", "\n\n", "\n\n\n", "\r\n\r\n"])))
    return numbered("".join(found[:-1]))


def numbered(draft):
    """The draft with words that are found once: `w7x` for each `w12345x`."""
    count = itertools.count()
    return re.sub(r"w\d+x", lambda _: f"w{next(count)}x", draft)


def own_words(text):
    return set(re.findall(r"w\d+x", text))


@st.composite
def drafts_with_some_claims(draw):
    draft = draw(drafts())
    claims = claims_of(draft)
    return draft, [each for each in claims if draw(st.booleans())]


LEAVES = ("inline", "fence", "code_block", "hr", "html_block")


def leaves(draft):
    return [each for each in markdown().parse(draft) if each.type in LEAVES]


def shape(draft):
    """The blocks of a draft: kind and text, without the sentence that only introduces what follows."""
    return [(each.type, each.content.replace("Here is what I found:", "").strip()) for each in leaves(draft)]


def stray(draft):
    """Marks of emphasis and code that are shown as they are."""
    return sum(
        child.content.count("*") + child.content.count("`") + child.content.count("~~")
        for each in leaves(draft)
        for child in each.children or []
        if child.type == "text"
    )


def plain(text):
    return re.sub(r"\[\d\]|[\s>]", "", text)


@settings(deadline=None)
@given(st.one_of(drafts(), st.text(max_size=80)))
def test_claims_are_ranges_in_order_and_their_text_is_the_draft_without_marks(draft):
    end = 0
    for claim in claims_of(draft):
        assert end <= claim.start < claim.end <= len(draft)
        end = claim.end
        if claim.kind != "code":
            said = plain(draft[claim.start : claim.end])
            # A row is told with the names of its columns.
            is_told = claim.kind == "row" and set(said) - {"|"} <= set(plain(claim.text))
            assert plain(claim.text) == said or is_told
            assert "\n" not in claim.text
            assert claim.text == claim.text.strip()


@settings(deadline=None)
@given(st.one_of(drafts(), st.text(max_size=80)))
def test_taking_nothing_changes_nothing_and_taking_all_leaves_no_claim(draft):
    claims = claims_of(draft)
    assert removed(outline(draft), []) == draft
    assert marked(outline(draft), {}) == draft
    assert claims_of(removed(outline(draft), claims)) == []


@settings(deadline=None)
@given(drafts_with_some_claims())
def test_what_is_taken_is_gone_and_what_stays_is_still_claimed(given_draft):
    draft, taken = given_draft
    left = removed(outline(draft), taken)
    gone = own_words(" ".join(each.text for each in taken))
    assert own_words(left) == own_words(draft) - gone
    assert [compared(each.text) for each in claims_of(left)] == [
        compared(each.text) for each in claims_of(draft) if each not in taken
    ]
    assert removed(outline(left), []) == left


def compared(text):
    """What a claim says, whether it begins or ends the sentence or not."""
    return plain(text).casefold().rstrip(".;,")


@settings(deadline=None)
@given(drafts_with_some_claims())
def test_blocks_without_a_taken_claim_stay_as_they_are(given_draft):
    draft, taken = given_draft
    left = removed(outline(draft), taken)
    before, after = shape(draft), shape(left)
    gone = own_words(" ".join(each.text for each in taken))
    untouched = [each for each in before if own_words(each[1]) and not own_words(each[1]) & gone]
    assert [each for each in after if each in untouched] == untouched
    assert len(after) <= len(before)
    assert stray(left) <= stray(draft)


@settings(deadline=None)
@given(drafts_with_some_claims())
def test_a_marked_draft_has_the_same_blocks_and_claims(given_draft):
    draft, taken = given_draft
    shown = marked(outline(draft), dict.fromkeys(taken, ("contradicted", "the source says `5` | not [6]")))
    assert [each.text for each in claims_of(shown)] == [each.text for each in claims_of(draft)]
    assert shown.count("⚠") == len(taken)
    paragraphs = [each for each in leaves(shown) if not each.content.startswith("[⚠")]
    assert [each.type for each in paragraphs] == [each.type for each in leaves(draft)]


@settings(deadline=None)
@given(drafts())
def test_nothing_is_left_of_lists_rows_and_quotes(draft):
    left = removed(outline(draft), claims_of(draft))
    for line in left.splitlines():
        assert line.strip(" >-0123456789.|") or not line.strip(" >") or LEFT_OUT in line or line == "---"


@settings(deadline=None)
@given(drafts(), st.data())
def test_claims_cite_what_they_are_told_to_and_say_what_they_said(draft, data):
    claims = claims_of(draft)
    numbers = st.lists(st.integers(1, 20), unique=True, max_size=2).map(tuple)
    wanted = {claim: data.draw(numbers) for claim in claims}
    again = claims_of(text := recited(outline(draft), wanted))
    assert [each.text for each in again] == [each.text for each in claims]
    for old, new in zip(claims, again, strict=True):
        if wanted[old] and old.kind != "code":
            assert new.citations == wanted[old], text
    shown = re.findall(r"\[(\d+)\]", "".join(text[slice(*mark)] for mark in marks_of(text)))
    assert set(shown) == {str(n) for cited in wanted.values() for n in cited}
    assert stray(text) <= stray(draft)
