"""Reads references to decision records, and finds the decision that a text names."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from bob.core.decision import SERIES, StatedDecision, series_of
from bob.text import lexicon

_SERIES = r"adrs?|rfcs?|peps?|keps?|decisions?|records?|proposals?|dec|ddr|madr|ard|pdr|tdr"
_REFERENCE = re.compile(
    rf"""
      \[\[(?P<wiki>[^\]\[\n|]+)(?:\|[^\]\[\n]*)?\]\]
    | \[(?P<text>[^\]\[]*(?:\[[^\]\[]*\][^\]\[]*)?)\]\((?P<href>[^()\s]*)[^()]*\)
    | :(?:doc|ref|any):`(?:[^`<]*<)?(?P<role>[^`<>]+)>?`
    | :(?P<role_series>pep|rfc):`(?P<role_number>\d+)[^`]*`
    | `(?P<label>[^`<]+)<(?P<target>[^`<>]+)>`_{{1,2}}
    | `?(?P<file>[\w./-]*\w\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt|html|org))\b`?
    | \[?(?P<series>(?:{_SERIES})[\s-]{{0,2}}(?:no\.?\s*|number\s+)?\#?\s?)0*(?P<number>\d{{1,5}})(?![\w-])\]?
    | `?(?P<slug>\d{{3,8}}-[a-z][\w-]*\w)`?
    | (?P<prefixed>(?-i:[A-Z]{{1,6}}-|D))0*(?P<prefixed_number>\d{{1,5}})(?![\w-])
    | \[?\#?0*(?P<bare>\d{{1,5}})(?![\w%:/-]|\.\d)\]?
    | ["“](?P<quoted>[^"”\n]{{3,120}})["”]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FILLER = re.compile(
    rf"[\s:*_(]*(?:[ld]['’])?(?:(?:{lexicon.either(lexicon.words('articles'))}|both|the|our|earlier|previous|original|old|newer|decisions?|records?|adrs?|rfcs?|"
    r"peps?|in|"
    r"by|of|from)\b[\s:*_]+(?!\d))*[*_(]*",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"[*_]*\s*(?:\([^()\n]{0,60}\)\s*)?(?:,\s*and\b|,\s*&|,|;|/|\+|&|\band\b)\s*(?:by\s+)?[*_]*"
)
_AFTER_NUMBER = re.compile(
    r"\s*(?:$|[.,;)\](&/|*_—–-]|\band\b|\bon\b|\bin\b|\bas\b|\bfor\b|\n)", re.IGNORECASE
)
_OF_TEXT = re.compile(
    rf"\W*(?:(?P<series>{_SERIES})[\s#-]*)?\#?0*(?P<number>\d{{1,5}})(?![\w-])", re.IGNORECASE
)
_OF_SERIES = re.compile(rf"({'|'.join(SERIES)}) (\d+)", re.IGNORECASE)
_SERIES_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_TICKET = re.compile(r"/(?:issues?|pulls?|merge_requests|commit|browse)/")
_IN_NAME = re.compile(r"\d|adr|rfc", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a reference names, as a number with its series, a file or a title, and where it ends in its
    text."""

    target: str
    end: int

    @property
    def number(self) -> str:
        """The target without its series."""
        return without_series(self.target, self.series) if self.series else self.target

    @property
    def series(self) -> str:
        """The series of a number, such as "RFC"; "" where none is named."""
        match = _OF_SERIES.fullmatch(self.target)
        return match[1] if match else ""


def references_at(text: str, start: int, *, may_be_bare: bool) -> Iterator[Reference]:
    """The references that follow one another from `start`: "ADR-3, ADR-4 and [5. Queues](0005-queues.md)".

    A bare number, "D-7" and a quoted title are such only when `may_be_bare`, or after another reference.
    """
    filler = _FILLER.match(text, start)
    start_of_name = filler.end() if filler else start
    is_series = False
    series = ""
    while match := _REFERENCE.match(text, start_of_name):
        if match["bare"] and not ((may_be_bare or is_series) and _AFTER_NUMBER.match(text, match.end())):
            return
        if (match["quoted"] or match["prefixed"]) and not (may_be_bare or is_series):
            return
        if (target := _target(match)) is None:
            return
        # "RFCs 3 and 4"
        target = f"{series} {target}" if series and match["bare"] else target
        reference = Reference(target, match.end())
        yield reference
        is_series = True
        series = reference.series
        separator = _SEPARATOR.match(text, match.end())
        if separator is None:
            return
        filler = _FILLER.match(text, separator.end())
        start_of_name = filler.end() if filler else separator.end()


def _target(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    for name, series in (("number", "series"), ("role_number", "role_series")):
        if groups[name]:
            return _numbered(groups[series], groups[name])
    for name in ("prefixed_number", "bare"):
        if groups[name]:
            return str(int(groups[name]))
    if groups["text"] is not None:
        return _of_link(groups["text"], groups["href"])
    if groups["label"]:
        return _of_link(groups["label"], groups["target"])
    for name in ("file", "slug", "wiki", "role", "quoted"):
        if groups[name]:
            return str(groups[name]).strip().removeprefix("./")
    return None


def _numbered(series: str | None, number: str) -> str:
    word = _SERIES_WORD.match(series or "")
    name = word[0].lower().removesuffix("s") if word else ""
    return f"{name.upper()} {int(number)}" if name in SERIES else str(int(number))


def without_series(target: str, series: str) -> str:
    """A target as it is named among records of this series: of "ADR 3" the number, of "RFC 3" all.

    >>> without_series("ADR 3", "ADR"), without_series("RFC 3", "ADR"), without_series("0003-x.md", "ADR")
    ('3', 'RFC 3', '0003-x.md')
    """
    match = _OF_SERIES.fullmatch(target)
    return match[2] if match and match[1].lower() == series.lower() else target


def _of_link(text: str, href: str) -> str | None:
    """A link's file where it leads to one, else the number or the title that it shows."""
    path = re.split(r"[#?]", href, maxsplit=1)[0].rstrip("/")
    if _TICKET.search(path):
        return None
    name = PurePosixPath(path).name
    if "://" not in path and name:
        return path.removeprefix("./")
    if PurePosixPath(name).suffix in (".md", ".rst", ".adoc", ".html", ".txt") and _IN_NAME.search(name):
        return name
    if number := _OF_TEXT.match(text):
        return _numbered(number["series"], number["number"])
    return text.strip(" *_`") or None


