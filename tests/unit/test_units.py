"""Units: what of a chunk can be quoted, and how it reads."""

import pytest
from recorded_prompts import chunk

from bob.answers.question import Question
from bob.answers.units.narrow_units import narrowed
from bob.answers.units.table_rows import rows_of
from bob.answers.units.unit import MOST_CHARACTERS, cut, units_of
from bob.text.markup import readable


def quotes(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units_of(text)]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, text[unit.start : unit.end]) for unit in units_of(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Use a managed service, e.g. RDS, for the data.",
        "It needs version 3.7.2 of the library at least.",
        "J. Smith wrote the first draft of the policy.",
        "See https://example.org/a.b.html for the details of it.",
        "Amended by [17. Data Structure](0017-data.md) last year.",
        "Call ``split('a. B')`` to cut the text in two.",
        "The files (see Fig. 3. It is old) are kept for a year.",
        "They walk in this order: 1. The escort, 2. The clergy, 3. Members of the crew.",
        "The rooms are 4, 5, and 6.",
        'The message begins with "squash! Fix" or with "fixup! Fix".',
    ],
)
def test_a_sentence_is_not_cut_inside(sentence: str) -> None:
    following = "Another sentence follows here."
    assert quotes(f"{sentence} {following}") == [sentence, following]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See [the guide][guide] and [FAQ][] first.", "See the guide and FAQ first."),
        ("Send [the `id` of it](https://example.org/id) along.", "Send the `id` of it along."),
        ("Take [query `a=1`][query-link] as it is.", "Take query `a=1` as it is."),
        ("The value `a[0][1]` and table[0][1] stay.", "The value `a[0][1]` and table[0][1] stay."),
        ("![A boat](boat.png) at the quay", "A boat at the quay"),
        ('Click <span class="menu">Apply</span>,<br> then wait.', "Click Apply, then wait."),
        ("Copy <source> to `<b>`, then Vec<T>.", "Copy <source> to `<b>`, then Vec<T>."),
        ("Ask [[Ana]], [[people/ben|Ben]] or [[https://example.org][Carla]].", "Ask Ana, Ben or Carla."),
        ("Test it with `[[ -f x ]]` or [[ -f y ]].", "Test it with `[[ -f x ]]` or [[ -f y ]]."),
        ("It is ==very== old.[^1] %%Ask again%% ^block-1", "It is very old."),
        (
            "Fish &amp; chips&nbsp;cost 5&euro;, `&amp;` &lt;i&gt; &nothing;",
            "Fish & chips cost 5€, `&amp;` &lt;i&gt; &nothing;",
        ),
        (r"Write to ana\@example.org on \#3.", "Write to ana@example.org on #3."),
        ("It holds if a == b and c == d, or for [^a-z].", "It holds if a == b and c == d, or for [^a-z]."),
    ],
)
def test_a_link_is_read_by_its_label(written: str, shown: str) -> None:
    assert readable(written) == shown


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "The tent is dry again.\n-- \nAnn Lee\nGuild",
            [("prose", "The tent is dry again."), ("prose", "Ann Lee Guild")],
        ),
        ("====\nNever fill petrol inside.\n====", [("prose", "Never fill petrol inside.")]),
        ("Opening hours\n---\nWe open at nine.", [("prose", "We open at nine.")]),
        ("13. Mai 2012 um elf Uhr", [("prose", "13. Mai 2012 um elf Uhr")]),
        ("● Wash the cup\n● Dry the cup", [("item", "Wash the cup"), ("item", "Dry the cup")]),
        (
            "> [!note]- The van\n> It is paid until June.",
            [("term", "The van"), ("prose", "It is paid until June.")],
        ),
        (
            "::: tip Starch\nTake corn starch instead.\n:::",
            [("term", "Starch"), ("prose", "Take corn starch instead.")],
        ),
        (
            '??? Note "Keys"\n    Bring them back on Sunday.',
            [("term", "Keys"), ("prose", "Bring them back on Sunday.")],
        ),
        ("!!! do not forget the keys", [("prose", "!!! do not forget the keys")]),
        (
            "%%\nThe code is 4711.\n%%\n%% or 4712 %%\nRing the bell twice.",
            [("prose", "Ring the bell twice.")],
        ),
        ("[^1]: It doubles in 2026.\n\n[x]: https://example.org", [("prose", "It doubles in 2026.")]),
        ("@lea has kept the bees since 2019.", [("prose", "@lea has kept the bees since 2019.")]),
        (
            "Smoking prohibited. Dogs stay on a leash.",
            [("prose", "Smoking prohibited."), ("prose", "Dogs stay on a leash.")],
        ),
        (
            "A wall of stone  \nA roof of straw  \nNo door at all",
            [("item", "A wall of stone"), ("item", "A roof of straw"), ("item", "No door at all")],
        ),
        (
            "Melt the butter in a pan that is not too\nhot and stir until it is brown all over\n"
            "and take it off",
            [
                (
                    "prose",
                    "Melt the butter in a pan that is not too hot and stir until it is brown all over and "
                    "take it off",
                )
            ],
        ),
    ],
)
def test_marks_of_notes_comments_and_rules_are_read_as_what_they_mean(text, read) -> None:
    assert [(unit.kind, unit.line) for unit in units_of(text)] == read


