"""Verify an answer again: do its sources still say what it says? (SPEC E2)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bob.answers.answer import Judgement, answer_by_id
from bob.answers.claims.judge_claims import JudgeClaims
from bob.answers.verified import RecheckedAnswer, RecheckedClaim
from bob.core.errors import NotFoundError
from bob.core.search import Filters, FoundChunk, Query
from bob.documents import disk_rows
from bob.documents import source_rows as sources_of
from bob.documents.disks import LocalDisks
from bob.documents.git.index_git import IndexGit
from bob.documents.index_files import IndexFiles
from bob.search.index import chunks_of_document
from bob.search.query import documents_matching
from bob.search.service import Search
from bob.storage.database import Database

CHUNKS_READ = 5


class VerifyAnswer:
    """Checks kept answers of one organization against their sources as they are now."""

    def __init__(
        self,
        database: Database,
        index_files: IndexFiles,
        index_git: IndexGit,
        search: Search,
        judge: JudgeClaims,
        local_disks: LocalDisks,
    ) -> None:
        self._database = database
        self._index_files = index_files
        self._index_git = index_git
        self._search = search
        self._judge = judge
        self._disks = local_disks

    def verify_answer(self, answer_id: int, *, today: date) -> RecheckedAnswer:
        """Every claim of the answer with what it is worth now; sources that changed are read anew first.

        Raises:
            NotFoundError: there is no such answer.
        """
        with self._database.read() as transaction:
            answer = answer_by_id(transaction, answer_id)
        if answer is None:
            raise NotFoundError(f"no answer {answer_id}; list the last answers with bob feedback")
        sources = {int(source["n"]): source for source in answer.answer["sources"]}
        paths = {str(source["path"]) for source in sources.values()}
        self._read_again(paths)
        day = answer.filters.get("as_of")
        as_of = date.fromisoformat(day) if day else None
        texts = self._texts_of(paths, as_of)
        claims = [self._rechecked(claim, sources, texts, today, as_of) for claim in answer.answer["claims"]]
        return RecheckedAnswer(answer_id, answer.question, tuple(claims))

    def _read_again(self, paths: set[str]) -> None:
        """Bring the sources up to date: files that exist, and refs whose repositories do."""
        for root, source in self._index_git.roots().items():
            within = {path for path in paths if sources_of.within(path, root)}
            if within and Path(source.repository).exists():
                self._index_git.again(root)
            paths = paths - within
        for path in sorted(paths - self._elsewhere()):
            if Path(path).exists():
                self._index_files.index_folder(Path(path))

    def _elsewhere(self) -> set[str]:
        """The documents whose files another machine has: they are judged as it read them last."""
        if not self._disks.shared:
            return set()
        with self._database.read() as transaction:
            return disk_rows.elsewhere(transaction, (*self._disks.names, *disk_rows.ONE_DISK))

    def _rechecked(
        self,
        claim: Mapping[str, Any],
        sources: Mapping[int, Mapping[str, Any]],
        texts: Mapping[str, str],
        today: date,
        as_of: date | None,
    ) -> RecheckedClaim:
        cited = [sources[n] for n in claim["citations"] if n in sources]
        paths = list(dict.fromkeys(str(source["path"]) for source in cited))
        gone = [path for path in paths if not texts[path]]
        chunks = self._about(str(claim["text"]), [path for path in paths if texts[path]], today, as_of)
        stand = all(_in_words(str(source["quote"])) in texts[str(source["path"])] for source in cited)
        if chunks:
            (judgement,) = self._judge.judge_claims([(str(claim["text"]), chunks)])
        else:
            judgement = Judgement("unsupported", 0.0, reason="its sources are no longer in the index")
        return RecheckedClaim(str(claim["text"]), claim["verdict"], judgement, stand, tuple(gone))

    def _texts_of(self, paths: Collection[str], as_of: date | None) -> dict[str, str]:
        """The sources as they are now, their words with one blank between two; "" for one that is gone."""
        elsewhere, roots = self._elsewhere(), self._index_git.roots()
        texts = dict.fromkeys(paths, "")
        with self._database.read() as transaction:
            for path in paths:
                of_git = any(sources_of.within(path, root) for root in roots)
                if path in elsewhere or of_git or Path(path).exists():
                    filters = Filters(path_prefixes=(path,), as_of=as_of)
                    documents = documents_matching(transaction, filters)
                    chunks = (
                        chunk for number in documents for chunk in chunks_of_document(transaction, number)
                    )
                    texts[path] = _in_words("\n".join(chunk.text for chunk in chunks))
        return texts

    def _about(self, claim: str, paths: Sequence[str], today: date, as_of: date | None) -> list[FoundChunk]:
        """The chunks of the cited sources that speak of the claim."""
        chunks: list[FoundChunk] = []
        for path in paths:
            query = Query(claim, filters=Filters(path_prefixes=(path,), as_of=as_of))
            result = self._search.search_chunks(query, CHUNKS_READ, today=today, evidence_only=True)
            chunks += [hit.chunk for hit in result.hits]
        return chunks


def _in_words(text: str) -> str:
    return " ".join(text.split())
