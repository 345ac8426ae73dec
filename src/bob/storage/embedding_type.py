"""The column type of a vector: half precision, little-endian bytes to Bob; in PostgreSQL a `halfvec`.

pgvector sends a halfvec as its dimension and two bytes unused, then the numbers, big-endian; so the two forms
hold the same numbers, and nothing is lost on the way (its `halfvec_send`).
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from sqlalchemy import Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

_HEADER = struct.Struct(">HH")


class HalfVec(UserDefinedType[bytes]):
    """pgvector's type as SQLAlchemy names it; the driver turns bytes into it and back."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """As it stands in CREATE TABLE; the dimension is the model's, so it is not fixed here."""
        return "halfvec"


class Embedding(TypeDecorator[bytes]):
    """A vector in half precision, as bytes."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Bytes where there is no vector type."""
        return dialect.type_descriptor(HalfVec() if dialect.name == "postgresql" else LargeBinary())

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> Any:
        """Marks the bytes as a vector for PostgreSQL's driver."""
        return HalfVector(value) if value is not None and dialect.name == "postgresql" else value


class HalfVector(bytes):
    """Bytes that are a vector: what the driver sends as a halfvec."""

    __slots__ = ()


def to_wire(packed: bytes) -> bytes:
    """The vector as PostgreSQL reads it."""
    numbers = np.frombuffer(packed, "<f2")
    return _HEADER.pack(len(numbers), 0) + numbers.astype(">f2").tobytes()


def from_wire(sent: bytes) -> bytes:
    """The inverse of `to_wire`."""
    return np.frombuffer(sent, ">f2", offset=_HEADER.size).astype("<f2").tobytes()
