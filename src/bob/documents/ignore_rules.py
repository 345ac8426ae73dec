"""Lines of an ignore file as rules, with gitignore's meaning and in linear time: no line can make a run wait.

Each pattern becomes a regular expression whose wildcards never give back what they took (atomic groups).
Between two stars stand pieces of a fixed length, so that the first place where a piece fits is as good as any
later one, and a path is read once for each star. A line that is longer or has more stars than any that people
write is left out and named; the others hold. Source: gitignore(5); the tests compare with git itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST_PATTERN = 1_000
"""Characters of a line; a name has 255 at the most, and a path on Linux 4,096."""
MOST_STARS = 32
"""Wildcards of a pattern that stand for any number of characters or folders."""
MOST_PATTERNS = 5_000
"""Patterns of a file; the longest lists in use have some 600."""

_FOLDERS = "(?:[^/]+/)*?"
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "a-fA-F0-9",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line. `takes_in`: it begins with "!"; `folders_only`: it ends with "/"."""

    expression: re.Pattern[str]
    takes_in: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of a file, and the length of the path (with a slash) that they are relative to."""

    patterns: tuple[Pattern, ...]
    prefix: int

    def verdict(self, path: str) -> bool | None:
        """What the last pattern that fits says of this path alone (a folder's ends with "/"): True leaves it
        out, False takes it in, None says nothing."""
        is_folder = path.endswith("/")
        name = path[self.prefix :].rstrip("/")
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.folders_only) and pattern.expression.fullmatch(name):
                return not pattern.takes_in
        return None


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that is not used, counted from 1, and why."""

    line: int
    reason: str


def read_rules(lines: Iterable[str], prefix: int) -> tuple[Rules | None, list[Problem]]:
    """The rules of an ignore file's lines (None without any), and the lines that are not used."""
    patterns: list[Pattern] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if len(patterns) == MOST_PATTERNS:
            problems.append(Problem(number, f"only the first {MOST_PATTERNS:,} patterns of a file are used"))
            break
        if len(line) > LONGEST_PATTERN:
            problems.append(Problem(number, f"a pattern can have at most {LONGEST_PATTERN:,} characters"))
            continue
        try:
            pattern = _read_pattern(line)
        except ValueError as error:
            problems.append(Problem(number, str(error)))
        else:
            if pattern is not None:
                patterns.append(pattern)
    return (Rules(tuple(patterns), prefix) if patterns else None), problems


def is_ignored(rules: Sequence[Rules], path: str) -> bool:
    """Whether a path whose folders are not ignored is: the deepest file that says anything of it decides."""
    verdicts = (rule.verdict(path) for rule in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def is_ignored_below(rules: Sequence[Rules], path: str) -> bool:
    """Whether a path or one of its folders is ignored, down from the uppermost file with rules."""
    if not rules:
        return False
    end = path.find("/", rules[0].prefix)
    while 0 <= end < len(path) - 1:
        if is_ignored([rule for rule in rules if rule.prefix <= end], path[: end + 1]):
            return True
        end = path.find("/", end + 1)
    return is_ignored(rules, path)


def _read_pattern(line: str) -> Pattern | None:
    """Raises ValueError: it has too many stars."""
    text = _without_spaces_at_the_end(line)
    takes_in = text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    if not text:
        return None
    text = re.sub(r"(?<!\\)\*{3,}", "**", text)
    if text.count("*") > MOST_STARS:
        raise ValueError(f"a pattern can have at most {MOST_STARS} stars")
    segments = _split(text.removeprefix("/"))
    if "/" not in text:
        segments = ["**", *segments]
    expression = _translate(segments)
    if expression is None:  # An open bracket, or a backslash at the end, fits nothing, as in git.
        return None
    return Pattern(re.compile(expression, re.DOTALL), takes_in, folders_only)


def _without_spaces_at_the_end(line: str) -> str:
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    return text


def _split(text: str) -> list[str]:
    """The segments between slashes; one in brackets divides nothing. Behind an open bracket nothing fits."""
    segments, begin, position = [], 0, 0
    while position < len(text):
        character = text[position]
        position += 1
        if character == "/":
            segments.append(text[begin : position - 1])
            begin = position
        elif character == "\\":
            position += 1
        elif character == "[":
            read = _read_class(text, position)
            if read is None:
                return [""]
            position = read[1]
    return [*segments, text[begin:]]


def _translate(segments: Sequence[str]) -> str | None:
    """The expression of a pattern's segments; None for what fits no path."""
    if "" in segments:
        return None
    groups: list[list[str]] = [[]]
    """The segments between two "**", which stand for any number of folders."""
    for index, segment in enumerate(segments):
        if segment != "**":
            expression = _translate_segment(segment)
            if expression is None:
                return None
            groups[-1].append(expression)
        elif index == 0 or groups[-1]:
            groups.append([])
    first, *others = ["/".join(group) for group in groups]
    if not others:
        return first
    *middle, last = others
    begin = f"{first}/" if first else ""
    between = "".join(f"(?>{_FOLDERS}{group}/)" for group in middle)
    if not last:  # "a/**" is all that is below a folder.
        return f"{begin}{between}.+"
    # The last group has to end the path, so that there is one place where it can fit.
    names = "/".join(["[^/]+"] * len(groups[-1]))
    return rf"{begin}{between}(?>{_FOLDERS}(?={names}\Z)){last}"


def _translate_segment(segment: str) -> str | None:
    """The expression of a segment; None for what fits no name."""
    pieces: list[list[str]] = [[]]
    """Between two stars, an expression for each character."""
    position = 0
    while position < len(segment):
        character = segment[position]
        position += 1
        if character == "*":
            pieces.append([])
        elif character == "?":
            pieces[-1].append("[^/]")
        elif character == "[":
            read = _read_class(segment, position)
            if read is None:
                return None
            expression, position = read
            pieces[-1].append(expression)
        elif character == "\\" and position == len(segment):
            return None
        else:
            if character == "\\":
                character, position = segment[position], position + 1
            pieces[-1].append(re.escape(character))
    first, *others = pieces
    if not others:
        return "".join(first)
    *middle, last = others
    pattern = "".join(f"(?>[^/]*?{''.join(piece)})" for piece in middle if piece)
    end = rf"(?>[^/]*?(?=[^/]{{{len(last)}}}(?:/|\Z))){''.join(last)}" if last else "[^/]*"
    return "".join(first) + pattern + end


def _read_class(segment: str, position: int) -> tuple[str, int] | None:
    """The expression of brackets whose inside begins at `position`, and their end; None if they stay open."""
    negated = segment[position : position + 1] in ("!", "^")
    position += negated
    begin = position
    ranges = ""
    while position < len(segment) and (segment[position] != "]" or position == begin):
        if segment.startswith("[:", position):
            end = segment.find(":]", position)
            class_pattern = _CLASSES.get(segment[position + 2 : end]) if end > 0 else None
            if class_pattern is None:
                return None
            ranges, position = ranges + class_pattern, end + 2
            continue
        low, position = _read_character(segment, position)
        high = low
        if segment[position : position + 1] == "-" and segment[position + 1 : position + 2] not in ("", "]"):
            high, position = _read_character(segment, position + 1)
        # As in git, the first of a range fits even where the range is the wrong way round.
        ranges += re.escape(low) + (f"-{re.escape(high)}" if low < high else "")
    if position >= len(segment):
        return None
    if not ranges:
        return ("[^/]" if negated else "(?!)"), position + 1
    return (f"[^/{ranges}]" if negated else f"(?!/)[{ranges}]"), position + 1


def _read_character(segment: str, position: int) -> tuple[str, int]:
    position += segment[position] == "\\"
    return segment[position : position + 1], position + 1
