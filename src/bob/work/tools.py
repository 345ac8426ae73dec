"""The tools of an assistant, as language models take them: names, descriptions, JSON Schemas (seed 001)."""

from __future__ import annotations

from typing import Any

from bob.core.sql import views_in_words

MOST_IDS = 50
"""So many ids one search gives at the most."""

_RAG_SEARCH = (
    "Finds work items by meaning: similar past work, recurring problems, 'have we seen this before?'."
    " It returns only ids of work items, the most relevant first, and none if nothing fits. Read the items"
    " themselves with execute_sql. Status, owners and numbers are questions for execute_sql alone."
)
_EXECUTE_SQL = (
    "Runs one read-only SELECT over your organization's work items and gives columns and rows. Facts"
    " come from here: status, owners, counts, dates. WITH, joins, UNION, sub-selects, aggregates and window"
    " functions are allowed. Moments are text such as 2025-01-31T09:00:00Z; substr(created_at, 1, 7) is the"
    " month. Views: "
)


def assistant_tools(dialect: str) -> list[dict[str, Any]]:
    """`rag_search` and `execute_sql`, each as {name, description, parameters}.

    `dialect` is what the database speaks, "sqlite" or "postgres".

    >>> [tool["name"] for tool in assistant_tools("sqlite")]
    ['rag_search', 'execute_sql']
    """
    speaks = {"sqlite": "SQLite", "postgres": "PostgreSQL"}[dialect]
    return [
        {
            "name": "rag_search",
            "description": _RAG_SEARCH,
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The search text.",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_IDS,
                        "default": 5,
                        "description": "Maximum number of ids.",
                    },
                },
                "required": ["query"],
                "additionalProperties": False,
            },
        },
        {
            "name": "execute_sql",
            "description": f"{_EXECUTE_SQL}{views_in_words()}.",
            "parameters": {
                "type": "object",
                "properties": {
                    "sql": {
                        "type": "string",
                        "minLength": 1,
                        "description": f"One SELECT in the SQL of {speaks}.",
                    }
                },
                "required": ["sql"],
                "additionalProperties": False,
            },
        },
    ]
