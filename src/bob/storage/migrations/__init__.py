"""The tables, declared by the steps that make them: a file of SQL is a step, or what one engine adds to it.

`org_id` leads every primary key and index. Ids are counted per organization (`counters`), so a larger id was
always committed later: readers find what is new by "greater than the last I saw". Moments are seconds since
1970. Bytes are BLOB, which PostgreSQL calls bytea.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from bob.core.errors import StoreError

_FOLDER = Path(__file__).parent

_VERSIONS = """
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
"""


def upgrade(
    run: Callable[[str], object],
    engine: Literal["sqlite", "postgresql"],
    database: str,
    version: str | None,
) -> None:
    """Run the missing steps, in the caller's transaction. `run` takes the statements of a file.

    Raises:
        StoreError: `database`, as it is called, is of a version that this Bob does not know.
    """
    steps = sorted({path.name[:4] for path in _FOLDER.glob("*.sql")})
    if version is not None and version not in steps:
        raise StoreError(f"{database} was created by a newer Bob (schema {version}): update Bob to open it")
    for step in steps:
        if version is None or step > version:
            for path in _files(step, engine):
                run(path.read_text("utf-8"))
    if version is None:
        run(f"{_VERSIONS}INSERT INTO alembic_version (version_num) VALUES ('{steps[-1]}');")
    else:
        run(f"UPDATE alembic_version SET version_num = '{steps[-1]}';")


def _files(step: str, engine: str) -> Iterator[Path]:
    """The files of a step: first those of both engines."""
    files = sorted(_FOLDER.glob(f"{step}_*.sql"))
    yield from (file for file in files if len(file.suffixes) == 1)
    yield from (file for file in files if file.suffixes[0] == f".{engine}")
