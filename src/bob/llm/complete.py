"""Joins the pieces of an answer to a whole text."""

from __future__ import annotations

from bob.core.errors import LanguageModelError
from bob.core.prompt import Completion, Finished, Prompt
from bob.core.protocols import LanguageModel


def complete(model: LanguageModel, prompt: Prompt) -> Completion:
    """The whole answer. Raises LanguageModelError and MissingExtraError, as the model's stream does."""
    texts: list[str] = []
    for piece in model.stream(prompt):
        if isinstance(piece, Finished):
            return Completion("".join(texts), piece.reason, piece.usage)
        texts.append(piece.text)
    raise LanguageModelError(f"{model.name} ended its answer without saying that it is whole")
