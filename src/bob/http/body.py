"""What every request says in the same way."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """The fields of a request. A field that it does not have is an error, not a slip that nobody sees."""

    model_config = ConfigDict(extra="forbid")
