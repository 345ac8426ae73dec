"""Makes a decision of a sentence in running text that states one."""

from __future__ import annotations

import re
from datetime import date

from bob.core.decision import FoundDecision
from bob.decisions.links import distinct, text_links
from bob.decisions.passages import Span
from bob.decisions.statements import title_of
from bob.text.dates import only_day


def stated(span: Span, path: tuple[str, ...], day: date | None, confidence: float) -> FoundDecision:
    """A decision that stands in running text; `path` is that of its headings, `day` the date above it."""
    return FoundDecision(
        key="",
        kind="prose",
        number=None,
        title=title_of(span.text),
        statement=span.text,
        context=" > ".join(path),
        status="active",
        stated_date=_own_date(span.text) or day,
        confidence=confidence,
        locator=span.locator,
        links=distinct(list(text_links(span.text, None, is_status=False)), (None, "")),
    )


def _own_date(text: str) -> date | None:
    lead = re.match(r"\W*(?:on|at|am|le|el)\s[^,]{6,30}", text, re.IGNORECASE)
    return only_day(lead[0]) if lead else None
