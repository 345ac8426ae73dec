"""How well decisions are found: in real records, in text without any, and in this repository's own words.

    python bench/decisions.py --data DIR          # DIR: alphagov/govuk-aws, docs/architecture/decisions
    python bench/decisions.py --no-decisions TREE [--files 300]
    python bench/decisions.py --forms             # sixty forms of records: tests/data/decisions/forms*.yaml
    python bench/decisions.py --minutes DIR       # DIR/OWNER/NAME: copies of repositories
    python bench/decisions.py --own .             # this repository: its docs' versions, its commits' messages

`--data` compares with `tests/data/decisions/govuk_aws_gold.json`, read by a person. All of its records had
been read before the rules were written; what was tuned since was tuned on the even numbers. `--no-decisions`
counts what is found in files (`.rst`, `.rst.txt`, `.md`, `.txt`, spread evenly over the tree) that state no
decision, and the time that a passage takes. `--own` takes what is extracted from every version of the
repository's documents and from its commits: decisions, alternatives turned down and links, each once. It
says which share was judged right by hand (`tests/data/decisions/own_sample.json`), of a sample of 100 and of
all; `--show` prints those that nobody has judged. `--minutes` takes the decisions in minutes of the public
projects in `tests/data/decisions/minutes_sample.json` (files with "meeting", "minutes", "notes" or "updates"
in their paths), judged by hand; one is right that settles something and names it, and wrong when it puts off,
tells of before, or weighs.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import measure
import yaml

from bob.core.decision import DatedDocument, FoundDecision, Passage, StatedLink
from bob.core.document import Section
from bob.core.errors import UnreadableError
from bob.core.locator import LineLocator
from bob.decisions.extract import extract
from bob.documents.parse_file import ParsedFile, ParseFile, ParseJob
from bob.search.chunker import StructureChunker

ROOT = Path(__file__).resolve().parent.parent
GOLD = ROOT / "tests/data/decisions/govuk_aws_gold.json"
SAMPLE = ROOT / "tests/data/decisions/own_sample.json"
MAX_BYTES = 50_000_000
SEED, SAMPLED = 20, 100
Read = tuple[DatedDocument, list[Passage]]
Link = tuple[str, str, str, bool]
Extracted = tuple[str, str, str]
"""One of `KINDS`, the document that says it, and its words."""

_MINUTES = re.compile(r"(?:meeting|minutes|notes|updates).*\.(?:md|rst)$", re.IGNORECASE)
KINDS = ("decision", "rejected", "link")


def read(path: Path) -> Read:
    """A file as the index holds it, with the settings that Bob ships."""
    parsed = ParseFile(MAX_BYTES, 200, 500)(ParseJob(str(path), path.stat().st_size, 0, "bench"))
    assert isinstance(parsed, ParsedFile)
    record, found = parsed.record, [each.chunk for each in parsed.chunks]
    document = DatedDocument(record.path, record.title, record.source_type, None, None, record.extra)
    return document, [Passage(each.text, each.heading_path, each.locator) for each in found]


def links_of(name: str, links: Sequence[StatedLink]) -> set[Link]:
    """Links with the number that their target's name begins with."""
    return {(name, each.kind, _number(each.target), each.backward) for each in links}


def compared(folder: Path) -> Iterator[measure.Row]:
    """Status and links against the gold list: of all, of the records tuned on, and of the others."""
    gold = json.loads(GOLD.read_text())["records"]
    found = {each["file"]: extract(*read(folder / each["file"])).decisions for each in gold}
    halves = {
        "all": gold,
        "even numbers": [each for each in gold if int(each["file"][:4]) % 2 == 0],
        "odd numbers": [each for each in gold if int(each["file"][:4]) % 2],
    }
    for name, records in halves.items():
        right = sum([one.status for one in found[each["file"]]] == [each["status"]] for each in records)
        expected: set[Link] = set()
        stated: set[Link] = set()
        for each in records:
            expected |= {
                (each["file"], link["kind"], link["target"], link["backward"]) for link in each["links"]
            }
            for one in found[each["file"]]:
                stated |= links_of(each["file"], one.links)
        hits = len(expected & stated)
        yield (
            name,
            len(records),
            round(right / len(records), 3),
            len(expected),
            round(hits / max(len(stated), 1), 3),
            round(hits / max(len(expected), 1), 3),
        )


