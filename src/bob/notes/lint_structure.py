"""Rules about the text itself: headings, sections, what templates leave behind, code, links, secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.notes.link_targets import has_anchor
from bob.notes.lint_note import Note
from bob.notes.lint_rule import NAMESAKES_TOLD, Example, Facts, Found, Rule

_PLACEHOLDER = re.compile(
    r"\{\{[^{}\n]{0,80}\}\}"
    r"|<(?:your|insert|describe|enter|title|name of|date of|who|what|why|when|how)\b[^<>\n=]{0,60}>"
    r"|\[(?:your|insert|describe|enter|TODO|TBD|fill in|placeholder)\b[^\[\]\n]{0,60}\](?![(\[:])"
    r"|\bYYYY-MM-DD\b|\blorem ipsum\b",
    re.IGNORECASE,
)
_EMPTY_ITEM = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s*)?(?:\[ ?\])?\s*$")
"""A line of nothing, or of a list's mark with nothing behind it."""
_DATE = "date: 2025-03-04"


def _repeated_heading(note: Note, _: Facts) -> Iterator[Found]:
    seen: dict[tuple[str, ...], int] = {}
    path: list[tuple[int, str]] = []
    for heading in note.headings:
        path = [outer for outer in path if outer[0] < heading.level]
        path.append((heading.level, heading.text.casefold()))
        # Sections of different parents may share a name, such as the days of a log.
        key = (str(heading.level), *(name for _, name in path))
        if key in seen and heading.text:
            message = f"The heading «{heading.text}» is already in line {seen[key] + 1}."
            yield Found(*note.line_range(heading.line), message)
        seen.setdefault(key, heading.line)


def _same_title(note: Note, facts: Facts) -> Iterator[Found]:
    if not facts.namesakes:
        return
    entry = note.front.get("title")
    first = next((heading for heading in note.headings if heading.level == 1), None)
    if entry is not None and entry.text:
        span = entry.value_start, entry.value_end
    else:
        span = note.line_range(first.line) if first else note.top
    are_more = len(facts.namesakes) > NAMESAKES_TOLD
    others = ", ".join(facts.namesakes[:NAMESAKES_TOLD]) + (" and more" if are_more else "")
    yield Found(*span, f"The title «{note.title}» is also that of {others}.")


def _empty_section(note: Note, _: Facts) -> Iterator[Found]:
    headings = note.headings
    for index, heading in enumerate(headings):
        following = headings[index + 1] if index + 1 < len(headings) else None
        if following is not None and following.level > heading.level:
            continue
        end = following.line if following is not None else len(note.lines)
        within = range(heading.end_line, end)
        has_code = any(fence.line in within for fence in note.fences)
        if not has_code and all(_EMPTY_ITEM.match(note.prose[line]) for line in within):
            yield Found(*note.line_range(heading.line), f"The section «{heading.text}» is empty.")


def _placeholder(note: Note, _: Facts) -> Iterator[Found]:
    for entry in note.front.entries:
        for match in _PLACEHOLDER.finditer(note.text, entry.value_start, entry.value_end):
            yield Found(match.start(), match.end(), f"«{match[0]}» is left over from a template.")
    for line, text in enumerate(note.prose):
        for match in _PLACEHOLDER.finditer(re.sub(r"`[^`]*`", lambda code: " " * len(code[0]), text)):
            start = note.starts[line]
            message = f"«{match[0]}» is left over from a template."
            yield Found(start + match.start(), start + match.end(), message)


def _unclosed_fence(note: Note, _: Facts) -> Iterator[Found]:
    for fence in note.fences:
        if not fence.closed:
            message = "The code block is not closed: everything below it counts as code."
            yield Found(*note.line_range(fence.line), message)


def _dead_link(note: Note, facts: Facts) -> Iterator[Found]:
    for start, end, kind, message in _lost(note, facts):
        if kind == "link":
            yield Found(start, end, message)


def _dead_wiki_link(note: Note, facts: Facts) -> Iterator[Found]:
    for start, end, kind, message in _lost(note, facts):
        if kind == "wiki":
            yield Found(start, end, message)


def _dead_anchor(note: Note, facts: Facts) -> Iterator[Found]:
    for start, end, kind, message in _lost(note, facts):
        if kind == "anchor":
            yield Found(start, end, message)


def _lost(note: Note, facts: Facts) -> Iterator[tuple[int, int, str, str]]:
    """Every link that leads nowhere: where it stands, whether link, wiki link or anchor is lost, and why."""
    if facts.targets is None or facts.path is None:
        return
    for link in note.links:
        if link.is_external:
            continue
        target = facts.targets.resolve(link, facts.path)
        if target is None and not any(facts.exists(path) for path in facts.targets.places(link, facts.path)):
            alike = facts.targets.named_alike(link)
            hint = f"; a file of that name is {alike[0]}" if alike and not link.is_wiki else ""
            kind = "wiki" if link.is_wiki else "link"
            yield link.start, link.end, kind, f"«{link.target}» leads nowhere{hint}."
        elif target is not None and link.anchor:
            anchors = facts.anchors_of(target)
            if anchors is not None and not has_anchor(link.anchor, anchors):
                where = f"«{link.target}»" if link.target else "this note"
                yield link.start, link.end, "anchor", f"There is no «#{link.anchor}» in {where}."


