"""What an assistant wrote or said is found, marked, and is never evidence; a person's own words stay it."""

import json
from datetime import date

import pytest
from judges import RULES_ALONE
from small_memory import bob_in, write_files

from bob import Bob
from bob.app.settings import Settings
from bob.core.search import NO_FILTERS
from bob.documents.formats.authorship import ASSISTANT, ASSISTANT_END
from bob.notes.import_notes import ImportTarget

GATE = "# Gate\n\nThe spare key hangs behind the bakery.\n\n- [ ] Oil the hinges\n"


@pytest.fixture
def vault(tmp_path):
    write_files(tmp_path / "vault", {"gate.md": GATE})
    settings = Settings(database=str(tmp_path / "bob.db"), notes={"folders": [str(tmp_path / "vault")]})
    with Bob(settings=settings) as bob:
        bob.index(tmp_path / "vault")
        yield tmp_path / "vault", bob


def agent_notes(bob, vault):
    """What an agent writes through, as `bob mcp` sets it up for this folder."""
    settings = bob._engine.settings
    mcp = settings.mcp.model_copy(update={"write": [vault]})
    bob._engine.settings = settings.model_copy(update={"mcp": mcp})
    vars(bob._engine.knowledge).pop("agent_notes", None)
    return bob._engine.knowledge.agent_notes


def wrote(notes, path, text, old=None):
    made = notes.write(str(path), text, old, NO_FILTERS)
    assert made.written and made.indexed
    return path.read_text()


def hit(bob, words):
    """Who wrote the passage that a search finds first."""
    first = bob.search(words)[0]
    assert first.to_json().get("written_by") == first.chunk.written_by
    return first.chunk.written_by


def test_an_agents_note_is_found_and_is_no_evidence(vault):
    folder, bob = vault
    text = wrote(
        agent_notes(bob, folder),
        folder / "shed.md",
        "# Shed\n\nThe spare oar hangs behind the chapel.\n\nDecision: we will sell the shed in May.\n",
    )
    assert text.startswith("---\nwritten_by: assistant\n---\n")
    assert hit(bob, "spare oar chapel") == "assistant"
    assert not bob.ask("Where does the spare oar hang?").found
    assert bob.decisions() == []
    verdict = bob.verify("The spare oar hangs behind the chapel.").claims[0].judgement.verdict
    assert RULES_ALONE or verdict != "supported", "of another note rules see only that it shares the words"
    # A person who takes it for their own deletes the line.
    (folder / "shed.md").write_text(text.replace("written_by: assistant\n", ""))
    bob.index(folder)
    assert bob.ask("Where does the spare oar hang?").found
    assert [each.found.statement for each in bob.decisions()] == ["we will sell the shed in May."]


