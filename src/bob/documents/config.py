"""YAML, TOML, JSON and INI: settings and data as text, cut at their top-level keys."""

from __future__ import annotations

import re
from itertools import pairwise

from bob.core.document import WRITTEN_BY, ParsedDocument
from bob.core.protocols import SourceFile
from bob.documents.authorship import front_key, is_chat_history
from bob.documents.lines import LineBlock, TextLines, found_sections
from bob.documents.parser_registry import document_in_data
from bob.documents.parsers import CONFIG_SUFFIXES

_COMMENT = re.compile(r"#|//|;")


class ConfigParser:
    """Takes structured data that people write; a recipe among it is read as one, and what a chat with an
    assistant was exported to is found but is no evidence."""

    name = "config"
    suffixes = frozenset(CONFIG_SUFFIXES)

    def parse(self, source: SourceFile) -> ParsedDocument:
        """One section with a block a top-level key, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        text = source.read_text()
        is_json = ".json" in source.path.name.lower() or text.lstrip()[:1] == "{"
        document = document_in_data(text, "json" if is_json else "yaml")
        if document is not None:
            return document
        lines = TextLines(text)
        is_chat = is_json and is_chat_history(text)
        context = WRITTEN_BY["assistant"] if is_chat else ""
        section = lines.section(0, len(lines), blocks=_top_level_blocks(lines), context=context)
        extra = front_key("assistant") if is_chat else {}
        return ParsedDocument("", "config", found_sections([section]), extra=extra)


def _top_level_blocks(lines: TextLines) -> list[LineBlock]:
    """The runs of lines that begin with a key at the margin; comments above it belong to it.

    A file whose lines all stand at the margin (INI, TOML) is cut at its `[tables]` and blank lines.
    """
    plain = lines.plain
    margin = [index for index, line in enumerate(plain) if line[:1].strip() and line[0] not in "})]"]
    tables = [index for index in margin if plain[index].startswith("[")]
    flat = len(margin) > len(plain) // 2
    if flat and not tables:
        return lines.paragraphs(0, len(lines), "code")
    starts = tables if flat else [index for index in margin if not _COMMENT.match(plain[index])]
    cuts = sorted({0, len(plain), *(_with_comments(lines, start) for start in starts)})
    return [(first, last, "code") for first, last in pairwise(cuts)]


def _with_comments(lines: TextLines, index: int) -> int:
    while index > 0 and _COMMENT.match(lines.plain[index - 1]):
        index -= 1
    return index
