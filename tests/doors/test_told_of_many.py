"""Which one of many is told: an item of a list, a row, a section of a year or version, the newest one."""

import pytest
from small_memory import write_files

from bob import Bob
from bob.app.settings import Settings

NOTES = {
    "tools.md": "# Tools\n\n## Publishing\n\n- You can choose a theme for the page.\n"
    "- The editor has full-text search over all pages.\n- A page may have its own address.\n\n"
    "## Workshop rules\n\nWear in the workshop:\n\n- goggles\n- gloves\n- earmuffs\n\n"
    "## Savings\n\n- Palantir reported that builds take 41% less time.\n"
    "- Shopify moved to virtual machines.\n",
    "boats.md": "# Boats\n\n| Boat | Insured | Keeper |\n|---|---|---|\n| Heron | :x: | Ana |\n"
    "| Plover | :white_check_mark: | Ben |\n",
    "leave.md": "# Leave\n\nMembers may take:\n\n- one week of leave after six months, or\n"
    "- two weeks of unpaid leave after a year\n",
    "board/2024/2024-03-05.md": "# Board 2024-03-05\n\n"
    "## Officers\n\nAna Costa was elected treasurer for 2024.\n\n"
    "## 2025 elections\n\nBen Ito stands for secretary.\n",
    "board/2025/2025-01-09.md": "# Board 2025-01-09\n\n"
    "## Officers\n\nCleo Marsh was elected treasurer for 2025.\n\n"
    "## Balance\n\nThe balance was 4,100 euros.\n",
    "board/2023/2023-01-12.md": "# Board 2023-01-12\n\n## Balance\n\nThe balance was 3,200 euros.\n",
    "NEWS.md": "# News\n\n## 3.0.0 - 2026-05-02\n\n### Security\n\n- Fixed CVE-2026-1135 in the parser.\n\n"
    "### Removed\n\n- Removed the old worker.\n",
    "2025-NEWS.md": "# News of 2025\n\n## 2.1.0 - 2025-04-17\n\n### Security\n\n- Fixed a leak of sockets.\n",
    "2025 appearances.md": "# Talks\n\n- Apr 18-19 Lisbon, on hedges\n- Aug 29 Porto, on water\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("told")
    with Bob(settings=Settings(database=str(folder / "bob.db"))) as bob:
        bob.index(write_files(folder / "garden", NOTES))
        yield bob


@pytest.mark.parametrize(
    ("question", "said", "not_said"),
    [
        ("Does the page editor have full-text search?", "full-text search", "theme"),
        ("What must I wear in the workshop?", "gloves", "theme"),
        ("Is the Heron insured?", "Insured: no", "Plover"),
        ("How long is the leave of members?", "after six months, or", "gloves"),
        ("Who was elected treasurer for 2024?", "Ana Costa", "Cleo"),
        ("What is the latest balance of the board?", "4,100", "3,200"),
        ("Who is the current treasurer?", "Cleo Marsh", "Ana"),
        ("When was 3.0.0 released?", "2026-05-02", "2025"),
        ("Which CVE was fixed in 3.0.0?", "CVE-2026-1135", "sockets"),
        ("Which version removed the old worker?", "3.0.0", "2.1.0"),
        ("What is the latest release?", "3.0.0", "2.1.0"),
    ],
)
def test_what_is_asked_for_is_told_and_not_its_neighbour(memory, question, said, not_said):
    answer = memory.ask(question)
    assert answer.found and said in answer.text and not_said not in answer.text, answer.text
    for source in answer.sources:
        assert source.chunk.text[slice(*source.quote_range)] == source.quote


@pytest.mark.parametrize(
    "question",
    [
        # The name is of one item, the number of another.
        "How much time did Shopify save by moving to virtual machines?",
        # There was no such meeting.
        "What was the balance at the meeting of July 9, 2024?",
        # The section is of another year.
        "Who was the secretary of the board of 2022?",
    ],
)
def test_what_is_of_another_is_not_told(memory, question):
    answer = memory.ask(question)
    assert not answer.found, answer.text