def test_clauses_of_a_sentence_in_brackets_are_a_list_but_paragraphs_of_a_law_are_none() -> None:
    [(_, beside)] = cut([("The club has these bodies:\n\n(1) the board,\n\n(2) the meeting of members.", "")])
    assert [[item.line for item in unit.items] for unit in beside] == [
        ["the board,", "the meeting of members."]
    ]
    [(units, beside)] = cut([("(1) The board has three members.\n\n(2) It meets in May.", "")])
    assert ([unit.kind for unit in units], beside) == (["prose"] * 2, [])


def test_a_block_quote_is_prose_without_its_marks() -> None:
    assert kinds("> Dogs may come on a leash.\n> Cats may not come in.") == [
        ("prose", "Dogs may come on a leash."),
        ("prose", "Cats may not come in."),
    ]
    assert (
        quotes("1. Open the gate slowly.\n   > Dogs may come on a leash.")[1] == "Dogs may come on a leash."
    )


def test_a_few_words_that_open_a_list_belong_to_the_sentence_before() -> None:
    text = "Ask for it. To send it, write to the office. We will:\n\n- check the text\n- send it out today"
    assert quotes(text)[:2] == ["Ask for it.", "To send it, write to the office. We will:"]


@pytest.mark.parametrize(
    ("paragraph", "units"),
    [
        ("Glare. Light that makes it hard to see.", ["Glare. Light that makes it hard to see."]),
        (
            "Full Cut-off Fixtures. Fixtures that let no ray out. They are of metal.",
            ["Full Cut-off Fixtures. Fixtures that let no ray out.", "They are of metal."],
        ),
        (
            "Section 2. Special Meetings. The chair calls them.",
            ["Section 2. Special Meetings. The chair calls them."],
        ),
        ("Yes. The pump runs at night.", ["Yes. The pump runs at night."]),
        ("Smoking prohibited. Dogs wait at the gate.", ["Smoking prohibited.", "Dogs wait at the gate."]),
        ("Members vote in June. Guests may listen.", ["Members vote in June.", "Guests may listen."]),
    ],
)
def test_a_name_at_the_beginning_of_a_paragraph_belongs_to_what_it_names(paragraph, units) -> None:
    assert quotes(paragraph) == units


def test_what_stands_behind_a_note_of_rst_is_prose() -> None:
    text = ".. note:: The crane uses berth five\n   from May on.\n\nIt is inspected once a year."
    assert quotes(text) == ["The crane uses berth five\n   from May on.", "It is inspected once a year."]


def test_a_fence_right_below_a_line_is_no_line_under_a_title() -> None:
    assert kinds("Run this on the server:\n```\nmake all\n```\nThen wait for a minute.\n") == [
        ("prose", "Run this on the server:"),
        ("code", "make all"),
        ("prose", "Then wait for a minute."),
    ]


def test_a_field_that_a_line_break_ends_is_not_told_with_the_text_below_it() -> None:
    text = "Deadline: 2024-03-15  \nAsk whether the fuse box needs a new circuit.\n"
    assert kinds(text) == [
        ("field", "Deadline: 2024-03-15"),
        ("prose", "Ask whether the fuse box needs a new circuit."),
    ]


