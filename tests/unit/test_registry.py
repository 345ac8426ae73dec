import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from bob.core.document import Block, ParsedDocument, Section
from bob.core.errors import UsageError
from bob.core.locator import LineLocator
from bob.core.plug_ins import DATA_READERS, IMPORTERS, PARSERS, functions, is_own, plug_ins
from bob.documents.formats.config import ConfigParser
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.parsers import Registration
from bob.documents.formats.source import HeldFile, LocalFile
from bob.documents.parse_file import title_from_name
from bob.notes.imported import _read, read_bookmarks, read_highlights


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
        ("a.dotx", "word"), ("a.xltx", "excel"), ("a.ppsx", "powerpoint"),
    ],
)  # fmt: skip
def test_names(name, parser):
    assert ParserRegistry(plug_ins=[]).parser_for(Path("folder.md") / name).name == parser


@pytest.mark.parametrize("name", ["a.png", "a.tar.gz", "a.zip", ".gitignore", "a", "a.doc", ".md"])
def test_no_parser(name):
    assert ParserRegistry(plug_ins=[]).parser_for(Path(name)) is None


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("n/6. Investment Policies.pdf", "6. Investment Policies"),
        ("n/Bericht des e.V. für das Jahr 2023.PDF", "Bericht des e.V. für das Jahr 2023"),
        ("n/plan.rst.txt", "plan"), ("n/plan.md.gz", "plan"), ("n/Makefile", "Makefile"),
        ("moca24/schedule.csv", "moca24 schedule"), ("club/ATA.pdf", "club ATA"),
        ("app/default.config.yaml", "app default.config"), ("schedule.csv", "schedule"),
        ("club/schedule of May.csv", "schedule of May"),
    ],
)  # fmt: skip
def test_a_title_from_a_name(path, title):
    assert title_from_name(Path(path), ParserRegistry(plug_ins=[])) == title


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


def test_what_is_installed_is_what_the_project_declares():
    """Else the installation is older than the clone: run `pip install -e .` again."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    for group in (PARSERS, DATA_READERS, IMPORTERS):
        own = [each for each in plug_ins(group) if is_own(each)]
        assert {each.name: each.value for each in own} == project["entry-points"][group]
        assert all(callable(each.load()) for each in own)


_OTHER = """
from bob.extensions import Highlight, LineLocator, ParsedDocument, Section, Work

def scores(content, form):
    if form != "yaml" or not content.startswith("score:"):
        return None
    section = Section(content, LineLocator(start_line=1, end_line=1), ("Score",))
    return ParsedDocument(title="Score", source_type="score", sections=(section,))

def marks(data, name):
    return ([Highlight(Work(name), data.decode()[4:])], []) if data.startswith(b"mark") else None
"""


@pytest.fixture
def another_package(tmp_path, monkeypatch):
    """One that is installed beside Bob, and of which a part cannot be loaded."""
    (tmp_path / "scores_for_bob.py").write_text(_OTHER, "utf-8")
    installed = tmp_path / "scores_for_bob-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: scores-for-bob\nVersion: 1.0\n", "utf-8"
    )
    (installed / "entry_points.txt").write_text(
        "[bob.data_readers]\nbroken = scores_for_bob:gone\nscores = scores_for_bob:scores\n"
        "[bob.importers]\nhighlights = scores_for_bob:marks\nbookmarks = no_such_module:gone\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (plug_ins, functions):
        cached.cache_clear()
    yield
    for cached in (plug_ins, functions):
        cached.cache_clear()


def test_another_package_reads_data_and_exports_before_bob_itself_does(another_package):
    def parsed(text):
        return ConfigParser().parse(HeldFile(Path("/n/a.yaml"), text.encode()))

    assert parsed("score: C major").source_type == "score"
    assert parsed("ingredients: [salt]\nsteps: [stir]").source_type == "recipe"
    assert parsed("colour: red").source_type == "config"
    found, problems = read_highlights(b"markIt is read.", "book")
    assert ([each.text for each in found], problems) == (["It is read."], [])
    assert read_highlights(b"text\nOne line.", "book")[0][0].text == "One line."
    assert [
        each.title for each in read_bookmarks(b'<DL><DT><A HREF="https://a.example">A</A></DL>', None)
    ] == ["A"]


def test_what_no_package_reads_is_told():
    with pytest.raises(UsageError, match="no installed package reads these letters"):
        _read("letters", b"")
