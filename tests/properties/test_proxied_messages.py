"""What holds for any conversation that a client keeps: its prefix stays, and its words are kept once."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bob.conversations.rows import FORGOTTEN
from bob.conversations.transcript import resent
from bob.core.conversation import ChatMessage
from bob.core.prompt import Message
from bob.llm.openai import completed

TEXTS = st.text(st.sampled_from("ab é\n"), max_size=4)
PARTS = st.lists(
    TEXTS.map(lambda text: {"type": "text", "text": text}) | st.just({"type": "image_url"}), max_size=3
)
CONTENTS = TEXTS | PARTS | st.none()
ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool", "other"])
CONVERSATIONS = st.lists(st.fixed_dictionaries({"role": ROLES, "content": CONTENTS}), min_size=1, max_size=8)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def flat(messages):
    return [json.dumps(each) for each in messages]


@given(CONVERSATIONS, CONVERSATIONS)
def test_the_next_request_begins_with_this_one_up_to_its_last_words(history, more):
    messages = [*history, {"role": "user", "content": "now"}]
    later = [*messages, {"role": "assistant", "content": "reply"}, *more, {"role": "user", "content": "then"}]
    first = completed(messages, "project", "recalled now")
    second = completed(later, "project", "recalled then")
    assert flat(first)[:-1] == flat(second)[: len(first) - 1]
    assert first[-1] == {"role": "user", "content": "now\n\nrecalled now"}
    assert second[len(first) - 1] == {"role": "user", "content": "now"}


@given(CONVERSATIONS)
def test_what_is_added_takes_nothing_away_and_stands_where_it_should(messages):
    before = flat(messages)
    found = completed(messages, "project", "recalled")
    assert flat(messages) == before and completed(messages, "", "") == messages
    texts = [json.dumps(each["content"]) for each in found]
    places = [n for n, text in enumerate(texts) if "project" in text]
    assert len(places) == 1
    assert all(each["role"] in ("system", "developer") for each in found[: places[0] + 1])
    assert places[0] + 1 == len(found) or found[places[0] + 1]["role"] not in ("system", "developer")
    asked = [n for n, each in enumerate(found) if each["role"] == "user"]
    assert [n for n, text in enumerate(texts) if "recalled" in text] == asked[-1:]
    kept = found if len(found) == len(messages) else found[1:]
    for each, now in zip(messages, kept, strict=True):
        assert each["role"] == now["role"]
        start = each["content"] or now["content"] or ""
        assert now["content"] == each["content"] or now["content"][: len(start)] == start


class Client:
    """Keeps a tree of messages, as programs with a button for another try do; `chat` is what Bob has kept."""

    def __init__(self):
        self.path = []
        self.chat = []

    def send(self, keep, text):
        """Go back to the first `keep` turns, say something, and get a reply that never came before."""
        self.path = [*self.path[: 2 * keep], Message("user", text)]
        for each in self.path[resent(self.chat, self.path) :]:
            self.add(each)
        self.path.append(Message("assistant", f"reply {len(self.chat)}"))
        self.add(self.path[-1])

    def add(self, message):
        self.chat.append(ChatMessage(len(self.chat), 1, message.role, message.text, NOW))


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["a", "b", "c"])), max_size=12))
def test_a_chat_has_every_branch_of_its_client_in_order_and_none_of_it_twice(turns):
    client = Client()
    for keep, text in turns:
        before = len(client.chat)
        client.send(keep, text)
        added = [each.role for each in client.chat[before:]]
        assert added in (["user", "assistant"], ["assistant"]), "the new words, if they are, and the reply"
        assert resent(client.chat, client.path) == len(client.path), "sent again, nothing of it is new"


def test_words_count_as_new_from_the_first_that_is_not_there():
    client = Client()
    for keep, text in ((0, "a"), (1, "b")):
        client.send(keep, text)
    edited = [Message("user", "x"), *client.path[1:]]
    assert resent(client.chat, edited) == 0
    assert resent(client.chat, [*client.path[:2], Message("user", "c"), client.path[3]]) == 2
    assert resent(client.chat, [Message("user", " a\n"), client.path[1]]) == 2, "blanks at the ends"
    assert resent(client.chat, [Message("assistant", "a")]) == 0, "who said it counts"


def test_forgotten_words_do_not_come_back_by_being_sent_again():
    client = Client()
    for keep, text in ((0, "a"), (1, "secret"), (2, "b")):
        client.send(keep, text)
    client.chat[2] = replace(client.chat[2], text=FORGOTTEN)
    assert resent(client.chat, client.path) == len(client.path)
    assert resent(client.chat, [*client.path, Message("user", "c")]) == len(client.path)
    assert resent(client.chat, [Message("user", "x"), *client.path[1:]]) == 0, "only in its own place"
