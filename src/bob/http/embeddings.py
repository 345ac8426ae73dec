"""`/v1/embeddings`: the vectors that Bob itself searches by."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from bob.core.errors import NotFoundError, RequestError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.failures import JsonBytes
from bob.http.models import BOB

_MOST_INPUTS = 2048
"""As many as OpenAI takes in one request."""


class EmbeddingRequest(BaseModel):
    """What to embed; fields that are not listed here have no effect."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="`bob`, or the embedding model's name as `/v1/models` lists it.")
    input: str | list[Any] = Field(description="A text, or a list of up to 2,048 texts.")
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int | None, Field(description="Must be the model's own dimension.")] = None


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the route."""
    reader = auth.needs(Role.READER, "v1")

    @app.post("/v1/embeddings", summary="Make embeddings of texts")
    def embeddings(request: EmbeddingRequest, caller: Caller = reader) -> Response:
        """One vector of length 1 a text, in order; base64 holds 32-bit floats, the lowest byte first."""
        model = caller.engine.embedder.model_id
        if request.model not in (BOB, model):
            raise NotFoundError(f"{request.model!r} makes no embeddings; use one of {BOB}, {model}")
        dimension = caller.engine.embedder.dimension
        if request.dimensions not in (None, dimension):
            raise RequestError("dimensions", f"dimensions must be {dimension} for {model}")
        embedded = caller.engine.embed_texts.embed_texts(_texts(request.input))
        data = [
            {"object": "embedding", "index": n, "embedding": _encoded(row, request.encoding_format)}
            for n, row in enumerate(embedded.vectors)
        ]
        usage = {"prompt_tokens": embedded.tokens, "total_tokens": embedded.tokens}
        return JsonBytes({"object": "list", "data": data, "model": model, "usage": usage})


def _texts(given: str | list[Any]) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if not all(isinstance(text, str) for text in texts):
        raise RequestError("input", "input must be text, not token numbers")
    if not texts or not all(texts):
        raise RequestError("input", "input must have at least one text, and no empty text")
    if len(texts) > _MOST_INPUTS:
        raise RequestError("input", f"input has {len(texts)} texts; the limit is {_MOST_INPUTS}")
    return texts


def _encoded(row: Any, encoding: str | None) -> str | list[float]:
    if encoding == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")
    values: list[float] = row.tolist()
    return values
