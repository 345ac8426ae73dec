"""Speaks as a persona, prepares its interviewer, and measures what questions bring out of it (SPEC J3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.core.errors import LanguageModelError, UsageError
from bob.core.prompt import Completion, Prompt
from bob.core.protocols import LanguageModel
from bob.llm.complete import complete
from bob.personas.choice import FindPassages
from bob.personas.fidelity import Fidelity, fidelity
from bob.personas.files import QUESTIONS, PersonaCorpus, read_persona_file
from bob.personas.prompts import (
    as_text,
    interview_prompt,
    listed_questions,
    questions_from_headings,
    questions_prompt,
    written_questions,
)
from bob.personas.values import Interview, InterviewGuide
from bob.text.tokens import estimate_tokens

TOPICS = {
    "aesthetic": "What does this person find beautiful or ugly, in art, form and taste?",
    "style": "How does this person write and speak?",
    "vulnerabilities": "What is this person ashamed of, and what does this person doubt, fear or regret?",
}
"""The topics by default, with the questions by which their passages are found: a single word is near to
nothing (no part of the example's corpus had a cosine above 0.16 to «vulnerabilities»)."""

_MOST_QUESTIONS = 8
"""What an hour's talk has room for."""

_CONTROL = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
"""What a terminal would obey rather than show."""


@dataclass(frozen=True, slots=True)
class WritingOptions:
    """How a language model writes; see `bob.app.settings.LanguageModelSettings`."""

    max_tokens: int
    temperature: float | None


class Persona:
    """One persona, as its folder was when it was opened."""

    def __init__(
        self,
        folder: Path,
        voice: str,
        corpus: PersonaCorpus,
        notices: Sequence[str],
        find: FindPassages,
        model: Callable[[], LanguageModel | None],
        options: WritingOptions,
    ) -> None:
        """`voice` is the voice card, empty when there is none; `model` is asked for when it has to write."""
        self.folder = folder
        self.voice = voice
        self.corpus = corpus
        self._notices = tuple(notices)
        self._find = find
        self._model = model
        self._options = options

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def notices(self) -> tuple[str, ...]:
        """What is odd about the folder."""
        return (*self._notices, *self._find.notices)

    def to_json(self) -> dict[str, Any]:
        """The voice card and the parts, without their texts."""
        return {
            "name": self.name,
            "path": str(self.folder),
            "voice": self.voice,
            "voice_tokens": estimate_tokens(self.voice),
            "parts": [part.to_json() for part in self.corpus.parts],
            "notices": list(self.notices),
        }

    def simulated_interview(self, question: str) -> Interview:
        """The persona's answer to a question, with the passages that it rests on.

        Without a language model, or where it fails, there is the brief instead, and a notice.

        Raises:
            UsageError: there is no question.
            ModelError: the question cannot be embedded.
        """
        if not question.strip():
            raise UsageError("the question is empty")
        (passages,) = self._find.for_each([question])
        options = self._options
        prompt = interview_prompt(
            self.name, self.voice, passages, question, options.max_tokens, options.temperature
        )
        notices = self.notices
        if not passages:
            notices += (
                "no part of the corpus is similar enough to the question; only the voice card was used",
            )
        written, writer, said = self._written(prompt)
        answer = "" if written is None else written.text.translate(_CONTROL).strip()
        return Interview(
            self.name,
            question,
            answer or None,
            as_text(prompt),
            passages,
            (*notices, *said),
            writer if answer else None,
        )

    def generate_questions(self, topics: Sequence[str] = ()) -> InterviewGuide:
        """Questions that probe topics (by default aesthetic, style and vulnerabilities), with the brief for
        their interviewer.

        Without a language model, or where it fails, they are made from the headings of the passages.

        Raises:
            UsageError: a topic is empty.
            ModelError: the topics cannot be embedded.
        """
        chosen = tuple(dict.fromkeys(topics or TOPICS))
        if not all(each.strip() for each in chosen):
            raise UsageError("a topic is empty")
        passages, missed = self._find.for_all({each: TOPICS.get(each, each) for each in chosen})
        options = self._options
        prompt = questions_prompt(
            self.name, self.voice, passages, chosen, _MOST_QUESTIONS, options.max_tokens, options.temperature
        )
        notices = [
            *self.notices,
            *(f"no part of the corpus is similar enough to «{each}»" for each in missed),
        ]
        # Without passages there is nothing to probe, and a model would invent it.
        written, writer, said = self._written(prompt) if passages else (None, None, ())
        questions = [] if written is None else written_questions(written.text.translate(_CONTROL))
        if written is not None and not questions:
            notices.append(f"{writer} wrote no questions; these are made from headings")
        if not questions:
            writer, questions = None, questions_from_headings(passage.part for passage in passages)
        return InterviewGuide(
            self.name,
            chosen,
            tuple(questions[:_MOST_QUESTIONS]),
            as_text(prompt),
            passages,
            (*notices, *said),
            writer,
        )

    def report(self) -> Fidelity:
        """What the questions in `questions.md` bring out of the corpus; without the file, those made from
        headings. No language model is asked.

        Raises:
            UsageError: the file has no question or cannot be read, or there is no heading to ask about.
            ModelError: the questions cannot be embedded.
        """
        path = self.folder / QUESTIONS
        if path.is_file():
            source, questions = QUESTIONS, listed_questions(read_persona_file(path))
        else:
            source, questions = "headings", questions_from_headings(self.corpus.parts)
        if not questions:
            raise UsageError(
                f"{path}: has no questions"
                if source == QUESTIONS
                else f"{self.corpus.path}: no ## headings; write questions into {QUESTIONS}"
            )
        asked = list(zip(questions, self._find.for_each(questions), strict=True))
        return fidelity(self.name, source, self.corpus.parts, asked, self.notices)

    def _written(self, prompt: Prompt) -> tuple[Completion | None, str | None, tuple[str, ...]]:
        """What the model wrote, its name, and what is to be said; None without a model or a whole answer."""
        model = self._model()
        if model is None:
            return None, None, ()
        try:
            written = complete(model, prompt)
        except LanguageModelError as error:
            return None, model.name, (f"nothing was written: {error}",)
        if written.reason == "refused":
            return None, model.name, (f"{model.name} refused to answer",)
        if not written.text.strip():
            return None, model.name, (f"{model.name} wrote nothing",)
        if written.reason == "length":
            limit = f"llm.max_tokens ({prompt.max_tokens})"
            return written, model.name, (f"{model.name} was cut off at {limit}",)
        return written, model.name, ()
