"""What a question about past work asks for, read without a language model.

"Have we seen payment timeouts before?" looks for payment timeouts: none of its other words stands in an item,
and together they would outweigh those that do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_WHO = r"(?:we|you|i|they|anyone|anybody|someone|somebody|there)"
_LIKE = r"(?:(?:an?|any|some|the|other|more|all|past|previous|earlier|old|similar|related|comparable)\s+)*"
_FRAMES = (
    # Have we (ever) seen, did anyone have, do we know of …
    rf"(?:have|has|had|did|do|does|were|was|are|is)\s+{_WHO}\s+(?:(?:ever|already|also|been)\s+)*"
    r"(?:see|seen|have|had|met|meet|encounter(?:ed)?|handled?|fix(?:ed)?|solved?|know|knew|known|hear|heard|done|"
    rf"do|get|got|face|faced|run|ran)?\b\s*(?:(?:of|about|with|into)\s+)?{_LIKE}",
    # What patterns do we see in, which problems did we have with …
    rf"(?:what|which)\s+(?:\w+\s+){{0,2}}(?:do|did|have|can|are|were)\s+{_WHO}\s+"
    rf"(?:see|seen|have|had|find|found|notice|noticed|know|get)\s+(?:in|with|about|for|on|among|across)\s+{_LIKE}",
    # Find similar items about, show me incidents like …
    r"(?:please\s+)?(?:find|show|list|give|get|search|look)\s+(?:(?:me|us|for|up)\s+)*"
    rf"{_LIKE}(?:work\s+)?(?:items?|incidents?|tickets?|cases?|tasks?|bugs?|problems?)\s+"
    r"(?:(?:similar|related)\s+to|like|about|on|with|regarding)\s+",
)
_BEGINNING = re.compile(rf"\s*(?:{'|'.join(_FRAMES)})", re.IGNORECASE)
_END = re.compile(
    r"(?<![\s,])[\s,]*\b(?:(?:ever|already|again)\s+)?(?:before|already|in\s+the\s+past|previously|earlier|lately|recently)?"
    r"[\s?.!]*\Z",
    re.IGNORECASE,
)


def asked_for(query: str) -> str:
    """The query without its frame; as it is when nothing else is in it.

    >>> asked_for("Have we seen similar performance issues before?")
    'performance issues'
    >>> asked_for("What patterns do we see in mobile bugs?")
    'mobile bugs'
    >>> asked_for("Have we seen this before?")
    'this'
    >>> asked_for("Customer says checkout is broken")
    'Customer says checkout is broken'
    """
    begin = _BEGINNING.match(query)
    rest = query[begin.end() :] if begin else query
    rest = _END.sub("", rest).strip()
    return rest if rest and begin else query


Pattern = Literal["history", "triage", "patterns", "items"]


@dataclass(frozen=True, slots=True)
class AssistPlan:
    """What is wanted, and what to look for: the question without the words that only ask."""

    pattern: Pattern
    query: str
    work_item_ids: tuple[int, ...] = ()


_ITEM = re.compile(
    r"(?:#|\b(?:work\s*)?items?\s+)(\d{1,15})\b"
    # "issue 404 errors" is about errors.
    r"|\b(?:ticket|issue)s?\s+(\d{1,15})\b(?=\s*(?:$|[^\w\s]|(?:and|or|e|ou)\b))",
    re.IGNORECASE,
)

_PATTERNS = re.compile(
    r"\b(?:what|which|any|quais|que)\s+(?:\w+\s+){0,2}?(?:patterns?|trends?|themes?|padr(?:ão|ões)|tend[êe]ncias?)\b"
    r"(?:\s+(?:do|can|did|have)\s+(?:we|you|i)\s+(?:see|find|have|seen|found))?"
    r"|\b(?:patterns?|trends?|common\s+causes?)\s+(?=in|of|among|across)"
    r"|\bwhat\s+do\b.*?\bhave\s+in\s+common\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:have|has|had|did|do)\s+(?:we|you|anyone|anybody|somebody|someone|it)\s+(?:ever\s+)?"
    r"(?:seen?|had|have|met|meet|dealt\s+with|deal\s+with|done|do|fixed|fix|happen(?:ed)?|got|get)\b"
    r"|\b(?:j[áa]\s+(?:vimos|tivemos|fizemos|aconteceu|resolvemos))\b"
    r"|\b(?:find|show|list|are\s+there)\s+(?:me\s+)?(?:any\s+)?(?:similar|related|like)\b"
    r"|\b(?:is\s+this|was\s+this)\s+(?:known|new)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\s*(?:(?:a|the|our|one)\s+)?(?:customer|client|user|cliente)s?\s+(?:says?|said|reports?|reported|complains?"
    r"|complained|diz|disse|reclama)\s+(?:that|que|:)?"
    r"|\b(?:before|already|in\s+the\s+past|antes|alguma\s+vez)\b"
    r"|\b(?:similar|related)\b(?=\s+\w+)"
    r"|^\s*(?:in|of|among|across|with|to|em|de|nos|nas)\s+|^\s*(?:any|the|a|an|our|um|uma)\s+",
    re.IGNORECASE,
)


def plan_of(message: str) -> AssistPlan:
    """What the message wants.

    >>> plan_of("Have we seen payment gateway timeouts before?")
    AssistPlan(pattern='history', query='payment gateway timeouts', work_item_ids=())
    >>> plan_of("What patterns do we see in mobile bugs?")
    AssistPlan(pattern='patterns', query='mobile bugs', work_item_ids=())
    >>> plan_of("Customer says checkout is broken")
    AssistPlan(pattern='triage', query='checkout is broken', work_item_ids=())
    >>> plan_of("What is the status of #45?")
    AssistPlan(pattern='items', query='What is the status of #45', work_item_ids=(45,))
    """
    text = " ".join(message.split()).rstrip("?!. ")
    named = tuple(dict.fromkeys(int(match[1] or match[2]) for match in _ITEM.finditer(text)))
    if named:
        return AssistPlan("items", text, named)
    for pattern, form in (("patterns", _PATTERNS), ("history", _HISTORY)):
        if form.search(text):
            return AssistPlan(pattern, _subject(form.sub(" ", text, count=1)) or text)  # type: ignore[arg-type]
    return AssistPlan("triage", _subject(text) or text)


def _subject(text: str) -> str:
    """The text without the words that only ask, taken away from its beginning again and again."""
    before = ""
    while before != text:
        before, text = text, " ".join(_ASKING.sub(" ", text).split()).strip(" ,:;-")
    return text
