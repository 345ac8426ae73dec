"""Cuts chunks into what an answer may quote, each as files of its kind are read."""

from __future__ import annotations

from collections.abc import Iterable

from bob.answers.stated_fields import fields_of_data
from bob.answers.table_rows import rows_of
from bob.answers.units import Unit, cut, field_units

ChunkText = tuple[str, str, str]
"""A chunk's text, the head of the table that it goes on with ("" without such), and its source type."""

_READ_AS_FIELDS = ("field", "item")
"""Of settings and data: they are told field by field under their names, not as the items of a list."""


def cut_chunks(chunks: Iterable[ChunkText]) -> list[tuple[list[Unit], list[Unit]]]:
    """The units of each chunk, and what it states beside them: fields, headings with a figure, and whole
    lists."""
    chunks = list(chunks)
    texts = iter(cut((text, head) for text, head, source_type in chunks if source_type != "csv"))
    return [
        (rows_of(text, head), []) if source_type == "csv" else _as_fields(text, source_type, *next(texts))
        for text, head, source_type in chunks
    ]


def _as_fields(
    text: str, source_type: str, units: list[Unit], beside: list[Unit]
) -> tuple[list[Unit], list[Unit]]:
    fields = field_units(fields_of_data(text)) if source_type == "config" else []
    if not fields:
        return units, beside
    return [unit for unit in units if unit.kind not in _READ_AS_FIELDS], fields
