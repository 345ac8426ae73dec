"""Drafts a golden set from the headings of what is indexed (SPEC N1)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from bob.errors import UsageError
from bob.eval.suggest import Heading, suggest
from bob.store import chunks, sources
from bob.store.database import Database


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
            folders = [path for path, _ in sources.every(connection, self._org_id)]
        with self._database.search() as connection:
            for path, *rest in chunks.headings(connection, self._org_id):
                yield Heading(_short(path, folders), *rest)


def write_golden(path: Path, records: Sequence[dict[str, Any]], *, replace: bool) -> None:
    """Write records as a golden set.

    Raises:
        UsageError: the file is there and `replace` is False, or it cannot be written.
    """
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    try:
        # "x" looks and makes in one step: a file that appears meanwhile is not overwritten either.
        with path.open("w" if replace else "x", encoding="utf-8") as file:
            file.write(lines)
    except FileExistsError as error:
        raise UsageError(f"{path} is there already; --force overwrites it") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def _short(path: str, folders: Sequence[str]) -> str:
    """The path from the innermost indexed folder on, its name included: it holds on other machines too."""
    holding = [folder for folder in folders if sources.within(path, folder)]
    if not holding:
        return path
    return str(PurePosixPath(path).relative_to(PurePosixPath(max(holding, key=len)).parent))
