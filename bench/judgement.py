"""The questions of `bench/data/judgement` and the sets beside it: makes the folders that they are asked of,
and checks them.

    python bench/judgement.py build FOLDER [--git-dir CORPUS=PATH ...] [--only CORPUS]
    python bench/judgement.py verify FOLDER
    python bench/judgement.py quotes FOLDER [--only CORPUS]
    python bench/judgement.py golden FOLDER TO [--split dev]
    python bench/judgement.py ask FOLDER ANSWERS [--split dev] [--only CORPUS]
    python bench/judgement.py sheet ANSWERS
    python bench/judgement.py count ANSWERS
    python bench/judgement.py judged [FILE]
    python bench/judgement.py place FOLDER CORPUS PATH QUOTE
    python bench/judgement.py table

Of the sets `judgement`, `everyday`, `fresh`, `strangers`, `reading` and `outcomes`, `--set` takes another
than the first.
`build` takes each corpus from a clone of its repository at a pinned commit and checks every file against its
SHA-256; with `--git-dir` it reads a clone that is already there. `verify` finds each gold passage at its
place. `quotes` prints the questions with the words of their gold passages. `golden` writes sets that `bob
eval run` can ask, without the questions that follow others. `ask` indexes each corpus in a database of its
own and writes down the answers; a run that was ended goes on. `sheet` prints them for the person who judges;
`count` prints what can be counted without reading: whether an answer quotes a line of a gold passage.
`judged` prints the tables of a file like `baseline-dev.jsonl`. `place` prints the entry of a gold passage,
for a new question. `table` prints the counts that the README has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from clones import accept_git_dirs, clone_of, file_at, git_dirs_of
from json_lines import Record, records_in

from bob import Bob

DATA = Path(__file__).parent / "data" / "judgement"
SETS = ("judgement", "everyday", "fresh", "strangers", "reading", "outcomes")
"""Folders side by side: the questions for judging answers, those as people ask them every day, those over
more corpora of the usual kinds, those of strangers in words quite other than the documents', those that the
reader and the gate are fitted on, and those for what came of a matter."""

HELD_OUT = ("guides", "srd")
"""The corpora whose questions all belong to the part called test."""

ASKING = frozenset(
    re.findall(
        r"\w+",
        """about also been could does doing from have into many much must often only should than that them
        then there these they this those were what when where which will with would your
        dass darf eine einem einen einer muss nach noch oder viele wann welche welcher welches wenn werden
        wird como onde para pelo pela qual quais quando quanto quantos quantas quem""",
    )
)
"""Words of a question that say what is asked for, not about what."""


def corpora(*sets: str) -> dict[str, Record]:
    """The corpora of sets, or of this folder, by name: repository, commit, licence, files."""
    folders = [folder for name in sets if (folder := DATA.parent / name).exists()] or [DATA]
    listed = [json.loads((folder / "corpora.json").read_text(encoding="utf-8")) for folder in folders]
    return {each["name"]: each for each in chain.from_iterable(listed)}


def questions(corpus: str) -> list[Record]:
    """The questions of a corpus, in the order of their file."""
    name = f"{corpus}.jsonl"
    file = next((file for each in SETS if (file := DATA.parent / each / name).exists()), DATA / name)
    return records_in(file)


def split_of(corpus: str, question_id: str) -> str:
    """The part that a question belongs to; it depends on nothing but its corpus and its id."""
    if corpus in HELD_OUT:
        return "test"
    return "test" if hashlib.sha256(question_id.encode()).digest()[0] % 7 == 0 else "dev"


def build(corpus: Record, to: Path, git_dir: Path) -> None:
    """Write the files of a corpus under `to`, which then holds nothing else."""
    commit = corpus["commit"]
    for source in corpus.get("sources", [corpus]):
        for path, text in _texts(source, commit, git_dir):
            file = to / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
    found = {str(file.relative_to(to)): _hash(file.read_bytes()) for file in to.rglob("*") if file.is_file()}
    wanted = corpus["files"]
    if found != wanted:
        wrong = sorted(path for path in {*found, *wanted} if found.get(path) != wanted.get(path))
        raise SystemExit(f"{corpus['name']}: not as they were: {', '.join(wrong[:10])}")


def _texts(corpus: Record, commit: str, git_dir: Path) -> Iterator[tuple[str, bytes]]:
    if "split" not in corpus:
        for path in corpus["files"]:
            yield path, file_at(git_dir, commit, path)
        return
    # One long file becomes one document a heading, named by its headings' place.
    text = file_at(git_dir, commit, corpus["split"]["path"]).decode("utf-8")
    parts = [part for part in re.split(corpus["split"]["before"], text) if part.strip()]
    for number, part in enumerate(parts):
        words = re.findall(r"\w+", part.lstrip("# ").splitlines()[0].lower())
        yield f"{number:02d}-{'-'.join(words)[:60]}.md", part.encode("utf-8")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def place(text: str, path: str, quote: str) -> Record:
    """The entry of a gold passage: where its words stand, and their hash, by which they are known again."""
    start = text.find(quote)
    if start < 0:
        raise ValueError(f"{path}: has no «{quote}»")
    if len(quote) > 200:
        raise ValueError(f"{path}: {len(quote)} characters are too long for a gold passage")
    return {
        "path": path,
        "line": text.count("\n", 0, start) + 1,
        "start": start,
        "end": start + len(quote),
        "sha256": _hash(quote.encode())[:16],
    }


def quote(folder: Path, gold: Record) -> str:
    """The words of a gold passage.

    Raises:
        ValueError: other words stand there.
    """
    text = (folder / gold["path"]).read_bytes().decode("utf-8")
    words = text[gold["start"] : gold["end"]]
    line = text.count("\n", 0, gold["start"]) + 1
    if _hash(words.encode())[:16] != gold["sha256"] or line != gold["line"]:
        raise ValueError(f"{gold['path']}:{gold['line']}: has other words: «{words}»")
    return words


def shared_words(folder: Path, record: Record) -> float:
    """Which share of a question's longer words stands in the lines around its gold passages.

    Words count by their first five letters; those of fewer than four letters and those that only ask do not.
    """
    near = ""
    for gold in record["gold"]:
        lines = (folder / gold["path"]).read_text(encoding="utf-8").lower().split("\n")
        near += " ".join(lines[max(0, gold["line"] - 2) : gold["line"] + 3]) + "\n"
    words = [word for word in re.findall(r"\w{4,}", record["question"].lower()) if word not in ASKING]
    return round(sum(word[:5] in near for word in words) / max(1, len(words)), 2)


def golden(folder: Path, corpus: str, split: str | None) -> Iterator[Record]:
    """Lines of a set for `bob eval run`, which has no turns: questions that follow others are left out."""
    for each in questions(corpus):
        if each["turns"] or split not in (None, each["split"]):
            continue
        record: Record = {"id": each["id"], "question": each["question"]}
        if each["unanswerable"]:
            yield record | {"unanswerable": True}
            continue
        paths = list(dict.fromkeys(gold["path"] for gold in each["gold"]))
        yield record | {
            "sources": [{"path": path} for path in paths],
            "phrases": list(dict.fromkeys(quote(folder / corpus, gold) for gold in each["gold"])),
        }


def ask(folder: Path, together: Sequence[str], answers: Path, split: str | None) -> None:
    """Add what Bob answers to each question that has no answer yet, with these corpora in one database; a
    follow-up is asked with its turns."""
    there = {answer["id"] for answer in _records(answers)}
    database = answers.with_name(f"{'-'.join(together)}.db")
    with Bob(database) as bob, answers.open("a", encoding="utf-8") as file:
        for corpus in together:
            bob.index(folder / corpus)
        for each in chain.from_iterable(map(questions, together)):
            if each["id"] in there or split not in (None, each["split"]):
                continue
            said = bob.ask(each["question"], earlier=each.get("turns", []), extractive=True).to_json()
            every = f"{folder.resolve()}/"
            text = json.dumps(said).replace(f"{every}{each['corpus']}/", "").replace(every, "../")
            answer = json.loads(text)
            file.write(json.dumps({"id": each["id"], "answer": answer}, ensure_ascii=False) + "\n")
            file.flush()


def is_gold(record: Record, path: str, locator: Mapping[str, Any]) -> bool:
    """Whether a place of a corpus holds the first line of a gold passage."""
    first, last = locator.get("start_line", 1), locator.get("end_line", sys.maxsize)
    return any(gold["path"] == path and first <= gold["line"] <= last for gold in record["gold"])


def gold_rank(record: Record, answer: Record) -> int | None:
    """The place of the first gold passage among the ten passages that were found, or None."""
    for hit in answer["audit"]["retrieved"][:10]:
        if is_gold(record, hit["path"], hit["locator"]):
            return int(hit["rank"])
    return None


def counted(answers: Path) -> str:
    """A Markdown table of answers: how many quote a line of a gold passage, how many none, how many refuse.

    Quoting gold is neither needed for a right answer nor enough for one; two versions can be compared by it.
    """
    given = {each["id"]: each["answer"] for each in _records(answers)}
    rows = [
        "| corpus | n | gold quoted | none quoted | refused | unanswerable | answered |",
        "| --- " * 7 + "|",
    ]
    total = [0] * 6
    for name in corpora(*SETS):
        asked = [each for each in questions(name) if each["id"] in given]
        if not asked:
            continue
        answerable = [each for each in asked if not each["unanswerable"]]
        found = [each for each in answerable if given[each["id"]]["found"]]
        gold = sum(_quotes_gold(each, given[each["id"]]) for each in found)
        false = sum(given[each["id"]]["found"] for each in asked if each["unanswerable"])
        own = [len(answerable), gold, len(found) - gold, len(answerable) - len(found)]
        own += [len(asked) - len(answerable), false]
        total = [before + more for before, more in zip(total, own, strict=True)]
        if asked:
            rows.append(f"| {' | '.join((name, *map(str, own)))} |")
    return "\n".join([*rows, f"| {' | '.join(('**all**', *map(str, total)))} |"])


def _quotes_gold(record: Record, answer: Record) -> bool:
    return any(is_gold(record, source["path"], source["locator"]) for source in answer["sources"])


def sheet(answers: Path) -> Iterator[str]:
    """Each answered question with what is expected of it, to be read by a judge."""
    by_id = {each["id"]: each for name in corpora(*SETS) for each in questions(name)}
    for found in _records(answers):
        record, answer = by_id[found["id"]], found["answer"]
        wanted = record["note"] if record["unanswerable"] else record["expected"]
        rank = "" if record["unanswerable"] else f"; gold at {gold_rank(record, answer)}"
        yield f"# {record['id']} {record['kind']}{rank}: {' / '.join([*record['turns'], record['question']])}"
        yield f"  {'unanswerable' if record['unanswerable'] else 'expected'}: {wanted}"
        yield f"  {answer['answer'] if answer['found'] else '(refused)'}\n"


def judged_tables(file: Path) -> str:
    """What became of the questions, as Markdown tables, from lines with `id`, `judged` and `gold_rank`."""
    judged = {each["id"]: each for each in _records(file)}
    asked = [each for name in corpora(*SETS) for each in questions(name) if each["id"] in judged]
    answerable = [each for each in asked if not each["unanswerable"]]
    unanswerable = [each for each in asked if each["unanswerable"]]

    def counts(records: Sequence[Record], words: Sequence[str]) -> list[int]:
        return [sum(judged[each["id"]]["judged"] == word for each in records) for word in words]

    def grid(title: str, records: Sequence[Record], field: Any) -> Iterator[str]:
        words = ("right", "partly", "wrong", "refused") if records is answerable else ("refused", "answered")
        ranks = ("gold at rank 1", "gold among ten") if records is answerable else ()
        yield f"| {' | '.join((title, 'n', *words, *ranks))} |"
        yield f"|{' --- |' * (2 + len(words) + len(ranks))}"
        for value in (*sorted({field(each) for each in records}), None):
            some = [each for each in records if value is None or field(each) == value]
            cells = [len(some), *counts(some, words)]
            if ranks:
                places = [judged[each["id"]]["gold_rank"] for each in some]
                cells += [places.count(1), sum(place is not None for place in places)]
            yield f"| {' | '.join((value or '**all**', *map(str, cells)))} |"
        yield ""

    lines = [
        *grid("corpus", answerable, lambda each: each["corpus"]),
        *grid("kind", answerable, lambda each: each["kind"]),
        *grid("wording", answerable, lambda each: "far" if each["shared"] < 0.5 else "near"),
        *grid("unanswerable", unanswerable, lambda each: each["corpus"]),
        *grid("reason", unanswerable, lambda each: each["reason"]),
    ]
    return "\n".join(lines).rstrip()


def _records(file: Path) -> list[Record]:
    return records_in(file) if file.exists() else []


def table() -> str:
    """How many questions each corpus has of each kind, as a Markdown table."""
    names = list(corpora())
    every = {name: questions(name) for name in names}
    kinds = sorted({each["kind"] for name in names for each in every[name]})
    rows = [["", *names, "all"], ["---"] * (len(names) + 2)]

    def row(title: str, wanted: Any) -> list[str]:
        counts = [sum(1 for each in every[name] if wanted(each)) for name in names]
        return [title, *map(str, counts), str(sum(counts))]

    for kind in kinds:
        rows.append(row(kind, lambda each, kind=kind: each["kind"] == kind and not each["unanswerable"]))
    reasons = Counter(each["reason"] for name in names for each in every[name] if each["unanswerable"])
    for reason in sorted(reasons):
        rows.append(row(f"unanswerable: {reason}", lambda each, reason=reason: each.get("reason") == reason))
    rows.append(row("**answerable**", lambda each: not each["unanswerable"]))
    rows.append(row("of these far worded", lambda each: not each["unanswerable"] and each["shared"] < 0.5))
    rows.append(row("**unanswerable**", lambda each: each["unanswerable"]))
    rows.append(row("**dev**", lambda each: each["split"] == "dev"))
    rows.append(row("**test**", lambda each: each["split"] == "test"))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description="The questions of bench/data/judgement.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("build", "verify", "quotes", "golden", "place", "ask"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        command.add_argument("--only")
        command.add_argument("--set", choices=SETS, default=SETS[0])
        if name == "build":
            accept_git_dirs(command)
        if name in ("golden", "ask"):
            command.add_argument("answers" if name == "ask" else "to", type=Path)
            command.add_argument("--split", choices=("dev", "test"))
        if name == "ask":
            command.add_argument("--together", action="store_true", help="all corpora in one database")
        if name == "place":
            command.add_argument("corpus")
            command.add_argument("path")
            command.add_argument("quote")
    commands.add_parser("sheet").add_argument("answers", type=Path)
    commands.add_parser("count").add_argument("answers", type=Path)
    commands.add_parser("judged").add_argument(
        "file", type=Path, nargs="?", default=DATA / "baseline-dev.jsonl"
    )
    commands.add_parser("table")
    options = parser.parse_args(arguments)
    if options.command == "table":
        print(table())
        return 0
    if options.command == "sheet":
        print("\n".join(sheet(options.answers)))
        return 0
    if options.command == "count":
        print(counted(options.answers))
        return 0
    if options.command == "judged":
        print(judged_tables(options.file))
        return 0
    if options.command == "place":
        text = (options.folder / options.corpus / options.path).read_bytes().decode("utf-8")
        print(json.dumps(place(text, options.path, options.quote)))
        return 0
    wanted = {name: each for name, each in corpora(options.set).items() if options.only in (None, name)}
    if options.command == "build":
        return _build_all(wanted, options.folder, git_dirs_of(options))
    if options.command == "verify":
        return _verify(options.folder, list(wanted))
    if options.command == "ask":
        for names in [list(wanted)] if options.together else [[name] for name in wanted]:
            ask(options.folder, names, options.answers, options.split)
        return 0
    for name in wanted:
        if options.command == "golden":
            options.to.mkdir(parents=True, exist_ok=True)
            with (options.to / f"{name}.jsonl").open("w", encoding="utf-8") as file:
                for record in golden(options.folder, name, options.split):
                    print(json.dumps(record, ensure_ascii=False), file=file)
            continue
        for each in questions(name):
            words = [quote(options.folder / name, gold) for gold in each["gold"]]
            print(json.dumps(each | {"quotes": words}, ensure_ascii=False))
    return 0


def _build_all(wanted: dict[str, Record], folder: Path, git_dirs: dict[str, str]) -> int:
    for name, corpus in wanted.items():
        with clone_of(corpus, git_dirs) as git_dir:
            build(corpus, folder / name, git_dir)
        print(f"{name}: {len(corpus['files'])} files")
    return 0


def _verify(folder: Path, names: Sequence[str]) -> int:
    problems = passages = 0
    for name in names:
        for each in questions(name):
            for gold in each["gold"]:
                passages += 1
                try:
                    quote(folder / name, gold)
                except (OSError, ValueError) as error:
                    problems += 1
                    print(f"{each['id']}: {error}")
            if "shared" in each and each["gold"] and each["shared"] != shared_words(folder / name, each):
                problems += 1
                print(f"{each['id']}: shares {shared_words(folder / name, each)} of its words")
    print(f"{passages} gold passages, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
