"""Odd cases of the text parsers; the ordinary ones are in tests/golden."""

import json
from datetime import date

import pytest

from bob.answers.units.chunk_units import ChunkText, cut_chunks
from bob.answers.units.unit import units_of
from bob.core.errors import UnreadableError
from bob.documents.formats.latex.parser import LatexParser
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import LocalFile
from bob.documents.read_source import text_at
from bob.search.chunker import StructureChunker


@pytest.fixture
def parse(tmp_path):
    def parsed(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return ParserRegistry(plug_ins=[]).parser_for(path).parse(LocalFile(path))

    return parsed


def paths(document) -> list[tuple[str, ...]]:
    return [each.heading_path for each in document.sections]


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.csv", "a.py", "a.json", "a.html", "a.cook"])
def test_blank_files_have_no_text(parse, name):
    if name == "a.cook":
        pytest.skip("a recipe has its name")
    with pytest.raises(UnreadableError) as caught:
        parse(name, " \n\t\n")
    assert caught.value.code == "no-text"


@pytest.mark.parametrize("content", ["{", "[]", '"x"', '{"cells": 3}', "[" * 100_000])
def test_a_broken_notebook_is_damaged(parse, content):
    with pytest.raises(UnreadableError) as caught:
        parse("a.ipynb", content)
    assert caught.value.code == "damaged"


def test_a_notebook_has_its_code_between_fences_and_its_tables_as_tables(parse):
    frame = (
        "<table><thead><tr><th></th><th>boat</th><th>berths</th></tr></thead>"
        "<tbody><tr><th>0</th><td>Heron</td><td>4</td></tr><tr><th>1</th><td>Swift</td><td>6</td></tr></tbody>"
        "</table>"
    )
    outputs = [
        {"output_type": "stream", "text": ["Two boats are\n", "in the harbour.\n"]},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "  boat  berths\n0 Heron 4", "text/html": frame},
        },
    ]
    cell = {"cell_type": "code", "source": "# The fee is 9 euros\nfee = 9", "outputs": outputs}
    code, output = parse("a.ipynb", json.dumps({"cells": [cell]})).sections
    assert code.text == "```\n# The fee is 9 euros\nfee = 9\n```"
    assert [block.kind for block in output.blocks] == ["code", "table"]
    units = [(unit.kind, unit.line) for unit in units_of(output.text)]
    assert units == [
        ("code", "Two boats are in the harbour."),
        ("head", "boat | berths"),
        ("row", "boat: Heron; berths: 4"),
        ("row", "boat: Swift; berths: 6"),
    ]


def test_no_chunk_of_long_code_begins_or_ends_between_fences(parse):
    source = "\n".join(f"print('The fee of berth {number} is {number} euros.')" for number in range(400))
    (section,) = parse("a.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": source}]})).sections
    chunks = StructureChunker().chunks([section])
    assert len(chunks) > 3
    assert {unit.kind for chunk in chunks for unit in units_of(chunk.text)} == {"code"}


@pytest.mark.parametrize(
    ("output", "is_cut"),
    [
        ({"text": "a line\n" * 3_000}, True),
        ({"text": "a line\n" * 2_000}, False),
        ({"data": {"image/png": "A" * 50_000, "text/plain": "<Figure>"}}, False),
        ({"data": {"text/html": "<table>" + "<tr><td>Heron</td><td>4</td></tr>" * 2_000}}, True),
        (
            {"data": {"text/html": "<table><tr><td>Heron</td><td>4</td></tr>", "text/plain": "x" * 30_000}},
            False,
        ),
    ],
)
def test_a_long_output_of_a_notebook_is_cut_and_named(parse, output, is_cut):
    cells = [{"cell_type": "markdown", "source": "# Boats"}, {"cell_type": "code", "source": "x"}]
    cells += [{"cell_type": "code", "source": "y", "outputs": [output, {"text": "the end"}]}]
    sentence = "cell 3 has a long output: only the first 20,000 characters are read"
    assert parse("a.ipynb", json.dumps({"cells": cells})).left_out == ((sentence,) if is_cut else ())


def test_a_notebook_of_format_3(parse):
    cells = [{"cell_type": "heading", "level": 2, "source": "Part"}, {"cell_type": "code", "input": "x"}]
    document = parse("a.ipynb", json.dumps({"worksheets": [{"cells": cells}]}))
    assert paths(document) == [("Part",), ("Part",)]


def test_a_heading_in_code_is_none(parse):
    assert paths(parse("a.md", "# A\n\n```\n# B\n```\n\n    # C\n\n> # D\n\n- # E\n")) == [("A",)]


def test_a_sentence_or_lines_right_above_a_rule_are_no_heading(parse):
    document = parse(
        "a.md", "# A\n\n**For: 18**\n**Against: 0**\n---\n\nIt is adopted.\n---\n\nVotes\n---\n\nText\n"
    )
    assert paths(document) == [("A",), ("A", "Votes")]


def test_old_line_ends_inside_a_line_do_not_shift_markdown_lines(parse):
    document = parse("a.md", "one\rtwo\r\n\r\n# Title\r\n")
    assert document.sections[1].locator.start_line == 3


def test_heading_levels_may_be_skipped(parse):
    assert paths(parse("a.md", "### C\n\n# A\n\n### B\n\n## D\n")) == [("C",), ("A",), ("A", "B"), ("A", "D")]


