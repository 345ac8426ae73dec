"""Who may ask a server: how tokens are checked, and how many requests each may send (SPEC L2)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_core import PydanticCustomError

from bob.app.settings_groups import Group

_LEAST_SECRET_BYTES = 32
"""RFC 7518, 3.2: a key for HS256 has at least the size of the hash."""

_PLACE = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]@]+?)(?::\d{1,5})?", re.ASCII)
"""A host and perhaps a port: what `urlsplit` takes for a host may be followed by another."""

_KEYS = ("jwt_secret", "jwks_url", "jwks_file", "public_key_file")


class AuthSettings(Group):
    """How tokens (JWT) are checked. One of the four keys decides the algorithm, so that a token can never
    choose it: jwt_secret takes HS256, the others RS256."""

    jwt_secret: SecretStr | None = Field(
        None, description="HS256: the secret that tokens are signed with, of 32 bytes or more."
    )
    jwks_url: str | None = Field(
        None, description="RS256: address of the issuer's key set; https, or http on this machine."
    )
    jwks_file: Path | None = Field(None, description="RS256: a file with the issuer's key set.")
    public_key_file: Path | None = Field(
        None, description="RS256: a file with the issuer's one public key (PEM)."
    )
    audience: str | None = Field(
        None, min_length=1, description="What aud must name; needed for RS256, where a key signs for many."
    )
    issuer: str | None = Field(None, min_length=1, description="What iss must be; empty: anything.")
    leeway_seconds: float = Field(30, ge=0, le=300, description="Clocks may differ by so much.")
    organization_claim: str = Field("org_id", min_length=1, description="The claim with the organization.")
    role_claim: str = Field("role", min_length=1, description="The claim with reader, member or admin.")
    requests_per_minute: int = Field(
        600, ge=1, le=1_000_000, description="An API key, or the user of a token, may send so many."
    )

    @property
    def algorithm(self) -> Literal["HS256", "RS256"] | None:
        """The only algorithm that tokens may have; None: no token is accepted."""
        if self.jwt_secret is not None:
            return "HS256"
        return "RS256" if any(getattr(self, name) for name in _KEYS) else None

    @field_validator("jwt_secret")
    @classmethod
    def _a_secret(cls, value: SecretStr | None) -> SecretStr | None:
        secret = value.get_secret_value() if value else None
        if secret is not None and len(secret.encode()) < _LEAST_SECRET_BYTES:
            raise PydanticCustomError("secret", "must have at least 32 bytes, such as: openssl rand -hex 32")
        if secret is not None and secret.lstrip().startswith(("-----BEGIN", "ssh-", "{")):
            raise PydanticCustomError("secret", "must be a secret; a public key belongs in public_key_file")
        return value

    @field_validator("jwks_url")
    @classmethod
    def _a_safe_address(cls, value: str | None) -> str | None:
        if value is not None and not _is_safe(value):
            raise PydanticCustomError("address", "must be https://, or http:// on this machine")
        return value

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [name for name in _KEYS if getattr(self, name) is not None]
        if len(given) > 1:
            raise PydanticCustomError("kinds", f"only one of {', '.join(_KEYS)} may be set")
        if not given and (self.audience or self.issuer):
            raise PydanticCustomError("kinds", f"audience and issuer need one of {', '.join(_KEYS)}")
        if self.algorithm == "RS256" and not self.audience:
            raise PydanticCustomError("audience", f"{given[0]} needs audience, else tokens for others pass")
        return self


def _is_safe(address: str) -> bool:
    try:
        parts = urlsplit(address)
        usable = parts.port != 0 and bool(parts.hostname) and address.isprintable()
        usable = usable and _PLACE.fullmatch(parts.netloc) is not None
    except ValueError:
        return False
    if parts.username or parts.password or parts.fragment or not usable:
        return False
    return parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    )
