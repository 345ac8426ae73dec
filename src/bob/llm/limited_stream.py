"""Holds a server's answer to its limits while it comes. Import it where a server is spoken to, and not above:
without the extra of a provider there is no HTTP client.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2

from bob.llm.limits import EndlessAnswerError, ExcessiveAnswerError


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
