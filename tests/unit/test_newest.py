"""Questions for the newest of a series of dated places, and their answers."""

from datetime import date

import pytest
from small_memory import write_files

from bob.answers.newest import last_day
from bob.answers.question import Question

TODAY = date(2026, 11, 1)

MINUTES = {
    "minutes/2026-03-05.md": (
        "# Garden council 2026-03-05\n\n## Water\n\nThe council asked for two bids for a new rain barrel.\n\n"
        "## Roles\n\nRemy took the minutes.\n"
    ),
    "minutes/2026-05-07.md": (
        "# Garden council 2026-05-07\n\n## Water\n\n"
        "The council chose the steel rain barrel for 240 euros.\n\n"
        "## Roles\n\nJo took the minutes.\n"
    ),
    "minutes/2026-06-11.md": (
        "# Garden council 2026-06-11\n\n## Seeds\n\nThe council ordered seeds of beans and squash.\n\n"
        "## Roles\n\nLee took the minutes.\n"
    ),
    "rules.md": "# Rules\n\nThe council meets in the shed. The rain barrel is emptied before frost.\n",
}
CHANGES = {
    "CHANGES.md": (
        "# History of the sprinkler\n\n"
        "## Sprinkler 1.4.0 (2026-09-30)\n\nThe timer of the sprinkler survives a power cut.\n\n"
        "## Sprinkler 1.3.0 (2026-02-14)\n\nThe timer of the sprinkler has a second programme.\n\n"
        "## Sprinkler 1.2.0 (2025-08-01)\n\nThe timer of the sprinkler can be locked.\n"
    )
}


@pytest.fixture
def asked(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "garden", MINUTES | CHANGES))
    return lambda question, today=TODAY: engine.ask.answer_question(question, today=today)


@pytest.mark.parametrize(
    "question",
    [
        "What is the latest release?",
        "When did the council last meet?",
        "Which version changed the timer most recently?",
        "Qual é a versão mais recente?",
        "O que decidiu a última reunião?",
        "Wann wurde das Gesetz zuletzt geändert?",
        "Was hat der Rat in der letzten Sitzung beschlossen?",
    ],
)
def test_it_is_known_that_the_newest_is_asked_for(question):
    assert Question(question).newest


@pytest.mark.parametrize(
    "question",
    [
        "",
        "latest",
        "How long does the battery last?",
        "How do I keep the last seven snapshots?",
        "By when must the form be there at the latest?",
        "What is her last name?",
        "Was ist nicht zuletzt wichtig?",
        "Which release came out in May?",
    ],
)
def test_other_questions_are_not_for_the_newest(question):
    assert not Question(question).newest


@pytest.mark.parametrize(
    ("question", "of", "about_it"),
    [
        ("What is the latest version of Bob?", "versions", ""),
        ("Which Bob release was the last one of 2024?", "versions", ""),
        ("When did the most recent release come out?", "versions", ""),
        ("What was the last version of the Bob in 2024?", "versions", ""),
        ("What did the newest release in May 2024 fix?", "versions", "What did fix?"),
        ("Who took the minutes at the last meeting in May?", "meetings", "Who took the minutes?"),
        ("Qual é a versão mais recente do Bob?", "versions", ""),
        ("Quem abriu a última reunião de maio de 2026?", "meetings", "Quem abriu?"),
        ("Was hat der Rat in der letzten Sitzung beschlossen?", "meetings", "Was hat der Rat beschlossen?"),
        ("Wann hat der Rat zuletzt getagt?", "meetings", ""),
        ("Was ist die neueste Version der Software?", "versions", ""),
        ("What is the latest Bob release and its date?", "versions", ""),
        ("Qual é a última versão do Bob e quando saiu?", "versions", ""),
        ("Was ist die neueste Version von Bob und wann erschien sie?", "versions", ""),
    ],
)
def test_it_may_be_the_newest_version_or_meeting_and_something_about_it(question, of, about_it):
    asked = Question(question)
    assert asked.newest_of is not None
    assert (asked.newest_of.series, asked.newest_of.about) == (of, about_it)


