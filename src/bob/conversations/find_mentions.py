"""Finds in which rows and lines of logs a fact occurs, and what of them stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from bob.conversations import memory_rows, mention_rows
from bob.conversations.forgetting import SURE, Mention, Why
from bob.conversations.mention_rows import TextRow
from bob.conversations.recognizer import Recognizer, folded, has_words
from bob.search.message_features import MessageFeatures
from bob.search.snapshot import unpack
from bob.storage.agent_log import AgentLog
from bob.storage.database import Transaction

SIMILAR_MEANING = 0.6
"""Cosine from which a message or memory may say the same in other words. They are only listed."""

_MOST_ROWS = 20
_MOST_CHUNKS = 5
"""A word in more of a user's rows or of the documents' passages than that names more than one fact."""

_MOST_LEFT = 50
"""Rows of a table that are listed among what is left."""

_BY_STRENGTH: tuple[Why, ...] = ("sentence", "distinctive word", "same words", "similar words")
_NOT_CHOSEN = "not chosen; to delete it too, use --include"
_EXCLUDED = "you chose to keep it"


class FindMentions:
    """Looks through one organization's tables."""

    def __init__(self, org_id: str, model_id: str) -> None:
        self._org_id = org_id
        self._model_id = model_id

    def common_codes(
        self, transaction: Transaction, user_id: str, recognizer: Recognizer, chosen: Collection[int]
    ) -> frozenset[str]:
        """The distinctive words that do not tell these facts from others: other memories have them, or many
        rows."""
        if not recognizer.codes:
            return frozenset()
        others = [
            folded(memory.summary)
            for memory in memory_rows.of_user(transaction, user_id, current=False)
            if memory.memory_id not in chosen
        ]
        rows, chunks = Counter[str](), Counter[str]()
        by_table = mention_rows.tables_of(
            transaction, [*mention_rows.ERASE_ROW, *mention_rows.ERASE_WORDS, "chunks"]
        )
        for table in by_table:
            counter = chunks if table.name == "chunks" else rows
            for row in mention_rows.rows_of(transaction, table, user_id, recognizer.codes):
                text = folded("\n".join(row.texts.values()))
                counter.update(code for code in map(folded, recognizer.codes) if has_words(text, code))
        return frozenset(
            memory
            for memory in map(folded, recognizer.codes)
            if rows[memory] > _MOST_ROWS
            or chunks[memory] > _MOST_CHUNKS
            or any(has_words(text, memory) for text in others)
        )

    def of_user(
        self,
        transaction: Transaction,
        user_id: str,
        recognizer: Recognizer,
        skipped: Collection[str],
        memory_ids: Sequence[int],
    ) -> list[Mention]:
        """The rows that are, or may be, about the facts, but for those that are `skipped`: the user's, and of
        tables whose rows belong to nobody all."""
        kinds = mention_rows.ERASE_ROW | mention_rows.ERASE_WORDS | mention_rows.MEMORIES
        mentions = {}
        for table in mention_rows.tables_of(transaction, kinds):
            for row in mention_rows.rows_of(transaction, table, user_id):
                mention = _mention(row, kinds[table.name], recognizer)
                if mention is not None and mention.key not in skipped:
                    mentions[mention.key] = mention
        for mention in self._similar(transaction, user_id, recognizer, memory_ids):
            if mention.key not in skipped:
                mentions.setdefault(mention.key, mention)
        return list(mentions.values())

    def in_log(self, log: AgentLog, user_id: str, recognizer: Recognizer) -> list[Mention]:
        """The user's lines of the log of what agents did."""
        rows = []
        for path, number, text in log.lines(self._org_id, user_id):
            why = recognizer.why(text)
            if why in SURE:
                excerpt = recognizer.excerpt(text)
                rows.append(Mention(f"log:{path.name}:{number}", "line of the agents' log", why, excerpt))
        return rows

    def left(self, transaction: Transaction, recognizer: Recognizer) -> list[Mention]:
        """The rows that Bob does not change, with the reason: what the user made outside of conversations."""
        mentions_found = []
        terms = [*recognizer.sentences, *recognizer.codes]
        for table in mention_rows.tables_of(transaction, mention_rows.LEFT) if terms else ():
            count = 0
            for row in mention_rows.rows_of(transaction, table, None, terms):
                mention = _mention(row, table.name.replace("_", " "), recognizer)
                if mention is None or mention.why not in SURE:
                    continue
                count += 1
                if count <= _MOST_LEFT:
                    mentions_found.append(self._with_reason(transaction, mention, row))
        return mentions_found

    def erase(self, transaction: Transaction, mentions: Sequence[Mention], says: mention_rows.Says) -> None:
        """Take rows, or their words, away; memories and lines of logs are not among them."""
        by_key = {mention.key: mention for mention in mentions}
        names = {mention.table for mention in mentions} & {*mention_rows.ERASE_ROW, *mention_rows.ERASE_WORDS}
        for table in mention_rows.tables_of(transaction, names):
            for row in list(mention_rows.rows_of(transaction, table, None)):
                if row.name in by_key:
                    mention_rows.erase(transaction, table, row, by_key[row.name].columns, says)

    def counts(self, transaction: Transaction, user_id: str) -> dict[str, int]:
        """How many rows of the user's, or of nobody's, there are to search, by table."""
        searched = {
            *mention_rows.ERASE_ROW,
            *mention_rows.ERASE_WORDS,
            *mention_rows.MEMORIES,
            *mention_rows.LEFT,
        }
        counted = {
            table.name: mention_rows.count(transaction, table, user_id)
            for table in mention_rows.tables_of(transaction, searched)
        }
        return {name: count for name, count in counted.items() if count}

    def afterwards(
        self,
        transaction: Transaction,
        user_id: str,
        recognizer: Recognizer,
        words: Sequence[str],
        excluded: Collection[str],
    ) -> tuple[list[Mention], set[str]]:
        """What of the user's, or of nobody's, still has the words after forgetting, and why; and which of the
        words any row has, so that the files have them too. Nothing is told of other users' rows."""
        left = self.left(transaction, recognizer)
        forms = {word: folded(word) for word in words}
        live: set[str] = set()
        kinds = mention_rows.ERASE_ROW | mention_rows.ERASE_WORDS | mention_rows.MEMORIES
        for owner in (user_id, None) if words else ():
            searched = {*kinds, *mention_rows.LEFT} if owner is None else {*kinds}
            for table in mention_rows.tables_of(transaction, searched):
                for row in mention_rows.rows_of(transaction, table, owner, words):
                    text = folded("\n".join(row.texts.values()))
                    live |= {word for word, form in forms.items() if form in text}
                    if owner is None or not any(has_words(text, form) for form in forms.values()):
                        continue
                    why = _EXCLUDED if row.name in excluded else _NOT_CHOSEN
                    mention = _mention(row, kinds[table.name], recognizer)
                    shown = mention.excerpt if mention else recognizer.excerpt(text)
                    kind: Why = mention.why if mention else "distinctive word"
                    left.append(Mention(row.name, kinds[table.name], kind, shown, (), why))
        return left, live

    def _similar(
        self, transaction: Transaction, user_id: str, recognizer: Recognizer, memory_ids: Sequence[int]
    ) -> Iterator[Mention]:
        """Messages and memories whose embeddings are near those of the facts."""
        stored = memory_rows.features_of(transaction, self._model_id, memory_ids)
        if not stored:
            return
        facts = np.stack(
            [MessageFeatures.unpack(content).vector.astype(np.float32) for content in stored.values()]
        )
        others = memory_rows.of_user(transaction, user_id, current=False)
        ids = [other.memory_id for other in others]
        packed = memory_rows.features_of(transaction, self._model_id, ids)
        for memory in others:
            if memory.memory_id in packed:
                vector = MessageFeatures.unpack(packed[memory.memory_id]).vector.astype(np.float32)
                if float((facts @ vector).max()) >= SIMILAR_MEANING:
                    yield _near(
                        f"memories:{memory.memory_id}", "memory", memory.summary, "summary", recognizer
                    )
        rows = transaction.execute(
            "SELECT m.message_id, m.content, f.vector FROM messages m"
            " JOIN chats c ON c.org_id = :org AND c.chat_id = m.chat_id"
            " JOIN message_features f ON f.org_id = :org AND f.message_id = m.message_id"
            " WHERE m.org_id = :org AND c.user_id = :user_id AND f.model = :model",
            {"user_id": user_id, "model": self._model_id},
        )
        for number, text, vector in rows:
            if float((facts @ unpack([vector])[0]).max()) >= SIMILAR_MEANING:
                yield _near(f"messages:{number}", "message", text, "content", recognizer)

    def _with_reason(self, transaction: Transaction, mention: Mention, row: TextRow) -> Mention:
        reason, excerpt = mention_rows.LEFT[row.table], mention.excerpt
        if reason == mention_rows.DOCUMENT:
            excerpt = self._path_of(transaction, row) or excerpt
        return Mention(mention.key, mention.kind, mention.why, excerpt, (), reason)

    def _path_of(self, transaction: Transaction, row: TextRow) -> str | None:
        number = row.key[0]
        if row.table != "documents":
            key = "decision_id" if row.table == "decisions" else "chunk_id"
            of_row = f"SELECT document_id FROM {row.table} WHERE org_id = :org AND {key} = :number"
            row_found = transaction.execute(of_row, {"number": number}).fetchone()
            number = row_found and row_found[0]
        row_found = transaction.execute(
            "SELECT path FROM documents WHERE org_id = :org AND document_id = :number", {"number": number}
        ).fetchone()
        return str(row_found[0]) if row_found else None


def _mention(row: TextRow, kind: str, recognizer: Recognizer) -> Mention | None:
    """What a row has of the facts, by the strongest of its columns."""
    reasons = {name: why for name, text in row.texts.items() if (why := recognizer.why(text)) is not None}
    reasons.pop("project", None)  # A project's name stays what its chats and memories are found by.
    if not reasons:
        return None
    best = min(reasons, key=lambda name: _BY_STRENGTH.index(reasons[name]))
    return Mention(row.name, kind, reasons[best], recognizer.excerpt(row.texts[best]), tuple(reasons))


def _near(key: str, kind: str, text: str, column: str, recognizer: Recognizer) -> Mention:
    return Mention(key, kind, "similar meaning", recognizer.excerpt(text), (column,))
