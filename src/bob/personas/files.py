"""Reads the files of a persona's folder (SPEC J1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import UnreadableError, UsageError
from bob.documents.formats.front_matter import read_front_matter
from bob.documents.formats.source import LocalFile
from bob.personas.corpus import Stamp, cut_corpus
from bob.personas.values import CorpusPart
from bob.text.tokens import estimate_tokens

VOICE, CORPUS, QUESTIONS = "voice.md", "corpus.md", "questions.md"

_VOICE_TOKENS = 300
"""What a voice card should have: it is sent with every question."""
_MOST_VOICE_TOKENS = 2 * _VOICE_TOKENS

_MOST_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PersonaCorpus:
    """A corpus as it was read: `stamp` is from before that. `notices` tell what is odd about it."""

    path: Path
    text: str
    stamp: Stamp
    parts: tuple[CorpusPart, ...]
    notices: tuple[str, ...]

    @property
    def searched(self) -> list[CorpusPart]:
        """The parts that have something to say."""
        return [part for part in self.parts if part.has_prose]


def read_corpus(path: Path, part_tokens: int) -> PersonaCorpus:
    """The corpus, cut into parts. Raises UsageError: there is none, or no text in it."""
    try:
        # Before the content: a change in between then shows as a change.
        stamp = Stamp.of(path)
    except FileNotFoundError as error:
        raise UsageError(f"{path.parent}: {CORPUS} is missing") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    text = read_persona_file(path)
    front = read_front_matter([line.rstrip("\r") for line in text.split("\n")])
    cut = cut_corpus(text, front.lines, part_tokens, estimate_tokens)
    if not any(part.has_prose for part in cut.parts):
        raise UsageError(f"{path}: has no text")
    return PersonaCorpus(path, text, stamp, cut.parts, cut.notices)


def read_voice(path: Path) -> tuple[str, list[str]]:
    """The voice card, "" without one, and what is to be said about it. Raises UsageError."""
    voice = read_persona_file(path).strip() if path.is_file() else ""
    tokens = estimate_tokens(voice)
    if not voice:
        return "", [f"{VOICE} is missing, so only the passages show how the persona speaks"]
    if tokens > _MOST_VOICE_TOKENS:
        return voice, [
            f"{VOICE} has about {tokens:,} tokens, and is sent with every question: "
            f"about {_VOICE_TOKENS} are enough"
        ]
    return voice, []


def read_persona_file(path: Path) -> str:
    """The file's text, "" for an empty file. Raises UsageError."""
    try:
        return LocalFile(path, _MOST_BYTES).read_text()
    except UnreadableError as error:
        if error.code == "empty":
            return ""
        raise UsageError(f"{path}: cannot be read: {error.reason}") from error
