"""What of an item's document is searched: its words without the document's own labels.

A status or a priority in a document is stale by rule, since a change of either indexes nothing anew: it is
kept, and not searched. Labels are the same in every document and would make all of them alike.
"""

from __future__ import annotations

import re

_BEGINNING = "Work Item: "

_END = re.compile(
    r"(?:\n\nCategory:\n(?P<category>[^\n]+))?"
    r"\n\nStatus:\n[^\n]*"
    r"(?:\n\nPriority:\n[^\n]*)?"
    r"(?:\n\nCustom Fields:\n(?P<fields>(?:- [^\n]*\n?)+))?"
    r"\s*\Z"
)
_DESCRIPTION = "\n\nDescription:\n"


def searched_text(title: str, content: str) -> str:
    """The text to search for a resource; one that is no item's document is its title and content.

    >>> searched_text("Slow app", "Work Item: Slow app\\n\\nDescription:\\nFive seconds.\\n\\nStatus:\\nOPEN")
    'Slow app\\n\\nFive seconds.'
    """
    if not content.startswith(_BEGINNING):
        return content if content.startswith(title) else f"{title}\n\n{content}"
    end = _END.search(content)
    body = content[len(_BEGINNING) : end.start() if end else None].replace(_DESCRIPTION, "\n\n", 1)
    more = [end["category"], (end["fields"] or "").replace("\n- ", "\n").removeprefix("- ")] if end else []
    return "\n\n".join(each.strip() for each in (body, *more) if each and each.strip())
