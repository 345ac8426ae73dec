"""Each text parser's result on a small real file, compared with a result that was read and approved.

Run this file as a program to write the results anew, then read the difference.
"""

import json
from pathlib import Path

import pytest

from bob.core.locator import locator_to_json
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import LocalFile
from bob.search.chunker import StructureChunker

TESTS = Path(__file__).parent.parent
FILES = sorted((TESTS / "data" / "text").iterdir())
EXPECTED = TESTS / "golden" / "text"


def result(path: Path) -> dict:
    parser = ParserRegistry(plug_ins=[]).parser_for(path)
    parsed = parser.parse(LocalFile(path))
    date = parsed.source_date
    return {
        "title": parsed.title,
        "source_type": parsed.source_type,
        "source_date": date and [date.value.isoformat(), date.kind],
        "language": parsed.language,
        "project": parsed.project,
        "tags": list(parsed.tags),
        "extra": parsed.extra,
        "sections": [
            {
                "heading_path": list(each.heading_path),
                "locator": locator_to_json(each.locator),
                "context": each.context,
                "blocks": [f"{block.kind} {block.start}-{block.end}" for block in each.blocks],
                "text": each.text,
            }
            for each in parsed.sections
        ],
        "chunks": [
            locator_to_json(each.locator) | {"tokens": each.tokens}
            for each in StructureChunker(min_tokens=20, max_tokens=50).chunks(parsed.sections)
        ],
    }


def as_json(path: Path) -> str:
    return json.dumps(result(path), indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_result_is_the_approved_one(path: Path) -> None:
    assert as_json(path) == (EXPECTED / f"{path.name}.json").read_text("utf-8")


if __name__ == "__main__":
    for each in FILES:
        (EXPECTED / f"{each.name}.json").write_text(as_json(each), "utf-8")
