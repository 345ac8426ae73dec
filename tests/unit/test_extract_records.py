"""Decision records of every family, read by the real parsers and cut by the real chunker."""

from __future__ import annotations

from small_decisions import document_of

from bob.extract.decisions import extract

NYGARD = """# 7. Keep sessions in signed cookies

Date: 2024-02-05

## Status

Accepted

## Context

Two machines answer requests, and neither knows the other's memory.

## Decision

We will keep sessions in signed cookies.

## Consequences

A session holds four kilobytes at the most.
"""


def test_nygard() -> None:
    (found,) = extract(*document_of(NYGARD, "0007-signed-cookies.md"))

    assert (found.kind, found.number, found.title) == ("record", "7", "Keep sessions in signed cookies")
    assert found.statement == "We will keep sessions in signed cookies."
    assert found.context == "Two machines answer requests, and neither knows the other's memory."
    assert found.status == "active"
    assert found.locator.text_in(NYGARD) == found.statement
