"""Brings a database to the newest schema; two processes may try at once, and one of them does it."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from bob.core.errors import StoreError


def upgrade(connection: Connection, database: str, version: str | None) -> None:
    """Run the missing steps, in the caller's transaction.

    Raises:
        StoreError: `database`, as it is called, is of a version that this Bob does not know.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if version is not None and version not in known:
        raise StoreError(f"{database} was created by a newer Bob (schema {version}): update Bob to open it")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