def test_a_heading_of_a_version_or_a_day_begins_the_section_below_it(parse):
    text = "# Changes\n\n## [2.1.0] - 2026-02-19\n\n### Fixed\n\n- The lid.\n\n### Added\n\n- A key.\n"
    sections = parse("a.md", text).sections
    assert [each.text for each in sections] == [
        "# Changes",
        "## [2.1.0] - 2026-02-19\n\n### Fixed\n\n- The lid.",
        "### Added\n\n- A key.",
    ]
    assert sections[1].heading_path == ("Changes", "[2.1.0] - 2026-02-19", "Fixed")
    assert (sections[1].locator.start_line, sections[1].locator.end_line) == (3, 7)
    assert [block.kind for block in sections[1].blocks] == ["heading", "heading", "list"]


@pytest.mark.parametrize("above", ["## Releases", "## 2026-02-19\n\nWe met.", "### Money of 2026-02-19"])
def test_any_other_heading_above_a_heading_is_a_section_of_its_own(parse, above):
    text = f"# Minutes of 2026-02-19\n\n{above}\n\n### Money\n\nNone.\n"
    found = [each.text for each in parse("a.md", text).sections]
    assert found == ["# Minutes of 2026-02-19", above, "### Money\n\nNone."]


def test_restructured_levels_follow_the_order_of_their_marks(parse):
    text = "A\n~~~\n\nB\n===\n\nC\n~~~\n\n===\nD\n===\n"
    assert paths(parse("a.rst", text)) == [("A",), ("A", "B"), ("C",), ("C", "D")]


def test_tables_and_rules_are_no_titles(parse):
    text = "Title\n=====\n\n=== ===\nA   B\n=== ===\n1   2\n=== ===\n\ntext\n\n--------\n\nmore\n"
    assert paths(parse("a.rst", text)) == [("Title",)]


def test_rows_of_a_table_that_take_several_lines_are_no_titles(parse):
    rule, line = "+------+-----+\n", "|      | 1   |\n"
    table = f"{rule}| Boat | Day |\n{rule}{4 * line}{rule}| Tern | 2   |\n{rule}"
    assert paths(parse("a.rst", f"Title\n=====\n\n{table}\nmore\n")) == [("Title",)]


def test_a_text_file_may_be_restructured(parse):
    assert parse("a.txt", "Title\n=====\n\n.. note:: x\n").source_type == "restructured"
    assert parse("b.txt", "Just text.\n").source_type == "plain"


def test_an_outline(parse):
    assert paths(parse("a.org", "* A\n** TODO B\ntext\n* C\n")) == [("A",), ("A", "B"), ("C",)]


def test_a_long_class_is_opened_up(parse):
    methods = "".join(
        f"\n    # about m{at}\n    def m{at}(self):\n        return {'1' * 200}\n" for at in range(9)
    )
    document = parse("a.py", f"class Big:\n    x = 1\n{methods}\ny = 2\n")
    assert paths(document) == [("Big",), *(("Big", f"m{at}") for at in range(9)), ()]
    assert document.sections[1].text.startswith("    # about m0")


def test_python_that_does_not_compile_is_read_by_its_look(parse):
    assert paths(parse("a.py", "import x\n\ndef f(:\n    pass\n\nclass B\n    pass\n")) == [
        (),
        ("f",),
        ("B",),
    ]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        (
            "a.c",
            "#include <x>\n\nstatic int add(int a)\n{\n  return a;\n}\n\nint main(void) {\n  add(1);\n}\n",
            ["add", "main"],
        ),
        ("a.rs", "pub fn one() {\n}\n\nimpl Foo for Bar {\n}\n", ["one", "Foo"]),
        ("a.js", "export const f = (a) => {\n  g(a);\n};\n\nfunction g() {\n}\n", ["f", "g"]),
        ("a.sh", "x=1\nrun() {\n  echo\n}\n", ["run"]),
        ("a.rb", "class A\n  def b\n  end\nend\n\ndef c\nend\n", ["A", "c"]),
        ("a.sql", "CREATE TABLE plants (\n id int\n);\n", ["plants"]),
        ("Makefile", "all: x\n\techo\n\nclean:\n\trm x\n", ["all", "clean"]),
    ],
)
def test_definitions_of_other_languages(parse, name, text, names):
    assert [each[-1] for each in paths(parse(name, text)) if each] == names


def test_csv_rows_with_line_ends_in_quotes_are_one_block(parse):
    (section,) = parse("a.csv", 'name,text\nx,"one\n\ntwo"\ny,z\n').sections
    assert [section.text[each.start : each.end] for each in section.blocks][1] == 'x,"one\n\ntwo"'
    assert section.context == "name,text"


def test_csv_has_its_whole_header_below_titles_and_with_years(parse):
    assert parse("a.csv", "Bees\n\nKeeper;Hives\nAna;14\n").sections[0].context == "Keeper;Hives"
    assert parse("a.csv", "Town;2021;2022\nBern;1;2\n").sections[0].context == "Town;2021;2022"
    assert parse("a.csv", ";Visitors;\nCourse;2022;2023\nClay;1;2\n").sections[0].context == (
        "Course;Visitors 2022;Visitors 2023"
    )
    names = ",".join(f"a long name {at}" for at in range(60))
    assert parse("a.csv", f"{names}\n{','.join(['1'] * 60)}\n").sections[0].context == names


def test_csv_without_a_header_has_no_context(parse):
    assert parse("a.csv", "1,2\n3,4\n").sections[0].context == ""


def test_a_quote_that_never_ends(parse):
    (section,) = parse("a.csv", 'a,b\n"' + "x,y\n" * 60_000).sections
    assert section.text.endswith("x,y")


