"""Finds messages of a user's chats by what they say, with the messages around them in view (SPEC G4).

It is the ranking that `bob eval benchmark locomo` measures, exact over the last messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bob.conversations import message_feature_rows
from bob.conversations import rows as chats
from bob.conversations.recall_memories import Recall
from bob.core.conversation import Chat, ChatMessage, moment
from bob.search import message_ranking as ranking
from bob.search.message_features import FeatureBuilder, MessageColumns
from bob.storage.database import Database
from bob.text.secrets import redacted
from bob.text.sentences import message_sentences
from bob.text.words import query_terms

MOST_MESSAGES = 20_000
"""So many of a user's last messages are searched: some 200 ms."""

MOST_MADE = 200
"""So many messages that have no features yet get them before a search, the newest: some five seconds. What
makes memories of messages makes those of all."""

_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message with its chat and the part of it that is most like the question. `score` orders the messages
    of one search; `nearness` is the mean cosine of the question's words to their nearest in the message."""

    chat: Chat
    message: ChatMessage
    excerpt: str
    score: float
    nearness: float

    def to_json(self) -> dict[str, Any]:
        """The message as JSON."""
        return {
            "chat_id": self.chat.chat_id,
            "project": self.chat.scope.project,
            "title": self.chat.title,
            "message_id": self.message.message_id,
            "role": self.message.role,
            "sent_at": moment(self.message.sent_at),
            "excerpt": self.excerpt,
            "text": self.message.text,
            "score": round(self.score, 4),
            "nearness": round(self.nearness, 4),
        }


@dataclass(frozen=True, slots=True)
class FoundMessages:
    """The best messages, how many were searched, and how many were left out as not prepared yet."""

    messages: tuple[FoundMessage, ...]
    searched: int
    waiting: int

    def to_json(self) -> dict[str, Any]:
        """The search as JSON."""
        records = [message.to_json() for message in self.messages]
        return {"messages": records, "searched": self.searched, "waiting": self.waiting}


class SearchChats:
    """Searches the chats of one organization's users. What shares no word with the question, not even through
    its neighbours, and is less near than `similarity`, is not found."""

    def __init__(
        self, database: Database, builder: FeatureBuilder, recall: Recall, similarity: float
    ) -> None:
        self._database = database
        self._builder = builder
        self._recall = recall
        self._similarity = similarity

    def search_messages(
        self, user_id: str, question: str, limit: int, project: str | None = None
    ) -> FoundMessages:
        """The `limit` best messages, best first, of all chats or those about a project. Raises ModelError."""
        analysed = self._recall.analysed(question)
        ranked, waiting, searched = self._ranked(analysed, user_id, limit, project)
        if waiting:
            self._prepare(waiting[-MOST_MADE:])
            ranked, waiting, searched = self._ranked(analysed, user_id, limit, project)
        near = [match for match in ranked if match[1].words > 0 or match[1].nearness >= self._similarity]
        numbers = [number for number, _ in near]
        with self._database.read() as transaction:
            messages = chats.messages_at(transaction, numbers)
            chat_ids = {message.chat_id for message in messages.values()}
            about = {chat_id: chats.by_id(transaction, user_id, chat_id) for chat_id in chat_ids}
        groups = query_terms(question)
        hits = []
        for number, match in near:
            message = messages.get(number)
            chat = None if message is None else about[message.chat_id]
            if message is not None and chat is not None:  # Else it was deleted a moment ago.
                part = excerpt(message.text, groups)
                hits.append(FoundMessage(chat, message, part, match.score, match.nearness))
        return FoundMessages(tuple(hits), searched, len(waiting))

    def _ranked(
        self, question: ranking.RecallQuestion, user_id: str, limit: int, project: str | None
    ) -> tuple[list[tuple[int, ranking.RankedMessage]], list[int], int]:
        """The best messages by number, the numbers of those without features, and how many have some."""
        model = self._builder.model_id
        with self._database.read() as transaction:
            rows = message_feature_rows.last_messages(transaction, user_id, project, model, MOST_MESSAGES)
            ready = [row for row in rows if row[2] is not None]
            waiting = [row[0] for row in rows if row[2] is None]
            if not ready:
                return [], waiting, 0
            columns = MessageColumns.unpack(
                [row[2] or b"" for row in ready], [row[3] or b"" for row in ready]
            )

            def word_vectors(best: Sequence[int]) -> list[npt.NDArray[np.int8]]:
                numbers = [ready[index][0] for index in best]
                packed = message_feature_rows.word_vectors_of(transaction, model, numbers)
                return [columns.word_vectors(packed[number]) for number in numbers]

            about = {
                chat_id: ranking.ChatMessage(chat_id) for chat_id in {chat_id for _, chat_id, _, _ in ready}
            }
            messages = [about[chat_id] for _, chat_id, _, _ in ready]
            ranked = self._recall.rank_columns(question, messages, columns, word_vectors, limit)
        return [(ready[match.index][0], match) for match in ranked], waiting, len(ready)

    def _prepare(self, numbers: Sequence[int]) -> None:
        """Make the features of these messages, without their secrets, as the jobs do that make memories."""
        with self._database.read() as transaction:
            texts = chats.messages_at(transaction, numbers)
        made = self._builder.build([redacted(text.text).text for text in texts.values()])
        with self._database.write() as transaction:
            now = chats.messages_at(transaction, list(texts))
            packed = {
                number: one.pack_columns()
                for (number, text), one in zip(texts.items(), made, strict=True)
                if number in now and now[number].text == text.text
            }
            message_feature_rows.keep_for_messages(transaction, self._builder.model_id, packed)


def excerpt(text: str, groups: Sequence[tuple[int, ...]]) -> str:
    """The sentence of a text that has most of the wanted words, in one line, cut where it is long; the first
    of those that have as many."""
    sentences = [sentence for line in text.splitlines() for sentence in message_sentences(line)]
    if not sentences:
        return ""
    best = max(range(len(sentences)), key=lambda index: (_hits(sentences[index], groups), -index))
    # What follows explains more than what is cut from the end.
    line = " ".join(sentences[best:])
    cut = line if len(line) <= _EXCERPT else f"{line[:_EXCERPT].rstrip()}…"
    return cut if best == 0 else f"… {cut}"


def _hits(sentence: str, groups: Sequence[tuple[int, ...]]) -> int:
    has = {term for group in query_terms(sentence) for term in group}
    return sum(not has.isdisjoint(group) for group in groups)
