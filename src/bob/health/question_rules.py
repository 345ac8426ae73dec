"""Rules about questions: without an answer, asked again and again, or answered badly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from bob.answers.feedback_rows import FeedbackVerdict
from bob.health.facts import AnswerFacts, HealthFacts, QuestionGroup
from bob.health.values import ALL_PROJECTS, Evidence, Finding, Fix, Severity, finding_id

SIMILARITY = 0.87
"""The cosine from which two questions are one. With the model that comes with Bob, of sixteen pairs that ask
the same in other words thirteen lie above it, and of sixteen that ask something else about the same thing
none that asks for the same kind of thing ("When does the gate open?" and "close?": 0.86)."""

_ASKED_FOR = {
    "who": "a person",
    "whom": "a person",
    "whose": "a person",
    "quem": "a person",
    "when": "a time",
    "quando": "a time",
    "where": "a place",
    "onde": "a place",
    "why": "a reason",
}
"""Words that say what is asked for. Others ("what", "how") can stand for any of these."""

_WORD = re.compile(r"\w+")
_TELLING = re.compile(r"\d[\w.-]*|(?<=\s)[A-Z]\w+")


def plain(question: str) -> str:
    """The question's words without case and punctuation: equal ones need no model to be the same."""
    return " ".join(_WORD.findall(question.casefold()))


def grouped(
    answers: Sequence[AnswerFacts], vectors: dict[str, npt.NDArray[np.float32]]
) -> list[QuestionGroup]:
    """Groups of answers, which come oldest first; `vectors` has the embedding of questions by their plain
    words, those without one stand for themselves. Only questions that were limited in the same way, and that
    have the same numbers and names, can be one."""
    groups: list[list[AnswerFacts]] = []
    by_words: dict[tuple[str, str], list[AnswerFacts]] = {}
    leaders: dict[tuple[str, tuple[str, ...]], _Leaders] = {}
    for answer in answers:
        limits = json.dumps(answer.filters, sort_keys=True)
        words = plain(answer.question)
        same = by_words.get((limits, words))
        vector = vectors.get(words)
        if same is None and vector is not None:
            alike = leaders.setdefault((limits, _telling(answer.question)), _Leaders(vector.shape))
            same = alike.nearest(vector, kind := _asked_for(words))
            if same is None:
                same = []
                groups.append(same)
                alike.add(vector, kind, same)
        elif same is None:
            same = []
            groups.append(same)
        by_words[limits, words] = same
        same.append(answer)
    return [QuestionGroup(tuple(group)) for group in groups]