def _secret(note: Note, facts: Facts) -> Iterator[Found]:
    for start, end, kind in facts.find_secrets(note.text):
        yield Found(start, end, f"This looks like a secret ({kind}).")


RULES = (
    Rule(
        "BOB020",
        "repeated-heading",
        "warning",
        "Two headings of the same level below the same parent have the same words.",
        "A citation cannot tell them apart, and a link to the heading leads to the first.",
        "Join the sections, or name what sets them apart.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\n## Oil\n\nWeekly.\n\n## Oil\n\nMonthly.\n"),
        Example(f"---\n{_DATE}\n---\n\n# Press\n\n## Oil\n\nWeekly.\n\n## Grease\n\nMonthly.\n"),
        _repeated_heading,
    ),
    Rule(
        "BOB021",
        "repeated-title",
        "note",
        "Another note that is checked with this one has the same title.",
        "Results look the same, and a wiki link by the title can lead to either.",
        "Say in the title what sets the note apart, such as its year.",
        Example(
            f"---\n{_DATE}\n---\n\n# Press\n\nWeekly.\n",
            beside={"other.md": f"---\n{_DATE}\n---\n\n# Press\n\nMonthly.\n"},
        ),
        Example(
            f"---\n{_DATE}\n---\n\n# Press\n\nWeekly.\n",
            beside={"other.md": f"---\n{_DATE}\n---\n\n# Old press\n\nMonthly.\n"},
        ),
        _same_title,
    ),
    Rule(
        "BOB022",
        "empty-section",
        "warning",
        "A heading has nothing below it.",
        "Usually it is a part of a template that was never filled in.",
        "Fill it in or remove the heading.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nIt runs.\n\n## Costs\n"),
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nIt runs.\n\n## Costs\n\n6 euros a day.\n"),
        _empty_section,
    ),
    Rule(
        "BOB023",
        "placeholder",
        "warning",
        "A placeholder of a template is left over.",
        "It is indexed as if somebody had said it.",
        "Replace it with the real words.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nWho cares for it: {{{{name}}}}.\n"),
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nWho cares for it: Ana.\n"),
        _placeholder,
    ),
    Rule(
        "BOB024",
        "unclosed-code",
        "error",
        "A fenced code block is not closed.",
        "Everything below it counts as code, so its headings and links are lost.",
        "Write a line with the same fence where the code ends.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\n```sh\npress --oil\n\nRun it weekly.\n"),
        Example(f"---\n{_DATE}\n---\n\n# Press\n\n```sh\npress --oil\n```\n\nRun it weekly.\n"),
        _unclosed_fence,
    ),
    Rule(
        "BOB030",
        "dead-link",
        "error",
        "A link leads to a file that does not exist.",
        "A reader who follows it finds nothing.",
        "Use the present name of the file, relative to this note.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nSee [oil](oil.md).\n"),
        Example(
            f"---\n{_DATE}\n---\n\n# Press\n\nSee [oil](oil.md).\n",
            beside={"oil.md": f"---\n{_DATE}\n---\n\n# Oil\n\nWeekly.\n"},
        ),
        _dead_link,
    ),
    Rule(
        "BOB031",
        "dead-wiki-link",
        "warning",
        "A wiki link names a note that does not exist.",
        "It may be meant for later; until then it leads nowhere.",
        "Name a note by its file or its title, or write the note.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nSee [[Oil]].\n"),
        Example(
            f"---\n{_DATE}\n---\n\n# Press\n\nSee [[Oil]].\n",
            beside={"oil.md": f"---\n{_DATE}\n---\n\n# Oil\n\nWeekly.\n"},
        ),
        _dead_wiki_link,
    ),
    Rule(
        "BOB032",
        "dead-anchor",
        "warning",
        "A link names a heading that its target does not have.",
        "The reader lands at the top and has to look.",
        "Use the present words of the heading.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nSee [below](#oiling).\n\n## Oil\n\nWeekly.\n"),
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nSee [below](#oil).\n\n## Oil\n\nWeekly.\n"),
        _dead_anchor,
    ),
    Rule(
        "BOB060",
        "secret",
        "error",
        "The note contains a password, key or token.",
        "Notes are indexed, synced and quoted in answers, so a secret in them does not stay secret.",
        "Remove it, keep it in a password manager, and change it, because it may have been read.",
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nThe door's password: Roller-4711-ink\n"),
        Example(f"---\n{_DATE}\n---\n\n# Press\n\nThe door's password is with Ana.\n"),
        _secret,
    ),
)