def test_of_a_persons_note_only_what_an_agent_changed_is_marked(vault):
    folder, bob = vault
    notes = agent_notes(bob, folder)
    path = folder / "gate.md"
    assert wrote(notes, path, "- [x] Oil", old="- [ ] Oil") == GATE.replace("[ ]", "[x]")
    added = (
        "- [x] Oil the hinges\n- The spare lamp hangs behind the mill.\n\nDecision: we will buy a new lock."
    )
    text = wrote(notes, path, added, old="- [x] Oil the hinges")
    assert text.index(ASSISTANT) < text.index("behind the mill") < text.index(ASSISTANT_END)
    assert "hinges" not in text[text.index(ASSISTANT) :]
    assert hit(bob, "spare lamp mill") == "assistant"
    assert not bob.ask("Where does the spare lamp hang?").found and bob.decisions() == []
    assert "bakery" in bob.ask("Where does the spare key hang?").text
    # What it changes in a person's sentence is its word too, and it cannot take the marks away.
    wrote(notes, path, "behind the school", old="behind the bakery")
    wrote(notes, path, "- The spare lamp", old=f"{ASSISTANT}\n\n- The spare lamp")
    assert ASSISTANT in path.read_text()
    assert not bob.ask("Where does the spare lamp hang?").found
    assert "school" not in bob.ask("Where does the spare key hang?").text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "conversations.json",
            json.dumps(
                [
                    {
                        "title": "Boat",
                        "mapping": {
                            "1": {"message": {"author": {"role": "user"}, "content": {"parts": ["Which?"]}}},
                            "2": {
                                "message": {
                                    "author": {"role": "assistant"},
                                    "content": {"parts": ["The boat is moored in Lagos."]},
                                }
                            },
                        },
                    }
                ]
            ),
        ),
        (
            "claude.json",
            json.dumps(
                [
                    {
                        "name": "Boat",
                        "chat_messages": [
                            {"sender": "human", "text": "Where?"},
                            {"sender": "assistant", "text": "The boat is moored in Lagos."},
                        ],
                    }
                ]
            ),
        ),
        ("chat.md", "# Boat\n\n**User:** Where?\n\n**Assistant:** The boat is moored in Lagos.\n"),
        ("export.md", "## Prompt:\n4/2/2025\n\nWhere?\n\n## Response:\n\nThe boat is moored in Lagos.\n"),
        ("said.md", "#### You said:\n\nWhere?\n\n#### ChatGPT said:\n\nThe boat is moored in Lagos.\n"),
    ],
)
def test_what_an_assistant_said_in_a_chat_is_no_evidence(vault, name, content):
    folder, bob = vault
    write_files(folder, {f"chats/{name}": content})
    bob.index(folder)
    assert hit(bob, "boat moored Lagos") == "assistant"
    assert not bob.ask("Where is the boat moored?").found
    write_files(folder, {"boat.md": "# Boat\n\nThe boat is moored in Porto.\n"})
    bob.index(folder)
    answer = bob.ask("Where is the boat moored?")
    assert "Porto" in answer.text and "Lagos" not in answer.text


def test_many_notes_of_an_assistant_do_not_hide_one_of_a_person(vault):
    folder, bob = vault
    notes = agent_notes(bob, folder)
    for number in range(30):
        wrote(
            notes, folder / f"key-{number}.md", f"# Key {number}\n\nThe spare key hangs behind the school.\n"
        )
    answer = bob.ask("Where does the spare key hang?")
    assert "bakery" in answer.text
    assert [each.chunk.path for each in answer.sources] == [str(folder / "gate.md")]
    assert not [each for each in bob.health().findings if "duplicate" in each.rule]


def test_a_person_captures_evidence_and_an_assistant_says_who_it_is(vault):
    _, bob = vault
    bob.new("meeting", "Boathouse", attendees="The key costs nine euros, says Ana")
    assert "nine euros" in bob.ask("What does the key cost, says Ana?").text
    bob.new("highlight", "Oars", quote="An oar weighs three kilos.", by_assistant=True)
    assert hit(bob, "oar weighs") == "assistant"
    assert not bob.ask("How much does an oar weigh?").found


def test_the_command_line_says_who_wrote_a_passage(tmp_path):
    bob = bob_in(tmp_path / "home")
    write_files(bob.home / "vault", {"gate.md": GATE})
    bob.json("index", bob.home / "vault")
    made = bob.json(
        *("new", "decision", "Sell the shed", "--set", "decision=We will sell the shed in May."),
        *("--by-assistant", "--into", bob.home / "vault"),
    )
    assert "written_by: assistant\n" in made["text"]
    assert bob.json("search", "sell the shed")["hits"][0]["written_by"] == "assistant"
    assert "Written by an assistant. No answer quotes it." in bob("search", "sell the shed").stdout
    assert bob.json("decisions")["decisions"] == []


def test_what_was_taken_over_from_elsewhere_decides_nothing(vault):
    folder, bob = vault
    page = '<A HREF="https://example.org/a">Decision: we will move to Kubernetes</A>'
    (folder.parent / "bookmarks.html").write_text(
        f"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT>{page}\n</DL><p>\n"
    )
    service = bob._engine.knowledge.import_notes
    plan = service.bookmarks(
        folder.parent / "bookmarks.html", "netscape", ImportTarget(folder, (), None, date(2026, 1, 5))
    )
    service.apply(plan, index=True)
    assert bob.search("Kubernetes")
    assert bob.decisions() == []
