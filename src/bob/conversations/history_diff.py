"""Tells which messages of a conversation that is handed over again are new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bob.conversations.rows import FORGOTTEN
from bob.core.conversation import ChatMessage


class Sent(Protocol):
    """A message as a client sends it."""

    @property
    def role(self) -> str:
        """Who said it."""

    @property
    def text(self) -> str:
        """The words."""


def resent(kept: Sequence[ChatMessage], words: Sequence[Sent], *, just_said: int = 0) -> int:
    """How many of the messages at the beginning of `words` the chat has already.

    A chat keeps what was said before an edit or a second try, so a client's history may leave out some of
    its messages; but it has them in the same order. From the first that is not there all are new. Blanks at
    the ends do not count: some clients trim what they send back. A message that its user had forgotten is
    taken for what stands in its place: its words must not come back by being sent again. Only the last
    `just_said` words are new in any case where they are not kept.
    """
    at = 0
    for n, each in enumerate(words):
        found = next((place for place in range(at, len(kept)) if _same(kept[place], each)), None)
        again = n < len(words) - just_said
        if found is None and again and at < len(kept) and _forgotten(kept[at], each):
            found = at
        if found is None:
            return n
        at = found + 1
    return len(words)


def _same(kept: ChatMessage, sent: Sent) -> bool:
    return kept.role == sent.role and kept.text.strip() == sent.text.strip()


def _forgotten(kept: ChatMessage, sent: Sent) -> bool:
    return kept.role == sent.role and kept.text == FORGOTTEN
