"""A Bob that serves `/hippocampus` on loopback, and keys for two organizations."""

import threading
import time
from contextlib import contextmanager

import uvicorn

from bob.api import hippocampus
from bob.api.app import create_app
from bob.api.server import address_of, listen
from bob.domain.principal import Principal, Role
from bob.errors import RefusedError

KEYS = {
    "key-of-local": Principal("local", "mia", Role.MEMBER),
    "key-of-other": Principal("other", "ole", Role.MEMBER),
    "key-of-a-reader": Principal("local", "rea", Role.READER),
}


def authenticate(request, role, scope):
    principal = KEYS.get(request.headers.get("x-api-key", ""))
    if principal is None:
        raise RefusedError(401, "who asks is not known")
    if not principal.role.covers(role):
        raise RefusedError(403, f"this needs the role {role}")
    return principal


@contextmanager
def serving(engine):
    """The address under which the engine's memory is a service."""
    app = create_app(engine)

    @app.exception_handler(RefusedError)
    def refused(_, error):
        from bob.api.failures import error_response

        return error_response(error.status, str(error))

    hippocampus.register(app, engine, authenticate)
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield f"{address_of(listening)}/hippocampus"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
