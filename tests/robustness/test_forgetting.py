"""What is forgotten is in no row, no log and no byte of a file; what must stay is named, with the reason."""

import json
import os
import random
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_memory import ORG, HashingMessageEmbedder, add_rows, engine_over, every_row, rows_in, write_files

from bob.conversations import memory_rows, mention_rows, message_feature_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.byte_search import search_bytes
from bob.core.conversation import Memory
from bob.core.errors import UsageError
from bob.storage.agent_log import AgentLog

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
FACTS = int(os.environ.get("FORGOTTEN_FACTS") or 50)
"""FORGOTTEN_FACTS=200 in the environment is a run of half a minute more."""
AT_ONCE = 25
STAYS = "The hedge is cut in August"


def facts(count, seed=7):
    """Sentences with a code word each, which no two share; some have words beyond ASCII."""
    drawn = random.Random(seed)
    letters = "BCDFGHJKLMNPQRSTVWXZ"
    made = {}
    while len(made) < count:
        code = "".join(drawn.choice(letters) for _ in range(6)) + str(drawn.randrange(10, 99))
        subject = drawn.choice(["venture", "voyage", "Käsefabrik", "ação", "boat", "orchard", "letter"])
        made[code] = f"The secret name of the {subject} is {code}."
    return made


@pytest.fixture
def engine(database_address, tmp_path):
    made = engine_over(database_address, cache=str(tmp_path / "cache"))
    made.shipped_model = HashingMessageEmbedder()
    made.database.path.parent.mkdir(parents=True, exist_ok=True)
    yield made
    made.close()


