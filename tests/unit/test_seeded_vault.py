"""In a made-up vault all that was planted is found, and nothing else; and a fix removes its finding alone."""

import sys
from pathlib import Path

import pytest
from small_memory import engine_over

from bob.core.errors import UsageError

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from played_vault import compared, play
from seeded_vault import seeded_vault
from vault import NOW

SEED = 5


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An engine that has lived with a small vault, its folder, and what there is to find."""
    home = tmp_path_factory.mktemp("played")
    # Which questions found no answer is what counts here, not how well the others are answered.
    settings = {"notes": {"folders": [str(home / "vault")]}, "answer": {"judge": "rules"}}
    engine = engine_over(home / "bob.db", **settings)
    expected = play(engine, seeded_vault(SEED, 60, each=2), home / "vault")
    yield engine, home / "vault", expected
    engine.close()


def ids(engine):
    return {each.finding_id: each for each in engine.knowledge.check_health.check_health(NOW).findings}


def test_the_same_seed_makes_the_same_vault():
    assert seeded_vault(SEED, 60) == seeded_vault(SEED, 60) != seeded_vault(SEED + 1, 60)


def test_all_that_was_planted_is_found_and_nothing_else(played):
    engine, folder, expected = played
    result = compared(engine.knowledge.check_health.check_health(NOW), expected, folder)
    assert len({each.rule for each in expected}) >= 12
    assert (result.missed, result.false) == ([], [])
    assert len(result.found) == len(expected)


def test_another_look_finds_the_same(played):
    engine, _, _ = played
    first, second = (engine.knowledge.check_health.check_health(NOW) for _ in range(2))
    assert [each.finding_id for each in first.findings] == [each.finding_id for each in second.findings]
    assert len(first.findings) == len({each.finding_id for each in first.findings})
    assert len(second.history) == len(first.history), "an equal run is not written again"


def test_drifted_vectors_are_made_anew(played):
    engine, _, _ = played
    before = ids(engine)
    (drift,) = [each for each in before.values() if each.rule == "embeddings-drift"]
    (applied,) = engine.knowledge.fix_health.fix_findings([drift.finding_id], NOW)
    assert applied.done, applied.did
    assert ids(engine).keys() == before.keys() - {drift.finding_id}


@pytest.mark.parametrize("rule", ["broken-link", "unanswered-question", "repeated-question"])
def test_a_fix_removes_its_finding_and_nothing_else(played, rule):
    engine, _, _ = played
    # Whatever is indexed, as a note that a fix writes, brings all vectors to the present model.
    engine.read_changes.make_vectors()
    before = ids(engine)
    finding = next(each for each in before.values() if each.rule == rule and each.fix.kind)
    (planned,) = engine.knowledge.fix_health.fix_findings([finding.finding_id], NOW, write=False)
    assert ids(engine).keys() == before.keys() and not planned.done
    (applied,) = engine.knowledge.fix_health.fix_findings([finding.finding_id], NOW)
    assert applied.done, applied.did
    assert ids(engine).keys() == before.keys() - {finding.finding_id}


def test_a_file_that_was_mended_is_read_and_one_that_is_gone_is_forgotten(played):
    engine, folder, _ = played
    garbled, gone = folder / "house" / "garbled.md", folder / "house" / "broken-1.docx"
    note = next((folder / "house").glob("0*.md"))
    (missing,) = (folder / "garden").glob("undated-0*.md")
    garbled.write_bytes(bytes(range(32)) * 100)
    engine.index_files.index_folder(garbled)
    garbled.write_text(f"---\ndate: 2026-05-01\n---\n# Mended\n\nSee [[{note.stem}]].\n")
    gone.unlink()
    missing.unlink()
    engine.read_changes.make_vectors()
    before = ids(engine)
    for path in (gone, missing, garbled):
        (finding,) = [
            each for each in before.values() if each.fix.kind == "retry" and str(path) in told(each)
        ]
        (applied,) = engine.knowledge.fix_health.fix_findings([finding.finding_id], NOW)
        assert applied.done, applied.did
        after = ids(engine)
        assert after.keys() == before.keys() - {finding.finding_id}, path
        before = after


def told(finding):
    return {each.path for each in finding.evidence}


def test_what_needs_a_person_is_refused(played):
    engine, _, _ = played
    stale = next(each for each in ids(engine).values() if each.rule == "stale")
    with pytest.raises(UsageError, match="cannot be fixed automatically"):
        engine.knowledge.fix_health.fix_findings([stale.finding_id], NOW)
    with pytest.raises(UsageError, match="no finding stale-1234"):
        engine.knowledge.fix_health.fix_findings(["stale-1234"], NOW)


def test_all_that_can_be_fixed_is_fixed(played):
    engine, _, _ = played
    before = ids(engine)
    fixable = {each.finding_id for each in before.values() if each.fix.kind}
    outcomes = engine.knowledge.fix_health.fix_findings(None, NOW)
    assert {each.finding.finding_id for each in outcomes} == fixable
    assert [each.did for each in outcomes if not each.done] == []
    assert ids(engine).keys() == before.keys() - fixable


def test_what_is_dismissed_is_not_shown_until_that_is_taken_back(played):
    engine, _, _ = played
    check = engine.knowledge.check_health
    stale = next(each for each in ids(engine).values() if each.rule == "stale")
    scored = check.check_health(NOW).run.projects["vault"].score
    check.dismiss([stale.finding_id], NOW)
    report = check.check_health(NOW)
    assert stale.finding_id not in {each.finding_id for each in report.findings}
    assert [each.finding_id for each in report.dismissed] == [stale.finding_id]
    assert report.run.projects["vault"].score >= scored
    check.restore([stale.finding_id])
    assert stale.finding_id in ids(engine)
    with pytest.raises(UsageError, match="was not dismissed"):
        check.restore([stale.finding_id])
