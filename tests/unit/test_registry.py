import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from bob.core.document import Block, ParsedDocument, Section
from bob.core.locator import LineLocator
from bob.core.plug_ins import PARSERS
from bob.documents.parser_registry import ParserRegistry
from bob.documents.parsers import Registration
from bob.documents.source import LocalFile


# What a third party writes; its package names it as an entry point of the group "bob.parsers".
class GemtextParser:
    """Takes Gemini's text format: a section a heading line."""

    name = "gemtext"
    suffixes = frozenset({".gmi"})

    def parse(self, source):
        lines = source.read_text().rstrip("\n").split("\n")
        starts = [at for at, line in enumerate(lines) if line.startswith("#")] or [0]
        sections = []
        for first, last in zip(starts, [*starts[1:], len(lines)], strict=True):
            text = "\n".join(lines[first:last])
            heading = lines[first].lstrip("# ")
            locator = LineLocator(heading=heading, start_line=first + 1, end_line=last)
            sections.append(Section(text, locator, (heading,), (Block(0, len(text)),)))
        return ParsedDocument(
            title=sections[0].heading_path[0], source_type="gemtext", sections=tuple(sections)
        )


class NamelessParser(GemtextParser):
    name = ""


class LoudParser(GemtextParser):
    name, suffixes = "loud", frozenset({"GMI"})


class SecondMarkdown(GemtextParser):
    name = "markdown"


class BetterMarkdown(GemtextParser):
    name, suffixes = "better", frozenset({".md"})


def failing():
    raise RuntimeError("no licence")


def plug_in(attribute: str, module: str = "plug_in_for_tests") -> EntryPoint:
    return EntryPoint(attribute.lower(), f"{module}:{attribute}", PARSERS)


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setitem(sys.modules, "plug_in_for_tests", sys.modules[__name__])


def test_a_third_party_parser_is_found_and_used(tmp_path):
    path = tmp_path / "a.gmi"
    path.write_text("# One\ntext\n# Two\n")
    registry = ParserRegistry(plug_ins=[plug_in("GemtextParser")])
    parsed = registry.parser_for(path).parse(LocalFile(path))
    assert [each.heading_path for each in parsed.sections] == [("One",), ("Two",)]
    assert registry.names()[-1] == "gemtext"
    assert registry.describe()[-1].suffixes == (".gmi",)
    assert registry.problems == ()


def test_a_broken_parser_is_reported_and_stops_no_other():
    broken = ["NamelessParser", "LoudParser", "SecondMarkdown", "failing", "missing"]
    registry = ParserRegistry(
        plug_ins=[*map(plug_in, broken), plug_in("X", "no_such_module"), plug_in("GemtextParser")]
    )
    assert registry.parser_for(Path("a.gmi")).name == "gemtext"
    assert registry.parser_for(Path("a.md")).name == "markdown"
    reasons = {each.name: each.reason for each in registry.problems}
    assert set(reasons) == {*map(str.lower, broken), "x"}
    assert reasons["failing"] == "no licence"
    assert "no name" in reasons["namelessparser"]
    assert "GMI" in reasons["loudparser"]


def test_a_third_party_wins_the_suffix_that_it_names():
    registry = ParserRegistry(plug_ins=[plug_in("BetterMarkdown")])
    assert registry.parser_for(Path("a.md")).name == "better"
    assert registry.parser_for(Path("a.markdown")).name == "markdown"
    rows = {each.name: each for each in registry.describe()}
    assert ".md" not in rows["markdown"].suffixes
    assert rows["better"].origin != rows["markdown"].origin == "built-in"


@pytest.mark.parametrize(
    ("name", "parser"),
    [
        ("a.md", "markdown"), ("A.MD", "markdown"), ("a.rst.txt", "restructured"),
        ("a.rst.gz", "restructured"),
        ("a.txt", "plain"), ("README", "plain"), ("LICENSE", "plain"), ("Makefile", "code"), ("a.py", "code"),
        ("CMakeLists.txt", "code"), ("Dockerfile", "code"), ("a.yaml", "config"), ("a.recipe.yaml", "recipe"),
        ("a.csv", "csv"), ("a.ipynb", "notebook"), ("a.cook", "recipe"), ("a.html", "html"),
    ],
)  # fmt: skip
def test_names(name, parser):
    assert ParserRegistry(plug_ins=[]).parser_for(Path("folder.md") / name).name == parser


@pytest.mark.parametrize("name", ["a.png", "a.tar.gz", "a.zip", ".gitignore", "a", "a.doc", ".md"])
def test_no_parser(name):
    assert ParserRegistry(plug_ins=[]).parser_for(Path(name)) is None


def test_advice():
    registry = ParserRegistry(plug_ins=[])
    assert registry.advice_for(Path("a.DOC")) == "old Word format: save it as .docx"
    assert registry.advice_for(Path("a.png")) is None
    assert registry.advice_for(Path("a.md")) is None


def test_a_built_in_parser_whose_library_is_missing_is_a_problem_not_an_error():
    registry = ParserRegistry([Registration("odd", "no_such_module:Odd", (".odd",))], plug_ins=[])
    assert registry.parser_for(Path("a.odd")) is None
    assert "no_such_module" in registry.advice_for(Path("a.odd"))
    assert [each.name for each in registry.problems] == ["odd"]


def test_every_built_in_parser_loads_and_says_what_is_registered():
    registry = ParserRegistry(plug_ins=[])
    for row in registry.describe():
        ending = next(each for each in row.suffixes if each.startswith("."))
        parser = registry.parser_for(Path(f"a{ending}"))
        assert parser is not None, registry.problems
        assert parser.name == row.name
        assert parser.suffixes == {each for each in row.suffixes if each.startswith(".")}
