"""Recognizes a question that compares two things, and asks for each of the two alone.

What stands beside one of the two and is meant of both ("high and medium vulnerabilities", "voting members and
regular members of the council") is said of both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from bob.text import lexicon
from bob.text.opposites import OPPOSITES
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.words import stem, words_of

_MOST_OF = 4
"""So many words tell what the difference is of: "the difference in price between"."""

_MOST_SHARED = 3
"""Of so many words at the most is what the second thing has behind its own word: "low impact incidents"."""


_MOST_WORDS = 5
"""Things of which it is asked behind them how they differ are of so many words at the most."""

_TOKEN = re.compile(r"\w+|[^\w\s]+")


def compared(text: str) -> tuple[str, str] | None:
    """What is asked of the one thing and of the other, without question marks; None for other questions.

    >>> compared("How do high and medium risks differ")
    ('What is high risks', 'What is medium risks')
    """
    rules = _rules()
    asked = (match.sides() for rule in rules if (match := rule.match(text)) is not None)
    return next((sides for sides in asked if sides is not None), None) or _versus(text)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The two things, and what stands around them: `head` is asked of each, `tail` said of each."""

    head: str
    a: str
    b: str
    tail: str

    def sides(self) -> tuple[str, str] | None:
        """What is asked of each; None where what is compared is told by other words: "before and after"."""
        if not self.a.strip() or not self.b.strip() or self.a.split()[-1] in prepositions():
            return None
        before, one, other = completed(self.a, self.b)
        return self._asked_of(before, one), self._asked_of(before, other)

    def _asked_of(self, *thing: str) -> str:
        return " ".join(part for part in (self.head, *thing, self.tail) if part)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern of one language with the sides `a` and `b`, and how that language asks what a thing is. Where
    it `is_of_things`, a pronoun is none: "how is it different from prune"."""

    pattern: re.Pattern[str]
    what_is: str
    is_of_things: bool = False

    def match(self, text: str) -> _Comparison | None:
        """The comparison of a text, None where the rule does not fit it."""
        match = self.pattern.match(text)
        if match is None:
            return None
        parts = match.groupdict("")
        if self.is_of_things and not (_says_something(parts["a"]) and _says_something(parts["b"])):
            return None
        head = parts.get("head", "")
        asks = {word for word in words_of(head.lower()) if len(word) > 1}
        asked = self.what_is if asks <= QUERY_STOP_WORDS else head
        return _Comparison(asked, parts["a"], parts["b"], parts.get("of", "") + parts.get("tail", ""))


def _says_something(text: str) -> bool:
    """Whether a text has a word that is searched for, or that looks like a name or code."""
    return any(not word.islower() or word not in QUERY_STOP_WORDS for word in _TOKEN.findall(text))


def among(*words: str) -> str:
    """The part of a pattern that matches one of some words."""
    return f"(?:{lexicon.either(words)})"


def joining() -> str:
    """The part of a pattern that matches what stands between two things."""
    return rf"(?:{among(*lexicon.words('and'), *lexicon.words('or'))}|(?-i:{_versus_word()}))"


def article_or_none() -> str:
    """The part of a pattern that matches an article with the blank behind it, or nothing."""
    return rf"(?:{among(*_articles())}\s+)?"


def _versus_word() -> str:
    """Only in small letters: "VS" is a name more often."""
    return rf"(?!{among(*lexicon.phrases('not versus'))}\b){among(*lexicon.words('versus'))}"


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(re.compile(rf"{pattern}\Z", re.IGNORECASE), what_is, is_of_things)
        for language in lexicon.LANGUAGES
        for what_is in lexicon.whole_lines("what is", language)
        for patterns, is_of_things in ((_by_verb(language), True), (_by_noun(language), False))
        for pattern in patterns
    )


def _by_verb(language: str) -> list[str]:
    """For "what separates A from B" and "how does A differ from B"."""
    helping = among(*lexicon.words("helping to differ", language))
    being = among(*lexicon.phrases("being", language), *lexicon.words("helping to differ", language))
    asking = among(*lexicon.words("question words", language))
    apart = [
        rf"(?:\w+\s+){{0,3}}?{re.escape(verb)}\s+(?:{helping}\s+)?(?P<a>.+?)\s+{among(*words)}\s+(?P<b>.+)"
        for verb, words in lexicon.pairs("telling apart", language)
    ]
    return apart + [
        rf"(?:(?:\w+\s+){{0,2}}?{being}|(?:\w+\s+)?{asking})\s+(?P<a>.+?)\s+{re.escape(verb)}\s+{among(*words)}\s+(?P<b>.+)"
        for verb, words in lexicon.pairs("differing from", language)
    ]


def _by_noun(language: str) -> list[str]:
    """For "the difference between A and B", "A or B, what is the difference" and "how do A and B differ"."""
    join = joining()
    article = article_or_none()
    between = among(*lexicon.words("between", language))
    differ = among(*lexicon.phrases("differing", language))
    helping = among(*lexicon.words("helping to differ", language), *lexicon.phrases("differing", language))
    differences = lexicon.phrases("differences", language)
    difference = rf"\b{article}{among(*differences)}"
    different = rf"\b{article}{among(*differences, *lexicon.phrases('different', language))}"
    few = rf"[^\s,;:]+(?:\s+[^\s,;:]+){{0,{_MOST_WORDS - 1}}}?"
    two, two_few = (rf"(?P<a>{thing})\s+{join}\s+(?P<b>{thing})" for thing in (".+?", few))
    return [
        rf"(?P<head>.*?){different}(?P<of>(?:\s+\w+){{0,{_MOST_OF}}}?)\s+{between}\s+"
        rf"(?P<a>.+?)\s+{join}\s+(?P<b>[^,;?]+)(?P<tail>.*)",
        rf"{two_few}\s*(?:[,;:–—]|\s-\s).*\b(?:{different}|{differ})\b.*",
        rf"{difference}\s+{two_few}",
        rf"{two_few}\s+{difference}",
        rf"(?=.*\b{differ}\b)\w+\s+{helping}\s+(?:{helping}\s+)*{two}(?:\s+{differ}(?P<tail>\s.+)?)?",
    ]


_BEHIND_TWO = re.compile(r"[,;:](?=\s)\s*|\s+[–—-]\s+")
"""What stands between two things and a question about both: "tabs vs spaces: which is wider"."""


def _versus(text: str) -> tuple[str, str] | None:
    """As in "critical versus low risks: who decides"."""
    versus, differs = _versus_words()
    match = versus.search(text)
    if match is None:
        return None
    left, (right, *rest) = text[: match.start()], _BEHIND_TWO.split(text[match.end() :], maxsplit=1)
    if not (words_of(left) and words_of(right)):
        return None
    head, asked = "", "" if differs.search(" ".join(rest)) else " ".join(rest)
    if subject := re.match(r".*(?:[,;:]|\s[–—-])(?=\s)", left):
        head, left = subject[0], left[subject.end() :]
    elif left.split(" ", 1)[0].lower() in lexicon.words("question words"):
        head, left = _before_thing(left.split(), right.split())
    elif not asked and not prepositions().intersection(left.lower().split()):
        head = lexicon.whole_lines("what is", "en")[0]
    return _Comparison(head, left, right, asked and f": {asked}").sides() if words_of(left) else None


def _before_thing(left: list[str], right: list[str]) -> tuple[str, str]:
    """The words of a question, and of those the last ones that are compared with others."""
    stems = [stem(word.lower()) for word in right]
    last = stem(left[-1].lower())
    nearest = max(0, len(left) - _MOST_SHARED - 1)
    if last in stems:
        start = len(left) - 1 - stems.index(last)
    else:
        alike = (at for at in range(len(left) - 2, nearest, -1) if _opens_alike(left[at], right[0]))
        start = next(alike, len(left) - 1)
    start = max(start, 1)
    return " ".join(left[:start]), " ".join(left[start:])


def _opens_alike(word: str, other: str) -> bool:
    return word.lower() == other.lower() or {word.lower(), other.lower()} <= _articles()


def completed(a: str, b: str) -> tuple[str, str, str]:
    """The words before both things, and both, each with what stands beside the other and is said of both.

    >>> completed("the fee for high", "medium risks"), completed("a formal", "a short warning")
    (('the fee for', 'high risks', 'medium risks'), ('', 'a formal warning', 'a short warning'))
    >>> completed("voting members", "regular members of the board"), completed("an issue", "a pull request")
    (('', 'voting members of the board', 'regular members of the board'), ('', 'an issue', 'a pull request'))
    """
    one, other = a.split(), b.split()
    start = _start_of_thing(one, other)
    before, one = one[:start], one[start:]
    return " ".join(before), " ".join((*one, *_shared_behind(one, other))), b


def _start_of_thing(one: list[str], other: list[str]) -> int:
    """Where the first thing begins behind what is said of both: "the fee for high and medium risks"."""
    words, opening = [word.lower() for word in one], other[0].lower()
    if words[0] == opening:
        return 0
    if opening in prepositions():
        return words.index(opening) if opening in words else 0
    if words[-len(other) :] == [word.lower() for word in other]:
        return 0
    start = max((at + 1 for at, word in enumerate(words[:-1]) if word in prepositions()), default=0)
    alike = words[start] == opening or not {words[start], opening} & _articles()
    return start if start and alike and words[start - 1] not in map(str.lower, other) else 0


def _shared_behind(one: list[str], other: list[str]) -> list[str]:
    """What is said behind the second thing of both: the noun of the first, and what follows a preposition."""
    behind = next((at for at, word in enumerate(other) if at and word.lower() in prepositions()), len(other))
    thing, own = _without_article(other[:behind]), _without_article(one)
    if not own or not thing or prepositions().intersection(map(str.lower, own)):
        return []
    nouns: list[str] = []
    is_alike = stem(own[-1].lower()) == stem(thing[-1].lower())
    if own[0].lower() == thing[0].lower():
        nouns = thing[len(own) :]
    elif len(own) == 1 < len(thing) <= 1 + _MOST_SHARED and _qualifies(
        own[0], thing, own == one and thing == other[:behind]
    ):
        nouns = thing[1:]
    belongs = behind < len(other) and other[behind].lower() in lexicon.words("belonging to")
    if belongs and not nouns and not (is_alike and len(thing) > 1):
        # "of the board" is said of the word before it: of both only where that is the same.
        return []
    return [*nouns, *other[behind:]]


def _qualifies(word: str, thing: list[str], without_articles: bool) -> bool:
    """Whether a word is no thing itself but says which one, as "high" in "high and medium risks"."""
    if not word.isalpha() or (word[0].isupper() and thing[0][0].islower()):
        return False
    if stem(word.lower()) in OPPOSITES or _adjective().search(word):
        return True
    if word.islower() and thing[0].islower() and thing[-1][0].isupper():
        return True
    return without_articles and len(thing) == 2 and thing[-1].endswith("s") and not word.endswith("s")


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if words and words[0].lower() in _articles() else words


@cache
def _versus_words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """For what stands between two things that are set against each other, and what asks how they differ."""
    sections = ("differences", "different", "differing")
    differs = among(*(phrase for section in sections for phrase in lexicon.phrases(section)))
    return re.compile(rf"\s+{_versus_word()}\s+"), re.compile(rf"\b{differs}\b", re.I)


@cache
def _adjective() -> re.Pattern[str]:
    return re.compile(rf"\w{{2}}(?:{lexicon.any_of('endings of adjectives')})\Z", re.I)


@cache
def _articles() -> frozenset[str]:
    return frozenset(lexicon.words("articles"))


@cache
def prepositions() -> frozenset[str]:
    """Those of all languages, in lower case."""
    return frozenset(lexicon.words("prepositions"))
