"""Makes, lists and revokes the API keys of one organization (SPEC L2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bob.access import rows
from bob.access.api_key import KEY_ID_BYTES, SECRET_BYTES, ApiKey, WrittenKey
from bob.core.errors import NotFoundError, UsageError
from bob.core.principal import SCOPES, Role
from bob.storage.database import Database

LONGEST_USER = 128
_LONGEST_NAME = 100
_WAIT_SECONDS = 120
_VALIDITY = re.compile(r"([1-9][0-9]{0,4})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def validity(text: str) -> timedelta | None:
    """The time that 12h, 90d or 52w is; None for anything else."""
    found = _VALIDITY.fullmatch(text)
    return None if found is None else int(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made, with its text, which is shown this once."""

    key: ApiKey
    text: str

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {"key": self.text, **self.key.to_json()}


class ApiKeys:
    """The keys of one organization. `chance` gives so many random bytes."""

    def __init__(
        self, database: Database, chance: Callable[[int], bytes], now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._chance = chance
        self._now = now

    def create(
        self, name: str, user_id: str, role: Role, scopes: Sequence[str], valid_for: timedelta | None
    ) -> NewKey:
        """Make a key for a user. Without scopes it is for all parts of the server.

        Raises:
            UsageError: the name, the user or a scope is not allowed.
        """
        if not user_id.strip() or len(user_id) > LONGEST_USER or not user_id.isprintable():
            raise UsageError(f"user must have 1 to {LONGEST_USER} characters, on one line")
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise UsageError(f"name must have 1 to {_LONGEST_NAME} characters, on one line")
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown:
            raise UsageError(f"there is no scope {unknown[0]!r}; there are: {', '.join(SCOPES)}")
        now = self._now()
        written = WrittenKey.make(
            self._database.org_id, self._chance(KEY_ID_BYTES), self._chance(SECRET_BYTES)
        )
        expires_at = None if valid_for is None else now + valid_for
        key = ApiKey(written.key_id, name.strip(), user_id, role, frozenset(scopes), now, expires_at)
        with self._database.write(_WAIT_SECONDS) as transaction:
            rows.add(transaction, key, written.secret_hash)
        return NewKey(key, written.text)

    def every(self) -> list[ApiKey]:
        """All keys that were made, the first one first."""
        with self._database.read() as transaction:
            return rows.every(transaction)

    def revoke(self, key_id: str) -> ApiKey:
        """End a key, at once and for good.

        Raises:
            NotFoundError: there is no such key.
        """
        with self._database.write(_WAIT_SECONDS) as transaction:
            rows.revoke(transaction, key_id, self._now())
            found = rows.by_id(transaction, key_id)
        if found is None:
            raise NotFoundError(f"there is no key {key_id!r}; list the keys with bob keys list")
        return found[0]
