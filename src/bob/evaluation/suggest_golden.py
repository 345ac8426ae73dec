"""Drafts a golden set from the headings of what is indexed (SPEC N1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from bob.documents import source_rows
from bob.evaluation.suggest import Heading, suggest
from bob.search import chunk_rows
from bob.storage.database import Database


class SuggestGolden:
    """Drafts questions about one organization's documents."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def run(self, limit: int) -> list[dict[str, Any]]:
        """At most `limit` unconfirmed questions, as records of a golden set."""
        return suggest(self._headings(), limit)

    def _headings(self) -> Iterator[Heading]:
        with self._database.read() as connection:
            folders = [path for path, _ in source_rows.every(connection, self._org_id)]
        with self._database.search() as connection:
            found = chunk_rows.headings(connection, self._org_id)
            for path, title, source_type, language, headings in found:
                yield Heading(_short(path, folders), title, source_type, language, headings)


def _short(path: str, folders: Sequence[str]) -> str:
    """The path from the innermost indexed folder on, its name included: it holds on other machines too."""
    holding = [folder for folder in folders if source_rows.within(path, folder)]
    if not holding:
        return path
    return str(PurePosixPath(path).relative_to(PurePosixPath(max(holding, key=len)).parent))
