"""What agents asked for over the Model Context Protocol, over HTTP (SPEC L4)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.authenticate import Asked, Authenticator
from bob.http.examples import answered
from bob.http.examples_care import AGENT_CALL
from bob.http.failures import JsonBytes
from bob.storage.agent_log import AgentLog

HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=10_000)]


def register(app: FastAPI, door: Authenticator) -> None:
    """Add the route."""
    at_home = door.needs(Role.READER, None, at_home=True)

    @app.get(
        "/mcp/log",
        summary="What agents did",
        tags=["status"],
        responses=answered({"calls": [AGENT_CALL]}),
    )
    def calls(limit: HowMany = 20, asked: Asked = at_home) -> Response:
        """Those of `bob mcp` on this machine, the newest last; as `bob mcp log --json` prints them."""
        log, org_id = AgentLog(asked.engine.database.path), asked.engine.settings.organization
        return JsonBytes({"calls": log.last(limit, org_id, asked.principal.user_id)})