def test_html_leaves_boilerplate_out(parse):
    document = parse(
        "a.html",
        "<body><header>Site</header><div role=navigation>Menu</div><p>Text<script>x</script> goes on</p>"
        "<table><tr><td><p>laid<td><table><tr><td>a<td>b</table></table><footer>F</footer>",
    )
    assert "\n\n".join(each.text for each in document.sections) == "Text goes on\n\nlaid\n\na | b"


def test_html_says_its_encoding(parse):
    page = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Привет</p>'
    assert parse("a.html", page.encode("cp1251")).sections[0].text == "Привет"


def test_html_nested_without_end(parse):
    with pytest.raises(UnreadableError):
        parse("a.html", "<div>" * 100_000)
    assert parse("a.html", "<div>" * 1_000 + "deep").sections[0].text == "deep"


def test_json_that_is_no_recipe_is_settings(parse):
    assert parse("a.json", '{"ingredients": 3}').source_type == "config"
    with pytest.raises(UnreadableError) as caught:
        parse("a.jsonld", '{"@type": "Person"}')
    assert caught.value.code == "damaged"


def test_half_a_surrogate_pair_reaches_no_text(parse):
    odd = "\\ud800 salt"
    recipe = (
        f'{{"@type": "Recipe", "name": "{odd}", "ingredients": ["{odd}"], "steps": [{{"{odd}": "{odd}"}}]}}'
    )
    cell = f'{{"cells": [{{"cell_type": "markdown", "source": "# {odd}"}}]}}'
    for document in (
        parse("a.jsonld", recipe),
        parse("a.ipynb", cell),
        parse("a.md", f'---\ntitle: "{odd}"\n---\nx'),
    ):
        shown = [
            document.title,
            *(part for each in document.sections for part in (each.text, *each.heading_path)),
        ]
        assert "salt" in document.title
        assert "\n".join(shown).encode("utf-8")


def test_a_large_key_of_settings_is_cut_at_the_keys_within_it(parse):
    words = "so that it is long enough to be cut into parts of its own, " * 12
    names = [f"berth{number}" for number in range(6)]
    yaml = "harbour:\n  # By length.\n  berths:\n" + "".join(
        f"    {name}:\n      note: {words}\n      length: {number}\n" for number, name in enumerate(names)
    )
    written = json.dumps(
        {"harbour": {"berths": {name: {"note": words, "length": 1} for name in names}}}, indent=1
    )
    for name, text in (("a.yaml", f"open: 7\n{yaml}fee: 12\n"), ("a.json", written)):
        document = parse(name, text)
        paths = [section.heading_path for section in document.sections]
        assert ("harbour", "berths") in paths
        assert all(section.text in text for section in document.sections)
        within = [section for section in document.sections if "length" in section.text]
        assert all(section.heading_path[:2] == ("harbour", "berths") for section in within)
    assert parse("a.yaml", yaml).sections[0].text.startswith("harbour:")
    assert parse("a.yaml", f"{yaml}fee: 12\n").sections[-1].heading_path == ()


def test_a_large_record_of_a_list_is_cut_under_its_name(parse):
    long = "a line that says little but takes its place in the file, " * 50
    records = [
        {"name": name, "log": long, "crew": {"skipper": "Ada", "log": long}} for name in ("Swift", "Heron")
    ]
    yaml = "".join(
        f"- name: {each['name']}\n  log: {long}\n  crew:\n    skipper: Ada\n    log: {long}\n"
        for each in records
    )
    toml = "".join(
        f'[[boats]]\nname = "{each["name"]}"\nlog = "{long}"\nskipper = "Ada"\n' for each in records
    )
    indented = json.dumps({"boats": records}, indent=1)
    for name, text in (("a.yaml", f"boats:\n{yaml}"), ("a.json", indented), ("a.toml", toml)):
        skippers = [section for section in parse(name, text).sections if "skipper" in section.text]
        assert [section.heading_path[:2] for section in skippers] == [("boats", "Swift"), ("boats", "Heron")]


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("a.json", '{"trip": "Lisbon", "hotel": {"nights": 3}}', ("Lisbon",)),
        ("a.json", '{"editor.font": "Menlo", "width": 80}', ()),
        ("a.json", '[{"name": "Swift"}]', ()),
        ("a.yaml", "name: Harbour\non: push\n", ("Harbour",)),
        ("a.yaml", "host: localhost\nport: 80\n", ()),
        ("a.json", "{" * 9_000, ()),
    ],
)
def test_a_file_of_settings_is_called_what_it_says(parse, name, text, path):
    assert parse(name, text).sections[0].heading_path == path if text.strip("{") else True


@pytest.fixture
def told(parse):
    """What an answer may quote of a file: the line, the kind and the words of each unit."""

    def told_units(name: str, content: str) -> list[tuple[int, str, str]]:
        chunks = StructureChunker().chunks(parse(name, content).sections)
        return [
            (chunk.locator.start_line + chunk.text.count("\n", 0, unit.start), unit.kind, unit.said)
            for chunk, (units, _) in zip(
                chunks,
                cut_chunks(ChunkText(chunk.text, chunk.context, "plain") for chunk in chunks),
                strict=True,
            )
            for unit in units
        ]

    return told_units


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.org", "# The code is 9911.\nThe gate is green.\n#+BEGIN_COMMENT\nThe code is 1.\n#+END_COMMENT"),
        ("a.org", "The gate is green.\n* COMMENT Plans\nThe code is 9911.\n** More\nThe code is 1 again.\n"),
        ("a.adoc", "// The code is 9911.\nThe gate is green.\n\n////\nThe code is 1 today.\n////\n"),
        ("a.tex", "The gate is green.\n% The code is 9.\n\\begin{comment}\nThe code is 1.\n\\end{comment}"),
        ("a.tex", "Not read.\n\\begin{document}\nThe gate is green. % not 5\n\\end{document}\nNo more."),
    ],
)  # fmt: skip
def test_what_is_commented_out_is_not_told(told, name, text):
    assert [said for _, _, said in told(name, text)] == ["The gate is green."]


