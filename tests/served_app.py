"""An application behind the server that Bob uses, from a thread of this process."""

import socket
import threading
import time
from contextlib import contextmanager

from bob.http.server import address_of, app_server, listen


@contextmanager
def serving(app):
    """The address of a server of the application."""
    listening = listen("127.0.0.1", 0)
    server = app_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield address_of(listening)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def connected(address, sent=b"", small=False):
    """A connection on which something was sent; `small`: it takes little of an answer before it is read."""
    host, _, port = address.removeprefix("http://").partition("/")[0].rpartition(":")
    made = socket.socket()
    if small:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(60)
    made.connect((host, int(port)))
    made.sendall(sent)
    return made


def rest_of(connection):
    """All that comes until the server ends the connection; to wait longer than its timeout is an error."""
    received = b""
    with connection:
        try:
            while block := connection.recv(65536):
                received += block
        except (ConnectionResetError, BrokenPipeError):
            pass
    return received
