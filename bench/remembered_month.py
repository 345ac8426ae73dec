"""What Bob remembers of thirty days of conversations, through the real chats, funnel, model and database.

    python bench/remembered_month.py [--messages 2200] [--seed 7]

The messages are those of `bench/memory_stream.py`, each with a label that says what it is. Before a message
that repeats a memory, Bob is asked about it in a turn of its own with Smart Context on, so that the memory
stands in a prompt, and in Bob's reply, as it would.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import measure
import numpy as np
from memory_stream import JUNK, StreamMessage, holding, memory_stream

from bob.app import Engine
from bob.app.settings import Settings
from bob.conversations import memory_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.chat import ChatTurn
from bob.conversations.compare_statements import figures, subject_words
from bob.core.conversation import Chat, Memory
from bob.search.message_features import MessageColumns
from bob.text.words import COUNT_BITS, postings

_AT_ONCE = 16
"""So many messages are said between two runs of the background's work."""

_NEAR_COSINE, _NEAR_WORDS = 0.9, 0.8
"""Two memories are nearly the same from this cosine on, or from this share of common words of all theirs,
unless their figures differ."""

_ASKED = "What do we know about the {subject} of the {project}?"
_ASKED_OF_THE_SHOP = "O que sabemos sobre {subject} da {project}?"


@dataclass(slots=True)
class Lived:
    """The labels of the messages by their numbers, and the numbers of Bob's own turns about memories.

    `prompted` are the messages that repeat a memory which had stood in a prompt of their chat.
    """

    labels: dict[int, StreamMessage] = field(default_factory=dict)
    turns: set[int] = field(default_factory=set)
    prompted: set[int] = field(default_factory=set)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Month:
    """What is left. Counts by kind are of messages; `sources` those that a memory names as said by them.

    `exact` and `near` are pairs of memories that hold, `loops` memories that were made, or counted as said
    again, because Bob itself had put them into a prompt. `secrets` are findings outside the verbatim
    messages. `stale` are memories of claims that ended, `lost` claims that hold and have no memory, `mixed`
    memories whose messages say different things. Each of these lists says what was found.
    """

    said: Counter[str]
    sources: Counter[str]
    stopped: Counter[str]
    recalled_in_prompts: int
    holding: int
    superseded: int
    exact: list[str]
    near: list[str]
    loops: list[str]
    secrets: list[str]
    stale: list[str]
    lost: list[str]
    mixed: list[str]


def live(engine: Engine, stream: Sequence[StreamMessage]) -> Lived:
    """Say all messages, and let them be remembered as they come."""
    conversations, found = engine.conversations, Lived()
    opened: dict[str, Chat] = {}
    began = time.perf_counter()
    for number, message in enumerate(stream, 1):
        chat = opened.get(message.chat)
        if chat is None:
            scope = conversations.scope(message.project)
            chat = conversations.chats.named(scope, message.chat, message.at)
            opened[message.chat] = chat
        if message.injected:
            conversations.remember.process_messages()
            recalled = _asked(engine, chat, message, found)
        with engine.database.write() as connection:
            said = conversation_rows.add(connection, chat.chat_id, message.role, message.text, message.at)
        found.labels[said.message_id] = message
        if message.injected and recalled:
            found.prompted.add(said.message_id)
        if number % _AT_ONCE == 0:
            conversations.remember.process_messages()
    report = conversations.remember.process_messages()
    if report.error:
        raise SystemExit(report.error)
    found.seconds = time.perf_counter() - began
    return found


def _asked(engine: Engine, chat: Chat, message: StreamMessage, found: Lived) -> bool:
    """A turn of Bob's own about what the message repeats; whether its memory stood in the prompt."""
    assert message.claim is not None
    subject = message.claim.partition("/")[2].partition("=")[0]
    asked = _ASKED_OF_THE_SHOP if message.project == "loja" else _ASKED
    question = asked.format(subject=subject, project=message.project)
    turn = ChatTurn(
        engine.database,
        engine.conversations.context,
        None,
        lambda: engine.ask,
        None,
        None,
        max_tokens=1000,
        temperature=None,
        clock=lambda: message.at,
    )
    for _ in turn.send_message(chat, question, smart=True):
        pass  # The turn is done when its last event was taken.
    found.turns.update(each.message_id for each in engine.conversations.chats.messages(chat)[-2:])
    text = message.injected[0].partition("] ")[2]
    with engine.database.read() as connection:
        inside = memory_rows.injected_in(connection, chat.chat_id)
    words = set(subject_words(text))
    return any(len(words & set(subject_words(each))) >= _NEAR_WORDS * len(words) for each in inside)


def counted(engine: Engine, lived: Lived, stream: Sequence[StreamMessage]) -> Month:
    """Look at everything that was kept."""
    user = engine.settings.user
    with engine.database.read() as connection:
        every = memory_rows.of_user(connection, user, current=False)
        made_of = {each.memory_id: memory_rows.sources_of(connection, [each.memory_id]) for each in every}
        rows = connection.execute(
            "SELECT message_id, stopped_by FROM messages WHERE org_id = :org"
        ).fetchall()
    current = [each for each in every if each.valid_until is None]
    stopped = Counter(
        f"{lived.labels[number].kind} {layer or 'kept'}" for number, layer in rows if number in lived.labels
    )
    claims = {each.memory_id: _claims(lived, made_of[each.memory_id]) for each in every}
    hold = set(holding(list(stream)).values())
    now = [claim for each in current for claim in claims[each.memory_id]]
    exact, near = _alike(engine, current)
    return Month(
        said=Counter(each.kind for each in lived.labels.values()),
        sources=Counter(
            lived.labels[number].kind
            for each in made_of.values()
            for number in each
            if number in lived.labels
        ),
        stopped=stopped,
        recalled_in_prompts=len(lived.prompted),
        holding=len(current),
        superseded=len(every) - len(current),
        exact=exact,
        near=near,
        loops=[
            f"{each.summary} <- {number}"
            for each in every
            for number in made_of[each.memory_id]
            if number in lived.turns or number in lived.prompted
        ],
        secrets=list(_secrets(engine, lived)),
        stale=[
            each.summary for each in current if claims[each.memory_id] and not claims[each.memory_id] & hold
        ],
        lost=sorted(hold - set(now)),
        mixed=[
            f"{each.summary}: {claims[each.memory_id]}" for each in every if len(claims[each.memory_id]) > 1
        ],
    )


