"""Whatever a text file looks like, the text at a chunk's locator is the chunk's text (SPEC B2)."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.core.errors import UnreadableError
from bob.core.locator import LineLocator, PartLocator, locator_from_json, locator_to_json
from bob.documents.formats.markdown_lines import WrittenParser
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import decode
from bob.search.chunker import StructureChunker
from bob.text.tokens import estimate_tokens

UNHURRIED = settings(deadline=None)  # a busy machine is no failure
PARSERS = ParserRegistry(plug_ins=[])
CHUNKER = StructureChunker(min_tokens=8, max_tokens=20)

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
ODD = st.sampled_from(
    [
        "",
        " ",
        "\t",
        "\u2028",
        "\u2029",
        "\x0b",
        "\x0c",
        "\x85",
        "\x1c",
        "\u00a0",
        "\r",
        "é",
        "😀",
        "\ufeff",
        "x" * 300,
    ]
)
SENTENCES = st.sampled_from(
    [
        "A plain sentence. Another one? Yes! ",
        "word " * 40,
        "e.g. this",
        '"Quoted." He said.',
        "一句話。又一句。",
    ]
)
MARKS = {
    "a.md": ["# Title", "## Sub *x*", "Setext", "=====", "-----", "```", "~~~py", "    indented",
        "- item", "  - in", "1. one", "> quote", "> > deep", "| a | b |", "|---|---|", "---", "+++",
        "title: x", "<div>", "</div>", "[a]: b", "#", "***", "* * *", "\\# no", "<!--", "-->"],
    "a.rst": ["Title", "=====", "-----", "~~~~~", "===", ".. note::", "   body",
        ".. code-block:: python", "      deep", "Text::", ".. _label:", ".. index:: x", "* item",
        "#. one", "+---+---+", "| a | b |", "==== ====", ":date: 2025-01-31", ">>> 1", "..",
        ".. comment", ":mod:`x` --- y", ":param x: y", "   - cell", "* - cell", ".. list-table:: a",
        ".. csv-table:: a", '   "a", b', "+===+===+", "|   | b |", ".. [1] note", "see [1]_ |x|",
        ".. |x| replace:: y",
        "term", "   :header-rows: 1", "Function:: "],
    "a.txt": ["Title", "=====", ".. note::", "paragraph", "2025-01-31 12:00 INFO started", "A    B",
        "---  ----",
        "+---+---+", "| a | b |", "\x0c", "Hardt   [Page 3]", "1. One ........ 4", "+--+  -->  +--+"],
    "a.org": ["* One", "** Two", "*** TODO Three :a:", "* COMMENT No", "text", "# note", "#+TITLE: T",
        "#+BEGIN_SRC", "#+END_SRC", "#+begin_comment", "#+end_comment", ":PROPERTIES:", ":END:", ":A: b",
        "DEADLINE: <2024-03-15 Fri>", "| a | b |", "|---+---|", "- x :: y", "  - z", "~a~ =b= /c/ [[d][e]]"],
    "a.adoc": ["= Title", "== Sub", "Ida Brand <i@x.org>", "v1, 2024-01-02", ":a: b", "{a}", "//", "////",
        "----", "====", "____", "|===", "|a |b", "a|x", "2+|y", ".2+|z", "3*|w", ",===", "a,b",
        '[cols="1,2"]', "[NOTE]", ".Name", "* one", "** two", ". three", "term:: text", "term::", "+",
        "<<a,b>> link:x[y]",
        "include::x[]", "[[a]]", "'''", "--", "```"],
    "a.tex": ["\\section{One}", "\\title{T}", "\\begin{document}", "\\end{document}", "% note", "a % b",
        "\\begin{itemize}", "\\item one", "\\item[x] y", "\\end{itemize}", "\\begin{tabular}{ll}",
        "a & b \\\\", "\\hline", "\\end{tabular}", "\\emph{", "}", "$x$", "$", "\\[", "\\]", "{",
        "\\cite{a}~\\ref{b}",
        "\\footnote{a", "\\begin{verbatim}", "\\end{verbatim}", "\\SI{6}{knots}", "\\'e", "[", "]",
        "\\verb|a|", "\\newcommand{\\a}{b}", "\\a", "\\caption{c}", "\\",
        "\\multicolumn{9}{l}{z} & ", "\\end{itemize"],
    "a.csv": ["a,b,c", "1,2,3", '"x', 'y",2,3', "a;b;c", "a	b", '5" pipe,x,"', ",,,", '""'],
    "a.py": ["def f():", "class A:", "    def g(self):", "        pass", "@dec", "# note", "import x",
        '"""', "x = '\\d'", "async def h(): pass", "if x:", "    return 1"],
    "a.java": ["public class A {", "    int f(int a) {", "    }", "}", "// c", "/** d", " */",
        "int x = f(1);", "@Over"],
    "a.go": ["func F() {", "}", "type T struct {", "import (", ")", "// c", "	return"],
    "Makefile": ["all: x", "	echo", "x := 1", ".PHONY: all"],
    "a.yaml": ["a: 1", "b:", "  - c", "# note", "---", "ingredients: [x]", "steps: y", "- z"],
    "a.ini": ["[one]", "a=1", "; note", "[two]"],
    "a.cook": [">> servings: 2", "= Part", "Add @salt and @olive oil{1%tbsp}.", "~{5%min}", "#pot{}",
        "-- c", "[- d -]", "> note", "---", "@{", "[-"],
    "a.html": ["<h1>Title</h1>", "<h2 id=x>Sub", "<p>text", "<li>item", "<ul>", "</ul>", "<pre>",
        "</pre>", "<table>", "<tr><td>a<td>b", "</table>", "<script>", "</script>", "<div>", "</div>",
        "<br>", "&amp;", "<main>", "<header>", "<a name=y>", "<!--", "-->", "<blockquote>", "<![CDATA[",
        "<?xml", "<svg>", "<sup>", "1<sup>2</sup>", "<sub>i", "<math>", "<th rowspan=3>", "<td colspan=4>",
        "<thead>", "<tr>", "<caption>", "<ol type=a>", "<li value=7>", "<aside class=note>", "<details>",
        "<h3>", "<button aria-expanded>", "<p hidden>", "<a href=#x>[1]</a>", "<ul class=nav>",
        "<time datetime>", "\u00ad", "<b>", "</b>", "|", "---"],
}  # fmt: skip


