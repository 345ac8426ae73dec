"""Prompts of chats, compiled over a real database, compared with what seeds 000 and 004 prescribe."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from small_memory import engine_over

from bob.core.conversation import Assessment, ChatMessage, Memory, Scope

GOLDEN = Path(__file__).parents[1] / "golden" / "prompts"
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def projects(tmp_path):
    """Two projects on disk, indexed."""
    for path, text in {
        "garden/rules.md": "# Rules\n\nThe hedge is cut after 15 August.\n",
        "garden/plots.txt": "Plot 1 belongs to the school.\n",
        "shop/menu.md": "---\ndate: 2025-03-01\n---\n# Menu\n\nThe hedge fund eats cake on Mondays.\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    engine = engine_over(tmp_path / "bob.db", context={"similarity": 0.1})
    for name in ("garden", "shop"):
        engine.index_files.index_folder(tmp_path / name, name)
    yield engine
    engine.close()


def memory(number, summary, importance, project="garden"):
    return Memory(number, Scope("local", "me", project), 7, summary, importance, "fact", NOON)


def message(number, role, text, importance=None, summary=""):
    found = None if importance is None else Assessment(importance, summary, "fact", None)
    return ChatMessage(number, 1, role, text, NOON + timedelta(minutes=number), found)


def compiled(engine, question="When is the hedge cut?", project="garden", memories=(), **more):
    conversations = engine.conversations
    conversations.context._recall = lambda scope, chat_id, asked: list(memories)
    return conversations.context.compile_prompt(
        conversations.scope(project), question, **{"smart": False, **more}
    )


def test_the_system_prompt_is_seed_000s_to_the_byte(projects):
    found = compiled(projects, smart=True)
    seed, rule = (
        (GOLDEN / f"{name}.txt").read_text("utf-8").removesuffix("\n") for name in ("double_loop", "rule")
    )
    first, mark, second = seed.partition("\n\n### 2. ")
    assert found.system == f"{first}\n\n{rule}{mark}{second}", "one rule is added, between the sections"


def test_without_smart_context_the_second_section_is_empty(projects):
    found = compiled(projects, memories=[memory(1, "Cake is decided.", 90, "shop")])
    assert found.segments[1].pieces == () and "cake" not in found.system.lower()
    assert "<global_context>\n(none)\n</global_context>" in found.system


@pytest.mark.parametrize(("locale", "name"), [("pt", "memories_pt"), ("en", "memories_en")])
def test_memories_are_listed_as_seed_004_does(projects, locale, name):
    projects.settings = projects.settings.model_copy(
        update={"context": projects.settings.context.model_copy(update={"locale": locale})}
    )
    memories = [
        memory(1, "User defined that the project uses PostgreSQL.", 95),
        memory(2, "Architecture pattern must follow Clean Architecture.", 80),
    ]
    found = compiled(projects, memories=memories, smart=True)
    section = next(each for each in found.segments if each.name == "memories")
    assert section.text == (GOLDEN / f"{name}.txt").read_text("utf-8").removesuffix("\n")
    assert found.memory_ids == (1, 2)


def test_memories_of_other_projects_inspire_and_are_no_truth(projects):
    found = compiled(projects, memories=[memory(3, "The shop chose blue.", 80, "shop")], smart=True)
    inspiration = next(each for each in found.segments if each.name == "inspiration")
    assert '<snippet project="shop" source="memory 3">\n[Importance 80] The shop chose blue.' in (
        inspiration.text
    )
    assert not [each for each in found.segments if each.name == "memories"]


def test_the_last_four_messages_are_raw_and_earlier_ones_are_summaries(projects):
    history = [
        message(1, "user", "We decided to rent the press.", 80, "We rent the press."),
        message(2, "assistant", "Noted.", 0),
        message(3, "user", "A small thing.", 10, "A small thing."),
        message(4, "assistant", "Fine."),
        message(5, "user", "first raw"),
        message(6, "assistant", "second raw"),
        message(7, "user", "third raw"),
        message(8, "assistant", "fourth raw"),
    ]
    found = compiled(projects, history=history)
    assert [turn.text for turn in found.turns] == [
        "first raw",
        "second raw",
        "third raw",
        "fourth raw",
        "When is the hedge cut?",
    ]
    earlier = next(each for each in found.segments if each.name == "earlier")
    assert earlier.text == "### EARLIER IN THIS CHAT (SUMMARIES):\n- [Importance 80] We rent the press."


def test_a_chat_may_give_none_of_its_messages_word_for_word(projects):
    options = projects.settings.context.model_copy(update={"recent_messages": 0})
    projects.settings = projects.settings.model_copy(update={"context": options})
    found = compiled(projects, history=[message(1, "user", "We rent the press.", 80, "We rent the press.")])
    assert [turn.text for turn in found.turns] == ["When is the hedge cut?"]
    assert [each.name for each in found.segments] == ["project", "inspiration", "earlier"]


def test_a_prompt_begins_with_the_user_whatever_the_history(projects):
    history = [message(1, "assistant", "Hello."), *(message(n, "user", f"u{n}") for n in range(2, 4))]
    assert [turn.role for turn in compiled(projects, history=history[:1]).turns] == ["user"]
    assert [turn.role for turn in compiled(projects, history=history).turns] == ["user", "user", "user"]
    cut = [message(1, "user", "a"), *(message(n, "assistant", f"b{n}") for n in range(2, 7))]
    assert next(turn.role for turn in compiled(projects, history=cut).turns) == "user"


def test_the_project_comes_first_and_does_not_change_with_the_question(projects):
    first = compiled(projects, "When is the hedge cut?", smart=True)
    second = compiled(projects, "Who eats cake?", smart=True, memories=[memory(1, "New.", 50)])
    assert first.segments[0] == second.segments[0] and first.segments[0].cached
    assert [each.cached for each in second.segments[1:]] == [False, False]
    assert first.segments[1] != second.segments[1] or first.turns != second.turns


def test_a_project_that_does_not_fit_is_given_in_its_best_passages(projects):
    options = projects.settings.context.model_copy(update={"project_tokens": 45})
    projects.settings = projects.settings.model_copy(update={"context": options})
    found = compiled(projects, "Who has plot 1?")
    assert not found.pinned and not found.segments[0].cached
    assert [piece.source for piece in found.segments[0].pieces] == ["plots.txt:1"]
    assert found.left_out[0].source == "project" and "45 tokens" in found.left_out[0].why
    assert found.left_out[1].source == "rules.md:1-3"


def test_a_project_leaves_room_for_the_reply(projects):
    llm = projects.settings.llm.model_copy(
        update={
            "provider": "openai",
            "model": "m",
            "base_url": "http://localhost:1",
            "context_tokens": 2048,
            "max_tokens": 1900,
        }
    )
    projects.settings = projects.settings.model_copy(update={"llm": llm})
    found = compiled(projects)
    assert not found.pinned and not found.segments[0].pieces


def test_the_receipt_has_no_text(projects):
    found = compiled(projects, smart=True, memories=[memory(1, "Secret plum.", 50)])
    told = str(found.receipt())
    assert "hedge" not in told and "plum" not in told and "rules.md" in told
    assert (
        found.receipt()["tokens"]
        == found.tokens
        == sum(each["tokens"] for each in (*found.receipt()["segments"], *found.receipt()["messages"]))
    )


def test_the_same_project_gives_the_same_bytes_in_another_process(projects, tmp_path):
    code = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[2]);"
        "from small_memory import engine_over; e = engine_over(sys.argv[1]);"
        "c = e.conversations; f = c.context.compile_prompt(c.scope('garden'), 'x', smart=False);"
        "print(hashlib.sha256(f.system.encode()).hexdigest()); e.close()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "bob.db"), str(Path(__file__).parents[1])]
    seen = set()
    for seed in ("0", "1", "77"):
        environment = {"PYTHONHASHSEED": seed, "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        seen.add(run.stdout)
    assert len(seen) == 1


def test_no_project_is_no_project(projects):
    found = compiled(projects, project="", smart=True)
    assert "currently working on: (no project)\n" in found.system
    assert "<project_context>\n(none)\n</project_context>" in found.system
    assert {piece.project for piece in found.segments[1].pieces} == {"garden", "shop"}
