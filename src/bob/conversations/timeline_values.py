"""What was said when, and the memories that come of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bob.core.conversation import Assessment


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was said at a moment, in seconds since 1970: in the message `number`, or as `told`
    directly, where `number` is the memory's. `memory_id` is the memory that has it, None for a new one."""

    moment: float
    told: bool
    number: int
    memory_id: int | None
    chat_id: int | None
    assessment: Assessment

    @property
    def summary(self) -> str:
        """Its words."""
        return self.assessment.summary

    @property
    def order(self) -> tuple[float, bool, int]:
        """Where it stands in time. Of one moment, messages go by their numbers, and what was told directly
        comes after them."""
        return self.moment, self.told, self.number


@dataclass(slots=True)
class Entry:
    """A memory as it should be: the statements that say it, the first of which gave it its words, and the
    entry that ended it."""

    statements: list[Statement]
    ended_by: Entry | None = field(default=None, repr=False)

    @property
    def first(self) -> Statement:
        """The statement that said it first."""
        return self.statements[0]
