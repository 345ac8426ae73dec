"""Cuts chunks into what an answer may quote, each as files of its kind are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bob.answers.code_passages import CodeText, read_code
from bob.answers.comments import comment_text, style_of
from bob.answers.stated_fields import fields_of_data, format_of
from bob.answers.table_rows import rows_of
from bob.answers.units import Unit, cut, field_units
from bob.core.search import FoundChunk


class ChunkText(NamedTuple):
    """A chunk as it is cut: its text, the head of the table that it goes on with ("" without such), and where
    it stands."""

    text: str
    head: str
    source_type: str
    path: str = ""
    heading_path: tuple[str, ...] = ()


def text_of(chunk: FoundChunk) -> ChunkText:
    """A chunk as it is cut into units."""
    return ChunkText(chunk.text, chunk.context, chunk.source_type, chunk.path, chunk.heading_path)


def cut_chunks(chunks: Iterable[ChunkText]) -> list[tuple[list[Unit], list[Unit]]]:
    """The units of each chunk, and what it states beside them: fields, headings with a figure, and whole
    lists."""
    read = [(chunk, *_read(chunk)) for chunk in chunks]
    texts = iter(cut((text, chunk.head) for chunk, text, _ in read if chunk.source_type != "csv"))
    return [
        (rows_of(chunk.text, chunk.head), [])
        if chunk.source_type == "csv"
        else _with_units(beside, *next(texts))
        for chunk, _, beside in read
    ]


def _read(chunk: ChunkText) -> tuple[str, CodeText | list[Unit] | None]:
    """The text that is cut as prose is, each character at its place, and what stands beside it: code, or the
    fields of settings and data, of which only the comments are prose."""
    if chunk.source_type == "code":
        code = read_code(chunk.text, chunk.path, chunk.heading_path[-1] if chunk.heading_path else "")
        return code.prose, code
    if chunk.source_type != "config":
        return chunk.text, None
    form = format_of(chunk.path, chunk.text)
    fields = field_units(fields_of_data(chunk.text, form, chunk.heading_path))
    if form == "json":
        return "", fields
    comments = comment_text(chunk.text, style_of(chunk.path, is_settings=True)) if form == "lines" else ""
    return (comments, fields) if fields or comments.strip() else (chunk.text, None)


def _with_units(
    beside: CodeText | list[Unit] | None, units: list[Unit], whole: list[Unit]
) -> tuple[list[Unit], list[Unit]]:
    if isinstance(beside, CodeText):
        return beside.units(units), [*whole, *beside.fields]
    return units, [*whole, *(beside or [])]
