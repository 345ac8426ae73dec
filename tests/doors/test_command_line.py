"""The command line as people and scripts meet it: real processes, their output and their exit codes."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_memory import Bob, bob_in, write_files

from bob.core.locator import LineLocator, locator_from_json
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import LocalFile

PARTS = Path(__file__).parents[1] / "data" / "parts"
ESCAPE = "\x1b"
FILES = {
    "backup.md": (
        "---\ntitle: Backups\ndate: 2025-03-04\ntags: [ops, keys]\n---\n# Backups\n\n"
        "We rotate the backup keys every ninety days. The key ring lives in the safe.\n\n"
        "## Restore\n\n- Restoring takes about two hours.\n- The restore drill happens each spring.\n"
    ),
    "2019-05-06 boat.txt": "The red boat was sold to Maria in May. It had a new engine.\n",
    "stock.csv": "thing,count\nlantern,4\ncompass,7\n",
    "deep/code.py": '"""Counts lanterns."""\n\n\ndef count_lanterns(shed):\n    return len(shed)\n',
    "broken.pdf": "no PDF at all",
}
QUESTION = "How often do we rotate the backup keys?"


@dataclass(frozen=True)
class Memory:
    bob: Bob
    folder: Path


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """A folder that is indexed once; tests here only read."""
    bob = bob_in(tmp_path_factory.mktemp("doors") / "home")
    folder = write_files(bob.home / "notes", FILES)
    for name in ("move.docx", "hours.xlsx", "rules.pdf"):
        shutil.copyfile(PARTS / name, folder / name)
    done = bob("index", folder, "--project", "acme", "--json")
    assert done.returncode == 3, done.stderr
    report = json.loads(done.stdout)
    assert (report["added"], report["vectors_pending"], len(report["failures"])) == (7, 0, 1)
    return Memory(bob, folder)


def places_of(path):
    """Text at a locator: lines from the file itself, parts from a fresh run of the parser."""
    parsed = ParserRegistry().parser_for(path).parse(LocalFile(path))

    def text_at(locator):
        if isinstance(locator, LineLocator):
            return locator.text_in(LocalFile(path).read_text())
        found = []
        for section in parsed.sections:
            own = section.locator
            start, end = locator.start_char - own.start_char, locator.end_char - own.start_char
            if own.part == locator.part and 0 <= start <= end <= len(section.text):
                found.append(section.text[start:end])
        (text,) = set(found)
        return text

    return text_at


def test_search_prints_the_promised_json(memory):
    found = memory.bob.json("search", "rotate", "backup", "keys")
    assert set(found) == {"query", "hits", "notices"} and found["query"] == "rotate backup keys"
    keys = {
        "rank",
        "score",
        "document_id",
        "chunk_id",
        "path",
        "title",
        "project",
        "source_type",
        "locator",
        "text",
        "explain",
    }
    for at, hit in enumerate(found["hits"], 1):
        assert keys <= set(hit) and hit["rank"] == at and 0 <= hit["score"] <= 1
        assert hit["project"] == "acme" and Path(hit["path"]).is_relative_to(memory.folder)
        assert places_of(Path(hit["path"]))(locator_from_json(hit["locator"])) == hit["text"]
    best = found["hits"][0]
    assert (Path(best["path"]).name, best["title"], best["source_type"]) == (
        "backup.md",
        "Backups",
        "markdown",
    )


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (["--type", "docx"], {"move.docx"}),
        (["--tag", "OPS"], {"backup.md"}),
        (["--project", "ACME", "--path", "notes/deep"], {"code.py"}),
        (["--before", "2019-06"], {"2019-05-06 boat.txt"}),
        (["--after", "2025-03-04", "--before", "2025-03-05"], {"backup.md"}),
        (["--mode", "words", "--limit", "1"], {"stock.csv"}),
    ],
)
def test_search_flags_narrow(memory, flags, names):
    found = memory.bob.json("search", "compass", *flags)
    assert {Path(hit["path"]).name for hit in found["hits"]} == names


@pytest.mark.parametrize("command", [["search", "compass"], ["ask", "Where is the compass?"]])
def test_a_language_of_which_there_is_nothing_narrows_to_nothing(memory, command):
    found = memory.bob.json(*command, "--language", "fi", expect=1)
    assert not found.get("hits") and not found.get("sources")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--project", "holiday"), "No indexed file has the project 'holiday'. There are: "),
        (("--type", "ods"), "No indexed file has the type 'ods'. There are: "),
        (("--tag", "nope"), "No indexed file has the tag 'nope'."),
        (("--path", "nowhere"), "No indexed file has the path "),
        (("--type", "md"), ""),
    ],
)
def test_a_value_that_no_file_has_is_named_beside_those_that_there_are(memory, options, said):
    for command in (["search", "xyzzyplugh", "--mode", "words"], ["ask", "What is xyzzyplugh?"]):
        told = memory.bob(*command, *options).stdout
        assert said in told and ("No indexed file has" in told) is bool(said)
        (notice, *_) = [*memory.bob.json(*command, *options, expect=1)["notices"], ""]
        assert notice.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mcp", "--project", "garden", "install", "claude-code"], "--project must stand after install"),
        (["decisions", "--about", "hedge", "list"], "--about must stand after list"),
        (["health", "--json", "show", "1"], "--json must stand after show"),
        (["chat", ""], "text must not be empty"),
    ],
)
def test_what_would_be_passed_over_is_refused(memory, arguments, said):
    done = memory.bob(*arguments)
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr, done.stderr
    assert memory.bob.json("chats", "list") == []


def test_a_word_that_is_not_utf_8_is_refused_in_one_line(memory):
    done = memory.bob("search", os.fsdecode(b"path:caf\xe9 lantern"))
    assert (done.returncode, done.stdout) == (2, "") and "is not UTF-8 text" in done.stderr
    assert done.stderr.count("\n") == 1


def test_search_for_people(memory):
    done = memory.bob("search", "backup keys", "--explain", "--limit", "2")
    assert done.returncode == 0 and done.stderr == "" and ESCAPE not in done.stdout
    assert "notes/backup.md:" in done.stdout and "BM25" in done.stdout and "cosine" in done.stdout
    nothing = memory.bob("search", "xyzzyplugh", "--mode", "words")
    assert (nothing.returncode, nothing.stdout) == (1, "Nothing found.\n")
    assert memory.bob.json("search", "xyzzyplugh", "--mode", "words", expect=1)["hits"] == []


def test_a_search_imports_no_parser_and_no_face_of_others(memory):
    heavy = ("markdown_it", "lxml", "pypdfium2", "fastapi", "openai", "mcp")
    code = f"""
