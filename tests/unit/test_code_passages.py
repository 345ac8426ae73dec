"""What an answer may quote of code: its comments as prose, what they describe as fields, and its lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.units.chunk_units import ChunkText, cut_chunks
from bob.text.code_definitions import declared_name


def read(text, path, *headings):
    [(units, beside)] = cut_chunks([ChunkText(text, "", "code", path, headings)])
    for unit in (*units, *beside):
        assert text[unit.start : unit.end].strip()
    return units, [unit.said for unit in beside if unit.kind == "field"]


def lines_of(units, kind):
    return [unit.line for unit in units if unit.kind == kind]


GOOGLE = '''def moor(boat, tries=3):
    """Bring a boat to its berth and try again in strong wind.

    Args:
        boat (str): The name of the boat.
        tries: How often it is tried. With 0 the first
            failure is the last.

    Returns:
        The number of the berth.

    Raises:
        BerthTaken: Another boat lies there.
    """
    return berth(boat)
'''
NUMPY = '''def moor(boat, tries=3):
    """Bring a boat to its berth and try again in strong wind.

    Parameters
    ----------
    boat : str
        The name of the boat.
    tries : int, optional
        How often it is tried.

    Returns
    -------
    int
        The number of the berth.
    """
'''
SPHINX = '''def moor(boat, tries=3):
    """Bring a boat to its berth and try again in strong wind.

    :param str boat: The name of the boat.
    :param tries: How often it is tried. With 0 the first
        failure is the last.
    :type tries: int
    :returns: The number of the berth.
    :raises BerthTaken: Another boat lies there.
    """
'''


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            GOOGLE,
            [
                "moor: boat: The name of the boat.",
                "moor: tries: How often it is tried. With 0 the first failure is the last.",
                "moor: returns: The number of the berth.",
                "moor: raises: BerthTaken: Another boat lies there.",
            ],
        ),
        (
            NUMPY,
            [
                "moor: boat: The name of the boat.",
                "moor: tries: How often it is tried.",
                "moor: returns: int The number of the berth.",
            ],
        ),
        (
            SPHINX,
            [
                "moor: boat: The name of the boat.",
                "moor: tries: How often it is tried. With 0 the first failure is the last.",
                "moor: returns: The number of the berth.",
                "moor: raises: BerthTaken: Another boat lies there.",
            ],
        ),
    ],
)
def test_what_a_docstring_says_of_each_parameter_is_a_field_of_its_function(text, fields):
    units, said = read(text, "harbour.py")
    assert said == fields
    assert lines_of(units, "prose") == ["Bring a boat to its berth and try again in strong wind."]
    assert lines_of(units, "code")[0] == "def moor(boat, tries=3):"


TYPES = """export type BerthOptions = {
\t/**
\tLargest number of boats that lie here.

\t@default 32
\t*/
\tmaxBoats?: number;

\t/**
\t * Nights until a berth is free again.
\t * @default 3
\t * @deprecated Since the
\t *   new pier is there.
\t */
\tnights?: number | false;
};

/**
 * Looks for a free berth.
 * @param {number} length - How long the boat is.
 * @param [pier="north"] Where to look.
 * @returns {string} The berth, or nothing.
 * @example
 * const berth = find(7);
 */
