"""Asks a model up to three times, as long as nothing of its answer was handed on and it was not silent: a
model that was too slow once will be again, and the wait was long already.

The SDKs' own tries are off. They ask a silent server again, so that its silence lasts three times as long.
Anthropic's waits for as long as Retry-After says, OpenAI's for up to two minutes, and Google's does not look
at it. After an error or a broken connection between the head of an answer and its text none tries again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace

from bob.core.errors import LanguageModelError
from bob.core.prompt import Finished, Piece, Prompt, Segment, TextPiece
from bob.core.retries import FIRST_PAUSE, TRIES
from bob.core.storable import encodable, storable
from bob.llm.endpoint import Endpoint
from bob.llm.failure import Failure, explained, failure_of

_LONGEST_PAUSE = 20.0
"""Seconds. A server that asks for more in Retry-After is not asked again: a person waits here."""

_MALFORMED = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""The SDKs do not check what they parse: an answer of another shape fails where it is used, and one that is
nested too deep where it is parsed."""


def failures(sdk_error: type[Exception]) -> tuple[type[Exception], ...]:
    """What a call through an SDK may raise."""
    import httpx2

    return (sdk_error, httpx2.HTTPError, httpx2.InvalidURL, *_MALFORMED)


def pieces_of(
    ask: Callable[[], Generator[Piece]],
    endpoint: Endpoint,
    sdk_error: type[Exception],
    sleep: Callable[[float], None],
    most_characters: int,
) -> Iterator[Piece]:
    """The pieces that `ask` gives, the last of them `Finished`; `sleep` waits between tries. An answer of
    more than `most_characters` is cut off.

    Raises LanguageModelError: after the last try, or at once if part of the answer was handed on.
    """
    from bob.llm.limits import ExcessiveAnswerError

    pause = FIRST_PAUSE
    for left in reversed(range(TRIES)):
        characters = 0
        try:
            with closing(ask()) as answer:
                for piece in answer:
                    if isinstance(piece, Finished):
                        yield piece
                        return
                    text = _text(piece)
                    if characters + len(text) > most_characters:
                        raise ExcessiveAnswerError(f"more than {most_characters:,} characters")
                    yield TextPiece(text)
                    characters += len(text)
            failure = Failure("cut") if characters else Failure("malformed", "it ended without an answer")
        except failures(sdk_error) as error:
            failure = failure_of(error)
        # Raised out here, the error has no context: the SDK's own holds the request with the key.
        if characters:
            why = explained(failure, endpoint)
            raise LanguageModelError(f"the answer was cut off after {characters} characters: {why}")
        wait = pause if failure.wait is None else failure.wait
        if not left or not failure.passing or wait > _LONGEST_PAUSE:
            raise LanguageModelError(explained(failure, endpoint))
        sleep(wait)
        pause *= 2


def _text(piece: TextPiece) -> str:
    """The text of a piece, without what no file and no database can hold. Raises TypeError: it is none."""
    if not isinstance(piece.text, str):
        raise TypeError(f"a piece of its text is of type {type(piece.text).__name__}")
    return storable(piece.text)


def sendable(prompt: Prompt) -> Prompt:
    """The prompt without lone surrogates, which UTF-8 cannot hold and some files have."""
    return replace(
        prompt,
        system=_segments(prompt.system),
        messages=tuple(
            replace(message, text=encodable(message.text), preface=_segments(message.preface))
            for message in prompt.messages
        ),
    )


def _segments(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    return tuple(replace(segment, text=encodable(segment.text)) for segment in segments)
