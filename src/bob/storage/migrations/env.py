"""Alembic's entry: runs the steps on the connection, and in the transaction, that the runner opened."""

from alembic import context

from bob.storage.metadata import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