def test_a_comment_inside_a_paragraph_does_not_end_it(told):
    assert told("a.tex", "Up to 5\\% of\n% ask Jo\nthe boats leak.\n") == [
        (1, "prose", "Up to 5% of the boats leak.")
    ]
    assert told("a.adoc", "Many of\n// ask Jo\nthe boats leak.\n") == [
        (1, "prose", "Many of the boats leak.")
    ]


def test_org_tells_properties_states_and_dates_as_fields(told):
    text = (
        "#+TODO: TODO WAIT(w@/!) | DONE\n* WAIT [#B] Tiles [1/2]   :home:shop:\n"
        "DEADLINE: <2024-03-15 Fri -3d>\n"
        ":PROPERTIES:\n:BUDGET: 400 EUR\n:ID: 17\n:END:\nThey come from Porto[fn:1].\n"
    )
    assert told("a.org", text) == [
        (3, "field", "Deadline: 2024-03-15; status: WAIT"),
        (5, "field", "Budget: 400 EUR"),
        (8, "prose", "They come from Porto."),
    ]


def test_org_titles_have_no_states_priorities_and_tags(parse):
    text = "* TODO [#A] Book the van :move:\ntext\n* DONE\ntext\n* VAN\ntext\n"
    assert paths(parse("a.org", text)) == [("Book the van",), ("DONE",), ("VAN",)]


def test_org_marks_are_not_read(told):
    text = "See [[https://example.org/a][the offer]] of /Vik/, =make x= and ~b~; not a/b/c or 2*3*4.\n"
    assert told("a.org", text) == [
        (1, "prose", "See the offer of Vik, `make x` and `b`; not a/b/c or 2*3*4.")
    ]


def test_tables_of_org_latex_and_asciidoc_name_their_columns(told):
    row = "Boat: Heron; Length: 9.2"
    org = "| Boat  | Length |\n|-------+--------|\n| Heron |    9.2 |\n#+TBLFM: $2=1\n"
    latex = "\\begin{tabular}{lr}\nBoat & Length \\\\ \\hline\n\\textbf{Heron} &\n9.2 \\\\\n\\end{tabular}\n"
    asciidoc = '[cols="1,1"]\n|===\n|Boat |Length\n\n|Heron\n|9.2\n|===\n'
    assert (3, "row", row) in told("a.org", org)
    assert (3, "row", row) in told("a.tex", latex)
    assert (5, "row", row) in told("a.adoc", asciidoc)
    assert (4, "row", row) in told("a.adoc", "[%header]\n,===\nBoat,Length\nHeron,9.2\n,===\n")


def test_asciidoc_cells_may_span_rows_and_columns(told):
    head = '[cols="3*",options="header"]\n|===\n|Kind\n|Port\n|Use\n\n'
    text = f"{head}.2+|ssl\n|443\n|new\n|444\n|old\n2+|none |x\n|===\n"
    assert [said for _, kind, said in told("a.adoc", text) if kind == "row"] == [
        "Kind: ssl; Port: 443; Use: new",
        "Kind: ssl; Port: 444; Use: old",
        "Kind: none; Use: x",
    ]


def test_asciidoc_attributes_stand_for_their_values(told, parse):
    text = (
        "= Boat\nIda Brand <i@example.org>\nv2, 2024-05-03\n:berths: 48\n:toc:\n\nWe have {berths} berths.\n"
    )
    assert told("a.adoc", text) == [
        (2, "field", "Author: Ida Brand"),
        (3, "field", "Version: 2, 2024-05-03"),
        (4, "field", "Berths: 48"),
        (7, "prose", "We have 48 berths."),
    ]
    document = parse("a.adoc", text)
    assert (document.title, document.source_date.value) == ("Boat", date(2024, 5, 3))


def test_asciidoc_lists_terms_and_admonitions(told):
    text = (
        ".Steps\n. pay the fee\n.. sign it\n. sail away now\n\nWinter:: ends in April.\n\n"
        "[WARNING]\n====\nNever burn leaves here.\n====\n\nSee <<fees,the fees>>, link:r.html[the rules], "
        "https://x.org[a page], conf:a.b[], image:x.png[]*now*.\n"
    )
    assert told("a.adoc", text) == [
        (1, "term", "Steps:"),
        (2, "item", "pay the fee"),
        (3, "item", "pay the fee: sign it"),
        (4, "item", "sail away now"),
        (6, "item", "Winter: ends in April."),
        (8, "term", "Warning:"),
        (10, "prose", "Never burn leaves here."),
        (13, "prose", "See the fees, the rules, a page, a.b, now."),
    ]


def test_entries_of_an_asciidoc_index_and_pictures_at_an_address_are_not_told(told):
    text = (
        'To(((boats, "hire (by day)", id="h")))((("fees"))) hire a ((dinghy)) (((oars)))costs 9.\n'
        "(((deposit)))\nThe deposit is 40 euros.\n\n"
        "The state is image:https://example.org/a.svg[Latest state, link=x] shown here.\n"
    )
    assert told("a.adoc", text) == [
        (1, "prose", "To hire a dinghy costs 9."),
        (2, "prose", "The deposit is 40 euros."),
        (5, "prose", "The state is shown here."),
    ]


