"""All tables of the schema: importing this module declares them."""

from bob.storage import schema, schema_conversations, schema_knowledge, schema_team

metadata = schema.metadata
MODULES = (schema, schema_conversations, schema_knowledge, schema_team)
