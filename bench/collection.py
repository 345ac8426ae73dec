"""What collecting memories adds to a message: keeping it with its job, against one bare insert.

    python bench/collection.py [--messages 1000] [--backlog 4000]

Both go into the same database with the same settings, in turn, first with nothing else going on, then
while a thread works through a backlog of messages with the real funnel and model, as `bob serve` does.
"""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import measure
from memory_stream import memory_stream

from bob.app import Engine
from bob.app.settings import Settings
from bob.conversations import rows as conversation_rows
from bob.core.conversation import Chat
from bob.storage import jobs

_BETWEEN_SECONDS = 0.02
"""Messages do not come faster than people and models write."""

_BARE = 1_000_000_000
"""Numbers of bare messages begin here; nothing else looks at them."""

Times = dict[str, list[float]]


def kept(engine: Engine, chat: Chat, text: str, at: datetime) -> None:
    """Keep a message, as a chat's turn does."""
    with engine.database.write() as connection:
        conversation_rows.add(connection, chat.chat_id, "user", text, at)


def bare(engine: Engine, chat: Chat, text: str, at: datetime, number: int) -> None:
    """The message's row and nothing else: one insert, one commit."""
    with engine.database.write() as connection:
        connection.insert(
            "messages",
            {
                "message_id": _BARE + number,
                "chat_id": _BARE,
                "role": "user",
                "content": text,
                "sent_at": at.timestamp(),
            },
        )


def measured(engine: Engine, chat: Chat, count: int, start: int) -> Times:
    """Seconds of `count` messages, by the clock and of this thread's CPU, one of each kind in turn."""
    found: Times = {"bare": [], "kept": [], "bare cpu": [], "kept cpu": []}
    began = datetime.now(UTC)
    for number, message in enumerate(memory_stream(seed=11, count=count), start):
        at = began + timedelta(seconds=number)
        for name in ("bare", "kept") if number % 2 else ("kept", "bare"):
            before = time.thread_time()
            with measure.timed(found[name]):
                if name == "bare":
                    bare(engine, chat, message.text, at, number)
                else:
                    kept(engine, chat, message.text, at)
            found[f"{name} cpu"].append(time.thread_time() - before)
            time.sleep(_BETWEEN_SECONDS)
    return found


def waiting(engine: Engine) -> int:
    """Messages that the funnel has not seen."""
    with engine.database.read() as connection:
        return jobs.counts(connection)["queued"]


def main() -> None:
    """Measure without and with the background's work."""
    parser = measure.options(__doc__)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--backlog", type=int, default=4000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Settings(database=Path(folder) / "bob.db"))
        conversations = engine.conversations
        chat = conversations.chats.start(conversations.scope("billing"), datetime.now(UTC))
        kept(engine, chat, "Hello.", datetime.now(UTC))
        idle = measured(engine, chat, chosen.messages, 0)
        for message in memory_stream(seed=12, count=chosen.backlog):
            kept(engine, chat, message.text, message.at)
        before = waiting(engine)
        with conversations.remembering():
            while waiting(engine) == before:
                time.sleep(0.1)
            began = waiting(engine)
            busy = measured(engine, chat, chosen.messages, chosen.messages)
            left = waiting(engine)
        held = len(conversations.memories.of(engine.settings.user))
        engine.close()
    rows = []
    for name, times in (("nothing", idle), ("remembering", busy)):
        for part in ("bare", "kept"):
            found = measure.spread(times[part])
            cpu = measure.spread(times[f"{part} cpu"])
            rows.append((name, part, found["median_ms"], found["p95_ms"], cpu["median_ms"], cpu["p95_ms"]))
    measure.show(
        "Keeping a message",
        ("meanwhile", "what", "median ms", "p95 ms", "CPU ms", "CPU p95 ms"),
        rows,
        as_json=chosen.json,
        messages=chosen.messages,
        waiting_at_first=began,
        waiting_at_last=left,
        memories=held,
        added_p95_ms=1000 * (measure.share(busy["kept"], 0.95) - measure.share(idle["bare"], 0.95)),
        added_p95_ms_beside_bare=1000
        * (measure.share(busy["kept"], 0.95) - measure.share(busy["bare"], 0.95)),
    )


if __name__ == "__main__":
    main()
