"""Builds what knows who asks, from the settings `auth.*`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from bob.core.errors import MissingExtraError

if TYPE_CHECKING:
    from bob.access.authenticate import Authenticate
    from bob.app.settings_groups import AuthSettings
    from bob.core.protocols import SigningKeys
    from bob.storage.database import Database


def authenticate_over(
    database: Database, auth: AuthSettings, now: Callable[[], datetime], seconds: Callable[[], float]
) -> Authenticate:
    """Knows who asks; `seconds` never goes back.

    Raises:
        SettingsError: a file with keys cannot be used.
        MissingExtraError: tokens are to be taken, and what checks them is not installed.
    """
    from bob.access.authenticate import Authenticate
    from bob.access.rate_limit import LimitRequests
    from bob.access.verify_token import TokenRules, VerifyToken

    verify_token = None
    if auth.algorithm is not None:
        rules = TokenRules(
            auth.audience, auth.issuer, auth.leeway_seconds, auth.organization_claim, auth.role_claim
        )
        verify_token = VerifyToken(_signing_keys(auth, seconds), rules)
    limit = LimitRequests(auth.requests_per_minute, seconds)
    return Authenticate(database, verify_token, limit, now)


def _signing_keys(auth: AuthSettings, seconds: Callable[[], float]) -> SigningKeys:
    from bob.access.signing_keys import KeySet, PublicKey, SecretKey, read_address, read_file

    if auth.jwt_secret is not None:
        return SecretKey(auth.jwt_secret.get_secret_value())
    try:
        if auth.public_key_file is not None:
            return PublicKey(auth.public_key_file.expanduser())
        if auth.jwks_file is not None:
            return KeySet(read_file(auth.jwks_file.expanduser()), seconds)
        return KeySet(read_address(auth.jwks_url or ""), seconds)
    except ImportError as error:
        raise MissingExtraError("a server that accepts tokens", "team") from error
