"""Types as they are annotated."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin


def inner_kind(kind: Any) -> tuple[Any, bool]:
    """The type without `None` and `list`, and whether it was a list."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)