@dataclass(frozen=True)
class Held:
    """A source file in memory."""

    path: Path
    data: bytes

    def read_bytes(self) -> bytes:
        return self.data

    def read_text(self) -> str:
        return decode(self.data)


@st.composite
def contents(draw: st.DrawFn, name: str) -> bytes:
    marks = st.sampled_from(MARKS[name])
    line = st.one_of(
        marks, marks, SENTENCES, WORDS, ODD, st.tuples(marks, st.one_of(WORDS, ODD)).map("".join)
    )
    pieces = draw(
        st.lists(st.tuples(line, st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r\n\r\n"])), max_size=30)
    )
    text = "".join(part for piece in pieces for part in piece)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    return text.encode(encoding)


def checked_chunks(name: str, data: bytes):
    source = Held(Path(name), data)
    parser = PARSERS.parser_for(source.path)
    assert parser is not None
    try:
        parsed = parser.parse(source)
    except UnreadableError as error:
        assert error.code in {"no-text", "damaged", "binary", "encoding"}
        return None
    chunks = CHUNKER.chunks(parsed.sections)
    assert chunks == CHUNKER.chunks(parser.parse(source).sections), "the same input gives the same chunks"
    text = ""
    if chunks and isinstance(chunks[0].locator, LineLocator):
        text = source.read_text()
        if isinstance(parser, WrittenParser):
            assert parser.written(source).count("\n") == text.count("\n"), "the lines are those of the file"
            text = parser.written(source)
    for number, chunk in enumerate(chunks):
        assert chunk.ordinal == number
        assert chunk.text.strip()
        assert chunk.tokens == estimate_tokens(chunk.text) <= 20
        assert locator_from_json(locator_to_json(chunk.locator)) == chunk.locator
        if isinstance(chunk.locator, LineLocator):
            assert chunk.locator.text_in(text) == chunk.text
        else:
            assert isinstance(chunk.locator, PartLocator)
            section = parsed.sections[chunk.locator.part]
            assert section.heading_path == chunk.heading_path
            assert section.text[chunk.locator.start_char : chunk.locator.end_char] == chunk.text
    return source, parsed, chunks


def ink(text: str) -> str:
    return "".join(text.split())


def test_an_escaped_line_end_before_a_latex_document_is_a_line() -> None:
    checked_chunks("a.tex", b"\\section{One}\\\n\\begin{document}\n\\section{Two}\nThe lid is red.\n")


@pytest.mark.parametrize("name", MARKS)
@UNHURRIED
@given(data=st.data())
def test_locators_resolve_to_chunks(name: str, data: st.DataObject) -> None:
    found = checked_chunks(name, data.draw(contents(name)))
    if found is None:
        return
    source, parsed, chunks = found
    for section in parsed.sections:
        reached = 0
        for block in section.blocks:
            assert reached <= block.start < block.end <= len(section.text)
            assert not section.text[reached : block.start].strip(), "only white space between blocks"
            reached = block.end
    if isinstance(PARSERS.parser_for(source.path), WrittenParser):
        return
    if isinstance(parsed.sections[0].locator, LineLocator):
        # All ink of the file is in the sections, but for closed comments of Markdown, and all of the sections
        # in chunks, but for headings that only hold other headings: their words are in the heading path of
        # what is below.
        read, written = ink("".join(each.text for each in parsed.sections)), ink(source.read_text())
        if source.path.suffix == ".md" and "-->" in written:
            rest = iter(written)
            assert all(character in rest for character in read), "in their order"
        else:
            assert read == written
        left_out = [
            each for each in parsed.sections if each.blocks and all(b.kind == "heading" for b in each.blocks)
        ]
        kept = ink("".join(each.text for each in chunks))
        total = sum(len(ink(each.text)) for each in parsed.sections)
        assert total - sum(len(ink(each.text)) for each in left_out) <= len(kept) <= total


RECIPE_KEYS = [
    "@type", "@graph", "name", "recipeIngredient", "ingredients", "steps", "text", "notes", "itemListElement",
    "recipeInstructions", "prepTime", "keywords", "datePublished"
]  # fmt: skip
TEXT = st.text(max_size=20)
OUTPUT = st.fixed_dictionaries(
    {"output_type": st.sampled_from(["stream", "execute_result", "error", "display_data"])},
    optional={
        "text": st.one_of(TEXT, st.lists(TEXT)),
        "data": st.one_of(st.none(), st.dictionaries(st.sampled_from(["text/plain", "image/png"]), TEXT)),
        "traceback": st.one_of(st.none(), st.lists(TEXT)),
    },
)
CELL = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["markdown", "code", "raw", "heading", "other"])},
        optional={
            "source": st.one_of(
                st.none(),
                st.lists(st.sampled_from(["# T\n", "## S\n", "text\n", "```\n", "\r\n"])),
                TEXT,
            ),
            "outputs": st.one_of(st.none(), st.lists(OUTPUT, max_size=2)),
            "level": st.one_of(st.none(), st.integers()),
        },
    ),
)


