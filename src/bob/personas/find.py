"""Finds personas: folders with a voice card and a corpus (SPEC J1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import NotFoundError, UsageError
from bob.core.protocols import Embedder, LanguageModel
from bob.personas.choice import FindPassages, PassageOptions
from bob.personas.files import CORPUS, VOICE, read_corpus, read_voice
from bob.personas.service import Persona, WritingOptions
from bob.storage.paths import absolute


@dataclass(frozen=True, slots=True)
class PersonaFolder:
    """A folder that is a persona, or would be with what it lacks."""

    name: str
    path: Path
    has_voice: bool
    has_corpus: bool

    def to_json(self) -> dict[str, str | bool]:
        """All of it."""
        return {"name": self.name, "path": str(self.path), VOICE: self.has_voice, CORPUS: self.has_corpus}


class Personas:
    """The personas in one folder, and those anywhere else by their path."""

    def __init__(
        self,
        folder: Path,
        part_tokens: int,
        embedder: Embedder,
        passages: PassageOptions,
        model: Callable[[], LanguageModel | None],
        writing: WritingOptions,
    ) -> None:
        """`part_tokens` is the length of a part; `model` is asked for when a text is to be written."""
        self._folder = folder
        self._part_tokens = part_tokens
        self._embedder = embedder
        self._passages = passages
        self._model = model
        self._writing = writing

    @property
    def folder(self) -> Path:
        """Where personas are called by their name. Raises UsageError: the home folder is unknown."""
        return absolute(self._folder)

    def listed(self) -> list[PersonaFolder]:
        """The personas in the folder by name; none where there is no folder.

        Raises:
            UsageError: the folder cannot be read.
        """
        try:
            found = sorted(each for each in self.folder.iterdir() if each.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UsageError(f"{self.folder}: cannot be read: {error.strerror}") from error
        folders = [
            PersonaFolder(each.name, each, (each / VOICE).is_file(), (each / CORPUS).is_file())
            for each in found
        ]
        return [folder for folder in folders if folder.has_voice or folder.has_corpus]

    def open(self, name: str) -> Persona:
        """The persona of this name, or in the folder at this path.

        Raises:
            UsageError: there is none, or it has no corpus that can be read.
        """
        folder = self._at(name)
        corpus = read_corpus(folder / CORPUS, self._part_tokens)
        voice, notices = read_voice(folder / VOICE)
        return Persona(
            folder,
            voice,
            corpus,
            (*notices, *corpus.notices),
            FindPassages(self._embedder, corpus, self._passages),
            self._model,
            self._writing,
        )

    def _at(self, name: str) -> Path:
        separators = [each for each in (os.sep, os.altsep) if each]
        is_name = name not in ("", ".", "..") and not any(separator in name for separator in separators)
        if is_name and (self.folder / name).is_dir():
            return self.folder / name
        if name and absolute(Path(name)).is_dir():
            return absolute(Path(name))
        names = ", ".join(each.name for each in self.listed())
        there = f"personas in {self.folder}: {names}" if names else f"{self.folder} has none"
        raise NotFoundError(f"no persona {name!r}; {there}. A persona is a folder with {CORPUS} and {VOICE}")
