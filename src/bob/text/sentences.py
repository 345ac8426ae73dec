"""The sentences of a text: where they end, and which announce a decision or a preference.

They do not end at abbreviations, nor inside brackets, code or quotations. Source code has no sentences; it is
recognized here, too.

`decision_certainty` is for whoever stands for it, such as the registry of decisions: it wants the writers as
the subject, a verb that decides, and nothing that makes it a question, a supposition or history.
`announces_decision` is for whoever judges what it finds once more: it has all of these and many more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from bob.text import lexicon
from bob.text.words import folded, phrase_pattern

CODE_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
"""A block of code; one that is not closed runs to the end, as in Markdown."""

# Begins at the first mark of several, so that a long row of them is read once.
_SENTENCE_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]*_`»]*+(?=\s|$)|[。！？]")
_INK = re.compile(r"\S")
_BLOCK_END = re.compile(r"\n[^\S\n]*+\n\s*+|\n(?=[^\S\n]*+(?:[-*>•]|\d{1,3}[.)])\s)")
"""A blank line, or the end of a line before an item of a list or a quotation."""

_TAIL = 40
"""Characters before a stop in which its abbreviation, or its initial and the name before that, stands."""

_OPEN_BRACKET_CHARACTERS = 400
"""No sentence ends inside brackets or code, as long as they are closed within so many characters."""

_BRACKETS = (("(", ")"), ("[", "]"))
_QUOTES = ("``", "`", '"')


def _ending(entries: Iterable[str]) -> re.Pattern[str]:
    """Matches a stop and what stands before it, read backwards, where that is one of the entries. One of
    three letters or more may have a capital first, and one that begins with "…" is the end of a word."""
    longest_first = sorted(entries, key=lambda entry: (-len(entry), entry))
    return re.compile(rf"\.(?:{'|'.join(map(_backwards, longest_first))})")


def _backwards(entry: str) -> str:
    if entry.startswith("…"):
        return rf"{re.escape(entry[:0:-1])}(?=[^\W\d_]{{3}})"
    first = re.escape(entry[0])
    if len(entry) > 2 and entry[:3].islower():
        first = f"[{first}{entry[0].upper()}]"
    return rf"{re.escape(entry[:0:-1])}{first}(?!\w)"


def _by_beginning(entries: Iterable[str]) -> dict[str, list[str]]:
    """What follows the stops inside abbreviations of several words, by what ends there: "dent" by "med"."""
    rests: dict[str, list[str]] = {}
    for entry in entries:
        for stop in re.finditer(r"\. ", entry):
            rests.setdefault(entry[: stop.start()], []).append(entry[stop.end() :])
    return rests


_ABBREVIATIONS = lexicon.phrases("abbreviations")
_ABBREVIATION = _ending(_ABBREVIATIONS)
_BEFORE_NUMBER = _ending(lexicon.phrases("abbreviations before a number"))
_BEFORE_NAME = _ending(lexicon.phrases("abbreviations before a name"))
_RESTS = _by_beginning(_ABBREVIATIONS)
_BEGUN = _ending(_RESTS)
_LETTER = re.compile(r"(?<![\w.])(?<!\d\s)[^\W\d_A-Z]\.\Z")
_LETTER_AFTER = re.compile(r"[^\W\d_]\.")
_LETTERS = re.compile(r"(?<![\w.])(?<!\d\s)(?:[^\W\d_]\.\s?){1,4}[^\W\d_]\.\Z")
"""Letters that stand for words, each with its stop ("i. d. R."); behind a number they are a unit."""
_OPENS_SENTENCE = frozenset(
    (
        *lexicon.words("function words"),
        *lexicon.words("common words"),
        *lexicon.words("question words"),
        *lexicon.words("opening words"),
    )
)
"""With one of them, written with a capital, a sentence begins, so that an abbreviation before it ends one."""
_WORD_AFTER = re.compile(r"[(\[\"'“„*_§$€£]{0,3}\s?([^\W\d_]+|\d)")
_ORDINAL = re.compile(r"(?:(?<!\S)(?P<before>\w+)\s+)?(?<![\w.,])\d{1,2}\\?\.\Z")
"""A number as German writes "the first", and the word before it."""
_COUNTED = lexicon.either((*lexicon.phrases("months", "de"), *lexicon.words("after an ordinal", "de")))
_AFTER_ORDINAL = re.compile(rf"(?:{_COUNTED})\b", re.IGNORECASE)
_ONLY_GERMAN = frozenset(lexicon.phrases("months", "de")).difference(lexicon.phrases("months", "en"))
_BEFORE_ORDINAL = frozenset((*lexicon.words("prepositions", "de"), *lexicon.words("articles", "de")))
_BEFORE_ANY_ORDINAL = frozenset(lexicon.words("before any ordinal", "de"))
_DAY_AND_MONTH = re.compile(r"(?<![\w.,])\d{1,2}\.\s\d{1,2}\.\Z")
_YEAR_AFTER = re.compile(r"(?:1\d|20)\d\d\b")
_MONTH_AFTER = re.compile(r"(?:0?[1-9]|1[0-2])\.(?P<year>\s?(?:(?:1\d|20)\d\d|\d\d)\b)?(?!\d)")
"""A date as German writes it, with a blank behind each stop: "am 1. 12. 2023"."""
_INITIAL = re.compile(r"\b[A-Z]\w{0,30}\.?\s[A-Z]\.\Z")
_INITIALS = re.compile(r"\s?[A-Z]\.\s?[A-Z][\w'’-]")
"""Behind the first of several: "J. P. Hartmann"."""
PART_OF_SPEECH = r"(?:n|v[ti]?|adj|adv)\."
"""As a dictionary abbreviates it after a word ("haar, n. A cold sea fog")."""
_NUMBERED = (
    rf"(?:§|(?:{lexicon.any_of('abbreviations before a number')})\.)"
    r" ?\d{1,4}º?(?:-?[A-Z])?\."
)
_FIGURE = re.compile(rf"[(~<>≈±+-]{{0,2}}(?:R?\$|[€£])?\s?\d|[IVXLC]{{2,}}\b|[VX]\b|{_NUMBERED[:-2]}")
"""A number, also in Roman figures, or a paragraph of a law: some abbreviations stand before one alone."""
_OPENING = re.compile(
    rf"[A-Z]\.|\d{{1,3}}\.|[*_]*{_NUMBERED}|[^\W\d_][\w'-]{{0,30}}(?: [\w'-]+){{0,2}}, {PART_OF_SPEECH}"
)
"""An initial, an item's number, that of a law's article, or an entry of a dictionary with its part of speech:
so a sentence begins."""


_NUMBER_IN_A_ROW = re.compile(r"(?<!\d)[:,;]\s\d{1,2}\.\Z")
"""Of an item that stands in a sentence: "in this order: 1. The escort, 2. The clergy"."""


def sentence_ranges(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences between `start` and `end`, in order; together they cover it all.

    Takes time linear in the length of the text.
    """
    end = len(text) if end is None else end
    begin = counted = start
    open_marks = _OpenMarks()
    for stop in _SENTENCE_END.finditer(text, start, end):
        open_marks.add(text, counted, stop.end())
        counted = stop.end()
        following = _INK.search(text, counted, end)
        after = following.start() if following else end
        if (
            (after < end and (text[after].islower() or text[after] in ",;"))
            or _is_abbreviation(text, begin, counted, after, end)
            or open_marks.close_within(text, after, min(end, after + _OPEN_BRACKET_CHARACTERS))
        ):
            continue
        yield begin, counted
        begin = counted
        open_marks = _OpenMarks()
    if begin < end:
        yield begin, end