import sys
from bob.cli.main import main
sys.argv[1:] = ["search", "backup keys", "--json"]
try:
    main()
finally:
    print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=memory.bob.environment, capture_output=True, text=True
    )
    assert "backup.md" in done.stdout and done.stderr == "[]\n"


def test_ask_prints_the_promised_json_and_quotes_to_the_byte(memory):
    for question in (QUESTION, "Who bought the red boat?"):
        answer = memory.bob.json("ask", question)
        assert set(answer) == {
            "answer_id",
            "question",
            "found",
            "earlier",
            "answer",
            "claims",
            "sources",
            "written_by",
            "notices",
            "date_confidence",
            "audit",
        }
        assert answer["found"] and answer["claims"] and answer["question"] == question
        check_answer(answer)


def check_answer(answer):
    numbers = [source["n"] for source in answer["sources"]]
    assert numbers == list(range(1, len(numbers) + 1))
    for claim in answer["claims"]:
        assert {"text", "verdict", "score", "citations"} <= set(claim)
        assert claim["citations"] and set(claim["citations"]) <= set(numbers) and 0 <= claim["score"] <= 1
    keys = {
        "n",
        "document_id",
        "chunk_id",
        "path",
        "title",
        "locator",
        "quote",
        "quote_range",
        "source_date",
    }
    for source in answer["sources"]:
        assert keys <= set(source) and source["quote"]
        assert places_of(Path(source["path"]))(locator_from_json(source["locator"])) == source["quote"]
        assert f"[{source['n']}]" in answer["answer"]
    confidence = answer["date_confidence"]
    assert set(confidence) == {"level", "reason", "newest", "oldest", "outdated", "matters"}
    assert confidence["level"] in ("high", "medium", "low") and isinstance(confidence["outdated"], bool)


def test_quotes_lie_in_their_chunks_where_they_say(memory):
    answer = memory.bob.json("ask", QUESTION)
    texts = {
        hit["chunk_id"]: hit["text"] for hit in memory.bob.json("search", QUESTION, "--limit", "50")["hits"]
    }
    for source in answer["sources"]:
        start, end = source["quote_range"]
        assert texts[source["chunk_id"]][start:end] == source["quote"]
    assert "ninety days" in answer["answer"] and answer["date_confidence"]["newest"] is not None
    assert set(answer["audit"]["used"]) == {source["chunk_id"] for source in answer["sources"]}


