"""A team's server on loopback with a worker beside it, and people of any organization who ask it."""

import itertools
import json
import time
from contextlib import contextmanager

import httpx
from served_memory import served
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import engine_over

from bob.models.networks import OnnxEmbedder

_NUMBERS = itertools.count(1)


@contextmanager
def serving_a_team(address, folder, **groups):
    """A server over a database with the model that comes with Bob, and its worker."""
    auth = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER, "requests_per_minute": 100_000}
    engine = engine_over(
        address, embedder=OnnxEmbedder(threads=1), cache=str(folder / "cache"), auth=auth, **groups
    )
    with (
        served(engine) as server,
        engine.worker.beside(),
        httpx.Client(base_url=server.address, timeout=60) as server.http,
    ):
        yield server
    engine.close()


class Person:
    """Somebody of an organization, with a token."""

    def __init__(self, server, org_id=None, user="ana", role="admin"):
        self.server = server
        self.org_id = org_id or f"acme{next(_NUMBERS)}"
        token = by_secret(claims(sub=user, org_id=self.org_id, role=role))
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def colleague(self, user, role="admin"):
        return Person(self.server, self.org_id, user, role)

    def ask(self, method, path, body=None, **query):
        content = None if body is None else json.dumps(body)
        return self.server.http.request(
            method, path, content=content, params=query or None, headers=self.headers
        )

    def done(self, method, path, body=None, **query):
        """What is answered when all goes well."""
        answer = self.ask(method, path, body, **query)
        assert answer.status_code in (200, 201), (method, path, body, answer.text)
        return answer.json()

    def add(self, title, **given):
        return self.done("POST", "/work/items", {"title": title, **given})["id"]

    def change(self, number, **given):
        return self.done("PATCH", f"/work/items/{number}", given)

    def search(self, query, limit=5):
        return self.done("POST", "/ai/rag-search", {"query": query, "limit": limit})["work_item_ids"]

    def sql(self, text):
        return self.done("POST", "/ai/execute-sql", {"sql": text})["rows"]

    def assist(self, message, **more):
        return self.done("POST", "/ai/assist", {"message": message, **more})

    def memory_of(self, number):
        """What the memory has of an item; None when it has nothing."""
        answer = self.ask("GET", f"/hippocampus/resource/workItem:{number}")
        return answer.json() if answer.status_code == 200 else None

    def indexed(self, number, text=""):
        """Wait until the memory has an item, with this text in it."""
        until(lambda: (kept := self.memory_of(number)) and text in kept["content"])


def until(true, seconds=30):
    """Wait until something is so; a worker looks for work twice a second."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)
