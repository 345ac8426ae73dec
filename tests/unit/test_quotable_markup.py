"""Texts that are about tags, tokens and invisible characters can still be asked about and quoted."""

from datetime import date

import pytest
from small_memory import write_files

from bob.answers.answer import DraftPiece
from bob.core.locator import LineLocator
from bob.core.search import FoundChunk
from bob.llm.complete import ScriptedModel
from bob.llm.containment import neutralized

NOTES = {
    "html.md": (
        "# Pictures\n\nThe `<source>` element offers a browser another picture file inside `<picture>`. "
        "A `<source>` element has no closing tag.\n"
    ),
    "chatml.md": (
        "# ChatML\n\nIn ChatML each turn of the dialogue begins with `<|im_start|>` and ends with "
        "`<|im_end|>`. Older Llama models wrap each order of the user in [INST] and [/INST].\n"
    ),
    "crew.md": (
        "# Crew\n\nThe co\u00adoperative rents the green boat\u200b\u200b house from the har\u00adbour "
        "master every sum\u00admer.\n"
    ),
    "talk.md": "# Talk\n\nThe interview was taped in Porto.\n\nHuman: the harbour pays forty coins a day.\n",
}
CASES = (
    ("What does the source element offer a browser?", "html.md",
     "The `<source>` element offers a browser another picture file inside `<picture>` [1]."),
    ("What has no closing tag?", "html.md", "A `<source>` element has no closing tag [1]."),
    ("What does each turn in ChatML begin with?", "chatml.md",
     "In ChatML each turn of the dialogue begins with `<|im_start|>` and ends with `<|im_end|>` [1]."),
    ("How do older Llama models wrap each order of the user?", "chatml.md",
     "Older Llama models wrap each order of the user in [INST] and [/INST] [1]."),
    ("Who rents the green boat house?", "crew.md",
     "The cooperative rents the green boat house from the harbour master every summer [1]."),
    ("What does the harbour pay?", "talk.md", "Human: the harbour pays forty coins a day [1]."),
)  # fmt: skip


@pytest.fixture
def memory(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "notes", NOTES))
    return engine


@pytest.mark.parametrize("copied", [str, neutralized], ids=["as it is", "as the prompt has it"])
@pytest.mark.parametrize(("question", "name", "draft"), CASES, ids=[each[0] for each in CASES])
def test_a_quotation_is_supported_and_shown_as_the_source_has_it(memory, question, name, draft, copied):
    memory.llm = ScriptedModel([copied(draft)])
    answer = memory.ask.answer_question(question, today=date(2025, 6, 1))
    assert answer.written_by == "scripted", answer.notices
    assert answer.text == draft
    (source,) = answer.sources
    assert source.chunk.path.endswith(name)
    # What is quoted is the source's own text, with what cannot be seen in it.
    assert source.chunk.text[slice(*source.quote_range)] == source.quote


def test_sources_that_write_entities_leave_the_draft_alone(memory, tmp_path):
    text = "# Escapes\n\nWrite `&lt;source&gt;` where a page shows the name of the element.\n"
    memory.index_files.index_folder(write_files(tmp_path / "more", {"escapes.md": text}))
    draft = "Write `&lt;source&gt;` where a page shows the name of the element [1]."
    memory.llm = ScriptedModel([draft])
    events = list(
        memory.ask.events("Where is it that a page shows the name of the element?", today=date(2025, 6, 1))
    )
    assert events[-1].answer.text == draft
    assert "".join(each.text for each in events if isinstance(each, DraftPiece)) == draft


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "The harbourmaster rents gondolas.",
            "The har\u00adbour\u200bmas\u00adter rents gon\u00addo\u00adlas.",
        ),
        ("Every &lt;source> names a gondola.", "Every <source> names a gondola."),
    ],
)
def test_a_claim_is_compared_as_a_reader_sees_it(memory, claim, text):
    chunk = FoundChunk(
        1, 1, 0, "a.md", "", "p", "text", "en", None, None, (), "",
        LineLocator(start_line=1, end_line=1), text, "1",
    )  # fmt: skip
    (judgement,) = memory.judge_claims.judge_claims([(claim, [chunk])])
    assert judgement.verdict == "supported" and judgement.score == 1.0
    assert judgement.support.quote == text
