"""Markup of a page in Markdown: what of it is read, and what is left out."""

import pytest
from recorded_prompts import chunk

from bob.answers.question import Question
from bob.answers.units.unit import cut, units_of
from bob.documents.formats.markdown import parse_markdown
from bob.text.markup import readable


def said(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, unit.said) for unit in units_of(text)]


TABS = """<Tabs
  groupId="boats"
  values={[
    { label: (<><Icon icon="a" style={{ margin: "1rem" }} /> Apple</>), value: "a" },
  ]}>
<TabItem value="a">

The bilge is pumped out daily.

</TabItem>
</Tabs>
"""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (TABS, ["The bilge is pumped out daily."]),
        ('import A from "@x/a";\nimport { B } from "y";\n\nThe crew is on board.', ["The crew is on board."]),
        ("export const meta = {\n  title: 'A boat'\n};\n\nThe crew is on board.", ["The crew is on board."]),
        ("We import the goods from Bremen.", ["We import the goods from Bremen."]),
        ("<Tip>Wear gloves in the shed.</Tip>", ["Wear gloves in the shed."]),
        ("<Source> is the folder that you copy.", ["<Source> is the folder that you copy."]),
        (
            '{{< figure\n  src="a.png"\n  alt="A red boat"\n>}}\n\nIt floats on water.',
            ["It floats on water."],
        ),
        ("{{ user }} is replaced by the name.", ["{{ user }} is replaced by the name."]),
        ("<!-- Der Steg war\n\nlange gesperrt. -->\nDer Steg ist offen.", ["Der Steg ist offen."]),
        ("O cais abre hoje. <!-- ver com a Ana -->", ["O cais abre hoje."]),
        ("```\n<Tabs\n a=1>\n<!-- kept -->\n```", ["<Tabs a=1>"]),
        (r"Crew\*, guests\* and *others* pay.", ["Crew*, guests* and others pay."]),
    ],
)
def test_markup_of_a_page_is_not_read(text: str, read: list[str]) -> None:
    assert [line for _, line in said(text) if len(line.split()) > 1] == read


def test_html_in_markdown_begins_paragraphs_and_items() -> None:
    text = (
        "<h3>Motion 7</h3>\n<p>The club buys a new mast.</p>\n<p>It was passed by all.</p>\n"
        "<ul>\n<li>Ada brings the old mast away</li>\n\n<li>Bo pays</li>\n</ul>\n"
    )
    assert said(text) == [
        ("prose", "The club buys a new mast."),
        ("prose", "It was passed by all."),
        ("item", "Ada brings the old mast away"),
        ("item", "Bo pays"),
    ]


def test_headings_in_html_are_those_of_a_document_and_long_comments_are_left_out() -> None:
    text = (
        "<h1>Minutes</h1>\n<p>In May.</p>\n<h2 id='m'>Motions &amp; votes</h2>\n<p>None.</p>\n\n"
        "<!-- An old\n\nremark -->\n\nAll went home.\n\n## Dates\n\n<h2><img src=a.png></h2>\n"
    )
    sections = parse_markdown(text).sections
    assert [(section.heading_path, section.text) for section in sections] == [
        (("Minutes",), "<h1>Minutes</h1>\n<p>In May.</p>"),
        (("Minutes", "Motions & votes"), "<h2 id='m'>Motions &amp; votes</h2>\n<p>None.</p>"),
        (("Minutes", "Motions & votes"), "All went home."),
        (("Minutes", "Dates"), "## Dates\n\n<h2><img src=a.png></h2>"),
    ]


@pytest.mark.parametrize("marks", ["i) ii) iii) iv)", "(i) (ii) (iii) (iv)", "vii. viii. ix. x."])
def test_small_roman_numbers_are_marks_of_items(marks: str) -> None:
    items = ["sair do barco", "fechar a porta", "chamar a equipe", "esperar no cais"]
    text = "\n".join(f"{mark} {item}" for mark, item in zip(marks.split(), items, strict=True))
    assert said(text) == [("item", item) for item in items]
    assert len(units_of("Stir the sand and the lime well and then\nmix) it with the water.")) == 1


def test_a_line_with_bars_above_a_rule_opens_a_table() -> None:
    text = "Whom to ask:\nNeed|Address\n---|---\nA new sail|ana@example.org\n"
    assert said(text)[-1] == ("row", "Need: A new sail; Address: ana@example.org")
    assert said("Take a|b or c|d.\nThen go on.")[0][0] == "prose"


def test_a_name_in_bold_is_read_with_all_items_of_the_list_below_it() -> None:
    text = "**Green Mooring Rope X-11**\n\n- Length of 30 m\n- Holds 200 kg\n\nIt is new."
    assert said(text) == [
        ("term", "Green Mooring Rope X-11"),
        ("item", "Green Mooring Rope X-11: Length of 30 m"),
        ("item", "Green Mooring Rope X-11: Holds 200 kg"),
        ("prose", "It is new."),
    ]
    _, (whole,) = cut([(text, "")])[0]
    assert whole.said == "Green Mooring Rope X-11: Length of 30 m; Holds 200 kg"
    opened = "**Sie brauchen für den Mast:**\n\n- ein langes Seil\n- zwei Haken aus Eisen"
    assert [line for kind, line in said(opened) if kind == "item"] == [
        "ein langes Seil",
        "zwei Haken aus Eisen",
    ]


def test_escaped_stars_are_no_emphasis() -> None:
    assert readable(r"\*a\* *b* \_c\_") == "*a* b _c_"


def test_a_list_under_a_name_lacks_what_stands_under_another_name() -> None:
    text = (
        "**Mooring Rope Harlow**\n\n- Length of 30 m\n- Holds 200 kg\n\n"
        "**Towing Rope Brixham**\n\n- Length of 12 m\n- Holds 900 kg\n"
    )
    (units, whole), question = cut([(text, "")])[0], Question("How long is the rope Brixham?")
    missing = question.missing(chunk(1, text), (*units, *whole))
    lacks = {unit.said: "Brixham" in names for unit, names in zip((*units, *whole), missing, strict=True)}
    assert lacks["Mooring Rope Harlow: Length of 30 m"] and not lacks["Towing Rope Brixham: Length of 12 m"]
