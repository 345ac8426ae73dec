"""The settings in force, without secrets."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.responses import Response

from bob.app.settings import LoadedSettings, Settings, known_keys
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import SETTING, answered
from bob.http.failures import JsonBytes
from bob.http.library import SCOPE


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the route."""
    at_home = auth.needs(Role.ADMIN, SCOPE, at_home=True)

    @app.get(
        "/settings", summary="The settings", tags=["status"], responses=answered({"settings": [SETTING]})
    )
    def settings(caller: Caller = at_home) -> Response:
        """Every key with its value, its default and what it means; secrets are hidden. They are changed in
        files and in the environment: `bob config` says where each comes from."""
        return JsonBytes({"settings": _described(caller.engine.settings)})


def _described(settings: Settings) -> list[dict[str, Any]]:
    fields = known_keys()
    usual = {row.key: row.value for row in LoadedSettings(Settings(), {}).rows()}
    return [
        {
            "key": row.key,
            "value": row.value,
            "default": usual.get(row.key),
            "description": fields[row.key].description,
        }
        for row in LoadedSettings(settings, {}).rows()
    ]
