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


@dataclass(frozen=True, slots=True)
class _Subject:
    """Something of which one value holds at a time: how it is said, said otherwise, and changed."""

    name: str
    values: tuple[str, ...]
    said: str
    otherwise: tuple[str, ...]
    changed: str


_SUBJECTS: dict[str, tuple[_Subject, ...]] = {
    "billing": (
        _Subject(
            "database",
            ("PostgreSQL", "SQLite", "MariaDB", "Oracle"),
            "We decided to use {} for the billing database.",
            (
                "For the billing database we decided to use {}.",
                "so, the billing database: we decided to use {}",
            ),
            "We moved the billing database from {old} to {}.",
        ),
        _Subject(
            "approvals",
            ("two", "three", "four"),
            "Every release of billing needs {} approvals from now on.",
            ("From now on every billing release needs {} approvals.",),
            "Every release of billing needs {} approvals now, not {old}.",
        ),
        _Subject(
            "invoices",
            ("the 5th", "the 10th", "the 20th"),
            "Our invoices are sent on {} of each month.",
            ("On {} of each month our invoices are sent.",),
            "Our invoices are sent on {} of each month now, no longer on {old}.",
        ),
    ),
    "loja": (
        _Subject(
            "fila",
            ("RabbitMQ", "Kafka", "Redis"),
            "Decidimos usar {} como fila de pedidos da loja.",
            ("Como fila de pedidos da loja decidimos usar {}.",),
            "Mudamos a fila de pedidos da loja de {old} para {}.",
        ),
        _Subject(
            "frete",
            ("99 reais", "149 reais", "199 reais"),
            "Na nossa loja o frete é grátis acima de {}.",
            ("O frete é grátis acima de {} na nossa loja.",),
            "Na nossa loja o frete agora é grátis acima de {}, não mais de {old}.",
        ),
    ),
    "house": (
        _Subject(
            "rent",
            ("1,250 euros", "1,310 euros", "1,390 euros"),
            "Our rent for the house is {} a month.",
            ("The rent for our house is {} a month.",),
            "Our rent for the house is {} a month now, not {old} any more.",
        ),
        _Subject(
            "heating",
            ("gas", "a heat pump", "wood pellets"),
            "We heat our house with {}.",
            ("Our house we heat with {}.",),
            "We heat our house with {} now instead of {old}.",
        ),
        _Subject(
            "doctor",
            ("Dr. Almeida", "Dr. Becker", "Dr. Costa"),
            "Our family doctor is {}.",
            ("{} is our family doctor.",),
            "Our family doctor is {} now, no longer {old}.",
        ),
    ),
    "trip": (
        _Subject(
            "hotel",
            ("the Bristol", "the Lisboa", "the Savoy"),
            "For the trip we chose the hotel called {}.",
            ("We chose the hotel called {} for the trip.",),
            "For the trip we chose {} instead of the hotel called {old}.",
        ),
        _Subject(
            "flight",
            ("3 May", "10 May", "17 May"),
            "Our flight for the trip leaves on {}.",
            ("On {} our flight for the trip leaves.",),
            "Our flight for the trip leaves on {} now, no longer on {old}.",
        ),
    ),
}

