"""Finds the decision that a text names: by file, by number, or by title, within one project.

Knows nothing of what the text says about it.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from bob.core.decision import StatedDecision, series_of

_UNKNOWN, _SEVERAL, _ITSELF = "names no decision that is known", "could be several", "is the decision itself"

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
_SERIES = frozenset({"rfc", "pep", "adr", "tep", "kep", "rfd", "fep"})
"""Words that say which records a number is of; any other word before a number says nothing."""


class Catalog:
    """The decisions of one project, by their names."""

    def __init__(self, named: Iterable[StatedDecision]) -> None:
        self._named = {each.decision_id: each for each in named}
        self._by_path: dict[str, list[StatedDecision]] = defaultdict(list)
        self._by_name: dict[str, list[StatedDecision]] = defaultdict(list)
        self._by_number: dict[str, list[StatedDecision]] = defaultdict(list)
        self._by_title: dict[str, list[StatedDecision]] = defaultdict(list)
        for each in self._named.values():
            path = each.path.replace("\\", "/")
            self._by_path[path].append(each)
            self._by_name[_stem(path)].append(each)
            if each.number:
                self._by_number[_plain_number(each.number)].append(each)
            self._by_title[_plain(each.title)].append(each)

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
        found = self._by_name.get(_stem(name), [])
        if found or elsewhere or not (is_file or "/" in text):
            return found
        # The file may have been renamed since; its number stays.
        number = _LEADING_NUMBER.match(name)
        return self._by_number.get(_plain_number(number[1]), []) if number else []

    def _of_number(self, target: str) -> list[StatedDecision]:
        match = _NUMBER.fullmatch(target)
        if match is None:
            return []
        found = self._by_number.get(_plain_number(match["number"]), [])
        series = (match["series"] or "").strip(" .-").lower()
        if series not in _SERIES:
            return found
        # "Supersedes PEP 8" in ADR 12 means no ADR 8.
        return [each for each in found if series_of(each.path).lower() == series]

    def _of_title(self, target: str) -> list[StatedDecision]:
        found = self._by_title.get(_plain(target), []) if _plain(target) else []
        numbered = _NUMBERED_TITLE.fullmatch(target)
        if found or numbered is None:
            return found
        same = self._by_number.get(_plain_number(numbered["number"]), [])
        titled = [each for each in same if _plain(each.title) == _plain(numbered["title"])]
        return titled or same


def _one_of(candidates: list[StatedDecision], here: StatedDecision) -> int | str:
    """The one that is meant: of the same folder rather than of another, a record rather than a sentence."""
    others = [each for each in candidates if each.decision_id != here.decision_id]
    if not others:
        return _ITSELF
    folder = posixpath.dirname(here.path)
    near = [each for each in candidates if posixpath.dirname(each.path) == folder] or candidates
    records = [each for each in near if each.kind == "record"] or near
    if len(records) > 1:
        return _SEVERAL
    return _ITSELF if records[0].decision_id == here.decision_id else records[0].decision_id


def _stem(path: str) -> str:
    return _FILE.sub("", path.rpartition("/")[2]).lower()


def _plain_number(number: str) -> str:
    return number.strip().lower().lstrip("0") or "0"


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.lower()))