class Spread:
    """Puts a fact into one place after the other; each of the places has an unrelated row as well."""

    def __init__(self, engine):
        self.engine = engine
        self.number = 0
        self.scope = engine.conversations.scope("garden")
        self.log = AgentLog(engine.database.path)

    def everywhere(self, made):
        with self.engine.database.write() as connection:
            self.add(connection, "threads", thread_id="t", user_id="me", work_item_id=None, started_at=1.0)
            ids = [self.told(connection, code, sentence) for code, sentence in made.items()]
            places = self.places()
            for at, (code, sentence) in enumerate(made.items()):
                for step in range(5):
                    places[(at + step * 3) % len(places)](connection, code, sentence)
            for place in places:
                place(connection, STAYS, f"{STAYS}, by Ines.")
        return ids

    def told(self, connection, code, sentence):
        chat = conversation_rows.start(connection, self.scope, None, f"About {code}", NOON)
        said = conversation_rows.add(connection, chat.chat_id, "user", f"By the way. {sentence}", NOON)
        memory = Memory(0, self.scope, chat.chat_id, sentence, 60, "fact", NOON)
        added = memory_rows.add(connection, memory, [said.message_id])
        (one,) = self.engine.conversations._features.build([sentence])
        model = self.engine.conversations._features.model_id
        memory_rows.keep_features(connection, model, added.memory_id, one.pack())
        message_feature_rows.keep_for_messages(connection, model, {said.message_id: one.pack_columns()})
        return added.memory_id

    def places(self):
        return [
            self.message,
            self.judged,
            self.of_thread,
            self.answer,
            self.answered,
            self.note,
            self.work_search,
            self.work_feedback,
            self.receipt,
            self.run,
            self.result,
            self.job,
            self.logged,
        ]

    def next(self):
        self.number += 1
        return self.number + 1_000_000

    def add(self, connection, table, **values):
        add_rows(connection, table, values)

    def message(self, connection, code, sentence):
        chat = conversation_rows.start(connection, self.scope, None, "", NOON)
        conversation_rows.add(
            connection, chat.chat_id, "assistant", f"Was it {code.lower()} that you meant?", NOON
        )

    def judged(self, connection, code, sentence):
        chat = conversation_rows.start(connection, self.scope, None, "", NOON)
        said = conversation_rows.add(connection, chat.chat_id, "user", "And the rest?", NOON)
        made = said.assessment
        assert made is None
        judged = {"judge_reason": f"it is about {code}", "summary": "And the rest?", "importance": 0}
        connection.update("messages", {"message_id": said.message_id}, judged)

    def of_thread(self, connection, code, sentence):
        values = {"message_id": self.next(), "thread_id": "t", "role": "user", "at": 1.0}
        self.add(connection, "thread_messages", content=f"Which items name {code}?", **values)

    def answer(self, connection, code, sentence):
        values = {"answer_id": self.next(), "asked_at": 1.0, "filters": {}, "found": False, "answer": {}}
        self.add(connection, "answers", question=f"What is {code}?", **values)

    def answered(self, connection, code, sentence):
        values = {"answer_id": self.next(), "asked_at": 1.0, "filters": {}, "found": True}
        found = {"sentences": [{"text": sentence}]}
        self.add(connection, "answers", question="What is its name?", answer=found, **values)

    def note(self, connection, code, sentence):
        values = {"answer_id": self.next(), "verdict": "wrong", "given_at": 1.0}
        self.add(connection, "feedback", note=f"No, it is {code}", **values)

    def work_search(self, connection, code, sentence):
        values = {"search_id": self.next(), "user_id": "me", "work_item_ids": [], "at": 1.0}
        self.add(connection, "rag_searches", query=code, **values)

    def work_feedback(self, connection, code, sentence):
        values = {"feedback_id": self.next(), "user_id": "me", "work_item_id": 1, "helpful": True, "at": 1.0}
        self.add(connection, "rag_feedback", query=f"find {code}", **values)

    def receipt(self, connection, code, sentence):
        chat = conversation_rows.start(connection, self.scope, None, "", NOON)
        blocks = [{"kind": "memory", "text": sentence}, {"kind": "memory", "text": "Another."}]
        values = {"message_id": self.next(), "chat_id": chat.chat_id}
        self.add(connection, "receipts", receipt={"blocks": blocks}, **values)

    def run(self, connection, code, sentence):
        nothing = {"golden_hash": "", "k": 1, "models": {}, "settings": {}, "metrics": {}}
        self.add(
            connection, "eval_runs", run_id=self.next(), started_at=1.0, name=code, golden="g", **nothing
        )

    def result(self, connection, code, sentence):
        values = {"run_id": self.next(), "ordinal": 0, "question_id": "q"}
        self.add(connection, "eval_results", result={"question": f"Who knows {code}?"}, **values)

    def job(self, connection, code, sentence):
        values = {"kind": "other", "subject": self.next(), "state": "failed", "priority": 0, "attempts": 3}
        self.add(connection, "jobs", job_id=self.next(), error=f"cannot read {code}", **values)

    def logged(self, connection, code, sentence):
        entry = {
            "organization": ORG,
            "user": "me",
            "tool": "ask",
            "arguments": {"question": f"Is it {code}?"},
        }
        self.log.append(entry)


def all_rows(database):
    """All rows of all tables, as one text."""
    with database.read() as connection:
        return "\n".join(repr(tuple(row)) for rows in every_row(connection).values() for row in rows)


def bytes_of(folder):
    """Every byte below a folder, read in a process that has nothing open there."""
    script = (
        "import pathlib, sys; out = sys.stdout.buffer\n"
        "[out.write(p.read_bytes()) for p in sorted(pathlib.Path(sys.argv[1]).rglob('*')) if p.is_file()]"
    )
    return subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, check=True).stdout


