"""The keys that tokens are checked with: one secret, one public key, or an issuer's set that changes.

A key set is read when it is needed, again when a token names a key that it lacks (at most once a minute), and
again when it is ten minutes old."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from bob.core.errors import RefusedError, SettingsError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 60.0
_STALE_SECONDS = 600.0
_LEAST_BITS = 2048
"""RFC 7518, 3.3."""

_MOST_BYTES = 1_000_000
_TIMEOUT_SECONDS = 5.0
"""For all of an answer: an issuer that sends a byte now and then would keep those who wait for ever."""

_MOST_WAITING = 16
"""Threads that wait for a key set at once: a server has forty for all that it is asked."""


class SecretKey:
    """`SigningKeys` of one shared secret."""

    algorithm: Literal["HS256", "RS256"] = "HS256"

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def find(self, kid: str | None) -> Any:
        """The secret, whatever the token calls it."""
        return self._secret


class PublicKey:
    """`SigningKeys` of the one public key in a file."""

    algorithm: Literal["HS256", "RS256"] = "RS256"

    def __init__(self, path: Path) -> None:
        """Raises SettingsError: the file holds no RSA public key of 2,048 bits or more."""
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        try:
            key = load_pem_public_key(path.read_bytes())
        except OSError as error:
            raise SettingsError(f"auth.public_key_file: {path}: {error.strerror}") from error
        except ValueError as error:
            raise SettingsError(f"auth.public_key_file: {path} has no public key in PEM") from error
        if not isinstance(key, RSAPublicKey) or key.key_size < _LEAST_BITS:
            raise SettingsError(
                f"auth.public_key_file: {path} is not an RSA key of {_LEAST_BITS} bits or more"
            )
        self._key = key

    def find(self, kid: str | None) -> Any:
        """The key, whatever the token calls it."""
        return self._key


class KeySet:
    """`SigningKeys` of a set (RFC 7517) that `read` gives anew each time; `seconds` never goes back."""

    algorithm: Literal["HS256", "RS256"] = "RS256"

    def __init__(self, read: Callable[[], bytes], seconds: Callable[[], float]) -> None:
        self._read = read
        self._seconds = seconds
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_MOST_WAITING)
        self._keys: dict[str | None, RSAPublicKey] = {}
        self._read_at: float | None = None

    def find(self, kid: str | None) -> Any:
        """The key of that name; without a name the only one. None: there is none.

        Raises:
            RefusedError: 429, too many wait for the set already.
        """
        known = self._known(kid)
        read_at = self._read_at
        age = _STALE_SECONDS if read_at is None else self._seconds() - read_at
        if age >= (_PAUSE_SECONDS if known is None else _STALE_SECONDS):
            self._refresh(read_at, wait=known is None)
        return self._known(kid)

    def _known(self, kid: str | None) -> RSAPublicKey | None:
        keys = self._keys
        if kid is None:
            return next(iter(keys.values())) if len(keys) == 1 else None
        return keys.get(kid)

    def _refresh(self, read_at: float | None, *, wait: bool) -> None:
        if not self._begin_to_read(wait=wait):
            return
        try:
            if self._read_at != read_at:
                return  # another thread has just done it
            self._keys = _usable(self._read())
        except (OSError, ValueError, RecursionError) as error:
            log.warning("cannot read the issuer's key set: %s", type(error).__name__)
        finally:
            if self._read_at == read_at:
                self._read_at = self._seconds()
            self._lock.release()

    def _begin_to_read(self, *, wait: bool) -> bool:
        if self._lock.acquire(blocking=False):
            return True
        if not wait:
            return False
        if not self._places.acquire(blocking=False):
            raise RefusedError(429, "the issuer's keys are being read; try again", wait=_TIMEOUT_SECONDS)
        try:
            return self._lock.acquire()
        finally:
            self._places.release()


def read_file(path: Path) -> Callable[[], bytes]:
    """Reads a key set from a file. Raises SettingsError: no such file."""
    if not path.is_file():
        raise SettingsError(f"auth.jwks_file: {path}: no such file")
    return path.read_bytes


def read_address(address: str) -> Callable[[], bytes]:
    """Reads a key set from an address. It follows no redirects: the settings say whom to trust."""
    import httpx

    on_this_machine = urlsplit(address).scheme == "http"
    # What is packed could be a thousand times as long as what comes.
    headers = {"Accept-Encoding": "identity"}

    async def fetch() -> bytes:
        content = b""
        async with (
            asyncio.timeout(_TIMEOUT_SECONDS),
            httpx.AsyncClient(timeout=_TIMEOUT_SECONDS, trust_env=not on_this_machine) as client,
            client.stream("GET", address, headers=headers) as response,
        ):
            if response.status_code != 200:
                raise OSError(f"status {response.status_code}")
            async for part in response.aiter_raw():
                content += part
                if len(content) > _MOST_BYTES:
                    raise OSError("the answer is too long")
        return content

    def read() -> bytes:
        try:
            return asyncio.run(fetch())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OSError(type(error).__name__) from error

    return read


def _usable(content: bytes) -> dict[str | None, RSAPublicKey]:
    """The keys of a set that check RS256, by their names. Others are passed over, as RFC 7517 says."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from jwt import PyJWK, PyJWTError

    described = json.loads(content)
    listed = described.get("keys") if isinstance(described, dict) else None
    if not isinstance(listed, list):
        raise ValueError("no key set")
    found: dict[str | None, RSAPublicKey] = {}
    for each in listed:
        if not isinstance(each, dict):
            continue
        if (each.get("use", "sig"), each.get("alg", "RS256")) != ("sig", "RS256"):
            continue
        try:
            key, kid = PyJWK(each, "RS256").key, each.get("kid")
        except PyJWTError:
            continue
        if isinstance(key, RSAPublicKey) and isinstance(kid, str | None):
            found[kid] = key
    return found