_UNKNOWN, _SEVERAL, _ITSELF = "names no known decision", "could be several", "is the decision itself"

_LONGEST = 300
"""Characters of a target that are read."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_FILE = re.compile(r"\.(?:md|markdown|mdx|rst|txt|adoc|asciidoc|html?)$", re.IGNORECASE)
_LEADING_NUMBER = re.compile(r"(?:[a-z]+[-_ ]?)?0*(\d{1,6})(?!\d)", re.IGNORECASE)
_NUMBER = re.compile(
    r"\W*(?:(?P<series>[a-z][a-z .-]*?)[\s#:._-]*)?(?:no\.?|nr\.?|number)?[\s#]*(?P<number>\d{1,6})\W*",
    re.IGNORECASE,
)
_NUMBERED_TITLE = re.compile(
    r"\W*(?:[a-z]{2,8}[\s#-]*)?0*(?P<number>\d{1,6})\s*[.:)\]–—-]+\s*(?P<title>\S.*)",
    re.IGNORECASE | re.DOTALL,
)


class Catalog:
    """The decisions of one project, by their names."""

    def __init__(self, named: Iterable[StatedDecision]) -> None:
        self._named = {decision.decision_id: decision for decision in named}
        self._by_path: dict[str, list[StatedDecision]] = defaultdict(list)
        self._by_name: dict[str, list[StatedDecision]] = defaultdict(list)
        self._by_number: dict[str, list[StatedDecision]] = defaultdict(list)
        self._by_title: dict[str, list[StatedDecision]] = defaultdict(list)
        for decision in self._named.values():
            path = decision.path.replace("\\", "/")
            self._by_path[path].append(decision)
            self._by_name[_stem(path)].append(decision)
            if decision.number:
                self._by_number[plain_number(decision.number)].append(decision)
            self._by_title[_plain(decision.title)].append(decision)

    def find(self, target: str, asking: int) -> int | str:
        """The decision that `target` names in the text of `asking`, or why it names none, in words."""
        here = self._named[asking]
        target = target[:_LONGEST]
        for candidates in (
            self._at_file(target, here),
            self._of_number(target),
            self._of_title(target),
        ):
            if candidates:
                return _one_of(candidates, here)
        return _UNKNOWN

    def _at_file(self, target: str, here: StatedDecision) -> list[StatedDecision]:
        text = unquote(target.strip().strip("<>").partition("#")[0].partition("?")[0]).replace("\\", "/")
        elsewhere = _ADDRESS.match(text) is not None
        is_file = _FILE.search(text) is not None
        if not is_file and (" " in text or elsewhere):
            return []
        if not elsewhere:
            folder = posixpath.dirname(here.path.replace("\\", "/"))
            exact = self._by_path.get(posixpath.normpath(posixpath.join(folder, text)))
            if exact:
                return exact
        name = text.rstrip("/").rpartition("/")[2]
        decisions = self._by_name.get(_stem(name), [])
        if decisions or elsewhere or not (is_file or "/" in text):
            return decisions
        # The file may have been renamed since; its number stays.
        number = _LEADING_NUMBER.match(name)
        return self._by_number.get(plain_number(number[1]), []) if number else []

    def _of_number(self, target: str) -> list[StatedDecision]:
        match = _NUMBER.fullmatch(target)
        if match is None:
            return []
        decisions = self._by_number.get(plain_number(match["number"]), [])
        series = (match["series"] or "").strip(" .-").lower()
        if series not in SERIES:
            return decisions
        # "Supersedes PEP 8" in ADR 12 means no ADR 8.
        return [decision for decision in decisions if series_of(decision.path).lower() == series]

    def _of_title(self, target: str) -> list[StatedDecision]:
        decisions = self._by_title.get(_plain(target), []) if _plain(target) else []
        numbered = _NUMBERED_TITLE.fullmatch(target)
        if decisions or numbered is None:
            return decisions
        same = self._by_number.get(plain_number(numbered["number"]), [])
        titled = [decision for decision in same if _plain(decision.title) == _plain(numbered["title"])]
        return titled or same


def _one_of(candidates: list[StatedDecision], here: StatedDecision) -> int | str:
    """The one that is meant: of the same folder rather than of another, a record rather than a sentence."""
    others = [candidate for candidate in candidates if candidate.decision_id != here.decision_id]
    if not others:
        return _ITSELF
    folder = posixpath.dirname(here.path)
    near = [
        candidate for candidate in candidates if posixpath.dirname(candidate.path) == folder
    ] or candidates
    records = [decision for decision in near if decision.kind == "record"] or near
    if len(records) > 1:
        return _SEVERAL
    return _ITSELF if records[0].decision_id == here.decision_id else records[0].decision_id


def _stem(path: str) -> str:
    return _FILE.sub("", path.rpartition("/")[2]).lower()


def plain_number(number: str) -> str:
    """A number as numbers are compared: without zeros before it, of nothing but zeros one."""
    return number.strip().lower().lstrip("0") or "0"


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.lower()))
