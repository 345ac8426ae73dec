"""Markdown: a section a heading, with code, tables, lists and quotes as whole blocks."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bob.core.document import BlockKind, ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.front_matter import FrontMatter, read_front_matter
from bob.documents.lines import LineBlock, TextLines, found_sections
from bob.text.languages import detect_language

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "hr": "paragraph",
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "quote",
}

GATHERED = "<!-- gathered by bob: not indexed, it stands in its sources -->"
GATHERED_END = "<!-- end of what bob gathered -->"
"""Around what Bob itself copied into a note. It is no evidence: read back, a decision would be decided anew
each week, on the day of the note. Without its end it ends at the next heading."""

# Inline markup is parsed for headings only: it is the slow part, and chunks keep the source as it is.
_BLOCKS = MarkdownIt("commonmark").enable("table").disable(["normalize", "inline", "text_join"])
_INLINE = MarkdownIt("commonmark")


class MarkdownParser:
    """Takes Markdown (CommonMark and tables) with YAML or TOML front matter."""

    name = "markdown"
    suffixes = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections by heading, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        return parse_markdown(source.read_text())


def parse_markdown(text: str) -> ParsedDocument:
    """The sections and the front matter of a Markdown text; see `MarkdownParser.parse`."""
    lines = TextLines(text)
    front = read_front_matter(lines.plain)
    sections = found_sections(markdown_sections(lines, front))
    title = next((section.heading_path[0] for section in sections if section.heading_path), "")
    return ParsedDocument(
        title=front.title or title,
        source_type="markdown",
        sections=sections,
        source_date=front.source_date,
        language=front.language or detect_language(text.replace(GATHERED, "").replace(GATHERED_END, "")),
        project=front.project,
        tags=front.tags,
        extra=front.extra,
    )


def markdown_sections(lines: TextLines, front: FrontMatter | None = None) -> list[Section | None]:
    """One section a heading (None where a part is blank); text before the first has no heading path."""
    skipped = front.lines if front is not None else 0
    source = "\n" * skipped + "\n".join(lines.plain[skipped:])
    tokens = _BLOCKS.parse(source)
    sections: list[Section | None] = []
    path: list[tuple[int, str]] = []
    blocks: list[LineBlock] = [(0, skipped, "front_matter")] if skipped else []
    begin = 0
    is_gathered = False
    for index, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.type not in _KINDS:
            continue
        first, last = token.map
        if token.type == "html_block" and token.content.strip() in (GATHERED, GATHERED_END):
            if not is_gathered:
                sections.append(lines.section(begin, first, _titles(path), blocks))
            is_gathered = token.content.strip() == GATHERED
            begin, blocks = last, []
            continue
        if token.type == "heading_open":
            if not is_gathered:
                sections.append(lines.section(begin, first, _titles(path), blocks))
            is_gathered = False
            level = int(token.tag[1:])
            path = [heading for heading in path if heading[0] < level]
            path.append((level, _heading_text(tokens[index + 1])))
            begin, blocks = first, []
        blocks.append((first, last, _KINDS[token.type]))
    if not is_gathered:
        sections.append(lines.section(begin, len(lines), _titles(path), blocks))
    return sections


def _titles(path: list[tuple[int, str]]) -> list[str]:
    return [title for _, title in path if title]


def _heading_text(inline: Token) -> str:
    parsed = _INLINE.parseInline(inline.content)[0].children or []
    parts = [
        " " if child.type.endswith("break") else child.content
        for child in parsed
        if child.type != "html_inline"
    ]
    return " ".join("".join(parts).split())
