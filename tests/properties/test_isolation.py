"""Prompts hold nothing of another organization or user, and nothing of elsewhere without Smart Context.

Every text of a real database has a mark that says whose it is, and every prompt is searched for marks
(SPEC A2, G4, H2). Nothing is kept out by likeness: the thresholds let everything through.
"""

import json
import os
import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import HashingMessageEmbedder, engine_over, write_files

from bob.conversations import memory_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.compile_context import CompileContext, ContextOptions
from bob.conversations.recall_memories import Recall, RecallMemories
from bob.core.conversation import Assessment, ChatMessage, Memory, Scope
from bob.core.prompt import Message
from bob.search.message_features import FeatureBuilder

ORGANIZATIONS = ("north", "south", "east")
USERS = ("ana", "bo", "cy")
PROJECTS = ("garden", "Água", "shop")
"""The same everywhere; one has a capital that not every comparison without case knows."""

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
MARK = re.compile(r"mk[a-z]{4}qx")
CONTEXTS = 250
EXAMPLES = int(os.environ.get("ISOLATION_CONTEXTS") or 1_500) // CONTEXTS
"""ISOLATION_CONTEXTS=10000 in the environment is a run of a minute by hand."""


def mark(kind, org, user, project):
    """d: document, m: memory, p: pinned memory, c: message of a chat."""
    place = "-" if project == "" else str(PROJECTS.index(project))
    of = "z" if user is None else "abc"[USERS.index(user)]
    return f"mk{kind}{'nse'[ORGANIZATIONS.index(org)]}{of}{'xyzw'[int(place) if place != '-' else 3]}qx"


@dataclass
class World:
    """The engines of the organizations over one database, what recalls, and everybody's chat: its number and
    what was said in it."""

    engines: dict
    recall: dict
    chat: dict
    history: dict


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    place = tmp_path_factory.mktemp("isolation")
    made = World({}, {}, {}, {})
    for org in ORGANIZATIONS:
        engine = engine_over(place / "bob.db", org, context={"similarity": -1})
        for project in PROJECTS:
            found = mark("d", org, None, project)
            texts = {
                f"{found}-{n}.md": f"# Lantern {found}\n\nThe harbour keeps {word} by the lantern, {found}.\n"
                for n, word in enumerate(("a key", "the tide table", "uma chave"))
            }
            engine.index_files.index_folder(write_files(place / org / project, texts), project)
        for user in USERS:
            for project in (*PROJECTS, ""):
                chat_id, history = said(engine, Scope(org, user, project))
                made.chat[org, user, project], made.history[org, user, project] = chat_id, history
        words = HashingMessageEmbedder()
        made.engines[org] = engine
        made.recall[org] = RecallMemories(
            engine.database, FeatureBuilder(words), Recall(words), limit=100, last_chats=50, similarity=-1
        )
    made.engines["north"].index.compact(force=True)
    yield made
    for engine in made.engines.values():
        engine.close()


def said(engine, scope):
    """Two chats about a project with memories of all kinds; the number of the second, and what it says."""
    org, user, project = scope.org_id, scope.user_id, scope.project
    told = mark("c", org, user, project)
    with engine.database.write() as connection:
        for _ in range(2):
            chat = conversation_rows.start(connection, scope, None, f"Chat {told}", NOON)
            for n in range(8):
                role = "assistant" if n % 2 else "user"
                text = f"The lantern of the harbour, {told}, number {n}."
                message = conversation_rows.add(
                    connection, chat.chat_id, role, text, NOON + timedelta(minutes=n)
                )
                conversation_rows.assess(connection, message.message_id, Assessment(50, text, "fact", None))
            for kind, chat_id in (("m", chat.chat_id), ("p", chat.chat_id), ("m", None)):
                summary = f"The lantern key of {mark(kind, org, user, project)}, uma chave."
                memory = Memory(0, scope, chat_id, summary, 90, "fact", NOON, pinned=kind == "p")
                memory_rows.add(connection, memory, [message.message_id])
        return chat.chat_id, conversation_rows.messages_of(connection, chat.chat_id)


@dataclass(frozen=True)
class Asked:
    """A request, and what its prompt may hold."""

    scope: Scope
    question: str
    smart: bool
    in_chat: bool
    proxied: bool
    options: ContextOptions

    def may_hold(self):
        """Marks by the part of the prompt that may hold them."""
        org, user, project = self.scope.org_id, self.scope.user_id, self.scope.project
        own = {mark("d", org, None, project)} if project else set()
        if not self.smart:
            return {"project": own, "left_out": own}
        elsewhere = [each for each in (*PROJECTS, "") if each != project]
        documents = {mark("d", org, None, each) for each in elsewhere if each}
        foreign = {mark(kind, org, user, each) for kind in "mp" for each in elsewhere}
        return {
            "project": own,
            "inspiration": documents | foreign,
            "memories": {mark(kind, org, user, project) for kind in "mp"},
            "left_out": own | documents,
        }


