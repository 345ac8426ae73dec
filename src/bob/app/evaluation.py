"""Golden sets, benchmarks and personas over an engine's parts."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.app.parts import Parts
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

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @cached_property
    def benchmark_claims(self) -> BenchmarkClaims:
        """Measures verdicts on sets of labelled claims."""
        from bob.evaluation.benchmark_claims import BenchmarkClaims

        return BenchmarkClaims(self._parts.shipped_model, self._parts.verifier)

    @cached_property
    def benchmark_seeded(self) -> BenchmarkSeeded:
        """Measures verdicts on errors put into true sentences."""
        from bob.answers.claims.judge_claims import JudgeClaims
        from bob.evaluation.benchmark_seeded import BenchmarkSeeded

        return BenchmarkSeeded(
            self._parts.parse_file, JudgeClaims(self._parts.shipped_model, self._parts.verifier)
        )

    @cached_property
    def benchmark_recall(self) -> BenchmarkRecall:
        """Measures how past messages are found, on public sets of conversations."""
        from bob.conversations.recall_memories import Recall
        from bob.evaluation.benchmark_recall import BenchmarkRecall
        from bob.search.message_features import FeatureBuilder

        model = self._parts.shipped_model
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
        parts = self._parts
        values = parts.settings.without_secrets()
        llm = {} if parts.llm is None else {"llm": parts.llm.name}
        return Evaluate(
            parts.search,
            parts.ask,
            parts.database,
            {"embedder": parts.embedder.model_id} | llm,
            {key: value for key, value in values.items() if not key.startswith(elsewhere)},
        )

    @cached_property
    def suggest_golden(self) -> SuggestGolden:
        """Drafts questions for golden sets."""
        from bob.evaluation.suggest import SuggestGolden

        return SuggestGolden(self._parts.database)

    def beir(self, folder: Path) -> BenchmarkBeir:
        """A BEIR set in a database of its own, kept in the user's cache folder for the next run."""
        return Evaluation(self._parts_for(folder)).beir_here(folder)

    def beir_here(self, folder: Path) -> BenchmarkBeir:
        """A BEIR set in the database of these parts, which must hold nothing else."""
        from bob.evaluation.benchmark_beir import BenchmarkBeir
        from bob.search.chunker import StructureChunker

        parts = self._parts
        chunk = parts.settings.chunk
        return BenchmarkBeir(
            folder,
            parts.database,
            parts.index,
            parts.embed_pending,
            parts.embedder.model_id,
            StructureChunker(chunk.min_tokens, chunk.max_tokens),
            parts.search,
        )

    def duplicates(self, folder: Path) -> BenchmarkDuplicates:
        """A BEIR set of a tracker's items as work items, in the same database as `beir`."""
        from bob.evaluation.benchmark_duplicates import BenchmarkDuplicates
        from bob.work.local_memory import LocalMemory
        from bob.work.semantic_memory import Hippocampus

        own = self._parts_for(folder)
        hippocampus = Hippocampus(own.database, own.shipped_model)
        floor = self._parts.settings.work.relevance_floor
        org_id = self._parts.settings.organization
        memories = [LocalMemory(lambda _: hippocampus, each) for each in (floor, 0.0)]
        return BenchmarkDuplicates(folder, org_id, hippocampus, *memories)

    def _parts_for(self, folder: Path) -> Parts:
        from bob.app.parts import Parts

        place = str(folder.absolute()).encode()
        name = f"{folder.name}-{hashlib.sha256(place).hexdigest()[:8]}"
        settings = self._parts.settings.model_copy(
            update={"database": str(_cache_folder() / name / "bob.db")}
        )
        return Parts(settings, self._parts.disclosure)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bob" / "benchmarks"


def personas_over(parts: Parts) -> Personas:
    """Interviews, questions for them, and reports."""
    from bob.personas.choice import PassageOptions
    from bob.personas.find import Personas
    from bob.personas.service import WritingOptions

    persona, llm = parts.settings.persona, parts.settings.llm
    passages = PassageOptions(persona.limit, persona.threshold, persona.corpus_tokens)
    writing = WritingOptions(llm.max_tokens, llm.temperature)
    return Personas(persona.folder, persona.part_tokens, parts.embedder, passages, lambda: parts.llm, writing)
