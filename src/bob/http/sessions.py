"""Sessions of browsers: a link that works once, or a key, becomes a cookie (ADR 22).

They live in memory and end with the server. A session that began with a key is worth what the key is worth:
each request has it looked at anew."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from dataclasses import dataclass

_IDLE_SECONDS = 12 * 3600.0
_MOST = 1_000


@dataclass(slots=True)
class Session:
    """Who a browser speaks for: the sender of `credential`; None: the user of this machine."""

    credential: str | None
    used_at: float


class Sessions:
    """All sessions of one server, by the hash of what the cookie holds."""

    def __init__(self) -> None:
        self._links: set[bytes] = set()
        self._sessions: dict[bytes, Session] = {}
        self._lock = threading.Lock()

    def new_link(self) -> str:
        """A word that begins one session of the user of this machine."""
        word = secrets.token_urlsafe(32)
        with self._lock:
            self._links.add(_hashed(word))
        return word

    def redeem(self, word: str) -> str | None:
        """What the cookie has to hold; None when the word was used already, or never given."""
        with self._lock:
            if _hashed(word) not in self._links:
                return None
            self._links.discard(_hashed(word))
        return self.begin(None)

    def begin(self, credential: str | None) -> str:
        """What the cookie of a new session has to hold."""
        word = secrets.token_urlsafe(32)
        now = time.monotonic()
        with self._lock:
            self._sessions = {
                key: each for key, each in self._sessions.items() if now - each.used_at < _IDLE_SECONDS
            }
            while len(self._sessions) >= _MOST:
                del self._sessions[min(self._sessions, key=lambda key: self._sessions[key].used_at)]
            self._sessions[_hashed(word)] = Session(credential, now)
        return word

    def at(self, word: str | None) -> Session | None:
        """The session of a cookie, if there is one."""
        if word is None:
            return None
        found = self._sessions.get(_hashed(word))
        now = time.monotonic()
        if found is None or now - found.used_at > _IDLE_SECONDS:
            return None
        found.used_at = now
        return found

    def end(self, word: str | None) -> None:
        """End the session of a cookie."""
        if word is not None:
            with self._lock:
                self._sessions.pop(_hashed(word), None)


def _hashed(word: str) -> bytes:
    # Looked up by a hash, what is compared byte by byte tells nothing of the word.
    return hashlib.sha256(word.encode("utf-8", "replace")).digest()
