"""Tells what Bob prepared and what an assistant wrote from a person's own words, in Markdown.

A person's words are evidence: answers quote them, and they can decide something. What Bob copied into a note,
and what an assistant wrote, is not: read back, a copy would be a decision made anew, and a guess a source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bob.core.document import WRITTEN_BY, Section, Writer
from bob.documents.formats.front_matter import FrontMatter

GATHERED = "<!-- gathered by bob: not indexed, it stands in its sources -->"
GATHERED_END = "<!-- end of what bob gathered -->"
"""Around what Bob itself copied into a note. It is left out of the index. Without its end it ends at the next
heading."""

ASSISTANT = "<!-- written by an assistant: found, but no evidence -->"
ASSISTANT_END = "<!-- end of what an assistant wrote -->"
"""Around what an assistant wrote into a person's note. Without its end it goes to the end of the note."""

PREPARED_BY = "prepared_by"
ASSISTANT_KEY = "written_by"
IN_PART = "assistant in part"
"""Of `written_by`: a person's note with passages by an assistant in it."""

_PREPARED_KINDS = frozenset({"daily", "meeting", "review"})
_FILLED_IN = frozenset(
    {"title", "date", "project", "tags", "kind", "status", "finding", PREPARED_BY, ASSISTANT_KEY}
)
"""Keys of the front matter that Bob fills in; what stands in others is a person's."""
_GATHERED_UNDER = frozenset(
    {
        *("decisions due another look", "questions without an answer", "open loops", "decided before"),
        *("still open", "background", "what was looked for"),
    }
)
"""Headings of the templates under which notes without the marks have what was gathered."""
_GATHERED_LINE = re.compile(
    r"^- .*\((?:\[.*\]\(.*\)|memory \d+, \d{4}-\d\d-\d\d|"
    r"(?:asked \d+ times, )?answer \d+, \d{4}-\d\d-\d\d)\)[ \t\r]*$",
    re.MULTILINE,
)
"""A line with its source behind it, as Bob writes them."""
_SKELETON = re.compile(
    r"\s*(?:#{1,6}\s.*|[-*+](?:\s+\[[ ]?\])?|\w[\w ]{0,30}:\s*(?:\d{4}-\d\d-\d\d)?|Nothing found\.)?\s*"
)
"""A line that a template gives a note: a heading, an empty task, a field that is empty or has the day."""
_ASSISTANTS = frozenset({"assistant", "chatgpt", "claude", "gemini", "copilot", "response"})
_LABELLED = re.compile(
    rf"^(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}(?P<name>{'|'.join(sorted(_ASSISTANTS))}|user|human|you|me|prompt)"
    r"(?:[ \t]said)?[*_]{0,3}[ \t]*(?:(?<=[\w*_ \t]):[*_]{0,3}|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Who speaks, before a colon or on a line of its own. A label, so that prose about an assistant is none;
"response" is one where prompts are."""
_ASSISTANT_SAID = re.compile(r'"(?:role|sender)"\s*:\s*"(?:assistant|model|ai)"')
_PERSON_SAID = re.compile(r'"(?:role|sender)"\s*:\s*"(?:user|human)"')
_KEY = re.compile(r"(?P<name>[A-Za-z][\w-]*)\s*:\s*(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class Authorship:
    """Who wrote a note, as far as the whole of it is concerned."""

    prepared: bool = False
    by_assistant: bool = False

    def context_of(self, section: Section, *, marked: bool) -> str:
        """The mark for a section that is no evidence, "" for one that is; `marked` when it stands between the
        marks of an assistant."""
        if marked or self.by_assistant:
            return WRITTEN_BY["assistant"]
        return WRITTEN_BY["bob"] if self.prepared and _is_prepared(section) else ""

    def extra(self, *, marked: bool) -> dict[str, str]:
        """What is known of the document from then on."""
        if self.by_assistant:
            return {ASSISTANT_KEY: "assistant"}
        written = {ASSISTANT_KEY: IN_PART} if marked else {}
        return written | ({PREPARED_BY: "bob"} if self.prepared else {})


def authorship_of(front: FrontMatter, text: str) -> Authorship:
    """Who wrote a note, by its front matter; of a note of an older Bob by its kind and its lines."""
    kind = front.extra.get("kind", "")
    is_prepared = front.extra.get(PREPARED_BY, "").casefold() == "bob"
    if kind in _PREPARED_KINDS:
        is_prepared = is_prepared or GATHERED in text or _GATHERED_LINE.search(text) is not None
    is_gap = kind == "gap" and bool(front.extra.get("finding"))
    return Authorship(
        is_prepared or is_gap, by_assistant=front.extra.get(ASSISTANT_KEY, "").casefold() == "assistant"
    )


def is_transcript(text: str) -> bool:
    """Whether a text has the words of a person and of an assistant, each below who said them."""
    speakers = {speaker_of(match[0]) for match in _LABELLED.finditer(text)}
    return {"person", "assistant"} <= speakers


def speaker_of(line: str) -> Literal["person", "assistant"] | None:
    """Who speaks from a line on: "**Assistant:** …", "## ChatGPT said"."""
    match = _LABELLED.match(line)
    if match is None:
        return None
    return "assistant" if match["name"].lower() in _ASSISTANTS else "person"


def is_chat_history(text: str) -> bool:
    """Whether JSON holds what somebody and an assistant said, as ChatGPT, Claude and others export it."""
    return _ASSISTANT_SAID.search(text) is not None and _PERSON_SAID.search(text) is not None


def front_key(writer: Writer) -> dict[str, str]:
    """What the front matter of a note says that is not a person's own."""
    return {PREPARED_BY: "bob"} if writer == "bob" else {ASSISTANT_KEY: "assistant"}


def front_matter_parts(lines: Sequence[str]) -> list[tuple[int, int, Writer | None]]:
    """The front matter of a prepared note, cut where what Bob filled in ends and where a person's begins:
    first line, line after the last, and who wrote it."""
    parts: list[tuple[int, int, Writer | None]] = []
    writer: Writer | None = "bob"
    for index, line in enumerate(lines):
        key = _KEY.fullmatch(line)
        if key:
            has_value = bool(key["value"].strip()) or lines[index + 1].startswith((" ", "\t", "- "))
            is_filled_in = key["name"].lower() in _FILLED_IN or not has_value
            writer = "bob" if is_filled_in else None
        elif line[:3] in ("---", "..."):
            writer = "bob"
        if parts and parts[-1][2] == writer:
            parts[-1] = (parts[-1][0], index + 1, writer)
        else:
            parts.append((index, index + 1, writer))
    return parts


def _is_prepared(section: Section) -> bool:
    """Whether a section of a prepared note has nothing of a person's in it."""
    heading = section.heading_path[-1].casefold() if section.heading_path else ""
    if heading in _GATHERED_UNDER and (
        heading == "what was looked for" or _GATHERED_LINE.search(section.text)
    ):
        return True
    return all(_SKELETON.fullmatch(line) for line in section.text.split("\n"))
