"""Personas over an engine's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine
    from bob.services.personas import Personas


def personas_over(engine: Engine) -> Personas:
    """Interviews, questions for them, and reports."""
    from bob.services.find_passages import PassageOptions
    from bob.services.persona import WritingOptions
    from bob.services.personas import Personas

    persona, llm = engine.settings.persona, engine.settings.llm
    passages = PassageOptions(persona.limit, persona.threshold, persona.corpus_tokens)
    writing = WritingOptions(llm.max_tokens, llm.temperature)
    return Personas(
        persona.folder, persona.part_tokens, engine.embedder, passages, lambda: engine.llm, writing
    )