_PREFERENCES = (
    (
        "",
        "answers",
        "I prefer short answers without bullet points.",
        "Short answers without bullet points I prefer.",
    ),
    ("", "coffee", "I like my coffee black and without sugar.", "My coffee I like without sugar and black."),
    ("", "cilantro", "I can't stand cilantro in any recipe.", "Cilantro I can't stand in any recipe."),
    ("", "allergy", "I am allergic to penicillin.", "I'm allergic to penicillin."),
    ("", "trens", "Prefiro viajar de trem em vez de avião.", "Eu prefiro viajar de trem em vez de avião."),
)
_GREETINGS = (
    *("Hi!", "Good morning!", "Hello there, how are you?", "Thanks a lot!", "ok, sounds good", "Bom dia!"),
    *("Oi, tudo bem?", "Muito obrigado pela ajuda!", "haha nice one", "Good night, see you tomorrow!"),
)
_TERMS = (
    "a monad",
    "entropy",
    "a mutex",
    "photosynthesis",
    "inflation",
    "a sonnet",
    "tectonics",
    "the Doppler effect",
)
_TERMOS = ("entropia", "fotossíntese", "inflação", "um soneto", "um mutex", "energia escura")
_LOOKUPS = ("What is {}?", "Define {}.", 'Translate "{}" into German.', "Hi Bob! What is {}?")
_PROCURAS = ("O que é {}?", "O que significa {}?", 'Traduza "{}" para o inglês.')
_REQUESTS = (
    *(
        "Rewrite this in a friendlier tone.",
        "Make it shorter, please.",
        "Now do the same for the second paragraph.",
    ),
    *("Give me five ideas for a title.", "Explain {} in simple words.", "Write a poem about {}."),
    *(
        "Reescreva isso num tom mais formal.",
        "Me dê cinco ideias de título.",
        "Explique isso de novo, mais devagar.",
    ),
)
_QUESTIONS = (
    *("How does {} compare with its alternatives?", "If we decided to drop it, how much would that cost?"),
    *("Why do people find {} so hard to learn?", "Como as pessoas aprendem isso mais rápido?"),
    *("Which of these is easier to read, the first or the last?", "E se a gente deixasse isso para depois?"),
)
_CODE = (
    "```python\nfor number in range({}):\n    print(number)\n```",
    "const total = items.slice(0, {}).length;",
    "SELECT name FROM users WHERE id = {};",
)
_PASSING = (
    *(
        "Right now I'm waiting for build {} to finish.",
        "The error only appears with port {}.",
        "For this draft, use {}px.",
    ),
    *("Hoje estou no ônibus {}, a internet está caindo.", "I meant line {}, not the one before."),
)
_EXPLAINED = (
    *(
        "In general {} is easier to understand with an example.",
        "Sure! Here is a version with {} words.",
        "You're welcome!",
    ),
    *(
        "Many teams say that they use {} when something simpler would do.",
        "Claro! Aqui está uma versão mais curta.",
    ),
)
_SECRETS = (
    ("The password for staging is {}, please remember that.", "Tr0ub4dor&{}"),
    ("Our API key is sk-{} and the project runs in Frankfurt.", "{}{}{}"),
    ("We use postgresql://app:{}@db.internal/billing as the address of our database.", "pw-{}-X9"),
    ("A senha do wifi da nossa casa é {}.", "Sol{}!mar"),
    ("Remember that my card number is {}.", "4111 1111 1111 1111"),
)
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
        self._values: dict[tuple[str, str], tuple[_Subject, str, str]] = {}
        self._liked: dict[str, tuple[str, str, str]] = {}

    def messages(self) -> Iterator[StreamMessage]:
        step = timedelta(days=DAYS) / self._count
        kinds, weights = list(_WEIGHTS), list(_WEIGHTS.values())
        projects = list(_SUBJECTS)
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
            pattern, form = self._random.choice(_SECRETS)
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
            return pick(_GREETINGS)
        if kind == "lookup":
            return (
                pick(_LOOKUPS).format(pick(_TERMS)) if number % 2 else pick(_PROCURAS).format(pick(_TERMOS))
            )
        if kind in ("code", "passing"):
            return pick(_CODE if kind == "code" else _PASSING).replace("{}", str(number))
        forms = {"request": _REQUESTS, "question": _QUESTIONS}.get(kind, _EXPLAINED)
        return pick(forms).format(pick(_TERMS))

    def _of(self, project: str) -> list[str]:
        return [subject for where, subject in self._values if where == project]

    def _claim(self, project: str, chat: str, at: datetime) -> StreamMessage:
        """A claim that was not made yet; when all were, one of them again."""
        unsaid = [each for each in _SUBJECTS[project] if (project, each.name) not in self._values]
        unliked = [each for each in _PREFERENCES if each[1] not in self._liked]
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