def sentences_within(places: Iterable[tuple[str, int, int]]) -> list[list[tuple[int, int]]]:
    """For each range of a text the ranges of its sentences, in order."""
    return [list(sentence_ranges(text, start, end)) for text, start, end in places]


def message_sentences(text: str) -> list[str]:
    """The sentences of a message, none empty, their blanks made single. Blank lines and items of a list end a
    sentence, too."""
    ranges = []
    start = 0
    for stop in (
        *((match.start(), match.end()) for match in _BLOCK_END.finditer(text)),
        (len(text), len(text)),
    ):
        ranges += [
            " ".join(text[first:last].split()) for first, last in sentence_ranges(text, start, stop[0])
        ]
        start = stop[1]
    return [sentence for sentence in ranges if sentence]


def without_code(text: str) -> str:
    """The text without its blocks of code."""
    return CODE_FENCE.sub("\n\n", text).strip()


_CODE_LINE = re.compile(
    r"^\s*(?:def |class \w+[:({]|import \w|from \w+ import|return\b|for ?\(|for \w+ in .*:$|if ?\(.*\)|"
    r"while ?\(|"
    r"const |let |var |function\b|fn |pub |public |private |#include|@\w+|SELECT\b.*\bFROM\b|\$ \w|"
    r"<\/?\w[^>]*>$)"
    r"|[;{}]\s*$|^\s*\w+(?:\.\w+)*\([^)]*\);?$|^\s*[\w.]+ ?[-+]?= ?[^=]"
)


