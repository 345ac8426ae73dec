"""Tells the sentences that state a decision of those who write: "We decided to ...", "We chose X over Y"."""

from __future__ import annotations

import re
from datetime import date

from bob.domain.decision import FoundDecision
from bob.extract.links import distinct, text_links
from bob.extract.reading import Place
from bob.extract.statements import title_of
from bob.text.dates import only_day

_ADVERBS = (
    r"(?:(?:have|has|had|['’]ve|also|now|just|then|finally|eventually|ultimately|therefore|thus|jointly|"
    r"unanimously|all|"
    r"already|collectively|consciously|deliberately|explicitly|recently|subsequently|instead|initially)\s+)*"
)
_TEAM = (
    r"(?:we(?=['’]ve|\s)|i(?=['’]ve|\s)|(?:the|our)\s+(?:\w+\s+)?(?:team|group|committee|board|"
    r"maintainers|project|"
    r"council|architects|working\sgroup|company)|everyone|everybody|all\s(?:participants|attendees|members))"
)
_DECIDED = (
    r"(?:decided\s+(?:to|on|that|against|for|in\sfavou?r\sof|not\sto|upon|unanimously|by|it)\b|"
    r"agreed\s+(?:to|on|that|upon|not\sto)\b|resolved\s+(?:to|that)\b|elected\s+to\b|chose\s+(?:to|"
    r"not\sto)\b|"
    r"opted\s+(?:to|for|against|not\sto)\b|settled\s+(?:on|for)\b|concluded\s+that\s+we\s+(?:will|should)\b|"
    r"made\s+the\s+decision\s+to\b|came\s+to\s+the\s+decision\b|committed\s+to\b|standardi[sz]ed\s+on\b|"
    r"voted\s+(?:to|for|against)\b|ruled\sout\b)"
)
_START = (
    r"(?P<before>(?:^|.*?(?:[,;:—–(]|\s-\s|\b(?:and|so|but|therefore|thus|hence|then|finally|eventually|"
    r"ultimately|"
    r"today|yesterday|accordingly|consequently|because|since|that|meeting|discussion|week|reasons?|end|"
    r"instead)))[\s*_\"“(]*)"
)
_FORMS: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (confidence, re.compile(words, re.IGNORECASE | re.DOTALL))
    for confidence, words in (
        (0.8, rf"{_START}{_TEAM}\s*{_ADVERBS}{_DECIDED}"),
        # The short style of minutes: "Agreed that ...", "Decided to ..."
        (0.75, r"(?P<before>\W*)(?:unanimously\s+)?(?:agreed|decided|resolved)\s+(?:to|that|not\sto)\s"),
        (
            0.75,
            rf"{_START}{_TEAM}\s*{_ADVERBS}(?:chose|selected|picked|went\s+with|preferred|have\s+chosen|"
            rf"chosen|are\s+going\s+with|"
            r"will\s+go\s+with|ended\s+up\s+(?:choosing|using))\s+[^.?!]{1,160}?\b(?:over|instead\sof|"
            r"rather\sthan|because|"
            r"as\sour|as\sthe|for\sits|for\stheir|for\sthe|due\sto|since)\b",
        ),
        (0.75, rf"{_START}(?:we['’]re|we\sare|we['’]ll|we\swill)\s+(?:now\s+)?(?:going|go)\s+with\s"),
        (
            0.75,
            r"(?P<before>^|.*?[,;:.(]\s*|.*?\b(?:and|so|therefore|finally)\s+)(?:the|our|"
            r"this)\s+(?:final\s+|team['’]s\s+)?"
            r"decision\s+(?:was|is|has\sbeen)\s+(?:made\s+|taken\s+|reached\s+)?(?:to|that|not\sto|"
            r"against|in\sfavou?r)\b",
        ),
        (
            0.7,
            r"(?P<before>^|.*?[,;:(]\s*|.*?\b(?:and|so|therefore|but|finally|then)\s+)(?:it|"
            r"a\sdecision)\s+(?:was|has\sbeen|is)\s+"
            r"(?:(?:also|then|now|finally|therefore|unanimously|jointly|subsequently)\s+)*(?:decided|"
            r"agreed|resolved|made)\s+"
            r"(?:to|that|not\sto|on|against|by\s\w+\sto)\b",
        ),
        (
            0.7,
            r"(?P<before>^|.*?[,;:(]\s*|.*?\b(?:and|so|therefore|but|finally|"
            r"then)\s+)(?:[^,;:.?!]{2,60}?)\s+(?:was|were|has\sbeen)\s+"
            r"(?:(?:finally|therefore|deliberately|ultimately)\s+)?(?:chosen|selected|picked|preferred|"
            r"favou?red)\s+(?:over|instead\sof|"
            r"rather\sthan|in\spreference\sto)\s",
        ),
        (
            0.75,
            rf"{_START}(?:we|i)\s+(?:also\s+)?(?:considered|evaluated|looked\s(?:at|into)|"
            rf"discussed)\s[^.?!]{{1,160}}?\b(?:but|and)\s+"
            r"(?:(?:we|have|then|finally|ultimately)\s+)*(?:decided\s(?:against|not)|rejected|ruled\s|"
            r"opted\sagainst|dismissed)",
        ),
        (
            0.75,
            r"(?P<before>)in\sthe\scontext\sof\s.{3,300}?,\s*(?:facing\s.{3,300}?,\s*)?we\s(?:decided|"
            r"chose)\s",
        ),
        (
            0.75,
            r"(?P<before>^|.*?[,;:(]\s*)(?:wir\shaben\s(?:uns\s)?.{0,200}?(?:entschieden|beschlossen)|"
            r"es\swurde\s(?:beschlossen|"
            r"entschieden)|nous\savons\sd[ée]cid[ée]|il\sa\s[ée]t[ée]\sd[ée]cid[ée]|"
            r"(?:hemos\s)?decidi(?:mos|do)\s|se\s(?:ha\s)?decidi[óo]\s|"
            r"foi\sdecidido\s)",
        ),
    )
)
_UNREAL = re.compile(
    r"\b(?:if|whether|unless|until|once|when(?:ever)?|suppose|supposing|imagine|assuming|"
    r"had|should|would|could|"
    r"might|may|can|cannot|not|never|n['’]t|how|why|what|which|who|where|wenn|falls|ob|si)\b[^,;:]*$|"
    r"\b(?:haven['’]t|hasn['’]t|didn['’]t|not\syet|have\snot|has\snot|had\snot|did\snot|"
    r"yet\sto)\b[^,;]{0,20}$",
    re.IGNORECASE,
)
_UNREAL_SENTENCE = re.compile(
    r"^\W*(?:if|unless|suppose|imagine|assuming|had)\b|\?[\"'”’)*_\s]*$|\bwe\s(?:could|might|would|"
    r"may)\s(?:have\s)?"
    r"(?:decided?|chosen?)|\bfor\s(?:example|instance)\b|\be\.g\.|^\W*(?:example|e\.g)\b|\bas\s(?:if|"
    r"though)\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:in|since|during|until|by)\s(?:(?:early|late|mid|the)[\s-])*(?:1[0-9]{3}|20\d\d)s?\b(?!-)|"
    r"\b(?:originally|historically|"
    r"back\s(?:then|in)|at\s(?:the|that)\stime|long\sago|years\sago|century|centuries|king|queen|"
    r"emperor|parliament|war)\b",
    re.IGNORECASE,
)
_HISTORY_HEADING = re.compile(r"\b(?:history|origins?|biography|plot|story|faq)\b|\?", re.IGNORECASE)
_IMPERSONAL = 0.7
_WEAKEST = 0.6  # "I decided" tells stories too
_ALONE = re.compile(r"\W*i\b", re.IGNORECASE)
_VERBS = (
    *(
        "decid",
        "decision",
        "agreed",
        "resolv",
        "chose",
        "opted",
        "settled",
        "selected",
        "picked",
        "elected",
        "concluded",
    ),
    *(
        "standardi",
        "voted",
        "committed",
        "preferred",
        "considered",
        "evaluated",
        "looked",
        "discussed",
        "go with",
    ),
    *("going with", "went with", "ruled out", "ended up", "beschloss", "entschied", "décid"),
)