@UNHURRIED
@given(cells=st.lists(CELL, max_size=8))
def test_notebooks(cells: list) -> None:
    checked_chunks("a.ipynb", json.dumps({"cells": cells}).encode())


@UNHURRIED
@given(value=st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(RECIPE_KEYS),
            st.one_of(inner, st.just("Recipe")), max_size=6),
    ),
))  # fmt: skip
def test_any_json_as_recipe_or_settings(value: object) -> None:
    content = json.dumps(value).encode()
    checked_chunks("a.jsonld", content)
    checked_chunks("a.json", content)
    checked_chunks("a.ipynb", content)


@pytest.mark.parametrize("name", [*MARKS, "a.ipynb", "a.jsonld", "a.toml"])
@UNHURRIED
@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_with_a_reason(name: str, data: bytes) -> None:
    try:
        checked_chunks(name, data)
    except UnreadableError as error:
        assert error.reason


PLAIN_MARKS = ["x", " ", "ab ", "> ", "* ", "[", "(", '"', "a.\u00a0", "`", "<b>", "\t- "]
MARKUP = ["/a", "[[", "<<a,", "~ ", "\\emph{", "$", "{", "|", "a:b[", "=a", "::", "\\item",
    "\\begin{tabular}{l}&", "%", "``", ":a: "]  # fmt: skip
LONG = [
    *((name, unit) for name in ["a.md", "a.rst", "a.txt", "a.csv", "a.py", "a.js", "a.json", "a.html"]
      for unit in PLAIN_MARKS),
    *((name, unit) for name in ["a.org", "a.adoc", "a.tex"] for unit in MARKUP),
]  # fmt: skip


@pytest.mark.parametrize(("name", "unit"), LONG)
def test_one_very_long_line(name: str, unit: str) -> None:
    checked_chunks(name, (unit * 10_000).encode())