def test_lines_within_a_cell_of_a_drawn_table_have_no_marks(told):
    table = "=====  ====================\nBoat   State\n=====  ====================\n"
    table += "Tern   | on the hard\n       | till May\nHeron  in the water\n=====  ====================\n"
    assert [said for _, kind, said in told("a.rst", f"Boats\n\n{table}") if kind == "row"] == [
        "Boat: Tern; State: on the hard till May",
        "Boat: Heron; State: in the water",
    ]


def test_hashes_make_no_heading_of_org(told, parse):
    text = "## Best read in the evening\n* Boats\nThe quay has 48 berths.\n## the end of it all\n"
    assert paths(parse("a.org", text)) == [(), ("Boats",)]
    assert parse("a.org", text).title == "Boats"


def test_what_asciidoc_takes_as_it_is_written_has_no_marks(told):
    text = "Call ++pay_now()++ of the C++ or Moor++ program, then (++stop++).\n"
    assert told("a.adoc", text) == [(1, "prose", "Call pay_now() of the C++ or Moor++ program, then (stop).")]


def test_items_that_restructured_text_counts_are_items(told, parse):
    text = (
        "Do this:\n\n#. Pay the fee now.\n#. Sail away today,\n   with a coat.\n\n"
        "   #. Take the oars along.\n\n#. Come back by dusk.\n\nOr::\n\n  #. this stays as code\n\n"
        "5. Stay on the quay.\n#. Read the #. sign there.\n"
    )
    assert told("a.rst", text)[1:] == [
        (3, "item", "Pay the fee now."),
        (4, "item", "Sail away today, with a coat."),
        (7, "item", "Take the oars along."),
        (9, "item", "Come back by dusk."),
        (11, "term", "Or:"),
        (13, "code", "#. this stays as code"),
        (15, "item", "Stay on the quay."),
        (16, "item", "Read the #. sign there."),
    ]
    (section,) = parse("a.rst", text).sections
    assert "3. Come back" in section.text
    assert "6. Read" in section.text


def test_footnotes_over_several_lines_pictures_and_snippets_of_org(told):
    text = (
        "* Fees\nThe quay costs nine euros[fn::\nIt was eight until the [[https://x.org][last meeting]],\n"
        "see the minutes.] a day.\n\n[[./images/quay.jpg]]\n\nBring @@html:<b>@@two oars@@html:</b>@@ and a "
        "coat@@latex:\\\\newpage@@.\n\nSee [[file:quay.png][the plan]] or =@@html:x@@= for more.\n"
    )
    assert told("a.org", text) == [
        (
            2,
            "prose",
            "The quay costs nine euros (It was eight until the last meeting, see the minutes.) a day.",
        ),
        (8, "prose", "Bring two oars and a coat."),
        (10, "prose", "See the plan or `@@html:x@@` for more."),
    ]


def test_columns_of_a_table_stand_where_tabs_reach_to(told):
    table = "=====    ========================\nBoat     State\n=====    ========================\n"
    table += "Tern\t on the hard\nHeron\t in the water\n=====    ========================\n"
    assert [said for _, kind, said in told("a.rst", f"Boats\n\n{table}") if kind == "row"] == [
        "Boat: Tern; State: on the hard",
        "Boat: Heron; State: in the water",
    ]


def test_latex_is_told_as_it_is_set(told, parse):
    text = (
        "\\title{On Boats}\n\\date{3 May 2024}\n\\begin{document}\n"
        "\\section{Test of \\emph{hulls}}\\label{s}\n"
        "At \\SI{6}{knots}~\\cite{a} the ``Swift''\\footnote{Built in 1990.} of Erd\\H{o}s lost 5\\,\\% of "
        "$v_1$ --- see \\verb|run --all|.\n"
        "\\begin{itemize}\n\\item[Keel] is of lead.\n\\item Pay the fee.\n\\end{itemize}\n"
        "\\begin{lstlisting}\nx = 5 % {\n\\end{lstlisting}\n\\end{document}\n"
    )
    assert told("a.tex", text)[1:] == [
        (5, "prose", 'At 6 knots the "Swift" (Built in 1990.) of Erdős lost 5 % of $v_1$ — see `run --all`.'),
        (7, "item", "Keel: is of lead."),
        (8, "item", "Pay the fee."),
        (11, "code", "x = 5 % {"),
    ]
    document = parse("a.tex", text)
    assert (document.title, document.source_date.value) == ("On Boats", date(2024, 5, 3))
    assert paths(document)[1:] == [("Test of hulls",)]


def test_commands_of_a_latex_texts_own_read_as_what_they_stand_for(told, parse):
    text = (
        "\\newcommand{\\club}{Rowing \\emph{Club} e.\\,V.}\n\\newcommand{\\Part}[1]{\\section{#1}}\n"
        "\\newcommand{\\Rule}[2]{\n\n{\\bf (#1)} #2\n}\n\\newcommand{\\draft}[1]{}\n"
        "\\newcommand{\\again}[1]{\\again{#1}}\n"
        "\\newenvironment{Article}[2]{\\centerline{Art. #1 [#2]}}{}\n"
        "\\begin{document}\n\\newcommand{\\quoted}[2]{#1 of #2}\n\\Part{Fees of\nthe club}\n"
        "\\begin{Article}{4}{Guests}\n\\Rule{1}{The \\club{} takes\nguests.} \\draft{Who pays?}\n"
        "\\end{Article}\n\n\\quoted{A fee}{nine} is due \\again{at once}.\n\\mysubsection{Late pay}\n"
        "It costs \\EUR{5} more.\n\\end{document}\n"
    )
    assert told("a.tex", text) == [
        (14, "prose", "Art. 4 [Guests] (1) The Rowing Club e. V. takes guests."),
        (19, "prose", "A fee of nine is due at once."),
        (21, "prose", "It costs 5 € more."),
    ]
    assert paths(parse("a.tex", text)) == [("Fees of the club",), ("Fees of the club", "Late pay")]