def certainty(sentence: str, path: tuple[str, ...]) -> float:
    """How sure it is that a sentence states a decision, from 0 (it does not) to 1."""
    sentence = sentence.replace("*", "")
    if len(sentence) > 1000 or not may_decide(sentence) or _UNREAL_SENTENCE.search(sentence):
        return 0.0
    for confidence, form in _FORMS:
        match = form.match(sentence)
        if match is None or _UNREAL.search(match["before"]):
            continue
        is_past = _HISTORY.search(sentence) or any(map(_HISTORY_HEADING.search, path))
        is_weak = confidence <= _IMPERSONAL or _ALONE.match(sentence, match.end("before"))
        if is_weak and is_past:
            continue
        return _WEAKEST if _ALONE.match(sentence, match.end("before")) else confidence
    return 0.0


def may_decide(text: str) -> bool:
    """Whether one of the verbs stands in a text: looked for before anything dearer."""
    lowered = text.lower()
    return any(each in lowered for each in _VERBS)


def stated(place: Place, path: tuple[str, ...], day: date | None, confidence: float) -> FoundDecision:
    """A decision that stands in running text; `path` is that of its headings, `day` the date above it."""
    return FoundDecision(
        key="",
        kind="prose",
        number=None,
        title=title_of(place.text),
        statement=place.text,
        context=" > ".join(path),
        status="active",
        stated_date=_own_date(place.text) or day,
        confidence=confidence,
        locator=place.locator,
        links=distinct(list(text_links(place.text, None, is_status=False)), (None, "")),
    )


def _own_date(text: str) -> date | None:
    lead = re.match(r"\W*(?:on|at|am|le|el)\s[^,]{6,30}", text, re.IGNORECASE)
    return only_day(lead[0]) if lead else None
