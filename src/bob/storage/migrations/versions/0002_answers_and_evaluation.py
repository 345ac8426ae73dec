"""Kept answers with their feedback, and runs of the evaluation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def org() -> sa.Column[str]:
    """The column that leads every key."""
    return sa.Column("org_id", sa.String(64), nullable=False)


def upgrade() -> None:
    """Add the tables; those that are there stay as they are."""
    op.create_table(
        "answers",
        org(),
        sa.Column("answer_id", sa.BigInteger, nullable=False),
        sa.Column("asked_at", sa.Float, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("filters", sa.JSON, nullable=False),
        sa.Column("found", sa.Boolean, nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "answer_id"),
    )
    op.create_table(
        "feedback",
        org(),
        sa.Column("answer_id", sa.BigInteger, nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("given_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "answer_id", "verdict"),
    )
    op.create_table(
        "eval_runs",
        org(),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("golden", sa.Text, nullable=False),
        sa.Column("golden_hash", sa.String(64), nullable=False),
        sa.Column("k", sa.Integer, nullable=False),
        sa.Column("models", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("metrics", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "run_id"),
    )
    op.create_index("eval_runs_by_golden", "eval_runs", ["org_id", "golden", "run_id"])
    op.create_table(
        "eval_results",
        org(),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("question_id", sa.Text, nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "run_id", "ordinal"),
        sa.UniqueConstraint("org_id", "run_id", "question_id"),
    )
