"""Questions over files of the formats that people keep: PDF, Word, Excel, PowerPoint, pages, mails,
calendars, chats, captions, AsciiDoc, LaTeX, Org, reStructuredText, tables, notebooks and settings.

    python bench/formats.py build FOLDER [--git-dir REPOSITORY=PATH ...]
    python bench/formats.py ask FOLDER ANSWERS [--round 3]
    python bench/formats.py judged [FILE]

`build` takes each file from a clone of its repository at a pinned commit and checks it against its SHA-256;
with `--git-dir` it reads a clone that is already there. `ask` indexes the corpora of a round in one database
beside ANSWERS, each as a project, and writes down the answers, one JSON object a line; a run that was ended
goes on. `judged` prints how many answers are right, partly right, wrong and refused, by round.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from clones import accept_git_dirs, checked_file, clone_of, git_dirs_of
from json_lines import Record, records_in

from bob import Bob

DATA = Path(__file__).parent / "data" / "formats"
VERDICTS = ("right", "partly", "wrong", "refused")


def questions() -> list[Record]:
    """The questions of all corpora."""
    return records_in(DATA / "questions.jsonl")


def corpora(number: int | None = None) -> list[Record]:
    """The corpora, or those of a round."""
    every: list[Record] = json.loads((DATA / "corpora.json").read_text("utf-8"))
    return [corpus for corpus in every if number in (None, round_of(corpus["name"]))]


def round_of(corpus: str) -> int:
    """The round that a corpus was written for: names that end with "-2" are of the second."""
    _, _, number = corpus.partition("-")
    return int(number) if number else 1


def build(folder: Path, git_dirs: dict[str, str]) -> None:
    """Write the files of all corpora below a folder, each corpus in one of its own."""
    for corpus in corpora():
        for source in corpus["sources"]:
            with clone_of(source | {"name": source["repository"]}, git_dirs) as git_dir:
                for file in source["files"]:
                    content = checked_file(git_dir, source["commit"], file["source"], file["sha256"])
                    path = folder / corpus["name"] / file["path"]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
        print(f"{corpus['name']}: {sum(len(source['files']) for source in corpus['sources'])} files")


def ask(folder: Path, answers: Path, number: int) -> None:
    """Add what Bob answers to each question of a round that has no answer yet."""
    names = [corpus["name"] for corpus in corpora(number)]
    answered = {answer["id"] for answer in records_in(answers)} if answers.exists() else set()
    database = answers.with_name(f"formats-{number}.db")
    with Bob(database) as bob, answers.open("a", encoding="utf-8") as file:
        for name in names:
            bob.index(folder / name)
        for question in questions():
            if question["corpus"] in names and question["id"] not in answered:
                answer = bob.ask(question["question"], extractive=True).to_json()
                file.write(json.dumps({"id": question["id"], "answer": answer}, ensure_ascii=False) + "\n")
                file.flush()


def judged(path: Path) -> None:
    """Print the counts of verdicts: of each look that a file of verdicts has, by round."""
    asked = {question["id"]: question for question in questions()}
    counts: Counter[tuple[int, str, bool, str]] = Counter()
    for verdicts in records_in(path):
        question = asked[verdicts.pop("id")]
        for look, verdict in verdicts.items():
            counts[round_of(question["corpus"]), look, question["unanswerable"], verdict] += 1
    for number, look in sorted({(number, look) for number, look, *_ in counts}):
        shown = [f"{counts[number, look, False, verdict]} {verdict}" for verdict in VERDICTS]
        told = sum(counts[number, look, True, verdict] for verdict in VERDICTS if verdict != "refused")
        unanswerable = told + counts[number, look, True, "refused"]
        print(f"round {number}, {look}: {', '.join(shown)}; unanswerable answered {told} of {unanswerable}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build")
    command.add_argument("folder", type=Path)
    accept_git_dirs(command)
    command = commands.add_parser("ask")
    command.add_argument("folder", type=Path)
    command.add_argument("answers", type=Path)
    command.add_argument("--round", type=int, choices=(1, 2, 3), default=3)
    command = commands.add_parser("judged")
    command.add_argument("file", type=Path, nargs="?", default=DATA / "judged.jsonl")
    options = parser.parse_args()
    if options.command == "build":
        build(options.folder, git_dirs_of(options))
    elif options.command == "ask":
        ask(options.folder, options.answers, options.round)
    else:
        judged(options.file)


if __name__ == "__main__":
    main()
