"""What a tool is: its name and schemas for a client, and what it does with an engine.

Descriptions and schemas stand in the prompt of every conversation of a client, so they are kept short: all
together have at most 2,000 tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from bob.app.settings_groups import McpScope
from bob.mcp.permissions import Permissions

if TYPE_CHECKING:
    from bob.app import Engine

MOST_QUERY_CHARACTERS = 2_000
MOST_NOTE_CHARACTERS = 200_000
MOST_PATH_CHARACTERS = 1_000
_LINE_CHARACTERS = 200


def _plain(text: str) -> str:
    if "\0" in text:
        raise ValueError("a null character is no text")
    return text


Query = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_QUERY_CHARACTERS),
    AfterValidator(_plain),
]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), AfterValidator(_plain)]
PathText = Annotated[
    str, StringConstraints(min_length=1, max_length=MOST_PATH_CHARACTERS), AfterValidator(_plain)
]
Text = Annotated[str, StringConstraints(max_length=MOST_NOTE_CHARACTERS), AfterValidator(_plain)]
Project = Annotated[Name, Field(description="only this project")]


class Arguments(BaseModel):
    """The arguments of a tool; others are an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What every call works with: one engine, what may be done, and the clock."""

    engine: Engine
    permissions: Permissions
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Link:
    """A document that a result speaks of."""

    document_id: int
    title: str
    place: str
    source_type: str

    @property
    def uri(self) -> str:
        """Its address as a resource."""
        return document_uri(self.document_id)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers: values by the output schema, the documents they speak of, and how many results
    they are, for the log."""

    content: Mapping[str, Any]
    links: tuple[Link, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `reads` says that it changes nothing, `destroys` that it can change or remove what was there,
    `repeats` that calling it again with the same arguments changes nothing more."""

    name: str
    description: str
    scope: McpScope
    arguments: type[Arguments]
    output: Mapping[str, Any]
    call: Callable[[ToolContext, Any], Reply]
    reads: bool = True
    destroys: bool = False
    repeats: bool = True


def document_uri(document_id: int) -> str:
    """The address of a document as a resource."""
    return f"bob://document/{document_id}"


def one_line(text: str) -> str:
    """A text of others as one line that is not too long, without what could act on a terminal."""
    shown = "".join(character if character.isprintable() else " " for character in text[:_LINE_CHARACTERS])
    return " ".join(shown.split()) + ("…" if len(text) > _LINE_CHARACTERS else "")


def record(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON schema of an object; a type's name stands for a property of that type."""
    properties = {**required, **(optional or {})}
    return {
        "type": "object",
        "properties": {
            name: {"type": schema} if isinstance(schema, str) else schema
            for name, schema in properties.items()
        },
        "required": list(required),
    }


def array(items: Mapping[str, Any] | str) -> dict[str, Any]:
    """The JSON schema of a list."""
    return {"type": "array", "items": {"type": items} if isinstance(items, str) else items}


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of arguments, without what says nothing."""
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    schema.setdefault("properties", {})
    for property_schema in schema["properties"].values():
        property_schema.pop("title", None)
        # That a text is not endless need not be read before each conversation: the error tells.
        property_schema.pop("maxLength", None)
        property_schema.pop("minLength", None)
        if property_schema.get("default") in ("", None):
            property_schema.pop("default", None)
        if "anyOf" in property_schema:
            (kind,) = (option for option in property_schema.pop("anyOf") if option != {"type": "null"})
            kind.pop("maxLength", None)
            property_schema.update(kind)
    return schema
