"""The models that the settings name."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bob.app.settings import Settings
from bob.app.settings_groups import IngestSettings

if TYPE_CHECKING:
    from bob.core.protocols import Embedder, LanguageModel, ProviderCaches
    from bob.documents.ingest_changes import ReadOptions


def embedder(settings: Settings) -> Embedder:
    """The embedding model; it is loaded when it embeds for the first time."""
    chosen = settings.embedder
    if chosen.kind == "openai-compatible":
        from bob.models.openai_embedder import OpenAICompatibleEmbedder

        key = chosen.api_key.get_secret_value() if chosen.api_key else None
        return OpenAICompatibleEmbedder(base_url=chosen.base_url or "", model=chosen.model or "", api_key=key)
    from bob.models.networks import OnnxEmbedder

    return OnnxEmbedder(threads=chosen.threads or processors())


def language_model(settings: Settings, caches: ProviderCaches) -> LanguageModel:
    """The language model; there must be one. Raises SettingsError: it needs a key and has none."""
    from bob.llm import choose

    chosen = settings.llm
    return choose.language_model(
        chosen.provider,
        chosen.model or "",
        base_url=chosen.base_url,
        api_key=chosen.api_key,
        timeout_seconds=chosen.timeout_seconds,
        pause=time.sleep,
        now=lambda: datetime.now(UTC),
        caches=caches,
    )


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_options(ingest: IngestSettings) -> ReadOptions:
    """What a scan takes in, and how files are read."""
    from bob.documents.ingest_changes import ReadOptions

    return ReadOptions(
        hidden=ingest.hidden,
        ignore=ingest.ignore,
        workers=ingest.workers or processors(),
        timeout_seconds=ingest.timeout_seconds,
        memory_bytes=ingest.memory_mb * 1024 * 1024,
    )
