"""A server on loopback that speaks the wire protocols of the model providers, and records what it is sent."""

import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic import SecretStr

from bob.llm.anthropic import AnthropicModel
from bob.llm.endpoint import Endpoint
from bob.llm.gemini import GeminiModel
from bob.llm.openai import OpenAIModel
from bob.llm.providers import PROVIDERS, Provider

MODELS = {"openai": OpenAIModel, "anthropic": AnthropicModel, "gemini": GeminiModel}
PATHS = {
    "openai": "/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/small:streamGenerateContent?alt=sse",
}
KEY_HEADERS = {"openai": "Authorization", "anthropic": "Authorization", "gemini": "x-goog-api-key"}
EVENTS = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


@dataclass
class Reply:
    """An answer. `end`: "whole", "cut" (the connection breaks) or "silent" (nothing follows)."""

    status: int = 200
    headers: dict = field(default_factory=lambda: EVENTS)
    parts: list = field(default_factory=list)
    end: str = "whole"


@dataclass
class Request:
    path: str
    headers: dict
    body: dict
    sent: bytes
    method: str = "POST"


class ModelServer:
    def __init__(self):
        self.requests = []
        self.script = []
        self._over = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self):
                with suppress(ConnectionError):  # Some clients leave before the end.
                    super().handle()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = Request(self.path, dict(self.headers), json.loads(body), body, self.command)
                server.requests.append(request)
                self.answer(server.script.pop(0))

            def do_PATCH(self):
                self.do_POST()

            def answer(self, reply):
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for part in reply.parts:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.flush()
                if reply.end == "whole":
                    self.wfile.write(b"0\r\n\r\n")
                else:
                    self.close_connection = True
                if reply.end == "silent":
                    server._over.wait(10)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def await_request(self):
        """Wait for what a client sent that has given up since, on a machine that is busy elsewhere."""
        end = time.monotonic() + 60
        while not self.requests and time.monotonic() < end:
            time.sleep(0.01)

    def close(self):
        self._over.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def endpoint(provider, base_url, key=None, timeout_seconds=5.0):
    return Endpoint(PROVIDERS[provider], "small", base_url, key, timeout_seconds)


class AtHome(Provider):
    """A provider to whom every server counts as its own."""

    def owns(self, base_url):
        return True


def own_endpoint(provider, base_url, model, timeout_seconds=5.0):
    """As `endpoint`, but the server has what only the provider's own servers have."""
    at_home = AtHome(provider, base_url, ())
    return Endpoint(at_home, model, base_url, SecretStr("sk-very-secret-key"), timeout_seconds)


def answer(provider, texts, end="whole"):
    """A stream of texts as the provider sends it; one that is cut or silent lacks what comes after them."""
    return Reply(parts=[*WIRE[provider](texts), *([] if end != "whole" else LAST[provider])], end=end)


def refusal(provider, status, message, **headers):
    """An error as the provider sends it."""
    body = {
        "openai": {"error": {"message": message, "type": "invalid_request_error", "code": None}},
        "anthropic": {"type": "error", "error": {"type": "some_error", "message": message}},
        "gemini": {"error": {"code": status, "message": message, "status": "SOME_STATUS"}},
    }[provider]
    headers = JSON | {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, headers, [json.dumps(body).encode()])


def event(data, name=None):
    start = f"event: {name}\n" if name else ""
    return f"{start}data: {json.dumps(data)}\n\n".encode()


def openai_chunk(choices, **more):
    return event(
        {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "small"}
        | more
        | {"choices": choices}
    )


def openai_texts(texts):
    yield openai_chunk([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}])
    for text in texts:
        yield openai_chunk([{"index": 0, "delta": {"content": text}, "finish_reason": None}])


def openai_last(reason="stop"):
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "total_tokens": 107,
        "prompt_tokens_details": {"cached_tokens": 60},
    }
    yield openai_chunk([{"index": 0, "delta": {}, "finish_reason": reason}])
    yield openai_chunk([], usage=usage)
    yield b"data: [DONE]\n\n"


def anthropic_texts(texts):
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 60,
        "output_tokens": 1,
    }
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "small", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    yield event({"type": "message_start", "message": message}, "message_start")
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield event(block, "content_block_start")
    yield event({"type": "ping"}, "ping")
    for text in texts:
        delta = {"type": "text_delta", "text": text}
        yield event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")


def anthropic_last(reason="end_turn"):
    yield event({"type": "content_block_stop", "index": 0}, "content_block_stop")
    delta = {"stop_reason": reason, "stop_sequence": None}
    yield event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def gemini_texts(texts):
    for text in texts:
        yield event({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]})


def gemini_last(reason="STOP"):
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "candidatesTokenCount": 4,
        "thoughtsTokenCount": 3,
        "totalTokenCount": 107,
    }
    candidate = {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason, "index": 0}
    yield event({"candidates": [candidate], "usageMetadata": usage})


WIRE = {"openai": openai_texts, "anthropic": anthropic_texts, "gemini": gemini_texts}
ENDS = {"openai": openai_last, "anthropic": anthropic_last, "gemini": gemini_last}
LAST = {name: list(last()) for name, last in ENDS.items()}