def looks_like_code(text: str) -> bool:
    """Whether most lines of the text read as code; fences are not looked at."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and sum(bool(_CODE_LINE.search(line)) for line in lines) * 2 > len(lines)


class _OpenMarks:
    """The brackets and quotation marks of a sentence so far."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, text: str, start: int, end: int) -> None:
        """Count those of one more piece of the sentence."""
        for mark in ("(", ")", "[", "]", *_QUOTES):
            if count := text.count(mark, start, end):
                self._counts[mark] = self._counts.get(mark, 0) + count

    def close_within(self, text: str, start: int, end: int) -> bool:
        """Whether one that is open is closed in the range."""
        counts = self._counts
        if not counts:
            return False
        return any(
            counts.get(opening, 0) > counts.get(closing, 0) and text.find(closing, start, end) >= 0
            for opening, closing in _BRACKETS
        ) or any(counts.get(mark, 0) % 2 == 1 and text.find(mark, start, end) >= 0 for mark in _QUOTES)


def _is_abbreviation(text: str, begin: int, stop: int, after: int, end: int) -> bool:
    """Whether the stop belongs to an abbreviation, an initial, an ordinal, or what a sentence begins with."""
    while stop - begin <= _TAIL and text[stop - 1] in "*_":
        # "**Art. 5.**"
        stop -= 1
    if text[stop - 1] != ".":
        return False
    tail = text[max(begin, stop - _TAIL) : stop]
    if stop - begin <= _TAIL and _OPENING.fullmatch(tail.lstrip()):
        return True
    if _NUMBER_IN_A_ROW.search(tail):
        return True
    backwards = tail[::-1]
    is_letter = len(tail) == 2 or not tail[-3:-2].isalnum()
    if _ABBREVIATION.match(backwards) or (is_letter and _INITIAL.search(tail)):
        return True
    if after >= end:
        return False
    begun = _BEGUN.match(backwards)
    if begun and any(text.startswith(rest, after) for rest in _RESTS.get(begun[0][:0:-1], ())):
        return True
    if is_letter and tail[-2:-1].isupper() and _INITIALS.match(text, after, end):
        return True
    if is_letter and _LETTER.search(tail) and _LETTER_AFTER.match(text, after, end):
        return True
    if _BEFORE_NUMBER.match(backwards) and _FIGURE.match(text, after, end):
        return True
    following = _WORD_AFTER.match(text, after, end)
    if following and following[1].lower() in _OPENS_SENTENCE:
        return False
    if following and ((is_letter and _LETTERS.search(tail)) or _BEFORE_NAME.match(backwards)):
        return True
    # In Markdown the stop behind a number may be escaped: "24\\. Dezember".
    return tail[:-1].removesuffix("\\")[-1:].isdigit() and _is_ordinal(tail, text, after, end)


