"""Whatever a document holds: no error, unique keys, and words that stand where they are said to stand."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st
from small_decisions import extract

from bob.core.decision import DatedDocument, FoundDecision, Passage
from bob.core.locator import LineLocator, PageLocator
from bob.documents.formats.markdown import parse_markdown
from bob.documents.formats.restructured.parser import parse_restructured, written_restructured
from bob.search.chunker import StructureChunker

EXAMPLES = int(os.environ.get("BOB_EXTRACT_EXAMPLES", "60"))

PIECES = [
    *("# ADR-3: Bells\n", "# 4. Bells\n", "## Status\n", "## Decision\n", "## Context\n", "## Decisions\n"),
    *("### Options\n", "## Considered Options\n", "## Rejected\n", "Accepted\n", "Status: accepted\n"),
    *("Superseded by [5. Bells](0005-bells.md)\n", "- Status: superseded by ADR-9 ", "Date: 2024-02-05\n"),
    *("Supersedes: ADR-2, 3 and [4](4.md)\n", "\n", "\n\n", " ", "- ", "1. ", "> ", "```\n", "~~~\n", "<!--"),
    *("-->", "---\n", "status: accepted\n", "| Status | Accepted |\n", "Decision: ", "**Agreed:** "),
    *("Rejected: ", "[decision] ", "We decided to ring ", "it was decided that ", "instead of a whistle "),
    *(
        "rather than ",
        ", not a horn ",
        "because ",
        "considered a horn but decided against it ",
        "chosen over ",
    ),
    *("Chosen option: ", "This ADR supersedes ADR-2. ", "Bells", "{short title}", "(", ")", "[", "]", "]("),
    *("**", "::\n", "====\n", "PEP: 8\n", "Request for Comments: 9\n", "Abstract\n", "é", "\u2028", "\ufeff"),
    *("\r\n", "\t"),
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40).map("".join)
NAMES = st.sampled_from(["/n/notes.md", "/n/docs/adr/0004-bells.md", "/n/pep-0008.rst", "/n/0012.txt", ""])


def cut(text: str, source_type: str, low: int) -> list[Passage]:
    """The text as passages: by the parser of its type, or as the pages of a document that has no lines."""
    if source_type == "pdf":
        page = PageLocator(part=0, page=1, total_pages=1, start_char=0, end_char=len(text))
        return [Passage(text, (), page)]
    if not text.strip():
        return []
    parsed = parse_markdown(text) if source_type == "markdown" else parse_restructured(text)
    chunks = StructureChunker(low, low + 20).chunks(parsed.sections)
    return [Passage(each.text, each.heading_path, each.locator) for each in chunks]


def stands_at_its_place(source: str, words: str, locator: object) -> bool:
    if isinstance(locator, LineLocator):
        return locator.text_in(source) == words
    assert isinstance(locator, PageLocator)
    return source[locator.start_char : locator.end_char] == words


def check(found: tuple[FoundDecision, ...], source: str) -> None:
    assert len({each.key for each in found}) == len(found)
    for each in found:
        assert 0 < each.confidence <= 1
        assert each.statement.strip() == each.statement != ""
        assert 0 < len(each.key) <= 64
        assert stands_at_its_place(source, each.statement, each.locator)
        for rejected in each.rejected:
            assert rejected.text
            assert stands_at_its_place(source, rejected.text, rejected.locator)


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXTS, NAMES, st.sampled_from(["markdown", "restructured", "pdf"]), st.integers(5, 40))
def test_any_text(text: str, path: str, source_type: str, low: int) -> None:
    passages = cut(text, source_type, low)
    document = DatedDocument(path, "Bells", source_type, None, None, {})

    found = extract(document, passages)

    check(found, written_restructured(text) if source_type == "restructured" else text)
    assert extract(document, passages) == found


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.lists(
        st.tuples(TEXTS, st.lists(st.sampled_from(["Status", "Decision", "Bells", ""]), max_size=3)),
        max_size=6,
    )
)
def test_any_passages(parts: list[tuple[str, list[str]]]) -> None:
    passages = [
        Passage(
            text, tuple(path), PageLocator(part=at, page=at + 1, total_pages=len(parts), end_char=len(text))
        )
        for at, (text, path) in enumerate(parts)
    ]

    found = extract(DatedDocument("", "", "word", None, None, {}), passages)

    assert len({each.key for each in found}) == len(found)
    for each in found:
        assert isinstance(each.locator, PageLocator)
        text = parts[each.locator.part][0]
        assert stands_at_its_place(text, each.statement, each.locator)
