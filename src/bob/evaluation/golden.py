"""Reads and writes golden sets: JSONL files with questions and what a good answer to each rests on (SPEC N1).

A set with a bad line is refused as a whole, and every bad line is named: figures over the lines that are left
would look like those of the whole set, and pass a gate that they should not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.core.errors import UsageError
from bob.core.private_files import write_private_file
from bob.evaluation.places import PLACE_KEYS, bad_ranges

_MOST_PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ExpectedSource:
    """A place that a good answer rests on.

    `path` is the file's path or the end of it; `locator` has some keys of the place's locator, and is empty
    when any place in the file will do; `grade` is how relevant it is, 1 or more.
    """

    path: str
    locator: Mapping[str, Any]
    grade: int = 1

    def to_json(self) -> dict[str, Any]:
        """The source as a golden set has it."""
        record: dict[str, Any] = {"path": self.path}
        if self.locator:
            record["locator"] = dict(self.locator)
        return record if self.grade == 1 else record | {"grade": self.grade}


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One question of a set, and what is expected of its answer."""

    id: str
    question: str
    sources: tuple[ExpectedSource, ...] = ()
    phrases: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    unanswerable: bool = False
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """A file of questions, in its order; `content_hash` is the SHA-256 of its bytes."""

    path: Path
    content_hash: str
    questions: tuple[GoldenQuestion, ...]


def read_golden(path: Path) -> GoldenSet:
    """The set in this file.

    Raises:
        UsageError: the file cannot be read, has no question, or has bad lines; the first 20 of them are named
            with number and field.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    questions: list[GoldenQuestion] = []
    problems: list[str] = []
    lines_of: dict[str, int] = {}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        record, parsed = _record(line)
        question = None if parsed else _question(record)
        if question is not None and question.id in lines_of:
            parsed = [f"id: {question.id!r} is also that of line {lines_of[question.id]}"]
        problems += [f"{path}:{number}: {problem}" for problem in parsed]
        if question is not None and not parsed:
            lines_of[question.id] = number
            questions.append(question)
    if problems:
        more = len(problems) - _MOST_PROBLEMS_SHOWN
        shown = problems[:_MOST_PROBLEMS_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        raise UsageError("\n".join(shown))
    if not questions:
        raise UsageError(f"{path}: has no questions; a line looks like {_EXAMPLE}")
    return GoldenSet(path, hashlib.sha256(content).hexdigest(), tuple(questions))


def write_golden(path: Path, records: Sequence[dict[str, Any]], *, replace: bool) -> None:
    """Write records as a golden set.

    Raises:
        UsageError: the file is there and `replace` is False, or it cannot be written.
    """
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    try:
        if replace:
            # A new file in its place: another name of the old one (a hard link) keeps what it has.
            write_private_file(path, lines)
            return
        # "x" looks and makes in one step: a file that appears meanwhile is not overwritten either.
        with path.open("x", encoding="utf-8") as file:
            file.write(lines)
    except FileExistsError as error:
        raise UsageError(f"{path} already exists; to overwrite it, use --force") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def question_id(question: str) -> str:
    """The id of a question that names none; the same for the same words."""
    return hashlib.sha256(" ".join(question.split()).encode()).hexdigest()[:12]


_EXAMPLE = '{"question": "When is the hedge cut?", "sources": [{"path": "notes/hedge.md"}]}'


def _record(line: bytes) -> tuple[dict[str, Any], list[str]]:
    """The object of a line, and what is wrong with it."""
    try:
        record = json.loads(line.decode("utf-8"))
        # JSON can spell half a character ("\ud800"), which no database and no other file can hold.
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeError:
        return {}, ["is not valid UTF-8"]
    except (ValueError, RecursionError):
        return {}, ["is not JSON"]
    if not isinstance(record, dict):
        return {}, [f"must be an object like {_EXAMPLE}"]
    return record, list(_problems(record))


def _question(record: Mapping[str, Any]) -> GoldenQuestion:
    sources = [
        ExpectedSource(source["path"].removeprefix("./"), source.get("locator", {}), source.get("grade", 1))
        for source in record.get("sources", ())
    ]
    return GoldenQuestion(
        id=record.get("id") or question_id(record["question"]),
        question=record["question"],
        sources=tuple(sources),
        phrases=tuple(record.get("phrases", ())),
        forbidden=tuple(record.get("forbidden", ())),
        unanswerable=record.get("unanswerable", False),
        confirmed=record.get("confirmed", True),
    )


_FIELDS = ("id", "question", "sources", "phrases", "forbidden", "unanswerable", "confirmed")
_SOURCE_FIELDS = ("path", "locator", "grade")


def _problems(record: Mapping[str, Any]) -> Iterator[str]:
    yield from _unknown("", record, _FIELDS)
    for name in ("id", "question"):
        if (name in record or name == "question") and not _is_text(record.get(name)):
            yield f"{name}: must be a non-empty text"
    for name in ("phrases", "forbidden"):
        phrases = record.get(name, [])
        if not isinstance(phrases, list) or not all(_is_text(phrase) for phrase in phrases):
            yield f"{name}: must be a list of non-empty texts"
    for name in ("unanswerable", "confirmed"):
        if not isinstance(record.get(name, False), bool):
            yield f"{name}: must be true or false"
    sources = record.get("sources", [])
    if not isinstance(sources, list):
        yield "sources: must be a list"
        return
    for index, source in enumerate(sources):
        yield from _source_problems(f"sources[{index}]", source)
    if record.get("unanswerable") is True:
        for name in ("sources", "phrases"):
            if record.get(name):
                yield f"{name}: must be empty for an unanswerable question"


def _source_problems(location: str, source: Any) -> Iterator[str]:
    if not isinstance(source, dict):
        yield f'{location}: must be an object like {{"path": "notes/hedge.md"}}'
        return
    yield from _unknown(f"{location}.", source, _SOURCE_FIELDS)
    path = source.get("path")
    if not _is_text(path):
        yield f"{location}.path: must be a non-empty text"
    elif ".." in str(path).split("/"):
        yield f"{location}.path: must be an absolute path, or the end of one, without «..»"
    grade = source.get("grade", 1)
    if type(grade) is not int or grade < 1:
        yield f"{location}.grade: must be a whole number, 1 or more"
    locator = source.get("locator", {})
    if not isinstance(locator, dict):
        yield f'{location}.locator: must be an object like {{"heading": "Hedge"}}'
        return
    yield from _unknown(f"{location}.locator.", locator, PLACE_KEYS)
    for name, value in locator.items():
        kind = PLACE_KEYS.get(name)
        # bool is a kind of int, and true is no page.
        if kind is not None and type(value) is not kind:
            yield f"{location}.locator.{name}: must be {_KIND_WORDS[kind]}"
            return
    yield from (f"{location}.locator.{problem}" for problem in bad_ranges(locator))


_KIND_WORDS: dict[type, str] = {int: "a whole number", str: "text", bool: "true or false"}


def _unknown(
    prefix: str, record: Mapping[str, Any], allowed: Sequence[str] | Mapping[str, Any]
) -> Iterator[str]:
    for name in record:
        if name not in allowed:
            # A message is one line, whatever somebody's file has for a name.
            shown = name if name.isprintable() else repr(name)
            yield f"{prefix}{shown}: unknown; known: {', '.join(allowed)}"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
