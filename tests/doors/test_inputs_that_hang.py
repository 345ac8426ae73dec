"""What somebody else's folder can hold ends soon, with an error that names the line, or with a result."""

import json

import pytest
from small_memory import bob_in, write_files

BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{{', '.join(f'k{at}: *a{level - 1}' for at in range(9))}}}\n"
    for level in range(1, 12)
)
FRONT = f"---\ntitle: Giraffes\n{BOMB}---\n\n# Giraffes\n\nThe giraffe tower is orange.\n"


@pytest.fixture
def bob(tmp_path):
    return bob_in(tmp_path / "home")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (BOMB, "line 2: *a0: write the value itself instead of an alias"),
        ("search: " + "[" * 50_000, "line 1: values are nested deeper than 20 levels"),
        ("search:\n" + "  limit: 5\n" * 100_000, "is larger than 256 KiB"),
        ("search: {limit: " + "9" * 5_000 + "}", "bob.yaml"),
    ],
)
def test_a_settings_file(bob, tmp_path, settings, said):
    folder = write_files(tmp_path / "clone", {"bob.yaml": settings})
    done = bob("status", cwd=folder)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert len(done.stderr) < 2_000


@pytest.mark.parametrize(
    "lines",
    ["******** build", "******************** build", "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "**/" * 300 + "x"],
)
def test_an_ignore_file(bob, tmp_path, lines):
    names = ["a" * 200 + ".md", *(f"{'a' * 70}{at}.md" for at in range(20))]
    files = dict.fromkeys(names, "# Giraffes\n\nThe giraffe tower is orange.\n")
    folder = write_files(tmp_path / "clone", {".gitignore": f"{lines}\n", **files})
    done = bob("ask", "--in", folder, "What colour is the giraffe tower?")
    assert done.returncode in (0, 1) and "orange" in done.stdout, done.stderr


def test_lines_of_an_ignore_file_that_are_not_used_are_named(bob, tmp_path):
    lines = ["# kept", "drafts/", "x" * 1_001, "*a" * 33]
    files = {".gitignore": "\n".join(lines), "drafts/a.md": "# A\n\nA.\n", "b.md": "# B\n\nB is here.\n"}
    folder = write_files(tmp_path / "clone", files)
    done = bob("index", folder)
    assert done.returncode == 3
    told = json.loads(bob("status", "--json").stdout)
    assert told["documents"] == 1
    shown = bob("status").stdout + done.stdout + done.stderr
    assert "line 3: a pattern can have at most 1,000 characters" in shown.replace("\n", " ")


def test_front_matter(bob, tmp_path):
    folder = write_files(tmp_path / "clone", {"giraffe.md": FRONT})
    done = bob("ask", "--in", folder, "What colour is the giraffe tower?")
    assert done.returncode == 0 and "orange" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "query",
    ["(" * 9_999, '"' * 9_999, "-" * 9_999, "project:" * 1_200, "a*" * 4_900, "before:" + "9" * 9_000],
)
def test_a_query(bob, tmp_path, query):
    folder = write_files(tmp_path / "clone", {"a.md": "# A\n\nA is here.\n"})
    assert bob("index", folder).returncode == 0
    assert bob("search", "--", query).returncode in (0, 1)
    refused = bob("search", "--", query * 2)
    assert refused.returncode == 2 and "the limit is 10,000" in refused.stderr
