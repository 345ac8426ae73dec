"""Units: what of a chunk can be quoted, and how it reads."""

import pytest

from bob.answers.units import cut, readable, units_of


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
        'The message begins with "squash! Fix" or with "fixup! Fix".',
    ],
)
def test_a_sentence_is_not_cut_inside(sentence: str) -> None:
    following = "Another sentence follows here."
    assert quotes(f"{sentence} {following}") == [sentence, following]


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


@pytest.mark.parametrize(
    ("quote", "read"),
    [
        ("See :pep:`405` and :func:`~os.walk`.", "See PEP 405 and os.walk."),
        ("A :ref:`section <with-label>` of `the page <https://x.org>`_.", "A section of the page."),
        ("The ``__init__`` method, ``0 <= x <= 255``.", "The `__init__` method, `0 <= x <= 255`."),
        ("**Bold** and *thin* and _thin_ [link](a.md).", "Bold and thin and thin link."),
        ("a snake_case_name and 2 * 3 * 4", "a snake_case_name and 2 * 3 * 4"),
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
    ((_, whole),) = cut([text])
    assert [unit.kind for unit in whole] == ["clauses", "clauses"]
    assert [item.line for item in whole[1].items] == [
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
