"""The schema's history: ordered, named, transactional steps (Alembic)."""
