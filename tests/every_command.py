"""One call of every command, in an order in which each has something to show; over the example files."""

import json
import re
import shutil
from pathlib import Path

from small_memory import write_files
from small_talk import LOCOMO, LONGMEMEVAL

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
GOLDEN = '{"id": "hedge", "question": "When is the hedge cut?", "phrases": ["August"]}\n'
LINES = "The press is rented out at 5 euros a day.\nWe decided to plant two pears.\n"
CLAIMS = '{"claim": "The sky is blue.", "evidence": ["The sky is blue."], "label": "supported"}\n'
TRACKER = {
    "corpus.jsonl": '{"_id": "a", "title": "App is slow", "text": "Five seconds to load."}\n'
    '{"_id": "b", "title": "Slow app", "text": "It loads for five seconds."}\n',
    "queries.jsonl": '{"_id": "a", "text": "App is slow"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\na\tb\t1\n",
}

COMMANDS = {
    "index": ["notes", "shop"],
    "ask": ["When is the hedge cut?"],
    "search": ["hedge"],
    "status": [],
    "doctor": [],
    "config": [],
    "trust": ["--list"],
    "chat": ["--project", "notes", "When is the hedge cut?"],
    "context": ["--project", "notes", "When is the hedge cut?"],
    "smart-context": ["on"],
    "remember": ["--lines", "lines.txt"],
    "memories list": [],
    "memories search": ["press"],
    "memories show": ["1"],
    "memories edit": ["1", "The press is rented out at 6 euros a day."],
    "memories pin": ["1"],
    "memories export": [],
    "memories import": ["memories.jsonl"],
    "memories forget": ["2", "--yes"],
    "chats list": [],
    "chats show": ["1"],
    "chats search": ["hedge"],
    "chats delete": ["1", "--yes"],
    "verify": ["lines.txt"],
    "lint": ["notes"],
    "retry": [],
    "feedback": [],
    "decisions": [],
    "decisions list": [],
    "decisions show": ["1"],
    "decisions history": ["1"],
    "decisions supersede": ["id-1", "id-2"],
    "decisions reject": ["1"],
    "decisions edit": ["1", "--status", "active"],
    "decisions undo": ["id-1"],
    "import bookmarks": ["exports/bookmarks.html"],
    "import highlights": ["exports/highlights.csv"],
    "import pdf-annotations": ["exports/rules.pdf"],
    "health": [],
    "health show": ["nothing"],
    "health fix": ["--all", "--dry-run"],
    "health dismiss": ["nothing"],
    "eval run": ["golden.jsonl"],
    "eval runs": [],
    "eval compare": [],
    "eval golden suggest": ["--limit", "2"],
    "eval benchmark beir": ["tracker"],
    "eval benchmark claims": ["claims.jsonl"],
    "eval benchmark seeded": ["notes", "--most", "2"],
    "eval benchmark duplicates": ["tracker"],
    "eval benchmark locomo": ["talk.json"],
    "eval benchmark longmemeval": ["chats.json"],
    "persona list": [],
    "persona show": ["montaigne"],
    "persona interview": ["montaigne", "What is friendship?"],
    "persona questions": ["montaigne"],
    "persona report": ["montaigne"],
    "keys create": ["laptop", "--user", "ana"],
    "keys list": [],
    "keys revoke": ["KEY"],
    "work add": ["Login fails on mobile"],
    "work list": [],
    "work show": ["1"],
    "work edit": ["1", "--title", "Login fails on phones"],
    "work log": [],
    "work import": ["work/tasks.csv", "--from", "csv"],
    "work category add": ["Bugs"],
    "work category list": [],
    "work category rename": ["Bugs", "Faults"],
    "work field add": ["Browser", "--type", "text"],
    "work field list": [],
    "work field rename": ["Browser", "Client"],
    "worker": ["--once"],
    "rag-search": ["login issues"],
    "assist": ["Have we seen login issues before?"],
    "work archive": ["1"],
    "new": ["daily"],
    "routine daily": [],
    "routine meeting": ["hedge"],
    "routine review": [],
    "rebuild": [],
    "db migrate": [],
    "db check": [],
    "db copy": ["--from", "../home/.local/share/bob/bob.db", "--to", "copy.db"],
    "mcp log": [],
    "mcp install": ["cursor", "--dry-run"],
    "mcp uninstall": ["cursor", "--dry-run"],
}


def prepare_folder(folder):
    """The files that the commands are about."""
    # As files of today: what is told of a file is the day of its change, and a clone may be of yesterday.
    shutil.copytree(EXAMPLES, folder, copy_function=shutil.copyfile)
    files = {
        "golden.jsonl": GOLDEN,
        "lines.txt": LINES,
        "memories.jsonl": '{"summary": "The pears are old.", "importance": 60}\n',
        "claims.jsonl": CLAIMS,
        "talk.json": json.dumps(LOCOMO),
        "chats.json": json.dumps(LONGMEMEVAL),
        **{f"tracker/{name}": text for name, text in TRACKER.items()},
    }
    return write_files(folder, files)


def play(run):
    """Call `run(words)` for every command; yields its name, its words and what `run` gave. A comparison takes
    two runs, and a key is ended by the id that making it printed."""
    key = ""
    for name, arguments in COMMANDS.items():
        words = [key if each == "KEY" else each for each in (*name.split(), *arguments)]
        for _ in range(2 if name == "eval run" else 1):
            done = run(words)
            yield name, words, done
        if name == "keys create":
            key = re.search(r'(?:Key |"key_id": ")([0-9a-f]{16})', done.stdout)[1]


def command_objects(found, name=""):
    """All commands below one, by name, and the groups that do something by themselves."""
    below = getattr(found, "commands", None)
    if below is None or (name and found.invoke_without_command):
        yield name, found
    for key, each in (below or {}).items():
        yield from command_objects(each, f"{name} {key}".strip())


def commands(found):
    return [name for name, _ in command_objects(found)]
