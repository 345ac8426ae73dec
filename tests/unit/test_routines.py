"""Notes that Bob prepares: what is in them, and that every line has its source."""

from dataclasses import fields
from datetime import UTC, date, datetime, timedelta

import pytest
from small_memory import engine_over, write_files

from bob.answers.answer import Answer, DateConfidence, save_answer
from bob.core.decision import Decision, FoundDecision, Rejected
from bob.core.errors import UsageError
from bob.core.locator import LineLocator
from bob.core.search import Filters
from bob.documents.read_source import text_at
from bob.notes.digest import one_line
from bob.notes.routines import Occasion
from bob.text.tasks import is_open, open_tasks

DAY = date(2025, 6, 30)
PRESS = """---
date: 2025-06-01
---
# Cider press

- [ ] Call Ana about the press
- [x] Sweep the floor
1. [ ]   Order bottles
> - [ ] Ask Bo, who knows
* [ ]

```
- [ ] in code
```

The press is rented out at five euros a day.
"""
OTHER = "---\ndate: 2024-01-31\n---\n# Gate\n\n- [ ] Oil the gate\n"
RECORD = """# 12. Rent out the press

## Status

Accepted

## Decision

We rent out the press by the day.

## Rejected

Selling it: it is old.
"""


@pytest.fixture
def engine(tmp_path):
    files = {"press/todo.md": PRESS, "gate/todo list.md": OTHER, "press/adr/0012-rent.md": RECORD}
    write_files(tmp_path / "notes", files)
    made = engine_over(tmp_path / "bob.db", notes={"folders": [str(tmp_path / "notes")]})
    made.index_files.index_folder(tmp_path / "notes" / "press", "press")
    made.index_files.index_folder(tmp_path / "notes" / "gate", "gate")
    yield made
    made.close()


def lines(engine, routine, **occasion):
    made = engine.knowledge.routines.write_routine(routine, Occasion(DAY, **occasion), write=False)
    for line in (line for found in made.lines.values() for line in found):
        assert f"- {line.text} (" in made.note.text and line.source in made.note.text
    return made, {name: [line.text for line in found] for name, found in made.lines.items()}


def test_a_day_begins_with_what_is_open(engine):
    conversations = engine.conversations
    conversations.remember.tell(conversations.scope("press"), "Next step: ask the notary.", 50)
    conversations.remember.tell(conversations.scope("press"), "The notary is in Faro.", 50)
    made, texts = lines(engine, "daily")
    assert texts["open_loops"] == [
        "Call Ana about the press",
        "Order bottles",
        "Ask Bo, who knows",
        "Oil the gate",
        "Next step: ask the notary.",
    ]
    for line in made.lines["open_loops"][:4]:
        assert text_at(made.note.path.parent / line.path, line.locator) == line.text
    assert "- Oil the gate ([todo list.md:6](../gate/todo%20list.md))\n" in made.note.text
    assert made.lines["open_loops"][4].source.startswith("memory 1, ")
    assert lines(engine, "daily", project="GATE")[1]["open_loops"] == ["Oil the gate"]


def test_what_a_routine_wrote_is_nothing_to_do(engine, tmp_path):
    engine.index_files.index_folder(tmp_path / "notes", "all")
    before = lines(engine, "daily")[1]
    made = engine.knowledge.routines.write_routine("daily", Occasion(DAY))
    assert made.note.written and made.note.indexed
    assert lines(engine, "daily")[1] == before


def decision(engine, **values):
    """A decision as the registry gives it."""
    hits = engine.search.search_chunks(parse("by the day"), 1).hits
    place = LineLocator(start_line=7, end_line=9)
    turned_down = Rejected("Selling it", "it is old", LineLocator(start_line=11, end_line=13))
    title, said = "Rent out the press", "We rent out the press by the day."
    rest = (None, 1.0, place, (turned_down,))
    found = FoundDecision("key", "record", "12", title, said, "", "active", *rest)
    chunk = hits[0].chunk
    every = {"decision_id": 1, "document_id": chunk.document_id, "path": chunk.path, "project": "press"}
    every |= {"found": found, "status": "active", "date": date(2020, 1, 31), "date_kind": "front_matter"}
    every |= {"own_status": "active"} | values
    return Decision(**{each.name: every[each.name] for each in fields(Decision) if each.name in every})


