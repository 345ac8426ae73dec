"""The word lists of the funnel's first two layers, as they are shipped: English, Portuguese and German."""

from __future__ import annotations

from dataclasses import dataclass

from bob.text import lexicon

SMALL_TALK = lexicon.phrases("small talk")
"""A message of these alone says nothing; one word more, such as a name, is forgiven."""

LOOKUPS = lexicon.phrases("look-ups")
"""How a question begins that a search engine would answer, or that only asks for what is already known."""

TRANSLATIONS = lexicon.phrases("translation requests")
"""How a request begins that has its material behind it: nothing in the rest is the user's own word."""

GOLD = lexicon.phrases("lasting words")
"""Words that promise lasting value (seed 004): a message with one of them is always judged."""


@dataclass(frozen=True, slots=True)
class FunnelWords:
    """What the first two layers look for; see `bob.app.settings.MemorySettings`. `min_characters` counts code
    points of the stripped text."""

    min_characters: int = 10
    small_talk: tuple[str, ...] = SMALL_TALK
    lookups: tuple[str, ...] = LOOKUPS
    translations: tuple[str, ...] = TRANSLATIONS
    gold: tuple[str, ...] = GOLD
