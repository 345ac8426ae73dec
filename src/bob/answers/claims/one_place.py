"""How far one place of the sources says all that a claim says (SPEC E2).

What a claim joins from several places is often wrong: who is named elsewhere, a number of another thing. The
signals feed the model of `bob.answers.claims.evidence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from bob.answers.claims.alignment import Tokens, Weight, overlap, tokens_read
from bob.answers.claims.evidence import Reading, holds, reading, same_fact
from bob.answers.claims.fact_comparison import Fact
from bob.core.search import FoundChunk
from bob.llm.containment import restored
from bob.text.names import Name
from bob.text.numbers import Quantity

_MOST_APART = 3

_PLACES_KEPT = 512


def signals_of_place(
    claim: str, words: Tokens, places: Sequence[FoundChunk], weight: Weight, language: str = "en"
) -> dict[str, float]:
    """Of the passage, among those with the best texts, that has most of the claim's words: the share of the
    words that it has with its title and headings, and how many names and numbers of the claim it lacks."""
    texts = [_text_of(chunk) for chunk in dict.fromkeys(places)]
    shares = [overlap(words, tokens_read(text, language), weight) for text in texts]
    if not texts:
        return {"words_in_place": 0.0, "names_apart": 0.0, "numbers_apart": 0.0}
    share = max(shares)
    place = reading(texts[shares.index(share)], language)
    facts = [fact for part in reading(claim, language).sentences for fact in part.facts]
    names = sum(isinstance(fact.meaning, Name) and not holds(fact.meaning, place) for fact in facts)
    numbers = sum(isinstance(fact.meaning, Quantity) and not _states(place, fact) for fact in facts)
    return {
        "words_in_place": share,
        "names_apart": float(min(names, _MOST_APART)),
        "numbers_apart": float(min(numbers, _MOST_APART)),
    }


def _states(place: Reading, claimed: Fact) -> bool:
    return any(same_fact(claimed, fact) for part in place.sentences for fact in part.facts)


@lru_cache(maxsize=_PLACES_KEPT)
def _text_of(chunk: FoundChunk) -> str:
    return restored("\n".join((chunk.title, *chunk.heading_path, chunk.text)))
