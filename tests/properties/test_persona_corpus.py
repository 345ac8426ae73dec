"""Cutting any corpus: every line is in exactly one part, in order, and stands where the part says."""

from hypothesis import example, given
from hypothesis import strategies as st

from bob.documents.formats.front_matter import read_front_matter
from bob.personas.choice import Near, within
from bob.personas.corpus import cut_corpus
from bob.personas.values import CorpusPart

LINES = st.one_of(
    st.sampled_from(
        [
            "", "  ", "# T", "## A", "## B ##", "### C", "#### D", " ## E", "    ## code", "##no", "##",
            "###", "```", "~~~", "````md", "-", "---", "===", "- item", "  - item", "1. one", "> ## quoted",
            "<div>", "<!-- facet: doubt -->", "<!-- facet: confidence -->", "<!--", "-->", "a\r", "## R\r",
            "| a | b |", "|---|---|", "plain words of some length here", "\x0c", "\u2028## U", "\ufeff## M",
            "\x85", "\x00",
        ]
    ),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30),
)  # fmt: skip
CORPORA = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=40), st.sampled_from(["", "\n"])
)


def words(text):
    return len(text.split())


@given(CORPORA, st.integers(1, 30), st.booleans())
def test_every_line_is_in_one_part_in_order(text, most, with_front):
    text = f"---\ntitle: T\n---\n{text}" if with_front else text
    front = read_front_matter(text.split("\n")).lines
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    parts = cut_corpus(text, front, most, words).parts
    at = front
    for part in parts:
        assert part.start_line == at + 1 and part.end_line > at
        assert part.text == "\n".join(lines[at : part.end_line])
        assert part.tokens == words(part.text)
        at = part.end_line
    assert at == max(len(lines), front)


@given(CORPORA, st.integers(0, 40), st.integers(1, 12))
@example("<!-- facet: doubt -->\n    ## code", 1, 12)
@example("<!-- facet: doubt -->\nplain words", 6, 12)
def test_passages_never_pass_their_budget_and_are_beginnings_of_their_parts(text, room, most):
    parts = [each for each in cut_corpus(text, 0, most, words).parts if each.has_prose]
    passages = within([Near(each, 0.5) for each in parts], room, words)
    assert sum(words(each.text) for each in passages) == sum(each.tokens for each in passages) <= room
    assert [each.part for each in passages] == parts[: len(passages)]
    assert not any(each.is_cut for each in passages[:-1])
    for each in passages:
        lines = each.part.text.split("\n")[: each.end_line - each.part.start_line + 1]
        assert isinstance(each.part, CorpusPart) and "".join(each.text.split()) in "".join(
            "".join(line.split()) for line in lines if "facet:" not in line
        )