def test_a_table_of_contents_and_lines_of_tags_are_no_units() -> None:
    contents = "- [The first gate](#first-gate)\n- [The other gate](#other)"
    text = f'{contents}\n\n<img src="a.png" alt="a b c"/> <br>\n\nIt is shut.'
    assert quotes(text) == ["It is shut."]


@pytest.mark.parametrize(
    ("above", "is_contents"),
    [
        ("# The boathouse\n\nIt has many gates.", True),
        ("The boathouse\n=============", True),
        ("## Table of Contents", True),
        ("Inhalt\n------\n\nWas hier steht.", True),
        ("# The boathouse\n\n## The gates", False),
        ("The gates\n---------", False),
        ("### Contents of the shed", False),
    ],
)
def test_links_into_the_page_are_a_table_of_contents_below_the_title_or_a_heading_that_says_so(
    above: str, is_contents: bool
) -> None:
    links = "* [Boats](#boats)\n* [Oars](#oars)"
    [(_, beside)] = cut([(f"{above}\n\n{links}", "")])
    assert [unit.line for unit in beside if unit.items] == ([] if is_contents else ["Boats; Oars"])


def test_links_into_the_page_that_a_sentence_opens_are_a_list() -> None:
    text = "Four gates lead to it:\n\n- [The first gate](#first-gate)\n- [The other gate](#other)"
    assert [kind for kind, _ in kinds(text)] == ["prose", "item", "item"]


def test_a_long_address_makes_no_list_of_wrapped_lines() -> None:
    text = (
        "If you find a leak in a boat that you believe may be a danger to others\n"
        "please write to the keeper of the boathouse rather than tell it to the\n"
        "crew of it (see [our rules](https://example.org/the/rules/of/the/boathouse/and/its/keeper))."
    )
    assert len(quotes(text)) == 1


def test_an_address_alone_and_a_tag_of_a_template_are_no_units_but_an_address_is_an_item() -> None:
    text = (
        "{{ members_of: the_boathouse }}\n{% include shed.html %}\n\nUse `{{ name }}` for your name.\n\n"
        "- The new pump\n  - <https://example.org/the/new/pump>\n- https://example.org/the/old/pump\n"
    )
    assert quotes(text) == ["Use `{{ name }}` for your name.", "The new pump"]
    assert lists_of(text)[-1] == "The new pump: <https://example.org/the/new/pump>"


def test_a_word_that_is_all_that_stands_under_a_heading_is_what_the_section_says() -> None:
    text = "## Location\n\nKitchen\n\n## Power\n\nEach fuse has 16 amperes.\n\n## Electrician\n\nMeyer"
    assert [unit.line for unit in units_of(text)] == ["Kitchen", "Each fuse has 16 amperes.", "Meyer"]
    underlined = "Location\n--------\n\nKitchen\n\nPower\n-----\n\nEach fuse has 16 amperes."
    assert [unit.line for unit in units_of(underlined)] == ["Kitchen", "Each fuse has 16 amperes."]
    # Here it names what follows.
    named = "## Location\n\nKitchen\n\nBeside the door, below the shelf.\n\n## Power"
    assert [kind for kind, _ in kinds(named)] == ["term", "prose"]


def test_metadata_lines_are_fields_and_a_blank_line_with_spaces_underlines_nothing() -> None:
    text = "Date: 2017-06-30\n \n## Decision\n \nWe are using one provider for all.\n \n"
    assert kinds(text) == [("field", "Date: 2017-06-30"), ("prose", "We are using one provider for all.")]


def test_a_table_has_a_head_and_rows() -> None:
    text = "| Place | Range |\n|---|---|\n| Production | 10.13.0.0/16 |"
    assert [kind for kind, _ in kinds(text)] == ["head", "row"]
    assert readable(quotes(text)[1]) == "Production | 10.13.0.0/16"


def test_restructured_text_gives_signatures_prose_and_code_but_no_directives() -> None:
    text = (
        ".. function:: run(main, *, debug=None)\n\n"
        "   Execute the :term:`coroutine` *main* and return.\n\n"
        "   Example::\n\n      async def main():\n          pass\n\n      run(main())\n\n"
        "   .. index:: loop\n      single: run; of a loop\n\n"
        "   .. versionchanged:: 3.9\n      It cancels what is left over.\n"
    )
    assert kinds(text) == [
        ("term", "run(main, *, debug=None)"),
        ("prose", "Execute the :term:`coroutine` *main* and return."),
        ("term", "Example::"),
        ("code", "      async def main():\n          pass\n\n      run(main())"),
        ("prose", "versionchanged:: 3.9\n      It cancels what is left over."),
    ]