def test_marks_of_the_package_for_german_are_letters_and_quotation_marks(told):
    text = 'Der Verein hei"st "`Ruder"-club"\'. Er hat Ruder"=~und Segelboote f"ur 3\\"o G\\"aste.\n'
    german = "\\usepackage[ngerman]{babel}\n\\begin{document}\n" + text.replace('3\\"o ', "")
    said = [said for _, _, said in told("a.tex", german)]
    assert said == ["Der Verein heißt „Ruderclub“.", "Er hat Ruder- und Segelboote für Gäste."]
    other = 'The sign says "`No fires"\' at the quay, 5" high.\n'
    assert told("b.tex", other) == [(1, "prose", 'The sign says „No fires“ at the quay, 5" high.')]


def test_a_latex_command_that_doubles_itself_ends():
    doubled = "".join(
        f"\\newcommand{{\\d{chr(98 + n)}}}[1]{{\\d{chr(97 + n)}{{#1}}\\d{chr(97 + n)}{{#1}}}}\n"
        for n in range(24)
    )
    within = "\\db{" * 30 + "x" + "}" * 30
    text = f"\\newcommand{{\\da}}[1]{{oar #1 #1}}\n{doubled}\\dy{{boat}} at {within}.\n"
    assert len(LatexParser().read_markup(text).written) < 10_000


def test_lists_and_boxes_of_a_latex_texts_own_are_lists_and_have_their_names(told):
    text = (
        "\\begin{myEnum}\n\\item The board may buy:\n"
        "\\begin{subList}\n\\item a new boat for guests\n\\end{subList}\n"
        "\\item It meets on Mondays.\n\\end{myEnum}\n"
        "\\begin{outline}\n\\1 Bring a coat along.\n\\2 A dry one too.\n\\end{outline}\n\n"
        "\\begin{rule}[Quiet hours]\nNobody rows at night.\n\\end{rule}\n"
        "\\begin{column}{0.5\\textwidth}\nThe quay is long.\n\\end{column}\n"
        "\\begin{clause}{7}{Moorings}\nA mooring has a number.\n\\end{clause}\n"
    )
    assert [said for _, _, said in told("a.tex", text)] == [
        "The board may buy:",
        "a new boat for guests",
        "It meets on Mondays.",
        "Bring a coat along.",
        "A dry one too.",
        "Quiet hours: Nobody rows at night.",
        "The quay is long.",
        "7 Moorings: A mooring has a number.",
    ]


def test_slides_of_latex_have_titles_and_do_not_say_when_they_are_seen(told, parse):
    text = (
        "\\section{Rowing}\n\\subsection{Safety}\n\\begin{frame}[fragile]<2>{What to wear}\n"
        "\\begin{itemize}\n\\item<1-> Wear a vest on board.\n"
        "\\item<2-> \\alert<3>{Never} row alone.\n\\end{itemize}\n"
        "\\mode<beamer>{Ask the crew.}\n\\end{frame}\n\\begin{frame}\n\\frametitle{Where to go}\n"
        "Stay near the quay if $a<2>b$ holds.\n\\end{frame}\n"
    )
    assert [said for _, _, said in told("a.tex", text)] == [
        "Wear a vest on board.",
        "Never row alone.",
        "Ask the crew.",
        "Stay near the quay if $a<2>b$ holds.",
    ]
    assert paths(parse("a.tex", text))[2:] == [
        ("Rowing", "Safety", "What to wear"),
        ("Rowing", "Safety", "Where to go"),
    ]


def test_places_of_written_text_are_lines_of_the_file(parse, tmp_path):
    (tmp_path / "b.org").write_text("# no\n\n* One\n\n\nText of it.\n")
    (section,) = parse("b.org", "# no\n\n* One\n\n\nText of it.\n").sections
    assert (section.locator.start_line, section.locator.end_line) == (3, 6)
    assert text_at(tmp_path / "b.org", section.locator) == section.text == "# One\n\n\nText of it."


def test_restructured_fields_are_told(told):
    text = (
        ":Version: 2.4\n\n:param timeout: seconds to wait\n:raises LockedError: when it is locked\n"
        ":param str host: the name of the\n   server\n:returns: a session\n\n"
        ":Exit code 5: No tests were collected\n"
    )
    assert told("a.rst", text) == [
        (1, "field", "Version: 2.4"),
        (3, "field", "timeout: seconds to wait"),
        (4, "field", "Raises LockedError: when it is locked"),
        (5, "item", "host: the name of the server"),
        (7, "item", "Returns: a session"),
        (9, "field", "Exit code 5: No tests were collected"),
    ]


