"""A chunk: the unit that is indexed, found and quoted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bob.core.locator import Locator


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one section, byte-equal to the source at `locator`.

    `tokens` is the chunker's estimate in the embedder's tokens.
    """

    ordinal: int
    text: str
    heading_path: tuple[str, ...]
    locator: Locator
    tokens: int
    context: str = ""

    @property
    def embedding_text(self) -> str:
        """What the embedder sees of this chunk."""
        return embedding_text(self.heading_path, self.context, self.text)

    @property
    def content_hash(self) -> str:
        """SHA-256 over headings, context and text, as 32 hex digits: what is equal is embedded once."""
        parts = "\x1f".join((*self.heading_path, "\x1e", self.context, "\x1e", self.text))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def embedding_text(heading_path: tuple[str, ...], context: str, text: str) -> str:
    """What the embedder sees of a chunk: heading path, context, text, those that there are, a line each."""
    return "\n".join(part for part in (" > ".join(heading_path), context, text) if part)