def _is_ordinal(tail: str, text: str, after: int, end: int) -> bool:
    """Whether a number and its stop are a German ordinal ("1. Januar", "1. 12. 2023"): before the number of a
    month, a month that English has not, or a floor; behind "im" or "vom"; or between a German word and what
    is counted, since a sentence may end with a number and the next begin with "April"."""
    if _DAY_AND_MONTH.search(tail) and _YEAR_AFTER.match(text, after, end):
        return True
    ordinal = _ORDINAL.search(tail)
    if ordinal is None or after >= end:
        return False
    before = (ordinal["before"] or "").lower()
    if month := _MONTH_AFTER.match(text, after, end):
        return month["year"] is not None or before in _BEFORE_ORDINAL
    if not text[after].isalpha():
        return False
    counted = _AFTER_ORDINAL.match(text, after, end)
    if counted is None:
        return before in _BEFORE_ANY_ORDINAL
    return counted[0].lower() in _ONLY_GERMAN or counted[0].isupper() or before in _BEFORE_ORDINAL


DECISION_HINTS = lexicon.phrases("decision hints")
"""A passage with none of these in small letters states no decision."""

_LONGEST = 1000
"""Characters of a sentence; what is longer is no sentence."""


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in words)


def _with_continuations(language: str) -> str:
    return "|".join(
        rf"{re.escape(verb)}\s+(?:{_either(rest)})\b" if rest else rf"{re.escape(verb)}\b"
        for verb, rest in lexicon.pairs("decision verbs", language)
    )


