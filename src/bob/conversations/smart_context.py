"""The switch of seed 004: whether other chats and projects are looked at for a reply (SPEC G5)."""

from __future__ import annotations

from bob.storage import app_config
from bob.storage.database import Database

KEY = "enable_smart_rag"


class SmartContext:
    """Settings > Resources > Smart Context, of one user. It is off until it is switched on; memories are
    collected either way."""

    def __init__(self, database: Database, org_id: str, user_id: str, local_user: str) -> None:
        self._database = database
        self._org_id = org_id
        self._key = KEY if user_id == local_user else f"{KEY}:{user_id}"

    @property
    def enabled(self) -> bool:
        """Whether it is on."""
        with self._database.read() as connection:
            return app_config.get(connection, self._org_id, self._key) == "true"

    def switch(self, on: bool) -> None:
        """Switch it on or off."""
        with self._database.write() as connection:
            app_config.put(connection, self._org_id, self._key, "true" if on else "false")
