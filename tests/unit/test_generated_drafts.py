"""Drafts of all kinds over real notes: true, wrong, uncited and badly cited sentences in many forms of
Markdown. What stays is borne out, what goes is explained, and the Markdown stays whole."""

import random
import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from small_memory import engine_over

from bob.answers.answer import Judgement, Span
from bob.answers.claims.citation_marks import as_plain_text
from bob.answers.claims.draft_blocks import markdown
from bob.answers.claims.draft_claims import claims_of, marks_of
from bob.answers.units.unit import units_of
from bob.core.locator import LineLocator
from bob.core.search import Query
from bob.evaluation.seeded import KINDS, inject, names_of
from bob.llm.complete import ScriptedModel
from bob.text.markup import readable

NOTES = Path(__file__).parents[2] / "docs" / "examples" / "notes"
TODAY = date(2025, 6, 1)
QUESTIONS = (
    "When is the hedge cut?",
    "How much does membership cost?",
    "What did we decide about the hives?",
    "When are petrol mowers not used?",
)
DRAFTS = 20
FOREIGN = (
    "The harbour of Rotterdam handles fourteen million containers a year.",
    "Mount Elbrus was first climbed in 1874.",
    "The night train to Vienna leaves from platform nine.",
)
SHAPES = (
    "{0} {1}\n\n{2} {3} {4}",
    "# Answer\n\n- {0}\n- {1}\n  - {2}\n- {3} {4}",
    "## First\n\n{0}\n\n## Second\n\n1. {1}\n2. {2}\n3. {3}\n\n**Note:** {4}",
    "| what | more |\n|---|---|\n| {0} | - |\n| {1} | - |\n| {2} | - |\n\n{3} {4}",
    "> {0}\n>\n> {1}\n\nHere is what I found:\n\n- {2}\n- {3}\n\n```\n{4}\n```\n",
    "**{0}**\n\n*{1}* {2}\n\n---\n\n{3}\n\nI hope this helps! {4}",
    "{0}\n{1}\n{2}\n\nSources:\n\n- [1] rules.md\n- [2] {3}\n",
)


class RecordingJudge:
    """Hands on to a judge and remembers what it said."""

    def __init__(self, judge):
        self._judge = judge
        self.said = {}

    def judge_claims(self, claims):
        found = self._judge.judge_claims(claims)
        for (text, _), judgement in zip(claims, found, strict=True):
            self.said.setdefault(text, []).append(judgement)
        return found


class Drafts:
    """Seeded drafts of five statements each, from the sentences that the model is given and from others."""

    def __init__(self, chunks, seed):
        self.rng = random.Random(seed)
        self.chunks = chunks
        self.sentences = [
            (n, said)
            for n, chunk in enumerate(chunks, 1)
            for unit in units_of(chunk.text)
            if unit.kind == "prose" and "\n" not in (said := readable(chunk.text[unit.start : unit.end]))
        ]
        self.names = names_of([said for _, said in self.sentences])

    def draft(self):
        """A draft and the false sentences in it."""
        said, false = [], []
        for kind in self.rng.choices(("true", "wrong", "foreign", "uncited", "badly cited"), k=5):
            n, sentence = self.rng.choice(self.sentences)
            if kind == "wrong":
                made = [inject(sentence, each, self.rng, self.names) for each in KINDS]
                made = [each.sentence for each in made if each]
                sentence = self.rng.choice(made) if made else self.rng.choice(FOREIGN)
            elif kind == "foreign":
                sentence = self.rng.choice(FOREIGN)
            if kind in ("wrong", "foreign"):
                false.append(sentence)
            if kind == "badly cited":
                n = self.rng.choice([other for other in range(1, len(self.chunks) + 3) if other != n])
            said.append(sentence if kind == "uncited" else self.cited(sentence, n))
        return self.rng.choice(SHAPES).format(*said), false

    def cited(self, sentence, n):
        if sentence.endswith(".") and self.rng.random() < 0.5:
            return f"{sentence[:-1]} [{n}]."
        return f"{sentence} [{n}]"


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    made = engine_over(tmp_path_factory.mktemp("memory") / "bob.db")
    made.index_files.index_folder(NOTES)
    yield made
    made.close()


def answered(memory, seed, unsupported):
    question = QUESTIONS[seed % len(QUESTIONS)]
    chunks = [hit.chunk for hit in memory.search.search_chunks(Query(question), 10, today=TODAY).hits]
    draft, false = Drafts(chunks, seed).draft()
    values = memory.settings.answer.model_copy(update={"unsupported": unsupported})
    memory.settings = memory.settings.model_copy(update={"answer": values})
    for part in ("ask", "write_answer"):
        vars(memory).pop(part, None)
    memory.llm = ScriptedModel([draft])
    return draft, false, memory.ask.answer_question(question, today=TODAY)


