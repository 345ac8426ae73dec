"""Three organizations at work in one database, in any order: what comes back to one is its own (SPEC P3).

Every text that a user writes has a mark of its organization, and their numbers collide on purpose: item 1 is
there three times. Whatever a service gives is searched for marks. Only ids carry no mark; so an organization
also asks for the marks of others, for which nothing may be found.
"""

import os
import re
import secrets
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from small_memory import HashingEmbedder, engine_over

from bob.access.api_key import WrittenKey
from bob.core.errors import NotFoundError, RefusedError, RequestError
from bob.core.principal import Role
from bob.work import thread_rows
from bob.work.items import WorkFilter, collection_name, resource_id
from bob.work.resource_rows import Resource
from bob.work.thread_rows import Thread

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
ORGANIZATIONS = ("n", "s", "e")
USERS = ("ana", "bo")
MARK = re.compile(r"mk([nse])\w*")
WORDS = ("lantern", "harbour", "key", "tide", "chave")
STEPS_AN_EXAMPLE = 100
RAISED = os.environ.get("ISOLATION_STEPS")
STEPS = {"sqlite": int(RAISED or 600), "postgresql": int(RAISED or 300)}
"""At the least, on each engine; ISOLATION_STEPS=5000 in the environment is a run of some minutes by hand."""

SELECTS = (
    "SELECT * FROM work_items",
    "SELECT w.title, c.name FROM work_items w JOIN categories c ON c.id = w.category_id",
    "SELECT title FROM work_items WHERE id = 1 OR 1 = 1",
    "SELECT * FROM work_item_events",
    "SELECT * FROM users",
    "SELECT field_name, value FROM custom_field_values",
    "SELECT title FROM work_items UNION SELECT name FROM categories",
    "SELECT count(*), max(title) FROM work_items",
)

org = st.sampled_from(ORGANIZATIONS)
user = st.sampled_from(USERS)
word = st.sampled_from(WORDS)
number = st.integers(1, 6)

foreign = st.sampled_from([(one, other) for one in ORGANIZATIONS for other in ORGANIZATIONS if one != other])