_DECIDED, _DECIDED_IN_PORTUGUESE = map(_with_continuations, ("en", "pt"))
_CHOSE, _CHOSE_IN_PORTUGUESE = (
    _either(lexicon.phrases("choosing verbs", language)) for language in ("en", "pt")
)
_NAMED = r"\s+(?:(?:the|o|a)\s)?[\"'“`*]*(?-i:[A-Z])[\w.+#-]*"
_TEAM_IN_PORTUGUESE = r"(?:(?:a\sequipe|o\stime|a\sdiretoria|o\sconselho)\s)?"
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
_START = (
    r"(?P<before>(?:^|.*?(?:[,;:—–(]|\s-\s|\b(?:and|so|but|therefore|thus|hence|then|finally|eventually|"
    r"ultimately|"
    r"today|yesterday|accordingly|consequently|because|since|that|meeting|discussion|week|reasons?|end|"
    r"instead)))[\s*_\"“(]*)"
)
_FORMS: tuple[tuple[float, str], ...] = (
    (0.8, rf"{_START}{_TEAM}\s*{_ADVERBS}(?:{_DECIDED})"),
    (0.8, rf"{_START}{_TEAM_IN_PORTUGUESE}(?:{_DECIDED_IN_PORTUGUESE})"),
    (0.7, rf"{_START}(?:{_TEAM}\s*{_ADVERBS})(?:{_CHOSE}){_NAMED}"),
    (0.7, rf"{_START}{_TEAM_IN_PORTUGUESE}(?:{_CHOSE_IN_PORTUGUESE}){_NAMED}"),
    (
        0.7,
        rf"{_START}(?:from\snow\son,?\s+)?(?:we['’]ll|we\s(?:will|shall))\s(?:use|adopt|go\swith)\s"
        r"[^,.;:!?]{1,80}?\sfrom\snow\son\b",
    ),
    (0.7, r"(?P<before>)\W*from\snow\son,?\s+we(?:['’]ll|\s(?:will|shall)|)\s(?:use|adopt|go\swith)\s"),
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
_IN_WORDS = 0.75
"""For the sentences of the lexicon."""
_WEAKEST = 0.6  # "I decided" tells stories too
_ALONE = re.compile(r"\W*i\b", re.IGNORECASE)

_WORD_PATTERNS = (
    ("~", r"\w+"),
    ("…", r"(?:\s+[\w-]+){0,9}?"),
    ("#", r"\d"),
    ("<clause>", r"[^;:!?]{0,160}?"),
    ("<have>", r"(?:'ve|'d|'s| have| had| has)?(?: just| finally| already| now| both| all)*"),
)


@cache
def section_pattern(section: str) -> re.Pattern[str]:
    """Finds any of a section's lines in a folded text, at word borders; see "decision announcements"."""
    spans = []
    for line in lexicon.whole_lines(section):
        pattern = re.sub(r"\((?!\?)", "(?:", folded(line.replace("…", "\0")).replace("\0", "…"))
        for written, meant in _WORD_PATTERNS:
            pattern = pattern.replace(written, meant)
        spans.append(pattern)
    return re.compile(rf"(?<!\w)(?:{'|'.join(spans)})(?!\w)")


@cache
def _compiled_forms() -> tuple[tuple[float, re.Pattern[str]], ...]:
    """Made when they are first needed: they take longer to make than a command does to start."""
    return tuple((confidence, re.compile(form, re.IGNORECASE | re.DOTALL)) for confidence, form in _FORMS)


def states_before_asking(text: str) -> bool:
    """Whether a sentence that states something stands before the last one.

    >>> states_before_asking("The deposit is 300 euros. Who pays it?"), states_before_asking("Mr. Olsen?")
    (True, False)
    """
    *before, _ = (text[start:end].rstrip() for start, end in sentence_ranges(text))
    return any(sentence.endswith((".", "!")) for sentence in before)


def announces_decision(text: str) -> bool:
    """Whether a text says that something is decided."""
    announced = section_pattern("decision announcements").search(folded(text))
    return announced is not None or decision_certainty(text) > 0


def states_choice(text: str) -> bool:
    """Whether a text of a decision says what was decided."""
    return announces_decision(text) or bool(section_pattern("choices").search(folded(text)))


def states_preference(text: str) -> bool:
    """Whether a text says what somebody likes, wants or cannot stand."""
    return bool(section_pattern("preferences").search(folded(text)))


def decision_certainty(sentence: str, headings: Sequence[str] = ()) -> float:
    """How sure it is that a sentence states a decision of those who write, from 0 (it does not) to 1.

    `headings` are those above it: under one that speaks of history it has to say more.
    """
    sentence = sentence.replace("*", "")
    if len(sentence) > _LONGEST or not hints_at_decision(sentence) or _UNREAL_SENTENCE.search(sentence):
        return 0.0
    for confidence, form in _compiled_forms():
        match = form.match(sentence)
        if match is None or _UNREAL.search(match["before"]):
            continue
        is_past = _HISTORY.search(sentence) or any(map(_HISTORY_HEADING.search, headings))
        is_weak = confidence <= _IMPERSONAL or _ALONE.match(sentence, match.end("before"))
        if is_weak and is_past:
            continue
        return _WEAKEST if _ALONE.match(sentence, match.end("before")) else confidence
    return _IN_WORDS if stated_in("decision sentences", sentence) else 0.0


def stated_in(section: str, sentence: str, *, may_deny: bool = False) -> bool:
    """Whether a sentence has one of a section's lines, in a clause that neither supposes nor, unless it
    `may_deny`, denies it, and no rule goes on behind it."""
    if _UNREAL_SENTENCE.search(sentence):
        return False
    text = folded(" ".join(sentence.split()))
    for match in section_pattern(section).finditer(text):
        clause = max(text.rfind(mark, 0, match.start()) for mark in ",;:") + 1
        end = match.start() if may_deny else match.end()
        if not _supposing().search(text, clause, end) and not _ruling().match(text, match.start()):
            return True
    return False


@cache
def _supposing() -> re.Pattern[str]:
    return phrase_pattern(tuple(map(folded, lexicon.phrases("not yet resolved"))))


@cache
def _ruling() -> re.Pattern[str]:
    """Matches from a resolution on, where what follows it makes it a rule or a wish."""
    phrases = lexicon.either(map(folded, lexicon.phrases("resolves as a rule"))).replace(r"\ ", r",?\s")
    return re.compile(rf"[^,;:]{{0,200}}?\b(?:{phrases})\b")


def hints_at_decision(text: str) -> bool:
    """Whether a text may state a decision: looked for before anything dearer."""
    lowered = text.lower()
    return any(hint in lowered for hint in DECISION_HINTS)