@pytest.mark.parametrize("unsupported", ["remove", "mark"])
@pytest.mark.parametrize("strict", [True, False])
def test_what_stays_is_borne_out_and_what_goes_is_explained(memory, unsupported, strict):
    vars(memory).pop("judge_claims", None)
    memory.judge_claims = judge = RecordingJudge(WordsJudge() if strict else memory.judge_claims)
    seen = Counter()
    for seed in range(DRAFTS):
        draft, false, answer = answered(memory, seed, unsupported)
        assert answer.audit["draft"] == draft
        drafted = [claim.text for claim in claims_of(draft)]
        removed = answer.audit["removed"]
        seen.update(each["verdict"] for each in removed)
        assert all(each["reason"] and draft[slice(*each["range"])] for each in removed)
        if answer.written_by is None:
            assert sorted(each["text"] for each in removed) == sorted(drafted)
            seen["nothing left"] += 1
            continue
        seen["false in"] += len(false)
        audited = answer.audit["claims"]
        assert sorted([each["text"] for each in removed + audited]) == sorted(drafted)
        shown = [claim.text for claim in claims_of(answer.text)]
        for claim, told in zip(answer.claims, audited, strict=True):
            verdicts = {each.verdict for each in judge.said[claim.text]}
            if claim.verdict == "supported":
                assert "supported" in verdicts and claim.citations and told["quotes"]
            else:
                assert unsupported == "mark" and "supported" not in verdicts and not claim.citations
                marked = as_plain_text(told["reason"])
                verdict = "partly supported" if claim.verdict == "partly" else claim.verdict
                assert marked and f"{verdict}: {marked}]" in answer.text
                seen["marked"] += 1
        if unsupported == "remove":
            assert all(claim.verdict == "supported" for claim in answer.claims)
            assert len(shown) == len(answer.claims)
            assert [bare(each) for each in shown] == [bare(claim.text) for claim in answer.claims]
        seen["corrected"] += sum(told["correction"] is not None for told in audited)
        seen["kept"] += len(answer.claims)
        assert_sources_are_true(answer)
        assert_markdown_is_whole(draft, answer.text)
    assert seen["kept"] > DRAFTS and seen["corrected"] > DRAFTS / 4
    assert seen["unsupported"] + seen["contradicted"] + seen["marked"] > DRAFTS / 4


def bare(text):
    """What stays of a claim when its neighbours go: it may get a capital and a stop, and lose blanks."""
    return re.sub(r"\s", "", text).lower().rstrip(".;,")


def assert_sources_are_true(answer):
    marks = "".join(answer.text[slice(*mark)] for mark in marks_of(answer.text))
    cited = list(dict.fromkeys(int(n) for n in re.findall(r"\[(\d+)\]", marks)))
    assert cited == [source.n for source in answer.sources] == list(range(1, len(cited) + 1))
    assert {n for claim in answer.claims for n in claim.citations} == set(cited)
    for source in answer.sources:
        assert source.chunk.text[slice(*source.quote_range)] == source.quote
        if isinstance(source.locator, LineLocator):
            whole = Path(source.chunk.path).read_text(encoding="utf-8")
            assert source.locator.text_in(whole) == source.quote


def assert_markdown_is_whole(draft, text):
    before, after = markdown().parse(draft), markdown().parse(text)
    assert stray(after) <= stray(before)
    kinds = {each.type for each in before} | {"paragraph_open", "paragraph_close", "inline"}
    assert {each.type for each in after} <= kinds
    assert text.count("```") % 2 == 0


def stray(tokens):
    """Marks of emphasis, code and tables that are shown as they are."""
    shown = [child.content for each in tokens for child in each.children or [] if child.type == "text"]
    return sum(text.count(mark) for text in shown for mark in ("**", "`", "|"))


class WordsJudge:
    """Bears out what a sentence of the evidence says in the same words."""

    def judge_claims(self, claims):
        return [self._judged(text, chunks) for text, chunks in claims]

    def _judged(self, text, chunks):
        wanted = re.findall(r"\w+", text)
        for chunk in chunks:
            for unit in units_of(chunk.text):
                if re.findall(r"\w+", readable(chunk.text[unit.start : unit.end])) == wanted:
                    return Judgement("supported", 0.9, Span(chunk, unit.start, unit.end))
        return Judgement("unsupported", 0.2, None, "no source says it")
