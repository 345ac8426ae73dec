"""Makes true sentences false in one place, to measure what the checks of claims notice.

Knows nothing of how claims are checked, so that it cannot share a blind spot with what it measures. English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from bob.text.dates import MONTH_NAMES
from bob.text.number_words import SMALL_NUMBERS

_SCALES = (
    ["milliseconds", "seconds", "minutes", "hours", "days", "weeks", "months", "years"],
    ["millisecond", "second", "minute", "hour", "day", "week", "month", "year"],
    ["bits", "bytes", "kilobytes", "megabytes", "gigabytes"],
    ["bit", "byte", "kilobyte", "megabyte"],
    ["KB", "MB", "GB", "TB"],
    ["KiB", "MiB", "GiB"],
    ["mm", "cm", "km"],
    ["meters", "kilometers", "miles"],
    ["grams", "kilograms", "pounds"],
    ["ms", "µs", "ns"],
)
_SCALE_OF = {unit: scale for scale in _SCALES for unit in scale}
_UNIT = re.compile(
    rf"(?<![\w.-])(?:\d[\d,]*(?:\.\d+)?|{'|'.join(SMALL_NUMBERS[2:])})[\s-]?"
    rf"(?P<unit>{'|'.join(sorted(_SCALE_OF, key=len, reverse=True))})\b(?![-(.]\w)"
)
_NUMBER = re.compile(
    r"(?<![\w.,/:#@=+<>\-'\"(\[])(?<!\d )(?P<digits>\d{1,3}(?:,\d{3})+|\d{1,6})(?![\w/:=\-'\"]|[.,]\d|\s?\d)"
)
_WORD_NUMBER = re.compile(rf"\b(?P<digits>{'|'.join(SMALL_NUMBERS[2:])})\b(?!-)")
_LABELLED = re.compile(r"(?:\b[A-Z][\w+#]*|[Vv]ersion|section|chapter|step|level|PEP|RFC)\s$")
_MONTH = rf"(?P<month>{'|'.join(MONTH_NAMES)})"
_DATES = (
    re.compile(rf"\b{_MONTH}\s(?:\d{{1,2}},?\s)?(?:\d{{4}})\b"),
    re.compile(rf"\b\d{{1,2}}\s{_MONTH}\b"),
    re.compile(rf"\b{_MONTH}\s\d{{1,2}}\b"),
    re.compile(r"(?<![\w-])(?P<year>(?:19|20)\d\d)-\d\d-\d\d(?![\w-])"),
    re.compile(
        r"\b(?:in|since|until|of|before|after|by|from)\s(?P<year>(?:19|20)\d\d)\b(?![-/.]\w|\s\w+s\b)"
    ),
    re.compile(rf"\b(?:{'|'.join(MONTH_NAMES)})\s(?:\d{{1,2}},?\s)?(?P<year>(?:19|20)\d\d)\b"),
)

_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("flag", re.compile(r"(?<![\w-])--[a-z][a-z-]{2,}(?![\w=-])")),
    ("dotted", re.compile(r"(?<![\w./])[a-z_]\w+(?:\.[A-Za-z_]\w+)+(?![\w/]|\.\w)")),
    ("underscored", re.compile(r"(?<![\w./-])[a-z]+(?:_[a-z]+)+(?![\w./-])")),
    ("mixed", re.compile(r"(?<![\w./-])[A-Z][a-z]+(?:[A-Z][a-z]+)+(?![\w./-])")),
    ("acronym", re.compile(r"(?<![\w./-])[A-Z]{3,}(?![\w./-])")),
    ("capitalized", re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?![\w./-]|\s[A-Z])")),
)
_AUXILIARY = re.compile(
    r"(?<=\w )(?P<verb>is|are|was|were|can|will|should|must|does|do|did|could)\s"
    r"(?!not\b|no\b|n't|only\b|never\b|also\b|at\b|in\b|neither\b|nothing\b)(?=[a-z])",
)
_DENIED = re.compile(
    r"\b(?P<verb>is|are|was|were|will|should|must|does|do|did|could|has|have|would|may)(?:\snot|n't)\s"
    r"(?!only|just|necessarily|yet|be\sable)"
    r"(?=[a-z])|\b(?P<cannot>cannot|can't|can not)\s",
)
_CLAUSE_END = re.compile(r"\b(?:if|whether|or)\b[^,.]*$", re.IGNORECASE)

_QUANTIFIERS = {
    "some": "all",
    "Some": "All",
    "most": "all",
    "Most": "All",
    "sometimes": "always",
    "usually": "always",
    "often": "always",
    "rarely": "always",
    "at least": "at most",
    "at most": "at least",
    "more than": "less than",
    "less than": "more than",
    "few": "all",
    "always": "rarely",
    "All": "Few",
}
_OPPOSITES = (
    "before after|first last|true false|enabled disabled|enable disable|higher lower|increase decrease|"
    "increases decreases|minimum maximum|faster slower|allow deny|add remove|adds removes|include exclude|"
    "includes excludes|start end|public private|above below|input output|read write|ascending descending|"
    "optional required|local remote|valid invalid|larger smaller|longer shorter|absolute relative|"
    "mutable immutable|leading trailing|uppercase lowercase|explicitly implicitly|positive negative|odd even|"
    "left right|new old|accept reject|accepts rejects|internal external|synchronous asynchronous|"
    "encode decode|upper lower|open closed|success failure|prefix suffix|append prepend|unique duplicate"
)
_OPPOSITE_OF = {
    word: other for pair in _OPPOSITES.split("|") for word, other in (pair.split(), reversed(pair.split()))
}

Kind = str
KINDS: tuple[Kind, ...] = ("number", "date", "name", "negation", "unit", "quantifier", "comparison")
"""What can be made false in a sentence."""


@dataclass(frozen=True, slots=True)
class Injection:
    """A sentence made false: the whole sentence, and what was `said` there and stands there `instead`."""

    sentence: str
    kind: Kind
    said: str
    instead: str


def names_of(sentences: Sequence[str]) -> list[str]:
    """The names in sentences, each once, as the pool that `inject` takes others from."""
    tried = {
        match[0]: None for sentence in sentences for _, shape in _SHAPES for match in shape.finditer(sentence)
    }
    return list(tried)


def inject(sentence: str, kind: Kind, rng: Random, pool: Sequence[str] = ()) -> Injection | None:
    """The sentence with one error of a kind of `KINDS`; None where it has nothing that could be wrong so.

    The same sentence, kind, state of `rng` and pool of names give the same error. A name is replaced by one
    of the same shape from the pool that the sentence does not have.
    """
    changes = _CHANGES[kind](sentence, rng, pool)
    if not changes:
        return None
    start, end, instead = rng.choice(changes)
    false = sentence[:start] + instead + sentence[end:]
    return Injection(false, kind, sentence[start:end], instead)


Changes = list[tuple[int, int, str]]


def _numbers(sentence: str, rng: Random, pool: Sequence[str]) -> Changes:
    changes: Changes = []
    for match in _NUMBER.finditer(sentence):
        value = int(match["digits"].replace(",", ""))
        dated = 1500 <= value <= 2100 and "," not in match["digits"]
        if dated or _LABELLED.search(sentence[: match.start()]):
            continue
        other = rng.choice([value * 2 + 1, value * 3 + 2, value * 10 + 5, max(value // 3, 1) + 7 * value])
        written = f"{other:,}" if "," in match["digits"] else str(other)
        if not re.search(rf"\b{written}\b", sentence):
            changes.append((*match.span("digits"), written))
    for match in _WORD_NUMBER.finditer(sentence):
        others = [number for number in SMALL_NUMBERS[2:] if not re.search(rf"\b{number}\b", sentence)]
        if others:
            changes.append((*match.span("digits"), rng.choice(others)))
    return changes


def _units(sentence: str, rng: Random, pool: Sequence[str]) -> Changes:
    return [
        (
            *match.span("unit"),
            rng.choice([unit for unit in _SCALE_OF[match["unit"]] if unit != match["unit"]]),
        )
        for match in _UNIT.finditer(sentence)
    ]


def _dates(sentence: str, rng: Random, pool: Sequence[str]) -> Changes:
    changes: Changes = []
    for form in _DATES:
        for match in form.finditer(sentence):
            if "month" in form.groupindex:
                others = [name for name in MONTH_NAMES if name not in sentence]
                changes.append((*match.span("month"), rng.choice(others)))
            else:
                other = str(int(match["year"]) + rng.choice([-11, -3, -2, -1, 1, 2, 3, 12]))
                if other not in sentence:
                    changes.append((*match.span("year"), other))
    return changes


def _names(sentence: str, rng: Random, pool: Sequence[str]) -> Changes:
    changes: Changes = []
    lower = sentence.lower()
    for _, shape in _SHAPES:
        for match in shape.finditer(sentence):
            if match[0] in MONTH_NAMES or sentence.count(match[0]) > 1:
                continue
            others = [
                option for option in pool if shape.fullmatch(option) or shape.fullmatch(f"a {option}", 2)
            ]
            others = [
                option for option in others if option.lower() not in lower and option not in MONTH_NAMES
            ]
            if others:
                changes.append((*match.span(), rng.choice(others)))
    return changes


def _negations(sentence: str, rng: Random, pool: Sequence[str]) -> Changes:
    changes: Changes = []
    if sentence.endswith("?"):
        return changes
    for match in _DENIED.finditer(sentence):
        if not _CLAUSE_END.search(sentence[: match.start()]):
            changes.append((match.start(), match.end(), f"{match['verb'] or 'can'} "))
    if changes:
        return changes
    for match in _AUXILIARY.finditer(sentence):
        verb = match["verb"]
        plain = verb not in ("do", "does", "did") and not _CLAUSE_END.search(sentence[: match.start()])
        if plain:
            changes.append((match.start(), match.end(), "cannot " if verb == "can" else f"{verb} not "))
    return changes


def _swaps(table: dict[str, str]) -> Callable[[str, Random, Sequence[str]], Changes]:
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(table, key=len, reverse=True))})(?![\w-])")

    def changes(sentence: str, rng: Random, pool: Sequence[str]) -> Changes:
        return [
            (*match.span(), table[match[0]])
            for match in words.finditer(sentence)
            if not re.search(rf"\b{table[match[0]]}\b", sentence, re.IGNORECASE)
        ]

    return changes


_CHANGES: dict[Kind, Callable[[str, Random, Sequence[str]], Changes]] = {
    "number": _numbers,
    "date": _dates,
    "name": _names,
    "negation": _negations,
    "unit": _units,
    "quantifier": _swaps(_QUANTIFIERS),
    "comparison": _swaps(_OPPOSITE_OF),
}


_SYNONYMS = {
    "use": "employ",
    "uses": "employs",
    "begin": "start",
    "begins": "starts",
    "large": "big",
    "shows": "displays",
    "show": "display",
    "returns": "gives back",
    "contains": "holds",
    "obtain": "get",
    "whole": "entire",
    "specify": "give",
    "typically": "usually",
    "for example": "e.g.",
    "e.g.": "for example",
    "however": "but",
    "therefore": "so",
    "such as": "like",
    "in order to": "to",
    "need to": "have to",
    "because": "since",
    "works": "functions",
    "method": "method",
    "create": "make",
    "created": "made",
}
_CONTRACTED = {
    "do not": "don't",
    "does not": "doesn't",
    "is not": "isn't",
    "are not": "aren't",
    "cannot": "can't",
    "did not": "didn't",
    "will not": "won't",
    "was not": "wasn't",
    "should not": "shouldn't",
}
_CONTRACTED |= {short: long for long, short in _CONTRACTED.items()}
_FILLER = re.compile(
    r"\b(?:[Pp]lease )?[Nn]ote that (?:the |a )?(?=[a-z])|\b(?:also|simply|just|actually|basically)\s"
)
_CONDITION = re.compile(r"^(If|When) ([^,;:]+), (?!then\b)([A-Za-z`][^,;:]+?)([.!])$")
_SMALL_NUMBER = re.compile(rf"(?<=[a-z] )(?:[2-9]|1[0-2]|{'|'.join(SMALL_NUMBERS[2:])})(?=\s[a-z]{{3}})")
_MARKUP = re.compile(r"`+|(?<!\w)\*\*(?=\w)|(?<=\w)\*\*(?!\w)")


def rephrased(sentence: str, rng: Random) -> str | None:
    """The sentence said a little differently with the same meaning; None where nothing could be changed."""
    ways = [_swapped, _contracted, _without_filler, _condition_last, _other_numerals, _synonym, _unmarked]
    rng.shuffle(ways)
    changed = sentence
    for way in ways[:4]:
        changed = way(changed, rng)
    return changed if changed != sentence else None


def _table(table: dict[str, str], sentence: str) -> str:
    for word, other in table.items():
        changed = re.sub(rf"(?<![\w.'-]){re.escape(word)}(?![\w'-]|\.\w)", other, sentence, count=1)
        if changed != sentence:
            return changed
    return sentence


def _swapped(sentence: str, rng: Random) -> str:
    return (
        re.sub(r"(?<![\w.-])([a-z]+) and ([a-z]+)(?=[.,](?:\s|$))", r"\2 and \1", sentence, count=1)
        if rng.random() < 0.5
        else sentence
    )


def _contracted(sentence: str, rng: Random) -> str:
    return _table(_CONTRACTED, sentence)


def _synonym(sentence: str, rng: Random) -> str:
    return _table(dict(rng.sample(sorted(_SYNONYMS.items()), len(_SYNONYMS))), sentence)


def _without_filler(sentence: str, rng: Random) -> str:
    changed = _FILLER.sub("", sentence, count=1)
    return changed[:1].upper() + changed[1:]


def _condition_last(sentence: str, rng: Random) -> str:
    match = _CONDITION.match(sentence)
    if match is None:
        return sentence
    conjunction, condition, rest, stop = match.groups()
    return f"{rest[0].upper()}{rest[1:]} {conjunction.lower()} {condition}{stop}"


def _other_numerals(sentence: str, rng: Random) -> str:
    def other(match: re.Match[str]) -> str:
        replaced = match[0]
        return SMALL_NUMBERS[int(replaced)] if replaced.isdigit() else str(SMALL_NUMBERS.index(replaced))

    return _SMALL_NUMBER.sub(other, sentence, count=1)


def _unmarked(sentence: str, rng: Random) -> str:
    return _MARKUP.sub("", sentence)