class Isolation(RuleBasedStateMachine):
    """Three teams in one database, with fresh names in each example.

    All examples share the engine, and what is counted: `steps` by their kind, and in `seen` those whose
    answer held a mark, since a check of answers that hold none says nothing.
    """

    engine = steps = seen = None

    @initialize()
    def begin(self):
        example = secrets.token_hex(4)
        self.names = {each: f"{each}-{example}" for each in ORGANIZATIONS}
        self.teams = {each: self.engine.for_organization(name).team for each, name in self.names.items()}
        self.texts = 0
        self.keys, self.threads = [], {}
        # Each of these starts a process or a connection.
        self.selects, self.questions = 3, 1
        for each, team in self.teams.items():
            team.work_items.add_category(f"first mk{each}", NOW)
            team.work_items.define_field(f"Place mk{each}", "text")
            team.work_items.create("ana", {"title": f"lantern mk{each}", "category": 1}, NOW)
            assert team.hippocampus.collection(f"notes mk{each}")[0].collection_id == 1
            team.index_turn(lambda: False)

    def text(self, org, word):
        self.texts += 1
        return f"{word} number {self.texts} mk{org}"

    def check(self, org, kind, given):
        """That all marks in an answer are the organization's own."""
        self.steps[kind] += 1
        found = set(MARK.findall(str(given)))
        assert found <= {org}, (org, kind, given)
        self.seen[kind] += bool(found)

    @rule(org=org, user=user, word=word, category=st.booleans())
    def create(self, org, user, word, category):
        given = {"title": self.text(org, word), "description": self.text(org, word)}
        given |= {"fields": {f"Place mk{org}": self.text(org, word)}, "assignee_id": f"{user}-mk{org}"}
        given |= {"category": 1} if category else {}
        made = self.teams[org].work_items.create(user, given, NOW)
        self.check(org, "create", made)

    @rule(org=org, user=user, word=word, number=number)
    def update(self, org, user, word, number):
        try:
            changed = self.teams[org].work_items.update(user, number, {"title": self.text(org, word)}, NOW)
        except NotFoundError as error:
            changed = error
        self.check(org, "update", changed)

    @rule(org=org, user=user, number=number, back=st.booleans())
    def archive(self, org, user, number, back):
        try:
            given = {"status": "OPEN" if back else "ARCHIVED"}
            changed = self.teams[org].work_items.update(user, number, given, NOW)
        except NotFoundError as error:
            changed = error
        self.check(org, "archive", changed)

    @rule(org=org, number=number)
    def read(self, org, number):
        items = self.teams[org].work_items
        self.check(org, "read", (items.those([number, 1]), items.events(after=number)))

    @rule(org=org, number=number)
    def list(self, org, number):
        items = self.teams[org].work_items
        page = items.page(WorkFilter(archived=True), number - 1, 50)
        self.check(org, "list", (page, items.categories(), items.fields()))

    @rule(pair=foreign)
    def filter_by_anothers(self, pair):
        org, other = pair
        items = self.teams[org].work_items
        assert items.page(WorkFilter(assignee_id=f"ana-mk{other}")).items == ()
        with pytest.raises(RequestError) as refused:
            items.page(WorkFilter(category=f"first of mk{other}"))
        # What was asked stands in the message; what is known must be one's own.
        self.check(org, "filter", str(refused.value).replace(f"first of mk{other}", ""))

    @rule(org=org, user=user, word=word)
    def rename_category(self, org, user, word):
        self.check(
            org,
            "rename",
            self.teams[org].work_items.rename_category(user, 1, self.text(org, word), NOW),
        )

    @rule(org=org)
    def index(self, org):
        assert self.teams[org].index_turn(lambda: False).error is None
        self.check(org, "index", self.teams[org].memory.query(self.names[org], f"mk{org}", 50))

    @rule(org=org, user=user, word=word)
    def search(self, org, user, word):
        team = self.teams[org]
        found = team.rag_search.search_items(f"{word} mk{org}", 50, user_id=user)
        items = team.work_items.those(found)
        assert [each.work_item_id for each in items] == found
        self.check(org, "search", items)

    @rule(pair=foreign, user=user)
    def search_for_anothers(self, pair, user):
        org, other = pair
        team, name = self.teams[org], collection_name(self.names[org])
        collection = team.hippocampus.named(name).collection_id
        found = team.hippocampus.search(f"mk{other}", collection, name, 50)
        # By the numbers of a hashing model anything may be a little like it; but nobody has the word.
        assert {each.coverage for each in found} <= {0.0}
        numbers = team.rag_search.search_items(f"mk{other}", 50, user_id=user)
        assert {resource_id(each) for each in numbers} <= {each.resource_id for each in found}
        self.steps["search for another's"] += 1

    @rule(org=org, word=word)
    def suggest(self, org, word):
        self.check(org, "suggest", self.teams[org].rag_search.duplicates_of(f"{word} mk{org}").to_json())

    @rule(org=org, user=user, word=word, number=number, helpful=st.booleans())
    def feedback(self, org, user, word, number, helpful):
        search = self.teams[org].rag_search
        try:
            search.feedback(f"{word} mk{org}", number, helpful, user_id=user)
        except NotFoundError:
            search.search_items(f"nothing of the kind of{word}mk{org}", 1, user_id=user)
        # What was asked for another's mark is one's own question.
        asked = [each.query for each in search.unanswered(1) if not each.query.startswith("mk")]
        self.check(org, "feedback", asked)

    @rule(org=org, word=word, name=st.sampled_from("abc"))
    def keep(self, org, word, name):
        memory = self.teams[org].hippocampus
        memory.put([Resource(1, name, f"{word} mk{org}", self.text(org, word), f"owner mk{org}")])
        self.check(org, "keep", (memory.get(name), memory.ids(1), memory.named(f"notes mk{org}")))

    @rule(org=org, name=st.sampled_from("abc"))
    def forget(self, org, name):
        memory = self.teams[org].hippocampus
        before = {each: memory.get(each, 1) for each in "abc"}
        assert memory.delete(name, 1) == (before[name] is not None)
        self.check(org, "forget", before)

    @rule(pair=foreign, word=word)
    def find_resources(self, pair, word):
        org, other = pair
        memory = self.teams[org].hippocampus
        assert memory.search(f"{word} mk{other}", 1, f"owner mk{other}", 10) == []
        found = memory.search(f"{word} mk{org}", 1, f"owner mk{org}", 10)
        assert {each.resource_id for each in found} <= memory.ids(1)
        assert memory.named(f"notes mk{other}") is None
        self.check(org, "find resources", [memory.get(each.resource_id, 1) for each in found])

    @rule(org=org, user=user)
    def make_key(self, org, user):
        keys = self.teams[org].api_keys
        self.keys.append((org, user, keys.create(f"key mk{org}", user, Role.MEMBER, [], None)))
        self.check(org, "make key", keys.every())

    @precondition(lambda self: self.keys)
    @rule(pair=foreign, at=st.integers(0, 9))
    def use_key(self, pair, at):
        asked, other = pair
        org, user, made = self.keys[at % len(self.keys)]
        # Whichever side is asked, a key opens its own.
        authenticate = self.engine.team.authenticate
        principal = authenticate.identify_sender(made.text)
        assert (principal.org_id, principal.user_id) == (self.names[org], user)
        written = WrittenKey.read(made.text)
        if org != other:
            stolen = WrittenKey(self.names[other], written.key_id, written.secret).text
            with pytest.raises(RefusedError):
                authenticate.identify_sender(stolen)
            with pytest.raises(NotFoundError):
                self.teams[other].api_keys.revoke(made.key.key_id)
        self.check(asked, "use key", self.teams[asked].api_keys.every())

    @rule(org=org, user=user, name=st.sampled_from("xyz"))
    def start_thread(self, org, user, name):
        """Threads of the same id in all three, as an unlucky draw would make them."""
        database = self.engine.database.for_organization(self.names[org])
        with database.write() as connection:
            if (org, name) not in self.threads:
                self.threads[org, name] = user
                thread_rows.start(connection, Thread(name, user, 1), NOW.timestamp())
            said = [("user", f"said mk{org}"), ("assistant", f"replied mk{org}")]
            thread_rows.add(connection, name, said, NOW.timestamp())
            self.check(org, "start thread", thread_rows.last(connection, name, 9))

    @rule(org=org, user=user, name=st.sampled_from("xyz"))
    def find_thread(self, org, user, name):
        try:
            found = self.teams[org].assist_threads.find(user, name)
        except NotFoundError:
            found = None
        assert (found is not None) == (self.threads.get((org, name)) == user)
        self.steps["find thread"] += 1

    @precondition(lambda self: self.selects)
    @rule(pair=foreign, sql=st.sampled_from(SELECTS))
    def select(self, pair, sql):
        org, other = pair
        self.selects -= 1
        team = self.teams[org]
        self.check(org, "select", team.execute_sql.execute_query(sql).rows)
        everything = "SELECT count(*) FROM work_items"
        theirs = f"SELECT (SELECT count(*) FROM work_items WHERE title LIKE '%mk{other}%'), ({everything})"
        count = len(team.work_items.page(WorkFilter(archived=True), limit=1000).items)
        assert team.execute_sql.execute_query(theirs).rows == ((0, count),)

    @precondition(lambda self: self.questions)
    @rule(org=org, user=user, word=word)
    def ask(self, org, user, word):
        self.questions -= 1
        name, found = self.teams[org].assist_threads.answer_in_thread(
            user, f"Have we seen {word} mk{org} before?"
        )
        self.check(org, "ask", found)
        other = next(each for each in ORGANIZATIONS if each != org)
        with pytest.raises(NotFoundError):
            self.teams[other].assist_threads.answer_in_thread(user, "And now?", name)


