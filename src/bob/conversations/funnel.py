"""The whole funnel for one message: secrets out, what Bob had said out, the cheap layers, the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bob.conversations.clauses import accepted_proposal
from bob.conversations.echo_filter import new_part
from bob.conversations.judge import shortened
from bob.conversations.prefilter import screen
from bob.conversations.word_lists import FunnelWords
from bob.core.conversation import Assessment, FunnelLayer, MessageRole
from bob.core.protocols import Judge
from bob.text.secrets import redacted

ACCEPTED = 75
"""Importance of a proposal that the user accepted: a decision, below one in the user's own words."""


class Funnel:
    """Assesses messages one by one; holds nothing of them."""

    def __init__(self, words: FunnelWords, judge: Judge) -> None:
        self._words = words
        self._judge = judge

    def assess(
        self, text: str, role: MessageRole, injected: Sequence[str] = (), *, previous: str = ""
    ) -> Assessment:
        """What a message is worth.

        Args:
            text: as it was sent; secrets are taken out before anything else sees it.
            injected: the memories and context that were put into this chat's recent prompts.
            previous: the assistant's message before a user's, so that "agreed" can be understood.

        Raises:
            ModelError: the embedding model is damaged.
        """
        clean = redacted(text).text
        screened = screen(clean, self._words)
        if role == "user" and screened.outcome != "gold":
            proposal = accepted_proposal(clean, redacted(previous).text)
            if proposal and new_part(proposal, injected).text:
                summary = shortened(proposal)
                return Assessment(ACCEPTED, summary, "decision", None, "rules", reason="the user accepted it")
        if not screened.passed:
            return _stopped("heuristics", screened.indicator)
        part = new_part(clean, injected)
        if not part.text:
            return _stopped("recalled", part.repeated[0])
        if part.repeated and not screen(part.text, self._words).passed:
            return _stopped("recalled", part.repeated[0])
        found = self._judge.judge(part.text, role)
        # The judge's summary may be free text of a language model: nothing secret was given, none may come.
        return replace(found, summary=redacted(found.summary).text)


def _stopped(layer: FunnelLayer, reason: str) -> Assessment:
    return Assessment(0, "", "chat", layer, reason=reason)