def test_lines_that_end_early_on_purpose_stand_for_themselves() -> None:
    text = "Eric Wong (3):\n  svn: fix the fetch\n  svn: a line that is very much longer\n  svn: end it"
    assert [kind for kind, _ in kinds(text)] == ["item"] * 4
    wrapped = "This is a paragraph whose lines are\nwrapped, so that each of them is as\nlong as it can be."
    assert kinds(wrapped) == [("prose", wrapped)]


def test_a_fence_and_a_prompt_are_code() -> None:
    assert kinds("```python\nx = 1\n```\n\n$ git stash\n$ git pull") == [
        ("code", "x = 1"),
        ("code", "$ git stash\n$ git pull"),
    ]


def test_a_fence_is_closed_by_its_own_marks() -> None:
    below = ("prose", "The press runs on Mondays.")
    assert kinds("~~~\n```\nx = 1\n~~~\n\nThe press runs on Mondays.") == [("code", "```\nx = 1"), below]
    nested = kinds("````markdown\n```sh\nls\n```\n\n```sh\npwd\n```\n````\n\nThe press runs on Mondays.")
    assert [kind for kind, _ in nested].count("prose") == 1 and nested[-1] == below


@pytest.mark.parametrize(
    ("quote", "read"),
    [
        ("See :pep:`405` and :func:`~os.walk`.", "See PEP 405 and os.walk."),
        ("A :ref:`section <with-label>` of `the page <https://x.org>`_.", "A section of the page."),
        ("The ``__init__`` method, ``0 <= x <= 255``.", "The `__init__` method, `0 <= x <= 255`."),
        ("**Bold** and *thin* and _thin_ [link](a.md).", "Bold and thin and thin link."),
        ("a snake_case_name and 2 * 3 * 4", "a snake_case_name and 2 * 3 * 4"),
        ("A Cortex-M4**F** has 2**3**4 of them.", "A Cortex-M4F has 2**3**4 of them."),
        ("| a | b |", "a | b"),
        ("two\n> quoted\n> lines", "two quoted lines"),
    ],
)
def test_a_quote_reads_without_markup(quote: str, read: str) -> None:
    assert readable(quote) == read


def test_items_as_laws_have_them_are_items_and_no_code() -> None:
    text = (
        "São privativos de brasileiro nato os cargos:\n\n  I - de Presidente da República;\n\n"
        "  II - da carreira diplomática;\n\n  III - a idade mínima de:\n\n"
        "    _a)_ trinta anos para Governador;\n\n    _b)_ dezoito anos para Vereador.\n"
    )
    assert kinds(text) == [
        ("prose", "São privativos de brasileiro nato os cargos:"),
        ("item", "de Presidente da República;"),
        ("item", "da carreira diplomática;"),
        ("item", "a idade mínima de:"),
        ("item", "trinta anos para Governador;"),
        ("item", "dezoito anos para Vereador."),
    ]
    ((_, whole),) = cut([(text, "")])
    assert [unit.kind for unit in whole] == ["clauses", "clauses"]
    assert [item.line for item in whole[1].items] == [
        "a idade mínima de:",
        "trinta anos para Governador;",
        "dezoito anos para Vereador.",
    ]


@pytest.mark.parametrize(
    "line", ["int limit;", "items.append(one);", "x = 3;", "SELECT name FROM users;", "std::move;", "return;"]
)
def test_statements_that_end_with_a_semicolon_are_code(line: str) -> None:
    assert [kind for kind, _ in kinds(f"As follows.\n\n{line}\n")][-1] == "code"


def test_an_empty_row_inside_a_table_makes_no_head_of_the_row_above_it() -> None:
    text = "|  | Amount |\n|---|---:|\n| Total assets | $616 |\n|  |  |\n| Net position | $616 |\n"
    assert kinds(text) == [
        ("head", "|  | Amount |"),
        ("row", "| Total assets | $616 |"),
        ("row", "| Net position | $616 |"),
    ]


