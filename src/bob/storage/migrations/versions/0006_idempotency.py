"""Requests that were sent with an `Idempotency-Key`: what became of each, for a day."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "idempotency_keys",
        sa.Column("org_id", sa.String(64), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("lease_until", sa.Float, nullable=False),
        sa.Column("changed", sa.Boolean, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("headers", sa.Text),
        sa.Column("body", sa.LargeBinary),
        sa.Column("not_kept", sa.String(16)),
        sa.PrimaryKeyConstraint("org_id", "request"),
    )
    op.create_index("idempotency_keys_by_age", "idempotency_keys", ["org_id", "created_at"])
    if op.get_bind().dialect.name == "postgresql":
        statements = Path(__file__).with_name("0006_postgresql.sql").read_text("utf-8")
        # On the driver itself: the layer above takes a percent sign for a mark.
        op.get_bind().connection.cursor().execute(statements)
