"""Tells how large git objects are without unpacking them: a few bytes of each are read."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.pack import Pack

_HEAD = 256  # bytes: enough for any header and, unpacked, for the two sizes that a delta begins with
_OFFSET_DELTA, _REFERENCE_DELTA = 6, 7


def object_sizes(store: DiskObjectStore, wanted: Iterable[bytes]) -> dict[bytes, int]:
    """The size in bytes of each object by its id in hexadecimal digits; those that are not there or whose
    header cannot be read are left out."""
    left = set(wanted)
    found: dict[bytes, int] = {}
    for pack in store.packs:
        found.update(_packed(pack, left))
        left -= found.keys()
    for object_id in left:
        size = _loose(Path(store.path, object_id[:2].decode(), object_id[2:].decode()))
        if size is not None:
            found[object_id] = size
    for other in store.alternates:
        left -= found.keys()
        if left:
            found |= object_sizes(other, left)  # type: ignore[arg-type]
    return found


def _packed(pack: Pack, wanted: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    with Path(pack.data.path).open("rb") as file:
        for object_id in wanted:
            try:
                offset = pack.index.object_offset(object_id)  # type: ignore[arg-type]
                yield object_id, _size_at(file, offset, len(object_id) // 2)
            except (KeyError, zlib.error, IndexError):
                continue


def _size_at(file: IO[bytes], offset: int, id_length: int) -> int:
    """The size of the object whose entry in a pack begins there; git's own format (`gitformat-pack`)."""
    file.seek(offset)
    head = file.read(_HEAD)
    kind = head[0] >> 4 & 7
    size, at = head[0] & 15, 1
    shift = 4
    while head[at - 1] & 128:
        size |= (head[at] & 127) << shift
        shift, at = shift + 7, at + 1
    if kind == _REFERENCE_DELTA:
        at += id_length
    elif kind == _OFFSET_DELTA:
        while head[at] & 128:
            at += 1
        at += 1
    else:
        return size
    delta = zlib.decompressobj().decompress(head[at:], 32)
    _, at = _number(delta, 0)
    return _number(delta, at)[0]


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and where the next one begins."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if not data[at - 1] & 128:
            return value, at


def _loose(path: Path) -> int | None:
    try:
        with path.open("rb") as file:
            head = zlib.decompressobj().decompress(file.read(_HEAD), 64)
        return int(head.partition(b"\0")[0].split(b" ")[1])
    except (OSError, zlib.error, IndexError, ValueError):
        return None
