"""Rules about who does what until when: owners, next steps, and single actions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.notes.lint_note import Kind, Note
from bob.notes.lint_rule import Example, Facts, Found, Rule
from bob.text import lexicon

_OWNED: frozenset[Kind] = frozenset({"meeting", "decision", "project"})
_STEPPED: frozenset[Kind] = frozenset({"meeting", "project"})
_OWNER_KEYS = lexicon.phrases("owner fields")
_OWNERS = lexicon.either(_OWNER_KEYS)
_OWNER_LINE = re.compile(
    rf"^[\s>*+-]*(?:\*\*|__)?(?:{_OWNERS})(?:\*\*|__)?\s*:(?:\*\*|__)?\s*\S", re.IGNORECASE
)
_OWNER_PART = re.compile(rf"(?:{_OWNERS})\b", re.IGNORECASE)
_STEPS_PART = re.compile(
    r"(?:next steps?|actions?(?: items?)?|to-?\s?dos?|tasks|follow[- ]?ups?|próximos passos|ações|tarefas|"
    r"pendências)\s*:?$",
    re.IGNORECASE,
)
_STEP_LINE = re.compile(
    r"^[\s>*+-]*(?:\*\*|__)?(?:next steps?|actions?(?: items?)?|próximos? passos?)(?:\*\*|__)?\s*:"
    r"(?:\*\*|__)?\s*\S",
    re.IGNORECASE,
)
_TASK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[(?P<done>[ xX/-])\]\s+(?P<said>\S.*?)\s*$")
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d+[.)])\s+(?P<said>\S.*?)\s*$")
_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ][\w'’.-]*(?:\s+[A-ZÀ-ÖØ-Þ][\w'’.-]*){0,2})"
_VERB = (
    r"(?:add|ask|book|bring|buy|call|check|collect|confirm|contact|create|decide|deliver|do|draft|find|finish|"
    r"fix|follow|get|invite|look|mail|make|move|order|organi[sz]e|pay|plan|prepare|propose|publish|read|report|request|"
    r"review|schedule|send|set|share|speak|start|submit|summari[sz]e|take|talk|tell|test|try|update|work|write)e?s"
)
"""What somebody does; not any word on -s, since «Order rollers» names nobody."""
_OWNED_ACTION = re.compile(
    rf"(?:^|[\s(\[])@[\w.-]+|\[\[[^\]]+\]\]|\b(?:owner|assignee|assigned to|responsible|responsável)\b"
    rf"|^(?:\*\*|__)?{_NAME}(?:(?:,| and| e) {_NAME})*(?:\*\*|__)?\s*(?::|[-–—]\s|\s(?:will|to|shall|must|"
    rf"should|needs? to|is to|has to|and|vai|deve|vão|devem)\b)"
    rf"|^(?:I|we|I'll|we'll|everyone|all|todos|eu)\b|\({_NAME}(?:,[^)]*)?\)|[-–—→]\s*{_NAME}\s*(?:[,(].*)?$"
    rf"|^{_NAME} {_VERB}\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:today|tomorrow|tonight|asap|immediately|ongoing|"
    r"daily|weekly|monthly)\b|\b(?:next|this|end of(?: the| this| next)?) "
    r"(?:week|month|quarter|year|sprint|day|meeting)\b"
    r"|\bQ[1-4]\b|\b(?:due|by|until|before|till|on)\b[^.]*\d|📅|\d{1,2}[./]\d{1,2}\b"
    r"|\bin \d+ (?:days|weeks|months)\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b"
    r"|\b\d{1,2} (?:de )?(?:jan|feb|fev|mar|apr|abr|may|mai|jun|jul|aug|ago|sep|set|oct|out|nov|dec|dez)"
    r"|\b(?:segunda|terça|quarta|quinta|sexta|hoje|amanhã|semana que vem|próxima semana)\b|\b20\d\d\b",
    re.IGNORECASE,
)


def _no_owner(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind not in _OWNED or note.front.problem:
        return
    if any((entry := note.front.get(key)) is not None and entry.words for key in _OWNER_KEYS):
        return
    if any(_OWNER_LINE.match(text) for text in note.prose) or any(note.sections(_OWNER_PART)):
        return
    yield Found(*note.top, f"The {note.kind} names no owner and no participants.")


def _no_next_step(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind not in _STEPPED:
        return
    for _heading, lines in note.sections(_STEPS_PART):
        if any(note.prose[line].strip() for line in lines):
            return
    if any(_STEP_LINE.match(text) or _TASK.match(text) for text in note.prose):
        return
    yield Found(*note.top, f"The {note.kind} has no next step.")


def _actions(note: Note) -> Iterator[tuple[int, int, str]]:
    """Every action that is still open, with where its text begins and ends."""
    if note.kind not in _OWNED:
        return
    within = {line for _, lines in note.sections(_STEPS_PART) for line in lines}
    for line, text in enumerate(note.prose):
        task = _TASK.match(text)
        item = _ITEM.match(text) if line in within and task is None else None
        # What is indented below an action is a detail of it.
        match = task if task is not None and task["done"] == " " else item
        if (
            match is not None
            and match["said"] not in ("[ ]", "[]")
            and (match is task or not match["indent"])
        ):
            start = note.starts[line]
            yield start + match.start("said"), start + match.end("said"), match["said"]


def _action_without_owner(note: Note, _: Facts) -> Iterator[Found]:
    for start, end, words in _actions(note):
        if not _OWNED_ACTION.search(words):
            yield Found(start, end, "No person is named for this action.")


def _action_without_date(note: Note, facts: Facts) -> Iterator[Found]:
    for start, end, words in _actions(note):
        if not _DAY.search(words) and facts.read_date(words) is None:
            yield Found(start, end, "This action has no due date.")


def _meeting(steps: str, owner: str = "owner: Ana\n") -> str:
    return (
        f"---\nkind: meeting\ndate: 2025-03-04\nproject: press\n{owner}---\n\n# Press meeting\n\n"
        f"The rollers are worn.\n{steps}"
    )


_DONE_WELL = "\n## Next steps\n\n- Ana orders rollers by 2025-03-10.\n"

RULES = (
    Rule(
        "BOB050",
        "no-owner",
        "warning",
        "A meeting, decision or project names no owner, decider, author or participants.",
        "Nobody knows whom to ask when it is outdated.",
        "Write `owner:` into the front matter.",
        Example(_meeting(_DONE_WELL, owner="")),
        Example(_meeting(_DONE_WELL)),
        _no_owner,
    ),
    Rule(
        "BOB051",
        "no-next-step",
        "warning",
        "A meeting or project has no next step: no such section, and no task.",
        "The discussion has no consequence.",
        "Add a section Next steps that says who does what by when; if there are none, say so there.",
        Example(_meeting("")),
        Example(_meeting(_DONE_WELL)),
        _no_next_step,
    ),
    Rule(
        "BOB052",
        "action-without-owner",
        "warning",
        "An action of a meeting, decision or project has no owner.",
        "An action without an owner is not done.",
        "Name who does it: «Ana orders rollers», «@ana» or «(Ana)».",
        Example(_meeting("\n## Next steps\n\n- [ ] Order rollers by 2025-03-10.\n")),
        Example(_meeting(_DONE_WELL)),
        _action_without_owner,
    ),
    Rule(
        "BOB053",
        "action-without-date",
        "note",
        "An action of a meeting, decision or project has no due date.",
        "An action without a due date is not done.",
        "Say the day, such as «by 2025-03-10».",
        Example(_meeting("\n## Next steps\n\n- Ana orders rollers.\n")),
        Example(_meeting(_DONE_WELL)),
        _action_without_date,
    ),
)
