"""The singular of Portuguese words, as far as their ending tells it: the plural step of RSLP (Orengo and
Huyck, "A Stemming Algorithm for the Portuguese Language", 2001). Snowball's stemmer leaves "animal" and
"animais", or "viagem" and "viagens", apart.
"""

from __future__ import annotations

_SINGULAR_OF = (
    ("ões", "ão"),
    ("ães", "ão"),
    ("ais", "al"),
    ("éis", "el"),
    ("veis", "vel"),
    ("neis", "nel"),
    ("eis", "il"),
    ("óis", "ol"),
    ("uis", "ul"),
    ("is", "il"),
    ("ns", "m"),
)
"""Endings, the longer ones first; those that lose an "s" alone are the stemmer's."""

_LEAST_LETTERS = 4
"""Letters of a singular: "leis" is of "lei"."""

_NO_PLURALS = frozenset(
    {
        *("mães", "pais", "mais", "demais", "jamais", "cais", "pois", "depois", "dois", "seis", "reis"),
        *("lápis", "tênis", "grátis", "táxis", "oásis", "biquínis", "júris", "quis"),
    }
)


def singular_of(word: str) -> str:
    """A Portuguese word in lower case in the singular; itself where its ending tells none.

    >>> [singular_of(word) for word in ("animais", "fáceis", "níveis", "viagens", "reuniões", "depois")]
    ['animal', 'fácil', 'nível', 'viagem', 'reunião', 'depois']
    """
    if word in _NO_PLURALS:
        return word
    for plural, singular in _SINGULAR_OF:
        if word.endswith(plural):
            singular_form = word.removesuffix(plural) + singular
            return singular_form if len(singular_form) >= _LEAST_LETTERS else word
    return word
