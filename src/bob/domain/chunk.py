"""A chunk: the unit that is indexed, found and quoted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bob.domain.locator import Locator


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
        """What the embedder sees: the heading path, the context, then the text."""
        head = " > ".join(self.heading_path)
        return "\n".join(part for part in (head, self.context, self.text) if part)

    @property
    def content_hash(self) -> str:
        """SHA-256 of `embedding_text`, as 32 hex digits: equal text is embedded once."""
        return hashlib.sha256(self.embedding_text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
