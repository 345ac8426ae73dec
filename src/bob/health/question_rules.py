"""Rules about questions: without an answer, asked again and again, or answered badly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from bob.answers.feedback import FeedbackVerdict
from bob.health.facts import AnswerFacts, HealthFacts, QuestionGroup
from bob.health.same_question import plain
from bob.health.values import ALL_PROJECTS, Evidence, Finding, Fix, Severity, finding_id

REPEATED = 3
"""A question asked so often deserves a note that answers it."""

_SHOWN = 5
_BAD = {
    FeedbackVerdict.WRONG_SOURCE: ("wrong-source", "rests on the wrong source"),
    FeedbackVerdict.OUTDATED: ("outdated-answer", "is outdated"),
}


def question_findings(facts: HealthFacts) -> Iterator[Finding]:
    """The findings of all rules about questions. A question that a gap note is open for is known."""
    gaps = [each for each in facts.documents if each.is_gap]
    noted = {each.extra.get("finding") for each in gaps}
    asked = {plain(each.title) for each in gaps}
    for group in facts.questions:
        if any(plain(each.question) in asked for each in group.answers):
            continue
        finding = _unanswered(group) if not is_answered(group.answers) else _repeated(group)
        if finding is not None and finding.finding_id not in noted:
            yield finding
    yield from _bad_answers(facts)


def is_answered(answers: Sequence[AnswerFacts]) -> bool:
    """Whether the last answer to a question is one, and nobody said that it does not answer."""
    last = answers[-1]
    return last.found and FeedbackVerdict.DIDNT_ANSWER not in last.verdicts


def _unanswered(group: QuestionGroup) -> Finding:
    times = len(group.answers)
    asked = f", asked {times} times" if times > 1 else ""
    return _question(
        "unanswered-question",
        "warning",
        group,
        f"No source answers «{group.question}»{asked}",
        "Write down what answers it.",
    )


def _repeated(group: QuestionGroup) -> Finding | None:
    if len(group.answers) < REPEATED:
        return None
    helped = FeedbackVerdict.HELPFUL in group.answers[-1].verdicts
    if helped:
        return None
    return _question(
        "repeated-question",
        "note",
        group,
        f"Asked {len(group.answers)} times: «{group.question}»",
        "Write a note that answers it in one place, or say that the answer helps (bob feedback).",
    )


def _question(rule: str, severity: Severity, group: QuestionGroup, title: str, text: str) -> Finding:
    subject = " ".join(group.question.casefold().split())
    own = finding_id(rule, subject)
    return Finding(
        own,
        rule,
        title,
        severity,
        _project(group.answers),
        _asked(group.answers),
        Fix(
            f"{text} A note for it can be made from a template.",
            f"bob health fix {own}",
            "gap-note",
            {"question": group.question, "project": _project(group.answers), "finding": own},
        ),
        about=group.question,
        uses=len(group.answers),
    )


def _project(answers: Sequence[AnswerFacts]) -> str:
    """The project that every one of the answers was limited to, if there is one."""
    limits = {each.projects for each in answers}
    (only,) = limits if len(limits) == 1 else ((),)
    return only[0] if len(only) == 1 else ALL_PROJECTS


def _asked(answers: Sequence[AnswerFacts]) -> tuple[Evidence, ...]:
    last = list(reversed(answers))[:_SHOWN]
    shown = [
        Evidence(f"answer {each.answer_id}, {_day(each.asked_at)}: {each.question}{_verdicts(each)}")
        for each in last
    ]
    if len(answers) > _SHOWN:
        shown.append(Evidence(f"and {len(answers) - _SHOWN} more"))
    return tuple(shown)


def _verdicts(answer: AnswerFacts) -> str:
    said = [
        f"{verdict}: {given.note}" if given.note else str(verdict)
        for verdict, given in sorted(answer.verdicts.items())
    ]
    return f" ({'; '.join(said)})" if said else ""


def _bad_answers(facts: HealthFacts) -> Iterator[Finding]:
    """Answers that were called wrong or outdated, until a cited document changed."""
    changed = {each.path: each.mtime_ns / 1e9 for each in facts.documents}
    for verdict, (rule, what) in _BAD.items():
        open_cases: dict[str, list[AnswerFacts]] = {}
        for answer in facts.answers:
            given = answer.verdicts.get(verdict)
            if given is None or any(
                changed.get(each.path, float("inf")) > given.given_at.timestamp() for each in answer.cited
            ):
                continue
            open_cases.setdefault(" ".join(answer.question.casefold().split()), []).append(answer)
        for subject, answers in open_cases.items():
            last = answers[-1]
            paths = tuple(dict.fromkeys(each.path for answer in answers for each in answer.cited))
            yield Finding(
                finding_id(rule, subject),
                rule,
                f"The answer to «{last.question}» {what}, it was said",
                "error",
                _project_of(paths, facts) or _project(answers),
                (*_asked(answers), *_cited(last)),
                Fix(
                    "Correct the cited documents, or write what holds now. It is settled when one of them "
                    "changes, or when the answer is said to help.",
                    f"bob feedback {last.answer_id}",
                ),
                paths=paths,
                about=last.question,
                uses=len(answers),
                count=len(answers),
            )


def _cited(answer: AnswerFacts) -> tuple[Evidence, ...]:
    return tuple(Evidence(each.quote, each.path, each.locator.get("start_line")) for each in answer.cited)


def _project_of(paths: Sequence[str], facts: HealthFacts) -> str:
    found = {each.project for each in facts.documents if each.path in paths}
    return found.pop() if len(found) == 1 else ALL_PROJECTS


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
