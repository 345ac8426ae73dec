"""What the index holds, and whether all that Bob needs is there and works (offline)."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from bob.core.errors import BobError, StoreError
from bob.core.private_files import CAN_TELL, Exposed
from bob.core.protocols import Embedder, Reader, Verifier
from bob.documents import disk_rows, failure_rows, left_out_rows, rows, source_rows
from bob.documents.disks import LocalDisks
from bob.documents.formats.parser_registry import ParserRegistry
from bob.search import vector_rows
from bob.search.index import SearchIndex
from bob.search.ranking import Bm25, bm25_scores, invert
from bob.search.snapshot import files_of
from bob.storage import jobs
from bob.storage.database import SCHEMA_HEAD, Database
from bob.text.words import postings, query_terms

_MOST_NAMED = 5
"""Files named in one check; a tree of uploads may have thousands."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: what came out, and whether it is as it should be."""

    name: str
    passed: bool
    detail: str


class Status:
    """Tells the state of one organization's memory."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        embedders: tuple[Embedder, Embedder],
        judges: tuple[Reader | None, Verifier | None],
        local_disks: LocalDisks,
        correct_files: Callable[[], Sequence[Exposed]],
    ) -> None:
        self._database = database
        self._index = index
        self._embedder, self._question_encoder = embedders
        self._reader, self._verifier = judges
        self._disks = local_disks
        self._correct_files = correct_files

    def documents(self) -> int:
        """How many documents are indexed."""
        with self._database.read() as transaction:
            row = transaction.execute("SELECT count(*) FROM documents WHERE org_id = :org").fetchone()
        return int(row[0])

    def jobs(self) -> dict[str, int]:
        """How many jobs wait ("queued"), run and failed."""
        with self._database.read() as transaction:
            return jobs.counts(transaction)

    def report(self) -> dict[str, Any]:
        """Counts, failures, jobs, model, database and projects, as `bob status --json` prints them."""
        model = self._embedder.model_id
        with self._database.read() as transaction:
            of_documents = transaction.execute(
                "SELECT project, count(*), sum(chunk_count) FROM documents WHERE org_id = :org"
                " GROUP BY project ORDER BY project"
            ).fetchall()
            of_types = transaction.execute(
                "SELECT source_type, count(*) FROM documents WHERE org_id = :org"
                " GROUP BY source_type ORDER BY count(*) DESC, source_type"
            ).fetchall()
            (past_count,) = transaction.execute(
                "SELECT count(*) FROM past_documents WHERE org_id = :org"
            ).fetchone()
            outdated = rows.read_by_older(transaction)
            pending = vector_rows.pending_count(transaction, model)
            unread = failure_rows.every(transaction)
            partial = left_out_rows.read_in_part(transaction)
            job_counts = jobs.counts(transaction)
            failed_jobs = jobs.failed(transaction)
            folders = source_rows.every(transaction)
            on_disks = disk_rows.counts(transaction)
        chunk_count = sum(int(row[2] or 0) for row in of_documents)
        return {
            "documents": sum(row[1] for row in of_documents),
            "past_documents": past_count,
            "read_by_older_version": outdated,
            "chunks": chunk_count,
            "vectors": {"done": chunk_count - pending, "pending": pending},
            "failures": [{"path": f.path, "code": f.code, "reason": f.reason} for f in unread],
            "read_in_part": [asdict(each) for each in partial],
            "jobs": job_counts | {"errors": failed_jobs},
            "model": {"id": model, "dimension": self._embedder.dimension},
            "database": {"path": str(self._database), "bytes": self._bytes(), "schema": SCHEMA_HEAD},
            "organization": self._database.org_id,
            "projects": [
                {"project": name, "documents": count, "chunks": int(chunk_sum or 0)}
                for name, count, chunk_sum in of_documents
            ],
            "source_types": [{"source_type": name, "documents": count} for name, count in of_types],
            "sources": [{"path": path, "project": project} for path, project in folders],
            "elsewhere": [
                {"disk": disk_id, "documents": count}
                for disk_id, count in on_disks.items()
                if not self._disks.is_here(disk_id)
            ],
        }

    def _bytes(self) -> int:
        return sum(path.stat().st_size for path in (*self._database.files(), *files_of(self._database)))

    def checks(self) -> Iterator[Check]:
        """Tries every part that the main job needs, without the network."""
        yield Check("bob", True, f"{version('boring-organizer-bot')}, Python {platform.python_version()}")
        yield self._tried("embedding model", self._model)
        if self._question_encoder is not self._embedder:
            yield self._tried("question encoder", self._encodes)
        if self._reader is not None:
            yield self._tried("reader", self._reads)
        if self._verifier is not None:
            yield self._tried("verifier", self._verifies)
        yield self._tried("full text", self._full_text)
        yield self._tried("database", self._database_sound)
        yield self._tried("database writable", self._writable)
        yield self._tried("snapshot", self._snapshot)
        yield self._tried("private files", self._private_files)
        problems = ParserRegistry().problems
        names = ", ".join(ParserRegistry().names())
        yield Check(
            "parsers",
            not problems,
            "; ".join(f"{p.name} ({p.origin}): {p.reason}" for p in problems) or names,
        )

    def _tried(self, name: str, attempt: Callable[[], str]) -> Check:
        try:
            return Check(name, True, attempt())
        except (BobError, AssertionError) as error:
            return Check(name, False, str(error))

    def _model(self) -> str:
        _verify(self._embedder)
        near, same, far = self._embedder.embed(
            ["How do I change the oil of my car?", "Replacing engine oil in a vehicle", "A recipe for bread"]
        )
        assert float(near @ same) > float(near @ far), (
            "the model does not distinguish similar from different texts"
        )
        return f"{self._embedder.model_id}, {self._embedder.dimension} dimensions, loaded offline"

    def _encodes(self) -> str:
        _verify(self._question_encoder)
        (question,) = self._question_encoder.embed(["How often is the engine oil changed?"])
        right, wrong = self._embedder.embed(
            ["It is drained every 15,000 km.", "The bread is baked for 40 minutes."]
        )
        assert float(question @ right) > float(question @ wrong), (
            "the question encoder does not tell an answer from another sentence"
        )
        return f"{self._question_encoder.model_id}, loaded offline"

    def _reads(self) -> str:
        assert self._reader is not None
        _verify(self._reader)
        passages = ["The engine oil is changed every 15,000 km.", "The bread is baked for 40 minutes."]
        right, wrong = self._reader.score_passages("How often is the engine oil changed?", passages)
        assert right > wrong, "the reader does not tell an answer from another sentence"
        return f"{self._reader.model_id}, loaded offline"

    def _verifies(self) -> str:
        assert self._verifier is not None
        _verify(self._verifier)
        evidence = "The engine oil is changed every 15,000 km."
        (said, _), (_, denied) = self._verifier.judge_pairs(
            [(evidence, evidence), ("The engine oil is never changed.", evidence)]
        )
        assert said > 0.5 and denied > 0.5, "the verifier does not tell a claim from its opposite"
        return f"{self._verifier.model_id}, loaded offline"

    def _full_text(self) -> str:
        packed = [postings(text, [], "en") for text in ("rotating the logs", "nothing of the kind")]
        scores, *_ = bm25_scores([invert(packed, Bm25(0.9, 0.4, 1.0))], query_terms("rotate log"))
        assert scores[0] > 0 and scores[1] == 0, "the word index does not find indexed words"
        return "words are matched by their stems"

    def _database_sound(self) -> str:
        wrong = self._database.check()
        assert not wrong, "; ".join(wrong[:3])
        return f"{self._database}, schema {SCHEMA_HEAD}, {self._database.engine}"

    def _writable(self) -> str:
        with self._database.write():
            pass
        with tempfile.TemporaryFile(dir=self._database.path.parent):
            pass
        return str(self._database.path.parent)

    def _private_files(self) -> str:
        if not CAN_TELL:
            return "not checked on this system"
        exposed = self._correct_files()
        left = [each for each in exposed if each.problem]
        corrected = [str(each) for each in exposed if not each.problem]
        was = f"corrected, others could read: {_first(corrected)}" if corrected else ""
        if left:
            still = f"others can read {_first(map(str, left))}"
            raise StoreError(f"{still}; {was}" if was else still)
        return was or "Bob's files are readable only by you"

    def _snapshot(self) -> str:
        view = self._index.view()
        return f"{int(view.alive.sum())} chunks searchable"


def _first(names: Iterable[str]) -> str:
    """The first of the names, and how many more there are."""
    listed = list(names)
    more = f", and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return ", ".join(listed[:_MOST_NAMED]) + more


def _verify(model: object) -> None:
    """Compares the files of a model that comes with Bob with their hashes. Raises ModelError."""
    if (verify := getattr(model, "verify", None)) is not None:
        verify()
