"""Rules about front matter: title, date, project, and whether it can be read at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.documents.formats.front_matter import DATE_KEYS, DATED_KEYS
from bob.notes.lint_note import Entry, Kind, Note
from bob.notes.lint_rule import Example, Facts, Found, Replacement, Rule
from bob.text import lexicon

_NEEDS_PROJECT: frozenset[Kind] = frozenset({"meeting", "decision"})
_MAY_LIE_AHEAD: frozenset[Kind] = frozenset({"trip", "project", "meeting"})
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?$")
_DATE_LINE = re.compile(
    rf"[\s>*+-]*(?:\*\*)?(?:{lexicon.either(DATED_KEYS['text'])})(?:\*\*)?\s*:.*\d", re.IGNORECASE
)
_DATE_LINE_WITHIN = 30


def _unreadable(note: Note, _: Facts) -> Iterator[Found]:
    problem = note.front.problem
    if problem is None:
        return
    replacement = None
    if problem.insert:
        inserted = problem.insert.replace("\n", note.newline)
        replacement = Replacement(problem.start, problem.start, inserted)
    elif problem.remove:
        replacement = Replacement(problem.start, problem.end, "")
    yield Found(problem.start, problem.end, problem.message, replacement)


def _repeated(note: Note, _: Facts) -> Iterator[Found]:
    for entry in note.front.repeated:
        yield Found(entry.key_start, entry.key_end, f"The key {entry.key} occurs twice; the last one counts.")


def _no_title(note: Note, _: Facts) -> Iterator[Found]:
    if not note.title and not note.front.problem:
        yield Found(*note.top, "The note has no title: neither in its front matter nor as a first heading.")


def _no_date(note: Note, facts: Facts) -> Iterator[Found]:
    front = note.front
    if front.problem or any(front.text(key) for key in DATE_KEYS):
        return
    if note.kind == "decision" and any(_DATE_LINE.match(line) for line in note.prose[:_DATE_LINE_WITHIN]):
        return  # records of decisions have their date there, and Bob reads it
    named = facts.name_date
    if named is None:
        yield Found(*note.top, "The note has no date, neither in its front matter nor in its name.")
    elif front.entries:
        message = f"The front matter has no date; by the file's name it is {named}."
        mended = f"date = {named}" if front.style == "toml" else f"date: {named}"
        first = front.entries[0].key_start
        indent = note.text[note.text.rfind("\n", 0, first) + 1 : first]
        added = f"{indent if not indent.strip() else ''}{mended}{note.newline}"
        replacement = Replacement(front.add_at, front.add_at, added)
        yield Found(
            *note.line_range(0), message, None if front.style == "flow" or front.get("date") else replacement
        )


def _dates(note: Note) -> Iterator[Entry]:
    for key in DATE_KEYS:
        entry = note.front.get(key)
        if entry is not None and entry.text:
            yield entry


def _invalid_date(note: Note, facts: Facts) -> Iterator[Found]:
    for entry in _dates(note):
        if facts.read_date(entry.text) is None:
            message = f"«{entry.text}» is not a valid date; use for example 2025-01-31."
            yield Found(entry.value_start, entry.value_end, message)


def _loose_date(note: Note, facts: Facts) -> Iterator[Found]:
    for entry in _dates(note):
        day = facts.read_date(entry.text)
        if day is None or _ISO.match(entry.text):
            continue
        # A date with more words beside it has a meaning that a date alone would lose.
        is_alone = len(re.findall(r"[^\W\d_]+|\d+", entry.text)) == 3
        mended = Replacement(entry.value_start, entry.value_end, day.isoformat())
        message = f"«{entry.text}» is read as {day}, but other programs may not understand it."
        yield Found(entry.value_start, entry.value_end, message, mended if is_alone else None)


def _future_date(note: Note, facts: Facts) -> Iterator[Found]:
    if note.kind in _MAY_LIE_AHEAD:
        return
    for entry in _dates(note):
        day = facts.read_date(entry.text)
        if day is not None and day > facts.today:
            yield Found(entry.value_start, entry.value_end, f"The date {day} is in the future.")


def _other_date_in_name(note: Note, facts: Facts) -> Iterator[Found]:
    own_keys = (*DATED_KEYS["text"], *DATED_KEYS["made"])
    entry = next((date_ for date_ in _dates(note) if date_.key in own_keys), None)
    day = facts.read_date(entry.text) if entry is not None else None
    if entry is not None and day is not None and facts.name_date not in (None, day):
        message = f"The front matter says {day}, the file's name {facts.name_date}."
        yield Found(entry.value_start, entry.value_end, message)


def _no_project(note: Note, _: Facts) -> Iterator[Found]:
    if note.kind in _NEEDS_PROJECT and note.front.entries and not note.front.text("project"):
        yield Found(*note.top, f"The {note.kind} names no project.")


def _empty_values(note: Note, _: Facts) -> Iterator[Found]:
    for entry in note.front.entries:
        if entry.key and not entry.has_value and not _needed(entry):
            start = note.text.rfind("\n", 0, entry.key_start) + 1
            message = f"The key {entry.key} has no value."
            is_removable = entry.alone and note.front.style != "flow"
            removal = Replacement(start, entry.line_end, "") if is_removable else None
            yield Found(entry.key_start, entry.key_end, message, removal)


def _needed(entry: Entry) -> bool:
    """Whether another rule asks for a value here, so that the key is a reminder worth keeping."""
    return entry.key in (*DATE_KEYS, "title", "project", "status", "owner", "attendees", "type", "kind")


RULES = (
    Rule(
        "BOB001",
        "unreadable-front-matter",
        "error",
        "The front matter cannot be read: it is not closed, not on the first line, or not valid YAML or "
        "TOML.",
        "Title, date, project and tags are then lost, and the block is indexed as if it were text.",
        "Put `---` on the first line and behind the last key, and values with colons or # in quotes.",
        Example("---\ntitle: Press\ndate: 2025-03-01\n\n# Press\n\nThe press runs on Mondays.\n"),
        Example("---\ntitle: Press\ndate: 2025-03-01\n---\n\n# Press\n\nThe press runs on Mondays.\n"),
        _unreadable,
        fixable=True,
    ),
    Rule(
        "BOB002",
        "repeated-key",
        "error",
        "A key occurs twice in the front matter.",
        "The last one counts; the first is silently lost.",
        "Keep one of them.",
        Example("---\ndate: 2025-03-01\ndate: 2025-03-02\n---\n\n# Press\n\nThe press runs.\n"),
        Example("---\ndate: 2025-03-02\n---\n\n# Press\n\nThe press runs.\n"),
        _repeated,
    ),
    Rule(
        "BOB003",
        "missing-title",
        "warning",
        "The note has no title.",
        "Results and citations then show the file's name, which says less.",
        "Write `title:` into the front matter, or begin the text with a heading such as `# Title`.",
        Example("---\ndate: 2025-03-01\n---\n\nThe press runs on Mondays.\n"),
        Example("---\ndate: 2025-03-01\n---\n\n# Press\n\nThe press runs on Mondays.\n"),
        _no_title,
    ),
    Rule(
        "BOB004",
        "missing-date",
        "warning",
        "The front matter has no date; without front matter, the name has none.",
        "Its age is then that of the file, which copying and syncing change; answers cannot say how old "
        "their sources are. A name's date is lost when the file is renamed.",
        "Write `date: 2025-01-31` into the front matter. It is taken from the file's name if that has one.",
        Example("---\ntitle: Press\n---\n\nThe press runs on Mondays.\n", "2025-03-01 press.md"),
        Example("---\ntitle: Press\ndate: 2025-03-01\n---\n\nThe press runs on Mondays.\n"),
        _no_date,
        fixable=True,
    ),
    Rule(
        "BOB005",
        "invalid-date",
        "error",
        "A date in the front matter is invalid or ambiguous.",
        "It is ignored, and the note counts as written when the file was changed.",
        "Write year, month and day: 2025-01-31.",
        Example("---\ntitle: Press\ndate: 3/4/2025\n---\n\nThe press runs on Mondays.\n"),
        Example("---\ntitle: Press\ndate: 2025-03-04\n---\n\nThe press runs on Mondays.\n"),
        _invalid_date,
    ),
    Rule(
        "BOB006",
        "loose-date",
        "note",
        "A date in the front matter is not written as 2025-01-31.",
        "Bob understands it; programs that sort or filter by it may not.",
        "Write year, month and day with hyphens.",
        Example("---\ntitle: Press\ndate: 4 March 2025\n---\n\nThe press runs on Mondays.\n"),
        Example("---\ntitle: Press\ndate: 2025-03-04\n---\n\nThe press runs on Mondays.\n"),
        _loose_date,
        fixable=True,
    ),
    Rule(
        "BOB007",
        "date-in-future",
        "warning",
        "The date is in the future, and the note is not a trip, project or meeting.",
        "It is usually a wrong year, and makes the note the newest of all.",
        "Correct the date.",
        Example("---\ntitle: Press\ndate: 2099-03-04\n---\n\nThe press runs on Mondays.\n"),
        Example("---\ntitle: Press\ndate: 2025-03-04\n---\n\nThe press runs on Mondays.\n"),
        _future_date,
    ),
    Rule(
        "BOB008",
        "date-differs-from-name",
        "warning",
        "The front matter and the file's name give different dates.",
        "One of them is wrong, and readers trust the name while Bob trusts the front matter.",
        "Correct the wrong one.",
        Example("---\ntitle: Press\ndate: 2025-03-04\n---\n\nThe press runs.\n", "2025-03-05 press.md"),
        Example("---\ntitle: Press\ndate: 2025-03-05\n---\n\nThe press runs.\n", "2025-03-05 press.md"),
        _other_date_in_name,
    ),
    Rule(
        "BOB009",
        "missing-project",
        "note",
        "A meeting or a decision with front matter names no project.",
        "It then belongs to the folder's project, and leaves it when the file is moved.",
        "Write `project:` into the front matter.",
        Example(
            "---\nkind: meeting\ndate: 2025-03-04\nowner: Ana\n---\n\n# Press\n\n## Next steps\n\n"
            "- Ana orders rollers by 2025-03-10.\n"
        ),
        Example(
            "---\nkind: meeting\ndate: 2025-03-04\nowner: Ana\nproject: press\n---\n\n# Press\n\n## Next "
            "steps\n\n- Ana orders rollers by 2025-03-10.\n"
        ),
        _no_project,
    ),
    Rule(
        "BOB010",
        "empty-metadata",
        "note",
        "A key of the front matter has no value.",
        "It is left over from a template and says nothing.",
        "Give it a value or remove the line.",
        Example("---\ntitle: Press\ndate: 2025-03-04\ntags: []\n---\n\nThe press runs.\n"),
        Example("---\ntitle: Press\ndate: 2025-03-04\ntags: [press]\n---\n\nThe press runs.\n"),
        _empty_values,
        fixable=True,
    ),
)
