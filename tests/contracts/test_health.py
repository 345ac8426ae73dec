"""What health reads and keeps, on either engine."""

from datetime import UTC, date, datetime, timedelta

import pytest
from small_memory import HashingEmbedder, add_rows, indexed, record

from bob.answers import feedback_rows
from bob.answers.answer import Answer, DateConfidence, save_answer
from bob.answers.feedback_rows import Feedback, FeedbackVerdict
from bob.core.document import SourceDate
from bob.core.search import Filters
from bob.documents import rows as document_rows
from bob.documents.disks import LocalDisks
from bob.documents.embed_pending import EmbedPending
from bob.health import answer_rows as health_answers
from bob.health import rows as health_rows
from bob.health import run_rows, text_rows
from bob.health.check import CheckHealth
from bob.health.decision_rules import source_findings
from bob.health.document_rules import DocumentLimits
from bob.health.facts import HealthFacts
from bob.health.gather_facts import GatherFacts
from bob.health.values import HealthRun, ProjectHealth

ORG, MODEL = "local", "hashing@1"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LIMITS = DocumentLimits(
    lambda source_type: 730 if source_type == "markdown" else None, 50, frozenset({"inbox"})
)


def save(database, path, *texts, org=ORG, headings=(), **values):
    with database.for_organization(org).write() as connection:
        saved = document_rows.save(
            connection, record(path, **values), indexed(*texts, headings=headings), MODEL
        )
    return saved.document_id


def check(database):
    return CheckHealth(database, GatherFacts(database, HashingEmbedder(), LocalDisks()), LIMITS)


def test_documents_are_told_with_what_their_text_has(database):
    headed = save(database, "/n/a.md", "x", headings=["A"], tags=("t",), extra={"kind": "meeting"})
    titled = save(database, "/n/b.md", "---\ntitle: b\n---", "x")
    bare = save(database, "/n/c.md", "x", source_date=SourceDate(date(2020, 2, 29), "front_matter"))
    save(database, "/n/d.md", "x", org="other")
    with database.write() as connection:
        add_rows(connection, "past_documents", {"document_id": bare, "valid_until": "2025-01-01"})
    with database.read() as connection:
        found = {each.document_id: each for each in health_rows.documents(connection)}
    assert {key: each.headed for key, each in found.items()} == {headed: True, titled: True, bare: False}
    assert [found[each].past for each in (headed, titled, bare)] == [False, False, True]
    assert found[headed].tags == ("t",) and found[headed].extra == {"kind": "meeting"}
    assert found[bare].source_date == date(2020, 2, 29) and found[bare].source_date_kind == "front_matter"


def test_present_documents_that_were_read_in_part_are_told(database):
    save(database, "/n/a.eml", "x", left_out=("attachment plan.dwg is of no format that Bob reads",))
    save(database, "/n/b.eml", "x")
    past = save(database, "/n/c.eml", "x", left_out=("page 2 has no text",))
    with database.write() as connection:
        add_rows(connection, "past_documents", {"document_id": past, "valid_until": "2025-01-01"})
    with database.read() as connection:
        facts = HealthFacts(documents=health_rows.documents(connection))
    (found,) = (each for each in source_findings(facts) if each.rule == "read-in-part")
    assert (found.paths, found.project) == (("/n/a.eml",), "notes")
    assert [each.text for each in found.evidence] == ["attachment plan.dwg is of no format that Bob reads"]


def test_texts_come_a_document_at_a_time_with_their_lines(database):
    one = save(database, "/n/a.md", "first", "second")
    save(database, "/n/b.txt", "third", source_type="plain")
    two = save(database, "/n/c.md", "fourth")
    with database.read() as connection:
        every = dict(health_rows.markdown_texts(connection, bool))
        some = dict(health_rows.markdown_texts(connection, lambda text: text == "second"))
    assert every == {one: [(1, "first"), (2, "second")], two: [(1, "fourth")]}
    assert some == {one: [(1, "first"), (2, "second")]}


def test_vectors_of_the_model_are_counted(database):
    save(database, "/n/a.md", "one", "two")
    with database.read() as connection:
        before = health_rows.vectors(connection, MODEL)
    EmbedPending(database, HashingEmbedder()).embed_chunks()
    with database.read() as connection:
        after, other = (health_rows.vectors(connection, each) for each in (MODEL, "another@1"))
    assert [(each.chunks, each.pending) for each in (before, after, other)] == [(2, 2), (2, 0), (2, 2)]


def decision(database, document_id, number, status, **values):
    with database.write() as connection:
        stated = {
            "decision_id": number,
            "document_id": document_id,
            "project": "notes",
            "key": f"k{number}",
            "kind": "record",
            "title": f"Decision {number}",
            "statement": "",
            "context": "",
            "stated_status": status,
            "status": status,
            "confidence": 1.0,
            "locator": {"start_line": 1, "end_line": 2},
            "rejected": [],
            "stated_links": [],
        }
        add_rows(connection, "decisions", stated | values)


