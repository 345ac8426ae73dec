"""The state of the memory, and whether all of it works."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import CHECKS, STATUS, answered
from bob.http.failures import JsonBytes
from bob.http.library import SCOPE


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    admin = auth.needs(Role.ADMIN, SCOPE, at_home=True)

    @app.get("/status", summary="Read what is indexed", tags=["status"], responses=answered(STATUS))
    def status(caller: Caller = reader) -> Response:
        """Counts, failures, jobs and projects, as `bob status --json` prints them."""
        report = caller.engine.status.report()
        if not caller.at_home:
            # Where a team's database is concerns who runs the server.
            del report["database"]["path"]
        return JsonBytes(report)

    @app.get("/doctor", summary="Test all parts", tags=["status"], responses=answered(CHECKS))
    def doctor(caller: Caller = admin) -> Response:
        """Tries the model, full text, the database and the parsers, as `bob doctor --json` does. `ready` is
        false when one of them fails."""
        checks = list(caller.engine.status.checks())
        listed = [{"name": check.name, "passed": check.passed, "detail": check.detail} for check in checks]
        return JsonBytes({"ready": all(check.passed for check in checks), "checks": listed})