@pytest.mark.parametrize(
    ("question", "whose"),
    [
        ("What is the latest version?", ()),
        ("What is the latest version of Bob?", ("Bob",)),
        ("Which was the last Bob release in May 2024?", ("Bob",)),
        ("When did the council last meet?", ("council",)),
        ("When was the last meeting of the board?", ("board",)),
        ("Who took the minutes at the last council meeting?", ("council",)),
        ("Qual é a versão mais recente do Bob?", ("Bob",)),
        ("Wann hat der Rat zuletzt getagt?", ("Rat",)),
    ],
)
def test_and_whose_it_is(question, whose):
    asked = Question(question).newest_of
    assert asked is not None and asked.whose == whose


@pytest.mark.parametrize(
    "question",
    [
        "How do I upgrade to the latest version?",
        "Which release last dropped support for Python 3.8?",
        "Which was the last release with a fix for the timer?",
        "What was last said about the release?",
        "Was ist die letzte Version, die Python 3.8 unterstützt?",
    ],
)
def test_or_the_newest_that_has_to_do_with_something(question):
    asked = Question(question)
    assert asked.newest and asked.newest_of is None


def test_a_question_may_state_until_when():
    assert last_day("the newest at the end of 2023") == date(2023, 12, 31)
    assert last_day("the last one in February 2024") == date(2024, 2, 29)
    assert last_day("the last one until 3 May 2025") == date(2025, 5, 3)
    assert last_day("the last one in May") is None


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("before 3 May 2025", date(2025, 5, 2)),
        ("before November 2025", date(2025, 10, 31)),
        ("of 2025 before November 2025", date(2025, 10, 31)),
        ("before the end of 2023", date(2023, 12, 31)),
        ("before 2024", date(2023, 12, 31)),
        ("antes de novembro de 2025", date(2025, 10, 31)),
        ("vor dem 5. Mai 2026", date(2026, 5, 4)),
        ("since March 2025", None),
        ("after March 2025", None),
        ("desde março de 2025", None),
    ],
)
def test_what_is_before_a_time_is_not_of_it_and_what_is_after_it_has_no_end(said, day):
    assert last_day(f"the last release {said}") == day


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("What did the council last say about the rain barrel?", "minutes/2026-05-07.md"),
        ("Who took the minutes at the latest council?", "minutes/2026-06-11.md"),
        ("Who took the minutes at the last council in May 2026?", "minutes/2026-05-07.md"),
    ],
)
def test_what_was_said_last_is_told_and_what_is_older_is_not(asked, question, path):
    answer = asked(question)
    assert answer.found
    cited = [source.chunk.path for source in answer.sources]
    assert cited[0].endswith(path)
    assert all(each.endswith((path, "rules.md")) for each in cited)


def test_where_the_newest_does_not_answer_the_one_before_is_told(engine, tmp_path):
    """The newest minutes have the words of the question, but nobody who was elected."""
    minutes = {
        "minutes/2026-03-05.md": (
            "# Garden council 2026-03-05\n\n## Election\n\n"
            "Remy Okafor was elected treasurer of the garden council with 14 votes.\n"
        ),
        "minutes/2026-06-11.md": (
            "# Garden council 2026-06-11\n\n## Election\n\n"
            "Should the treasurer of the garden council be elected by post?\n"
        ),
    }
    engine.index_files.index_folder(write_files(tmp_path / "garden", minutes))
    answer = engine.ask.answer_question("Who was last elected treasurer of the council?", today=TODAY)
    assert answer.found and "Remy Okafor" in answer.text


