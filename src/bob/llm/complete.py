"""Joins the pieces of an answer to a whole text; and a model that answers what it was told, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bob.core.errors import LanguageModelError
from bob.core.prompt import Completion, Finished, Piece, Prompt, TextPiece, Usage
from bob.core.protocols import LanguageModel


def complete(model: LanguageModel, prompt: Prompt) -> Completion:
    """The whole answer. Raises LanguageModelError and MissingExtraError, as the model's stream does."""
    texts: list[str] = []
    for piece in model.stream(prompt):
        if isinstance(piece, Finished):
            return Completion("".join(texts), piece.reason, piece.usage)
        texts.append(piece.text)
    raise LanguageModelError(f"{model.name} ended its answer without a finish reason")


_PIECE = 7
"""Characters in a piece: few enough that words and marks are cut, as real models do."""


class ScriptedModel:
    """A `LanguageModel` that streams the given replies in order; a reply that is an error is raised.

    `prompts` holds what it was asked. Its usage counts words.
    """

    def __init__(self, replies: Sequence[str | LanguageModelError], name: str = "scripted") -> None:
        self.prompts: list[Prompt] = []
        self._replies = list(replies)
        self._name = name

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    def stream(self, prompt: Prompt) -> Iterator[Piece]:
        """The next reply in pieces of a few characters. Raises LanguageModelError: none is left."""
        self.prompts.append(prompt)
        if not self._replies:
            raise LanguageModelError(f"{self._name} has no replies left")
        reply = self._replies.pop(0)
        if isinstance(reply, LanguageModelError):
            raise reply
        for start in range(0, len(reply), _PIECE):
            yield TextPiece(reply[start : start + _PIECE])
        asked = [*(each.text for each in prompt.system), *(message.whole for message in prompt.messages)]
        yield Finished("complete", Usage(len(" ".join(asked).split()), len(reply.split())))
