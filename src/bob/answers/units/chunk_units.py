"""Cuts chunks into what an answer may quote, each as files of its kind are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bob.answers.units.code_passages import CodeText, read_code
from bob.answers.units.comments import comment_text, style_of
from bob.answers.units.spoken_units import TURNS_OF, cut_spoken
from bob.answers.units.stated_fields import fields_of_data, format_of
from bob.answers.units.table_rows import rows_of
from bob.answers.units.unit import Unit, cut, field_units
from bob.core.search import FoundChunk


class ChunkText(NamedTuple):
    """A chunk as it is cut: its text, its context, and where it stands. The context is the head of the table
    that the text goes on with, or who says what it begins with; "" without such."""

    text: str
    context: str
    source_type: str
    path: str = ""
    heading_path: tuple[str, ...] = ()


def text_of(chunk: FoundChunk) -> ChunkText:
    """A chunk as it is cut into units."""
    return ChunkText(chunk.text, chunk.context, chunk.source_type, chunk.path, chunk.heading_path)


def cut_chunks(chunks: Iterable[ChunkText]) -> list[tuple[list[Unit], list[Unit]]]:
    """The units of each chunk, and what it states beside them: fields, headings that state something, and
    whole lists."""
    chunks = list(chunks)
    spoken = iter(cut_spoken([chunk[:3] for chunk in chunks if chunk.source_type in TURNS_OF]))
    read = [_read(chunk) for chunk in chunks]
    texts = iter(cut((text, chunk.context) for chunk, (text, _) in zip(chunks, read, strict=True) if text))
    cut_texts: list[tuple[list[Unit], list[Unit]]] = []
    for chunk, (text, beside) in zip(chunks, read, strict=True):
        if chunk.source_type == "csv":
            cut_texts.append((rows_of(chunk.text, chunk.context), []))
        elif chunk.source_type in TURNS_OF:
            cut_texts.append(next(spoken))
        else:
            cut_texts.append(_with_units(beside, *(next(texts) if text else ([], []))))
    return cut_texts


def _read(chunk: ChunkText) -> tuple[str, CodeText | list[Unit] | None]:
    """The text that is cut as prose is, each character at its place, and what stands beside it: code, or the
    fields of settings and data, of which only the comments are prose. Rows and what several people say are
    cut otherwise."""
    if chunk.source_type == "csv" or chunk.source_type in TURNS_OF:
        return "", None
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
        return beside.units(units), [*whole, *beside.fields, *beside.values]
    return units, [*whole, *(beside or [])]
