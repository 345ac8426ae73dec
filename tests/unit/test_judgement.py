"""The questions for judging: every line is whole, the split is the computed one, the README counts truly."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bob.evaluation.golden import read_golden

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import judgement

ALWAYS = {"id", "corpus", "language", "split", "kind", "turns", "question", "unanswerable"}
ALWAYS |= {"expected", "accept", "gold"}
KINDS = {"fact", "number", "date", "howto", "list", "definition", "reason", "yesno", "compare", "dated"}
KINDS |= {"followup", "twostep", "exact"}
REASONS = {"entity", "attribute", "time", "type", "absent"}


@pytest.fixture(scope="module")
def every():
    return [each for name in judgement.corpora() for each in judgement.questions(name)]


def test_ids_are_unique_and_name_their_corpus(every):
    assert max(Counter(each["id"] for each in every).values()) == 1
    assert all(each["id"].startswith(f"{each['corpus']}-") for each in every)


def test_every_question_has_its_fields_and_no_others(every):
    corpora = judgement.corpora()
    for each in every:
        more = {"reason", "note"} if each["unanswerable"] else {"shared"}
        assert set(each) == ALWAYS | more, each["id"]
        assert each["kind"] in KINDS, each["id"]
        assert each["question"].strip(), each["id"]
        assert each["language"] == corpora[each["corpus"]]["language"], each["id"]
        assert each["kind"] != "followup" or each["turns"], each["id"]
        if each["unanswerable"]:
            assert each["reason"] in REASONS, each["id"]
            assert (each["gold"], each["expected"], each["accept"]) == ([], "", []), each["id"]
        else:
            assert each["gold"], each["id"]
            assert each["expected"], each["id"]
            assert each["accept"], each["id"]


def test_gold_passages_are_short_and_in_files_of_their_corpus(every):
    corpora = judgement.corpora()
    for each in every:
        for gold in each["gold"]:
            assert gold["path"] in corpora[each["corpus"]]["files"], each["id"]
            assert 0 < gold["end"] - gold["start"] <= 200, each["id"]


def test_the_split_is_the_computed_one_and_sets_a_third_aside(every):
    for each in every:
        assert each["split"] == judgement.split_of(each["corpus"], each["id"]), each["id"]
    counts = Counter(each["split"] for each in every)
    assert 0.3 < counts["test"] / len(every) < 0.4
    assert {each["language"] for each in every if each["split"] == "test"} == {"de", "en", "pt"}


def test_the_readme_counts_truly(every):
    readme = (judgement.DATA / "README.md").read_text()
    unanswerable = sum(each["unanswerable"] for each in every)
    assert judgement.table() in readme
    assert judgement.judged_tables(judgement.DATA / "baseline-dev.jsonl") in readme
    assert f"{len(every)} questions over eight public corpora, of which {unanswerable} cannot" in readme


@pytest.mark.parametrize(
    ("name", "part"), [("baseline-dev", "dev"), ("judged-dev", "dev"), ("judged-test", "test")]
)
def test_each_question_of_a_part_is_judged_once(every, name, part):
    lines = (judgement.DATA / f"{name}.jsonl").read_text().splitlines()
    judged = {each["id"]: each for each in map(json.loads, lines)}
    assert len(judged) == len(lines)
    assert set(judged) == {each["id"] for each in every if each["split"] == part}
    for each in every:
        if each["split"] == part:
            words = (
                {"refused", "answered"} if each["unanswerable"] else {"right", "partly", "wrong", "refused"}
            )
            found = judged[each["id"]]
            assert found["judged"] in words, each["id"]
            assert found["judged"] in {"right", "answered"} or found["why"] or not found["found"], each["id"]


def test_a_corpus_is_made_from_a_repository_and_its_questions_become_a_golden_set(tmp_path, monkeypatch):
    repository = tmp_path / "repository"
    repository.mkdir()
    notes = "# Hedge\n\nThe hedge is cut in March.\n\n# Pond\n\nThe pond holds nine fish.\n"
    (repository / "garden.md").write_text(notes)
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    data = tmp_path / "judgement"
    data.mkdir()
    monkeypatch.setattr(judgement, "DATA", data)
    text = "# Pond\n\nThe pond holds nine fish.\n"
    name = "01-pond.md"
    files = {
        "00-hedge.md": judgement._hash(notes.removesuffix(text).encode()),
        name: judgement._hash(text.encode()),
    }
    corpus = {"name": "garden", "language": "en", "commit": "HEAD", "repository": "a/b"}
    corpus |= {"split": {"path": "garden.md", "before": "(?m)^(?=# )"}, "files": files}
    (data / "corpora.json").write_text(json.dumps([corpus]))
    gold = judgement.place(text, name, "nine fish")
    question = {"id": "garden-001", "question": "How many fish?", "gold": [gold], "split": "dev", "turns": []}
    question |= {"unanswerable": False, "shared": 1.0}
    (data / "garden.jsonl").write_text(json.dumps(question) + "\n")
    folder = tmp_path / "corpora"

    assert judgement.main(["build", str(folder), "--git-dir", f"garden={repository}"]) == 0
    assert judgement.main(["verify", str(folder)]) == 0
    assert judgement.main(["golden", str(folder), str(tmp_path / "sets")]) == 0
    (read,) = read_golden(tmp_path / "sets" / "garden.jsonl").questions
    assert (read.phrases, read.sources[0].path) == (("nine fish",), name)

    lines = ((1, 2), (3, 3))
    hits = [
        {"path": name, "rank": rank, "locator": {"start_line": first, "end_line": last}}
        for rank, (first, last) in enumerate(lines, 1)
    ]
    answer = {"found": True, "answer": "Nine fish. [1]", "audit": {"retrieved": hits}}
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "garden-001", "answer": answer}) + "\n")
    question |= {"kind": "number", "expected": "nine"}
    (data / "garden.jsonl").write_text(json.dumps(question) + "\n")
    shown = "\n".join(judgement.sheet(answers))
    assert "gold at 2: How many fish?" in shown
    assert "Nine fish. [1]" in shown

    (folder / "garden" / name).write_text(text.replace("nine", "ten"))
    assert judgement.main(["verify", str(folder)]) == 1
    with pytest.raises(SystemExit, match="not as they were"):
        files[name] = judgement._hash(b"other")
        judgement.build(corpus | {"files": files}, folder / "garden", repository)