TABLES = {
    "|  |  |  |\n| --- | --- | --- |\n| 2 | 3-11 | 12 |\n| Hostile | Wary | Helpful |\n": [
        ("head", ""),
        ("row", "2: Hostile; 3-11: Wary; 12: Helpful"),
    ],
    "| Boat | Length |\n| --- | ---: |\n| Heron | 9.2 |\n| Swift | 5.1 |\n": [
        ("head", ""),
        ("row", "Boat: Heron; Length: 9.2"),
        ("row", "Boat: Swift; Length: 5.1"),
    ],
    "|  | 2024 | 2025 |\n| --- | --- | --- |\n| Dues | 5 |  |\n": [("head", ""), ("row", "Dues; 2024: 5")],
    "Boat | Length | Owner\nHeron | 9.2 | Piet\nSwift | 5.1 | Lena": [
        ("head", ""),
        ("row", "Boat: Heron; Length: 9.2; Owner: Piet"),
        ("row", "Boat: Swift; Length: 5.1; Owner: Lena"),
    ],
    "|  | Amount |\n| --- | --- |\n| **Costs** |  |\n| Travel | 115 |\n|  |  |\n| Net sum | 7 |\n": [
        ("head", ""),
        ("row", "Costs"),
        ("row", "Costs; Travel; Amount: 115"),
        ("row", "Net sum; Amount: 7"),
    ],
    "Owner of it | Marta\nBerth | A3 in town\nLength | 7.5 m": [("row", ""), ("row", ""), ("row", "")],
    "| Boat | Length |\n| --- | --- |\n| Heron | 9.2 |\n\n| no head | for | these |\n": [
        ("head", ""),
        ("row", "Boat: Heron; Length: 9.2"),
        ("row", ""),
    ],
}


@pytest.mark.parametrize("text", TABLES)
def test_a_row_of_a_table_has_the_names_of_its_columns(text):
    assert [(unit.kind, unit.line if unit.cells else "") for unit in units_of(text)] == TABLES[text]


def test_a_table_that_goes_on_in_the_next_chunk_keeps_its_columns():
    ((units, _),) = cut([("| Swift | 5.1 |\n\nThe end of it all.", "| Boat | Length |")])
    assert [unit.line for unit in units] == ["Boat: Swift; Length: 5.1", "The end of it all."]
    ((units, _),) = cut([("The end of it all.", "| Boat | Length |")])
    assert [unit.line for unit in units] == ["The end of it all."]


def test_rows_of_delimited_text():
    text = 'Name;Role;Since\nBen;cook;2011\n"Schulz;\nAna";mate;\n'
    rows = rows_of(text, "")
    assert [(row.kind, row.line) for row in rows] == [
        ("head", "Name;Role;Since"),
        ("row", "Name: Ben; Role: cook; Since: 2011"),
        ("row", "Name: Schulz; Ana; Role: mate"),
    ]
    assert [text[row.start : row.end] for row in rows][2] == '"Schulz;\nAna";mate;'
    assert [row.line for row in rows_of("Ben;cook;2011", "Name;Role;Since")] == [rows[1].line]
    assert [row.cells for row in rows_of("cook;2011", "Name;Role;Since")] == [()]
    assert [(row.kind, row.cells) for row in rows_of("1;2\n3;4", "")] == [("row", ()), ("row", ())]


def test_of_a_long_row_is_told_what_has_to_do_with_the_question():
    columns = [f"column {number}" for number in range(60)]
    cells = [f"value {number}" for number in range(60)]
    head, row = ",".join(["name", *columns, "boiling_point"]), ",".join(["Helium", *cells, "4.222"])
    (unit,) = rows_of(row, head)
    assert narrowed(unit, "", {"boil", "helium"}).line == "name: Helium; boiling point: 4.222"
    assert narrowed(unit, "", {"melt"}) == unit


def test_of_a_long_row_with_many_columns_alike_is_told_what_is_nearest_to_the_question():
    columns = [
        f"Boats and berths of {year} that are let to {kind}" for year in range(2000, 2010) for kind in "abc"
    ]
    head, row = ",".join(["pier", *columns, "Boats of 2009"]), ",".join(["North", *map(str, range(31))])
    (unit,) = rows_of(row, head)
    told = narrowed(unit, "", {"boat", "2009", "north"})
    assert len(told.line) <= MOST_CHARACTERS
    assert told.cells[0] == ("pier", "North")
    assert told.cells[-1] == ("Boats of 2009", "30")


