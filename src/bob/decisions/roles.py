"""Tells the lines of a section apart: prose, headings, code, tables, quotations, front matter."""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["text", "blank", "heading", "table", "code", "quote", "front_matter"]

LIST_ITEM = re.compile(r"\s*(?:[-*+•‣◦]|\d{1,3}[.)])\s")

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_QUOTE = re.compile(r"\s{0,3}>")
_TABLE = re.compile(r"\s*\|.*\|\s*|\s*\+[-=+]{3,}\+\s*")
_ADORNMENT = re.compile(r"\s*([^\w\s])\1{2,}\s*")
_MARKDOWN_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_OUTLINE_HEADING = re.compile(r"(?:=+|\*+)\s+\S")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_LITERAL_LEAD = re.compile(
    r"(?!\s*\.\.).*::\s*|\s*\.\.\s+(?:code|code-block|highlight|literalinclude|parsed-literal|sourcecode)::.*"
)
_HEADING_WITHIN = 3  # lines of a section
_EXPLICIT = re.compile(r"\s*\.\.\s")
_FRONT_MATTER_ENDS = ("---", "...", "+++")


class LineRoles:
    """The roles of the lines of one section, asked for in order."""

    def __init__(self, heading: str, source_type: str, *, may_have_front_matter: bool) -> None:
        self._heading = letters(heading)
        self._lines_to_heading = _HEADING_WITHIN
        self._source_type = source_type
        self._may_have_front_matter = may_have_front_matter
        self._in_front_matter = False
        self._in_comment = False
        self._fence = ""
        self._literal_indent: int | None = None
        self._in_list = False

    def next(self, text: str) -> Role:
        """The role of the next line."""
        role = self._role(text)
        if role == "text":
            self._in_list = LIST_ITEM.match(text) is not None or (self._in_list and text[:1] in (" ", "\t"))
        return role

    def _role(self, text: str) -> Role:
        if self._is_front_matter(text):
            return "front_matter"
        if self._is_code(text):
            return "code"
        if not text.strip():
            return "blank"
        if self._is_heading(text):
            return "heading"
        if _TABLE.fullmatch(text):
            return "table"
        if self._is_literal(text):
            return "code"
        return "quote" if _QUOTE.match(text) else "text"

    def _is_front_matter(self, text: str) -> bool:
        if self._in_front_matter:
            self._in_front_matter = text.rstrip() not in _FRONT_MATTER_ENDS
            return True
        if self._may_have_front_matter and text.strip():
            self._may_have_front_matter = False
            self._in_front_matter = text.rstrip() in ("---", "+++")
        return self._in_front_matter

    def _is_code(self, text: str) -> bool:
        """Whether the line stands in a code fence or a comment, or is the mark of one."""
        if self._fence:
            closing = _FENCE.match(text)
            if closing and closing[1].startswith(self._fence) and not text.strip().strip(closing[1][0]):
                self._fence = ""
            return True
        if self._in_comment:
            self._in_comment = "-->" not in text
            return True
        if opening := _FENCE.match(text):
            self._fence = opening[1]
            return True
        if text.lstrip().startswith("<!--"):
            self._in_comment = "-->" not in text
            return not text.partition("-->")[2].strip()
        return False

    def _is_heading(self, text: str) -> bool:
        if self._source_type in ("markdown", "notebook") and _MARKDOWN_HEADING.match(text):
            return True
        if _ADORNMENT.fullmatch(text):
            return True
        if not self._lines_to_heading or not self._heading:
            return False
        # Above the heading there may be labels and comments; it is underlined, or has nothing around it.
        is_heading = letters(text) == self._heading
        if self._source_type == "plain":
            is_heading = is_heading or bool(_OUTLINE_HEADING.match(text) and self._heading in letters(text))
        self._lines_to_heading = 0 if is_heading else self._lines_to_heading - 1
        return is_heading

    def _is_literal(self, text: str) -> bool:
        indent = len(text) - len(text.lstrip())
        if self._literal_indent is not None:
            if indent > self._literal_indent:
                return True
            self._literal_indent = None
        if self._source_type == "markdown":
            return _INDENTED.match(text) is not None and not self._in_list
        if self._source_type == "restructured" and _EXPLICIT.match(text) and "::" not in text:
            return True  # a label, a footnote or a comment
        if self._source_type == "restructured" and _LITERAL_LEAD.fullmatch(text):
            self._literal_indent = indent
            return text.lstrip().startswith("..")
        return False


def letters(text: str) -> str:
    """The letters and digits of a text, in lower case: what two spellings of one heading share."""
    return "".join(each for each in text.lower() if each.isalnum())
