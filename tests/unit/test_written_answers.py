"""Answers written by a language model: what is kept of a draft, what goes, and what is told about it."""

import json
import re
from datetime import date

import pytest
from small_memory import write_files

from bob.domain.judgement import Judgement, Span
from bob.llm.scripted import ScriptedModel

TODAY = date(2025, 6, 1)
QUESTION = "How often are the backup keys rotated?"

NOTES = {
    "keys.md": (
        "# Backup keys\n\nDate: 2025-01-05\n\nThe backup keys are rotated every three months by the storage "
        "team. They are kept in two safes in Porto.\n"
    ),
    "certificates.md": (
        "# Certificates\n\nDate: 2025-02-01\n\nThe backup certificates are rotated every six months. "
        "The backup keys of the wiki are kept by Ana.\n"
    ),
}


class LiteralJudge:
    """Bears out what a chunk says word for word; contradicts what differs from a sentence in few words."""

    def run(self, claims):
        return [self._judged(text, chunks) for text, chunks in claims]

    def _judged(self, text, chunks):
        wanted = re.findall(r"\w+", text.lower())
        closest, share = None, 0.0
        for chunk in chunks:
            for match in re.finditer(r"[^.\n]*\w[^.\n]*\.?", chunk.text):
                said = re.findall(r"\w+", match[0].lower())
                span = Span(chunk, *match.span())
                if wanted == said or " ".join(wanted) in " ".join(said):
                    return Judgement("supported", 0.9, span)
                same = len(set(wanted) & set(said)) / len(set(wanted) | set(said) | {""})
                if same > share:
                    closest, share = span, same
        if share > 0.5:
            return Judgement("contradicted", 0.1, closest, "a source says otherwise", closest)
        return Judgement("unsupported", 0.2, closest, "no source says it")


@pytest.fixture
def memory(engine, tmp_path):
    engine.index_files.run(write_files(tmp_path / "notes", NOTES))
    engine.judge_claims = LiteralJudge()
    return engine


@pytest.fixture
def asked(memory):
    """Asks with a model that replies so; gives the answer and keeps the model and the events."""

    def ask(*replies, question=QUESTION, **settings):
        if settings:
            values = memory.settings.answer.model_copy(update=settings)
            memory.settings = memory.settings.model_copy(update={"answer": values})
        memory.llm = ask.model = ScriptedModel(replies)
        ask.events = list(memory.ask.events(question, today=TODAY))
        assert json.loads(json.dumps(ask.events[-1].answer.to_json()))
        return ask.events[-1].answer

    return ask


TRUE = "The backup keys are rotated every three months by the storage team"
FALSE = "The backup keys are rotated every nine months by the storage team"


def numbers_given(model):
    return {
        m[2]: int(m[1])
        for m in re.finditer(r'<source n="(\d+)".*?file="(\w+)', model.prompts[0].system[1].text)
    }


def test_what_a_source_bears_out_stays_and_cites_its_sentence(asked):
    answer = asked(f"{TRUE} [1].")
    assert answer.text == f"{TRUE} [1]."
    assert (answer.found, answer.written_by, answer.notices) == (True, "scripted", ())
    assert [(claim.verdict, claim.citations) for claim in answer.claims] == [("supported", (1,))]
    (source,) = answer.sources
    assert source.quote.strip() == f"{TRUE}."
    assert source.chunk.text[slice(*source.quote_range)] == source.quote
    assert source.chunk.path.endswith("keys.md")


def test_what_no_source_bears_out_goes_and_the_audit_says_why(asked):
    answer = asked(f"{FALSE} [1]. {TRUE} [1]. Cats like milk.")
    assert answer.text == f"{TRUE} [1]."
    first, second = answer.audit["removed"]
    assert first["text"] == f"{FALSE}." and first["verdict"] == "contradicted"
    assert "three months" in first["against"]["quote"]
    assert second["verdict"] == "unsupported" and second["reason"]
    draft = answer.audit["draft"]
    assert draft[slice(*first["range"])] == f"{FALSE} [1]."
