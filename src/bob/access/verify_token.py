"""Checks a token (JWT, RFC 7519) and says who sends it (SPEC L2).

PyJWT checks the signature, the times, the audience and the issuer. What is Bob's own: the algorithm is the
settings' and never the token's, and a user, an organization and a role have to be in it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bob.core.errors import MissingExtraError, RefusedError
from bob.core.principal import Principal, Role
from bob.core.protocols import SigningKeys
from bob.work.items import ORG_ID

log = logging.getLogger(__name__)

UNKNOWN = "this server requires a valid bearer token or API key"
"""What is told to whoever is not known, whatever the reason: a reason would help to guess."""

_COMPACT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
_MOST_CHARACTERS = 8192
_LONGEST_USER = 128


def unknown(reason: str) -> RefusedError:
    """The error for whoever is not known. The reason goes to the log; it must hold nothing that was sent."""
    log.warning("refused: %s", reason)
    return RefusedError(401, UNKNOWN)


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What a token has to say; `leeway` in seconds, and the names of two claims."""

    audience: str | None
    issuer: str | None
    leeway: float
    organization_claim: str
    role_claim: str


class VerifyToken:
    """Checks tokens by one family of keys."""

    def __init__(self, keys: SigningKeys, rules: TokenRules) -> None:
        """Raises MissingExtraError: the library for tokens is not installed."""
        try:
            import jwt  # noqa: F401 - only to say what to install
        except ImportError as error:
            raise MissingExtraError("a server that takes tokens", "team") from error
        self._keys = keys
        self._rules = rules

    def verify_token(self, token: str) -> Principal:
        """Who sends the token.

        Raises:
            RefusedError: 401, it proves nothing.
        """
        import jwt

        if len(token) > _MOST_CHARACTERS or _COMPACT.fullmatch(token) is None:
            raise unknown("not the form of a token")
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") != self._keys.algorithm:
                raise unknown("a token of another algorithm")
            key = self._keys.find(header.get("kid"))
            if key is None:
                raise unknown("a token of an unknown key")
            claims = jwt.decode(
                token,
                key,
                algorithms=[self._keys.algorithm],
                audience=self._rules.audience,
                issuer=self._rules.issuer,
                leeway=self._rules.leeway,
                options={"require": ["exp", "sub"], "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            raise unknown(f"token: {type(error).__name__}") from None
        if any(isinstance(claims.get(name), str) for name in ("exp", "nbf", "iat")):
            raise unknown("a token whose times are text")  # PyJWT reads digits in it; RFC 7519 wants numbers
        return self._principal(claims)

    def _principal(self, claims: Mapping[str, Any]) -> Principal:
        user, org_id = claims["sub"], claims.get(self._rules.organization_claim)
        role = claims.get(self._rules.role_claim)
        if not isinstance(user, str) or not (0 < len(user) <= _LONGEST_USER and user.isprintable()):
            raise unknown("a token with an invalid user")
        if not isinstance(org_id, str) or ORG_ID.fullmatch(org_id) is None:
            raise unknown("a token with an invalid organization")
        if role not in list(Role):
            raise unknown("a token of an unknown role")
        return Principal(org_id, user, Role(role), issuer=str(claims.get("iss", "")))
