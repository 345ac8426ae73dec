"""What Word, Excel and PowerPoint files share: parts, relationships between them, and core properties."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from lxml import etree

from bob.core.document import SourceDate
from bob.core.errors import UnreadableError
from bob.documents.formats.archive import Archive
from bob.text import lexicon

_PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_TERMS = "{http://purl.org/dc/terms/}"
_ELEMENTS = "{http://purl.org/dc/elements/1.1/}"

# Programs write these into every new file, perhaps with a number: they name nothing.
_NO_TITLE = re.compile(rf"(?:{lexicon.any_of('no titles')})[ _-]?\d{{0,4}}", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"(?:[A-Za-z]:[\\/]|\\\\|file:|~?/)\S+"
    r"|.*\.(?:docx?|dotx?|docm|rtf|odt|xlsx?|xlsm|ods|pptx?|ppsx?|pptm|odp|pdf|ps|eps|dvi|qxp|qxd|indd|pub|pmd|p65"
    r"|fm|cdr|ai|sxw|wpd|wps)"
    r"|\S+\.(?:txt|tex|html?|md|key|pages|numbers)",
    re.IGNORECASE,
)
"""A path, or a name with the ending of a document: where a program found what it made the file of."""
_NO_TITLE_STARTS = ("microsoft word - ", "microsoft powerpoint - ")
_FIRST_YEAR = 1980  # the zip format's first year; programs without a clock write it or 1601, 1899, 1904


@dataclass(frozen=True, slots=True)
class Properties:
    """Core properties of a document; empty where the file names none."""

    title: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()
    language: str | None = None
    source_date: SourceDate | None = None


@dataclass(frozen=True, slots=True)
class Relationship:
    """Where one part points: the last word of the relationship's type, and the target part's name."""

    kind: str
    target: str


def relationships(archive: Archive, part: str) -> dict[str, Relationship]:
    """The relationships of `part` by id, in file order, without those that leave the file; {} when none."""
    folder, name = posixpath.split(part)
    root = archive.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
    relations: dict[str, Relationship] = {}
    for element in root.iter(f"{_PACKAGE}Relationship") if root is not None else ():
        target = element.get("Target", "")
        if element.get("TargetMode") == "External" or not target:
            continue
        full = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        relations[element.get("Id", "")] = Relationship(
            element.get("Type", "").rsplit("/", 1)[-1], unquote(full)
        )
    return relations


def main_part(archive: Archive, usual: str, what: str) -> str:
    """The name of the main part, `usual` when the package does not say.

    Raises:
        UnreadableError: "damaged", there is no such part, so this is not `what` ("a Word file").
    """
    for relationship in relationships(archive, "").values():
        if relationship.kind == "officeDocument" and archive.read(relationship.target) is not None:
            return relationship.target
    if archive.read(usual) is not None:
        return usual
    raise UnreadableError("damaged", f"damaged, or not {what}")


def read_properties(archive: Archive) -> Properties:
    """The core properties; a file without them, or with unreadable ones, has none."""
    part = next((r.target for r in relationships(archive, "").values() if r.kind == "core-properties"), None)
    try:
        root = archive.xml(part or "docProps/core.xml")
    except UnreadableError:
        return Properties()  # a broken title is no reason to refuse the text
    if root is None:
        return Properties()
    keywords = _text(root, f"{_CORE}keywords")
    return Properties(
        title=clean_title(_text(root, f"{_ELEMENTS}title")),
        author=_text(root, f"{_ELEMENTS}creator"),
        tags=split_keywords(keywords),
        language=_text(root, f"{_ELEMENTS}language") or None,
        # The last change is when the content was last said to hold; "created" is often the template's date.
        source_date=iso_date(_text(root, f"{_TERMS}modified")) or iso_date(_text(root, f"{_TERMS}created")),
    )


def clean_title(title: str) -> str:
    """The title on one line; empty when it is only what a program writes into every file, or a file's name.

    >>> [clean_title(title) for title in ("Unnamed", "/compile/output.dvi", "c6tech.qxp", "The garden")]
    ['', '', '', 'The garden']
    """
    line = " ".join(title.split())
    if _NO_TITLE.fullmatch(line) or _FILE_NAME.fullmatch(line) or line.lower().startswith(_NO_TITLE_STARTS):
        return ""
    return line


def split_keywords(keywords: str) -> tuple[str, ...]:
    """Keywords as people type them, parted by commas, semicolons or lines."""
    parts = keywords.replace(";", ",").replace("\n", ",").split(",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def iso_date(text: str) -> SourceDate | None:
    """The day in "2024-05-01T10:00:00Z" and the like; None when there is no believable one."""
    try:
        value = date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None
    return SourceDate(value, "properties") if value.year > _FIRST_YEAR else None


def _text(root: etree._Element, tag: str) -> str:
    element = root.find(tag)
    return ("".join(str(t) for t in element.itertext()) if element is not None else "").strip()