def test_what_comes_back_is_ones_own(database_address, tmp_path):
    steps = STEPS["postgresql" if "://" in database_address else "sqlite"]
    engine = engine_over(
        database_address,
        cache=str(tmp_path / "cache"),
        work={"sql_seconds": 30},
        auth={"requests_per_minute": 100_000},
    )
    # Wide enough that words which differ are not alike by chance.
    engine.embedder = engine.shipped_model = HashingEmbedder(dimension=384)

    class Here(Isolation):
        """Over this engine."""

    Here.engine, Here.steps, Here.seen = engine, Counter(), Counter()
    run_state_machine_as_test(
        Here,
        settings=settings(
            # Some examples end early, where all steps that are left in need what is not there yet.
            max_examples=steps * 5 // 4 // STEPS_AN_EXAMPLE + 3,
            stateful_step_count=STEPS_AN_EXAMPLE,
            deadline=None,
            # Hypothesis leaves some kinds of steps out of each example: few examples must not leave one out
            # of all by chance, so only the longer run is another one each time.
            derandomize=RAISED is None,
            # Shrinking would repeat hundreds of steps for minutes; what came back says enough.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    engine.close()
    assert Here.steps.total() >= steps, Here.steps
    silent = {"index", "search for another's", "find thread", "suggest", "feedback"}
    assert {kind for kind in Here.steps if Here.seen[kind]} | silent >= set(Here.steps)
    assert len(Here.steps) == 21, "each kind of step was done"
