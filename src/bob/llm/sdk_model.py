"""What the models of all providers have in common: an endpoint, and tries through its SDK."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator

from bob.core.prompt import Piece, Prompt
from bob.llm.attempts import pieces_of, sendable
from bob.llm.endpoint import Endpoint, missing


class SdkModel(ABC):
    """A `LanguageModel` over a provider's SDK. Constructing it contacts nobody and imports no SDK."""

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None]) -> None:
        self._endpoint = endpoint
        self._sleep = sleep

    @property
    def name(self) -> str:
        """Provider and model, such as `openai:gpt-5`."""
        return self._endpoint.name

    def stream(self, prompt: Prompt) -> Iterator[Piece]:
        """The answer as it is written. Raises LanguageModelError and MissingExtraError."""
        try:
            failure = self._failure()
        except ImportError as error:
            raise missing(self._endpoint.provider) from error
        from bob.llm.limits import most_characters

        most = most_characters(prompt.max_tokens)
        return pieces_of(lambda: self._pieces(sendable(prompt)), self._endpoint, failure, self._sleep, most)

    @abstractmethod
    def _failure(self) -> type[Exception]:
        """What the SDK raises. Raises ImportError when it is not installed."""

    @abstractmethod
    def _pieces(self, prompt: Prompt) -> Generator[Piece]:
        """One try: the answer's text as it comes, and `Finished` when it is whole."""
