"""What is made of a file has a number, by which an index knows what to read again.

Run this file as a program to note what is made of the samples now.
"""

import hashlib
import json
from pathlib import Path

from bob.documents.parse_file import ParseFile, ParseJob
from bob.documents.rows import READING

TESTS = Path(__file__).parent.parent
SAMPLES = [*(TESTS / "data" / "text").iterdir(), *(TESTS / "data" / "parts").iterdir()]
UNREADABLE = {"locked.epub", "locked.pdf", "scanned.pdf"}
NOTED = TESTS / "golden" / "reading.json"


def made_of(path: Path) -> str:
    """Of each chunk its text with its headings, its place and its words."""
    made = ParseFile(1 << 20, 20, 50)(ParseJob(str(path), path.stat().st_size, 0, "samples"))
    chunks = [(each.content_hash, repr(each.chunk.locator), each.postings) for each in made.chunks]
    record = made.record
    return hashlib.sha256(repr((record.title, record.extra, record.left_out, chunks)).encode()).hexdigest()[
        :16
    ]


def made() -> dict:
    digests = {path.name: made_of(path) for path in sorted(SAMPLES) if path.name not in UNREADABLE}
    return {"reading": READING, "samples": digests}


def test_what_is_made_of_a_file_changes_only_with_the_number_of_the_reading():
    assert made() == json.loads(NOTED.read_text("utf-8")), (
        "raise READING in bob/documents/rows.py, so that indexes are read again; then run this file"
    )


if __name__ == "__main__":
    NOTED.write_text(json.dumps(made(), indent=1) + "\n", "utf-8")
