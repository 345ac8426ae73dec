"""Searches the bytes of files for words."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bob.conversations.forgetting import Probe
from bob.core.errors import StoreError

_CHILD = Path(__file__).with_name("byte_search_child.py")


def search_bytes(paths: Sequence[Path], words: Sequence[str]) -> list[Probe]:
    """What of the words each of the files has, in any case of ASCII letters. Raises StoreError: a file cannot
    be read."""
    sizes = {str(path): path.stat().st_size for path in paths if path.is_file()}
    forms = [(form, word) for word in words for form in dict.fromkeys(_forms(word))]
    if not forms:
        return [Probe(path, size, ()) for path, size in sizes.items()]
    order = {"paths": list(sizes), "forms": [form.hex() for form, _ in forms]}
    # Not in this process: closing a database's file would give up SQLite's locks on it.
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", str(_CHILD)],
        input=json.dumps(order).encode(),
        capture_output=True,
        env={},
        check=False,
    )
    if done.returncode != 0:
        raise StoreError("cannot search the files for the words; try again")
    probes = []
    for path, lines in json.loads(done.stdout).items():
        if isinstance(lines, str):
            raise StoreError(f"{path}: {lines}")
        probes.append(Probe(path, sizes[path], tuple(dict.fromkeys(forms[number][1] for number in lines))))
    return probes


def _forms(word: str) -> Iterator[bytes]:
    """A word as a file may hold it: as it is, and inside JSON."""
    for text in (word, word.casefold()):
        for written in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
            yield written.encode("utf-8", "replace").lower()
