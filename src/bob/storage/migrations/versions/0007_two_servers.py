"""Several machines over one database: the disk of each document, and removals that no machine misses."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_KEYS = {"sources": ["path"], "failures": ["path"], "git_sources": ["repository", "ref"]}
_NAMES = {"uq": "uq_%(table_name)s_%(column_0_name)s", "pk": "pk_%(table_name)s"}


def upgrade() -> None:
    """Add the disk to what is known by its path, numbers to removals, and the register of snapshots."""
    op.add_column("removed_chunks", sa.Column("sequence", sa.BigInteger, nullable=False, server_default="0"))
    op.create_index("removed_chunks_by_sequence", "removed_chunks", ["org_id", "sequence"])
    op.create_table(
        "snapshots",
        sa.Column("org_id", sa.String(64), nullable=False),
        sa.Column("cache_id", sa.String(32), nullable=False),
        sa.Column("last_removal", sa.BigInteger, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "cache_id"),
    )
    if op.get_bind().dialect.name == "postgresql":
        statements = Path(__file__).with_name("0007_postgresql.sql").read_text("utf-8")
        # On the driver itself: the layer above takes a percent sign for a mark.
        op.get_bind().connection.cursor().execute(statements)
        return
    # SQLite changes no key: the tables are made anew.
    with op.batch_alter_table("documents", recreate="always", naming_convention=_NAMES) as table:
        table.add_column(_disk())
        table.drop_constraint("uq_documents_org_id", type_="unique")
        table.create_unique_constraint("uq_documents_org_id", ["org_id", "path", "disk_id"])
    for name, key in _KEYS.items():
        with op.batch_alter_table(name, recreate="always", naming_convention=_NAMES) as table:
            table.add_column(_disk())
            table.drop_constraint(f"pk_{name}", type_="primary")
            table.create_primary_key(f"pk_{name}", ["org_id", *key, "disk_id"])


def _disk() -> sa.Column[str]:
    return sa.Column("disk_id", sa.String(64), nullable=False, server_default="")
