import io
import zipfile
import zlib

import pytest

from bob.core.errors import UnreadableError
from bob.documents.formats.archive import ArchiveLimits, open_archive, parse_xml


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as write:
        for name, data in members.items():
            write.writestr(name, data)
    return made.getvalue()


def refused(data, limits=None):
    with pytest.raises(UnreadableError) as caught:
        open_archive(data, "a test file", limits)
    return caught.value


def test_members_are_read_by_name_without_regard_to_case():
    archive = open_archive(zipped({"a/B.xml": "<r/>"}), "a test file")
    assert archive.names == ("a/B.xml",)
    assert archive.read("a/B.xml") == archive.read("A/b.xml") == b"<r/>"
    assert archive.head("a/B.xml", 2) == b"<r"
    assert archive.read("missing") is None
    assert archive.xml("missing") is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 and nothing", "damaged"),
        (b"words", "damaged"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"x" * 600, "unsupported"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
    ],
)
def test_what_is_no_archive_is_refused_with_its_reason(data, code):
    assert refused(data).code == code


def test_bombs_are_refused_by_ratio_size_and_number():
    limits = ArchiveLimits(members=3, total_bytes=1_000_000, ratio=10, free_bytes=10_000)
    assert open_archive(zipped({"a": b"x" * 5_000}), "a test file", limits).read("a")
    assert refused(zipped({"a": b"x" * 50_000}), limits).code == "zip-bomb"
    assert refused(zipped({"a": b"x" * 1_000_001}, zipfile.ZIP_STORED), limits).code == "zip-bomb"
    assert refused(zipped(dict.fromkeys("abcd", b"")), limits).code == "zip-bomb"


def test_a_member_that_lies_about_its_size_is_not_unpacked_further():
    data = bytearray(zipped({"a": b"x" * 100_000}))
    for place in (22, data.find(b"PK\x01\x02") + 24):
        data[place : place + 4] = (10).to_bytes(4, "little")
    archive = open_archive(bytes(data), "a test file")
    with pytest.raises(UnreadableError) as caught:
        archive.read("a")
    assert caught.value.code == "damaged"


def test_an_encrypted_member_needs_a_password():
    data = bytearray(zipped({"a": b"words"}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    assert refused(bytes(data)).code == "encrypted"


def test_a_damaged_member_is_damaged():
    packed = zlib.compress(b"x" * 1000)[2:-4]
    data = zipped({"a": b"x" * 1000})
    broken = data.replace(packed, b"\xff" * len(packed))
    assert broken != data
    with pytest.raises(UnreadableError) as caught:
        open_archive(broken, "a test file").read("a")
    assert caught.value.code == "damaged"


def test_xml_is_read_without_entities_and_files():
    laughs = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    root = parse_xml(f"{laughs}<r>&b;&f;</r>".encode(), "test")
    assert "".join(root.itertext("r")) == ""


@pytest.mark.parametrize("data", [b"", b"<r>", b"<a>" * 5_000, b"\x00\x01"])
def test_xml_that_is_broken_or_nests_without_end_is_damaged(data):
    with pytest.raises(UnreadableError) as caught:
        parse_xml(data, "test")
    assert caught.value.code == "damaged"