def test_what_a_row_has_empty_is_missing_of_it():
    row, other = rows_of("Ben,cook,\nTom,mate,1984-05-06", "Name,Role,date_of_birth")
    question = Question("What is the date of birth of the mate?")
    assert question.missing(chunk(1, "Ben,cook,\nTom,mate,1984-05-06"), [row, other]) == [
        ("date of birth",),
        (),
    ]


def test_a_cell_of_a_dash_is_empty() -> None:
    row = rows_of("2022,114,-", "Year,Pharmacies,Hospitals")[0]
    question = Question("How many hospitals were there in 2022?")
    assert question.missing(chunk(1, "2022,114,-"), [row]) == [("Hospitals",)]


def test_a_column_is_asked_for_by_a_word_that_says_something() -> None:
    row = rows_of("Ben,,Lisbon", "Name,From,To")[0]
    assert Question("Where does Ben travel from?").missing(chunk(1, "Ben,,Lisbon"), [row]) == [()]


def test_a_line_in_bold_above_others_and_an_amount_alone_are_no_part_of_what_follows() -> None:
    dough = "**Dough**\nThe oven is not heated before the dough is in.\n"
    assert kinds(dough) == [
        ("term", "**Dough**"),
        ("prose", "The oven is not heated before the dough is in."),
    ]
    hours = "10 hours\n\nClosing the issues that nobody has taken is done in spring.\n"
    assert [kind for kind, _ in kinds(hours)] == ["prose"]


def test_an_item_of_an_item_is_read_behind_its_name() -> None:
    text = (
        "- Travel\n  - Approved three grants\n    1. each of 500 €\n"
        "- **Web site**:\n  - Ana redesigns the start page\n"
        "- The board met twice in May.\n  - It will meet in June\n"
    )
    assert [unit.said for unit in units_of(text)] == [
        "Travel: Approved three grants",
        "Approved three grants: each of 500 €",
        "Web site: Ana redesigns the start page",
        "The board met twice in May.",
        "It will meet in June",
    ]


def test_what_a_paragraph_begins_with_before_a_colon_is_of_all_its_sentences() -> None:
    text = (
        "Ines: The lift has been out of order for three weeks. I am against a new one.\n\n"
        "**Sean:** We need one that goes down to the cellar. Note: it is May. It costs a lot.\n\n"
        "All agree to wait. It is late now.\n"
    )
    assert [unit.said for unit in units_of(text)] == [
        "Ines: The lift has been out of order for three weeks.",
        "Ines: I am against a new one.",
        "Sean: We need one that goes down to the cellar.",
        "Note: it is May.",
        "Note: It costs a lot.",
        "All agree to wait.",
        "It is late now.",
    ]
    alone = "There is one rule: the gate is shut from ten in the evening until six. It is old."
    assert units_of(alone)[1].said == "It is old."


def test_the_number_of_a_paragraph_is_no_sentence() -> None:
    text = "3.1. Members\n\n3.1.1. Members pay in May. They vote in June.\n\n3.1.2. Boats are let.\n"
    assert [(unit.line, unit.follows) for unit in units_of(text) if unit.kind == "prose"] == [
        ("Members pay in May.", False),
        ("They vote in June.", True),
        ("Boats are let.", False),
    ]


def lists_of(text: str) -> list[str]:
    [(_, beside)] = cut([(text, "")])
    return [f"{unit.said} (+{unit.more})" if unit.more else unit.said for unit in beside if unit.items]


def test_a_nested_list_is_told_whole_without_what_is_further_in_or_item_by_item() -> None:
    travel = "Travel\n  - Approved three grants\n  - Left are 4,000 €"
    text = f"- {travel}\n- Web site\n  - It is redesigned\n- Bees\n"
    assert lists_of(text) == [
        "Travel: Approved three grants; Left are 4,000 €; Web site: It is redesigned; Bees",
        "Travel; Web site; Bees",
        "Travel: Approved three grants; Left are 4,000 €",
        "Web site: It is redesigned",
    ]
    [(_, (_, _, branch, _))] = cut([(text, "")])
    assert text[branch.start : branch.end] == travel
    assert [item.above for item in branch.items] == [(), (branch.start,), (branch.start,)]