def test_of_many_facts_in_all_places_nothing_is_left(engine, tmp_path):
    made = facts(FACTS if engine.database.files() else AT_ONCE)
    ids = Spread(engine).everywhere(made)
    before = all_rows(engine.database)
    assert all(before.lower().count(code.lower()) >= 3 for code in made)
    service = engine.conversations.forget
    for start in range(0, len(made), AT_ONCE):
        report = service.forget_memories(service.plan("me", ids[start : start + AT_ONCE]))
        assert report.gone and not report.left, report.to_json()
        assert report.memories == AT_ONCE and report.beyond and report.searched["messages"] > len(made)
    rows = all_rows(engine.database)
    assert [code for code in made if code.lower() in rows.lower()] == []
    files = bytes_of(tmp_path).lower()
    assert [code for code in made if code.lower().encode() in files] == []
    # What is about other things is as it was.
    assert rows.count(STAYS) == before.count(STAYS) >= 10 and '"Is it The hedge' in files.decode(
        "utf-8", "replace"
    ).replace("is it the hedge", "Is it The hedge")


def test_what_is_in_a_document_or_a_work_item_is_named_and_stays(engine, tmp_path):
    made = facts(10, seed=3)
    notes = write_files(
        tmp_path / "notes", {f"{at}.md": f"# Note\n\n{made[code]}\n" for at, code in enumerate(made)}
    )
    engine.index_files.index_folder(notes, "garden")
    spread = Spread(engine)
    ids = spread.everywhere(made)
    last = list(made)[-1]
    with engine.database.write() as connection:
        values = {
            "work_item_id": 7,
            "status": "open",
            "created_by": "me",
            "created_at": 1.0,
            "updated_at": 1.0,
        }
        spread.add(connection, "work_items", title=f"Paint {last}", **values)
    plan = engine.conversations.forget.plan("me", ids)
    shown = {each.left_because for each in plan.left}
    assert shown == {mention_rows.DOCUMENT, mention_rows.LEFT["work_items"]}
    report = engine.conversations.forget.forget_memories(plan)
    assert report.gone, report.to_json()
    assert sorted(report.elsewhere) == sorted(str(each) for each in notes.iterdir())
    assert {each.key for each in report.left if each.table == "work_items"} == {"work_items:7"}
    assert {each.table for each in report.left} == {"chunks", "work_items"}
    assert all(code in (notes / f"{at}.md").read_text("utf-8") for at, code in enumerate(made))
    assert not [code for code in made if code in json.dumps([each.to_json() for each in report.left])]


def test_what_is_unsure_is_listed_and_only_goes_when_it_is_chosen(engine):
    with engine.database.write() as connection:
        scope = engine.conversations.scope("")
        memory = memory_rows.add(
            connection,
            Memory(0, scope, None, "My sister Philomena is allergic to hazelnuts.", 60, "fact", NOON),
            (),
        )
        values = {"asked_at": 1.0, "filters": {}, "found": False, "answer": {}}
        for number, question in (
            (1, "Is Philomena allergic to anything?"),
            (2, "What are hazelnuts good for?"),
            (3, "My sister Philomena is allergic to hazelnuts, is she not?"),
        ):
            add_rows(connection, "answers", {"answer_id": number, "question": question, **values})
    service = engine.conversations.forget
    plan = service.plan("me", [memory.memory_id])
    assert [each.key for each in plan.mentions] == ["answers:3"]
    assert [(each.key, each.why) for each in plan.candidates] == [("answers:1", "similar words")]
    with pytest.raises(UsageError, match="answers:9: no such row in the plan"):
        service.forget_memories(plan, include=["answers:9"])
    service.forget_memories(plan, include=["answers:1"], exclude=["answers:3"])
    with engine.database.read() as connection:
        assert [each.answer_id for each in rows_in(connection, "answers")] == [2, 3]


def test_a_row_that_was_kept_is_in_the_report(engine):
    made = facts(1)
    (code,) = made
    spread = Spread(engine)
    with engine.database.write() as connection:
        number = spread.told(connection, code, made[code])
        spread.answer(connection, code, made[code])
    service = engine.conversations.forget
    plan = service.plan("me", [number])
    (key,) = [each.key for each in plan.mentions if each.table == "answers"]
    report = service.forget_memories(plan, exclude=[key])
    (left,) = report.left
    assert (left.key, left.left_because) == (key, "you chose to keep it") and code not in left.excerpt


