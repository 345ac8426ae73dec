"""Who asks: a credential becomes a user of an organization with a role, or a refusal (SPEC L2, P3)."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from bob.access import rows
from bob.access.api_key import PREFIX, WrittenKey
from bob.access.rate_limit import LimitRequests
from bob.access.verify_token import VerifyToken, unknown
from bob.core.errors import RefusedError, StoreError
from bob.core.principal import Principal
from bob.storage.database import Database
from bob.storage.organizations import every_organization, is_known

log = logging.getLogger(__name__)

_USE_IS_NOTED_EVERY = timedelta(minutes=1)
_WAIT_SECONDS = 1
"""A request does not wait longer than this to have its use noted: a run of the index may be writing."""


class Authenticate:
    """Knows who asks, for all organizations of a database. `verify_token` is None: tokens are not taken."""

    def __init__(
        self,
        database: Database,
        verify_token: VerifyToken | None,
        limit: LimitRequests,
        now: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._verify_token = verify_token
        self._limit = limit
        self._now = now
        self._keys_exist = False
        self._noted: dict[str, datetime] = {}
        self._sides: dict[str, Database] = {}

    def identify_sender(self, credential: str | None) -> Principal:
        """Who sends this token or key, and may send one more request.

        Raises:
            RefusedError: 401, it is missing or proves nothing, always with the same message; 429, too many.
            StoreError: keys cannot be looked up.
        """
        if credential is None:
            raise unknown("no credential")
        if credential.startswith(PREFIX):
            principal = self._by_key(credential)
        elif self._verify_token is not None:
            principal = self._verify_token.verify_token(credential)
        else:
            raise unknown("not an API key, and tokens are not accepted")
        wait = self._limit.take((principal.org_id, principal.key_id, principal.user_id))
        if wait is not None:
            raise RefusedError(429, "too many requests; try again later", wait=wait)
        return principal

    @property
    def keys_exist(self) -> bool:
        """Whether any organization ever made a key. Once so, it stays so."""
        if not self._keys_exist:
            for org_id in every_organization(self._database):
                with self._database.for_organization(org_id).read() as transaction:
                    self._keys_exist = rows.exist(transaction)
                if self._keys_exist:
                    break
        return self._keys_exist

    @property
    def can_be_passed(self) -> bool:
        """Whether tokens are taken, or a key is valid now: else nobody could ask."""
        if self._verify_token is not None:
            return True
        now = self._now()
        for org_id in every_organization(self._database):
            with self._database.for_organization(org_id).read() as transaction:
                if any(key.why_invalid(now) is None for key in rows.every(transaction)):
                    return True
        return False

    def _by_key(self, text: str) -> Principal:
        written = WrittenKey.read(text)
        if written is None:
            raise unknown("not a valid API key")
        database = self._side(written.org_id)
        with database.read() as transaction:
            found = rows.by_id(transaction, written.key_id)
        if found is None:
            raise unknown("an unknown API key")
        key, secret_hash = found
        if not hmac.compare_digest(secret_hash, written.secret_hash):
            raise unknown(f"API key {key.key_id} with a wrong secret")
        now = self._now()
        invalid = key.why_invalid(now)
        if invalid is not None:
            raise unknown(f"API key {key.key_id} is {invalid}")
        self._note_use(database, written, key.last_used_at, now)
        return Principal(written.org_id, key.user_id, key.role, key.scopes, key.key_id)

    def _side(self, org_id: str) -> Database:
        if org_id not in self._sides:
            # Asked first: an organization that does not exist must cost no place here.
            if not is_known(self._database, org_id):
                raise unknown("an API key of an unknown organization")
            self._sides[org_id] = self._database.for_organization(org_id)
        return self._sides[org_id]

    def _note_use(
        self, database: Database, written: WrittenKey, last_used_at: datetime | None, now: datetime
    ) -> None:
        tried_at = self._noted.get(written.key_id)
        if any(at is not None and now - at < _USE_IS_NOTED_EVERY for at in (last_used_at, tried_at)):
            return
        self._noted[written.key_id] = now
        try:
            with database.write(_WAIT_SECONDS) as transaction:
                rows.note_use(transaction, written.key_id, now)
        except StoreError as error:
            log.info("cannot record the use of API key %s: %s", written.key_id, error)