@pytest.mark.parametrize(
    ("today", "part"),
    [(TODAY, "survives a power cut"), (date(2026, 8, 1), "has a second programme")],
)
def test_the_newest_heading_of_one_file_is_taken_as_of_today(asked, today, part):
    answer = asked("What does the newest timer of the sprinkler do?", today)
    assert answer.found
    assert part in answer.text
    assert len({source.chunk.heading_path for source in answer.sources}) == 1


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the latest version of the sprinkler?", "Sprinkler 1.4.0 (2026-09-30)"),
        ("When was the most recent sprinkler release?", "Sprinkler 1.4.0 (2026-09-30)"),
        ("Qual é a versão mais recente?", "Sprinkler 1.4.0 (2026-09-30)"),
        ("Was ist die neueste Version?", "Sprinkler 1.4.0 (2026-09-30)"),
        ("Which version was the last one in March 2026?", "Sprinkler 1.3.0 (2026-02-14)"),
        ("What was the newest release at the end of 2025?", "Sprinkler 1.2.0 (2025-08-01)"),
        ("What was the last release before February 2026?", "Sprinkler 1.2.0 (2025-08-01)"),
        ("What was the last release since January 2026?", "Sprinkler 1.4.0 (2026-09-30)"),
    ],
)
def test_which_the_newest_is_is_told_by_what_states_it(asked, question, told):
    answer = asked(question)
    assert answer.found
    assert [" ".join(claim.text.split()) for claim in answer.claims] == [told]


def test_when_the_last_meeting_was_is_told(engine, tmp_path):
    days = ("2026-04-02", "2026-06-11", "2026-05-07")
    minutes = {f"meetings/{day}.md": f"# Council\n\nDay of the meeting: {day}\n\nAll came.\n" for day in days}
    engine.index_files.index_folder(write_files(tmp_path / "town", minutes))
    answer = engine.ask.answer_question("When did the council last meet?", today=TODAY)
    assert [claim.text for claim in answer.claims] == ["Day of the meeting: 2026-06-11"]


def test_what_is_asked_about_the_newest_is_looked_for_in_it_alone(asked):
    answer = asked("What can the timer do since the latest version of the sprinkler?")
    assert answer.found and "survives a power cut" in answer.text and "locked" not in answer.text
    assert not asked("Who lost a shoe at the last meeting?").found


@pytest.mark.parametrize(
    "question",
    [
        "What is the latest version of Photoshop?",
        "When was the newest mower release?",
        "When did the parliament last meet?",
        "When was the last meeting of the parliament?",
    ],
)
def test_the_newest_of_others_is_not_told(asked, question):
    assert not asked(question).found


def test_a_heading_of_a_version_with_headings_below_is_told(engine, tmp_path):
    changes = (
        "# Changes\n\n## [2.1.0] - 2026-02-19\n\n### Fixed\n\n- The lid of the barrel shuts.\n\n"
        "## [2.0.9] - 2026-02-19\n\n### Fixed\n\n- The barrel leaks no more.\n"
    )
    engine.index_files.index_folder(write_files(tmp_path / "barrel", {"CHANGELOG.md": changes}))
    answer = engine.ask.answer_question("What is the latest version?", today=TODAY)
    assert "2.1.0" in answer.text and "2.0.9" not in answer.text


@pytest.mark.parametrize(
    ("headings", "newest"),
    [
        (("1.4 (2026-07-14)", "1.3.2 (2026-06-10)"), "1.4 (2026-07-14)"),
        (("1.0a12 (2026-07-14)", "1.0a11 (2026-06-10)", "0.9.2 (2026-03-05)"), "1.0a12 (2026-07-14)"),
        (("[1.2] - 2026-07-14", "[1.1.1] - 2026-06-10"), "[1.2] - 2026-07-14"),
        (("1.0 (2026-07-14)", "1.0b3 (2026-07-14)", "0.9 (2026-06-10)"), "1.0 (2026-07-14)"),
        (("14 July 2026", "10 June 2026"), "14 July 2026"),
        (
            ("Autumn leaves (2026-09-30)", "1.4 (2026-07-14)", "1.3 (2026-06-10)"),
            "Autumn leaves (2026-09-30)",
        ),
    ],
)
def test_the_number_that_opens_a_dated_heading_is_a_version(engine, tmp_path, headings, newest):
    """Of two parts or before a release, too; where no heading has one the day alone counts."""
    changes = "# Changes of the barrow\n\n" + "\n".join(
        f"## {heading}\n\n- Wheel {number} of the barrow turns.\n" for number, heading in enumerate(headings)
    )
    engine.index_files.index_folder(write_files(tmp_path / "barrow", {"CHANGELOG.md": changes}))
    answer = engine.ask.answer_question("What is the latest release of the barrow?", today=TODAY)
    assert [" ".join(claim.text.split()) for claim in answer.claims][:1] == [newest]


