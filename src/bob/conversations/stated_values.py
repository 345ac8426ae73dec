"""Takes short statements apart that give something a value, so that a later one can be set against another.

"We use Stripe for payments" has a subject (who speaks), a relation (a choice), a value and what it is for. Of
the same subject, relation and purpose one value holds at a time. What does not have this form is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from bob.text import lexicon
from bob.text.negation import denies
from bob.text.stop_words import SUBJECT_STOP_WORDS
from bob.text.words import folded, with_plain_marks

_WORD = re.compile(r"\w+(?:[.,:/+#-]\w+)*[+#]*")
_SUFFIXES = ("ing", "ed", "es", "s", "ly")
_STEM = 4
"""No stem is shorter: "uses" and "used" meet, "is" and "as" do not."""

_LONGEST_VALUE = 3
"""Words in a value that took another's place."""

_MOST_BESIDE = 2
"""Words of meaning that an earlier statement may have beside its value: more of them would end with it."""

_LONGEST = 400
"""Characters of a statement that is taken apart."""

Words = frozenset[str]


def subject_words(text: str) -> list[str]:
    """The words that carry meaning, folded and without plain endings, in order. Figures are among them."""
    return [_stem(word) for word in _WORD.findall(folded(text)) if word not in SUBJECT_STOP_WORDS]


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM:
            return word[: -len(suffix)].rstrip("e")
    return word if len(word) <= _STEM else word.rstrip("e")


@dataclass(frozen=True, slots=True)
class StatedValue:
    """What a clause gives a value: `kind` is that of a figure or a day, empty for other values; `purpose` the
    words behind the value, `beside` those of the statement's other clauses."""

    relation: str
    subject: Words
    value: Words
    kind: str
    purpose: Words
    beside: Words
    denied: bool


