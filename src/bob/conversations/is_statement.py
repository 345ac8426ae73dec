"""Tells a message that states something from one that asks, by its words alone."""

from __future__ import annotations

import re

from bob.conversations.cues import CUES
from bob.conversations.judge import FACT, by_rules
from bob.conversations.signals import signals_of
from bob.text.sentences import message_sentences, without_code
from bob.text.words import folded

_WANTS = re.compile(r"\W*(?:i|we)(?:'d| would)? (?:need|want|like|have to know)\b")


def tells(text: str) -> bool:
    """Whether the rules find something worth keeping in a message, and no sentence of it asks or wants
    anything. What they are silent about ("hedge cutting rules") may be a question."""
    worth = 0
    for sentence in message_sentences(without_code(text)):
        signals, words = signals_of(sentence), folded(sentence)
        if signals.says_nothing or CUES["asks"].match(words) or _WANTS.match(words):
            return False
        ruled = by_rules(sentence, signals)
        worth = max(worth, 0 if ruled is None else ruled.importance)
    return worth >= FACT
