"""What parsers say of the parts of a file that they leave out: short sentences, and not too many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

MOST_SENTENCES = 20
"""Of one file; a mailbox may have thousands of attachments that nobody can read."""
_LONGEST_SENTENCE = 300  # characters
_MOST_RANGES = 10
_NOT_MISSED = tuple(
    """
    .png .jpg .jpeg .jpe .jfif .gif .bmp .tif .tiff .webp .heic .heif .avif .svg .ico .emf .wmf .psd .raw .dng
    .mp3 .m4a .aac .wav .ogg .oga .opus .flac .wma .amr .aif .aiff .mid .midi
    .mp4 .m4v .mov .avi .mkv .webm .wmv .mpg .mpeg .3gp .flv
    .p7s .sig .ttf .otf .woff .woff2 .joboptions
    """.split()  # noqa: SIM905 - a list of strings would be thirty lines
)


def numbered(noun: str, numbers: Iterable[int]) -> str:
    """Numbers behind their noun, three and more that follow one another as a range.

    >>> numbered("page", [3, 9, 7, 8]), numbered("page", [3, 4]), numbered("slide", [1_200])
    ('pages 3 and 7 to 9', 'pages 3 and 4', 'slide 1,200')
    """
    ordered = sorted(set(numbers))
    ranges: list[str] = []
    for _, paired in groupby(enumerate(ordered), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in paired]
        if len(ranges) >= _MOST_RANGES:
            ranges.append(f"{len(ordered) - ordered.index(run[0]):,} more")
            break
        ranges += [f"{run[0]:,} to {run[-1]:,}"] if len(run) > 2 else [f"{number:,}" for number in run]
    return f"{noun if len(ordered) == 1 else f'{noun}s'} {listed(ranges)}"


def listed(names: Iterable[str]) -> str:
    """Names as they stand in a sentence: "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def said_of(noun: str, numbers: Iterable[int], one: str, many: str, why: str = "") -> Iterator[str]:
    """The sentence of what is true of numbered parts, and why; none where there are no such parts.

    >>> list(said_of("page", [3], "is left out", "are left out", "the document is too long"))
    ['page 3 is left out: the document is too long']
    """
    ordered = list(numbers)
    if ordered:
        yield f"{numbered(noun, ordered)} {one if len(ordered) == 1 else many}{why and f': {why}'}"


def is_missed(name: str) -> bool:
    """Whether someone may look for what a file within a file says: it is no picture, film or signature."""
    return not name.lower().endswith(_NOT_MISSED)


def bounded(sentences: Iterable[str]) -> tuple[str, ...]:
    """Sentences on one line each, without repetitions, as many and as long as are kept of a file."""
    lines = list(dict.fromkeys(" ".join(sentence.split())[:_LONGEST_SENTENCE] for sentence in sentences))
    if len(lines) > MOST_SENTENCES:
        lines[MOST_SENTENCES - 1 :] = [f"{len(lines) - MOST_SENTENCES + 1:,} more parts are left out"]
    return tuple(filter(None, lines))
