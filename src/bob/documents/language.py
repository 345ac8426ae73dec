"""Says in which language a document of parts is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from bob.core.document import Section
from bob.text.languages import detect_language

_SAMPLED_SECTIONS = 20  # the first ones may be covers and tables of contents
_SAMPLE_OF_EACH = 2_000
_TAG = re.compile(r"[a-z]{2,3}(?![a-z])", re.IGNORECASE)


def language_of(sections: Iterable[Section], declared: str | None = None) -> str | None:
    """The language of the text, else the one that the file declares, as two or three lower-case letters.

    Programs declare the language of their menus, so the text has the first word.
    """
    sample = "\n".join(section.text[:_SAMPLE_OF_EACH] for section in islice(sections, _SAMPLED_SECTIONS))
    tag = _TAG.match(declared or "")
    return detect_language(sample) or (tag[0].lower() if tag else None)
