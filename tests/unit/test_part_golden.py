"""What each parser of parts makes of a small file, kept as JSON; run this file to write the JSON anew."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from bob.core.document import ParsedDocument
from bob.core.locator import locator_to_json
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import LocalFile
from bob.search.chunker import StructureChunker

TESTS = Path(__file__).parent.parent
FILES = (
    "move.docx",
    "hours.xlsx",
    "season.pptx",
    "rules.pdf",
    "owner.pdf",
    "light.epub",
    "timetable.eml",
    "crew.mbox",
    "talk.vtt",
    "season.ics",
    "office.vcf",
)


def parsed(name: str) -> ParsedDocument:
    path = TESTS / "data" / "parts" / name
    parser = ParserRegistry(plug_ins=()).parser_for(path)
    assert parser is not None
    return parser.parse(LocalFile(path))


def shown(document: ParsedDocument) -> dict[str, object]:
    sections = [
        {
            "heading_path": list(each.heading_path),
            "locator": locator_to_json(each.locator),
            "context": each.context,
            "blocks": [[b.kind, b.position, each.text[b.start : b.end]] for b in each.blocks],
        }
        for each in document.sections
    ]
    value = asdict(document) | {"sections": sections}
    return json.loads(json.dumps(value, default=str))


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_what_it_gave_before(name):
    golden = json.loads((TESTS / "golden" / f"{name}.json").read_text(encoding="utf-8"))
    assert shown(parsed(name)) == golden


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("tokens", [(2, 8), (20, 40), (200, 500)])
def test_the_text_at_a_chunks_locator_is_the_chunks_text(name, tokens):
    chunks = StructureChunker(*tokens).chunks(parsed(name).sections)
    again = parsed(name).sections
    assert chunks
    for chunk in chunks:
        where = chunk.locator
        assert again[where.part].text[where.start_char : where.end_char] == chunk.text


@pytest.mark.parametrize("name", FILES)
def test_sections_are_numbered_and_their_blocks_cover_the_text(name):
    for number, section in enumerate(parsed(name).sections):
        assert (section.locator.part, section.locator.start_char) == (number, 0)
        assert section.locator.end_char == len(section.text)
        end = 0
        for block in section.blocks:
            assert end <= block.start < block.end
            assert not section.text[end : block.start].strip()
            end = block.end
        assert end == len(section.text)


if __name__ == "__main__":
    for each in FILES:
        text = json.dumps(shown(parsed(each)), ensure_ascii=False, indent=1)
        (TESTS / "golden" / f"{each}.json").write_text(text + "\n", encoding="utf-8")
