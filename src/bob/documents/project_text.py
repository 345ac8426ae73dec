"""The documents of a project as whole texts, for pinning them (SPEC H1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from bob.search.query import HOLDS_NOW
from bob.storage.database import Transaction

_DOCUMENTS = f"""
SELECT d.path, d.title, CASE d.source_date_kind WHEN 'mtime' THEN NULL ELSE d.source_date END, c.text
FROM documents d JOIN chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id
WHERE d.org_id = :org AND lower(d.project) = :project AND {HOLDS_NOW}
ORDER BY d.path, c.ordinal
"""
_FOLDERS = "SELECT path FROM sources WHERE org_id = :org AND lower(project) = :project"
_OUTLINE = f"""
SELECT d.path, d.title, sum(c.tokens)
FROM documents d JOIN chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id
WHERE d.org_id = :org AND lower(d.project) = :project AND {HOLDS_NOW}
GROUP BY d.org_id, d.document_id ORDER BY d.path
"""
_PROJECTS = "SELECT DISTINCT project FROM documents WHERE org_id = :org ORDER BY project"


@dataclass(frozen=True, slots=True)
class ProjectDocument:
    """A document of a project; `name` is its path below the indexed folder. `source_date` is what the
    document says of itself: when its file was touched does not change what it is."""

    name: str
    title: str
    source_date: str | None
    text: str


def documents_of(transaction: Transaction, project: str) -> list[ProjectDocument]:
    """All documents of the project in the order of their paths, each as its chunks make it up."""
    named = names_below(transaction, project)
    texts: dict[str, list[str]] = {}
    heads: dict[str, tuple[str, str | None]] = {}
    for path, title, dated, text in transaction.execute(_DOCUMENTS, {"project": project.lower()}):
        texts.setdefault(path, []).append(text)
        heads[path] = (title, dated)
    return [ProjectDocument(named(path), *heads[path], "\n\n".join(parts)) for path, parts in texts.items()]


def projects_of(transaction: Transaction) -> list[str]:
    """The projects that have documents, by name."""
    return [str(row[0]) for row in transaction.execute(_PROJECTS)]


def outline_of(transaction: Transaction, project: str) -> list[tuple[str, str, int]]:
    """The documents of the project in the order of their paths: name, title, and tokens."""
    named = names_below(transaction, project)
    rows = transaction.execute(_OUTLINE, {"project": project.lower()})
    return [(named(path), str(title), int(tokens)) for path, title, tokens in rows]


class ShortNames:
    """Names files by their path below the folder that was indexed; below several, after the folder's name."""

    def __init__(self, folders: list[str]) -> None:
        self._folders = sorted(map(PurePath, folders), key=lambda folder: -len(folder.parts))

    def __call__(self, path: str) -> str:
        """The short name of a stored path."""
        pure = PurePath(path)
        for folder in self._folders:
            if folder in pure.parents:
                below = pure.relative_to(folder)
                return str(below if len(self._folders) == 1 else folder.name / below)
        return pure.name if pure in self._folders else path


def names_below(transaction: Transaction, project: str) -> ShortNames:
    """What names the files of a project."""
    rows = transaction.execute(_FOLDERS, {"project": project.lower()})
    return ShortNames([str(row[0]) for row in rows])
