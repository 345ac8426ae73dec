"""Questions about tables: whether the row that answers is told.

    python bench/tables.py build FOLDER [--git-dir CORPUS=PATH ...]
    python bench/tables.py ask FOLDER ANSWERS [--part dev]
    python bench/tables.py count ANSWERS

`build` takes the files of `data/tables`, CSV and a few Markdown pages, from their repositories at pinned
commits. `ask` indexes them in a database beside ANSWERS and writes the answers there. `count` prints by kind
of question how many answers tell the row that has the expected value, alone or with others, how many tell
another, and how many questions are refused; of those that no table answers, how many are answered.

Kinds: *lookup* has (about) the words of the row and column, *reworded* has not, *reverse* gives a cell and
asks for the row, *readme* asks what a column means. Without an answer: *entity* (no such row), *attribute*
(no such column), *empty* (the cell is). The questions were written before Bob was asked.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from clones import accept_git_dirs, checked_file, clone_of, git_dirs_of
from json_lines import Record, records_in

from bob import Bob

DATA = Path(__file__).parent / "data" / "tables"


def questions() -> list[Record]:
    """The questions, each with the line of the file whose row answers it, and the expected cell."""
    return records_in(DATA / "questions.jsonl")


def build(folder: Path, git_dirs: Mapping[str, str]) -> None:
    """Write the files under a folder, each checked against its SHA-256."""
    folder.mkdir(parents=True, exist_ok=True)
    for corpus in json.loads((DATA / "corpora.json").read_text(encoding="utf-8")):
        with clone_of(corpus, git_dirs) as git_dir:
            for file in corpus["files"]:
                content = checked_file(git_dir, corpus["commit"], file["path"], file["sha256"])
                (folder / file["name"]).write_bytes(content)
        print(f"{corpus['name']}: {len(corpus['files'])} files")


def ask(folder: Path, answers: Path, part: str | None) -> None:
    """Write what Bob answers to each question."""
    with Bob(answers.with_suffix(".db")) as bob, answers.open("w", encoding="utf-8") as file:
        bob.index(folder)
        for question in questions():
            if part in (None, question["part"]):
                answer = bob.ask(question["question"], extractive=True).to_json()
                print(json.dumps({"id": question["id"], "answer": answer}, ensure_ascii=False), file=file)


def outcome_of(question: Record, answer: Record) -> str:
    """What an answer is: it tells the row, alone or with others, or another row; or it is refused."""
    if not answer["found"]:
        return "refused"
    if question["unanswerable"]:
        return "answered"
    sources = [source for source in answer["sources"] if _has_row(source, question)]
    if not sources:
        return "another row"
    return "the row" if len(answer["claims"]) == 1 else "the row and others"


def _has_row(source: Record, question: Record) -> bool:
    locator = source["locator"]
    is_file = Path(source["path"]).name == question["file"]
    return is_file and bool(locator["start_line"] <= question["line"] <= locator["end_line"])


def counted(answers: Path) -> str:
    """A table of kinds and outcomes."""
    asked = {question["id"]: question for question in questions()}
    counts: Counter[tuple[str, str]] = Counter()
    for each in records_in(answers):
        question = asked[each["id"]]
        outcome = outcome_of(question, each["answer"])
        total = "all without an answer" if question["unanswerable"] else "all with an answer"
        counts.update([(question["kind"], outcome), (total, outcome)])
    outcomes = ("the row", "the row and others", "another row", "answered", "refused")
    rows = ["| | " + " | ".join(outcomes) + " |", "| --- " * (len(outcomes) + 1) + "|"]
    for kind in dict.fromkeys(kind for kind, _ in counts):
        rows.append(f"| {kind} | " + " | ".join(str(counts[kind, outcome]) for outcome in outcomes) + " |")
    return "\n".join(rows)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build")
    building.add_argument("folder", type=Path)
    accept_git_dirs(building)
    asking = commands.add_parser("ask")
    asking.add_argument("folder", type=Path)
    asking.add_argument("answers", type=Path)
    asking.add_argument("--part", choices=("dev", "set aside"))
    commands.add_parser("count").add_argument("answers", type=Path)
    given = parser.parse_args()
    if given.command == "build":
        build(given.folder, git_dirs_of(given))
    elif given.command == "ask":
        ask(given.folder, given.answers, given.part)
    else:
        print(counted(given.answers))


if __name__ == "__main__":
    main()
