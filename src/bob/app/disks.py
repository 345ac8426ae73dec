"""The disks of this machine, as the settings name them or as a file remembers."""

from __future__ import annotations

import logging
import platform
import re
import uuid
from datetime import UTC, datetime
from pathlib import Path

from bob.app.settings import Settings
from bob.core.errors import StoreError, UsageError
from bob.documents.disks import LocalDisks, kept_name
from bob.storage.database import EVERY_ORGANIZATION, Database

log = logging.getLogger(__name__)

_KEPT = Path("~/.local/share/bob/disk")
_LONGEST = 40
_REGISTER_SECONDS = 10


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


def tell_of_other_servers(database: Database, disks: LocalDisks) -> None:
    """Register this server's folder for uploads with the database, and log what it cannot see of others'."""
    if not disks.shared:
        return
    from bob.documents import upload_rows

    try:
        own = disks.name_uploads()
        with database.for_organization(EVERY_ORGANIZATION).write(_REGISTER_SECONDS) as transaction:
            others = upload_rows.register(transaction, own, datetime.now(UTC).date())
    except (StoreError, UsageError) as error:
        log.warning("the folder for uploads is not registered with the database: %s", error)
        return
    if others:
        log.warning(
            "this server keeps uploads on a disk of its own (%s), and other servers of this database keep "
            "theirs elsewhere (%s): what was uploaded there is found here, but cannot be opened or indexed "
            "again here. To change that, let server.uploads be one folder that all servers share",
            own,
            ", ".join(f"{name}, started {day}" for name, day in others),
        )