GRID = """
+--------+---------------------+
| Signal | Meaning             |
+========+=====================+
| Red    | The harbour is shut |
|        | for all boats       |
+--------+---------------------+
"""
COLUMNS = """
======  =====================
Signal  Meaning
======  =====================
Red     The harbour is shut
        for all boats
======  =====================
"""
LISTED = """
.. list-table:: Signals
   :header-rows: 1

   * - Signal
     - Meaning
   * - Red
     - The harbour is shut
       for all boats
"""
WITH_COMMAS = """
.. csv-table:: Signals
   :header: "Signal", "Meaning"

   "Red", "The harbour is shut for all boats"
"""


@pytest.mark.parametrize("table", [GRID, COLUMNS, LISTED, WITH_COMMAS])
def test_tables_drawn_in_text_have_whole_rows_under_named_columns(told, table):
    row = "Signal: Red; Meaning: The harbour is shut for all boats"
    line = 1 + table[: table.index("Red") if "- Red" not in table else table.index("* - Red")].count("\n")
    assert (line, "row", row) in told("a.rst", table)
    if table in (GRID, COLUMNS):
        assert (line, "row", row) in told("a.txt", table)


SPANNED_GRID = """
+------+-------------+
| Boat | Price       |
+------+------+------+
|      | Day  | Week |
+======+======+======+
| Tern | 2    | 9    |
| of   +------+------+
| Ida  | 3    | 12   |
+------+------+------+
| Gull | on request  |
+------+------+------+
"""
SPANNED_LATEX = r"""\begin{tabular}{lrr}
\toprule
 & \multicolumn{2}{c}{Price} \\
\cmidrule(lr){2-3}
Boat & Day & Week \\
\midrule
\multirow{2}{*}{Tern of Ida} & 2 & 9 \\
\rowcolor{gray} & 3 & 12 \\
\cline{1-3}
\addlinespace
Gull & \multicolumn{2}{c}{on request} \\
\bottomrule
\end{tabular}
"""


@pytest.mark.parametrize(
    ("name", "table", "lines"),
    [
        ("a.rst", SPANNED_GRID, (7, 9, 11)),
        ("a.txt", SPANNED_GRID, (7, 9, 11)),
        ("a.tex", SPANNED_LATEX, (7, 8, 11)),
    ],
)
def test_a_cell_that_spans_rows_or_columns_is_of_each(told, name, table, lines):
    rows = [
        "Boat: Tern of Ida; Price Day: 2; Price Week: 9",
        "Boat: Tern of Ida; Price Day: 3; Price Week: 12",
        "Boat: Gull; Price Day: on request; Price Week: on request",
    ]
    told_rows = [unit for unit in told(name, table) if unit[1] == "row"]
    assert told_rows == [(line, "row", row) for line, row in zip(lines, rows, strict=True)]


def test_restructured_terms_notes_and_substitutions(told):
    text = (
        "Quay\n    Where boats lie. It is long.\n\n.. |version| replace:: 4.2\n\n"
        "We use |version| now [1]_, H\\ :sub:`2`\\ O.\n\n.. [1] Since the last year.\n\n"
        "So::\n\n   :a: field of code\n"
    )
    assert told("a.rst", text) == [
        (1, "item", "Quay: Where boats lie."),
        (2, "item", "It is long."),
        (6, "prose", "We use 4.2 now, H2O."),
        (8, "prose", "Since the last year."),
        (10, "term", "So:"),
        (12, "code", ":a: field of code"),
    ]


def test_only_the_fields_above_the_first_paragraph_are_of_the_document(parse):
    assert parse("a.rst", "Title\n=====\n\n:date: 2024-05-03\n\nText.\n").source_date.value == date(
        2024, 5, 3
    )
    assert parse("a.rst", "Title\n=====\n\nText of it.\n\n:date: 2024-05-03\n").source_date is None


def test_what_is_printed_on_every_page_is_not_told(told):
    text = (
        "The client must not use the code\n\n\nHardt             Standards Track           [Page 26]\n\x0c\n"
        "RFC 6749           OAuth 2.0          October 2012\n\n\nmore than once.\n"
    )
    assert told("a.txt", text) == [(1, "prose", "The client must not use the code more than once.")]


def test_a_drawing_is_no_table(told):
    drawing = " +---+      +---+\n | A |----->| B |\n +---+      +---+\n"
    text = f"See the flow below.\n\n{drawing}\nIt is quite simple.\n"
    assert [kind for _, kind, _ in told("a.txt", text)] == ["prose", "code", "prose"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('<h1 align="center"><img src="a.svg" alt="Harbour"></h1>\n\n\n## Why\n\nFast.\n', "Harbour"),
        ('<div>\n<h1>The <b>Harbour</b> &amp; pier</h1>\n</div>\n\n## Why\n\nFast.\n', "The Harbour & pier"),
        ("## Why\n\n<h1>Harbour</h1>\n", "Why"),
        ("Why\n===\n\n<h1>Harbour</h1>\n", "Why"),
        ("<h1></h1>\n\n## Why\n\nFast.\n", "Why"),
        ("<h1>open\n\n## Why\n\nFast.\n", "Why"),
    ],
)  # fmt: skip
def test_a_heading_in_html_above_all_others_is_the_title(parse, text, title):
    assert parse("README.md", text).title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("## 2019\n\nRed.\n\n## 2018\n\nBlue.\n", ""),
        ("# 2019-04-01\n\nRed.\n\n# 2019-03-01\n\nBlue.\n", ""),
        ("## Segelplan\n\nRot.\n\n### Mai\n\nBlau.\n\n### Juni\n\nGelb.\n", "Segelplan"),
        ("# Barcos\n\nUm.\n\n# Remos\n\nDois.\n", "Barcos"),
        ("### Harbour\n\nRed.\n\n## One\n\nBlue.\n\n## Two\n\nGreen.\n", "Harbour"),
    ],
)
def test_one_of_several_headings_of_a_level_is_no_title(parse, text, title):
    assert parse("a.md", text).title == title


