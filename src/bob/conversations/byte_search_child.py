"""Searches files for words, in a process of its own that knows nothing of Bob: it is given its order as JSON.

A process that closes a file gives up the locks that it holds on it. So the process that has a database open
must not read the database's file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

BLOCK = 1 << 20


def search(path: str, forms: list[bytes]) -> list[int]:
    """The positions of the forms that a file has. Blocks overlap, so that no form falls between two."""
    matches: set[int] = set()
    overlap = max(map(len, forms), default=0) + 1
    with Path(path).open("rb") as file:
        last = b""
        while block := file.read(BLOCK):
            # Forms are in small letters as well; bytes of other alphabets stay as they are. In a database
            # nothing stands between two texts, so a form counts wherever it is.
            whole = last + block.lower()
            for number, form in enumerate(forms):
                if number not in matches and form in whole:
                    matches.add(number)
            last = whole[-overlap:]
    return sorted(matches)


def main() -> None:
    """Read the order from standard input, and write what was found to standard output."""
    order = json.load(sys.stdin)
    forms = [bytes.fromhex(form) for form in order["forms"]]
    reply: dict[str, object] = {}
    for path in order["paths"]:
        try:
            reply[path] = search(path, forms)
        except OSError as error:
            reply[path] = error.strerror or "cannot be read"
    json.dump(reply, sys.stdout)


if __name__ == "__main__":
    main()
