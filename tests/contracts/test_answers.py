"""Kept answers and the feedback on them, in a real database with two organizations."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from small_memory import ORG

from bob.answers import feedback_rows
from bob.answers.answer import (
    NOT_FOUND,
    Answer,
    DateConfidence,
    answer_by_id,
    last_answers,
    save_answer,
)
from bob.answers.feedback_rows import Feedback, FeedbackVerdict
from bob.core.search import NO_FILTERS, Filters

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
VERDICTS = list(FeedbackVerdict)


def not_found(question):
    return Answer(question, False, NOT_FOUND, (), (), DateConfidence("low", "nothing"), {"used": []})


def keep(database, question, org_id=ORG, filters=NO_FILTERS):
    with database.for_organization(org_id).write(1) as connection:
        return save_answer(connection, not_found(question), filters, NOON)


def test_an_answer_is_kept_as_it_was_printed(database):
    filters = Filters(projects=("acme",), tags=("a", "b"), after=date(2025, 1, 2))
    given = keep(database, "Where is the key?", filters=filters)
    with database.read() as connection:
        kept = answer_by_id(connection, given.answer_id)
    assert kept.answer == json.loads(json.dumps(given.to_json()))
    assert kept.answer["answer_id"] == given.answer_id == kept.answer_id
    assert (kept.question, kept.found, kept.asked_at) == ("Where is the key?", False, NOON)
    assert kept.filters == {"projects": ["acme"], "tags": ["a", "b"], "after": "2025-01-02"}


def test_the_last_answers_come_first_and_each_organization_counts_its_own(database):
    mine = [keep(database, f"q{n}").answer_id for n in range(3)]
    theirs = keep(database, "theirs", "other").answer_id
    assert mine == [1, 2, 3] and theirs == 1
    with database.read() as connection:
        assert [each.question for each in last_answers(connection, 2)] == ["q2", "q1"]
    with database.for_organization("other").read() as connection:
        assert [each.question for each in last_answers(connection, 9)] == ["theirs"]
        assert answer_by_id(connection, 3) is None


def give(database, *verdicts, answer_id=1, org_id=ORG):
    with database.for_organization(org_id).write() as connection:
        for at, verdict in enumerate(verdicts):
            given_at = NOON + timedelta(minutes=at)
            feedback_rows.give(connection, Feedback(answer_id, verdict, f"note {at}", given_at))


def said(database, *answer_ids, org_id=ORG):
    with database.for_organization(org_id).read() as connection:
        found = feedback_rows.of(connection, answer_ids)
    return {key: [(each.verdict, each.note) for each in value] for key, value in found.items()}


def test_complaints_add_up_and_the_same_one_is_kept_once(database):
    give(database, FeedbackVerdict.OUTDATED, FeedbackVerdict.TOO_LONG, FeedbackVerdict.OUTDATED)
    assert said(database, 1, 2) == {
        1: [(FeedbackVerdict.TOO_LONG, "note 1"), (FeedbackVerdict.OUTDATED, "note 2")],
        2: [],
    }


@pytest.mark.parametrize("complaint", VERDICTS[1:])
def test_helpful_and_a_complaint_exclude_each_other(database, complaint):
    give(database, complaint, FeedbackVerdict.HELPFUL)
    assert said(database, 1) == {1: [(FeedbackVerdict.HELPFUL, "note 1")]}
    give(database, complaint)
    assert said(database, 1) == {1: [(complaint, "note 0")]}


def test_feedback_touches_no_other_answer_and_no_other_organization(database):
    give(database, FeedbackVerdict.OUTDATED, answer_id=2)
    give(database, FeedbackVerdict.OUTDATED, org_id="other")
    give(database, FeedbackVerdict.HELPFUL)
    assert said(database, 1, 2) == {
        1: [(FeedbackVerdict.HELPFUL, "note 0")],
        2: [(FeedbackVerdict.OUTDATED, "note 0")],
    }
    assert said(database, 1, org_id="other") == {1: [(FeedbackVerdict.OUTDATED, "note 0")]}