def test_a_file_of_variables_is_settings_and_so_is_a_build_file(tmp_path):
    registry = ParserRegistry()
    kinds = {
        name: registry.parser_for(tmp_path / name) for name in ("gateway.env", "pom.xml", "go.mod", "a.xml")
    }
    names = {name: parser and parser.name for name, parser in kinds.items()}
    assert names == {"gateway.env": "config", "pom.xml": "config", "go.mod": "code", "a.xml": None}


def test_lines_that_end_with_a_carriage_return_alone_are_lines(parse, tmp_path):
    text = "*The club*\r\r##Fees\rTwenty euros.\r\r###§3 Due \ufffcday\rThe first of May.\r"
    document = parse("rules.md", text)
    assert paths(document) == [(), ("Fees",), ("Fees", "§3 Due day")]
    assert document.sections[2].locator.start_line == 6
    (tmp_path / "opened.md").write_bytes(text.encode())
    opened = text_at(tmp_path / "opened.md", document.sections[2].locator)
    assert opened == "###§3 Due \ufffcday\nThe first of May."


def test_a_heading_without_a_blank_is_one_unless_it_is_a_tag(parse):
    document = parse("a.md", "#todo\n\nText.\n\n##§3 Prices\nTwo.\n\n```\n##code\n```\n")
    assert paths(document) == [(), ("§3 Prices",)]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (r"\raisebox{1.5ex}[0pt]{result} of it", "result of it"),
        (r"\termsub{Stratified sampling}{sample!stratified sampling} is fair", "Stratified sampling is fair"),
        (r"\pair{One boat}{two oars} here", "One boat two oars here"),
        (r"\textsc{B}{ob} is here", "Bob is here"),
        (r"See \Figure[A line that rises.]{0.6}{perfLinearModel} below", "See below"),
    ],
)
def test_the_arguments_of_a_command_stay_apart(parse, source, told):
    text = parse("a.tex", rf"\begin{{document}}{source}\end{{document}}").sections[0].text
    assert " ".join(text.split()) == told


def test_numbers_that_latex_sets_as_mathematics_are_numbers(told):
    text = (
        "Stir $ 2 $ spoons for $5 - 10$ minutes at $200^\\circ$, with $ \\frac {1}{2} $ cup of rice.\n\n"
        "A rope of length $l$ weighs $2l$ pounds on the pier.\n"
    )
    assert [line for _, _, line in told("a.tex", text)] == [
        "Stir 2 spoons for 5 - 10 minutes at 200°, with 1/2 cup of rice.",
        "A rope of length $l$ weighs $2l$ pounds on the pier.",
    ]


def test_partial_rules_mark_the_head_of_a_latex_table(parse):
    table = r"""\begin{tabular}{lll}
 & \multicolumn{2}{c}{outcome} \\
\cline{2-3}
 & infection & none \\
\cline{1-3}
vaccine & 5 & 9 \\
\raisebox{1.5ex}[0pt]{placebo} & 6 & 0 \\
\end{tabular}
"""
    text = parse("a.tex", rf"\begin{{document}}{table}\end{{document}}").sections[0].text
    assert [unit.line for unit in units_of(text) if unit.kind == "row"] == [
        "vaccine; outcome infection: 5; outcome none: 9",
        "placebo; outcome infection: 6; outcome none: 0",
    ]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_grid_of_thousands_of_lines_is_a_table(parse, is_whole):
    border = "+-------+-------+"
    rows = [line for number in range(4_000) for line in (f"| a{number:05}| {number:5} |", border)]
    drawn = [border, "| name  | count |", border.replace("-", "="), *rows]
    document = parse("a.txt", "\n".join(drawn if is_whole else [*drawn, "| note  | no grid |"]))
    last = StructureChunker().chunks(document.sections)[-1]
    assert ("name" in last.context) == is_whole


def test_what_an_outline_exports_as_html_is_read_and_its_marks_are_not(parse):
    text = (
        "#+begin_export html\n<p>ISBN 978-0 (E-book)</p>\n<div\n class='x'>&copy; Ann</div>\n#+end_export\n"
        "#+begin_export latex\n\\frontmatter\n#+end_export\n* Rope\n:PROPERTIES:\n:Wordcount: 12\n:END:\n"
        "It is long [cite:@roe_1999;@chan_2001 p. 5], and strong.\n#+begin_example\n,* Heading\n,#+title: x\n"
        "#+end_example\n"
    )
    document = parse("a.org", text)
    assert [" ".join(section.text.split()) for section in document.sections] == [
        "ISBN 978-0 (E-book) © Ann",
        "# Rope It is long, and strong. ``` * Heading #+title: x ```",
    ]


def test_links_of_restructured_text_are_their_words(parse):
    text = (
        parse(
            "a.rst",
            "Rules\n=====\n\nThe :term:`open data` of `the club`_ has a five-star_ scheme, see\n"
            ":ref:`the fees <fees>` and `a page <https://x.example>`__ but not ``a_b_`` or some_.\n\n"
            ".. _five-star: https://x.example/five\n",
        )
        .sections[0]
        .text
    )
    assert "The open data of the club has a five-star scheme, see\n" in text
    assert "\nthe fees and a page but not ``a_b_`` or some_." in text
