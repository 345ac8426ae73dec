"""Questions for the newest of several: the last release, what was last said, the newest until a day.

    python bench/newest.py build FOLDER [--git-dir CORPUS=PATH ...]
    python bench/newest.py ask FOLDER ANSWERS [--part dev]
    python bench/newest.py count ANSWERS [--show]

`build` takes the corpora of `data/newest` at a pinned commit from GitHub, or from clones that are there.
`ask` indexes each in a database beside ANSWERS and writes the answers there. `count` prints how many cite the
newest place, by kind of question: of *thing* (the newest of a series), *about* (the newest that speaks of
something) and *bound* (the newest until a day). *plain* questions only sound like them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from clones import accept_git_dirs, clone_of, git_dirs_of
from json_lines import Record, records_in

from bob import Bob

DATA = Path(__file__).parent / "data" / "newest"


def corpora() -> list[Record]:
    """The corpora: repository, commit, licence, and which files are taken."""
    return list(json.loads((DATA / "corpora.json").read_text(encoding="utf-8")))


def questions() -> list[Record]:
    """The questions, each with the places of which one must be cited: files, and parts of their headings."""
    return records_in(DATA / "questions.jsonl")


def build(folder: Path, git_dirs: dict[str, str]) -> None:
    """Write the files of each corpus under its name in a folder."""
    for corpus in corpora():
        with clone_of(corpus, git_dirs) as git_dir:
            to = folder / corpus["name"]
            to.mkdir(parents=True, exist_ok=True)
            command = [
                "git",
                "-C",
                str(git_dir),
                "archive",
                corpus["commit"],
                "--",
                *_pathspecs(corpus, git_dir),
            ]
            archive = subprocess.run(command, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", str(to)], input=archive, check=True)
        print(f"{corpus['name']}: {sum(file.is_file() for file in to.rglob('*'))} files")


def _pathspecs(corpus: Record, git_dir: Path) -> list[str]:
    """The files that match, since `git archive` knows no wildcards in a bare repository."""
    command = ["git", "-C", str(git_dir), "ls-tree", "-r", "--name-only", corpus["commit"]]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in corpus["paths"])]


def ask(folder: Path, answers: Path, part: str | None) -> None:
    """Ask every question of a part, or all, and write down the answers."""
    with answers.open("w", encoding="utf-8") as file:
        for corpus in corpora():
            if part not in (None, corpus["part"]):
                continue
            with Bob(answers.with_name(f"newest-{corpus['name']}.db")) as bob:
                bob.index(folder / corpus["name"])
                for each in questions():
                    if each["corpus"] == corpus["name"]:
                        answer = bob.ask(each["question"]).to_json()
                        print(json.dumps({"id": each["id"], "answer": answer}), file=file)


def count(answers: Path, *, show: bool) -> str:
    """A line for each part and kind: how many cite the newest place, another, or are refused."""
    asked = {each["id"]: each for each in questions()}
    parts = {corpus["name"]: corpus["part"] for corpus in corpora()}
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record in records_in(answers):
        question, answer = asked[record["id"]], record["answer"]
        told = "refused" if not answer["found"] else "newest" if _cites(question, answer) else "other"
        counts.setdefault((parts[question["corpus"]], question["kind"]), Counter())[told] += 1
        if show:
            print(f"{record['id']} {question['kind']} {told}: {question['question']}")
            print(f"    {' '.join(answer['answer'].split())[:300]}")
    lines = ["| part | kind | cites the newest | another | refused |", "| --- | --- | --- | --- | --- |"]
    for (part, kind), told_of in sorted(counts.items()):
        lines.append(f"| {part} | {kind} | {told_of['newest']} | {told_of['other']} | {told_of['refused']} |")
    return "\n".join(lines)


def _cites(question: Record, answer: Record) -> bool:
    """Whether a source is of a place that the question names."""
    return any(
        any(source["path"].endswith(path) for path in question["path"])
        and (not question["heading"] or any(part in " > ".join(places) for part in question["heading"]))
        for source in answer["sources"]
        for places in [(source["title"], *source["heading_path"])]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build")
    building.add_argument("folder", type=Path)
    accept_git_dirs(building)
    asking = commands.add_parser("ask")
    asking.add_argument("folder", type=Path)
    asking.add_argument("answers", type=Path)
    asking.add_argument("--part", choices=("dev", "test"))
    counting = commands.add_parser("count")
    counting.add_argument("answers", type=Path)
    counting.add_argument("--show", action="store_true")
    options = parser.parse_args(arguments)
    if options.command == "build":
        build(options.folder, git_dirs_of(options))
    elif options.command == "ask":
        ask(options.folder, options.answers, options.part)
    else:
        print(count(options.answers, show=options.show))
    return 0


if __name__ == "__main__":
    sys.exit(main())
