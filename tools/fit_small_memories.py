"""Fits the gate over little: questions of `bench/data/reading` asked of memories of one to four passages.

    python bench/judgement.py build FOLDER --set reading
    python tools/fit_small_memories.py FOLDER WORK

Of each corpus for fitting that FOLDER has some questions are drawn by lot, and what was found for them is cut
into small memories: one with a gold passage and up to three others, one with others alone, which are near it,
and that of another question, which has something else. Prints how many of each are answered, with the weights
of `bob.answers.gate` and with fitted ones, to be put there by hand. WORK keeps the indexes.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from asked_questions import AskedQuestion, ask_questions, given_paths, judgement
from logistic import logistic

from bob import Bob
from bob.answers import gate
from bob.answers.candidates import judged_best_first
from bob.answers.gate import Evidence
from bob.core.search import Filters, FoundChunk

QUESTIONS, MOST_OTHERS, NEAREST = 28, 3, 6
"""Questions of a corpus, other passages of a memory, and of how many they are drawn: the best ones."""
SHARE_ANSWERED = 0.17
"""So many of the questions to what is only near may be answered."""
KINDS = ("with the answer", "with what is near", "with something else")


@dataclass(frozen=True, slots=True)
class Small:
    """A question with the memory that it is asked of, what kind that is of, and the quotes that are gold."""

    question: str
    memory: str
    kind: str
    gold: tuple[str, ...] = ()


def small_memories(asked: Sequence[AskedQuestion], folder: Path) -> Iterator[Small]:
    """Write the memories of questions below a folder."""
    rng = random.Random(1)
    for number, each in enumerate(asked):
        chunks = {candidate.chunk.chunk_id: candidate.chunk for candidate in each.candidates}
        gold = {
            one.chunk.chunk_id for one, is_gold in zip(each.candidates, each.gold, strict=True) if is_gold
        }
        others = [chunk for chunk_id, chunk in chunks.items() if chunk_id not in gold][:NEAREST]
        if not others:
            continue
        first, count = chunks[min(gold)], min(rng.randint(0, MOST_OTHERS), len(others))
        quotes = tuple(
            one.quote
            for one, is_gold in zip(each.candidates, each.gold, strict=True)
            if is_gold and one.chunk is first
        )
        yield _small(folder, each, f"{number}y", KINDS[0], [first, *rng.sample(others, count)], quotes)
        yield _small(folder, each, f"{number}n", KINDS[1], rng.sample(others, max(count, 1)), ())


def _small(
    folder: Path, each: AskedQuestion, name: str, kind: str, chunks: list[FoundChunk], gold: tuple[str, ...]
) -> Small:
    (folder / name).mkdir(parents=True)
    for number, chunk in enumerate(chunks):
        headings = dict.fromkeys((chunk.title, *chunk.heading_path[-1:]))
        text = "\n\n".join(["#" * level + f" {heading}" for level, heading in enumerate(headings, 1)])
        (folder / name / f"{number}.md").write_text(f"{text}\n\n{chunk.text}\n", encoding="utf-8")
    return Small(each.question, name, kind, gold)


def evidences(small: Sequence[Small], folder: Path, database: Path) -> list[tuple[Small, Evidence, bool]]:
    """What is found in each memory, and whether one of the best three is gold."""
    found = []
    with Bob(database) as bob:
        for memory in sorted(folder.iterdir()):
            bob.index(memory)
        for each in small:
            filters = Filters(projects=(each.memory,))
            scored = bob._engine.ask._find(each.question, (), filters, date.today()).scored
            best = judged_best_first(scored.candidates)[:3]
            is_gold = any(quote in one.quote or one.quote in quote for one in best for quote in each.gold)
            if scored.evidence.answered is not None and scored.evidence.chunk_lead is None:
                found.append((each, scored.evidence, is_gold))
    return found


def report(found: Sequence[tuple[Small, Evidence, bool]]) -> None:
    """Print how many of each kind are answered."""
    names = tuple(gate._READ_WEIGHTS)
    design = np.array([[getattr(evidence, name) or 0.0 for name in names] for _, evidence, _ in found])
    kinds = np.array([each.kind for each, _, _ in found])
    gold = np.array([is_gold for _, _, is_gold in found])
    halved = np.where((kinds == KINDS[0]) & ~gold, 0.5, 1.0)
    slopes, bias = logistic(design, gold, halved, 0.1)
    fitted = design @ slopes + bias
    above = float(np.quantile(fitted[kinds == KINDS[1]], 1 - SHARE_ANSWERED))
    shipped = design @ np.array(list(gate._READ_WEIGHTS.values())) + gate._READ_BIAS
    for title, scores in (("as shipped", shipped), ("fitted", fitted - above)):
        counts = (f"{(scores[kinds == kind] > 0).sum()} of {(kinds == kind).sum()} {kind}" for kind in KINDS)
        print(f"{title}: answered {', '.join(counts)}")
    for name, slope in zip((*names, "bias"), (*slopes, bias - above), strict=True):
        print(f"  {name}: {slope:.2f}")


def main() -> None:
    """Ask, cut, ask again and print."""
    folder, work = given_paths(__doc__, "folder", "work")
    rng = random.Random(1)
    asked = []
    for corpus in judgement.corpora("reading"):
        if (folder / corpus).is_dir():
            usable = [each for each in ask_questions(folder, corpus, work, "fit") if any(each.gold)]
            asked += rng.sample(usable, min(QUESTIONS, len(usable)))
    memories, database = work / "small", work / "small.db"
    shutil.rmtree(memories, ignore_errors=True)
    database.unlink(missing_ok=True)
    small = list(small_memories(asked, memories))
    with_answer = [each for each in small if each.kind == KINDS[0]]
    half = len(with_answer) // 2
    other = zip(with_answer, with_answer[half:] + with_answer[:half], strict=True)
    small += [Small(each.question, of_other.memory, KINDS[2]) for each, of_other in other]
    report(evidences(small, memories, database))


if __name__ == "__main__":
    main()
