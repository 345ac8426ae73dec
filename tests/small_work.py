"""A team small enough to test with: its work items, and a memory that keeps all in a dictionary."""

from datetime import UTC, datetime

from bob.core.errors import MemoryServiceError
from bob.work.index_items import IndexWorkItems
from bob.work.items import PRIORITIES, STATUSES
from bob.work.service import WorkItems
from bob.work.write_item import WorkRules

NOW = datetime(2025, 1, 31, 12, tzinfo=UTC)
RULES = WorkRules(STATUSES, PRIORITIES)


class DictionaryMemory:
    """Keeps texts by organization and id. `fail` are the ids that it refuses, and "collection"; `before` runs
    before each change, `after` afterwards."""

    def __init__(self):
        self.collections = []
        self.texts = {}
        self.calls = []
        self.fail = set()
        self.before = self.after = lambda resource_id: None

    def create_collection(self, org_id):
        if "collection" in self.fail:
            raise MemoryServiceError("the memory is out of reach")
        self.collections.append(org_id)

    def _change(self, name, org_id, resource_id, text):
        if resource_id in self.fail:
            raise MemoryServiceError("the memory is out of reach")
        self.before(resource_id)
        self.calls.append((name, resource_id))
        if text is None:
            self.texts.pop((org_id, resource_id), None)
        else:
            self.texts[org_id, resource_id] = text
        self.after(resource_id)

    def add_resource(self, org_id, resource_id, title, content):
        self._change("add", org_id, resource_id, (title, content))

    def update_resource(self, org_id, resource_id, title, content):
        self._change("update", org_id, resource_id, (title, content))

    def delete_resource(self, org_id, resource_id):
        self._change("delete", org_id, resource_id, None)

    def query(self, org_id, text, limit):
        return []


class Team:
    """The services of one organization over a database."""

    def __init__(self, database, org_id="local", now=NOW):
        self.database, self.org_id, self.now = database, org_id, now
        self.seconds = 1_000_000.0
        self.memory = DictionaryMemory()
        self.items = WorkItems(database, RULES)
        self.worker = self.new_worker()

    def new_worker(self, memory=None):
        return IndexWorkItems(self.database, memory or self.memory, lambda: self.seconds)

    def create(self, title="Roof leaks", actor="ana", **given):
        return self.items.create(actor, {"title": title} | given, self.now)

    def update(self, number, actor="ana", **given):
        return self.items.update(actor, number, given, self.now)

    def index(self):
        """What one run of the worker had the memory do."""
        self.memory.calls.clear()
        self.worker.index_items()
        return list(self.memory.calls)

    def text(self, number):
        kept = self.memory.texts.get((self.org_id, f"workItem:{number}"))
        return None if kept is None else kept[1]