export async function find(
\tlength: number,
\tpier = "north",
): Promise<string> {
\treturn look(length, pier);
}
"""


def test_tags_are_fields_of_what_they_stand_above_and_a_union_is_no_table():
    units, said = read(TYPES, "berths.ts", "BerthOptions")
    assert said == [
        "maxBoats: default: 32",
        "nights: default: 3",
        "nights: deprecated: Since the new pier is there.",
        "find: length: How long the boat is.",
        "find: pier: Where to look.",
        "find: returns: string The berth, or nothing.",
    ]
    told = [unit.said for unit in units if unit.kind == "prose"]
    assert told == [
        "maxBoats: Largest number of boats that lie here.",
        "nights: Nights until a berth is free again.",
        "find: Looks for a free berth.",
    ]
    code = lines_of(units, "code")
    assert "maxBoats?: number;" in code
    assert "nights?: number | false;" in code
    assert 'export async function find( length: number, pier = "north", ): Promise<string> {' in code
    assert not [unit for unit in units if unit.kind in ("row", "term")]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", "class BerthTaken(Error):\n    code = 'B403'\n", "code = 'B403'"),
        ("a.py", "MAX = 5\n", "MAX = 5"),
        ("a.py", "class A:\n    timeout: int = 30\n    def f(self):\n        pass\n", "timeout: int = 30"),
        ("a.ts", "const defaults = {\n\tmaxBoats: 32,\n\tport: 8080,\n};\n", "port: 8080,"),
        ("a.js", "function open() {\n  let x = look();\n  x.maxBoats = 32;\n}\n", "x.maxBoats = 32;"),
        ("a.go", "type Client struct {\n\tRetryMax int // of tries\n}\n", "RetryMax int // of tries"),
        ("a.sql", "CREATE TABLE boats (\n  name TEXT NOT NULL,\n  length INT\n);\n", "name TEXT NOT NULL,"),
        ("a.java", "class A {\n  private static int MAX = 5;\n}\n", "private static int MAX = 5;"),
        ("a.rs", "pub const MAX: u32 = 5;\n", "pub const MAX: u32 = 5;"),
        ("Dockerfile", "FROM alpine:3\nEXPOSE 8080\n", "EXPOSE 8080"),
    ],
)  # fmt: skip
def test_a_line_that_declares_something_is_quoted_alone(path, text, line):
    units, _ = read(text, path)
    assert line in lines_of(units, "code")


def test_statements_are_told_together():
    text = "def f():\n    try:\n        berth = look(1)\n    except TakenError:\n        return None\n"
    units, _ = read(text, "a.py")
    assert lines_of(units, "code") == ["def f():", " ".join(text.split()[2:])]


@pytest.mark.parametrize(
    ("path", "text", "prose"),
    [
        ("a.py", "# The pier is closed\n# in winter.\nx = 1\n", ["The pier is closed in winter."]),
        ("a.c", "/* The pier is closed\n * in winter. */\nint x;\n", ["The pier is closed in winter."]),
        ("a.c", "#define PIER 4\n// Closed in winter, always.\n", ["Closed in winter, always."]),
        ("a.sql", "-- Boats that lie here.\nSELECT 1;\n", ["Boats that lie here."]),
        ("a.rs", "/// Opens the pier again.\nfn open() {}\n", ["Opens the pier again."]),
        ("a.py", '"""Opens the pier again."""\n', ["Opens the pier again."]),
        # A part of a file may begin or end within a comment.
        ("a.ts", " * The pier is closed.\n */\nopen();\n", ["The pier is closed."]),
        ("a.py", '    The pier is closed.\n    """\n    return 1\n', ["The pier is closed."]),
        ("a.py", 'def f():\n    """No, not yet.\n\n    Go on later.\n', ["No, not yet.", "Go on later."]),
        ("a.js", "globs = ['src/**/*.ts', '**/*.js']\n// The pier is closed.\n", ["The pier is closed."]),
        ("a.py", "# ------------\n# The pier is closed.\n#\n# ====\n", ["The pier is closed."]),
    ],
)  # fmt: skip
def test_a_comment_is_read_as_prose_without_its_marks(path, text, prose):
    units, _ = read(text, path)
    assert lines_of(units, "prose") == prose


def test_of_settings_the_comments_are_prose_and_of_json_nothing_but_fields():
    yaml = "# The pier is closed in winter.\nport: 80 # a pier has one\nlong: " + "word " * 30 + "\n"
    [(units, beside)] = cut_chunks([ChunkText(yaml, "", "config", "a.yaml")])
    assert [unit.line for unit in units] == ["The pier is closed in winter."]
    assert [unit.line for unit in beside][:1] == ["port: 80"]
    text = '{"note": "The pier is closed in winter.",\n"port": 80}'
    [(units, beside)] = cut_chunks([ChunkText(text, "", "config", "a.json")])
    assert (units, [unit.line for unit in beside]) == (
        [],
        ["note: The pier is closed in winter.", "port: 80"],
    )
    [(units, _)] = cut_chunks([ChunkText("Listens to all\n", "", "config", "a.conf")])
    assert [unit.line for unit in units] == ["Listens to all"]


def test_what_a_line_declares():
    assert declared_name("func (c *Client) Do(req *Request) error {") == "Do"
    assert declared_name("export class Berth extends Place {") == "Berth"
    assert declared_name("CREATE TABLE IF NOT EXISTS boats (") == "boats"
    assert declared_name("if (open) {") == ""


@given(
    st.text(alphabet="#/*-'\":@\\ \n\tabA1=(){}[];.,|", max_size=120),
    st.sampled_from(["a.py", "a.ts", "a.sql", "a.go", "Makefile", "a.el"]),
)
def test_any_code_is_cut_into_units_in_order(text, path):
    units, _ = read(text, path)
    assert all(0 <= unit.start < unit.end <= len(text) for unit in units)
    assert all(one.start <= other.start for one, other in pairwise(units))


def test_a_list_that_is_assigned_over_several_lines_is_told_whole():
    text = 'FEES = {\n    "guest": 12,\n    "member": 0,\n}\n\nx = [\n    open\n\nMAX = 5\n'
    [(units, beside)] = cut_chunks([ChunkText(text, "", "code", "a.py")])
    assert "MAX = 5" in [unit.line for unit in units]
    assert [(unit.kind, unit.line) for unit in beside] == [("code", 'FEES = { "guest": 12, "member": 0, }')]
