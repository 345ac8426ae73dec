"""Reads what was said in a recording: subtitles as sentences, behind who says them and when."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bob.core.document import ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import ElementLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.html.markup import Piece, join_pieces
from bob.documents.formats.lines import with_line_feeds
from bob.documents.formats.metadata import language_of
from bob.text.turns import chat_label

_TIMES = re.compile(r"\s*(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d\d):(?P<seconds>\d\d)[.,]\d{1,3}\s+-->\s")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,60})?\s+(?P<name>[^>\n]{1,80})>")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<[\d:.]{5,15}>|\{\\[^{}\n]{0,60}\}")
_NAMED = re.compile(r"(?P<name>[^\W\d_][^:\n]{0,50}): +(?=\S)")
_CHANGES = re.compile(r"(?:>>+|[-–—]) ?(?=\S)")
"""Another speaks from here on, and it is not said who."""
_MOST_WORDS_OF_NAME = 4
_LONG_TURN = 600
"""Characters after which a turn ends with its sentence, so that what is told has a time near it; after twice
as many it ends with its caption, since captions may have no punctuation."""
_LONG_SECTION = 1500
_LEAST_SCROLLED = 0.1
"""Share of cues with repeats beside new lines from which a file's captions scroll."""
_STOPS = (".", "!", "?", "…", "。")


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said from a second on; `speaker` is None where nothing says who goes on speaking."""

    second: int
    text: str
    speaker: str | None = None


class TranscriptParser:
    """Reads `.srt` and `.vtt`: what is said, in sentences, behind its speaker and its time."""

    name = "transcript"
    suffixes = frozenset({".srt", ".vtt"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections of some minutes, found by the time at which they begin.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        sections = tuple(_sections(_turns(list(_without_repeats(list(_cues(source.read_text())))))))
        if not sections:
            raise UnreadableError("no-text", "nothing is said in the file")
        return ParsedDocument("", "transcript", sections, language=language_of(sections))


def _cues(text: str) -> Iterator[list[_Said]]:
    """The lines of each cue, and who speaks where its markup tells, without numbers, notes and styles."""
    second: int | None = None
    lines: list[_Said] = []
    for line in (*with_line_feeds(text).split("\n"), ""):
        times = _TIMES.match(line)
        if times or not line.strip():
            if lines:
                yield lines
            lines, second = [], None
        if times:
            hours, minutes, seconds = (int(times[name] or 0) for name in ("hours", "minutes", "seconds"))
            second = hours * 3600 + minutes * 60 + seconds
        elif second is not None:
            voice = _VOICE.search(line)
            shown = html.unescape(_TAG.sub("", _BREAK.sub(" ", line)))
            shown = " ".join(shown.split())
            if shown:
                lines.append(_Said(second, shown, voice["name"].strip() if voice else None))


def _without_repeats(cues: Sequence[list[_Said]]) -> Iterator[_Said]:
    """The lines of all cues. Captions that scroll repeat the last lines of the cue before above new ones, and
    may show them alone for a moment; in others somebody says the same twice."""
    repeats = [_repeated(*pair) for pair in pairwise(([], *cues))]
    scrolled = sum(0 < count < len(cue) for count, cue in zip(repeats, cues, strict=True))
    is_scrolling = scrolled >= _LEAST_SCROLLED * len(cues)
    for count, cue in zip(repeats, cues, strict=True):
        yield from cue[count:] if count < len(cue) or is_scrolling else cue


def _repeated(before: Sequence[_Said], cue: Sequence[_Said]) -> int:
    """How many of a cue's first lines are the last ones of the cue before."""
    last, first = ([line.text for line in lines] for lines in (before, cue))
    counts = range(min(len(last), len(first)), 0, -1)
    return next((count for count in counts if last[-count:] == first[:count]), 0)


def _turns(cues: Sequence[_Said]) -> Iterator[_Said]:
    """What each says in one go; a speaker is "" where it is not known."""
    names = _names(cues)
    turn: _Said | None = None
    for cue in (_with_speaker(cue, names) for cue in cues):
        changes = cue.speaker is not None and (turn is None or cue.speaker != turn.speaker or not cue.speaker)
        length = len(turn.text) if turn is not None else 0
        ends = turn is not None and (turn.text.endswith(_STOPS) or length > 2 * _LONG_TURN)
        is_long = length > _LONG_TURN and ends
        if turn is not None and not changes and not is_long:
            turn = replace(turn, text=f"{turn.text} {cue.text}")
            continue
        if turn is not None:
            yield turn
        speaker = cue.speaker if cue.speaker is not None else turn.speaker if turn else ""
        turn = replace(cue, speaker=speaker)
    if turn is not None:
        yield turn


def _names(cues: Iterable[_Said]) -> frozenset[str]:
    """What stands before a colon where cues begin and is a speaker: in capitals, or more than once."""
    counts = Counter(match["name"] for cue in cues if (match := _NAMED.match(_bare(cue.text))))
    return frozenset(
        name
        for name, count in counts.items()
        if len(name.split()) <= _MOST_WORDS_OF_NAME and (name.isupper() or (count > 1 and name[0].isupper()))
    )


def _bare(text: str) -> str:
    changes = _CHANGES.match(text)
    return text[changes.end() :] if changes else text


def _with_speaker(cue: _Said, names: frozenset[str]) -> _Said:
    text = _bare(cue.text)
    named = _NAMED.match(text)
    if named and named["name"] in names:
        return replace(cue, text=text[named.end() :], speaker=named["name"])
    is_change = cue.speaker is None and text is not cue.text
    return replace(cue, text=text, speaker="" if is_change else cue.speaker)


def _sections(turns: Iterable[_Said]) -> Iterator[Section]:
    group: list[_Said] = []
    size = part = 0
    for turn in turns:
        group.append(turn)
        size += len(turn.text)
        if size > _LONG_SECTION:
            yield _section(group, part)
            group, size, part = [], 0, part + 1
    if group:
        yield _section(group, part)


def _section(turns: Sequence[_Said], part: int) -> Section:
    text, blocks = join_pieces(
        [Piece(f"{chat_label(turn.speaker or '', '', _time(turn.second))}: {turn.text}") for turn in turns]
    )
    locator = ElementLocator(part=part, end_char=len(text), heading=_time(turns[0].second))
    return Section(text, locator, (), blocks)


def _time(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
