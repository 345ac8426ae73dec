"""Paths as a range in an index: a folder and all below it."""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, and_, or_


def path_range(column: Column[str], folder: str) -> ColumnElement[bool]:
    """True for the folder itself and for what lies below it. Unlike LIKE it uses the index and needs no
    escaping."""
    inside = folder.rstrip("/") + "/"
    return or_(column == folder, and_(column >= inside, column < inside[:-1] + chr(ord("/") + 1)))
