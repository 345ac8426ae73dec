"""Reads public sets of questions about past conversations: LoCoMo and LongMemEval, in the form of their
authors' files."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.core.errors import UsageError

LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""By the numbers in the file. The fifth is left out: its questions have no answer in the conversation."""

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said at a time; `chat` names the conversation of that day, `author` who spoke."""

    id: str
    chat: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the ids of what answers it: turns in LoCoMo, chats in LongMemEval. Never empty."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All turns that a question may be answered from, in order, and the questions."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[AskedQuestion, ...]


def read_locomo(path: Path, *, captions: bool = True) -> list[Conversation]:
    """The conversations of LoCoMo (Maharana et al. 2024), with the questions of its categories 1 to 4.

    Evidence is every "D8:6" that stands in the strings of the list, however they are punctuated ("D8:6;
    D9:17", "D:11:26"), numbers without leading zeros. An id that names no turn is dropped, and so is a
    question that is left with none. The caption of a shared picture is part of its turn's text, unless
    `captions` says no.

    Raises:
        UsageError: the file cannot be read or has another form.
    """
    records = _records(path, "LoCoMo")
    try:
        conversations = [_locomo(record, captions) for record in records]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _other_form(path, "LoCoMo", error) from error
    return conversations


def _locomo(record: dict[str, Any], captions: bool) -> Conversation:
    conversation_data = record["conversation"]
    turns: list[Turn] = []
    for chat in _numbered(conversation_data):
        for turn in conversation_data[chat]:
            shared = turn.get("blip_caption") if captions else None
            text = f"{turn['text']} [shared {shared}]" if shared else turn["text"]
            turns.append(Turn(_plain(turn["dia_id"]), chat, turn["speaker"], text))
    turn_ids = {turn.id for turn in turns}
    questions = []
    for question in record["qa"]:
        category = LOCOMO_CATEGORIES.get(question["category"])
        evidence = turn_ids & {
            f"D{int(day)}:{int(number)}"
            for turn_id in question.get("evidence") or []
            for day, number in _EVIDENCE.findall(turn_id)
        }
        if category and evidence:
            questions.append(AskedQuestion(question["question"], category, frozenset(evidence)))
    return Conversation(str(record["sample_id"]), tuple(turns), tuple(questions))


def _numbered(conversation_data: dict[str, Any]) -> list[str]:
    keys = [key for key in conversation_data if re.fullmatch(r"session_\d+", key)]
    return sorted(keys, key=lambda key: int(key.removeprefix("session_")))


def _plain(turn_id: str) -> str:
    day, number = turn_id.removeprefix("D").split(":")
    return f"D{int(day)}:{int(number)}"


def read_longmemeval(path: Path) -> Conversation:
    """LongMemEval (Wu et al. 2024) as one pool: what the user said in all chats of all questions, and the
    questions with the chats that answer them. A chat that several questions share is there once.

    Raises:
        UsageError: the file cannot be read or has another form.
    """
    records = _records(path, "LongMemEval")
    chats: dict[str, list[Turn]] = {}
    questions = []
    try:
        for record in records:
            for name, session in zip(
                record["haystack_session_ids"], record["haystack_sessions"], strict=True
            ):
                texts = [message["content"] for message in session if message["role"] == "user"]
                chats[name] = [Turn(f"{name}:{index}", name, "", text) for index, text in enumerate(texts)]
            evidence = frozenset(record["answer_session_ids"])
            if evidence:
                questions.append(AskedQuestion(record["question"], record["question_type"], evidence))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _other_form(path, "LongMemEval", error) from error
    return Conversation(path.name, tuple(turn for chat in chats.values() for turn in chat), tuple(questions))


def _records(path: Path, name: str) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            records = json.loads(file.read())
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{path}: cannot be read: {reason}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(records, list) or not records:
        raise _other_form(path, name, "it is not a list of records")
    yield from records


def _other_form(path: Path, name: str, reason: object) -> UsageError:
    what = f"the field {reason} is missing" if isinstance(reason, KeyError) else str(reason)
    return UsageError(f"{path}: not in {name}'s format: {what}")
