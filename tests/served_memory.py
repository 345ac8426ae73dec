"""A memory behind its HTTP server on loopback, spoken to by the official client with another address."""

import json
import threading
import time
from contextlib import contextmanager

from openai import OpenAI
from small_memory import write_files

from bob.conversations import receipt_rows
from bob.http.server import address_of, build_parts, listen, server_of

GARDEN = {
    "hedge.md": "# Hedge\n\nThe hedge is cut in the last week of August, by Ines and two neighbours.\n",
    "shed.md": "# Shed\n\nThe key to the tool shed hangs behind the blue door.\n",
}
KITCHEN = {"soup.md": "# Soup\n\nThe pumpkin soup takes nutmeg and forty minutes on a small flame.\n"}


class Served:
    """The server's address, and what its engine keeps."""

    def __init__(self, engine, address):
        self.engine = engine
        self.address = address

    @contextmanager
    def client(self, **headers):
        """OpenAI's own client, with nothing but the address and some headers changed."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with OpenAI(
            base_url=f"{self.address}/v1", api_key="none", default_headers=named, max_retries=0
        ) as made:
            yield made

    def chats(self, user="me"):
        return self.engine.conversations.chats.recent(user, 100)

    def kept(self, chat):
        """Role and text of all messages of a chat."""
        return [(each.role, each.text) for each in self.engine.conversations.chats.messages(chat)]

    def kept_alone(self):
        """Those of the only chat."""
        (chat,) = self.chats()
        return self.kept(chat)

    def receipt(self, chat):
        with self.engine.database.read() as connection:
            return receipt_rows.last(connection, chat.chat_id)


def index(engine, folder, **projects):
    for project, files in projects.items():
        engine.index_files.index_folder(write_files(folder / project, files), project)


def events_of(text):
    """Number, name and data of each event."""
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and line[0] != ":")
        if "data" in lines:
            yield int(lines["id"]), lines["event"], json.loads(lines["data"])


@contextmanager
def served(engine):
    """Serves an engine from a thread of this process."""
    build_parts(engine)
    listening = listen("127.0.0.1", 0)
    server = server_of(engine)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield Served(engine, address_of(listening))
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
