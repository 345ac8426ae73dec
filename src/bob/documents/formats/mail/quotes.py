"""Tells what a mail says from what it quotes, and from its signature.

However a program of mail quotes (marks before lines, the header of the earlier mail above it, an indented
block of HTML, or only "On Monday at 8:00, Ann wrote:" above the rest), what is quoted leaves this module in
one form: behind ">" marks, below the lines that say who wrote it. `bob.text.turns` reads that form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from bob.core.document import BlockKind
from bob.documents.formats.html.markup import Piece
from bob.documents.formats.lines import with_line_feeds
from bob.text import lexicon
from bob.text.turns import (
    HEADER_NAMES,
    ONLY_IN_HEADERS,
    QUOTED,
    SENT_BY,
    SIGNATURE,
    header_field,
    quote_depth,
    quoted_from,
)

_MOST_OF_SIGNATURE = 25
"""Lines, of those that have words; more below a line of two hyphens are text."""
_LONGEST_ATTRIBUTION = 400
"""Characters of the lines above a quotation that say who wrote it; programs wrap them to `_MOST_LINES`."""
_MOST_LINES = 3
_MOST_OF_HEADER = 12
_FEW_WORDS = 4

_CUT = re.compile(
    rf"\s*-{{2,}}\s*(?:{lexicon.any_of('above an earlier mail')})[^\n]{{0,80}}",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*(?:_{10,}|-{10,})\s*")
"""What may stand above the header of an earlier mail."""
_CUT_HERE = re.compile(
    rf"(?=\W{{0,20}}[-=_~<>8]{{3}})[\W_8]{{3,200}}+(?:{lexicon.any_of('cut lines')})\b.{{0,200}}"
    r"(?<=[-=_~<>8])\s*",
    re.IGNORECASE,
)
"""A line above and below a sample of a mail: "----- cut here -----"."""
_WROTE = f"(?:{lexicon.any_of('wrote')})"
_ATTRIBUTION = re.compile(
    rf"(?s:.{{0,{_LONGEST_ATTRIBUTION}}}?)(?<!\w){_WROTE}(?!\w).{{0,80}}:\s*", re.IGNORECASE
)
_ONLY_VERB = re.compile(rf"\W*{_WROTE}\W*", re.IGNORECASE)
_OPENER = re.compile(
    rf"[*\s]*(?:(?:{lexicon.any_of('before who wrote')})\b|\d{{1,4}}[-./]\d{{1,2}}[-./]\d)",
    re.IGNORECASE,
)
_DATED = re.compile(r"\d\D{0,60}(?:\d{1,2}[:h]\d\d|\d{4})|\d[^@]{0,200}@")
_OTHER_MARK = re.compile(r" {1,3}(?=>)|\| (?=[^\W\d_a-z])(?!.*\|)|(?P<name>[A-Z][A-Za-z]{0,11})> ?(?=\S)")

Role = Literal["text", "attribution", "header", "signature"]


@dataclass(frozen=True, slots=True)
class Run:
    """Lines of a mail without the marks of quotation that all of them have, as many as `depth`."""

    lines: tuple[str, ...]
    depth: int = 0
    kind: BlockKind = "paragraph"
    role: Role = "text"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Pieces of a mail that one person wrote: its sender where `speaker` is ""."""

    speaker: str
    pieces: tuple[Piece, ...]


def stretches(runs: Iterable[Run]) -> list[Stretch]:
    """Who wrote what of a mail, in its order."""
    split = _with_whole_signatures([part for run in runs for part in _split(run)])
    split = [part for run in split for part in _split_behind_cuts(run)]
    made: list[tuple[str, list[Piece]]] = []
    speakers: dict[int, str] = {}
    samples: set[int] = set()
    above: list[str] = []
    is_cut = False
    for run, following in zip_longest(split, split[1:]):
        depth = _depth_below(run, following)
        if depth is not None:
            speakers = {level: name for level, name in speakers.items() if level < depth}
            speakers[depth] = quoted_from(run.lines)
            samples = {level for level in samples if level < depth} | ({depth} if is_cut else set())
            marks = depth + (0 in speakers) - 1
            above += (_marked(line, marks) for line in run.lines)
            continue
        speaker = speakers.get(run.depth, QUOTED if run.depth else "")
        piece = _piece(run, above, run.depth + (0 in speakers))
        above = []
        if made and made[-1][0] == speaker:
            made[-1][1].append(piece)
        else:
            made.append((speaker, [piece]))
        is_cut = _ends_with_cut(run)
        if is_cut and run.depth in samples:
            samples.remove(run.depth)
            del speakers[run.depth]
            is_cut = False
    if above:
        made.append(("", [Piece("\n".join(above))]))
    return [Stretch(speaker, tuple(pieces)) for speaker, pieces in made]


