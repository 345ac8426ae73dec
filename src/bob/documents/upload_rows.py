"""The folders in which the servers of one database keep uploads; all organizations share them."""

from __future__ import annotations

from datetime import date

from bob.storage.database import Transaction

_KIND = "uploads on "
_REGISTER = """
INSERT INTO server_facts (name, value) VALUES (:name, :day)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
_OTHERS = "SELECT name, value FROM server_facts WHERE name LIKE :kind AND name <> :name ORDER BY name"


def register(transaction: Transaction, disk_id: str, today: date) -> list[tuple[str, str]]:
    """Note that a server begins to keep uploads on this disk; the other disks, with the day on which a server
    last began there."""
    name = _KIND + disk_id
    transaction.execute(_REGISTER, {"name": name, "day": today.isoformat()})
    rows = transaction.execute(_OTHERS, {"kind": _KIND + "%", "name": name}).fetchall()
    return [(row[0].removeprefix(_KIND), row[1]) for row in rows]
