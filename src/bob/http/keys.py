"""API keys over HTTP: made, listed and revoked by the organization's admins (SPEC L2)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.access.api_keys import LONGEST_USER, validity
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes
from bob.http.shapes import Moment, Routes

router = Routes(tags=["keys"])

_SCOPE = "keys"

"""A part of its own: who has it can make a key for any other."""


class NewKeyRequest(Body):
    """A key to make."""

    name: str = Field(min_length=1, max_length=100, description="What the key is for.", examples=["laptop"])
    role: Role = Field(Role.MEMBER, description="Role of the key.")
    scopes: list[str] = Field(
        [], max_length=100, description="Parts of the server that it may use; empty: all.", examples=[["rag"]]
    )
    expires: str | None = Field(
        None, description="Time until it expires: 12h, 90d or 52w.", examples=["90d"], max_length=20
    )
    user: str = Field(
        min_length=1,
        max_length=LONGEST_USER,
        description="User of the key. All keys of a user share chats and memories.",
        examples=["ana"],
    )


KeyId = Annotated[str, Path(description="The key's id.", examples=["3f0c9a5d1b7e2468"], max_length=100)]


class ApiKey(TypedDict):
    """A key without its secret."""

    key_id: str
    name: str
    user: str
    role: Role
    scopes: list[str]
    created_at: Moment
    expires_at: Moment | None
    last_used_at: Moment | None
    revoked_at: Moment | None


class CreatedApiKey(ApiKey):
    """A key with its secret, which is shown this once."""

    key: str


class ApiKeysList(TypedDict):
    """The keys, the first one first."""

    keys: list[ApiKey]


Admin = Annotated[Caller, needs(Role.ADMIN, _SCOPE)]
KeyMaker = Annotated[Caller, needs(Role.ADMIN, _SCOPE, not_kept="secret")]


@router.get("/keys", summary="List API keys", response_model=ApiKeysList)
def list_keys(caller: Admin) -> Response:
    """All that were made, the first one first; of none the secret."""
    return JsonBytes({"keys": [key.to_json() for key in caller.engine.team.api_keys.every()]})


@router.post("/keys", summary="Create an API key", response_model=CreatedApiKey, status_code=201)
def create_key(caller: KeyMaker, request: NewKeyRequest) -> Response:
    """`key` is shown this once: only its hash is kept. From the first key on, every request to the server
    needs a key, a token, or a session of a browser."""
    valid_for = None if request.expires is None else validity(request.expires)
    if request.expires is not None and valid_for is None:
        raise RequestError("expires", "expires is not a duration; use for example 12h, 90d or 52w")
    made = caller.engine.team.api_keys.create(
        request.name, request.user, request.role, request.scopes, valid_for
    )
    return JsonBytes(made.to_json(), 201)


@router.delete("/keys/{key_id}", summary="Revoke an API key", response_model=ApiKey)
def revoke_key(caller: Admin, key_id: KeyId) -> Response:
    """At once and for good; its sessions end, too."""
    return JsonBytes(caller.engine.team.api_keys.revoke(key_id).to_json())
