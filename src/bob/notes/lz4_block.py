"""Unpacks the files that Firefox calls `.jsonlz4`: a mark, a size, and one block of LZ4.

Sources: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md and Firefox's
toolkit/components/lz4/lz4.sys.mjs.
"""

from __future__ import annotations

from bob.core.errors import UsageError

MAGIC = b"mozLz40\0"
_MAX_BYTES = 500_000_000
_MIN_MATCH = 4


def decompressed(data: bytes) -> bytes:
    """What the file holds.

    Raises:
        UsageError: it is damaged.
    """
    at = len(MAGIC)
    size = int.from_bytes(data[at : at + 4], "little")
    if len(data) < at + 4 or size > _MAX_BYTES:
        raise _damaged()
    try:
        content = _unpacked(data, at + 4, size)
    except IndexError as error:
        raise _damaged() from error
    if len(content) != size:
        raise _damaged()
    return content


def _unpacked(data: bytes, at: int, size: int) -> bytes:
    made = bytearray()
    while at < len(data):
        token = data[at]
        count, at = _length(data, at + 1, token >> 4)
        if at + count > len(data):
            raise IndexError
        made += data[at : at + count]
        at += count
        if at == len(data):
            break
        offset = data[at] | data[at + 1] << 8
        count, at = _length(data, at + 2, token & 15)
        count += _MIN_MATCH
        begin = len(made) - offset
        if offset == 0 or begin < 0 or len(made) + count > size:
            raise IndexError
        # What is copied may reach into what the copy makes: then it repeats.
        piece = made[begin : begin + count]
        made += (piece * (count // offset + 1))[:count] if offset < count else piece
    return bytes(made)


def _length(data: bytes, at: int, first: int) -> tuple[int, int]:
    count = first
    if first == 15:
        while True:
            more = data[at]
            at += 1
            count += more
            if more != 255:
                break
    return count, at


def _damaged() -> UsageError:
    return UsageError("the file is a damaged .jsonlz4")
