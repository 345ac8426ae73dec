"""Under `--project`, answers are the same to the last figure, whatever else is indexed."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from small_memory import write_files

from bob import Bob, Filters
from bob.app.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
OF_THE_PROJECT = [*sorted((DOCS / "adr").glob("*.md"))[::3], *sorted(DOCS.glob("[d-h]*.md"))]
FORMS = (
    "What about {}?",
    "How does Bob handle {}?",
    "{}",
    "Why {}?",
    "When did we decide on {}?",
    "{} in 2024?",
)
WORDS = "deploy decide memory search index answer file project note source date page".split()  # noqa: SIM905
ANSWERS = int(os.environ.get("SCOPE_ANSWERS") or 12)
"""SCOPE_ANSWERS=100 in the environment is a run of minutes by hand."""
NOT_COMPARED = {"answer_id", "chunk_id", "document_id", "duplicates", "id", "timings", "used"}
"""Ids, which are counted over all projects, and times. `used` and `duplicates` are ids of chunks."""


def questions(count):
    """Of headings and of the first words of sentences, some with a letter moved."""
    rng, texts = random.Random(7), []
    for path in OF_THE_PROJECT:
        text = path.read_text()
        headings = re.findall(r"^#+ (?:\d+\. )?(.*)$", text, re.MULTILINE)
        sentences = re.findall(r"(?<=\. )[A-Z][^.`|\n]{30,120}(?=\.)", text)
        texts += rng.sample(headings, min(5, len(headings))) + rng.sample(sentences, min(5, len(sentences)))
    rng.shuffle(texts)
    asked = [FORMS[index % len(FORMS)].format(" ".join(text.split()[:9])) for index, text in enumerate(texts)]
    moved = [re.sub(r"(\w{3})(\w)(\w)(\w{2,})", r"\1\3\2\4", text, count=1) for text in asked]
    return [moved[index] if index % 9 == 0 else text for index, text in enumerate(asked)][:count]


def others(folder):
    """Four projects in which the same words are as common as elsewhere they are rare."""
    notes = {
        f"made/{number}.md": f"# Note {number}\n\n"
        + "\n\n".join(
            f"On day {line} the {WORDS[line % 12]} of the {WORDS[line * number % 12]} was decided: {line}."
            for line in range(30)
        )
        for number in range(12)
    }
    notes["made/theirs.md"] = "---\nwritten_by: assistant\n---\n\n# Search\n\nThe index is a file.\n"
    # Every typing error of the questions stands there, and German is read otherwise than English.
    notes["made/typed.md"] = "# Typed\n\n" + "\n\n".join(questions(ANSWERS))
    notes["made/antrag.md"] = "# Der Antrag\n\nDer Antrag wird vom Vorstand geprüft und dann entschieden.\n"
    write_files(folder, notes)
    examples = DOCS / "examples"
    return {"made": folder / "made"} | {name: examples / name for name in ("notes", "shop", "personas")}


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    """A project in a database of its own, and the same beside four others."""
    folder = tmp_path_factory.mktemp("scope")
    one, five = folder / "one.db", folder / "five.db"
    with Bob(settings=Settings(database=str(one))) as bob:
        for path in OF_THE_PROJECT:
            bob.index(path, project="bob")
    shutil.copy(one, five)
    with Bob(settings=Settings(database=str(five))) as bob:
        for project, below in others(folder).items():
            bob.index(below, project=project)
    return one, five


def answers(database, asked, judge):
    with Bob(settings=Settings(database=str(database), answer={"judge": judge})) as bob:
        only = Filters(projects=("bob",))
        return [without_ids(bob.ask(question, filters=only).to_json()) for question in asked]


def without_ids(value):
    if isinstance(value, dict):
        return {key: without_ids(each) for key, each in value.items() if key not in NOT_COMPARED}
    return [without_ids(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("judge", "count"), [("rules", ANSWERS), ("model", 6)])
def test_an_answer_is_the_same_with_and_without_four_other_projects(databases, judge, count):
    asked = questions(count)
    assert len(asked) == count
    alone, among = (answers(database, asked, judge) for database in databases)
    differing = [question for question, one, five in zip(asked, alone, among, strict=True) if one != five]
    assert differing == []
    found = sum(each["found"] for each in alone)
    assert count / 3 < found < count
    assert all({"retrieved", "claims", "evidence", "support"} <= each["audit"].keys() for each in among)
