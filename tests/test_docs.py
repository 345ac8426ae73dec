"""Holds the documentation to what Bob does.

In README.md and docs/ every ```console fence is run. Lines that begin with "$ " are commands, the lines
below are what they print, and "…" stands for anything (alone on a line: for any number of lines). A command
that fails is followed by "$ echo $?". The fences of one page share a folder with copies of the folders in
docs/examples, and a home of their own. Every ```python fence is run too; a ```text fence right after it is
what it prints. In docs/tutorials both kinds are run as they come, one after the other in the same folder.
"""

import ast
import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path

import forked_bob
import pytest
from judges import needs_networks
from small_memory import bob_in

from bob.app.settings import Settings, load_settings

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
NOTES = EXAMPLES / "notes"
CALLED = ROOT / "docs" / "work.md"
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
INSIDE = {"architecture", "leaderboard", "security", "spec", "team-plans"}
"""Pages of docs/ that are not guides: they are for those who look into Bob, not for those who use it."""
GUIDES = [path for path in sorted((ROOT / "docs").glob("*.md")) if path.stem not in INSIDE]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if EXAMPLES not in path.parents),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"^(?:reading|vectors)  .*\n?", re.MULTILINE)
"""Lines that a slow run prints on standard error."""


def fences(path, *languages):
    return [(m[1], m[2]) for m in FENCE.finditer(path.read_text("utf-8")) if m[1] in languages]


def pages_with(*languages):
    found = [path for path in PAGES if path not in TUTORIALS and fences(path, *languages)]
    return pytest.mark.parametrize("page", found, ids=[str(path.relative_to(ROOT)) for path in found])


@pytest.fixture
def shell(tmp_path):
    """Runs a command as a reader would type it; gives the exit code and all that it printed."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True, copy_function=shutil.copyfile)
    real = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    forked_bob.put_command(tmp_path / "bin")
    environment = bob_in(tmp_path / "home").environment | {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{real}",
        "REAL_PATH": real,
        "BOB_DATABASE": str(tmp_path / "home" / "bob.db"),
    }

    def run(command, **more):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, PROGRESS.sub("", done.stdout)

    return run


def steps(fence):
    """The commands of a console fence, each with the lines that it prints."""
    found = []
    for line in fence.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def even(text):
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")


def matches(expected, printed):
    lines = [r"(?:.*\n)*?" if line == "…" else wild(line) + r"\n" for line in even(expected).splitlines()]
    shown = "".join(f"{line}\n" for line in even(printed).splitlines())
    return re.fullmatch("".join(lines), shown) is not None


def wild(line):
    return ".*".join(re.escape(part) for part in line.split("…"))


def test_the_wildcard_means_what_the_pages_say():
    assert matches("a … c\n…\nz", "a b c\n1\n2\nz\n")
    assert matches("", "") and matches("…", "") and matches("a\n…", "a\n")
    assert not matches("a", "a\nb") and not matches("a…", "b")


@pages_with("console")
def test_commands_print_what_the_page_shows(page, shell, tmp_path):
    for _, fence in fences(page, "console"):
        commands_print_what_is_shown(fence, shell)
    if page == CALLED:
        calls_are_answered_as_the_page_shows(page, shell, tmp_path)


def commands_print_what_is_shown(fence, shell):
    code = 0
    for command, expected in steps(fence):
        assert code == 0 or command == "echo $?", f"exit code {code} before: {command}"
        code, printed = shell(f"(exit {code}); {command}")
        shown = "\n".join(expected)
        assert matches(shown, printed), f"$ {command}\n--- shown\n{shown}\n--- printed\n{printed}"
    assert code == 0


@pytest.mark.parametrize("page", TUTORIALS, ids=[path.stem for path in TUTORIALS])
def test_a_tutorial_works_from_its_top_to_its_end(page, shell, tmp_path):
    blocks = [*fences(page, "console", "python", "text"), ("", "")]
    for (language, text), following in itertools.pairwise(blocks):
        if language == "console":
            commands_print_what_is_shown(text, shell)
        if language == "python":
            (tmp_path / "page.py").write_text(text, "utf-8")
            status, printed = shell("PATH=$REAL_PATH python page.py")
            assert status == 0 and following[0] == "text" and matches(following[1], printed), printed


@pages_with("python")
def test_python_prints_what_the_page_shows(page, shell, tmp_path):
    mark = "--- end of block ---"
    blocks = fences(page, "python", "text")
    code = [text for language, text in blocks if language == "python"]
    expected = [
        following[1] if following[0] == "text" else None
        for (language, _), following in zip(blocks, [*blocks[1:], ("", "")], strict=True)
        if language == "python"
    ]
    (tmp_path / "page.py").write_text("".join(f"{text}\nprint({mark!r})\n" for text in code), "utf-8")
    # What a program starts, it also stops: that must be the command itself.
    status, printed = shell("PATH=$REAL_PATH python page.py")
    assert status == 0, printed
    outputs = printed.split(f"{mark}\n")
    for text, shown, output in zip(code, expected, outputs, strict=False):
        assert shown is None or matches(shown, output), f"{text}\n--- shown\n{shown}\n--- printed\n{output}"


def calls_are_answered_as_the_page_shows(page, shell, tmp_path):
    """A ```sh fence right before a ```json fence is a call to a server over what the page's commands made."""
    calls = fences(page, "sh", "json")
    asked = [
        (call, answer)
        for (kind, call), (other, answer) in itertools.pairwise(calls)
        if (kind, other) == ("sh", "json")
    ]
    assert len(asked) == len(fences(page, "json")) > 4
    with started_server(tmp_path) as address:
        key = (tmp_path / "key.txt").read_text("utf-8").splitlines()[0]
        for call, expected in asked:
            status, printed = shell(call.replace("http://127.0.0.1:8080", address), KEY=key)
            assert status == 0 and matches(expected, printed), f"{call}\n--- printed\n{printed}"


