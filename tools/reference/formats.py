"""What the parsers read, and the locators that they give."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import get_args

from bob.core.locator import Locator, locator_to_json
from bob.core.plug_ins import PARSERS
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.parsers import ADVICE
from bob.documents.formats.source import LocalFile
from reference.place import NOTICE, ROOT

_SAMPLES = ROOT / "tests" / "data"
_SAMPLE_OF = {
    "markdown": "text/notes.md",
    "plain": "text/letter.txt",
    "restructured": "text/guide.rst",
    "org": "text/projects.org",
    "latex": "text/report.tex",
    "asciidoc": "text/manual.adoc",
    "html": "text/page.html",
    "code": "text/stock.py",
    "config": "text/settings.toml",
    "csv": "text/plants.csv",
    "notebook": "text/rain.ipynb",
    "recipe": "text/soup.cook",
    "pdf": "parts/rules.pdf",
    "word": "parts/move.docx",
    "excel": "parts/hours.xlsx",
    "powerpoint": "parts/season.pptx",
    "epub": "parts/light.epub",
    "transcript": "parts/talk.vtt",
    "calendar": "parts/season.ics",
    "contacts": "parts/office.vcf",
    "mail": "parts/timetable.eml",
}
"""A small file for each parser, from which its page shows a real locator."""

_FORMATS_PROSE = """
The end of a file's name chooses the parser; a `.gz` after it makes no difference. Files that no parser
takes are passed over, and `bob index` counts them.
""".strip()

_LOCATORS_PROSE = """
A locator says where a piece of text stands. Its JSON has the `kind` and the keys below; keys with a
question mark may be missing. The text at a locator is the text that was quoted, to the byte: for `lines` in
the decoded file (of markup, in its text as it is read, which has the lines of the file), for
all others in the extracted text of the part that `part` counts, from 0.
""".strip()


def formats_page() -> str:
    """Every parser with its endings and a real locator, the kinds of locators, and what is refused why."""
    registry = ParserRegistry(plug_ins=[])
    parsers = ["| parser | what it reads | files | locator |", "| --- | --- | --- | --- |"]
    for row in registry.describe():
        sample = _SAMPLES / _SAMPLE_OF[row.name]
        parser = registry.parser_for(sample)
        assert parser is not None, f"{row.name}: the parser does not load"
        takes = _first_line(type(parser))
        locator = parser.parse(LocalFile(sample)).sections[-1].locator
        files = " ".join(f"`{ending}`" for ending in row.suffixes)
        parsers.append(f"| {row.name} | {takes} | {files} | `{locator.kind}` |")
    kinds = ["| kind | points at | keys |", "| --- | --- | --- |"]
    for kind in get_args(Locator):
        keys = ", ".join(f"`{each.name}`" + ("" if each.default is MISSING else "?") for each in fields(kind))
        kinds.append(f"| `{kind.kind}` | {_first_line(kind)} | {keys} |")
    advice = ["| ending | what Bob says |", "| --- | --- |"]
    advice += [f"| `{ending}` | {said} |" for ending, said in ADVICE.items()]
    return (
        "\n\n".join(
            [
                NOTICE,
                "# Formats",
                _FORMATS_PROSE,
                "\n".join(parsers),
                f"Packages add parsers through the entry-point group `{PARSERS}`: see "
                "[add a parser](../search.md#add-a-parser).",
                "## Locators",
                _LOCATORS_PROSE,
                "\n".join(kinds),
                "Real examples:",
                "```json\n" + "\n".join(_sample_locators(registry)) + "\n```",
                "## Known, but not read",
                "These are documents to their owner, so Bob reports each as a failure.",
                "\n".join(advice),
            ]
        )
        + "\n"
    )


def _first_line(documented: object) -> str:
    paragraph = (inspect.getdoc(documented) or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def _sample_locators(registry: ParserRegistry) -> Iterator[str]:
    shown: set[str] = set()
    for sample in _SAMPLE_OF.values():
        parser = registry.parser_for(_SAMPLES / sample)
        assert parser is not None
        locator = parser.parse(LocalFile(_SAMPLES / sample)).sections[-1].locator
        if locator.kind not in shown:
            shown.add(locator.kind)
            yield json.dumps(locator_to_json(locator), ensure_ascii=False)