def without_decisions(tree: Path, count: int, *, show: bool) -> measure.Row:
    """What is found in files that state none, and the microseconds of CPU that a passage takes."""
    files = sorted(
        each for each in tree.rglob("*") if each.name.endswith((".rst", ".rst.txt", ".md", ".txt"))
    )
    step = max(len(files) // count, 1)
    documents = [_readable(each) for each in files[::step][:count]]
    texts = [each for each in documents if each is not None]
    began = time.process_time()
    found = [
        (document, each) for document, passages in texts for each in extract(document, passages).decisions
    ]
    seconds = time.process_time() - began
    passages = sum(len(each) for _, each in texts)
    for document, each in found if show else ():
        print(f"{document.path}: {each.statement!r}")
    return len(texts), passages, len(found), round(1e6 * seconds / max(passages, 1), 1)


def forms() -> Iterator[measure.Row]:
    """How forms of records are read; the second half was closed before the rules were changed."""
    for half in ("forms", "forms_set_aside"):
        known = yaml.safe_load((GOLD.parent / f"{half}.yaml").read_text())
        outcomes = [_outcome(form) for form in known]
        yield (
            half,
            len(known),
            *map(outcomes.count, ("right", "put aside", "wrong", "lost")),
        )


def _outcome(form: Mapping[str, Any]) -> str:
    text = form["text"].replace("\n", "\r\n") if "crlf" in form.get("ends", "") else form["text"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / form["path"]
        path.parent.mkdir(parents=True)
        path.write_bytes(b"\xef\xbb\xbf" * ("bom" in form.get("ends", "")) + text.encode())
        extraction = extract(*read(path))
    found = {(each.number, each.title, each.status): each.stated_date for each in extraction.decisions}
    expected = {tuple(each[:3]): (each[3:] or [None])[0] for each in form.get("decisions", [])}
    if found == expected and not extraction.put_aside:
        return "right"
    if found:
        return "wrong"
    return "put aside" if extraction.put_aside else "lost"


def minutes(folder: Path) -> Iterator[measure.Row]:
    """How many decisions in minutes are right, by the part of the repositories and by confidence."""
    sample = json.loads((GOLD.parent / "minutes_sample.json").read_text())
    verdicts = {(each["repository"], each["text"]): each["right"] for each in sample["verdicts"]}
    for part, repositories in sample["parts"].items():
        found: list[tuple[float, bool | None]] = []
        for name in repositories:
            files = sorted(each for each in (folder / name).rglob("*") if _MINUTES.search(str(each)))
            for read_file in (each for path in files if (each := _readable(path))):
                for decision in extract(*read_file).decisions:
                    text = fingerprint(("decision", "", decision.statement))
                    found.append((decision.confidence, verdicts.get((name, text))))
        for least in (0.0, 0.8):
            said = [right for confidence, right in found if confidence >= least and right is not None]
            count = sum(confidence >= least for confidence, _ in found)
            yield part, least, count, len(said), round(sum(said) / max(len(said), 1), 3)


def own_words(repository: Path) -> Iterator[Read]:
    """Every version that the repository has had of its Markdown documents, and each commit's message."""
    raw = _git(repository, "log", "--format=", "--raw", "--no-abbrev", "-m", "--", "*.md").decode()
    changes = (each.partition("\t") for each in raw.splitlines() if each.startswith(":"))
    versions = {(path.split("\t")[-1], fields.split()[3]) for fields, _, path in changes}
    with tempfile.TemporaryDirectory() as folder:
        for path, blob in sorted(versions):
            if set(blob) == {"0"}:
                continue
            copy = Path(folder) / blob / path
            copy.parent.mkdir(parents=True)
            copy.write_bytes(_git(repository, "cat-file", "blob", blob))
            document, passages = read(copy)
            yield DatedDocument(path, document.title, "markdown", None, None, document.extra), passages
    for entry in _git(repository, "log", "--format=%H%x1f%B%x1e").decode().split("\x1e"):
        commit, _, message = entry.strip().partition("\x1f")
        if message.strip():
            yield _message(commit, message)


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def extracted(path: str, found: FoundDecision) -> Iterator[Extracted]:
    """What is extracted with a decision: itself, what it turned down, and what it says of others."""
    yield "decision", path, found.statement
    yield from (("rejected", path, f"{each.text}: {each.reason}") for each in found.rejected)
    yield from (("link", path, f"{each.kind} {each.target} {each.backward}") for each in found.links)


def judged(kinds: Sequence[str], found: Mapping[str, Extracted], verdicts: Mapping[str, bool]) -> measure.Row:
    """What the hand said: how many of these kinds are found, how many of a sample and of all were judged, and
    the shares that are right. `found` and `verdicts` by `fingerprint`."""
    names = sorted(name for name, each in found.items() if each[0] in kinds)
    sample = random.Random(SEED).sample(names, min(SAMPLED, len(names)))
    row: list[Any] = [" and ".join(kinds), len(names)]
    for part in (sample, names):
        said = [verdicts[each] for each in part if each in verdicts]
        row += [len(said), round(sum(said) / max(len(said), 1), 3)]
    return tuple(row)


def fingerprint(each: Extracted) -> str:
    """What names it in the sample: sixteen hex digits over its words."""
    kind, _, text = each
    lead = "" if kind == "decision" else f"{kind} "
    return hashlib.sha256(f"{lead}{' '.join(text.split())}".encode()).hexdigest()[:16]


def _message(commit: str, message: str) -> Read:
    whole = LineLocator(start_line=1, end_line=message.count("\n") + 1)
    chunks = StructureChunker().chunks([Section(message, whole)])
    document = DatedDocument(
        f"commit {commit[:10]}", message.split("\n", maxsplit=1)[0], "git", None, None, {}
    )
    return document, [Passage(each.text, each.heading_path, each.locator) for each in chunks]


def _readable(path: Path) -> Read | None:
    try:
        return read(path)
    except UnreadableError:
        return None


def _number(target: str) -> str:
    digits = "".join(each for each in Path(target).name[:8] if each.isdigit())
    return str(int(digits)) if digits else target


def main() -> None:
    """Run the parts that were asked for."""
    options = measure.options(__doc__)
    options.add_argument("--data", type=Path)
    options.add_argument("--no-decisions", type=Path)
    options.add_argument("--files", type=int, default=300)
    options.add_argument("--own", type=Path)
    options.add_argument("--minutes", type=Path)
    options.add_argument("--forms", action="store_true")
    options.add_argument("--show", action="store_true")
    chosen: Any = options.parse_args()
    if chosen.data:
        names = ("records", "number", "status right", "links", "precision", "recall")
        measure.show("Records", names, list(compared(chosen.data)), as_json=chosen.json)
    if chosen.no_decisions:
        row = without_decisions(chosen.no_decisions, chosen.files, show=chosen.show)
        measure.show(
            "No decisions", ("files", "passages", "found", "µs a passage"), [row], as_json=chosen.json
        )
    if chosen.forms:
        head = ("half", "forms", "listed right", "put aside with a reason", "wrong", "lost in silence")
        measure.show("Forms", head, list(forms()), as_json=chosen.json)
    if chosen.minutes:
        head = ("repositories", "confidence from", "found", "judged", "right")
        measure.show("Minutes", head, list(minutes(chosen.minutes)), as_json=chosen.json)
    if chosen.own:
        found = {
            fingerprint(each): each
            for document, passages in own_words(chosen.own)
            for decision in extract(document, passages).decisions
            for each in extracted(document.path, decision)
        }
        verdicts = {each["text"]: each["right"] for each in json.loads(SAMPLE.read_text())["own"]["verdicts"]}
        for name, (kind, path, text) in found.items() if chosen.show else ():
            if name not in verdicts:
                print(json.dumps({"text": name, "where": path, "kind": kind, "says": text}))
        head = ("extracted", "different ones", "sample judged", "right", "all judged", "right of all")
        rows = [judged(each, found, verdicts) for each in ((*KINDS,), *((each,) for each in KINDS))]
        measure.show("Own words", head, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