@contextmanager
def started_server(folder):
    """The address of `bob serve` over the database of a page's commands."""
    bob = bob_in(folder / "home")
    process = bob.start("serve", "--port", "0")
    try:
        yield process.stdout.readline().split()[3].rstrip(",")
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_parser_in_the_docs_can_be_installed(shell, tmp_path):
    page = ROOT / "docs" / "search.md"
    ((_, code),) = fences(page, "python")
    ((_, project),) = fences(page, "toml")
    declared = tomllib.loads(project)["project"]
    points = declared["entry-points"]["bob.parsers"]
    module = next(iter(points.values())).split(":")[0]
    (tmp_path / f"{module}.py").write_text(code, "utf-8")
    installed = tmp_path / f"{module}-{declared['version']}.dist-info"
    installed.mkdir()
    about = f"Metadata-Version: 2.1\nName: {declared['name']}\nVersion: {declared['version']}\n"
    (installed / "METADATA").write_text(about, "utf-8")
    lines = "\n".join(f"{name} = {target}" for name, target in points.items())
    (installed / "entry_points.txt").write_text(f"[bob.parsers]\n{lines}\n", "utf-8")
    capsule = tmp_path / "capsule"
    capsule.mkdir()
    (capsule / "herbs.gmi").write_text("# Herbs\nParsley likes shade.\n# Fruit\nPlums in August.\n", "utf-8")
    more = {"PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))}
    assert shell("bob index capsule --words-only", **more)[0] == 0
    status, printed = shell("bob search parsley type:gemtext --mode words", **more)
    assert (status, printed.splitlines()[0]) == (0, "1. capsule/herbs.gmi:1-2  Herbs")


def test_the_parser_in_the_docs_is_the_one_that_the_registry_is_tested_with():
    ((_, code),) = fences(ROOT / "docs" / "search.md", "python")
    tested = (ROOT / "tests" / "unit" / "test_registry.py").read_text("utf-8")
    assert class_in(code, "GemtextParser") == class_in(tested, "GemtextParser")


def class_in(code, name):
    body = ast.parse(code).body
    found = next(each for each in body if isinstance(each, ast.ClassDef) and each.name == name)
    return ast.get_source_segment(code, found)


@needs_networks
def test_generated_pages_are_current(shell):
    status, printed = shell(f"python {ROOT / 'tools' / 'write_reference.py'} --check")
    assert status == 0, printed


def test_the_example_settings_are_the_defaults(tmp_path):
    example = (ROOT / "bob.yaml.example").read_text("utf-8")
    written = tmp_path / "bob.yaml"
    # A setting follows its # at once or after the indentation of its group; a sentence after one space.
    written.write_text(re.sub(r"^#(?=[a-z]|  )", "", example, flags=re.MULTILINE), "utf-8")
    loaded = load_settings(written, environment={}, home=tmp_path, folder=tmp_path)
    assert loaded.settings == Settings()
    assert {row.origin for row in loaded.rows()} == {str(written)}
    written.write_text(example, "utf-8")
    assert load_settings(written, environment={}, home=tmp_path, folder=tmp_path).origins == {}


def test_there_are_ten_guides_and_the_readme_names_each():
    readme = (ROOT / "README.md").read_text("utf-8")
    named = re.findall(r"\]\(docs/(\w+)\.md\)", re.search(r"^\| Guides .*$", readme, re.MULTILINE)[0])
    assert len(GUIDES) <= 10 and sorted(named) == [path.stem for path in GUIDES]


def test_every_command_is_in_a_guide():
    reference = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    commands = re.findall(r"^## (bob .*)$", reference, re.MULTILINE)
    guides = "\n".join(path.read_text("utf-8") for path in GUIDES)
    assert commands
    assert [each for each in commands if each not in guides] == []


@pytest.mark.parametrize("page", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_relative_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        place, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", place):
            continue
        path = (page.parent / place).resolve() if place else page
        assert path.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(path), f"{page.name}: {target}"


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#:]+)", FENCE.sub("", page.read_text("utf-8")))
        waiting += [(page.parent / each).resolve() for each in links]
    assert [str(path.relative_to(ROOT)) for path in PAGES if path not in reached] == []


OUT_OF_PLACE = {
    "a folder of somebody's machine": r"(?<![\w.$~}>])/(?:home|Users|root|work|mnt)/"
    r"(?!you\b|(?:items|events|categories|fields|suggestions|import)\b)[A-Za-z]",
    "a package index": r"\b(?:index-url|extra-index|pypi\.|pythonhosted)",
    "how the text came about": r"\b(?:sub-?agent|(?<!no-)sandbox|co-authored-by|as an ai)\b",
}
EXEMPT = ("src/bob/models/", "src/bob/text/gitleaks/", "bench/data/", "tests/test_docs.py")
"""Words of others, and this list."""


def test_the_repository_speaks_of_the_project_alone():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    wrong = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if name.startswith(EXEMPT) or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        if "\0" in text:
            continue
        for what, pattern in OUT_OF_PLACE.items():
            wrong += [f"{name}: {what}: {found[0]}" for found in re.finditer(pattern, text, re.IGNORECASE)]
    assert wrong == []


CITED = re.compile(r"\bSPEC (?:row )?([A-P]\d+(?:(?:, | and | to )[A-P]\d+)*)")
"""Rows of docs/spec.md as code and tests name them: "SPEC E1, E3 and E4", "SPEC F2 to F4"."""


def test_every_row_that_code_cites_is_in_the_spec():
    rows = set(re.findall(r"^\| ([A-P]\d+) \|", (ROOT / "docs" / "spec.md").read_text("utf-8"), re.MULTILINE))
    cited = {}
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")):
        text = re.sub(r"\s+", " ", path.read_text("utf-8"))
        for row in re.findall(r"[A-P]\d+", " ".join(CITED.findall(text))):
            cited.setdefault(row, path.relative_to(ROOT))
    assert len(cited) > 40
    assert {row: str(path) for row, path in cited.items() if row not in rows} == {}