@dataclass(frozen=True, slots=True)
class _Former:
    """A value that no longer holds by a statement's own words, of which subject and for what."""

    value: Words
    subject: Words
    purpose: Words


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement taken apart; `later` if it tells of a time to come."""

    values: tuple[StatedValue, ...]
    formers: tuple[_Former, ...]
    words: Words
    changes: bool
    adds: bool
    later: bool


NEAR = 0.4
"""The cosine from which on a value takes another's place that is not named: "we moved to SQLite" says nothing
of where somebody lives."""


def ends_value(new: str, old: str, cosine: float) -> bool:
    """Whether a statement gives another value to what an earlier one gave one, or ends that one by name."""
    earlier, later = _taken_apart(old), _taken_apart(new)
    if later.adds:
        return False
    for former in (stated for stated in earlier.values if not stated.denied):
        if len(former.beside) > _MOST_BESIDE:
            continue
        if any(_is_named(ended, former) for ended in later.formers):
            return True
        if later.later or earlier.adds or cosine < NEAR or (later.formers and not former.kind):
            continue
        if any(_replaces(stated, former, later.changes) for stated in later.values):
            return True
    return False


def keeps_value(new: str, old: str) -> bool:
    """Whether both give values of one relation, and the later one only says the same value again or speaks of
    something that the other does not mention: then it ends nothing."""
    later, earlier = _taken_apart(new), _taken_apart(old)
    pairs = [
        (stated, former)
        for stated in later.values
        for former in earlier.values
        if stated.relation == former.relation or (stated.kind and _same_kind(stated.kind, former.kind))
    ]
    return bool(pairs) and all(
        stated.subject - earlier.words
        or former.subject - later.words
        or (stated.kind and stated.subject != former.subject)
        or (stated.value == former.value and stated.purpose >= former.purpose and not stated.denied)
        for stated, former in pairs
    )


def tells_value(text: str) -> bool:
    """Whether a text says of something that it has a value, or no longer has one."""
    taken_apart = _taken_apart(text)
    return any(stated.subject or stated.relation != "being" for stated in taken_apart.values) or bool(
        taken_apart.formers
    )


def _is_named(ended: _Former, former: StatedValue) -> bool:
    about = former.value | former.purpose | former.subject
    return bool(ended.value) and (
        ended.subject == former.subject
        and (ended.value <= former.value or ended.value == former.purpose)
        and ended.purpose <= about
    )


def _replaces(later: StatedValue, earlier: StatedValue, changes: bool) -> bool:
    if later.denied or later.subject != earlier.subject:
        return False
    if earlier.kind or later.kind:
        moved = changes or "level" in (later.relation, earlier.relation)
        other = not (_figures(later.value) & _figures(earlier.value))
        return bool(later.subject) and moved and other and _same_kind(later.kind, earlier.kind)
    if later.value & earlier.value or later.relation not in _REPLACING.get(earlier.relation, ()):
        return False
    if later.relation == "choice":
        return bool(later.purpose) and later.purpose == earlier.purpose
    return changes


_REPLACING = {"choice": {"choice"}, "home": {"home", "move"}, "work": {"work"}, "vehicle": {"vehicle"}}
"""By what a value that is not named ends."""


def _figures(value: Words) -> Words:
    """The value without a unit; a day has no figure."""
    return frozenset(word for word in value if word[0].isdigit()) or value


def _same_kind(one: str, other: str) -> bool:
    """Whether two kinds are the same; a unit may be left out ("stays at 85")."""
    measure, _, unit = one.partition(":")
    other_measure, _, other_unit = other.partition(":")
    return bool(one) and measure == other_measure and (unit == other_unit or not (unit and other_unit))


@lru_cache(8_192)
def _taken_apart(text: str) -> _Statement:
    forms = _forms()
    plain = " ".join(with_plain_marks(text[:_LONGEST]).casefold().split())

    # A reason that follows says nothing of the value.
    parts = (forms.reason.split(part, maxsplit=1)[0].strip() for part in forms.clause_end.split(plain))
    clauses = [part for part in parts if part]
    values: list[StatedValue] = []
    formers: list[_Former] = []
    for clause in clauses:
        if ended := _find_former(clause):
            # "The move is in April, not March": what was said before it says of what.
            subject = ended.subject or (values[-1].subject if values else frozenset())
            formers.append(replace(ended, subject=subject))
        if stated := _find_value(_without(forms.filler, _without(forms.former, clause))):
            values.append(stated)
            if stated.denied:
                formers.append(_Former(stated.value, stated.subject, stated.purpose))
    words = frozenset(subject_words(_without(forms.filler, ". ".join(clauses))))

    values = [
        replace(stated, beside=words - stated.subject - stated.value - stated.purpose - stated.beside)
        for stated in values
    ]
    changes = bool(
        formers or forms.filler.search(plain) or any(stated.relation == "move" for stated in values)
    )
    return _Statement(
        tuple(values),
        tuple(formers),
        words,
        changes,
        bool(forms.adds.search(plain)),
        bool(forms.later.search(plain)),
    )


def _without(pattern: re.Pattern[str], text: str) -> str:
    return " ".join(pattern.sub(" ", text).split())


def _find_former(clause: str) -> _Former | None:
    match = _forms().former.search(clause)
    if match is None:
        return None
    head, tail = (
        _without(_forms().filler, part) for part in (clause[: match.start()], clause[match.end() :])
    )
    value = next(group for group in match.groups() if group is not None)
    stated = _find_value(head)
    purpose = frozenset(subject_words(tail))
    if stated is None:
        return _Former(frozenset(subject_words(value)), frozenset(subject_words(head)), purpose)
    return _Former(frozenset(subject_words(value)), stated.subject, purpose | stated.purpose)


def _find_value(clause: str) -> StatedValue | None:
    """The value that a clause gives, if it has the form."""
    return next(filter(None, (_stated_by(verb, clause) for verb in _forms().verb.finditer(clause))), None)


def _stated_by(match: re.Match[str], clause: str) -> StatedValue | None:
    forms = _forms()
    relation = forms.relations[match[0]]
    head, tail = clause[: match.start()].strip(), clause[match.end() :].strip()
    if not tail and relation == "choice":
        # German puts the verb last: "… Jira für die Aufgaben zu nutzen".
        head, tail = "", head
    tail = forms.denial.sub(" ", tail, count=1).strip() if forms.denial.match(tail) else tail
    lead = forms.lead.match(tail)
    before = lead[0].split() if lead else []
    rest = tail[lead.end() :] if lead else tail
    parts = forms.stop.split(rest, maxsplit=1)
    value = frozenset(subject_words(parts[0]))
    if not value or len(parts[0].split()) > _LONGEST_VALUE + 1 or len(value) > _LONGEST_VALUE:
        return None
    if forms.others.search(head) or (relation in ("home", "move") and before):
        # Of whom "they" speaks is said elsewhere; "in a flat", "in the north" is no town.
        return None
    kind = _kind_of(parts[0].split(), before) if relation in ("being", "level") else ""
    purpose = frozenset(subject_words(rest[len(parts[0]) :]))
    return StatedValue(
        relation,
        frozenset(subject_words(head)),
        value,
        kind,
        purpose,
        frozenset(subject_words(match[0])),
        denies(clause),
    )


def _kind_of(words: list[str], before: list[str]) -> str:
    forms = _forms()
    first = words[0]
    following = words[1] if len(words) > 1 else ""
    if first.partition("-")[0] in forms.days:
        return "day"
    if first in forms.months:
        return "month"
    if not first[0].isdigit():
        return ""
    if following.strip(".") in forms.months:
        return "date"
    return f"{' '.join(before)} figure:{following}"


@dataclass(frozen=True, slots=True)
class _Forms:
    clause_end: re.Pattern[str]
    verb: re.Pattern[str]
    relations: dict[str, str]
    former: re.Pattern[str]
    filler: re.Pattern[str]
    reason: re.Pattern[str]
    denial: re.Pattern[str]
    lead: re.Pattern[str]
    stop: re.Pattern[str]
    adds: re.Pattern[str]
    later: re.Pattern[str]
    others: re.Pattern[str]
    days: frozenset[str]
    months: frozenset[str]


_LANGUAGES = ("en", "pt", "de")


@cache
def _forms() -> _Forms:
    """The words of the languages as patterns; made when they are first needed."""

    def one_of(*sections: str) -> str:
        found = (phrase for section in sections for phrase in lexicon.phrases(section, *_LANGUAGES))
        return rf"(?<!\w)(?:{lexicon.either(found)})(?!\w)"

    def words_of(section: str) -> list[str]:
        return [*lexicon.words(section, *_LANGUAGES)]

    relations = {
        phrase: name for name, phrases in lexicon.pairs("verbs of a value", *_LANGUAGES) for phrase in phrases
    }
    leading = lexicon.either(words_of("articles") + words_of("prepositions") + words_of("before a value"))
    stopping = lexicon.either([*words_of("prepositions"), *lexicon.phrases("behind a value", *_LANGUAGES)])
    word = rf"(?!(?:{stopping})(?!\w))[\w.'+#&/-]+"
    value = rf"(?:(?:{leading}) ){{0,2}}(<{word}(?: {word}){{0,{_LONGEST_VALUE - 1}}})"
    formers = [
        r"(?<!\w)"
        + _as_pattern(line).replace("X", value.replace("<", "")).replace("Y", value.replace("<", "?:"))
        for line in lexicon.whole_lines("former values", *_LANGUAGES)
    ]
    months = {name for line in lexicon.lines("months", *_LANGUAGES) for name in line}
    abbreviated = {phrase.casefold() for phrase in lexicon.phrases("abbreviations", *_LANGUAGES)}
    unended = "".join(rf"(?<!\b{re.escape(phrase)})" for phrase in sorted(abbreviated))
    return _Forms(
        re.compile(rf"(?:[,;:!?]|{unended}\.)(?=\s|$)| [-–—] "),
        re.compile(rf"(?<!\w)(?:{lexicon.either(relations)})(?!\w)"),
        relations,
        re.compile("|".join(formers)),
        re.compile(one_of("said of a change")),
        re.compile(rf" {one_of('reasons')}"),
        re.compile(rf"(?:{lexicon.either(words_of('negation'))})(?!\w)"),
        re.compile(rf"(?:(?:{leading}) )+"),
        re.compile(rf" (?=(?:{stopping})(?!\w))"),
        re.compile(one_of("adding")),
        re.compile(one_of("time to come")),
        re.compile(rf"(?<!\w)(?:{lexicon.either(words_of('others'))})(?!\w)"),
        frozenset(form for day in lexicon.phrases("weekdays", *_LANGUAGES) for form in (day, f"{day}s")),
        frozenset(months),
    )


def _as_pattern(line: str) -> str:
    return line.replace("(", "(?:").replace("^", "^(?:and |e |und )?")
