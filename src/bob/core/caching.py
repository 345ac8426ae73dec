"""Which beginning of a prompt a provider has kept from an earlier one, by that provider's rules.

Nothing here asks anybody: it computes, before a cent is spent, what should be read from a cache, what is
written to it, and which part is to blame when nothing is. Providers promise less: they may forget sooner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Literal

Breakpoints = Literal["marked", "created", "automatic"]
"""How a provider learns what to keep: marks in the request, a call of its own for the system prompt (Gemini's
cached content), or not at all, since it finds equal beginnings by itself."""

Outcome = Literal["read", "first", "changed", "expired", "unmarked", "short"]
"""Why so much is read: something is; there was no earlier prompt; the kept beginning has changed; it was too
long ago; no breakpoint is where the earlier prompt had one; or what is marked is shorter than the minimum."""


@dataclass(frozen=True, slots=True)
class KnownCache:
    """Content that a provider keeps for us under a name, until a moment with a time zone."""

    name: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PromptRules:
    """How one provider caches the prompts for one model.

    `minimum_tokens`: nothing shorter is kept. `step_tokens`: an automatic cache keeps whole steps of this
    length. `lookback`: how many parts before a mark an earlier mark is still found. `ttl_seconds`: how long
    after its last use a marked beginning is kept; of automatic caches no provider says it.
    """

    breakpoints: Breakpoints
    minimum_tokens: int
    step_tokens: int = 1
    lookback: int = 0
    ttl_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A segment or message: its name for people, a digest of its text, its length, and whether a breakpoint
    lies after it. `system` is false for messages."""

    name: str
    digest: str
    tokens: int
    breakpoint: bool = False
    system: bool = True


@dataclass(frozen=True, slots=True)
class CachedPrefix:
    """What a prompt should read from the cache and write to it, in tokens.

    `differs` names the first part that is not as in the earlier prompt, a new one included; it is None when
    all are the same or there was no earlier prompt.
    """

    read_tokens: int
    write_tokens: int
    outcome: Outcome
    differs: str | None


def cached_prefix(
    earlier: Sequence[PromptPart], parts: Sequence[PromptPart], rules: PromptRules, idle_seconds: float = 0
) -> CachedPrefix:
    """What `parts` finds of `earlier`, which was sent `idle_seconds` ago (empty: nothing was).

    >>> rules = PromptRules("marked", minimum_tokens=500)
    >>> rule, notes = PromptPart("rules", "a1", 300), PromptPart("notes", "b1", 900, breakpoint=True)
    >>> question = PromptPart("question", "c1", 20, system=False)
    >>> cached_prefix([rule, notes, question], [rule, notes], rules)
    CachedPrefix(read_tokens=1200, write_tokens=0, outcome='read', differs='question')
    >>> cached_prefix([PromptPart("rules", "a0", 290), notes], [rule, notes], rules)
    CachedPrefix(read_tokens=0, write_tokens=1200, outcome='changed', differs='rules')
    """
    shared = _shared(earlier, parts)
    rest = (parts[shared:] or earlier[shared:]) if earlier else ()
    differs = rest[0].name if rest else None
    if rules.breakpoints == "automatic" or (rules.breakpoints == "created" and not _marks(parts, rules)):
        read, outcome = _automatic(shared, parts, rules)
        written = 0
    else:
        read, written, outcome = _marked(shared, earlier, parts, rules)
        if read and rules.ttl_seconds is not None and idle_seconds > rules.ttl_seconds:
            read, written, outcome = 0, read + written, "expired"
    if outcome == "changed" and not earlier:
        outcome = "first"
    return CachedPrefix(read, written, outcome, differs)


def _shared(earlier: Sequence[PromptPart], parts: Sequence[PromptPart]) -> int:
    """How many parts at the beginning have the same text."""
    same = [a.digest == b.digest for a, b in zip(earlier, parts, strict=False)]
    return same.index(False) if False in same else len(same)


def _automatic(shared: int, parts: Sequence[PromptPart], rules: PromptRules) -> tuple[int, Outcome]:
    same = sum(part.tokens for part in parts[:shared])
    if same and same >= rules.minimum_tokens:
        return same - same % rules.step_tokens, "read"
    return 0, "changed" if sum(part.tokens for part in parts) >= rules.minimum_tokens else "short"


def _marked(
    shared: int, earlier: Sequence[PromptPart], parts: Sequence[PromptPart], rules: PromptRules
) -> tuple[int, int, Outcome]:
    """Tokens read, tokens written, and why."""
    marks = _marks(parts, rules)
    ends = list(accumulate(part.tokens for part in parts))
    long_enough = [at for at in marks if ends[at] >= rules.minimum_tokens]
    if not long_enough:
        return 0, 0, "short" if marks else "unmarked"
    kept = [
        at
        for at in _marks(earlier, rules)
        if at < shared
        and ends[at] >= rules.minimum_tokens
        and any(0 <= mark - at <= rules.lookback for mark in long_enough)
    ]
    read = ends[kept[-1]] if kept else 0
    outcome: Outcome = "read" if kept else "unmarked" if long_enough[0] < shared else "changed"
    return read, ends[long_enough[-1]] - read, outcome


def _marks(parts: Sequence[PromptPart], rules: PromptRules) -> list[int]:
    """Where the provider is told of a breakpoint. Content that is created is the system prompt up to its last
    one, and nothing else."""
    if rules.breakpoints == "created":
        return [at for at, part in enumerate(parts) if part.breakpoint and part.system][-1:]
    return [at for at, part in enumerate(parts) if part.breakpoint]
