"""API keys: how one is written, and what is known of one. The secret itself is in no value that is kept."""

from __future__ import annotations

import hashlib
import re
import string
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bob.core.principal import Role
from bob.work.items import ORG_ID

PREFIX = "bobkey."
"""Every key begins so: programs that look for leaked secrets find keys by it and by their check digits."""

KEY_ID_BYTES = 8
SECRET_BYTES = 32
"""256 bits of chance: nobody guesses them, however fast they may try."""

_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SECRET_DIGITS, _CHECK_DIGITS = 43, 6
"""What 256 and 32 bits take in base 62."""

_FORM = re.compile(
    rf"bobkey\.({ORG_ID.pattern})\.([0-9a-f]{{{2 * KEY_ID_BYTES}}})\."
    rf"([0-9A-Za-z]{{{_SECRET_DIGITS}}})([0-9A-Za-z]{{{_CHECK_DIGITS}}})"
)


@dataclass(frozen=True, slots=True)
class WrittenKey:
    """A key as its owner holds it. Its text is `bobkey.ORGANIZATION.KEYID.SECRET` with six check digits; no
    part can hold a dot."""

    org_id: str
    key_id: str
    secret: str

    @classmethod
    def read(cls, text: str) -> WrittenKey | None:
        """The key that a text is; None: it has not the form, or a digit is wrong.

        >>> written = WrittenKey.make("acme", bytes(8), bytes(32))
        >>> WrittenKey.read(written.text) == written
        True
        >>> WrittenKey.read(written.text[:-1] + "!") is None
        True
        """
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        org_id, key_id, secret, check = found.groups()
        key = cls(org_id, key_id, secret)
        return key if key._check() == check else None

    @staticmethod
    def is_in(text: str) -> bool:
        """Whether a text holds a key anywhere.

        >>> WrittenKey.is_in(f"the key {WrittenKey.make('acme', bytes(8), bytes(32)).text}!")
        True
        """
        return _FORM.search(text) is not None

    @classmethod
    def make(cls, org_id: str, key_id: bytes, secret: bytes) -> WrittenKey:
        """A key of `KEY_ID_BYTES` and `SECRET_BYTES` of chance."""
        return cls(org_id, key_id.hex(), _in_base_62(int.from_bytes(secret), _SECRET_DIGITS))

    @property
    def text(self) -> str:
        """What its owner sends."""
        return f"{self._start()}{self._check()}"

    @property
    def secret_hash(self) -> str:
        """What is kept of the secret. One SHA-256 is enough: a slow hash protects what can be guessed, and
        256 random bits cannot."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    def __repr__(self) -> str:
        """The key without its secret, so that no log shows it."""
        return f"WrittenKey({self.org_id!r}, {self.key_id!r}, …)"

    def _start(self) -> str:
        return f"{PREFIX}{self.org_id}.{self.key_id}.{self.secret}"

    def _check(self) -> str:
        return _in_base_62(zlib.crc32(self._start().encode()), _CHECK_DIGITS)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of a key. `scopes` are the parts of the server that it is for; empty: all of them."""

    key_id: str
    name: str
    user_id: str
    role: Role
    scopes: frozenset[str]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def why_invalid(self, now: datetime) -> str | None:
        """Why it opens nothing; None when it does."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else None

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        moments = {
            name: moment.isoformat(timespec="seconds") if moment else None
            for name, moment in (
                ("created_at", self.created_at),
                ("expires_at", self.expires_at),
                ("last_used_at", self.last_used_at),
                ("revoked_at", self.revoked_at),
            )
        }
        return {
            "key_id": self.key_id,
            "name": self.name,
            "user": self.user_id,
            "role": self.role.value,
            "scopes": sorted(self.scopes),
            **moments,
        }


def _in_base_62(number: int, digits: int) -> str:
    written = ""
    for _ in range(digits):
        number, rest = divmod(number, len(_DIGITS))
        written = _DIGITS[rest] + written
    return written
