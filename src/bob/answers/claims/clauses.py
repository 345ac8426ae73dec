"""Cuts a compound sentence into the parts that can be true or false by themselves (SPEC E2)."""

from __future__ import annotations

import re

from bob.text import lexicon
from bob.text.words import with_plain_marks

_VERBS = """
    accept add allow apply become begin belong block break bring build call cause change check clear
    close come compare compile compute connect contain control convert copy cost count cover create
    decide default define delete deliver depend deploy describe detect differ disable discard drop
    enable encrypt end enforce ensure execute exist expect expire expose fail fall fetch find finish fix
    flush follow force generate get give go grow handle happen help hold ignore import include increase
    index install invoke join keep launch lead leave let link list live load lock log lose make match
    mean measure merge migrate move need occur offer open override own pass pay perform play point
    prefer prevent print produce protect provide publish pull push put raise reach read receive
    recommend record reduce refer refuse reject release rely remain remove rename replace replicate
    report represent require reset resolve respond restart restore retain retry return rotate run save
    say scale search seem sell send serve set share show sit skip sleep sort specify split spend stand
    start stay stop store stream support survive switch sync take target tell terminate test throw track
    travel treat trigger try turn update upgrade use validate verify wait want warn weigh win work wrap
    write
"""
_IRREGULAR = """
    became began broke brought built came chose cost did fell found gave got grew had held hid kept knew
    laid led left lost made meant met paid put ran read rose said sat saw sent set shut sold spent stood
    spoke took taught told thought threw took understood was went were won wrote
"""
_AUXILIARIES = """
    is are was were has have had does do did can could will would may might must shall should cannot
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't
    shouldn't
"""


def _forms(verb: str) -> tuple[str, ...]:
    ending = "es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
    third = f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else verb + ending
    past = (
        f"{verb[:-1]}ied" if re.search(r"[^aeiou]y$", verb) else verb + ("d" if verb.endswith("e") else "ed")
    )
    doubled = f"{verb}{verb[-1]}ed" if re.search(r"[^aeiou][aeiou][bdgklmnprt]$", verb) else past
    return verb, third, past, doubled


_INFLECTED = {form for verb in _VERBS.split() for form in _forms(verb)[1:]}
_ALWAYS_VERBS = _INFLECTED | {*_IRREGULAR.split(), *_AUXILIARIES.split()}
"""Those in other forms than the one that is a noun as well: "the report", "a change"."""
_FINITE = lexicon.either(_ALWAYS_VERBS | set(_VERBS.split()))
_FINITE_ANYWHERE = lexicon.either(_ALWAYS_VERBS | set(lexicon.words("finite verbs")))
"""With the verbs of other languages, which in English may be nouns: "war", "era"."""
_OPENING = re.compile(
    r"(?:the|an?|this|that|these|those|its|their|his|her|our|your|each|every|all|no|some|many|most|both|other|"
    r"another|[A-Z][\w.-]*|[\w-]+s|[`*_\"'“]+\S+)(?=\s)",
)
_SUBJECT_AND_VERB = re.compile(
    r"(?:[^\s,;:]+\s+){1,6}?(?:(?:also|then|now|still|always|never|often|only|usually|therefore|[a-z]+ly)\s+)?"
    rf"(?:{_FINITE})\b(?!-)"
)
_HAS_VERB = re.compile(rf"\S\s+(?:\w+ly\s+)?(?:{_FINITE})\b(?!-)")
_HAS_INFLECTED = re.compile(rf"\S\s+(?:\w+ly\s+)?(?:{_FINITE_ANYWHERE}|\w{{2,}}ed)\b(?!-)", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:it|they|he|she|we|you|i|this|that|these|those|which|who|there|one|both|neither|either|so|then|"
    r"vice versa)\b(?!\s+\w+s?\s+(?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)
_GOVERNING = re.compile(
    r"^\W*(?:if|when|whenever|while|although|though|because|since|unless|until|once|after|before|whether|both|"
    r"either|neither|not only|as|given|suppose|let)\b|"
    r"\b(?:that|whether|if|when|unless|because|how|why|who)\b",
    re.IGNORECASE,
)
_JOIN = re.compile(
    r",\s+(?:and|but|while|whereas|yet)\s+|;\s+(?:(?:and|but|however|therefore|moreover|meanwhile),?\s+)?"
)

_FEWEST_WORDS = 3


def has_verb(text: str, *, inflected: bool = False) -> bool:
    """Whether a finite verb stands behind another word; `inflected` leaves out what may be a noun as well,
    and knows German and Portuguese verbs."""
    return bool((_HAS_INFLECTED if inflected else _HAS_VERB).search(with_plain_marks(text)))


def parts(sentence: str) -> list[tuple[int, int]]:
    """The ranges of a sentence's parts in order: one, or several without the conjunctions between them."""
    parts, begin = [], 0
    # The auxiliaries have plain apostrophes; each character stays at its place.
    sentence = with_plain_marks(sentence)
    for join in _JOIN.finditer(sentence):
        left, right = sentence[begin : join.start()], sentence[join.end() :]
        if join.start() > begin and _stands_alone(left) and _begins_clause(right) and _closed(left):
            parts.append((begin, join.start()))
            begin = join.end()
    return [*parts, (begin, len(sentence))]


def _stands_alone(left: str) -> bool:
    return (
        len(left.split()) >= _FEWEST_WORDS
        and has_verb(left)
        and not _GOVERNING.search(left)
        and not left.rstrip().endswith(":")
    )


def _begins_clause(right: str) -> bool:
    return (
        len(right.split()) >= _FEWEST_WORDS
        and not _PRONOUN.match(right)
        and bool(_OPENING.match(right))
        and bool(_SUBJECT_AND_VERB.match(right))
    )


def _closed(left: str) -> bool:
    """Whether no bracket or quotation is open where the part ends."""
    return (
        left.count("(") == left.count(")")
        and left.count("[") == left.count("]")
        and left.count('"') % 2 == 0
        and left.count("“") == left.count("”")
        and left.count("`") % 2 == 0
    )