class _Leaders:
    """The first question of each group, as a matrix that grows."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._rows = np.empty((8, *shape), np.float32)
        self._groups: list[tuple[str, list[AnswerFacts]]] = []

    def nearest(self, vector: npt.NDArray[np.float32], kind: str) -> list[AnswerFacts] | None:
        """The group of the most similar question that asks for the same; None when none is similar enough."""
        cosines = self._rows[: len(self._groups)] @ vector
        for index in cosines.argsort()[::-1]:
            if cosines[index] < SIMILARITY:
                return None
            other, group = self._groups[int(index)]
            if not kind or not other or kind == other:
                return group
        return None

    def add(self, vector: npt.NDArray[np.float32], kind: str, group: list[AnswerFacts]) -> None:
        """A new group that begins with this question."""
        if len(self._groups) == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[len(self._groups)] = vector
        self._groups.append((kind, group))


def _asked_for(words: str) -> str:
    """What kind of thing a question asks for, "" where that is open."""
    kinds = {kind for word in words.split() if (kind := _ASKED_FOR.get(word))}
    return kinds.pop() if len(kinds) == 1 else ""


def _telling(question: str) -> tuple[str, ...]:
    """Numbers and names: with others it is another question, however alike the words are."""
    return tuple(sorted({word.casefold() for word in _TELLING.findall(question)}))


REPEATED = 3
"""A question asked so often deserves a note that answers it."""

_SHOWN = 5
_BAD = {
    FeedbackVerdict.WRONG_SOURCE: ("wrong-source", "has the wrong source"),
    FeedbackVerdict.OUTDATED: ("outdated-answer", "is outdated"),
}


def question_findings(facts: HealthFacts) -> Iterator[Finding]:
    """The findings of all rules about questions. A question that a gap note is open for is known."""
    gaps = [document for document in facts.documents if document.is_gap]
    noted = {gap.extra.get("finding") for gap in gaps}
    questions = {plain(gap.title) for gap in gaps}
    for group in facts.questions:
        if any(plain(answer.question) in questions for answer in group.answers):
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
    times_asked = f", asked {times} times" if times > 1 else ""
    return _question(
        "unanswered-question",
        "warning",
        group,
        f"No source answers «{group.question}»{times_asked}",
        "Write a note that answers it.",
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
        "Write a note that answers it in one place, or rate the answer as helpful (bob feedback).",
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
            f"{text} Bob can make one from a template.",
            f"bob health fix {own}",
            "gap-note",
            {"question": group.question, "project": _project(group.answers), "finding": own},
        ),
        about=group.question,
        uses=len(group.answers),
    )


def _project(answers: Sequence[AnswerFacts]) -> str:
    """The project that every one of the answers was limited to, if there is one."""
    limits = {answer.projects for answer in answers}
    (only,) = limits if len(limits) == 1 else ((),)
    return only[0] if len(only) == 1 else ALL_PROJECTS


def _asked(answers: Sequence[AnswerFacts]) -> tuple[Evidence, ...]:
    last = list(reversed(answers))[:_SHOWN]
    shown = [
        Evidence(f"answer {answer.answer_id}, {_day(answer.asked_at)}: {answer.question}{_verdicts(answer)}")
        for answer in last
    ]
    if len(answers) > _SHOWN:
        shown.append(Evidence(f"and {len(answers) - _SHOWN} more"))
    return tuple(shown)


def _verdicts(answer: AnswerFacts) -> str:
    remarks = [
        f"{verdict}: {feedback.note}" if feedback.note else str(verdict)
        for verdict, feedback in sorted(answer.verdicts.items())
    ]
    return f" ({'; '.join(remarks)})" if remarks else ""


def _bad_answers(facts: HealthFacts) -> Iterator[Finding]:
    """Answers that were called wrong or outdated, until a cited document changed."""
    changed = {document.path: document.mtime_ns / 1e9 for document in facts.documents}
    for verdict, (rule, what) in _BAD.items():
        open_cases: dict[str, list[AnswerFacts]] = {}
        for answer in facts.answers:
            feedback = answer.verdicts.get(verdict)
            if feedback is None or any(
                changed.get(cite.path, float("inf")) > feedback.given_at.timestamp() for cite in answer.cited
            ):
                continue
            open_cases.setdefault(" ".join(answer.question.casefold().split()), []).append(answer)
        for subject, answers in open_cases.items():
            last = answers[-1]
            paths = tuple(dict.fromkeys(cite.path for answer in answers for cite in answer.cited))
            yield Finding(
                finding_id(rule, subject),
                rule,
                f"The answer to «{last.question}» {what}, according to feedback",
                "error",
                _project_of(paths, facts) or _project(answers),
                (*_asked(answers), *_cited(last)),
                Fix(
                    "Correct the cited documents, or write down what is true now. The finding ends when "
                    "one of them changes, or when the answer is rated helpful.",
                    f"bob feedback {last.answer_id}",
                ),
                paths=paths,
                about=last.question,
                uses=len(answers),
                count=len(answers),
            )


def _cited(answer: AnswerFacts) -> tuple[Evidence, ...]:
    return tuple(Evidence(cite.quote, cite.path, cite.locator.get("start_line")) for cite in answer.cited)


def _project_of(paths: Sequence[str], facts: HealthFacts) -> str:
    projects = {document.project for document in facts.documents if document.path in paths}
    return projects.pop() if len(projects) == 1 else ALL_PROJECTS


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