def _claims(lived: Lived, numbers: Sequence[int]) -> set[str]:
    found = {lived.labels[number].claim for number in numbers if number in lived.labels}
    return {each for each in found if each is not None}


def _alike(engine: Engine, current: Sequence[Memory]) -> tuple[list[str], list[str]]:
    """Pairs of memories of one project that say the same to the word, and nearly the same."""
    vectors = engine.shipped_model.embed([each.summary for each in current])
    cosines = vectors @ vectors.T
    exact, near = [], []
    for (i, one), (j, other) in combinations(enumerate(current), 2):
        if one.scope.project != other.scope.project:
            continue
        pair = f"{one.summary} | {other.summary}"
        ours, theirs = set(subject_words(one.summary)), set(subject_words(other.summary))
        common = len(ours & theirs) / max(len(ours | theirs), 1)
        if one.summary.casefold().split() == other.summary.casefold().split():
            exact.append(pair)
        elif figures(one.summary) == figures(other.summary) and (
            cosines[i, j] >= _NEAR_COSINE or common >= _NEAR_WORDS
        ):
            near.append(pair)
    return exact, near


def _secrets(engine: Engine, lived: Lived) -> Iterator[str]:
    """Where a secret is found in what was made of messages: summaries, reasons, and the words of features."""
    secrets = {number: each.secret for number, each in lived.labels.items() if each.secret}
    with engine.database.read() as connection:
        summaries = connection.execute("SELECT summary FROM memories WHERE org_id = :org")
        texts = [("memory", summary) for (summary,) in summaries]
        for row in connection.execute("SELECT summary, judge_reason FROM messages WHERE org_id = :org"):
            texts += [("assessment", text) for text in row if text]
        features = connection.execute(
            "SELECT message_id, terms, vector, word_vectors FROM message_features WHERE org_id = :org"
        ).fetchall()
        kept = connection.execute("SELECT features FROM memory_features WHERE org_id = :org")
        packed = [bytes(content) for (content,) in kept]
    for where, text in texts:
        yield from (f"{where}: {each}" for each in secrets.values() if each in text)
    blobs = packed + [bytes(blob) for row in features for blob in row[1:]]
    for each in secrets.values():
        # Words of features are hashes: the same hashes are looked for.
        yield from (f"bytes of features: {each}" for blob in blobs if each.encode() in blob)
    for number, terms, vector, _ in features:
        if number in secrets:
            told = lived.labels[number].text
            harmless = _terms(told.replace(secrets[number], ""))
            left = _terms(secrets[number]) - harmless
            columns = MessageColumns.unpack([bytes(terms)], [bytes(vector)])
            if left & set(map(int, columns.terms)):
                yield f"words of features: {told}"


def _terms(text: str) -> set[int]:
    packed = np.frombuffer(postings(text, (), None), np.uint64)
    return set(map(int, packed >> np.uint64(COUNT_BITS)))


def main() -> None:
    """Live the month in a database of its own, and print what is left."""
    parser = measure.options(__doc__)
    parser.add_argument("--messages", type=int, default=2200)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    stream = memory_stream(chosen.seed, chosen.messages)
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Settings(database=Path(folder) / "bob.db"))
        lived = live(engine, stream)
        month = counted(engine, lived, stream)
        engine.close()
    rows = [
        (
            kind,
            count,
            month.sources[kind],
            month.stopped[f"{kind} heuristics"],
            month.stopped[f"{kind} recalled"],
            month.stopped[f"{kind} judge"],
            f"{month.sources[kind] / count:.1%}" if kind in JUNK else "",
        )
        for kind, count in month.said.most_common()
    ]
    head = ("kind", "messages", "sources of memories", "rules", "recalled", "judge", "junk kept")
    total = sum(month.said.values()) + len(lived.turns)
    measure.show(
        "A month of conversations",
        head,
        rows,
        as_json=chosen.json,
        messages=total,
        recalled_with_the_memory_in_a_prompt=month.recalled_in_prompts,
        memories_that_hold=month.holding,
        superseded=month.superseded,
        exact_duplicates=len(month.exact),
        near_duplicates=len(month.near),
        recall_loops=len(month.loops),
        secrets_outside_the_messages=len(month.secrets),
        memories_of_ended_claims=len(month.stale),
        claims_without_a_memory=len(month.lost),
        memories_of_different_claims=len(month.mixed),
        seconds=lived.seconds,
        messages_a_second=total / lived.seconds,
    )
    for name in ("exact", "near", "loops", "secrets", "stale", "lost", "mixed"):
        for each in getattr(month, name):
            print(f"{name}: {each}")


if __name__ == "__main__":
    main()
