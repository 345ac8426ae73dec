"""Against a real HTTP server on loopback, which records what it is sent."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from bob.core.errors import MissingExtraError, ModelError, SettingsError
from bob.models.openai_embedder import OpenAICompatibleEmbedder

KEY = "sk-very-secret-key"


class Server:
    """Answers with what `script` holds, then with embeddings that tell which text they are of."""

    def __init__(self):
        self.requests = []
        self.script = []
        self.dimension = 4
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.requests.append((self.path, dict(self.headers), body))
                status, headers, answer = server.script.pop(0) if server.script else server.embeddings(body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def embeddings(self, body):
        texts = json.loads(body)["input"]
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": [float(len(text)), 2.0, *[0.0] * (self.dimension - 2)],
            }
            for index, text in enumerate(texts)
        ]
        # A server may answer in any order: the index counts.
        return 200, {"Content-Type": "application/json"}, json.dumps({"data": data[::-1]}).encode()

    def close(self):
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@pytest.fixture
def server():
    pytest.importorskip("httpx")
    made = Server()
    yield made
    made.close()


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def embedder(server, pauses):
    return OpenAICompatibleEmbedder(server.url + "/", "small", api_key=KEY, sleep=pauses.append)


def test_request_and_rows(server, embedder):
    rows = embedder.embed(["four", "naïve €"])
    ((path, headers, body),) = server.requests
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == {"model": "small", "input": ["four", "naïve €"], "encoding_format": "float"}
    expected = np.array([[4, 2, 0, 0], [7, 2, 0, 0]], np.float32)
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert rows.dtype == np.float32


def test_batches_keep_the_order(server, embedder):
    rows = embedder.embed(["x" * length for length in range(1, 151)])
    assert [len(json.loads(body)["input"]) for _, _, body in server.requests] == [64, 64, 22]
    assert np.allclose(rows[:, 0] / rows[:, 1] * 2, range(1, 151))


def test_dimension_is_asked_once(server, embedder):
    assert embedder.dimension == embedder.dimension == 4
    assert len(server.requests) == 1
    assert embedder.model_id == "openai:small"


def test_without_a_key_there_is_no_header(server):
    OpenAICompatibleEmbedder(server.url, "small").embed(["a"])
    assert "Authorization" not in server.requests[0][1]


def test_another_dimension_is_an_error(server, embedder):
    embedder.embed(["a"])
    server.dimension = 5
    with pytest.raises(ModelError, match="gave 5 dimensions, expected 4"):
        embedder.embed(["a"])


def test_an_empty_or_broken_text_has_a_row(server, embedder):
    assert embedder.embed(["", "b\ud800"]).shape == (2, 4)
    assert json.loads(server.requests[0][2])["input"] == [" ", "b?"]


def test_it_tries_again_twice(server, embedder, pauses):
    server.script = [(503, {}, b"busy"), (429, {"Retry-After": "3"}, b"slow down")]
    assert embedder.embed(["a"]).shape == (1, 4)
    assert pauses == [0.5, 3.0]


def test_it_gives_up_after_three_tries(server, embedder, pauses):
    server.script = [(500, {}, b"broken"), (429, {"Retry-After": "9999"}, b""), (502, {}, b"bad gateway")]
    with pytest.raises(ModelError, match="HTTP 502: bad gateway"):
        embedder.embed(["a"])
    assert len(server.requests) == 3
    assert pauses == [0.5, 20.0]


def test_a_refusal_is_final_and_never_shows_the_key(server, embedder, pauses):
    server.script = [(401, {}, f"Incorrect API key provided: {KEY}".encode())]
    with pytest.raises(ModelError, match="HTTP 401") as caught:
        embedder.embed(["a"])
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(server.requests) == 1
    assert pauses == []


def test_a_key_that_is_cut_by_the_limit_of_a_quotation_is_hidden_first(server, embedder):
    for start in range(180, 200):
        server.script = [(401, {}, f"{'x' * start}{KEY}".encode())]
        with pytest.raises(ModelError) as caught:
            embedder.embed(["a"])
        assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-secret\nX: y", "sk-secret\N{EN DASH}"])
def test_a_key_that_cannot_be_sent_is_not_shown(key):
    with pytest.raises(SettingsError, match="api_key") as caught:
        OpenAICompatibleEmbedder("http://127.0.0.1:1/v1", "small", api_key=key)
    assert "secret" not in str(caught.value)


def test_nobody_there(server, pauses):
    url = server.url.replace("127.0.0.1", "127.0.0.2")
    embedder = OpenAICompatibleEmbedder(url, "small", api_key=KEY, sleep=pauses.append)
    with pytest.raises(ModelError, match="ConnectError") as caught:
        embedder.embed(["a"])
    assert KEY not in str(caught.value)
    assert len(pauses) == 2


@pytest.mark.parametrize("url", ["not a url", "ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1"])
def test_a_bad_address_is_a_model_error(server, url):
    with pytest.raises(ModelError):
        OpenAICompatibleEmbedder(url, "small", sleep=lambda _: None).embed(["a"])


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 1, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [null]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
    ],
)
def test_an_answer_without_embeddings_is_a_model_error(server, embedder, answer):
    server.script = [(200, {"Content-Type": "application/json"}, answer)]
    with pytest.raises(ModelError, match="/v1/embeddings"):
        embedder.embed(["a"])


def test_without_httpx_the_message_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"boring-organizer-bot\[openai\]"):
        OpenAICompatibleEmbedder("http://127.0.0.1:1/v1", "small").embed(["a"])
