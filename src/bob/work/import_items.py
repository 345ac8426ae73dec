"""Takes in the items of another tracker; the same export again changes nothing (SPEC K1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from bob.core.errors import RequestError, UsageError
from bob.storage.database import Database, Transaction
from bob.work import category_rows, field_rows, import_github, import_jira
from bob.work import import_record as import_table
from bob.work import rows as work_items
from bob.work.import_record import BadRow, ImportedItem, known_priority, known_status
from bob.work.items import ARCHIVED, FieldType, WorkItem, custom
from bob.work.values import LONGEST_NAME, guessed_type, line_of
from bob.work.write_item import Catalogue, WorkRules, create, update

Format = Literal["csv", "github", "jira"]

_READERS = {"csv": import_table.read, "github": import_github.read, "jira": import_jira.read}
_ROWS_AT_ONCE = 200
"""Rows between two commits, which others who write wait for."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many items are new, changed, and as they were; `errors` name the rows that were left out."""

    added: int
    changed: int
    unchanged: int
    categories: tuple[str, ...]
    fields: tuple[str, ...]
    errors: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As every face gives it; `categories` and `fields` are those that were made for the import."""
        return asdict(self)


@dataclass(slots=True)
class _Tally:
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    categories: dict[str, None] = field(default_factory=dict)
    fields: dict[str, None] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


class _TrialError(Exception):
    """Rolls a transaction back: it was a trial."""


class ImportWorkItems:
    """Imports for one organization."""

    def __init__(self, database: Database, rules: WorkRules) -> None:
        self._database = database
        self._rules = rules

    def import_items(
        self,
        actor: str,
        text: str,
        form: Format,
        now: datetime,
        *,
        source: str | None = None,
        dry_run: bool = False,
    ) -> ImportReport:
        """Take in an export. An item that was imported before gets what the export says of it now and did not
        say the last time; what was changed here stays, and so do what the export leaves empty and an archived
        item's status.

        Args:
            text: the content of the file.
            source: tells several places apart that call their items alike; the form's name without one.
            dry_run: count only; nothing is kept.

        Raises:
            UsageError: the text is no export of this form.
        """
        rows = list(_READERS[form](text))
        items = [row for row in rows if isinstance(row, ImportedItem)]
        types = _types(items)
        tally = _Tally(errors=[f"{row.where}: {row.reason}" for row in rows if isinstance(row, BadRow)])
        for start in range(0, len(items), _ROWS_AT_ONCE):
            part = items[start : start + _ROWS_AT_ONCE]
            try:
                with self._database.write() as transaction:
                    _Batch(transaction, self._rules, actor, now, types, tally).take(part, source or form)
                    if dry_run:
                        raise _TrialError
            except _TrialError:
                continue
        return ImportReport(
            tally.added,
            tally.changed,
            tally.unchanged,
            tuple(tally.categories),
            tuple(tally.fields),
            tuple(tally.errors),
        )


class _Batch:
    """Some rows of an import, in one transaction."""

    def __init__(
        self,
        transaction: Transaction,
        rules: WorkRules,
        actor: str,
        now: datetime,
        types: dict[str, FieldType],
        tally: _Tally,
    ) -> None:
        self._transaction = transaction
        self._rules = rules
        self._actor = actor
        self._now = now
        self._types = types
        self._tally = tally
        self._catalogue = Catalogue(transaction)

    def take(self, items: Sequence[ImportedItem], source: str) -> None:
        """Make or change the items; a row that cannot be is noted."""
        named = [(f"{source}:{item.key or _digest(item)}", item) for item in items]
        numbers = work_items.by_external_id(self._transaction, [name for name, _ in named])
        existing = work_items.those(self._transaction, list(numbers.values()))
        hashes = work_items.imported_hashes(self._transaction, list(existing))
        for external_id, item in named:
            if external_id in self._tally.seen:
                if item.key is not None:
                    self._tally.errors.append(f"{item.where}: {item.key} is twice in the export")
                continue
            self._tally.seen.add(external_id)
            number = numbers.get(external_id)
            try:
                known = existing[number] if number else None
                self._take_one(external_id, item, known, hashes.get(number or 0, {}))
            except UsageError as error:
                self._tally.errors.append(f"{item.where}: {error}")

    def _take_one(
        self,
        external_id: str,
        item: ImportedItem,
        existing: WorkItem | None,
        last_import: Mapping[str, str],
    ) -> None:
        """Make or change an item. `last_import` has a hash of what the export said before, by column: what it
        says again may have been changed here since, and stays."""
        if item.created_at is not None and item.created_at < work_items.EARLIEST:
            written = item.created_at.date().isoformat()
            reason = f"created: {written} must be {work_items.EARLIEST.year} or later"
            raise RequestError("created", reason)
        hashes = _hashes(item)
        news = {name for name, digest in hashes.items() if last_import.get(name) != digest}
        columns = self._given(item, news)
        if existing is None:
            create(
                self._transaction,
                self._catalogue,
                self._rules,
                self._actor,
                columns,
                self._now,
                external_id=external_id,
                imported=hashes,
                created_at=item.created_at,
            )
            self._tally.added += 1
            return
        if existing.status == ARCHIVED:
            columns.pop("status", None)
        if update(
            self._transaction,
            self._catalogue,
            self._rules,
            self._actor,
            existing,
            columns,
            self._now,
        ):
            self._tally.changed += 1
        else:
            self._tally.unchanged += 1
        if news:
            work_items.keep_hashes(self._transaction, existing.work_item_id, {**last_import, **hashes})

    def _given(self, item: ImportedItem, news: Set[str]) -> dict[str, Any]:
        """What is new of the row as the value of an item, after the categories and fields that it needs were
        made."""
        columns: dict[str, Any] = {
            name: getattr(item, name) for name in ("title", "description", "assignee_id") if name in news
        }
        if "status" in news:
            columns["status"] = known_status(item.statuses, self._rules.statuses)
            if columns["status"] is None:
                raise _unknown("status", item.statuses[0], self._rules.statuses)
        if "priority" in news:
            columns["priority"] = known_priority(item.priorities, self._rules.priorities)
            if columns["priority"] is None:
                raise _unknown("priority", item.priorities[0], self._rules.priorities)
        if "category" in news:
            columns["category"] = self._category(item.category)
        columns["fields"] = {
            self._field(name): value for name, value in item.fields.items() if custom(name) in news
        }
        return columns

    def _category(self, name: str) -> str:
        line = line_of("category", name, LONGEST_NAME)
        categories = {category.name.casefold(): category.name for category in self._catalogue.categories}
        if line.casefold() not in categories:
            made = category_rows.add(self._transaction, line, self._now.timestamp())
            self._catalogue.categories.append(made)
            self._tally.categories[line] = None
        return line

    def _field(self, name: str) -> str:
        line = line_of("field", name, LONGEST_NAME)
        fields = {field.name.casefold() for field in self._catalogue.fields}
        if line.casefold() not in fields:
            made = field_rows.define(self._transaction, line, self._types[name], ())
            self._catalogue.fields.append(made)
            self._tally.fields[line] = None
        return line


def _types(items: Sequence[ImportedItem]) -> dict[str, FieldType]:
    """The type of each field that the export names, guessed from all of its values."""
    values: dict[str, list[str]] = {}
    for item in items:
        for name, value in item.fields.items():
            values.setdefault(name, []).append(value)
    return {name: guessed_type(column_values) for name, column_values in values.items()}


def _hashes(item: ImportedItem) -> dict[str, str]:
    """A hash of each column of a row that is not empty: what the export leaves empty may have been filled in
    here."""
    columns: dict[str, Any] = {
        "title": item.title or " ",  # without one it is refused
        "description": item.description,
        "assignee_id": item.assignee_id,
        "status": item.statuses,
        "priority": item.priorities,
        "category": item.category,
        **{custom(name): text for name, text in item.fields.items()},
    }
    return {
        name: hashlib.sha256(json.dumps(column).encode()).hexdigest()[:16]
        for name, column in columns.items()
        if column
    }


def _digest(item: ImportedItem) -> str:
    """Names a row that has no key by all that it says."""
    values_seen = [
        item.title,
        item.description,
        item.statuses,
        item.priorities,
        item.category,
        item.assignee_id,
    ]
    written = json.dumps([*values_seen, sorted(item.fields.items())]).encode()
    return hashlib.sha256(written).hexdigest()[:32]


def _unknown(field_name: str, word: str, allowed: Sequence[str]) -> RequestError:
    return RequestError(field_name, f"{field_name}: «{word}» must be one of {', '.join(allowed)}")
