"""Golden sets, benchmarks and personas over an engine's parts."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.app.engine import Engine
    from bob.evaluation.benchmark_beir import BenchmarkBeir
    from bob.evaluation.benchmark_claims import BenchmarkClaims
    from bob.evaluation.benchmark_duplicates import BenchmarkDuplicates
    from bob.evaluation.benchmark_recall import BenchmarkRecall
    from bob.evaluation.benchmark_seeded import BenchmarkSeeded
    from bob.evaluation.evaluate import Evaluate
    from bob.evaluation.suggest import SuggestGolden
    from bob.personas.find import Personas


class Evaluation:
    """The services of `bob eval`, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @cached_property
    def benchmark_claims(self) -> BenchmarkClaims:
        """Measures verdicts on sets of labelled claims."""
        from bob.evaluation.benchmark_claims import BenchmarkClaims

        return BenchmarkClaims(self._engine.shipped_model)

    @cached_property
    def benchmark_seeded(self) -> BenchmarkSeeded:
        """Measures verdicts on errors put into true sentences."""
        from bob.answers.judge_claims import JudgeClaims
        from bob.evaluation.benchmark_seeded import BenchmarkSeeded

        return BenchmarkSeeded(self._engine.parse_file, JudgeClaims(self._engine.shipped_model))

    @cached_property
    def benchmark_recall(self) -> BenchmarkRecall:
        """Measures how past messages are found, on public sets of conversations."""
        from bob.conversations.recall_memories import FeatureBuilder, Recall
        from bob.evaluation.benchmark_recall import BenchmarkRecall

        model = self._engine.shipped_model
        return BenchmarkRecall(FeatureBuilder(model), Recall(model), _cache_folder())

    @cached_property
    def evaluate(self) -> Evaluate:
        """Evaluates search and answers on golden sets."""
        from bob.evaluation.evaluate import Evaluate

        # These change no answer: where things are kept, and the limits of reading files.
        elsewhere = (
            *("database", "cache", "organization", "user", "auth.", "server."),
            *("ingest.", "context.", "persona.", "work.", "hippocampus."),
        )
        engine = self._engine
        values = engine.settings.without_secrets()
        llm = {} if engine.llm is None else {"llm": engine.llm.name}
        return Evaluate(
            engine.search,
            engine.ask,
            engine.database,
            {"embedder": engine.embedder.model_id} | llm,
            {key: value for key, value in values.items() if not key.startswith(elsewhere)},
        )

    @cached_property
    def suggest_golden(self) -> SuggestGolden:
        """Drafts questions for golden sets."""
        from bob.evaluation.suggest import SuggestGolden

        return SuggestGolden(self._engine.database)

    def beir(self, folder: Path) -> BenchmarkBeir:
        """A BEIR set in a database of its own, kept in the user's cache folder for the next run."""
        return self._engine_for(folder).evaluation.beir_here(folder)

    def beir_here(self, folder: Path) -> BenchmarkBeir:
        """A BEIR set in this engine's database, which must hold nothing else."""
        from bob.evaluation.benchmark_beir import BenchmarkBeir
        from bob.search.chunker import StructureChunker

        engine = self._engine
        chunk = engine.settings.chunk
        return BenchmarkBeir(
            folder,
            engine.database,
            engine.index,
            engine.embed_pending,
            engine.embedder.model_id,
            StructureChunker(chunk.min_tokens, chunk.max_tokens),
            engine.search,
        )

    def duplicates(self, folder: Path) -> BenchmarkDuplicates:
        """A BEIR set of a tracker's items as work items, in the same database as `beir`."""
        from bob.evaluation.benchmark_duplicates import BenchmarkDuplicates
        from bob.work.local_memory import LocalMemory

        team = self._engine_for(folder).team
        floor = self._engine.settings.work.relevance_floor
        org_id = self._engine.settings.organization
        memories = [LocalMemory(lambda _: team.hippocampus, each) for each in (floor, 0.0)]
        return BenchmarkDuplicates(folder, org_id, team.hippocampus, *memories)

    def _engine_for(self, folder: Path) -> Engine:
        place = str(folder.absolute()).encode()
        name = f"{folder.name}-{hashlib.sha256(place).hexdigest()[:8]}"
        settings = self._engine.settings.model_copy(
            update={"database": str(_cache_folder() / name / "bob.db")}
        )
        return type(self._engine)(settings, self._engine.disclosure)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bob" / "benchmarks"


def personas_over(engine: Engine) -> Personas:
    """Interviews, questions for them, and reports."""
    from bob.personas.choice import PassageOptions
    from bob.personas.find import Personas
    from bob.personas.service import WritingOptions

    persona, llm = engine.settings.persona, engine.settings.llm
    passages = PassageOptions(persona.limit, persona.threshold, persona.corpus_tokens)
    writing = WritingOptions(llm.max_tokens, llm.temperature)
    return Personas(
        persona.folder, persona.part_tokens, engine.embedder, passages, lambda: engine.llm, writing
    )