def plain_runs(text: str) -> Iterator[Run]:
    """The lines of a plain text, parted by empty lines and where the marks of quotation change."""
    lines: list[str] = []
    depth, name = 0, ""
    for line in [*with_line_feeds(text).split("\n"), ""]:
        marks, rest, marked_by = _unmarked(line.rstrip())
        is_empty = not line.strip()
        if lines and (is_empty or marks != depth or (marked_by or name) != name):
            yield from _run(lines, depth)
            lines = []
        if is_empty:
            continue
        if marked_by and (marked_by != name or not lines):
            yield Run((f"{marked_by}:",), marks - 1, role="attribution")
        lines.append(rest)
        depth, name = marks, marked_by


def html_runs(pieces: Iterable[Piece]) -> Iterator[Run]:
    """The blocks of an HTML text; a header whose fields are paragraphs of their own is one run."""
    header: list[str] = []
    depth = 0
    for piece in pieces:
        field = header_field(piece.text) if piece.kind in ("paragraph", "quote") else None
        belongs = field is not None and field[0] in HEADER_NAMES and "\n" not in piece.text
        if header and (not belongs or piece.quotes != depth):
            yield Run(tuple(header), depth)
            header = []
        if belongs:
            header.append(piece.text)
            depth = piece.quotes
        else:
            kind = "paragraph" if piece.kind == "quote" else piece.kind
            yield Run(tuple(piece.text.split("\n")), piece.quotes, kind)
    if header:
        yield Run(tuple(header), depth)