def requests(seed):
    """Requests for everybody, in no order."""
    chance = random.Random(seed)
    for _ in range(CONTEXTS):
        org, user = chance.choice(ORGANIZATIONS), chance.choice(USERS)
        project = chance.choice((*PROJECTS, ""))
        others = [
            mark(kind, chance.choice(ORGANIZATIONS), None if kind == "d" else chance.choice(USERS), each)
            for kind in chance.choices("dmpc", k=chance.randrange(3))
            for each in chance.choices(PROJECTS)
        ]
        words = chance.choices(
            ("lantern", "key", "harbour", "chave", "tide", "xyz"), k=chance.randrange(1, 4)
        )
        options = ContextOptions(
            assistant="Bobo",
            locale=chance.choice(("en", "pt")),
            project_tokens=chance.choice((0, 40, 90, 200_000)),
            inspiration_tokens=chance.choice((0, 60, 2_000)),
            similarity=-1,
            recent_messages=chance.choice((0, 2, 4)),
            earlier_importance=10,
            window=chance.choice((None, None, 1_200, 3_000)),
            reply_tokens=100,
        )
        yield Asked(
            Scope(org, user, project),
            " ".join([*words, *others]),
            chance.random() < 0.4,
            chance.random() < 0.5,
            chance.random() < 0.3,
            options,
        )


def compiled(world, asked, recall=None):
    """The prompt, and what the chat has said so far."""
    scope = asked.scope
    engine = world.engines[scope.org_id]
    context = CompileContext(
        engine.database,
        lambda: engine.search,
        recall or world.recall[scope.org_id].for_prompt,
        asked.options,
    )
    history, chat_id = [], None
    if asked.in_chat:
        whose = scope.org_id, scope.user_id, scope.project
        history, chat_id = world.history[whose], world.chat[whose]
    if asked.proxied:
        said = [Message(each.role, each.text) for each in history]
        words = [*said, Message("user", asked.question)]
        found = context.for_proxy(scope, words, "rules", chat_id=chat_id, smart=asked.smart)
    else:
        found = context.compile_prompt(
            scope, asked.question, history=history, chat_id=chat_id, smart=asked.smart
        )
    return found, history


def marks(text):
    return set(MARK.findall(text.lower()))


def foreign(asked, prompt, history, seen):
    """Marks where they may not be; `seen` counts those that are where they may."""
    allowed = asked.may_hold()
    chat = mark("c", asked.scope.org_id, asked.scope.user_id, asked.scope.project)
    allowed["earlier"] = allowed["turns"] = {chat} if history else set()
    *turns, last = [turn.text for turn in prompt.turns]
    assert last == asked.question
    receipt = prompt.receipt()
    parts = [("turns", text) for text in turns]
    parts += [(each.name, each.text) for each in prompt.segments]
    parts += [(each["name"], json.dumps(each, ensure_ascii=False)) for each in receipt["segments"]]
    parts += [(each.name, " ".join(piece.text for piece in each.pieces)) for each in prompt.segments]
    parts += [("left_out", json.dumps(receipt["left_out"], ensure_ascii=False))]
    found = []
    for name, text in parts:
        there = marks(text)
        found += [(name, each) for each in sorted(there - allowed.get(name, set()))]
        seen.update((name, each[2]) for each in there)
    left = set(receipt) - {"segments", "messages", "left_out"}
    found += [("receipt", each) for each in marks(str({name: receipt[name] for name in left}))]
    return found


def test_no_prompt_holds_anothers_text_and_together_they_hold_all_that_they_may(world):
    """The second half is there because the first says nothing of prompts that hold nothing."""
    seen = Counter()

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.integers(0, 2**63))
    def nothing_foreign(seed):
        for asked in requests(seed):
            prompt, history = compiled(world, asked)
            assert not foreign(asked, prompt, history, seen), asked
            seen["contexts"] += 1

    nothing_foreign()
    assert seen["contexts"] >= EXAMPLES * CONTEXTS
    everything = {("project", "d"), ("inspiration", "d"), ("inspiration", "m"), ("inspiration", "p")}
    everything |= {("memories", "m"), ("memories", "p"), ("earlier", "c"), ("turns", "c"), ("left_out", "d")}
    assert set(seen) == everything | {"contexts"}
    assert min(seen.values()) > 100


@pytest.mark.parametrize("change", ["org", "user", "project", "smart"])
def test_a_leak_would_be_seen(world, change):
    """A prompt is told to be another's: its marks are then foreign."""
    asked = next(each for seed in range(100) for each in requests(seed) if full(each))
    prompt, history = compiled(world, asked)
    assert not foreign(asked, prompt, history, Counter())
    scope = asked.scope
    other = {
        "org": replace(
            asked, scope=replace(scope, org_id=next(o for o in ORGANIZATIONS if o != scope.org_id))
        ),
        "user": replace(asked, scope=replace(scope, user_id=next(u for u in USERS if u != scope.user_id))),
        "project": replace(
            asked, scope=replace(scope, project=next(p for p in PROJECTS if p != scope.project))
        ),
        "smart": replace(asked, smart=False),
    }[change]
    assert foreign(other, prompt, history, Counter())


def full(asked):
    options = asked.options
    large = (options.project_tokens, options.inspiration_tokens, options.window) == (200_000, 2_000, None)
    return bool(large and asked.smart and asked.in_chat and asked.scope.project)


def test_memories_of_this_chat_are_not_recalled(world):
    for org, user, project in world.chat:
        chat_id = world.chat[org, user, project]
        recalled = world.recall[org].for_prompt(Scope(org, user, project), chat_id, "lantern")
        assert recalled and chat_id not in {each.chat_id for each in recalled}


def test_assessments_of_history_are_the_only_summaries(world):
    """The summaries of earlier messages come with the history, and from nowhere else."""
    asked = next(
        each
        for each in requests(2)
        if each.in_chat and not each.proxied and each.options.recent_messages < 4 and each.scope.project
    )
    prompt, history = compiled(world, asked)
    assert isinstance(history[0], ChatMessage)
    ids = {f"message {each.message_id}" for each in history}
    earlier = [piece.source for each in prompt.segments if each.name == "earlier" for piece in each.pieces]
    assert earlier and set(earlier) <= ids
