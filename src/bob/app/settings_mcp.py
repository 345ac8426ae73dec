"""What coding agents and assistants may do with the memory, over the Model Context Protocol (SPEC L4, P3)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from bob.app.settings_groups import Group

McpScope = Literal["read", "remember", "write", "work"]


class McpSettings(Group):
    """What `bob mcp` lets a client do. A folder's own bob.yaml is not read: its author could open doors."""

    scopes: tuple[McpScope, ...] = Field(
        ("read", "remember"),
        description="read: search, ask and read; remember: keep memories; write: notes, into mcp.write; "
        "work: work items.",
    )
    projects: tuple[str, ...] = Field((), description="Only what belongs to these is seen; empty: all.")
    folders: tuple[Path, ...] = Field((), description="Only documents below these are seen; empty: all.")
    write: tuple[Path, ...] = Field((), description="Folders that notes may be written into, with all below.")
    dry_run: bool = Field(False, description="Writing and remembering only tell what they would do.")
    port: int = Field(8765, ge=0, le=65535, description="Where bob mcp --http listens; 0: a free port.")
    token: SecretStr | None = Field(
        None, min_length=16, description="What clients of bob mcp --http send; empty: a new one each time."
    )

    @field_validator("folders", "write")
    @classmethod
    def _from_the_root(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        # Clients start the server in folders of their own choice.
        if not all(each.is_absolute() or str(each).startswith("~") for each in value):
            raise PydanticCustomError("from_the_root", "must be written from / or ~, as ~/notes")
        return value