def test_what_took_a_decisions_place_is_followed_to_the_end(database):
    paths = [f"/n/{number}.md" for number in (1, 2, 3)]
    ids = [save(database, path, "text") for path in paths]
    for number, status in ((1, "superseded"), (2, "superseded"), (3, "active")):
        decision(database, ids[number - 1], number, status, date=f"2025-0{number}-01")
    with database.write() as connection:
        for later, earlier, kind in ((2, 1, "supersedes"), (3, 2, "supersedes"), (3, 1, "amends")):
            link = {"later_id": later, "earlier_id": earlier, "kind": kind, "origin": "text"}
            add_rows(connection, "decision_links", link)
    with database.read() as connection:
        first, second = health_rows.superseded(connection)
    assert (first.title, first.successors, first.since) == ("Decision 1", (*paths[1:],), date(2025, 2, 1))
    assert (first.current_title, first.current_path) == ("Decision 3", paths[2])
    assert (second.successors, second.whole) == ((paths[2],), True)


def test_corrections_without_their_decision(database):
    decision(database, save(database, "/n/1.md", "text"), 1, "active")
    with database.write() as connection:
        for key in ("k1", "k2"):
            given = {"project": "notes", "key": key, "changes": {"status": "rejected"}, "given_at": 1.0}
            add_rows(connection, "decision_corrections", given)
    with database.read() as connection:
        (lost,) = health_rows.lost_corrections(connection)
    assert (lost.project, lost.key, lost.changes) == ("notes", "k2", {"status": "rejected"})


def test_answers_come_oldest_first_with_their_verdicts(database):
    for number in range(2):
        answer = Answer(
            f"Question {number}?", False, "", (), (), DateConfidence("low", ""), {"retrieved": []}
        )
        with database.write(1) as connection:
            limited = Filters(projects=("garden",))
            save_answer(connection, answer, limited, NOW + timedelta(minutes=number))
    with database.write() as connection:
        feedback_rows.give(connection, Feedback(1, FeedbackVerdict.OUTDATED, "old", NOW))
    first, second = health_answers.recent_answers(database, 5)
    assert (first.question, first.projects) == ("Question 0?", ("garden",))
    assert first.verdicts[FeedbackVerdict.OUTDATED].note == "old" and not second.verdicts
    assert [each.answer_id for each in health_answers.recent_answers(database, 1)] == [2]


def test_words_and_chunks_that_documents_share(database):
    one = save(database, "/n/a.md", "alpha beta", "gamma delta epsilon", headings=["heading"])
    two = save(database, "/n/b.md", "gamma delta epsilon", "zeta", headings=["heading"])
    save(database, "/n/c.md", "alpha", org="other")
    with database.read() as connection:
        words = text_rows.document_terms(connection, {one, two})
        shared = text_rows.shared_chunks(connection)
    assert (words.document_ids, list(words.starts)) == ([one, two], [0, 5])
    assert len(words.terms) == 9, "words of headings are left out"
    assert shared == [(one, two, pytest.approx(3 / 4))]


def test_runs_and_dismissals_are_kept_by_organization(database):
    runs = [
        HealthRun(NOW + timedelta(days=at), {"p": ProjectHealth(90 + at, 3, {"stale": 1})}) for at in range(3)
    ]
    with database.write() as connection:
        for run in runs:
            run_rows.add(connection, run)
        run_rows.dismiss(connection, "stale-1", NOW)
        run_rows.dismiss(connection, "stale-1", NOW)
        assert run_rows.recent(connection, 2) == runs[1:]
        assert run_rows.dismissed(connection) == {"stale-1"}
        assert run_rows.restore(connection, "stale-1")
        assert not run_rows.restore(connection, "stale-1")
    other = database.for_organization("other")
    with other.read() as connection:
        assert run_rows.recent(connection, 5) == [] and not run_rows.dismissed(connection)


def test_health_is_the_same_on_both_engines(database):
    old = SourceDate(date(2020, 1, 1), "front_matter")
    save(database, "/n/a.md", "[[b]] and [[nowhere]]", headings=["A"], source_date=old, title="Alpha")
    save(database, "/n/b.md", "[a](a.md#part)", source_date=old, extra={"status": "superseded"})
    save(database, "/n/c.md", "stands alone", project="inbox", title="c")
    report = check(database).check_health(NOW)
    assert [(each.rule, each.about or "".join(each.paths)) for each in report.findings] == [
        ("embeddings-pending", ""),
        ("broken-link", "a.md#part"),
        ("broken-link", "nowhere"),
        ("rests-on-superseded", "/n/b.md"),
        ("stale", "/n/a.md"),
        ("no-date", "/n/c.md"),
        ("no-project", "/n/c.md"),
        ("no-title", "/n/b.md"),
        ("no-title", "/n/c.md"),
    ]
    assert {name: each.documents for name, each in report.run.projects.items() if name} == {
        "notes": 2,
        "inbox": 1,
    }
    assert check(database).check_health(NOW).history == report.history == []
    assert check(database.for_organization("other")).check_health(NOW).run.projects == {}


def test_a_look_that_may_not_write_keeps_no_scores(database):
    save(database, "/n/a.md", "x")
    check(database).check_health(NOW, keep=False)
    with database.read() as connection:
        assert run_rows.recent(connection, 10) == []
