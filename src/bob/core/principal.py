"""Who asks: always one user of one organization, with a role (SPEC L2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SCOPES = (
    "ai",
    "ask",
    "chats",
    "eval",
    "hippocampus",
    "keys",
    "knowledge",
    "library",
    "rag",
    "v1",
    "work",
)
"""The parts of the server that a key can be limited to."""


class Role(StrEnum):
    """What a user may do; each may do what those before may."""

    READER = "reader"
    MEMBER = "member"
    ADMIN = "admin"

    def covers(self, needed: Role) -> bool:
        """Whether this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Principal:
    """One user of one organization. `scopes` limits a key to parts of the server; empty: all of them.
    `key_id` is the API key's, `issuer` the token's; the user of this machine has neither."""

    org_id: str
    user_id: str
    role: Role
    scopes: frozenset[str] = frozenset()
    key_id: str | None = None
    issuer: str | None = None

    @property
    def credential(self) -> str:
        """What was shown to prove it. A token that was renewed is the same credential.

        >>> Principal("local", "ana", Role.READER, key_id="3f0c9a5d1b7e2468").credential
        'key:3f0c9a5d1b7e2468'
        """
        if self.key_id is not None:
            return f"key:{self.key_id}"
        return "home" if self.issuer is None else f"token:{self.issuer}"
