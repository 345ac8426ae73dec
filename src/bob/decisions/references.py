"""Reads references to decision records: links, file names, "ADR-12", numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

_SERIES = r"adrs?|rfcs?|peps?|keps?|decisions?|records?|proposals?|dec|ddr|madr|ard|pdr|tdr"
_REFERENCE = re.compile(
    rf"""
      \[\[(?P<wiki>[^\]\[\n|]+)(?:\|[^\]\[\n]*)?\]\]
    | \[(?P<text>[^\]\[]*(?:\[[^\]\[]*\][^\]\[]*)?)\]\((?P<href>[^()\s]*)[^()]*\)
    | :(?:doc|ref|any):`(?:[^`<]*<)?(?P<role>[^`<>]+)>?`
    | :(?:pep|rfc):`(?P<role_number>\d+)[^`]*`
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
    r"[\s:*_(]*(?:(?:both|the|our|earlier|previous|original|old|newer|decisions?|records?|adrs?|rfcs?|"
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
_OF_TEXT = re.compile(rf"\W*(?:(?:{_SERIES})[\s#-]*)?\#?0*(\d{{1,5}})(?![\w-])", re.IGNORECASE)
_TICKET = re.compile(r"/(?:issues?|pulls?|merge_requests|commit|browse)/")
_IN_NAME = re.compile(r"\d|adr|rfc", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a reference names, as a number, a file or a title, and where it ends in its text."""

    target: str
    end: int


def references_at(text: str, start: int, *, may_be_bare: bool) -> Iterator[Reference]:
    """The references that follow one another from `start`: "ADR-3, ADR-4 and [5. Queues](0005-queues.md)".

    A bare number, "D-7" and a quoted title are such only when `may_be_bare`, or after another reference.
    """
    filler = _FILLER.match(text, start)
    at = filler.end() if filler else start
    is_series = False
    while match := _REFERENCE.match(text, at):
        if match["bare"] and not ((may_be_bare or is_series) and _AFTER_NUMBER.match(text, match.end())):
            return
        if (match["quoted"] or match["prefixed"]) and not (may_be_bare or is_series):
            return
        if (target := _target(match)) is None:
            return
        yield Reference(target, match.end())
        is_series = True
        separator = _SEPARATOR.match(text, match.end())
        if separator is None:
            return
        filler = _FILLER.match(text, separator.end())
        at = filler.end() if filler else separator.end()


def _target(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    for name in ("number", "prefixed_number", "bare", "role_number"):
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
        return str(int(number[1]))
    return text.strip(" *_`") or None
