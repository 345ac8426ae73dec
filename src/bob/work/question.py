"""What a question about past work asks for, without the words that only make it a question.

"Have we seen payment timeouts before?" looks for payment timeouts: none of its other words stands in an item,
and together they would outweigh those that do.
"""

from __future__ import annotations

import re

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