def test_a_question_that_nothing_answers(memory):
    answer = memory.bob.json("ask", "What is the boiling point of tungsten in kelvin?", expect=1)
    assert (answer["found"], answer["answer"]) == (False, "Not found in sources.")
    assert answer["claims"] == [] and answer["sources"] == []
    assert answer["audit"]["closest"] and {"path", "text"} <= set(answer["audit"]["closest"][0])
    spoken = memory.bob("ask", "What is the boiling point of tungsten in kelvin?")
    assert spoken.returncode == 1 and "Not found in sources." in spoken.stdout and "closest" in spoken.stdout
    blank = memory.bob("ask", " ")
    assert (blank.returncode, blank.stderr) == (2, "bob: question must not be empty\n")


def test_ask_for_people_and_as_markdown(memory):
    spoken = memory.bob("ask", QUESTION)
    assert spoken.returncode == 0 and ESCAPE not in spoken.stdout + spoken.stderr
    assert re.search(r"every ninety days\. \[1\]", spoken.stdout)
    assert re.search(r"^\[1\] notes/backup\.md:\d+", spoken.stdout, re.MULTILINE)
    assert "Dates:" not in spoken.stdout
    assert "Dates:" in memory.bob("ask", "When were the backup keys last rotated?").stdout
    written = memory.bob("ask", QUESTION, "--markdown").stdout
    assert "**Sources**" in written and "](file:///" in written and ESCAPE not in written


def test_status_prints_the_promised_json(memory):
    status = memory.bob.json("status")
    assert status["documents"] == 7 and status["chunks"] == status["vectors"]["done"] > 7
    assert status["vectors"]["pending"] == 0
    ((failure,), jobs) = status["failures"], status["jobs"]
    assert Path(failure["path"]).name == "broken.pdf" and failure["code"] and failure["reason"]
    assert (jobs["queued"], jobs["running"], jobs["failed"]) == (0, 0, 0)
    assert status["model"]["id"].startswith("all-MiniLM-L6-v2") and status["model"]["dimension"] == 384
    assert status["database"]["path"] == str(memory.bob.database) and status["database"]["bytes"] > 0
    assert status["projects"] == [{"project": "acme", "documents": 7, "chunks": status["chunks"]}]


def test_doctor_finds_all_well(memory):
    report = memory.bob.json("doctor")
    assert report["ready"] and all(each["passed"] and each["detail"] for each in report["checks"])


def test_config_shows_values_and_where_they_come_from(memory):
    (memory.bob.home / "bob.yaml").write_text("search: {limit: 7}\n", encoding="utf-8")
    secret = {"BOB_EMBEDDER__API_KEY": "hunter2secret"}
    try:
        done = memory.bob("config", "--json", **secret)
        rows = json.loads(done.stdout)
        plain = memory.bob("config", **secret).stdout
    finally:
        (memory.bob.home / "bob.yaml").unlink()
    assert rows["search.limit"] == {"value": 7, "origin": str(memory.bob.home / "bob.yaml")}
    assert rows["database"]["origin"] == "environment BOB_DATABASE"
    assert rows["search.threshold"] == {"value": 0.0, "origin": "default"}
    assert rows["embedder.api_key"]["value"] and "hunter2secret" not in done.stdout + plain


USER_MISTAKES = [
    (["index", "no/such/folder"], "no such file or folder"),
    (["index", "~nobody-of-this-name/x"], "home folder"),
    (["search", "x", "--after", "soon"], "--after"),
    (["search", "x", "--limit", "0"], "--limit"),
    (["status", "--database", "~nobody-of-this-name/x.db"], "home folder"),
    (["frobnicate"], "frobnicate"),
]


