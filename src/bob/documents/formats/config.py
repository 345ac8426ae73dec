"""YAML, TOML, JSON, XML and INI: settings and data as text, cut at their keys and records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from bob.core.document import WRITTEN_BY, ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.formats.authorship import front_key, is_chat_history
from bob.documents.formats.chat_exports import read_chat_data
from bob.documents.formats.lines import LineBlock, TextLines, found_sections
from bob.documents.formats.parser_registry import document_in_data
from bob.documents.formats.parsers import CONFIG_SUFFIXES
from bob.text.fields import (
    COMMENT_LINE,
    FIELD_NAME,
    RECORD_NAMES,
    file_name,
    named_fields,
    record_name,
    spaced_name,
)
from bob.text.markup import indentation
from bob.text.tokens import estimate_tokens

_OPENS = re.compile(
    r"\s*+(?:(?P<item>(?:- ++)++)|[{\[])|\s*+\"(?P<json>(?:[^\"\\]|\\.){1,80})\"\s*+:|"
    rf"\s*+(?P<name>{FIELD_NAME}) *+:(?=\s|$)"
)
"""How a line begins that has a key, or an item or an object of a list."""
_WHOLE = 450
"""A key or record of up to so many tokens fits into one chunk and is not cut."""
_DEEPEST = 8
"""So many keys, records and lists that stand in one another are opened."""


class ConfigParser:
    """Takes structured data that people write; a recipe and an exported chat (Slack, Discord, Telegram) among
    it are read as such, and what a chat with an assistant was exported to is found but is no evidence."""

    name = "config"
    suffixes = frozenset(CONFIG_SUFFIXES)

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections with a block a key, under the names of what they stand in, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        text = source.read_text()
        is_json = ".json" in source.path.name.lower() or text.lstrip()[:1] == "{"
        document = document_in_data(text, "json" if is_json else "yaml")
        is_chat = is_json and is_chat_history(text)
        value, is_whole = _json_in(text) if document is None and is_json else (None, False)
        if is_whole and not is_chat:
            document = read_chat_data(value, source.path)
        if document is not None:
            return document
        lines = TextLines(text)
        cutter = _Cutter(lines, is_json=is_json, context=WRITTEN_BY["assistant"] if is_chat else "")
        # Of several records, one a line, none names the file.
        of_record = file_name(_fields_of(value)) if is_whole else ""
        name = of_record if is_json else _name_of_settings(lines.plain)
        sections = found_sections(cutter.sections((name,) if name else ()))
        extra = front_key("assistant") if is_chat else {}
        return ParsedDocument("", "config", sections, extra=extra)


class _Cutter:
    """Cuts a file at its keys, or at those within a key or a record that is too large for one chunk, so that
    each part is told what it stands in."""

    def __init__(self, lines: TextLines, *, is_json: bool, context: str) -> None:
        self._lines = lines
        self._plain = lines.plain
        self._is_json = is_json
        self._context = context
        self._depth = 0

    def sections(self, path: tuple[str, ...]) -> Iterator[Section | None]:
        """The sections of the file; `path` is what the whole of it is called.

        A file whose lines all stand at the margin (INI, TOML) is cut at its `[tables]` and blank lines.
        """
        plain = self._plain
        margin = [index for index, line in enumerate(plain) if line[:1].strip() and line[0] not in "})]"]
        tables = [index for index in margin if plain[index].startswith("[")]
        if self._is_json or len(margin) <= len(plain) // 2:
            return self._within(0, len(plain), path)
        if tables:
            return self._cut(0, len(plain), tables, path, in_item=False)
        whole = self._lines.paragraphs(0, len(plain), "code")
        return iter((self._lines.section(0, len(plain), path, whole, self._context),))

    def _within(
        self, first: int, last: int, path: tuple[str, ...], *, in_item: bool = False
    ) -> Iterator[Section | None]:
        """The sections of lines that stand under the names of `path`; the first is an item's where
        `in_item`."""
        return self._cut(first, last, self._starts(first, last, in_item=in_item), path, in_item=in_item)

    def _cut(
        self, first: int, last: int, starts: Sequence[int], path: tuple[str, ...], *, in_item: bool
    ) -> Iterator[Section | None]:
        cuts = sorted({first, last, *(self._with_comments(start, first) for start in starts)})
        small: list[LineBlock] = []
        begin = first
        for start, stop in pairwise(cuts):
            opened = self._opened(start, stop, path, in_item=in_item and start == first)
            if opened is None:
                small.append((start, stop, "code"))
                continue
            yield self._section(begin, start, path, small)
            yield from opened
            small, begin = [], stop
        yield self._section(begin, last, path, small)

    def _opened(
        self, start: int, stop: int, path: tuple[str, ...], *, in_item: bool
    ) -> Iterator[Section | None] | None:
        """The sections of a key or a record that is too large to stay whole; None of any other."""
        if self._depth >= _DEEPEST or estimate_tokens("\n".join(self._plain[start:stop])) <= _WHOLE:
            return None
        head = next(
            (
                i
                for i in range(start, stop)
                if self._plain[i].strip() and not COMMENT_LINE.match(self._plain[i])
            ),
            stop,
        )
        line = _without_dash(self._plain[head]) if in_item else self._plain[head] if head < stop else ""
        if line.startswith("["):
            return self._of_table(start, head, stop, path)
        opens = _OPENS.match(line)
        if opens is None:
            return None
        is_item = opens["item"] is not None
        inner = head if is_item else head + 1
        keys = self._starts(inner, stop, in_item=is_item)
        lines = (
            _without_dash(self._plain[key]) if is_item and key == inner else self._plain[key] for key in keys
        )
        if len(keys) <= is_item or 2 * sum(_OPENS.match(line) is not None for line in lines) < len(keys):
            return None
        written = opens["json"] or (opens["name"] or "").strip("\"'")
        name = spaced_name(written) if written else self._record_name(head, stop)
        within = (*path, name) if name and path[-1:] != (name,) else path
        return self._under_head(start, inner, stop, within, is_item=is_item)

    def _under_head(
        self, start: int, inner: int, stop: int, path: tuple[str, ...], *, is_item: bool
    ) -> Iterator[Section | None]:
        heading: list[LineBlock] = [] if is_item else [(inner - 1, inner, "heading")]
        yield self._section(start, inner, path, heading)
        self._depth += 1
        yield from self._within(inner, stop, path, in_item=is_item)
        self._depth -= 1

    def _of_table(self, start: int, head: int, stop: int, path: tuple[str, ...]) -> Iterator[Section | None]:
        """The section of a table of TOML or INI."""
        fields = named_fields(self._plain[head + 1 : stop])
        called = record_name(
            [(field.names[-1], field.values[0]) for field in fields if len(field.values) == 1]
        )
        is_record = self._plain[head].startswith("[[")
        names = (self._plain[head].strip("[] "), *((called,) if is_record and called else ()))
        blocks = self._lines.paragraphs(start, stop, "code")
        return iter((self._section(start, stop, (*path, *names), blocks),))

    def _starts(self, first: int, last: int, *, in_item: bool) -> list[int]:
        """The lines that stand least far in, at which what lies within others begins. Items that stand as far
        in as the key that they belong to begin nothing."""
        columns: dict[int, int] = {}
        for index in range(first, last):
            line = _without_dash(self._plain[index]) if in_item and index == first else self._plain[index]
            if line.strip() and not COMMENT_LINE.match(line) and line.lstrip()[0] not in "})]":
                columns[index] = indentation(line)
        least = min(columns.values(), default=0)
        starts = [index for index, column in columns.items() if column == least]
        items = {index for index in starts if self._plain[index].lstrip().startswith("- ")}
        mixed = items and (in_item or len(items) < len(starts))
        return [index for index in starts if index == first or index not in items] if mixed else starts

    def _record_name(self, head: int, stop: int) -> str:
        lines = self._plain[head:stop]
        if self._is_json:
            return record_name(_fields_of(_json_in("\n".join(lines))[0]))
        return _name_among([_without_dash(lines[0]), *lines[1:]], ())

    def _section(
        self, first: int, last: int, path: tuple[str, ...], blocks: Sequence[LineBlock]
    ) -> Section | None:
        """Lines as a section; None where they have nothing but brackets."""
        if not any(map(str.isalnum, "".join(self._plain[first:last]))):
            return None
        return self._lines.section(first, last, path, blocks, self._context)

    def _with_comments(self, index: int, first: int) -> int:
        while index > first and COMMENT_LINE.match(self._plain[index - 1]):
            index -= 1
        return index


def _without_dash(line: str) -> str:
    return line.replace("-", " ", 1)


def _json_in(text: str) -> tuple[Any, bool]:
    """The value of JSON that a text begins with, None without one, and whether it is all of the text."""
    text = text.strip()
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None, False
    return value, end == len(text)


def _fields_of(value: Any) -> list[tuple[str, str]]:
    """The fields of an object of JSON; the values are empty that have fields or items of their own."""
    fields = value.items() if isinstance(value, dict) else ()
    return [
        (
            name,
            "" if isinstance(field, dict | list) else field if isinstance(field, str) else json.dumps(field),
        )
        for name, field in fields
    ]


def _name_of_settings(lines: Sequence[str]) -> str:
    """What a whole file of settings is called: by its name, title or id."""
    at_margin = [line for line in lines if line.startswith("[") or line.lower().startswith(RECORD_NAMES)]
    return _name_among(at_margin, RECORD_NAMES)


def _name_among(lines: Sequence[str], names: Sequence[str]) -> str:
    """What lines are called by a field that is part of no other, by one of `names` if there are any."""
    fields = [field for field in named_fields(lines) if len(field.names) == 1 and len(field.values) == 1]
    called = [(field.names[0], field.values[0]) for field in fields]
    return record_name([(name, value) for name, value in called if not names or name.lower() in names])
