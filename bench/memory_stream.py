"""Thirty days of made-up conversations over several projects, each message labelled by what it is.

The same seed gives the same stream. What a memory may keep can be checked by the labels: a `claim` names a
subject and its value ("billing/database=SQLite"), and only the last value of a subject holds in the end.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from memory_phrases import (
    CODE,
    EXPLAINED,
    GREETINGS,
    LOOKUPS,
    PASSING,
    PREFERENCES,
    PROCURAS,
    QUESTIONS,
    REQUESTS,
    SECRETS,
    SUBJECTS,
    TERMOS,
    TERMS,
    Subject,
)

Kind = Literal[
    "greeting",
    "lookup",
    "request",
    "question",
    "code",
    "passing",
    "explained",
    "claim",
    "repeat",
    "paraphrase",
    "contradiction",
    "secret",
    "recalled",
]

JUNK: tuple[Kind, ...] = ("greeting", "lookup", "request", "question", "code", "explained", "recalled")
"""What no memory is to be made of. A `passing` message may become a temporary one, a `secret` one must not
hold its secret."""

FIRST_DAY = datetime(2026, 3, 2, 8, tzinfo=UTC)
DAYS = 30


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """A message with its label.

    `claim` is what it says, `ends` the claim that it contradicts. `secret` is the string that nothing may
    keep. `injected` is what was put into the prompt before it.
    """

    at: datetime
    project: str
    chat: str
    role: Literal["user", "assistant"]
    text: str
    kind: Kind
    claim: str | None = None
    ends: str | None = None
    secret: str | None = None
    injected: tuple[str, ...] = ()


_WEIGHTS: dict[Kind, int] = {
    "greeting": 14,
    "lookup": 12,
    "request": 14,
    "question": 9,
    "code": 7,
    "passing": 7,
    "explained": 16,
    "claim": 3,
    "repeat": 5,
    "paraphrase": 4,
    "contradiction": 1,
    "secret": 2,
    "recalled": 6,
}


def memory_stream(seed: int = 7, count: int = 2200) -> list[StreamMessage]:
    """`count` messages in the order of time. The first of each project says its claims, one a chat."""
    return list(_Writer(random.Random(seed), count).messages())


def holding(stream: list[StreamMessage]) -> dict[str, str]:
    """The claims that hold at the end, by subject ("billing/database": "billing/database=SQLite")."""
    found: dict[str, str] = {}
    for message in stream:
        if message.claim and message.kind in ("claim", "contradiction"):
            found[message.claim.partition("=")[0]] = message.claim
    return found


class _Writer:
    """Writes the stream; remembers what was said to whom, so that it can be said again or ended."""

    def __init__(self, random: random.Random, count: int) -> None:
        self._random = random
        self._count = count
        self._values: dict[tuple[str, str], tuple[Subject, str, str]] = {}
        self._liked: dict[str, tuple[str, str, str]] = {}

    def messages(self) -> Iterator[StreamMessage]:
        step = timedelta(days=DAYS) / self._count
        kinds, weights = list(_WEIGHTS), list(_WEIGHTS.values())
        projects = list(SUBJECTS)
        for number in range(self._count):
            project = self._random.choice(projects)
            kind = self._random.choices(kinds, weights)[0]
            at = FIRST_DAY + number * step
            yield self._message(kind, project, at)

    def _message(self, kind: Kind, project: str, at: datetime) -> StreamMessage:
        chat = f"{project}-{at.date().isoformat()}"
        if kind in ("repeat", "paraphrase", "contradiction", "recalled") and not self._of(project):
            kind = "claim"
        if kind == "claim":
            return self._claim(project, chat, at)
        if kind in ("repeat", "paraphrase", "contradiction", "recalled"):
            return self._again(kind, project, chat, at)
        if kind == "secret":
            pattern, form = self._random.choice(SECRETS)
            parts = [
                "".join(self._random.choices(string.ascii_letters + string.digits, k=12)) for _ in range(3)
            ]
            secret = form.format(*parts)
            return StreamMessage(at, project, chat, "user", pattern.format(secret), kind, secret=secret)
        role: Literal["user", "assistant"] = "assistant" if kind == "explained" else "user"
        return StreamMessage(at, project, chat, role, self._plain(kind), kind)

    def _plain(self, kind: Kind) -> str:
        pick = self._random.choice
        number = self._random.randrange(2, 9000)
        if kind == "greeting":
            return pick(GREETINGS)
        if kind == "lookup":
            return pick(LOOKUPS).format(pick(TERMS)) if number % 2 else pick(PROCURAS).format(pick(TERMOS))
        if kind in ("code", "passing"):
            return pick(CODE if kind == "code" else PASSING).replace("{}", str(number))
        forms = {"request": REQUESTS, "question": QUESTIONS}.get(kind, EXPLAINED)
        return pick(forms).format(pick(TERMS))

    def _of(self, project: str) -> list[str]:
        return [subject for where, subject in self._values if where == project]

    def _claim(self, project: str, chat: str, at: datetime) -> StreamMessage:
        """A claim that was not made yet; when all were, one of them again."""
        unsaid = [each for each in SUBJECTS[project] if (project, each.name) not in self._values]
        unliked = [each for each in PREFERENCES if each[1] not in self._liked]
        if unsaid:
            subject = self._random.choice(unsaid)
            value = self._random.choice(subject.values)
            text = _sentence(subject.said, value)
            self._values[project, subject.name] = (subject, value, text)
            return StreamMessage(
                at, project, chat, "user", text, "claim", claim=f"{project}/{subject.name}={value}"
            )
        if unliked:
            _, name, text, otherwise = self._random.choice(unliked)
            self._liked[name] = (project, text, otherwise)
            return StreamMessage(at, project, chat, "user", text, "claim", claim=f"{project}/{name}=yes")
        return self._again("repeat", project, chat, at)

    def _again(self, kind: Kind, project: str, chat: str, at: datetime) -> StreamMessage:
        liked = [each for each in self._liked.items() if each[1][0] == project]
        if liked and kind in ("repeat", "paraphrase") and self._random.random() < 0.3:
            name, (_, text, otherwise) = self._random.choice(liked)
            said = self._retold(text) if kind == "repeat" else otherwise
            return StreamMessage(at, project, chat, "user", said, kind, claim=f"{project}/{name}=yes")
        name = self._random.choice(self._of(project))
        subject, value, text = self._values[project, name]
        claim = f"{project}/{name}={value}"
        if kind == "repeat":
            return StreamMessage(at, project, chat, "user", self._retold(text), kind, claim=claim)
        if kind == "paraphrase":
            said = _sentence(self._random.choice(subject.otherwise), value)
            return StreamMessage(at, project, chat, "user", said, kind, claim=claim)
        if kind == "contradiction":
            other = self._random.choice([each for each in subject.values if each != value])
            said = _sentence(subject.changed, other, old=value)
            self._values[project, name] = (subject, other, _sentence(subject.said, other))
            new = f"{project}/{name}={other}"
            return StreamMessage(at, project, chat, "user", said, kind, claim=new, ends=claim)
        leads = ("As you said, {}", "> {}", "You told me that {}", "Como você disse, {}")
        role: Literal["user", "assistant"] = self._random.choice(("user", "assistant"))
        said = self._random.choice(leads).format(text)
        return StreamMessage(at, project, chat, role, said, kind, claim=claim, injected=(f"- [80] {text}",))

    def _retold(self, text: str) -> str:
        """The same sentence again: as it was, or with other capitals, blanks or courtesy."""
        forms = (text, text.lower(), f"Hi! {text}", f"{text} Thanks!", text.replace(" ", "  "))
        return self._random.choice(forms)


def _sentence(form: str, value: str, old: str = "") -> str:
    text = form.format(value, old=old)
    return text[0].upper() + text[1:]
