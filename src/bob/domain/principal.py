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
    `key_id` is the API key's, for counting its requests."""

    org_id: str
    user_id: str
    role: Role
    scopes: frozenset[str] = frozenset()
    key_id: str | None = None
