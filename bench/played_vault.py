"""Plays a seeded vault through a real engine: indexes it, asks, complains, deletes; then compares what health
finds with what was planted."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from vault import NOW, WRITTEN, Planted, Vault

from bob.answers.feedback_rows import FeedbackVerdict
from bob.app import Engine
from bob.health.values import Finding, HealthReport


@dataclass(frozen=True, slots=True)
class Compared:
    """Per rule: what was planted and found, planted and not found, and found without having been planted."""

    found: list[Planted]
    missed: list[Planted]
    false: list[Planted]


def play(engine: Engine, vault: Vault, folder: Path) -> list[Planted]:
    """Make the vault in the folder and live with it; what a look at its health has to find.

    That is what was planted, and what came of playing: questions that Bob could not answer though a note
    does, and notes that no answer needed.
    """
    write(vault, folder)
    engine.index_files.index_folder(folder)
    asked_at = NOW - timedelta(days=30)
    by_path: Counter[str] = Counter()
    expected = list(vault.planted)
    for asked in vault.asked:
        asked_at += timedelta(minutes=10)
        answer = engine.ask.answer_question(asked.text, today=asked_at.date())
        kept = engine.keep_answer.save_answer(answer, asked_at=asked_at)
        by_path.update({each["path"] for each in answer.audit["retrieved"]})
        if asked.verdict is not None and kept.answer_id is not None:
            given_at = asked_at + timedelta(minutes=1)
            engine.give_feedback.save_feedback(kept.answer_id, FeedbackVerdict(asked.verdict), None, given_at)
        elif not answer.found:
            expected.append(Planted("unanswered-question", asked.text))
    for name in vault.gone:
        (folder / name).unlink()
    engine.index_files.index_folder(folder)
    _correct(engine, vault)
    _drift(engine)
    names = {str(folder / name): name for name in vault.files if name not in vault.gone}
    unneeded = [name for path, name in names.items() if path not in by_path and _is_read(name)]
    for name in unneeded:
        expected.append(Planted("orphan-note" if name in vault.apart else "never-retrieved", name))
    return list(dict.fromkeys(expected))


def write(vault: Vault, folder: Path) -> None:
    """Make the files, all as old as `WRITTEN`."""
    for name, content in vault.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (WRITTEN.timestamp(), WRITTEN.timestamp()))


def compared(report: HealthReport, expected: Iterable[Planted], folder: Path) -> Compared:
    """What was found of what was expected. A question is found under any of its wordings, and an answer that
    Bob could not give is no false finding wherever the rule says so."""
    subjects = {each for finding in report.findings for each in _subjects(finding, folder)}
    wanted = list(expected)
    spoken = {each.subject for each in wanted}
    grouped = _wordings(report)
    found = [
        each
        for each in wanted
        if each in subjects or Planted(each.rule, grouped.get(each.subject, "")) in subjects
    ]
    missed = [each for each in wanted if each not in found]
    false = [each for each in subjects if each not in wanted and not _another_wording(each, spoken, grouped)]
    return Compared(found, missed, false)


def _subjects(finding: Finding, folder: Path) -> Iterator[Planted]:
    def name(path: str | None) -> str:
        return str(Path(path or "").relative_to(folder)) if path else ""

    rule = finding.rule
    if rule == "broken-link":
        yield Planted(rule, f"{name(finding.paths[0])} {finding.about}")
    elif rule in ("rests-on-deleted", "rests-on-superseded"):
        yield Planted(rule, f"{name(finding.paths[0])} {name(finding.about)}")
    elif rule in ("duplicate", "near-duplicate"):
        yield Planted(rule, " ".join(sorted(name(path) for path in finding.paths)))
    elif rule in ("unanswered-question", "repeated-question", "wrong-source", "outdated-answer"):
        yield Planted(rule, finding.about)
    elif rule == "superseded-decision-cited":
        yield Planted(rule, name(finding.about))
    elif rule == "lost-correction":
        yield Planted(rule, finding.about)
    elif rule.startswith("embeddings"):
        yield Planted(rule, "")
    else:
        yield from (Planted(rule, name(each.path)) for each in finding.evidence if each.path)


def _correct(engine: Engine, vault: Vault) -> None:
    """Correct decision decisions that stand in no file any more."""
    with engine.database.write() as connection:
        for key in vault.lost_corrections:
            changes = json.dumps({"status": "rejected"})
            given = {"project": "vault", "key": key, "changes": changes, "given_at": 0.0}
            connection.insert("decision_corrections", given)


def _drift(engine: Engine) -> None:
    """Make the vectors those of another model."""
    with engine.database.write() as connection:
        connection.update("app_config", {"key": "embedder.model"}, {"value": "another-model@1"})


def _is_read(name: str) -> bool:
    return name.endswith(".md")


def _wordings(report: HealthReport) -> dict[str, str]:
    """The question under which each wording was gathered."""
    return {
        re.sub(r"^answer \d+, [\d-]+: | \(.*\)$", "", each.text): finding.about
        for finding in report.findings
        for each in finding.evidence
        if each.text.startswith("answer ")
    }


def _another_wording(each: Planted, spoken: set[str], grouped: dict[str, str]) -> bool:
    return each.rule == "unanswered-question" and any(grouped.get(one) == each.subject for one in spoken)
