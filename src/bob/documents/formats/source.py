"""Reads one file of the local disk within limits, and decodes it so that quotes stay equal to the source."""

from __future__ import annotations

import os
import re
import stat
import zlib
from pathlib import Path

from bob.core.errors import UnreadableError

DEFAULT_MAX_BYTES = 100 * 1024 * 1024

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),  # before UTF-16, whose mark it begins with
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SAMPLE = 64 * 1024  # bytes or characters that are enough to tell an encoding or a binary file
# Tab, line ends, form feed and escape (terminal colours in logs) are ordinary in text.
_CONTROL = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_MAX_CONTROL_SHARE = 0.1
# Above this share of damaged sequences among all non-ASCII ones, a file is no UTF-8 with a scratch.
_MAX_DAMAGED_SHARE = 0.05
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# Short Western text fits other code pages equally well, and Windows' own is by far the likeliest of them:
# it is taken when every character is one that Western languages use where they use it.
_NOT_WESTERN = re.compile(r"[^\x00-\x7f\xa0¡-§©-¬®°-·¹-ÿœŒ€„“”‘’‚–—…•™]")
_SIGN_IN_WORD = re.compile(
    r"\w[¿¡]|[¼¾¥][^\W\d_]|[^\W\d_][¹¾]|³[^\W\d_]"
    r"|(?<!\Wm)(?<!\W[cdk]m)(?<!\dm)(?<!\d[cdk]m)(?<=[^\W\d_])³"
)
"""Signs beside letters are letters of Eastern languages, except in such as m³."""
_MAX_WESTERN_SHARE = 0.35


