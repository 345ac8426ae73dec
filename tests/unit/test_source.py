import gzip
import os

import pytest

from bob.core.errors import UnreadableError
from bob.documents.formats.source import LocalFile, decode


def refused(path, **limits) -> str:
    with pytest.raises(UnreadableError) as caught:
        LocalFile(path, **limits).read_text()
    assert caught.value.reason
    return caught.value.code


def test_what_cannot_be_read_has_a_code(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "big").write_bytes(b"x" * 11)
    (tmp_path / "binary").write_bytes(b"\x7fELF\x00\x01")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"hello" * 100)[:-20])
    (tmp_path / "no.gz").write_bytes(b"plain")
    assert refused(tmp_path / "gone") == "vanished"
    assert refused(tmp_path / "empty" / "below") == "vanished"
    assert refused(tmp_path) == "not-a-file"
    assert refused(tmp_path / "empty") == "empty"
    assert refused(tmp_path / "big", max_bytes=10) == "too-large"
    assert refused(tmp_path / "binary") == "binary"
    assert refused(tmp_path / "cut.gz") == "damaged"
    assert refused(tmp_path / "no.gz") == "damaged"
    assert refused(tmp_path / "nul\x00name") == "io"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "not-a-file"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0)
    assert refused(tmp_path / "secret") == "permission"


def test_a_compressed_file_is_read_as_what_it_holds(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert LocalFile(tmp_path / "a.txt.gz").read_text() == "one\ntwo\n"


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"0" * 1_000_000))
    assert refused(tmp_path / "bomb.gz", max_bytes=100_000) == "too-large"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_decoded_and_newlines_stay(encoding):
    assert decode("é\r\n一\r😀\n".encode(encoding)) == "é\r\n一\r😀\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Füße über Öl – größer", "cp1252"),
        ("ação não é coração", "latin-1"),
        ("¿Qué pasó mañana? ¡Nada!", "cp1252"),
        ("Pão de mel: ½ xícara de açúcar", "cp1252"),
        ("Größe ± 3 µm, 4 × 5 m², 12 m³ ÷ 2¹, ¾ Maß, § 3¶, 5 ¢ ¥", "cp1252"),
        ("naïve café ¯ 5", "cp1252"),
        ("Był zły, są złe, mógł przyjść do Łodzi", "cp1250"),
        ("Veľa ľudí, Ľubica, ďakujem", "cp1250"),
        ("Привет, как дела? Это текст на русском языке.", "cp1251"),
        ("Zażółć gęślą jaźń, książka", "cp1250"),
    ],
)
def test_older_encodings_are_guessed(text, encoding):
    assert decode(text.encode(encoding)) == text


def test_a_scratch_does_not_change_the_encoding():
    assert decode("é ü ñ".encode() * 20 + b"\xff").startswith("é ü ñ")


@pytest.mark.parametrize("data", [b"\x00", b"a\x00b", bytes(range(1, 32)) * 9, bytes(range(256)) * 4])
def test_binary(data):
    with pytest.raises(UnreadableError) as caught:
        decode(data)
    assert caught.value.code == "binary"


def test_a_mark_that_lies():
    with pytest.raises(UnreadableError) as caught:
        decode(b"\xff\xfeabc")
    assert caught.value.code == "encoding"
