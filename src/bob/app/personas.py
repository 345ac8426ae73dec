"""Personas over an engine's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.app.engine import Engine
    from bob.personas.find import Personas


def personas_over(engine: Engine) -> Personas:
    """Interviews, questions for them, and reports."""
    from bob.personas.find import Personas
    from bob.personas.find_passages import PassageOptions
    from bob.personas.service import WritingOptions

    persona, llm = engine.settings.persona, engine.settings.llm
    passages = PassageOptions(persona.limit, persona.threshold, persona.corpus_tokens)
    writing = WritingOptions(llm.max_tokens, llm.temperature)
    return Personas(
        persona.folder, persona.part_tokens, engine.embedder, passages, lambda: engine.llm, writing
    )
