"""A memory small enough to test with: a fast embedder, an engine over a temporary file, the real `bob`."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import namedtuple
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from pathlib import Path

import forked_bob
import numpy as np
from judges import JUDGE

from bob.app import Engine
from bob.app.settings import load_settings
from bob.core.document import Chunk, SourceDate
from bob.core.locator import LineLocator
from bob.documents.rows import DocumentRecord, IndexedChunk
from bob.storage.database import SqliteDatabase
from bob.storage.organizations import ensure_organization
from bob.storage.postgres import PostgresDatabase
from bob.text.words import postings

WORD = re.compile(r"\w+")
ORG = "local"


class HashingEmbedder:
    """Adds up one fixed random direction a word, so that texts which share words are near each other."""

    def __init__(self, model_id="hashing@1", dimension=64):
        self.model_id = model_id
        self.dimension = dimension
        self.texts = 0

    def embed(self, texts):
        self.texts += len(texts)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in WORD.findall(text.lower()) or [""]:
                row += direction(word, self.dimension)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def knows_word(self, word):
        """Every word is one of its own, so that none is corrected."""
        return bool(word)


@lru_cache(10_000)
def direction(word, dimension):
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)


class HashingMessageEmbedder:
    """The same for messages: a vector a text, and one a word."""

    model_id = "hashing-words@1"

    def __init__(self, dimension=64):
        self.dimension = dimension

    def embed_with_words(self, texts):
        found = HashingEmbedder(dimension=self.dimension).embed([" ".join(words) for words in texts])
        rows = [np.array([direction(each.lower(), self.dimension) for each in words]) for words in texts]
        return found, [
            each.reshape(len(each), self.dimension).astype(np.float32) / np.float32(self.dimension**0.5)
            for each in rows
        ]


def engine_over(database, organization=ORG, embedder=None, **groups):
    """An engine with the fast embedder; `groups` are settings, such as search={"threshold": 0.5}."""
    layers = {"database": str(database), "organization": organization, **groups}
    if "://" in str(database):
        # Else the name of this machine would be made up, and kept in the home folder.
        layers = {"disk": "tests"} | layers
    nowhere = Path(database).parent / "no-settings"
    _begin(database)
    environment = JUDGE | {f"BOB_{key.upper()}": json.dumps(value) for key, value in _flat(layers)}
    engine = Engine(load_settings(environment=environment, home=nowhere, folder=nowhere).settings)
    engine.embedder = embedder or HashingEmbedder()
    return engine


def _begin(database):
    """In a folder without the file, one with the schema: a copy is made in a hundredth of the time."""
    if "://" not in str(database) and Path(database).parent.is_dir() and not Path(database).exists():
        Path(database).write_bytes(_empty_database())


@cache
def _empty_database():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bob.db"
        made = SqliteDatabase(path, "local")
        made.close()
        assert [each.name for each in Path(folder).iterdir()] == ["bob.db"], "nothing is left beside it"
        return path.read_bytes()


def _flat(layers, prefix=""):
    for key, value in layers.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}__")
        else:
            yield prefix + key, value


def open_database(address, *organizations, cache_folder=None):
    """The database at a path, or on a server as its first organization sees it."""
    names = organizations or (ORG,)
    if "://" in str(address):
        database = PostgresDatabase(address, names[0], cache_folder)
    else:
        _begin(address)
        database = SqliteDatabase(Path(address), "local")
    for org_id in names:
        ensure_organization(database.for_organization(org_id))
    return database


def add_rows(transaction, table, *rows):
    """Put rows into a table; lists and dictionaries become JSON."""
    transaction.insert(
        table,
        *(
            {name: json.dumps(each) if isinstance(each, (list, dict)) else each for name, each in row.items()}
            for row in rows
        ),
    )


def rows_in(transaction, table, **wanted):
    """The rows of a table, with JSON as values, in the order of their keys."""
    return _rows(transaction, table, transaction.tables()[table], wanted)


def every_row(transaction):
    """The rows of each table, by its name."""
    return {table: _rows(transaction, table, columns, {}) for table, columns in transaction.tables().items()}


def _rows(transaction, table, columns, wanted):
    conditions = "".join(f" AND {name} = :{name}" for name in wanted)
    key = ", ".join(each.name for each in columns if each.in_key)
    names = [each.name for each in columns]
    found = transaction.execute(
        f"SELECT {', '.join(names)} FROM {table} WHERE org_id = :org{conditions} ORDER BY {key}", wanted
    )
    row = namedtuple(table, names)
    return [
        row(
            *(
                json.loads(v) if c.kind == "json" and v is not None else v
                for c, v in zip(columns, each, strict=True)
            )
        )
        for each in found
    ]


def indexed(*texts, headings=(), language="en"):
    """Chunks of one document, one a text."""
    chunks = [
        Chunk(at, text, tuple(headings), LineLocator(start_line=at + 1, end_line=at + 1), len(text.split()))
        for at, text in enumerate(texts)
    ]
    return [IndexedChunk(each, each.content_hash, postings(each.text, headings, language)) for each in chunks]


def record(path, document_id=None, **values):
    base = {
        "path": path,
        "project": "notes",
        "title": Path(path).stem,
        "source_type": "markdown",
        "parser": "markdown",
        "language": "en",
        "source_date": SourceDate(date(2025, 1, 31), "mtime"),
        "tags": (),
        "extra": {},
        "content_hash": hashlib.sha256(path.encode()).hexdigest(),
        "size": 1,
        "mtime_ns": 1,
        "document_id": document_id,
    }
    return DocumentRecord(**(base | values))


@dataclass
class Bob:
    """Runs the real command in a process of its own, with a home and a database of its own."""

    home: Path
    environment: dict

    @property
    def database(self):
        return self.home / "bob.db"

    def command(self, *arguments):
        return [sys.executable, "-m", "bob.cli.main", *map(str, arguments)]

    def __call__(self, *arguments, cwd=None, input=None, **more):
        return forked_bob.run([*map(str, arguments)], cwd or self.home, self.environment | more, input)

    def start(self, *arguments, cwd=None, **more):
        return subprocess.Popen(
            self.command(*arguments),
            cwd=cwd or self.home,
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def json(self, *arguments, expect=0, **more):
        done = self(*arguments, "--json", **more)
        assert expect is None or done.returncode == expect, (done.returncode, done.stdout, done.stderr)
        return json.loads(done.stdout)


def bob_in(home):
    home.mkdir(parents=True, exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BOB_", "XDG_"))}
    own = {"HOME": str(home), "BOB_DATABASE": str(home / "bob.db"), "NO_COLOR": "1"}
    return Bob(home, kept | own | JUDGE)


def write_files(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
    return folder