def test_a_name_that_other_memories_have_takes_nothing_else_along(engine):
    with engine.database.write() as connection:
        scope = engine.conversations.scope("")
        ids = [
            memory_rows.add(connection, Memory(0, scope, None, text, 60, "fact", NOON), ()).memory_id
            for text in ("The heart of ZANZIBAR77 is a pump.", "ZANZIBAR77 costs 5 euros a day.")
        ]
        chat = conversation_rows.start(connection, scope, None, "", NOON)
        asked = conversation_rows.add(connection, chat.chat_id, "user", "How is ZANZIBAR77 doing?", NOON)
    service = engine.conversations.forget
    service.forget_memories(service.plan("me", ids[:1]))
    with engine.database.read() as connection:
        assert (
            conversation_rows.messages_at(connection, [asked.message_id])[asked.message_id].text == asked.text
        )
        assert [each.memory_id for each in memory_rows.of_user(connection, "me")] == ids[1:]


def test_every_table_has_its_place(engine):
    with engine.database.read() as connection:
        assert mention_rows.undecided(connection) == []
        tables = set(connection.tables())
    lists = (
        mention_rows.ERASE_ROW,
        mention_rows.ERASE_WORDS,
        mention_rows.MEMORIES,
        mention_rows.LEFT,
        mention_rows.NO_WORDS,
    )
    named = [name for each in lists for name in each]
    assert len(named) == len(set(named)) and set(named) == tables


LOCKED = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN IMMEDIATE")
    print("taken")
except sqlite3.OperationalError as error:
    print(error)
"""


def test_searching_the_files_gives_up_no_lock(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    with engine.database.write() as connection:
        add_rows(connection, "app_config", {"key": "words", "value": "a rare word"})
        files = [path for path in Path(tmp_path).iterdir() if path.is_file()]
        assert {path.name for path in files} >= {"bob.db", "bob.db-wal", "bob.db-shm"}
        search_bytes(files, ["a rare word"])
        other = [sys.executable, "-c", LOCKED, str(tmp_path / "bob.db")]
        assert "locked" in subprocess.run(other, capture_output=True, text=True, check=True).stdout
    engine.close()


def test_words_are_found_across_the_blocks_of_a_file(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * ((1 << 20) - 4) + b"Zanzibar77" + "ação".encode() + b'"\\u00e7a"')
    (probe,) = search_bytes([path], ["ZANZIBAR77", "ação", "ça", "nowhere"])
    assert probe.found == ("ZANZIBAR77", "ação", "ça") and probe.size == path.stat().st_size


def test_a_line_that_is_written_while_lines_are_taken_out_of_a_log_stays(tmp_path):
    log = AgentLog(tmp_path / "bob.db")
    entry = {"organization": ORG, "user": "me", "tool": "ask", "arguments": {"question": "about ZANZIBAR77"}}
    script = (
        "import sys; from pathlib import Path; from bob.storage.agent_log import AgentLog\n"
        "new = {'organization': 'local', 'user': 'me', 'arguments': {'q': 'new'}}\n"
        "AgentLog(Path(sys.argv[1])).append(new)"
    )
    log.append(entry | {"user": "you"})
    log.append(entry)
    writers = []

    def says(text):
        """Somebody writes now; for a moment it has the chance to come through."""
        writers.append(subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "bob.db")]))
        with suppress(subprocess.TimeoutExpired):
            writers[-1].wait(3)
        return "ZANZIBAR77" in text

    assert log.remove(ORG, "me", says) == 1
    assert [each.wait(60) for each in writers] == [0]
    lines = [json.loads(line) for line in log.path.read_text("utf-8").splitlines()]
    assert [(each["user"], *each["arguments"].values()) for each in lines] == [
        ("you", "about ZANZIBAR77"),
        ("me", "new"),
    ]