def _run(lines: Sequence[str], depth: int) -> Iterator[Run]:
    """The run without empty lines at its ends."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    if first < last:
        yield Run(tuple(lines[first:last]), depth)


def _unmarked(line: str) -> tuple[int, str, str]:
    """How many marks of quotation a line has, what stands behind them, and the name in one such as "Bo> "."""
    other = _OTHER_MARK.match(line)
    rest = line[other.end() :] if other else line
    depth, end = quote_depth(rest)
    if other is None or other["name"] is None:
        return depth + (line[:1] == "|" and other is not None), rest[end:], ""
    return depth + 1, rest[end:], other["name"]


def _split(run: Run) -> Iterator[Run]:
    """A run parted into what it says, lines that say who wrote what is below them, and a signature."""
    if run.kind != "paragraph" or run.role != "text":
        yield run
        return
    lines = run.lines
    role: Role = "text"
    begin = index = 0
    while index < len(lines):
        names = _announcement(lines, begin, index)
        if names is not None:
            start, end, names_role = names
            yield from _part(run, begin, start, role)
            yield replace(run, lines=lines[start:end], role=names_role)
            begin, role, index = end, "text", end
            continue
        if lines[index].strip() == SIGNATURE:
            yield from _part(run, begin, index, role)
            begin, role = index, "signature"
        index += 1
    yield from _part(run, begin, len(lines), role)


def _split_behind_cuts(run: Run) -> Iterator[Run]:
    """A run of text parted behind each line that says where to cut a sample of a mail out."""
    begin = 0
    for end in range(1, len(run.lines) + 1):
        if end == len(run.lines) or (run.role == "text" and _CUT_HERE.fullmatch(run.lines[end - 1])):
            yield replace(run, lines=run.lines[begin:end])
            begin = end


def _ends_with_cut(run: Run) -> bool:
    return run.role == "text" and _CUT_HERE.fullmatch(run.lines[-1]) is not None


def _part(run: Run, begin: int, end: int, role: Role) -> Iterator[Run]:
    for part in _run(run.lines[begin:end], run.depth):
        yield replace(part, role=role)


def _announcement(lines: Sequence[str], begin: int, index: int) -> tuple[int, int, Role] | None:
    """The lines that say who wrote what is below them: a header that begins at a line, or what ends there and
    does not begin before `begin`."""
    end = _header_end(lines, index)
    if end is not None:
        return index, end, "header"
    start = _attribution_start(lines, begin, index)
    if start is None or (index + 1 < len(lines) and not _is_dated(lines[start : index + 1])):
        return None
    return start, index + 1, "attribution"


def _header_end(lines: Sequence[str], index: int) -> int | None:
    """Where the header of an earlier mail that begins at a line ends; None where none begins."""
    is_cut = _CUT.fullmatch(lines[index]) is not None
    first = index + (is_cut or _RULE.fullmatch(lines[index]) is not None)
    names: list[str] = []
    end = first
    sender = ""
    while end < min(len(lines), first + _MOST_OF_HEADER):
        field = header_field(lines[end])
        if field is not None and field[0] in HEADER_NAMES:
            names.append(field[0])
            sender = sender or (field[1] if field[0] in SENT_BY else "")
        elif not names or not (
            lines[end].startswith((" ", "\t")) or lines[end].rstrip().endswith((";", ">"))
        ):
            break
        end += 1
    is_sure = is_cut or "@" in sender or not ONLY_IN_HEADERS.isdisjoint(names)
    if is_sure and sender and len(names) > 1 and (names[0] in SENT_BY or is_cut):
        return end
    return first if is_cut else None


def _attribution_start(lines: Sequence[str], begin: int, index: int) -> int | None:
    """Where the lines begin that say who wrote a quotation, and that end with this line; None if it says
    nothing of the kind."""
    last = lines[index].rstrip("* \t\xa0")
    if not last.endswith(":") or len(last) > _LONGEST_ATTRIBUTION:
        return None
    for start in range(index, max(begin, index + 1 - _MOST_LINES) - 1, -1):
        joined = "\n".join(lines[start : index + 1])
        opens = _OPENER.match(lines[start]) and (
            any(map(str.isdigit, joined)) or len(lines[start].split()) <= _FEW_WORDS
        )
        if opens and _ATTRIBUTION.fullmatch(joined[: 2 * _LONGEST_ATTRIBUTION]):
            return start
    if _ONLY_VERB.fullmatch(last):
        return index - 1 if index > begin else None
    return index if _ATTRIBUTION.fullmatch(last) or "@" in last else None


def _is_dated(lines: Sequence[str]) -> bool:
    """Whether lines say who wrote something, and when: what a program puts above an earlier mail."""
    joined = " ".join(lines)
    return _ATTRIBUTION.fullmatch(joined) is not None and _DATED.search(joined) is not None


def _depth_below(run: Run, following: Run | None) -> int | None:
    """How deep what stands below a run is quoted, if the run says who wrote it; None for any other run."""
    if following is not None and run.role in ("header", "attribution") and following.depth > run.depth:
        return run.depth + 1
    if run.role == "header" or (run.role == "attribution" and following is not None and _is_dated(run.lines)):
        return run.depth if following is None or following.depth == run.depth else None
    return None


def _with_whole_signatures(runs: Sequence[Run]) -> list[Run]:
    """The runs; a signature goes on over empty lines and over marks that quote nothing (a quotation has one,
    or stands below lines that say so), and one that is too long is text."""
    made: list[Run] = []
    for run in runs:
        last = made[-1] if made and made[-1].role == "signature" else None
        goes_on = last is not None and (run.depth == last.depth or run.depth > last.depth + 1)
        if last and goes_on and run.role == "text" and len(last.lines) <= _MOST_OF_SIGNATURE:
            made[-1] = replace(last, lines=(*last.lines, *run.lines))
        else:
            made.append(run)
    return [part for run in made for part in _checked(run)]


def _checked(run: Run) -> Iterator[Run]:
    if run.role == "signature" and sum(map(_has_words, run.lines)) > _MOST_OF_SIGNATURE:
        yield replace(run, role="text")
    else:
        yield run


def _has_words(line: str) -> bool:
    return any(map(str.isalnum, line))


def _piece(run: Run, above: Sequence[str], depth: int) -> Piece:
    """The run as it is read; `above` says who wrote it, and stands there as it is; `depth` is how deep it is
    quoted."""
    if not depth:
        return Piece("\n".join(run.lines), run.kind)
    return Piece("\n".join((*above, *(_marked(line, depth) for line in run.lines))), "quote")


def _marked(line: str, depth: int) -> str:
    return f"{'>' * depth} {line}" if depth and line else ">" * depth or line
