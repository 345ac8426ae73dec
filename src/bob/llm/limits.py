"""What a server's answer may have at the most, in bytes and in time, whatever the server sends.

A server is not trusted to end its answer, to keep to `max_tokens`, or to send what was asked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2

MOST_BYTES = 64 << 20
"""Of an answer whose length nobody has asked for."""

_ENVELOPE_BYTES = 1 << 20
_BYTES_A_TOKEN = 4096
"""A streamed token comes in an envelope of 150 to 1,000 bytes."""

_ENVELOPE_CHARACTERS = 4096
_CHARACTERS_A_TOKEN = 64
"""On average a token has four characters, but some have dozens of blanks."""


class ExcessiveAnswerError(ValueError):
    """A server sends more than an answer may have."""


class EndlessAnswerError(ValueError):
    """A server is not silent, and does not come to an end."""


def most_bytes(max_tokens: int) -> int:
    """The bytes in which an answer of so many tokens comes, generously."""
    return min(_ENVELOPE_BYTES + _BYTES_A_TOKEN * max_tokens, MOST_BYTES)


def most_characters(max_tokens: int) -> int:
    """The characters that an answer of so many tokens may have."""
    return _ENVELOPE_CHARACTERS + _CHARACTERS_A_TOKEN * max_tokens


def check_uncompressed(response: httpx2.Response) -> None:
    """Raises ValueError: the answer is compressed, so that nobody knows how long it is."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise ValueError(f"its answer is compressed ({encoding}), which Bob did not ask for")


class LimitedStream(httpx2.SyncByteStream):
    """The bytes of a response as they come.

    Raises ExcessiveAnswerError after `most` bytes, EndlessAnswerError for what comes after `deadline`, in the
    seconds of `time.monotonic`.
    """

    def __init__(self, stream: httpx2.SyncByteStream, most: int, deadline: float) -> None:
        self._stream = stream
        self._most = most
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        for part in self._stream:
            count += len(part)
            if count > self._most:
                raise ExcessiveAnswerError(f"more than {self._most:,} bytes")
            if time.monotonic() > self._deadline:
                raise EndlessAnswerError
            yield part

    def close(self) -> None:
        """Close the connection, or give it back."""
        self._stream.close()


_MOST = 1_000_000_000
"""No request has so many; databases and sums have room for it."""


def believable(*counts: object) -> list[int] | None:
    """The counts, of which None is 0; None when one of them is no number of tokens."""
    numbers = [0 if count is None else count for count in counts]
    good = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= _MOST]
    return good if len(good) == len(numbers) else None
