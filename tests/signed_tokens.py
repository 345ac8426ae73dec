"""An issuer of tokens for tests: keys of its own, tokens right and wrong, and a key set on loopback."""

import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

SECRET = "a secret of a test that has more than thirty-two bytes"
AUDIENCE, ISSUER = "bob", "https://issuer.example"


def new_key(bits=2048):
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def public_pem(key):
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form)


def claims(now=None, **changed):
    """What a token says; a claim that is changed to None is left out."""
    now = time.time() if now is None else now
    usual = {
        "sub": "ana",
        "org_id": "local",
        "role": "member",
        "aud": AUDIENCE,
        "iss": ISSUER,
        "iat": int(now),
        "exp": int(now) + 300,
    }
    return {name: value for name, value in (usual | changed).items() if value is not None}


def by_secret(content=None, secret=SECRET, **headers):
    return jwt.encode(claims() if content is None else content, secret, "HS256", headers or None)


def by_key(key, content=None, **headers):
    return jwt.encode(claims() if content is None else content, key, "RS256", headers or None)


def by_hand(header, content, secret):
    """A token that a careful library would not write."""
    start = f"{packed(json.dumps(header).encode())}.{packed(json.dumps(content).encode())}"
    mac = hmac.new(secret, start.encode(), hashlib.sha256).digest() if secret else b""
    return f"{start}.{packed(mac)}"


def packed(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class KeySetServer:
    """Serves a key set; `keys` by name may change, `answer` takes the place of the set."""

    def __init__(self, **keys):
        self.keys = keys
        self.answer = None
        self.asked = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked += 1
                status, headers, content = server.answer or (200, {}, server.content())
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/keys"

    def content(self):
        described = [
            json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) | {"kid": name, "use": "sig"}
            for name, key in self.keys.items()
        ]
        others = [{"kty": "EC"}, {"kty": "RSA", "kid": "broken"}, {"kty": "oct", "k": "c2VjcmV0", "kid": "o"}]
        return json.dumps({"keys": [*others, *described]}).encode()

    def close(self):
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
