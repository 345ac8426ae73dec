"""Ignore files mean here what they mean to git, and no line of one takes long."""

import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bob.documents.ignore_rules import is_ignored_below, read_rules

NAMES = st.text("ab.", min_size=1, max_size=3).filter(lambda name: set(name) != {"."})
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = [
    "a",
    "b",
    "ab",
    "*",
    "**",
    "***",
    "?",
    "/",
    "/**/",
    "**/",
    "/**",
    "!",
    "#",
    "\\",
    "\\*",
    " ",
    "\\ ",
    ".",
]
BRACKETS = ["[ab]", "[!a]", "[^b]", "[a-b]", "[]a]", "[a", "[[:alpha:]]", "[[:digit:]]", "[\\]]", "[b-a]"]
WORDS = st.sampled_from([*PIECES, *BRACKETS])
LINES = (
    st.lists(WORDS, min_size=1, max_size=6).map("".join).filter(lambda line: not _UNDOCUMENTED.search(line))
)
_UNDOCUMENTED = re.compile(r"//|\\/|[^/!]\*\*+/|/\*\*+[^/*]|^!?\*\*+[^/*]")
"""Where git differs from its manual, and Bob does not: two slashes, a slash after a backslash, and two stars
beside a word, which git takes for folders where a literal part comes first."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def ignored_by_git(repository, lines, paths):
    (repository / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["git", "-C", repository, "check-ignore", "--no-index", "--stdin", "-z"]
    done = subprocess.run(command, input="\0".join(paths).encode(), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=4), paths=st.lists(PATHS, min_size=1, max_size=12, unique=True)
)
def test_what_is_ignored_is_what_git_ignores(repository, lines, paths):
    rules, problems = read_rules(lines, 0)
    assert not problems
    found = {path for path in paths if rules is not None and is_ignored_below([rules], path)}
    assert found == ignored_by_git(repository, lines, paths)


@pytest.mark.parametrize(
    ("line", "path", "ignored"),
    [
        ("******** build", "x/y", False),
        ("******************** build", "aa build", True),
        ("*a*a*b", "xaxaxb", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("docs/**/draft", "docs/draft", True),
        ("docs/**/draft", "docs/a/b/draft", True),
        ("build/", "x/build/y", True),
        ("/build", "x/build", False),
        ("a/**", "a", False),
        ("[a-", "a", False),
        ("ação*", "ações", False),
        ("*.md\n!keep.md", "keep.md", False),
    ],
)
def test_lines_that_people_write(line, path, ignored):
    rules, _ = read_rules(line.splitlines(), 0)
    assert (rules is not None and is_ignored_below([rules], path)) is ignored


def test_a_line_that_is_not_used_is_named():
    _, problems = read_rules(["ok", "x" * 1_001, "*a" * 33, "# " + "x" * 2_000], 0)
    assert [(each.line, each.reason) for each in problems] == [
        (2, "a pattern can have at most 1,000 characters"),
        (3, "a pattern can have at most 32 stars"),
    ]
    rules, problems = read_rules(["x"] * 5_001, 0)
    assert len(rules.patterns) == 5_000 and [each.line for each in problems] == [5_001]


HOSTILE = """
from bob.documents.ignore_rules import is_ignored_below, read_rules
stars = ["*" * 20 + " build", "*a" * 32 + "b", "a*" * 16 + "/**/" + "a*" * 10 + "b", "**/" * 300 + "x",
         "?" * 999, "[a-z]*" * 31 + "1", "*" + "a" * 900, "[[:" * 300, "\\\\" * 999, "a**b" * 16]
for line in stars:
    rules, _ = read_rules([line], 0)
    for path in ("a" * 255, "/".join(["a" * 255] * 16), "/".join("a" * 2000)):
        rules is not None and is_ignored_below([rules], path)
"""


def test_no_line_takes_long():
    """In a process of its own, since a regular expression cannot be interrupted."""
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=60)
