"""What a server's answer may have at the most, in bytes and in time, whatever the server sends.

A server is not trusted to end its answer, to keep to `max_tokens`, or to send what was asked for.
"""

from __future__ import annotations

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


_MOST = 1_000_000_000
"""No request has so many; databases and sums have room for it."""


def believable(*counts: object) -> list[int] | None:
    """The counts, of which None is 0; None when one of them is no number of tokens."""
    numbers = [0 if count is None else count for count in counts]
    good = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= _MOST]
    return good if len(good) == len(numbers) else None
