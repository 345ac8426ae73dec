"""Opens a zip-based file (Office, EPUB) from memory, within limits; knows nothing of what is inside."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from dataclasses import dataclass

from lxml import etree

from bob.core.errors import UnreadableError

# An Office file with a password, and every Office file before 2007, is a compound file and no zip.
_COMPOUND_FILE = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")

# "Strict" Office files have the same elements under other names of their namespaces.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_PROLOGUE = 8192  # bytes: namespaces are declared in the root element

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # bz2 says so of bad data, and seeks outside of the file
    ValueError,  # negative offsets
    KeyError,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold; beyond it the file counts as a zip bomb.

    The largest honest Office files seen have a few thousand members and expand to some hundred megabytes.
    Deflate packs at most 1032 to 1; sheets of empty formatted cells reach 100 to 1, so the ratio is judged
    only beyond `free_bytes`, which fit into memory whatever they came from.
    """

    members: int = 20_000
    total_bytes: int = 1_000_000_000
    ratio: int = 200
    free_bytes: int = 50_000_000


# An XML part is held as a tree of some seven times its size; the largest honest ones are long books.
_MAX_XML = 100_000_000


class Archive:
    """The members of a zip archive, read from memory and never written to disk."""

    def __init__(self, zipped: zipfile.ZipFile) -> None:
        self._zipped = zipped
        self._infos = {info.filename.replace("\\", "/").lstrip("/"): info for info in zipped.infolist()}
        # Office matches the names of parts without regard to case.
        self._folded = {name.lower(): name for name in reversed(self._infos)}

    @property
    def names(self) -> tuple[str, ...]:
        """All member names in archive order, with "/" between folders."""
        return tuple(self._infos)

    def read(self, name: str) -> bytes | None:
        """The bytes of a member; None when there is none of that name.

        Raises:
            UnreadableError: "damaged", the member cannot be decompressed.
        """
        return self._unpacked(name, -1)

    def head(self, name: str, size: int) -> bytes:
        """The first `size` bytes of a member, b"" when there is none; raises as `read` does."""
        return self._unpacked(name, size) or b""

    def _info(self, name: str) -> zipfile.ZipInfo | None:
        return self._infos.get(name) or self._infos.get(self._folded.get(name.lower(), ""))

    def _unpacked(self, name: str, size: int) -> bytes | None:
        info = self._info(name)
        if info is None:
            return None
        try:
            with self._zipped.open(info) as stream:
                return stream.read(size)
        except NotImplementedError as error:
            raise UnreadableError("unsupported", "compressed by an unsupported method") from error
        except (*_DAMAGED, RuntimeError) as error:
            raise UnreadableError("damaged", f"the file is damaged: {name} cannot be decompressed") from error

    def xml(self, name: str) -> etree._Element | None:
        """The root element of an XML member; None when there is none of that name.

        Raises:
            UnreadableError: "damaged", the member cannot be decompressed or is not well-formed XML;
            "too-large".
        """
        info = self._info(name)
        if info is not None and info.file_size > _MAX_XML:
            raise UnreadableError("too-large", f"its part {name} has {info.file_size / 1e6:,.0f} MB of XML")
        data = self.read(name)
        if data is not None and _STRICT.search(data, 0, _PROLOGUE):
            data = _STRICT.sub(_TRANSITIONAL, data)
        return None if data is None else parse_xml(data, name)


def parse_xml(data: bytes, name: str) -> etree._Element:
    """The root element of XML that is not trusted: no entities, no network, libxml2's size limits kept.

    Raises:
        UnreadableError: "damaged", the data is not well-formed; `name` says in the reason which part it was.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableError("damaged", f"the file is damaged: {name} is not valid XML") from error


def open_archive(data: bytes, what: str, limits: ArchiveLimits | None = None) -> Archive:
    """The archive in `data`; `what` names the expected kind of file in reasons ("a Word file").

    Raises:
        UnreadableError: "empty", "encrypted", "unsupported" (an Office file of before 2007), "damaged",
            or "zip-bomb".
    """
    if not data:
        raise UnreadableError("empty", "the file is empty")
    if data.startswith(_COMPOUND_FILE):
        if _ENCRYPTED_STREAM in data:
            raise UnreadableError("encrypted", "needs a password")
        raise UnreadableError(
            "unsupported", f"not {what} but an older Office file: save it in today's format"
        )
    try:
        zipped = zipfile.ZipFile(io.BytesIO(data))
    except NotImplementedError as error:
        raise UnreadableError("unsupported", "compressed by an unsupported method") from error
    except _DAMAGED as error:
        raise UnreadableError("damaged", f"damaged, or not {what}") from error
    _check(zipped.infolist(), len(data), limits or ArchiveLimits())
    return Archive(zipped)


def _check(infos: list[zipfile.ZipInfo], packed: int, limits: ArchiveLimits) -> None:
    # Declared sizes are safe to judge by: reading a member stops at its declared size.
    if len(infos) > limits.members:
        raise UnreadableError("zip-bomb", f"has {len(infos):,} parts; the limit is {limits.members:,}")
    total = sum(info.file_size for info in infos)
    # The ratio is that of the whole file: members that overlap to unpack the same bytes again add up too.
    suspicious = total > limits.free_bytes and total > limits.ratio * packed
    if total > limits.total_bytes or suspicious:
        raise UnreadableError(
            "zip-bomb", f"would decompress to {total / 1e6:,.0f} MB from {packed / 1e6:,.1f} MB"
        )
    if any(info.flag_bits & 0x1 for info in infos):
        raise UnreadableError("encrypted", "needs a password")
