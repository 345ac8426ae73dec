"""The models that read two texts together: what they say, and what happens without them."""

import shutil

import pytest
from judges import needs_networks
from small_memory import write_files

from bob import Bob
from bob.app.settings import Settings
from bob.core.errors import ModelError
from bob.models.networks import OnnxEmbedder
from bob.models.pair_models import DEFAULT_READER, DEFAULT_VERIFIER, OnnxReader, OnnxVerifier

pytestmark = needs_networks

PASSAGES = [
    "Boiler: The water pressure is read off the gauge on the left.",
    "Boiler: The boiler is serviced every two years by the firm Keller.",
    "Garden: The hedge is cut in August.",
    "",
    "Letters: " + "Nothing of importance was written in this letter. " * 60,
]


@pytest.fixture(scope="module")
def reader():
    return OnnxReader(OnnxEmbedder(threads=1), threads=1)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How often is the boiler serviced?", 1),
        ("When is the hedge cut?", 2),
        ("Where is the water pressure shown?", 0),
    ],
)
def test_the_passage_that_answers_is_told_from_others(reader, question, best):
    margins = reader.score_passages(question, PASSAGES)
    assert len(margins) == len(PASSAGES) and max(range(5), key=margins.__getitem__) == best


def test_a_margin_does_not_depend_on_the_other_passages(reader):
    question = "Who services the boiler?"
    together = reader.score_passages(question, PASSAGES)
    alone = [reader.score_passages(question, [passage])[0] for passage in PASSAGES]
    assert together == pytest.approx(alone, abs=1e-3)
    assert reader.score_passages(question, []) == []


def test_long_texts_are_cut_and_not_refused(reader):
    (margin,) = reader.score_passages("Why is that? " * 200, ["It is so. " * 2_000])
    assert isinstance(margin, float)


def test_parts_are_compared_where_they_stand(reader):
    heading, sentences = "Garden:\n", ["The hedge is high.", "It is cut in August.", "The pond is deep."]
    text = heading + " ".join(sentences)
    parts = [(at := text.index(sentence), at + len(sentence)) for sentence in sentences]
    (margins,) = reader.score_parts("When is the hedge cut?", [(text, parts)])
    assert None not in margins and max(range(3), key=margins.__getitem__) == 1
    whole, alone = reader.score_parts(
        "When is the hedge cut?", [(text, [(0, len(text))]), (text, parts[1:2])]
    )
    assert alone == pytest.approx(margins[1:2], abs=1e-3)
    assert whole == pytest.approx(reader.score_passages("When is the hedge cut?", [text]), abs=1e-3)
    assert reader.score_parts("When is the hedge cut?", []) == []


def test_a_part_beyond_what_is_read_has_no_margin(reader):
    text = "Nothing of importance was written. " * 200 + "The hedge is cut in August."
    begin = text.index("The hedge")
    ((first, last, empty),) = reader.score_parts("When?", [(text, [(0, 35), (begin, len(text)), (7, 7)])])
    assert isinstance(first, float) and last is None and empty is None


@pytest.mark.parametrize("harm", ["gone", "cut", "other manifest", "no manifest"])
def test_a_damaged_reader_is_named_and_rules_judge(tmp_path, harm, caplog):
    folder = tmp_path / "reader"
    shutil.copytree(DEFAULT_READER, folder)
    model, manifest = folder / "model.onnx", folder / "manifest.json"
    if harm == "gone":
        model.unlink()
    elif harm == "cut":
        model.write_bytes(model.read_bytes()[:1000])
    elif harm == "other manifest":
        manifest.write_text("{}", "utf-8")
    else:
        manifest.unlink()
    damaged = OnnxReader(OnnxEmbedder(threads=1), folder, threads=1)
    with pytest.raises(ModelError, match="install Bob again"):
        damaged.verify()
    notes = write_files(tmp_path / "notes", {"hedge.md": "# Hedge\n\nThe hedge is cut in August.\n"})
    with Bob(settings=Settings(database=str(tmp_path / "bob.db"))) as bob:
        bob._engine.reader = damaged
        bob.index(notes)
        answer = bob.ask("When is the hedge cut?")
        assert answer.found and answer.audit["judged_by"] == "rules"
        checks = {check.name: check.passed for check in bob._engine.status.checks()}
        assert checks["reader"] is False and checks["embedding model"]
    assert "judged by rules alone" in caplog.text


def test_without_a_reader_rules_judge_and_say_so(tmp_path):
    notes = write_files(tmp_path / "notes", {"hedge.md": "# Hedge\n\nThe hedge is cut in August.\n"})
    for chosen, judge in (("rules", "rules"), ("model", OnnxReader(OnnxEmbedder()).model_id)):
        settings = Settings(database=str(tmp_path / "bob.db"), answer={"judge": chosen})
        with Bob(settings=settings) as bob:
            bob.index(notes)
            answer = bob.ask("When is the hedge cut?")
        assert answer.text.startswith("The hedge is cut in August.")
        assert answer.audit["judged_by"] == judge


@pytest.fixture(scope="module")
def verifier():
    return OnnxVerifier(OnnxEmbedder(threads=1), threads=1)


EVIDENCE = "The boiler is serviced every two years by the firm Keller."


def test_the_verifier_tells_what_evidence_says_of_a_claim(verifier):
    claims = [EVIDENCE, "A firm services the boiler every two years.", "The boiler is never serviced."]
    copied, rephrased, denied = verifier.judge_pairs([(claim, EVIDENCE) for claim in claims])
    assert copied[0] > 0.5 and rephrased[0] > 0.5
    assert denied[1] > 0.5 > denied[0]
    ((other, _),) = verifier.judge_pairs([("The boiler stands in the cellar.", EVIDENCE)])
    assert other < 0.5


def test_a_verdict_does_not_depend_on_the_other_pairs(verifier):
    pairs = [(passage, EVIDENCE) for passage in PASSAGES]
    together = verifier.judge_pairs(pairs)
    for pair, verdict in zip(pairs, together, strict=True):
        assert verdict == pytest.approx(verifier.judge_pairs([pair])[0], abs=1e-3)
    assert verifier.judge_pairs([]) == []


def test_a_damaged_verifier_is_named_and_rules_judge(tmp_path, caplog):
    folder = tmp_path / "verifier"
    shutil.copytree(DEFAULT_VERIFIER, folder)
    (folder / "model.onnx").write_bytes(b"\0")
    damaged = OnnxVerifier(OnnxEmbedder(threads=1), folder, threads=1)
    notes = write_files(tmp_path / "notes", {"hedge.md": "# Hedge\n\nThe hedge is cut in August.\n"})
    with Bob(settings=Settings(database=str(tmp_path / "bob.db"))) as bob:
        bob._engine.verifier = damaged
        bob.index(notes)
        (claim,) = bob.verify("The hedge is cut in August.").claims
        assert claim.judgement.verdict == "supported"
        checks = {check.name: check.passed for check in bob._engine.status.checks()}
        assert checks["verifier"] is False and checks["reader"]
    assert "judged by rules alone" in caplog.text