def test_a_list_is_not_told_by_outer_items_that_say_nothing_without_what_they_open() -> None:
    text = "- Shut the gate\n- Hang these things up:\n  - the key of it\n  - the lamp\n"
    assert lists_of(text) == [
        "Shut the gate; Hang these things up: the key of it; the lamp",
        "Hang these things up: the key of it; the lamp",
    ]


def test_an_item_of_an_item_is_a_list_under_the_name_of_both() -> None:
    text = "1. Garden\n   * Pond: it is drained in May\n     * Eva keeps the fish\n"
    assert lists_of(text) == [
        "Garden: Pond: it is drained in May: Eva keeps the fish",
        "Garden: Pond: it is drained in May: Eva keeps the fish",
    ]
    [(_, (garden, pond))] = cut([(text, "")])
    assert ((garden.under, len(garden.items)), (pond.under, len(pond.items))) == (("", 3), ("Garden", 2))


def test_of_a_list_that_is_too_long_is_told_what_stands_under_no_other_item() -> None:
    inner = "".join(f"    - plant number {n}\n" for n in range(8))
    text = f"- Beds\n  - in the north\n{inner}  - in the south\n{inner}- Paths\n"
    told = lists_of(text)
    assert told[:2] == ["Beds; Paths", "Beds: in the north; in the south"]
    assert [line.partition(":")[0] for line in told[2:]] == ["Beds", "Beds"]
    flat = "".join(f"- plant number {n}\n" for n in range(15))
    assert [line[-5:] for line in lists_of(flat)] == [" (+3)"]


@pytest.mark.parametrize(
    "text",
    [
        "8. Water the beds\n9. Shut the gate\n10. Hang up the key",
        " 9. Shut the gate\n10. Hang up the key",
        "> - Shut the gate\n> - Hang up the key",
        "- Shut the gate\n - Hang up the key",
    ],
)
def test_items_that_are_indented_nearly_alike_stand_under_none(text: str) -> None:
    assert len(lists_of(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "> - Shut the gate\n>   - Hang up the key",
        "- Shut the gate\n\t- Hang up the key",
        "9. Shut the gate\n\n    a. Hang up the key",
    ],
)
def test_an_item_that_is_indented_stands_under_the_one_above_it(text: str) -> None:
    [(units, _)] = cut([(text, "")])
    assert [len(unit.above) for unit in units] == [0, 1]


def test_a_quoted_list_has_items_and_the_mark_of_a_note_is_none() -> None:
    text = "> [!NOTE]\n> - Hold the button for ten seconds.\n> - Wait for the lamp.\n>\n> Password: tulip\n"
    assert kinds(text) == [
        ("item", "Hold the button for ten seconds."),
        ("item", "Wait for the lamp."),
        ("field", "Password: tulip"),
    ]


def lines_of(text: str, head: str = "") -> list[tuple[str, str]]:
    return [(unit.kind, unit.line if unit.cells else "") for unit in units_of(text, head)]


def test_only_the_first_rule_below_a_row_marks_a_head() -> None:
    assert lines_of("| Task | Owner |\n|---+---|\n| Roof | Ana |\n|---+---|\n| Gate | Ben |\n|---+---|") == [
        ("head", ""),
        ("row", "Task: Roof; Owner: Ana"),
        ("row", "Task: Gate; Owner: Ben"),
    ]
    assert lines_of("|---|---|\n| Task | Owner |\n|---|---|\n| Roof | Ana |\n|---|---|") == [
        ("head", ""),
        ("row", "Task: Roof; Owner: Ana"),
    ]
    assert lines_of("| Roof | 5 |\n| Gate | 4 |\n|---|---|\n| Both | 9 |") == [("row", "")] * 3


def test_the_rows_above_a_rule_name_the_columns_together() -> None:
    text = "Course | Visitors | Visitors\n|  | 2022 | 2023\n--- | --- | ---\nPottery | 18 | 23"
    assert lines_of(text)[2:] == [("row", "Course: Pottery; Visitors 2022: 18; Visitors 2023: 23")]


def test_a_head_with_one_name_is_no_group() -> None:
    text = "| Year | |\n|---|---|\n| 2006 | Casks of oak |"
    assert lines_of(text)[1:] == [("row", "Year: 2006; Casks of oak")]


