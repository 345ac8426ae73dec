"""The disks of this machine, as the settings name them or as a file remembers."""

from __future__ import annotations

import platform
import re
import uuid
from pathlib import Path

from bob.services.local_disks import LocalDisks, kept_name
from bob.settings import Settings

_KEPT = Path("~/.local/share/bob/disk")
_LONGEST = 40


def local_disks(settings: Settings) -> LocalDisks:
    """Those of this machine; one without a name where the database is a file. Raises UsageError: a name
    cannot be kept."""
    if not settings.on_server:
        return LocalDisks()
    machine = settings.disk or kept_name(_KEPT.expanduser(), _new_name)
    uploads = settings.server.uploads.expanduser().absolute()
    return LocalDisks(machine, uploads, lambda: _new_name("uploads-"))


def _new_name(kind: str = "") -> str:
    """One that a person knows the machine by, and that no other has."""
    host = re.sub(r"[^\w.-]", "-", platform.node())[:_LONGEST] or "machine"
    return f"{host}-{kind}{uuid.uuid4().hex[:8]}"
