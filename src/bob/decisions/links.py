"""Reads how a record bears on others: "Supersedes ADR-2", "Amended by [10. Queues](0010-queues.md)"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bob.core.decision import LinkKind, StatedLink
from bob.decisions.fields import PARTLY, without_comments
from bob.decisions.references import Reference, references_at, without_series
from bob.decisions.statements import sentence_texts
from bob.text import lexicon

_KINDS: tuple[tuple[LinkKind, str, str], ...] = (
    ("supersedes", "supersedes", "superseded"),
    ("amends", "amends", "amended"),
)
"""The kinds of links, with the lines of the lexicon that say what a record does and what was done to it."""

_VERBS = lexicon.pairs("links of decisions")


def verbs(*names: str) -> str:
    """The part of a pattern that matches what a record does to another, or what was done to it: "supersedes",
    "superseded", "amends", "amended"."""
    return "|".join(entry for name, entries in _VERBS if name in names for entry in entries)


# The only verbs that say nothing else; others are read as links in fields, or when a whole record acts.
_UNMISTAKABLE = re.compile(r"super|amend", re.IGNORECASE)
_PARTS = r"partly|partially|in[\s-]+part|(?:some |the )?(?:parts?|portions?|sections?) of"
_DAY = (
    rf"(?:(?:{lexicon.any_of('before a month')}|on|as of|am|le|el|em)\s+)?"
    rf"(?:(?:\d[\d./-]*(?:st|nd|rd|th)?|{lexicon.any_of('months')}|de)\b[.,]?\s*+){{1,5}}"
)
"""A day or month, as it stands between "superseded" and "by"."""
_WHEN = rf"(?:[\s,]*+\([^()\n]{{1,60}}\)|[\s,]++{_DAY})"
_LINK = re.compile(
    rf"(?P<partly>\b(?:{_PARTS})[\s_-]+)?"
    rf"\b(?P<verb>{verbs('supersedes', 'superseded', 'amends', 'amended')})\b[*_]*"
    rf"(?P<in_part>\s+(?:{_PARTS})\b)?"
    rf"(?:{_WHEN}?[\s_,-]*\b(?P<by>{lexicon.any_of('superseded by')})\b)?(?P<by_part>\s+(?:{_PARTS})\b)?",
    re.IGNORECASE,
)
_DONE = {name: re.compile(verbs(name), re.IGNORECASE) for _, *names in _KINDS for name in names}
_SEE = rf"(?<!\w)(?:{lexicon.any_of('see another')})(?!\w)"
_TO_SUCCESSOR = re.compile(
    rf"(?:{_WHEN})?\s*(?:[:,;(→–—]|-+>?|=>|{_SEE})[\s:]*(?:{_DAY}[\s,;:]*)?(?:(?:{_SEE})[\s:]+)?",
    re.IGNORECASE,
)
"""What may stand between "superseded" and the record that has taken the place, in a status: "Superseded:
ADR-7", "Superseded, see [ADR-7](0007-x.md)"."""
_CLAUSE_START = re.compile(r"[,.;:()\n>\]•·|]|\s[—–-]\s|\band\b|\bbut\b")
_AUXILIARY = re.compile(
    r"\b(?:ha(?:s|ve|d)|been|is|are|was|were|being|now|later|since|also|then|however|thus|therefore|it|this|"
    r"that|which|the|current|(?:adr|record|decision|document|proposal|rfc|pep|page)(?![\s#-]*\d)|and|"
    r"but|already|fully|"
    r"entirely|completely|explicitly|status|accepted|approved|proposed|active|narrowly|formally|"
    r"effectively)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    # "May" beside a day or a year, or behind "in", is the month.
    rf"\b(?:not|never|n't|if|should|would|could|(?<!\bin )(?<!\d )may(?!,?\s\d)|might|until|unless|when|once|"
    rf"can|cannot|whether|will|must|to|nothing|no|nor|{lexicon.either(lexicon.words('negation'))})\b"
    r"(?:\W+\w+){0,3}\W*$",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"[\s*_]*(?:this|the present)(?:\s+(?:adr|decision|record|document|one|proposal|rfc|pep))?\b",
    re.IGNORECASE,
)
_IN_CLAUSE = re.compile(
    rf"(?<![\w-])(?:(?:{lexicon.any_of('before a month')}|on|as of|am|le|el|em)\s+)?(?:\d{{1,2}}\.?\s+)?"
    rf"(?:(?:{lexicon.any_of('months')})[.,]?\s+)?(?:19|20)\d\d(?:-\d\d-\d\d)?(?![\w-])",
    re.IGNORECASE,
)
"""When something was done, ahead of it: "In May 2024 superseded by ADR-7"."""
_NONE = re.compile(
    r"[\s*_:\[\]~\"'`(.-]*(?:|none|n/?a|nothing|null|no(?:ne)?\b.*|not applicable.*|tbd|todo|nil|[—–-]+|"
    r"x{2,}.*)[\s*_\])~\"'`.-]*",
    re.IGNORECASE | re.DOTALL,
)
_TITLE_END = re.compile(r"[.;(\n|]|\s[—–-]\s|\bon (?=\d{4})")
_LONGEST_TITLE = 120
_LOOK_BACK = 600
"""Characters ahead of a verb that are read: a clause is shorter."""