@pytest.mark.parametrize(("arguments", "said"), USER_MISTAKES)
def test_a_mistake_is_told_without_a_traceback(memory, arguments, said):
    done = memory.bob(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert said in done.stderr and "Traceback" not in done.stderr


def test_a_wrong_setting_is_told_with_key_and_file(memory):
    (memory.bob.home / "bad.yaml").write_text("serach: {limit: 7}\n", encoding="utf-8")
    done = memory.bob("status", "--config", "bad.yaml")
    assert done.returncode == 2 and "serach" in done.stderr and "bad.yaml" in done.stderr
    assert "Traceback" not in done.stderr


COMMANDS = ["index", "ask", "search", "feedback", "status", "doctor", "config", "retry", "rebuild", "eval"]
EVERY_HELP = """
import sys
from bob.cli.main import main
for command in sys.argv[1:]:
    sys.argv[1:] = [*command.split(), "--help"]
    print("====")
    try:
        main()
    except SystemExit as end:
        assert not end.code
"""


def test_help_explains_every_command(memory):
    listed = memory.bob("--help", COLUMNS="200").stdout
    done = subprocess.run(
        [sys.executable, "-c", EVERY_HELP, *COMMANDS],
        env=memory.bob.environment | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    for command, shown in zip(COMMANDS, done.stdout.split("====\n")[1:], strict=True):
        assert command in listed and "Usage:" in shown
        assert len([line for line in shown.splitlines() if line.strip() and "Usage:" not in line]) >= 3
        if command in ("index", "ask", "search", "feedback"):
            assert "Examples:" in shown and f"bob {command}" in shown


def test_a_reader_that_goes_away_leaves_no_traceback(memory):
    process = memory.bob.start("search", "lantern", "--json")
    process.stdout.close()
    process.wait(timeout=300)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_an_answer_without_documents_names_where_memories_are_searched(tmp_path):
    bob = bob_in(tmp_path / "home")
    assert bob("remember", "We decided to sell the boat.", "--project", "shop").returncode == 0
    asked = bob("ask", "What did we decide to sell?")
    assert "The index is empty" in asked.stdout and "bob memories search" in asked.stdout
    chatted = bob("chat", "--project", "shop", "What do we sell?")
    assert "no document belongs to a project 'shop'" in chatted.stderr
    assert "bob memories search" in chatted.stderr


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        (["remember", "-"], b"The gate is \xff\xfe.\n"),
        (["memories", "import", "-"], b"\xff"),
        (["chat"], b"Hello \xff\n"),
        (["ask", b"what \xff is"], b""),
        (["search", b"--project", b"\xff", "gate"], b""),
    ],
)
@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
def test_bytes_that_are_no_text_are_refused_in_one_line(bob, arguments, sent, locale):
    command = [sys.executable, "-m", "bob.cli.main", *arguments]
    environment = {**bob.environment, "LC_ALL": locale}
    done = subprocess.run(command, input=sent, capture_output=True, env=environment, check=False)
    assert done.returncode == 2, done.stderr
    assert b"UTF-8" in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["chats", "show", "N"],
        ["chats", "delete", "N", "--yes"],
        ["memories", "show", "N"],
        ["memories", "edit", "N", "x"],
        ["memories", "pin", "N"],
        ["memories", "forget", "N"],
        ["verify", "--answer", "N"],
        ["chat", "--chat", "N", "x"],
        ["context", "--chat", "N", "x"],
        ["work", "show", "N"],
    ],
)
def test_a_number_that_no_database_counts_to_is_refused(bob, arguments):
    done = bob(*(str(2**63) if argument == "N" else argument for argument in arguments))
    assert done.returncode == 2 and "not in the range" in done.stderr, done.stderr


def test_a_rebuild_keeps_what_it_cannot_read_again(bob):
    write_files(bob.home / "here", {"gate.md": "The gate is locked at sunset.\n"})
    write_files(bob.home / "away", {"pond.md": "The pond is two metres deep.\n"})
    for name in ("here", "away"):
        assert bob("index", bob.home / name).returncode == 0
    (bob.home / "away").rename(bob.home / "elsewhere")
    done = bob("rebuild", "--yes")
    assert done.returncode == 3 and f"{bob.home / 'away'}: not there" in done.stderr
    assert "two metres" in bob("ask", "How deep is the pond?").stdout
    assert "sunset" in bob("ask", "When is the gate locked?").stdout


def test_a_copy_needs_a_database_and_a_dry_run_makes_none(bob):
    write_files(bob.home / "here", {"gate.md": "The gate is locked at sunset.\n"})
    assert bob("index", bob.home / "here").returncode == 0
    copied = bob.home / "copy.db"
    done = bob("db", "copy", "--from", bob.database, "--to", copied, "--dry-run")
    assert done.returncode == 0 and "row" in done.stdout and not copied.exists()
    missing = bob("db", "copy", "--from", bob.home / "typo.db", "--to", copied)
    assert missing.returncode == 2 and "typo.db: no such database" in missing.stderr
    assert not copied.exists() and not (bob.home / "typo.db").exists()
