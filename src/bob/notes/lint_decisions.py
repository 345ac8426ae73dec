"""Rules about decisions: whether one is stated, how firmly, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.decisions.fields import read_status
from bob.decisions.links import verbs
from bob.decisions.statements import STATUS_HEADING
from bob.notes.lint_note import Note
from bob.notes.lint_rule import Example, Facts, Found, Replacement, Rule
from bob.text import lexicon
from bob.text.sentences import states_choice

_HEADINGS = lexicon.either(
    heading
    for section in ("decision headings", "several decisions", "resolved headings")
    for heading in lexicon.phrases(section)
)
_DECISION_PART = re.compile(
    rf"(?:\d+[.)]?\s*)?(?:{_HEADINGS}|outcome|choice|chosen option|conclusion|"
    r"what (?:we|was) decided|resultado|escolha|conclusão)\b:?",
    re.IGNORECASE,
)
_STATUS_PART = re.compile(rf"(?:{STATUS_HEADING.pattern}|(?:\d+[.)]?\s*)?situação\s*:?)$", re.IGNORECASE)
_MARKED = re.compile(
    rf"^[\s>*+-]*(?:\*\*|__)?(?:{_HEADINGS}|outcome|decidido|acordado)"
    r"(?:\*\*|__)?\s*:(?:\*\*|__)?\s*(?P<said>.*)$",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\bTBD\b|\bTBC\b|\bto be (?:decided|determined|confirmed|discussed)\b|\bmaybe\b|\bperhaps\b|\bprobably\b"
    r"|\bpossibly\b|\bwe (?:might|may|could)\b|\bnot (?:yet )?(?:sure|decided|certain)\b|\bsome ?how\b"
    r"|\bif possible\b|\bif we (?:have|find|get) time\b|\bsome time soon\b|\bat some point\b"
    r"|\btalvez\b|\bprovavelmente\b|\ba definir\b|\bquem sabe\b|\bpoderíamos\b|\bse (?:der|possível)\b",
    re.IGNORECASE,
)
_STATUS_LINE = re.compile(
    r"^[\s>*+-]*(?:\*\*|__)?status(?:\*\*|__)?\s*:(?:\*\*|__)?\s*(?P<said>\S.*?)\s*$", re.IGNORECASE
)
_STATUS_WORD = re.compile(r"[\s*_`>#•+-]*(?P<word>[^\W\d_]+(?:[ -](?:review|progress|revisão))?)")
_KNOWN = frozenset(
    [
        *("proposed", "draft", "pending", "accepted", "active", "rejected", "deprecated", "superseded"),
        *("amended", "partly", "partially"),
    ]
)
"""What Bob understands; "accepted" and "active" are one, and what is partly superseded stays active."""

_SYNONYMS = {
    "approved": "accepted",
    "agreed": "accepted",
    "adopted": "accepted",
    "decided": "accepted",
    "aceito": "accepted",
    "aceita": "accepted",
    "aprovado": "accepted",
    "aprovada": "accepted",
    "proposal": "proposed",
    "in review": "proposed",
    "proposto": "proposed",
    "proposta": "proposed",
    "declined": "rejected",
    "refused": "rejected",
    "rejeitado": "rejected",
    "rejeitada": "rejected",
    "obsolete": "deprecated",
    "retired": "deprecated",
    "obsoleto": "deprecated",
    "obsoleta": "deprecated",
    "replaced": "superseded",
    "superceded": "superseded",
    "substituído": "superseded",
    "substituída": "superseded",
}
"""Words that mean one of the known ones and nothing else."""

_SUCCESSOR = re.compile(
    rf"(?:{verbs('superseded')})\b[\W_]*(?:{lexicon.any_of('superseded by')})\b\W*\S|"
    r"(?:super[sc]eded|replaced)\b[\W_]*(?:with|in|on)\b\W*\S|super[sc]eded\b.*(?:\[|\d)",
    re.IGNORECASE,
)
_SUCCESSOR_KEYS = ("superseded_by", "superseded-by", "superseded by", "successor", "replaced_by")


def _texts(note: Note) -> Iterator[tuple[int, int, str]]:
    """What the note says it decides: line, column and text."""
    within = {line for _, lines in note.sections(_DECISION_PART) for line in lines}
    headings = {heading.line for heading in note.headings}
    for line, text in enumerate(note.prose):
        marked = _MARKED.match(text)
        if marked is not None:
            yield line, marked.start("said"), marked["said"]
        elif line in within and line not in headings and text.strip():
            yield line, 0, text


def _no_decision(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind != "decision" or any(label.strip() for _, _, label in _texts(note)):
        return
    if not any(map(states_choice, note.prose)):
        yield Found(*note.top, "The note is a decision, but no sentence says what was decided.")


def _vague(note: Note, _: Facts) -> Iterator[Found]:
    for line, column, text in _texts(note):
        match = _VAGUE.search(text)
        if match is not None:
            start = note.starts[line] + column + match.start()
            message = f"«{' '.join(match[0].split())}» leaves open what was decided."
            yield Found(start, start + len(match[0]), message)


def _statuses(note: Note) -> Iterator[tuple[int, str]]:
    """Each place where the note says its status: the offset and the text there."""
    entry = note.front.get("status")
    if entry is not None and entry.text:
        start = note.text.find(entry.text[:1], entry.value_start)
        yield start, note.text[start : entry.value_end]
    within = False
    for _, lines in note.sections(_STATUS_PART):
        for line in lines:
            if note.prose[line].strip():
                yield note.starts[line], note.prose[line]
                within = True
                break
    if not within:
        for line, text in enumerate(note.prose):
            match = _STATUS_LINE.match(text)
            if match is not None:
                yield note.starts[line] + match.start("said"), match["said"]
                return


def _no_status(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind == "decision" and next(_statuses(note), None) is None and not note.front.problem:
        yield Found(*note.top, "The decision has no status, such as accepted.")


def _unknown_status(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind != "decision":
        return
    for offset, text in _statuses(note):
        match = _STATUS_WORD.match(text)
        word = match["word"] if match is not None else ""
        if match is None or word.lower() in _KNOWN or word.split()[0].lower() in _KNOWN:
            continue
        start, end = offset + match.start("word"), offset + match.end("word")
        status = _SYNONYMS.get(word.lower()) or _SYNONYMS.get(word.split()[0].lower())
        if status is None and (understood := read_status([text])) is not None and understood.status:
            continue
        if status is None:
            known = "proposed, accepted, rejected, deprecated, superseded"
            yield Found(start, end, f"«{word}» is an unknown status; use one of {known}.")
            continue
        if word.lower() not in _SYNONYMS:
            end = start + len(word.split()[0])
        cased = status.upper() if word.isupper() else status.capitalize() if word[0].isupper() else status
        yield Found(start, end, f"«{word}» means {status}.", Replacement(start, end, cased))


def _no_successor(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind != "decision" or any(note.front.text(key) for key in _SUCCESSOR_KEYS):
        return
    statuses = list(_statuses(note))
    for offset, text in statuses:
        match = _STATUS_WORD.match(text)
        status = read_status([text])
        if match is None or status is None or status.is_partly or status.status != "superseded":
            continue
        if not any(_SUCCESSOR.search(line) for line in [text, *note.prose]):
            message = "The decision is superseded, but it does not say by which."
            yield Found(offset + match.start("word"), offset + match.end("word"), message)


def _record(status: str, decision: str, extra: str = "") -> str:
    return (
        "---\nkind: decision\ndate: 2025-03-04\nproject: press\nowner: Ana\n---\n\n# Ink for the press\n\n"
        f"{status}## Context\n\nThe old ink smears.\n\n## Decision\n\n{decision}\n{extra}"
    )


_ACCEPTED = "## Status\n\nAccepted\n\n"
_CLEAR = "We will use soy ink."

RULES = (
    Rule(
        "BOB040",
        "no-decision",
        "error",
        "A note of the kind decision has no sentence that says what was decided.",
        "Nobody can follow it, and Bob finds no decision in it.",
        "Write one sentence below a heading Decision, such as «We will use soy ink.»",
        Example(
            "---\nkind: decision\ndate: 2025-03-04\nproject: press\nowner: Ana\nstatus: proposed\n---\n\n"
            "# Ink for the press\n\nThe old ink smears.\n"
        ),
        Example(_record(_ACCEPTED, _CLEAR)),
        _no_decision,
    ),
    Rule(
        "BOB041",
        "vague-decision",
        "warning",
        "A word such as TBD, maybe or «we might» leaves open what was decided.",
        "Two readers will remember two decisions.",
        "Say what was decided, or set the status to proposed and describe what is open in another section.",
        Example(_record(_ACCEPTED, "We might use soy ink.")),
        Example(_record(_ACCEPTED, _CLEAR)),
        _vague,
    ),
    Rule(
        "BOB042",
        "missing-status",
        "warning",
        "A decision has no status.",
        "It is unclear whether it is a proposal or in force.",
        "Write `status: accepted` into the front matter, or a section Status.",
        Example(_record("", _CLEAR)),
        Example(_record(_ACCEPTED, _CLEAR)),
        _no_status,
    ),
    Rule(
        "BOB043",
        "unknown-status",
        "warning",
        "The status of a decision is not proposed, accepted (or active), rejected, deprecated or superseded.",
        "Bob and other tools cannot tell whether the decision is in force.",
        "Use one of these words. Words that mean the same, such as approved, are put right by --fix.",
        Example(_record("## Status\n\nApproved\n\n", _CLEAR)),
        Example(_record(_ACCEPTED, _CLEAR)),
        _unknown_status,
        fixable=True,
    ),
    Rule(
        "BOB044",
        "no-successor",
        "warning",
        "A decision is superseded, and does not say by which.",
        "The reader knows that it is no longer in force, but not what is.",
        "Write «Superseded by» and the other decision's number or a link to it.",
        Example(_record("## Status\n\nSuperseded\n\n", _CLEAR)),
        Example(_record("## Status\n\nSuperseded by ADR-12\n\n", _CLEAR)),
        _no_successor,
    ),
)
