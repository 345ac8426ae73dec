"""Words that say little, each list for its purpose; the lexicon tells why they differ."""

from __future__ import annotations

from bob.text import lexicon

FUNCTION_WORDS = frozenset(lexicon.words("function words"))
"""Words that carry grammar, in five languages: they align nothing."""

QUERY_STOP_WORDS = frozenset(lexicon.words("query stop words"))
"""Words that leave a query which has better ones, in five languages."""

SUBJECT_STOP_WORDS = frozenset(lexicon.words("subject stop words"))
"""Words that say nothing of what a statement is about, without accents, in English, Portuguese and German."""

ASKING_WORDS = lexicon.words("asking words")
"""Words that say what a question wants, not what it is about: an answer need not have them."""

USING_WORDS = frozenset(lexicon.words("using words"))
"""Words that say only that something is used: they need not stand where it was turned down."""
