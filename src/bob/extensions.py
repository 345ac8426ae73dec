"""What a package that extends Bob may use: values, errors, and readers of text. All else may change.

Bob's own package `bob_formats` is written with it. How Bob finds a package and calls it: docs/search.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bob.core.document import Block, BlockKind, ParsedDocument, Section, SourceDate
    from bob.core.errors import MissingExtraError, UnreadableError, UsageError
    from bob.core.locator import (
        CellLocator,
        ChapterLocator,
        ElementLocator,
        LineLocator,
        MessageLocator,
        PageLocator,
        ParagraphLocator,
        RecipeLocator,
        SheetLocator,
        SlideLocator,
    )
    from bob.core.protocols import DataForm, SourceFile
    from bob.documents.formats.front_matter import load_yaml, read_front_matter
    from bob.documents.formats.front_matter import text as value_text
    from bob.documents.formats.front_matter import words as value_words
    from bob.documents.formats.lines import TextLines, found_sections
    from bob.documents.formats.office.package import clean_title
    from bob.documents.formats.pdf.parser import PDFIUM_LOCK, open_pdf
    from bob.documents.formats.source import LocalFile, decode
    from bob.notes.imported import Bookmark, BookmarkForm, Highlight, Work
    from bob.text.dates import read_date
    from bob.text.languages import detect_language

__all__ = [
    "PDFIUM_LOCK",
    "Block",
    "BlockKind",
    "Bookmark",
    "BookmarkForm",
    "CellLocator",
    "ChapterLocator",
    "DataForm",
    "ElementLocator",
    "Highlight",
    "LineLocator",
    "LocalFile",
    "MessageLocator",
    "MissingExtraError",
    "PageLocator",
    "ParagraphLocator",
    "ParsedDocument",
    "RecipeLocator",
    "Section",
    "SheetLocator",
    "SlideLocator",
    "SourceDate",
    "SourceFile",
    "TextLines",
    "UnreadableError",
    "UsageError",
    "Work",
    "clean_title",
    "decode",
    "detect_language",
    "found_sections",
    "load_yaml",
    "open_pdf",
    "read_date",
    "read_front_matter",
    "value_text",
    "value_words",
]

_PLACES = {
    "bob.core.document": ("Block", "BlockKind", "ParsedDocument", "Section", "SourceDate"),
    "bob.core.errors": ("MissingExtraError", "UnreadableError", "UsageError"),
    "bob.core.protocols": ("DataForm", "SourceFile"),
    "bob.documents.formats.front_matter": ("load_yaml", "read_front_matter", "value_text", "value_words"),
    "bob.documents.formats.lines": ("TextLines", "found_sections"),
    "bob.documents.formats.office.package": ("clean_title",),
    "bob.documents.formats.pdf.parser": ("PDFIUM_LOCK", "open_pdf"),
    "bob.documents.formats.source": ("LocalFile", "decode"),
    "bob.notes.imported": ("Bookmark", "BookmarkForm", "Highlight", "Work"),
    "bob.text.dates": ("read_date",),
    "bob.text.languages": ("detect_language",),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}
_NAMES = {"value_text": "text", "value_words": "words"}


def __getattr__(name: str) -> Any:
    # A parser of text needs no PDFium, and each runs in a process of its own.
    if name in __all__:
        module = import_module(_MODULES.get(name, "bob.core.locator"))
        return getattr(module, _NAMES.get(name, name))
    raise AttributeError(f"module 'bob.extensions' has no attribute {name!r}")
