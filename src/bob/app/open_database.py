"""Opens the database of the settings, on the engine that its address names."""

from __future__ import annotations

from bob.app.settings import Settings
from bob.storage.database import Database, SqliteDatabase
from bob.storage.organizations import ensure_organization


def open_database(settings: Settings) -> Database:
    """The database, of the newest schema, with the organization of the settings in it."""
    database: Database
    if settings.on_server:
        from bob.storage.postgres import PostgresDatabase

        database = PostgresDatabase(settings.database, settings.organization, settings.cache_folder)
    else:
        database = SqliteDatabase(settings.database_path, settings.organization)
    ensure_organization(database)
    return database