def test_dated_headings_without_versions_are_no_releases_elsewhere(engine, tmp_path):
    diary = "# Diary of the barrow\n\n## 14 July 2026\n\nIt rained on the barrow.\n"
    engine.index_files.index_folder(write_files(tmp_path / "barrow", {"diary.md": diary}))
    assert not engine.ask.answer_question("What is the latest release of the barrow?", today=TODAY).found


def test_a_file_of_a_month_is_newer_than_one_of_the_month_before(engine, tmp_path):
    said = "# Update\n\n## {}\n\nThe pond {}.\n"
    files = {
        "updates/2021-10-update.md": said.format("October 25", "froze over"),
        "updates/2021-11-update.md": said.format("November 8", "has new fish"),
    }
    engine.index_files.index_folder(write_files(tmp_path / "updates", files))
    answer = engine.ask.answer_question("What was last said about the pond?", today=TODAY)
    assert "has new fish" in answer.text and "froze over" not in answer.text


def test_files_without_dates_are_answered_as_ever(engine, tmp_path):
    notes = {"shed.md": "# Shed\n\nThe last person in the shed locks the door.\n"}
    engine.index_files.index_folder(write_files(tmp_path / "notes", notes))
    answer = engine.ask.answer_question("What does the last person in the shed do?", today=TODAY)
    assert "locks the door" in answer.text


@pytest.mark.parametrize("receipt", ["council/receipts/2026-06-20.md", "council/2026-06-20-receipt.md"])
@pytest.mark.parametrize(
    "question", ["When did the council last meet?", "When was the last council meeting?"]
)
def test_what_else_lies_beside_the_minutes_is_no_meeting(engine, tmp_path, receipt, question):
    met = "# Council meeting\n\nThe council met in the shed and agreed to paint the gate.\n"
    files = {f"council/2026-0{month}-06.md": f"---\ndate: 2026-0{month}-06\n---\n{met}" for month in (3, 5)}
    files[receipt] = "---\ndate: 2026-06-20\n---\n# Receipt of the paint shop\n\nTwo pots of red paint.\n"
    engine.index_files.index_folder(write_files(tmp_path / "notes", files))
    answer = engine.ask.answer_question(question, today=TODAY)
    assert answer.found and {source.chunk.source_date for source in answer.sources} == {date(2026, 5, 6)}


def test_what_lies_in_a_folder_below_was_not_said_on_the_day_of_the_meeting(engine, tmp_path):
    files = {
        "council/2026-05-06.md": "---\ndate: 2026-05-06\n---\n# Council meeting\n\nThe council met.\n",
        "council/receipts/2026-05-06.md": (
            "---\ndate: 2026-05-06\n---\n# Receipt\n\nThe council bought two pots of red paint.\n"
        ),
    }
    engine.index_files.index_folder(write_files(tmp_path / "notes", files))
    question = "What did the council buy at the last meeting?"
    answer = engine.ask.answer_question(question, today=TODAY)
    assert not any("receipts" in source.chunk.path for source in answer.sources)


def test_nor_is_it_what_the_council_said_last(engine, tmp_path):
    attached = "# Bid 2026-07-01\n\n## Water\n\nThe council may have the steel rain barrel for 300 euros.\n"
    files = MINUTES | {"minutes/bids/2026-07-01.md": attached}
    engine.index_files.index_folder(write_files(tmp_path / "garden", files))
    answer = engine.ask.answer_question(
        "What did the council last decide about the rain barrel?", today=TODAY
    )
    assert "240 euros" in answer.text


def test_nor_is_another_heading_of_the_log(engine, tmp_path):
    log = "# Log\n\n## 2026-05-06 Council meeting\n\nThe council met.\n\n## 2026-05-20 Paint\n\nRed paint.\n"
    engine.index_files.index_folder(write_files(tmp_path / "notes", {"log.md": log}))
    answer = engine.ask.answer_question("When was the last council meeting?", today=TODAY)
    assert "2026-05-06" in answer.text and "2026-05-20" not in answer.text