def field_links(name: str, value: str) -> Iterator[StatedLink]:
    """The links of a field such as `Superseded-By: 12`; none when the name is no link's."""
    match = _LINK.fullmatch(name)
    value = without_comments(value)
    if match is None or _NONE.fullmatch(value):
        return
    kind, backward = _kind(match), _is_backward(match)
    if backward is None:
        return
    if kind == "supersedes" and PARTLY.search(value):
        kind = "partly_supersedes"
    yield from _to_targets(kind, value, 0, backward=backward, is_field=True)


def text_links(
    text: str, number: str | None, *, is_status: bool, is_partly: bool = False
) -> Iterator[StatedLink]:
    """The links that sentences of the record `number` state.

    In the words of its status (`is_status`) a target may be a bare number or a title; elsewhere it must be
    an unmistakable reference. `is_partly` when the record says that only a part of it has been superseded.
    """
    for sentence in sentence_texts(without_comments(text)):
        for match in _LINK.finditer(sentence):
            for link in _sentence_links(sentence, match, number, is_status=is_status):
                if is_partly and link.backward and link.kind == "supersedes":
                    yield StatedLink("partly_supersedes", link.target, backward=True)
                else:
                    yield link


def distinct(
    links: Sequence[StatedLink], own: tuple[str | None, str], series: str = "ADR"
) -> tuple[StatedLink, ...]:
    """The links without those that say the same again, the first ones kept; none to the record itself.

    `own` is its number and its file's name. Of its own `series` numbers are told without the series.
    """
    stated_links: dict[tuple[str, bool], StatedLink] = {}
    for stated in links:
        link = replace(stated, target=without_series(stated.target, series))
        name = _comparable(link.target)
        if name not in (own[0], _comparable(own[1])):
            stated_links.setdefault((name, link.backward), link)
    return tuple(stated_links.values())


def _comparable(target: str) -> str:
    if Reference(target, 0).series:
        return target.lower()
    stem = PurePosixPath(target).name.removesuffix(PurePosixPath(target).suffix).lower()
    numbered = re.match(r"(?:[a-z]{2,6}[-_ ]?)?0*(\d{1,5})(?:\D|$)", stem)
    return numbered[1] if numbered else " ".join(stem.split())


def _sentence_links(
    sentence: str, match: re.Match[str], number: str | None, *, is_status: bool
) -> Iterator[StatedLink]:
    backward = _is_backward(match)
    lead = _TO_SUCCESSOR.match(sentence, match.end()) if backward is None and is_status else None
    if backward is None and (lead is None or match["by"]):
        return
    before = sentence[max(match.start() - _LOOK_BACK, 0) : match.start()]
    clause = before[_last_end(before) :]
    if _UNREAL.search(clause):
        return
    kind = _kind(match)
    if backward is None:
        if lead is not None and kind != "amends":
            for reference in references_at(sentence, lead.end(), may_be_bare=False):
                yield StatedLink(kind, reference.target, backward=True)
        return
    subject = _AUXILIARY.sub(" ", _IN_CLAUSE.sub(" ", clause)).strip(" \t*_#>-[]\"'“”")
    other = _only_reference(subject)
    if this := _THIS.match(sentence, match.end()):
        # "ADR-2 is superseded by this record" says it from the other's side.
        rest = sentence[this.end() :].lstrip()
        if other is not None and not rest[:1].isalnum():
            yield StatedLink(kind, other.target, backward=not backward)
        return
    if other is not None and other.number != number:
        return
    is_whole = not subject or other is not None
    if not _UNMISTAKABLE.match(match["verb"]) and not (
        is_status or (is_whole and (clause.strip() or not before.strip()))
    ):
        return
    if backward and not is_whole and kind == "supersedes":
        kind = "partly_supersedes"
    yield from _to_targets(kind, sentence, match.end(), backward=backward, is_field=is_status and is_whole)


def _to_targets(
    kind: LinkKind, text: str, start: int, *, backward: bool, is_field: bool
) -> Iterator[StatedLink]:
    references = list(references_at(text, start, may_be_bare=is_field))
    for reference in references:
        yield StatedLink(kind, reference.target, backward)
    if references or not is_field:
        return
    title = _TITLE_END.split(text[start:].strip(" \t\n:*_`\"'"), maxsplit=1)[0].strip(" \t*_`\"',:")
    is_named = len(title) <= _LONGEST_TITLE and title[:1].isalnum() and not _NONE.fullmatch(title)
    if is_named and not re.match(r"(?:an?|another|new|some|future|later|its|our)\b", title, re.IGNORECASE):
        yield StatedLink(kind, title, backward)


def _kind(match: re.Match[str]) -> LinkKind:
    kind = next(
        kind for kind, *names in _KINDS if any(_DONE[name].fullmatch(match["verb"]) for name in names)
    )
    is_partly = match["partly"] or match["in_part"] or match["by_part"]
    return "partly_supersedes" if kind == "supersedes" and is_partly else kind


def _is_backward(match: re.Match[str]) -> bool | None:
    """Whether the text says what was done to this record; None when it says neither ("superseded")."""
    verb = match["verb"]
    is_active = any(_DONE[name].fullmatch(verb) for _, name, _ in _KINDS)
    is_participle = any(_DONE[name].fullmatch(verb) for _, _, name in _KINDS)
    # "Ersetzt" is both: "Ersetzt ADR-3", "Ersetzt durch ADR-7".
    if match["by"]:
        return True if is_participle else None
    return False if is_active else None


def _last_end(text: str) -> int:
    return max((match.end() for match in _CLAUSE_START.finditer(text)), default=0)


def _only_reference(text: str) -> Reference | None:
    references = list(references_at(text, 0, may_be_bare=False))
    return references[0] if len(references) == 1 and not text[references[0].end :].strip(" *_)]") else None
