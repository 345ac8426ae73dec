"""The composition root: where settings become services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bob.app.engine import Engine
    from bob.app.models import processors

__all__ = ["Engine", "processors"]


def __getattr__(name: str) -> Any:
    # Whoever needs the settings alone does not wait for the engine.
    if name == "Engine":
        from bob.app.engine import Engine

        return Engine
    if name == "processors":
        from bob.app.models import processors

        return processors
    raise AttributeError(f"module 'bob.app' has no attribute {name!r}")
