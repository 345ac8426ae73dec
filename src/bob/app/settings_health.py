"""The settings of health: from when on something is worth telling (SPEC M1)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from bob.app.settings_groups import Group


class StaleSettings(Group):
    """After how many days a document wants to be read again, by its type; empty: never."""

    markdown: int | None = Field(730, ge=1, description="Notes. Those of a day, as meetings, never age.")
    plain: int | None = Field(730, ge=1, description="Plain text.")
    restructured: int | None = Field(730, ge=1, description="reStructuredText.")
    html: int | None = Field(1095, ge=1, description="Web pages.")
    word: int | None = Field(1095, ge=1, description="Word documents.")
    powerpoint: int | None = Field(1095, ge=1, description="Presentations.")
    pdf: int | None = Field(1825, ge=1, description="PDFs.")
    other: int | None = Field(None, ge=1, description="All else: mail, books, recipes, tables, code.")

    def of(self, source_type: str) -> int | None:
        """The days for a source type, None for never."""
        days: Any = getattr(self, source_type) if source_type in type(self).model_fields else self.other
        return None if days is None else int(days)


class HealthSettings(Group):
    """What the health of your memory is judged by."""

    minimum_answers: int = Field(
        50, ge=1, description="With fewer answers nothing is said of documents that none needed."
    )
    unsorted_projects: tuple[str, ...] = Field(
        ("root", "inbox", "unsorted", "misc", "downloads", "desktop", "tmp"),
        description="Projects that are none: their documents wait for one.",
    )
    stale_days: StaleSettings = StaleSettings()
