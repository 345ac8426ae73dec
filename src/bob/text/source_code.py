"""Tells source code from prose, where no fence marks it."""

from __future__ import annotations

import re

_LINE = re.compile(
    r"^\s*(?:def |class \w+[:({]|import \w|from \w+ import|return\b|for ?\(|for \w+ in .*:$|if ?\(.*\)|"
    r"while ?\(|"
    r"const |let |var |function\b|fn |pub |public |private |#include|@\w+|SELECT\b.*\bFROM\b|\$ \w|"
    r"<\/?\w[^>]*>$)"
    r"|[;{}]\s*$|^\s*\w+(?:\.\w+)*\([^)]*\);?$|^\s*[\w.]+ ?[-+]?= ?[^=]"
)


def looks_like_code(text: str) -> bool:
    """Whether most lines of the text read as code; fences are not looked at."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and sum(bool(_LINE.search(line)) for line in lines) * 2 > len(lines)
