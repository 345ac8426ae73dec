"""Finds in sentences what was turned down: "instead of X", "considered X but decided against it"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bob.core.decision import Rejected
from bob.decisions.passages import Span, letters
from bob.decisions.statements import sentences

_REASON = r"(?:because|since|due to|owing to|given that|on account of|so that|so as to|weil|parce que|porque)"
_THING = r"(?P<text>[^\n,;.()—–:]{1,160}?(?:\n[^\n,;.()—–:]+?)*?(?:[.,:]\d[^\n,;.()—–:]*?)*)"
_STOP = (
    r"(?=\s*(?:$|[,:](?!\d)|[;()—–]|[.!](?:\s|$|[*_\"'”)])|\n\s*\n|\s-\s|\s(?:because|since|due\sto|"
    r"owing\sto|"
    r"given\sthat|so\sthat|"
    r"so\sas\sto|in\sorder\sto|which|when|while|whilst|if|unless|until|but|as\s(?:too|it|they|this|that|we|"
    r"the|its|our|"
    r"there)|and\s(?:we|it|will|to|the)|weil|parce\sque|porque)\b|"
    r"(?<!ing)\sfor\s(?:\w+\s){0,3}?\w+\s*(?:[.;]|$)))"
)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words.replace("THING", _THING + _STOP), re.IGNORECASE | re.DOTALL)


# Each group "text" is the alternative; the first pattern that takes a place keeps it. What a verb turns down
# is told from what a decision is merely set against.
_TURNED_DOWN = tuple(
    _pattern(form)
    for form in (
        r"\b(?:considered|evaluated|looked\s(?:at|into)|discussed|tried|explored|"
        r"weighed)\sTHING,?\s+(?:but|and|yet)\s+"
        r"(?:(?:we|it|they|was|were|have|has|been|then|finally|"
        r"ultimately)\s+){0,4}(?:decided\s(?:against|not)|rejected|"
        r"ruled\s(?:it|them|this|that)?\s?out|dismissed|discarded|discounted|dropped|declined|"
        r"turned\s(?:it|them)?\s?down|"
        r"opted\sagainst|abandoned)",
        r"\b(?:decided|opted|chose|voted|agreed|decision)\sagainst\s+(?!it\b|this\b|that\b|them\b|"
        r"doing so\b)THING",
        r"\b(?:ruled\sout|rejected|discarded|dismissed|discounted|neglected|turned\sdown)\s+"
        r"(?!by\b|as\b|because\b|it\b|this\b|that\b|them\b|in\b|on\b|at\b|due\b|and\b|for\b)THING",
    )
)
_SET_AGAINST = tuple(
    _pattern(form)
    for form in (
        r"\b(?:instead\sof|rather\sthan|as\sopposed\sto|in\spreference\sto|in\splace\sof|anstelle\svon|"
        r"statt|au\slieu\sd[eu]|en\slugar\sde)\s+THING",
        r"\b(?:chosen|chose|choose|selected|picked|prefer(?:red|s)?|favou?red|favou?rs?|"
        r"opted\sfor)\b[^.;,()\n]{0,80}?\bover\s+THING",
        r"\b(?:drop(?:ped|ping)?|abandon(?:ed|ing)?|replac(?:ed|ing)|replace|"
        r"rejected)\s+"
        r"(?P<text>[^,;.()\n]{1,80}?)(?=\s+in\sfavou?r\sof\b)",
    )
)
# "PostgreSQL, not MySQL": an alternative where the sentence decides; behind that, mostly a description.
_CONTRAST = _pattern(
    r",\s*(?:and\s|but\s)?not\s+(?!only\b|yet\b|just\b|even\b|that\b|because\b|when\b|if\b|until\b|"
    r"necessarily\b|"
    r"always\b|now\b|as\b|least\b|all\b|to\b|be\b|been\b|every\b|so\b|too\b|very\b|on\b|in\b|by\b|"
    r"for\b|at\b|from\b|"
    r"with\b|what\b|where\b|how\b|why\b|who\b|any\b|each\b|more\b|less\b|much\b|many\b)THING"
)
_CHOOSES = re.compile(
    r"\b(?:we|will|shall|use|chose|chosen|choose|decided|picked|selected|adopt(?:ed)?|prefer|switch)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:^|[,;.]\s+|\b(?:but|and|while)\s+)(?P<text>[^,;.()]{2,80}?)\s+(?:was|were|has\sbeen|have\sbeen|"
    r"got)\s+(?:also\s+|"
    r"then\s+|explicitly\s+|ultimately\s+)?(?:rejected|ruled\sout|discarded|dismissed|discounted|"
    r"considered\s+(?:but|and)\s"
    r"(?:rejected|dismissed|discarded|ruled\sout))\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    rf"\s*[,;(:—–-]?\s*(?:{_REASON}|as|for|:|—|–|-)\s+(?P<reason>\S[^\n]*(?:\n\s*\S[^\n]*)*)", re.IGNORECASE
)
_OF_NO_USE = re.compile(
    r"(?:it|this|that|them|these|those|one|doing so|us|others?|which|what|both|either|being|"
    r"having)\b.{0,3}|\W*",
    re.IGNORECASE,
)
_ADVERBIAL = re.compile(r"(?:between|in|on|at|by|from|with|to|when|if|after|before)\s", re.IGNORECASE)
_LONGEST = 160


def rejected_in(span: Span) -> tuple[Rejected, ...]:
    """What the sentences of a decision turn down, each at its place, with the reason that follows it."""
    return _in_sentences(span, (*_TURNED_DOWN, *_SET_AGAINST, _CONTRAST, _SUBJECT))


def rejected_after(span: Span) -> tuple[Rejected, ...]:
    """The same of a paragraph that goes on with a decision: there "X, not Y" is no choice."""
    return _in_sentences(span, (*_TURNED_DOWN, *_SET_AGAINST, _SUBJECT))


def turned_down_in(sentence: Span) -> tuple[Rejected, ...]:
    """What a sentence beside a decision turns down by a verb: "MySQL was rejected because ..."."""
    return tuple(_in_sentence(sentence, (*_TURNED_DOWN, _SUBJECT)))


def merged(*groups: Sequence[Rejected]) -> tuple[Rejected, ...]:
    """The alternatives of all groups, one of those with the same words, with the first reason given."""
    alternatives: dict[str, Rejected] = {}
    for alternative in (rejected for group in groups for rejected in group):
        name = letters(alternative.text)
        # "horns" in a sentence says no more than "horns, which are loud" in a list
        name = next((other for other in alternatives if other.startswith(name)), name)
        first = alternatives.setdefault(name, alternative)
        if first.reason is None and alternative.reason is not None:
            alternatives[name] = replace(first, reason=alternative.reason)
    return tuple(alternatives.values())


def named_rejected(span: Span) -> Rejected | None:
    """An alternative that stands behind a marker or in a list, such as "MySQL — too much to look after"."""
    text = span.text
    match = re.match(
        r"(?P<quote>\*{1,3}|_{1,3}|`{1,3}|[\"“])(?P<text>(?:(?!(?P=quote)|”).)+)(?:(?P=quote)|”)|"
        r"(?P<plain>(?:[^\n:(;—–]|(?<=\w)-|"
        r"\n(?!\s*\n))+?)"
        rf"(?=\s*(?:$|[:(;—–]|\s-\s|[.!?](?:\s|$)|,?\s(?:{_REASON}|as\s(?:it|they|this)|but)\b|\n\s*\n))",
        text,
        re.IGNORECASE,
    )
    if match is None:
        return None
    group = "text" if match["quote"] else "plain"
    named = span.part(match.start(group), match.end(group))
    named = _trimmed(named)
    if not named.text or _OF_NO_USE.fullmatch(named.text):
        return None
    return Rejected(named.text, _reason_after(text[match.end() :]), named.locator)


def _reason_after(rest: str) -> str | None:
    """What is said of an alternative behind its name: "(reason)", "(a note): reason", ": reason"."""
    note = re.match(r"\s*\(([^()]*)\)", rest)
    if note:
        rest = rest[note.end() :] if any(map(str.isalnum, rest[note.end() :])) else note[1]
    reason = " ".join(rest.split()).strip(" :;,.—–-*_")
    lead = re.match(rf"(?:rejected\W+)?(?:{_REASON}|as)\s+", reason, re.IGNORECASE)
    return reason[lead.end() if lead else 0 :] or None


def _in_sentences(span: Span, patterns: Sequence[re.Pattern[str]]) -> tuple[Rejected, ...]:
    return tuple(
        alternative
        for index, sentence in enumerate(sentences(span))
        for alternative in _in_sentence(sentence, patterns, is_first=index == 0)
    )


def _in_sentence(
    sentence: Span, patterns: Iterable[re.Pattern[str]], *, is_first: bool = False
) -> Iterator[Rejected]:
    text = sentence.text
    taken: list[tuple[int, int]] = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            start, end = match.span("text")
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            if pattern is _CONTRAST and (";" in text[:start] or not (_CHOOSES.search(text) or is_first)):
                continue
            named = _trimmed(sentence.part(start, end))
            if not named.text or len(named.text) > _LONGEST or _OF_NO_USE.fullmatch(named.text):
                continue
            if _ADVERBIAL.match(named.text):
                continue
            taken.append((start, end))
            yield Rejected(named.text, _reason(text, match.end()), named.locator)


def _trimmed(span: Span) -> Span:
    text = span.text
    lead = re.match(
        r"[\s*_`\"“'‘]*(?:(?:using|use|to use|adopting|the use of|option \d+[:.]?)\s+(?=\S))?[*_`\"“'‘]*",
        text,
        re.IGNORECASE,
    )
    start = lead.end() if lead else 0
    tail = re.search(r"[\s*_`\"”'’,:;]*$", text[start:])
    end = start + tail.start() if tail else len(text)
    # "Run `git`" keeps the mark that closes what stands in it
    if text[start:end].count("`") % 2:
        start, end = (start, end + 1) if text[end : end + 1] == "`" else (max(start - 1, 0), end)
    return span.part(start, end)


def _reason(text: str, end: int) -> str | None:
    match = _BECAUSE.match(text, end)
    if match is None:
        # "considered X but decided against it because Y": the reason comes later in the sentence
        match = re.compile(rf"[^.;]*?\b{_REASON}\s+(?P<reason>\S.*)", re.IGNORECASE | re.DOTALL).match(
            text, end
        )
    if match is None:
        return None
    reason = " ".join(match["reason"].split()).strip(" .*_`)\"'")
    return reason or None


def all_of(places: Iterable[Span]) -> tuple[Rejected, ...]:
    """The alternatives behind a marker or in a list, one a place."""
    return tuple(alternative for alternative in map(named_rejected, places) if alternative is not None)
