"""Gathers what health is judged by: rows of the database, files of the disk, and the meaning of questions."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bob.core.protocols import Embedder
from bob.documents import disk_rows, source_rows
from bob.documents.disks import LocalDisks
from bob.documents.git import rows as git_rows
from bob.health import answer_rows, rows, text_rows
from bob.health.facts import (
    AnswerFacts,
    DocumentFacts,
    DuplicateFacts,
    FailureFacts,
    HealthFacts,
    LinkFacts,
    QuestionGroup,
)
from bob.health.question_rules import grouped, plain
from bob.health.resolved_links import LinkJudge
from bob.health.similar_documents import groups_of, similar_pairs
from bob.notes.links import may_have_links
from bob.storage.database import Database

ANSWERS_READ = 1_000
"""Of the last so many answers: what was asked before says little about what is needed now, and comparing
their questions by meaning takes a few seconds."""

NEAR_DUPLICATE = 0.8
"""Documents are nearly the same from this share of common words on, or of the smaller one in equal chunks."""
_FEWEST_TERMS = 20
_COMPARED = frozenset(
    {"markdown", "plain", "restructured", "html", "word", "pdf", "powerpoint", "epub", "recipe", "mail"}
)
"""Types that people copy and edit. Tables and code of one kind are alike by nature."""


class GatherFacts:
    """Reads the facts of one organization's memory."""

    def __init__(self, database: Database, embedder: Embedder, local_disks: LocalDisks) -> None:
        self._database = database
        self._embedder = embedder
        self._disks = local_disks
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def gather_facts(self) -> HealthFacts:
        """All facts, as of now."""
        answers = answer_rows.recent_answers(self._database, ANSWERS_READ)
        with self._database.read() as transaction:
            folders = source_rows.every(transaction)
            commits = [source.root for source in git_rows.every(transaction)]
            elsewhere: set[str] = set()
            if self._disks.shared:
                here = (*self._disks.names, *disk_rows.ONE_DISK)
                elsewhere = disk_rows.elsewhere(transaction, here)
            unread = answer_rows.unread_files(transaction)
            every = rows.documents(transaction)
            superseded = rows.superseded(transaction)
            corrections = rows.lost_corrections(transaction)
            pages = rows.partly_read(transaction)
            vectors = rows.vectors(transaction, self._embedder.model_id)
        disk = Disk([path for path, _ in folders], commits, elsewhere)
        missing = [document for document in every if disk.is_gone(document.path)]
        gone = {document.path for document in missing}
        documents = [document for document in every if document.path not in gone]
        return HealthFacts(
            documents=documents,
            missing=missing,
            links=self._links(documents, answers, disk),
            answers=answers,
            questions=self._questions(answers),
            superseded=superseded,
            corrections=corrections,
            failures=[
                FailureFacts(
                    path, code, reason, source_rows.nearest(folders, path) or "", *disk.since(path, *seen)
                )
                for path, code, reason, *seen in unread
            ],
            duplicates=self._duplicates(documents),
            pages=pages,
            vectors=vectors,
            uses=Counter(path for answer in answers for path in answer.retrieved),
        )

    def _links(
        self,
        documents: Sequence[DocumentFacts],
        answers: Sequence[AnswerFacts],
        disk: Disk,
    ) -> list[LinkFacts]:
        by_id = {document.document_id: document for document in documents}
        present = {document.path for document in documents}
        needed = {path for answer in answers for path in (*answer.retrieved, *(c.path for c in answer.cited))}
        with self._database.read() as transaction:
            judge = LinkJudge(
                documents,
                disk.roots,
                on_disk=disk.may_hold,
                on_disk_named=lambda name: name in disk.names,
                left=frozenset(needed - present),
                anchors=lambda document: rows.headings_and_texts(transaction, document.document_id),
            )
            return [
                link
                for document_id, pieces in rows.markdown_texts(transaction, may_have_links)
                if (document := by_id.get(document_id)) is not None and not document.past
                for link in judge.links_of(document, pieces)
            ]

    def _questions(self, answers: Sequence[AnswerFacts]) -> list[QuestionGroup]:
        questions = dict.fromkeys(question for answer in answers if (question := plain(answer.question)))
        new = [question for question in questions if question not in self._known]
        if new:
            self._known |= dict(zip(new, self._embedder.embed(new), strict=True))
        # What is no longer among the last answers is forgotten, so that a server's memory does not grow.
        self._known = {question: self._known[question] for question in questions}
        return grouped(answers, self._known)

    def _duplicates(self, documents: Sequence[DocumentFacts]) -> list[DuplicateFacts]:
        by_id = {
            document.document_id: document
            for document in documents
            if document.is_own_word and not document.past
        }
        same: dict[str, list[str]] = {}
        for each in by_id.values():
            same.setdefault(each.content_hash, []).append(each.path)
        duplicates = [DuplicateFacts(tuple(paths), 1.0, True) for paths in same.values() if len(paths) > 1]
        first = {paths[0] for paths in same.values()}
        document_ids = {
            document_id
            for document_id, document in by_id.items()
            if document.source_type in _COMPARED and document.path in first
        }
        with self._database.read() as transaction:
            words = text_rows.document_terms(transaction, document_ids)
            shared = text_rows.shared_chunks(transaction)
        pairs = [
            (words.document_ids[one], words.document_ids[other], similarity)
            for one, other, similarity in similar_pairs(
                words.terms, words.starts, NEAR_DUPLICATE, _FEWEST_TERMS
            )
        ]
        pairs += [
            pair
            for pair in shared
            if pair[2] >= NEAR_DUPLICATE and pair[0] in document_ids and pair[1] in document_ids
        ]
        duplicates += [
            DuplicateFacts(tuple(sorted(by_id[document_id].path for document_id in group)), lowest, False)
            for group, lowest in groups_of(pairs)
        ]
        return duplicates


class Disk:
    """The indexed folders as they are on this machine; a database on a server may know others. What was read
    from `commits`, the folders of git refs, is in no folder, and stays as it was; so do the documents whose
    files are `elsewhere`, on other machines."""

    def __init__(
        self,
        folders: Sequence[str],
        commits: Sequence[str] = (),
        elsewhere: Collection[str] = frozenset(),
    ) -> None:
        self.roots = [folder for folder in folders if Path(folder).exists()]
        self._commits = commits
        self._elsewhere = elsewhere

    def is_gone(self, path: str) -> bool:
        """Whether the file is not in a folder that is here."""
        here = any(source_rows.within(path, root) for root in self.roots) and not self._not_in_a_folder(path)
        return here and not os.path.lexists(path)

    def may_hold(self, path: str) -> bool:
        """Whether there is a file or folder; one of a commit may be there without being indexed."""
        return self._not_in_a_folder(path) or os.path.exists(path)  # noqa: PTH110 - never raises

    def since(self, path: str, size: int, mtime_ns: int) -> tuple[bool, bool]:
        """Whether the file has changed since it had this size and mtime (those of -1 are unknown), and
        whether it is there."""
        try:
            now = Path(path).stat()
        except OSError:
            return False, not self.is_gone(path)
        return size >= 0 and mtime_ns >= 0 and (now.st_size, now.st_mtime_ns) != (size, mtime_ns), True

    def _not_in_a_folder(self, path: str) -> bool:
        return path in self._elsewhere or any(source_rows.within(path, root) for root in self._commits)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all files in the folders; looked up when first asked for."""
        return frozenset(name for root in self.roots for _, _, files in os.walk(root) for name in files)
