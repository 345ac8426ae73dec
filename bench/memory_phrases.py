"""What is said in the made-up conversations of `memory_stream`, in two languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """Something of which one value holds at a time: how it is said, said otherwise, and changed."""

    name: str
    values: tuple[str, ...]
    said: str
    otherwise: tuple[str, ...]
    changed: str


SUBJECTS: dict[str, tuple[Subject, ...]] = {
    "billing": (
        Subject(
            "database",
            ("PostgreSQL", "SQLite", "MariaDB", "Oracle"),
            "We decided to use {} for the billing database.",
            (
                "For the billing database we decided to use {}.",
                "so, the billing database: we decided to use {}",
            ),
            "We moved the billing database from {old} to {}.",
        ),
        Subject(
            "approvals",
            ("two", "three", "four"),
            "Every release of billing needs {} approvals from now on.",
            ("From now on every billing release needs {} approvals.",),
            "Every release of billing needs {} approvals now, not {old}.",
        ),
        Subject(
            "invoices",
            ("the 5th", "the 10th", "the 20th"),
            "Our invoices are sent on {} of each month.",
            ("On {} of each month our invoices are sent.",),
            "Our invoices are sent on {} of each month now, no longer on {old}.",
        ),
    ),
    "loja": (
        Subject(
            "fila",
            ("RabbitMQ", "Kafka", "Redis"),
            "Decidimos usar {} como fila de pedidos da loja.",
            ("Como fila de pedidos da loja decidimos usar {}.",),
            "Mudamos a fila de pedidos da loja de {old} para {}.",
        ),
        Subject(
            "frete",
            ("99 reais", "149 reais", "199 reais"),
            "Na nossa loja o frete é grátis acima de {}.",
            ("O frete é grátis acima de {} na nossa loja.",),
            "Na nossa loja o frete agora é grátis acima de {}, não mais de {old}.",
        ),
    ),
    "house": (
        Subject(
            "rent",
            ("1,250 euros", "1,310 euros", "1,390 euros"),
            "Our rent for the house is {} a month.",
            ("The rent for our house is {} a month.",),
            "Our rent for the house is {} a month now, not {old} any more.",
        ),
        Subject(
            "heating",
            ("gas", "a heat pump", "wood pellets"),
            "We heat our house with {}.",
            ("Our house we heat with {}.",),
            "We heat our house with {} now instead of {old}.",
        ),
        Subject(
            "doctor",
            ("Dr. Almeida", "Dr. Becker", "Dr. Costa"),
            "Our family doctor is {}.",
            ("{} is our family doctor.",),
            "Our family doctor is {} now, no longer {old}.",
        ),
    ),
    "trip": (
        Subject(
            "hotel",
            ("the Bristol", "the Lisboa", "the Savoy"),
            "For the trip we chose the hotel called {}.",
            ("We chose the hotel called {} for the trip.",),
            "For the trip we chose {} instead of the hotel called {old}.",
        ),
        Subject(
            "flight",
            ("3 May", "10 May", "17 May"),
            "Our flight for the trip leaves on {}.",
            ("On {} our flight for the trip leaves.",),
            "Our flight for the trip leaves on {} now, no longer on {old}.",
        ),
    ),
}

PREFERENCES = (
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
GREETINGS = (
    *("Hi!", "Good morning!", "Hello there, how are you?", "Thanks a lot!", "ok, sounds good", "Bom dia!"),
    *("Oi, tudo bem?", "Muito obrigado pela ajuda!", "haha nice one", "Good night, see you tomorrow!"),
)
TERMS = (
    "a monad",
    "entropy",
    "a mutex",
    "photosynthesis",
    "inflation",
    "a sonnet",
    "tectonics",
    "the Doppler effect",
)
TERMOS = ("entropia", "fotossíntese", "inflação", "um soneto", "um mutex", "energia escura")
LOOKUPS = ("What is {}?", "Define {}.", 'Translate "{}" into German.', "Hi Bob! What is {}?")
PROCURAS = ("O que é {}?", "O que significa {}?", 'Traduza "{}" para o inglês.')
REQUESTS = (
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
QUESTIONS = (
    *("How does {} compare with its alternatives?", "If we decided to drop it, how much would that cost?"),
    *("Why do people find {} so hard to learn?", "Como as pessoas aprendem isso mais rápido?"),
    *("Which of these is easier to read, the first or the last?", "E se a gente deixasse isso para depois?"),
)
CODE = (
    "```python\nfor number in range({}):\n    print(number)\n```",
    "const total = items.slice(0, {}).length;",
    "SELECT name FROM users WHERE id = {};",
)
PASSING = (
    *(
        "Right now I'm waiting for build {} to finish.",
        "The error only appears with port {}.",
        "For this draft, use {}px.",
    ),
    *("Hoje estou no ônibus {}, a internet está caindo.", "I meant line {}, not the one before."),
)
EXPLAINED = (
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
SECRETS = (
    ("The password for staging is {}, please remember that.", "Tr0ub4dor&{}"),
    ("Our API key is sk-{} and the project runs in Frankfurt.", "{}{}{}"),
    ("We use postgresql://app:{}@db.internal/billing as the address of our database.", "pw-{}-X9"),
    ("A senha do wifi da nossa casa é {}.", "Sol{}!mar"),
    ("Remember that my card number is {}.", "4111 1111 1111 1111"),
)
