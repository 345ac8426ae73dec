"""What agents asked for over the Model Context Protocol, over HTTP (SPEC L4)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import answered
from bob.http.examples_care import AGENT_CALL
from bob.http.failures import JsonBytes
from bob.storage.agent_log import AgentLog

HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=10_000)]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the route."""
    at_home = auth.needs(Role.READER, None, at_home=True)

    @app.get(
        "/mcp/log",
        summary="What agents did",
        tags=["status"],
        responses=answered({"calls": [AGENT_CALL]}),
    )
    def calls(limit: HowMany = 20, caller: Caller = at_home) -> Response:
        """Those of `bob mcp` on this machine, the newest last; as `bob mcp log --json` prints them."""
        log, org_id = AgentLog(caller.engine.database.path), caller.engine.settings.organization
        return JsonBytes({"calls": log.last(limit, org_id, caller.principal.user_id)})