class LocalFile:
    """A file on this machine, read once and then kept; a `.gz` file is read as what it holds.

    `max_bytes` limits the content after decompression.
    """

    def __init__(self, path: Path, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._data: bytes | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._path

    def read_bytes(self) -> bytes:
        """The whole content, decompressed.

        Raises:
            UnreadableError: "vanished", "permission", "not-a-file", "too-large", "empty", "damaged" (a
                broken `.gz`) or "io".
        """
        if self._data is None:
            data = _read_limited(self._path, self._max_bytes)
            if self._path.suffix.lower() == ".gz":
                data = _decompressed(data, self._max_bytes)
            if not data:
                raise UnreadableError("empty", "the file is empty")
            self._data = data
        return self._data

    def read_text(self) -> str:
        """The content decoded by `decode`, newlines as they are.

        Raises:
            UnreadableError: as `read_bytes` and `decode` do.
        """
        return decode(self.read_bytes())


class HeldFile:
    """A file whose content is in memory already, such as a version of it; a `.gz` is read as what it holds.

    `max_bytes` limits the content after decompression.
    """

    def __init__(self, path: Path, data: bytes, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._path = path
        self._data = data
        self._max_bytes = max_bytes

    @property
    def path(self) -> Path:
        """What the file is called."""
        return self._path

    def read_bytes(self) -> bytes:
        """The whole content, decompressed.

        Raises:
            UnreadableError: "too-large", "empty", or "damaged" (a broken `.gz`).
        """
        if len(self._data) > self._max_bytes:
            raise too_large(len(self._data), self._max_bytes)
        data = self._data
        if self._path.suffix.lower() == ".gz":
            data = _decompressed(data, self._max_bytes)
        if not data:
            raise UnreadableError("empty", "the file is empty")
        return data

    def read_text(self) -> str:
        """The content decoded by `decode`, newlines as they are.

        Raises:
            UnreadableError: as `read_bytes` and `decode` do.
        """
        return decode(self.read_bytes())


def decode(data: bytes) -> str:
    """The text of a file's bytes; the same bytes give the same text, always.

    UTF-8, or what a byte order mark says, or else a guess among the older encodings. A byte order mark is
    dropped and newlines are not translated, so that locators resolve by decoding the file again; only where
    every line ends with a carriage return alone, as in old files of the Mac, it becomes a line feed.

    Raises:
        UnreadableError: "binary" when this is no text, "encoding" when no encoding fits.
    """
    text = _decoded(data)
    return text.replace("\r", "\n") if "\n" not in text else text


def _decoded(data: bytes) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decoded_as(data[len(mark) :], encoding)
    if b"\x00" in data:
        raise _binary()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = _decoded_by_guess(data)
    return _checked(text)


def _decoded_as(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise UnreadableError("encoding", f"the file declares {encoding}, but is not") from error
        text = data.decode("utf-8", "replace")
    if "\x00" in text:
        raise _binary()
    return _checked(text)


def _decoded_by_guess(data: bytes) -> str:
    patched = data.decode("utf-8", "replace")
    damaged = patched.count("\ufffd")
    foreign = len(_NOT_ASCII.findall(patched))
    if damaged <= foreign * _MAX_DAMAGED_SHARE:
        return patched
    for encoding in _guesses(data):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    raise UnreadableError("encoding", "unknown text encoding; save the file as UTF-8")


def _guesses(data: bytes) -> list[str]:
    sample = data[:_SAMPLE]
    western = sample.decode("cp1252", "replace")
    _checked(sample.decode("latin-1"), ignore_c1=True)  # the guess below is slow on bytes that are no text
    foreign = len(_NOT_ASCII.findall(western))
    is_eastern = _SIGN_IN_WORD.search(western) is not None
    if not is_eastern and not _NOT_WESTERN.search(western) and foreign <= len(western) * _MAX_WESTERN_SHARE:
        return ["cp1252"]
    import charset_normalizer  # takes 50 ms, and nearly every file is UTF-8

    matches = charset_normalizer.from_bytes(sample)
    best = matches.best()
    if best is None:
        return ["cp1252"]
    fits_as_well = any(
        match.encoding == "cp1252" and match.chaos <= best.chaos and match.coherence >= best.coherence
        for match in matches
    )
    return ["cp1252"] if fits_as_well and not is_eastern else [best.encoding, "cp1252"]


def _checked(text: str, *, ignore_c1: bool = False) -> str:
    sample = text[:_SAMPLE]
    controls = _CONTROL.findall(sample)
    count = sum(1 for control in controls if control < "\x7f") if ignore_c1 else len(controls)
    if count > len(sample) * _MAX_CONTROL_SHARE:
        raise _binary()
    return text


def _binary() -> UnreadableError:
    return UnreadableError("binary", "this is a binary file, not text")


def _read_limited(path: Path, max_bytes: int) -> bytes:
    # Without O_NONBLOCK, opening a pipe that took the file's place would wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        _check_kind(path.stat(), max_bytes)
        with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123 - a descriptor, not a path
            _check_kind(os.fstat(stream.fileno()), max_bytes)
            data = stream.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreadableError("vanished", "the file is no longer there") from error
    except PermissionError as error:
        raise UnreadableError("permission", "no permission to read the file") from error
    except (OSError, ValueError) as error:  # ValueError: a name that the system cannot express
        raise UnreadableError("io", f"the disk could not read the file: {error}") from error
    if len(data) > max_bytes:
        raise too_large(len(data), max_bytes)
    return data


def _check_kind(status: os.stat_result, max_bytes: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableError("not-a-file", "this is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("not-a-file", "this is a device or a pipe, not a file")
    if status.st_size > max_bytes:
        raise too_large(status.st_size, max_bytes)


def too_large(size: int, max_bytes: int) -> UnreadableError:
    """The failure of a file that has more bytes than are read."""
    return UnreadableError(
        "too-large", f"the file has {size / 1e6:,.1f} MB or more; the limit is {max_bytes / 1e6:,.1f} MB"
    )


def _decompressed(data: bytes, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        while data:  # a .gz may hold several members one after another
            inflater = zlib.decompressobj(wbits=31)
            parts.append(inflater.decompress(data, max_bytes + 1 - size))
            size += len(parts[-1])
            if size > max_bytes:
                raise too_large(size, max_bytes)
            if not inflater.eof:
                raise UnreadableError("damaged", "the compressed file is cut off")
            data = inflater.unused_data.lstrip(b"\x00")
    except zlib.error as error:
        raise UnreadableError("damaged", "the compressed file is damaged") from error
    return b"".join(parts)