def parse(words):
    from bob.search.query import parse_query

    return parse_query(words)


def test_a_meeting_is_prepared_with_what_was_decided_and_turned_down(engine):
    engine.knowledge._decided = lambda project: [decision(engine)] if project in (None, "press") else []
    made, texts = lines(engine, "meeting", topic="renting the press", project="press")
    assert made.note.path.name == "2025-06-30-renting-the-press.md"
    assert texts["decided"] == [
        "Decision 12: Rent out the press (active, 2020-01-31): We rent out the press by the day.",
        "Turned down: Selling it: it is old",
    ]
    assert "([0012-rent.md:11-13](../press/adr/0012-rent.md))" in made.note.text
    assert {"The press is rented out at five euros a day.", "We rent out the press by the day."} <= set(
        texts["background"]
    )
    assert texts["open_loops"][0] == "Call Ana about the press" and "Oil the gate" not in made.note.text
    nothing = lines(engine, "meeting", topic="xylophones")[1]
    assert nothing == {"decided": [], "background": [], "open_loops": []}
    with pytest.raises(UsageError, match="missing topic"):
        lines(engine, "meeting", topic=" ")


def test_a_week_is_reviewed(engine):
    old = decision(engine)
    engine.knowledge._decided = lambda _: [
        decision(engine, decision_id=2, status="proposed", date=DAY - timedelta(8)),
        old,
        decision(engine, decision_id=3, status="proposed", date=DAY - timedelta(7)),
        decision(engine, decision_id=4, date=DAY),
        decision(engine, decision_id=5, status="superseded"),
        decision(engine, decision_id=6, date=None),
    ]
    asked(engine, "Who sells shells?", 1)
    asked(engine, "who sells  shells?", 2)
    asked(engine, "Who came?", 1, Filters(projects=("gate",)))
    asked(engine, "Too long ago?", 8)
    asked(engine, "Found since?", 3)
    asked(engine, "Found since?", 1, found=True)
    made, texts = lines(engine, "review")
    assert [text[: text.index(")")] for text in texts["stale_decisions"]] == [
        "Decision 12: Rent out the press (active, 2020-01-31",
        "Decision 12: Rent out the press (proposed, 2025-06-22",
    ]
    assert sorted(texts["gaps"]) == ["Who came?", "who sells shells?"]
    assert "- who sells shells? (asked 2 times, answer 2, 2025-06-28)\n" in made.note.text
    assert lines(engine, "review", project="press")[1]["gaps"] == ["who sells shells?"]


def asked(engine, question, days_ago, filters=Filters(), found=False):  # noqa: B008 - it is frozen
    answer = Answer(question, found, "", (), (), DateConfidence("low", ""))
    moment = datetime(2025, 6, 30, 12, tzinfo=UTC) - timedelta(days_ago)
    with engine.database.write(5) as connection:
        save_answer(connection, answer, filters, moment)


def test_a_template_without_a_place_is_told(tmp_path):
    write_files(tmp_path, {"own/daily.md": '---\ntitle: "{{date}}"\n---\nx\n'})
    notes = {"folders": [str(tmp_path)], "templates": str(tmp_path / "own")}
    engine = engine_over(tmp_path / "bob.db", notes=notes)
    with pytest.raises(UsageError, match=r"the template daily has no placeholder {{open_loops}}: add it"):
        engine.knowledge.routines.write_routine("daily", Occasion(DAY))
    engine.close()


def test_lines_become_no_list_task_or_heading():
    assert [one_line(text) for text in ("# [ ] x", "> - a\n  b", "3. [x] c", "[ ](y) d", "- **e**")] == [
        "x",
        "a b",
        "c",
        "[ ](y) d",
        "**e**",
    ]
    assert len(one_line("word " * 100)) <= 300
    text = "~~~\n- [ ] no\n```\n- [ ] no\n~~~\n- [ ] yes\n- [] no\n-[ ] no\n- [ ] \n"
    assert [text[start:end] for start, end in open_tasks(text)] == ["yes"]
    text = "```npm ci``` installs.\n- [ ] yes\n```sh\n- [ ] no\n```sh\n- [ ] no\n````\n- [ ] yes, too\n"
    assert [text[start:end] for start, end in open_tasks(text)] == ["yes", "yes, too"]
    assert is_open("Todo: paint") and not is_open("We stepped next door.")