def test_rows_without_a_first_cell_are_of_the_group_above_and_no_others() -> None:
    text = "|  |  | Cost |\n|---|---|---|\n| Supplies |  |  |\n|  | Paint | 60 |\n| Total |  | 60 |\n"
    assert [unit.line for unit in units_of(text) if unit.kind == "row"] == [
        "Supplies",
        "Supplies; Paint; Cost: 60",
        "Total; Cost: 60",
    ]


def test_a_line_without_bars_inside_a_table_names_the_rows_below_it() -> None:
    text = "Round | How often | Notes\nDaily\nWatering | twice | on the roof"
    named = [("row", "Round: Daily"), ("row", "Daily; Round: Watering; How often: twice; Notes: on the roof")]
    assert lines_of(text) == [("head", ""), *named]
    assert lines_of("Weeding | weekly | $5", "| Round | How often | Notes |") == [
        ("row", "Round: Weeding; How often: weekly; Notes: $5")
    ]


def test_a_bar_at_one_end_alone_is_of_the_frame() -> None:
    assert lines_of("| Crane | air | $50 |", "| Name | Moves by | Notes") == [
        ("row", "Name: Crane; Moves by: air; Notes: $50")
    ]
    assert lines_of("|  | air | $50", "| Name | Moves by | Notes |") == [("row", "Moves by: air; Notes: $50")]


def test_a_part_of_a_row_has_the_names_of_its_own_columns() -> None:
    assert lines_of("Shed 2 | 1998 | 7600", "| Place | Built | Price |\n| Hand press |") == [
        ("row", "Hand press; Place: Shed 2; Built: 1998; Price: 7600")
    ]
    (unit,) = rows_of("Shed 2;1998;", "Place;Built\nHand press")
    assert unit.line == "Hand press; Place: Shed 2; Built: 1998"


def test_titles_above_the_head_of_delimited_text_have_no_names() -> None:
    text = "Bee club 2023;;\n\nKeeper;Hives;Honey in kg\nAna;14;412,5\nSource: forms"
    for head in ("", "Keeper;Hives;Honey in kg"):
        assert [(row.kind, row.line) for row in rows_of(text, head)] == [
            ("row", "Bee club 2023;;"),
            ("head", "Keeper;Hives;Honey in kg"),
            ("row", "Keeper: Ana; Hives: 14; Honey in kg: 412,5"),
            ("row", "Source: forms"),
        ]


def test_years_and_equal_names_are_the_names_of_columns() -> None:
    assert [row.line for row in rows_of("Museum;2021;2022\nHall;81200;140350", "")][1] == (
        "Museum: Hall; 2021: 81200; 2022: 140350"
    )
    assert [row.line for row in rows_of("Fuel,Price,Price\nOil,1.62,1.71", "")][1] == (
        "Fuel: Oil; Price: 1.62; Price: 1.71"
    )


def test_what_stands_under_two_colons_on_a_line_of_their_own_is_code():
    code = "  pump config id   # shows it\n  rm stamp\n"
    text = f"Forget what was kept:\n\n::\n\n{code}\nAll is told again then.\n"
    assert [(unit.kind, unit.line) for unit in units_of(text)] == [
        ("prose", "Forget what was kept:"),
        ("code", "pump config id # shows it rm stamp"),
        ("prose", "All is told again then."),
    ]


@pytest.mark.parametrize(
    ("heading", "states"),
    [
        ("### Motion 1: The board will be composed of nine members", True),
        ("## Opening hours and prices of the pool", False),
        ("## What do members of the club pay for a whole year?", False),
        ("## 2.4.0 (2026-05-01)", True),
    ],
)
def test_a_heading_that_is_a_sentence_or_has_a_figure_states_something(heading: str, states: bool) -> None:
    _, beside = cut([(f"{heading}\n\nPassed unanimously by all who were there.", "")])[0]
    assert [unit.line for unit in beside] == [heading.lstrip("# ")] * states


def test_the_name_before_a_dash_or_colon_is_of_all_that_an_item_says() -> None:
    text = (
        "- Chloramine – It does not boil off. Tablets remove it in an hour.\n"
        "- **Chlorine**: It boils off. An open pot is enough for that.\n"
    )
    said = [unit.said for unit in units_of(text)]
    assert said[1] == "Chloramine: Tablets remove it in an hour."
    assert said[3] == "Chlorine: An open pot is enough for that."
