"""Which beginning of a prompt a provider should still have: by its rules, and what is told if it has none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.core.caching import CachedPrefix, PromptPart, PromptRules, cached_prefix

ANTHROPIC = PromptRules("marked", minimum_tokens=512, lookback=20, ttl_seconds=300)
NEWER_OPENAI = PromptRules("marked", minimum_tokens=1024, ttl_seconds=1800)
OLDER_OPENAI = PromptRules("automatic", minimum_tokens=1024, step_tokens=128)
GEMINI = PromptRules("created", minimum_tokens=2048, ttl_seconds=300)
ALL = [ANTHROPIC, NEWER_OPENAI, OLDER_OPENAI, GEMINI]


def part(name, tokens, marked=False, text=None, system=True):
    return PromptPart(name, text or name, tokens, marked, system)


RULES, PROJECT = part("rules", 400), part("project", 5000, marked=True)
FIND, QUESTION = part("find", 700), part("question", 30, system=False)
FIRST = [RULES, PROJECT, FIND, QUESTION]
NEXT = [RULES, PROJECT, part("find", 650, text="find 2"), part("question", 20, text="q2", system=False)]


@pytest.mark.parametrize(
    ("rules", "read"), [(ANTHROPIC, 5400), (NEWER_OPENAI, 5400), (OLDER_OPENAI, 5376), (GEMINI, 5400)]
)
def test_the_project_is_read_again_and_what_follows_may_change(rules, read):
    assert cached_prefix(FIRST, NEXT, rules) == CachedPrefix(read, 0, "read", "find")


@pytest.mark.parametrize(("rules", "written"), [(ANTHROPIC, 5400), (OLDER_OPENAI, 0), (GEMINI, 5400)])
def test_the_first_prompt_is_written(rules, written):
    assert cached_prefix([], FIRST, rules) == CachedPrefix(0, written, "first", None)


@pytest.mark.parametrize(("rules", "written"), [(ANTHROPIC, 5400), (OLDER_OPENAI, 0), (GEMINI, 5400)])
def test_a_change_in_front_loses_all_and_is_named(rules, written):
    changed = [part("rules", 400, text="other"), *FIRST[1:]]
    assert cached_prefix(FIRST, changed, rules) == CachedPrefix(0, written, "changed", "rules")


def test_a_part_that_is_gone_is_named():
    assert cached_prefix(FIRST, FIRST[:2], ANTHROPIC).differs == "find"
    assert cached_prefix(FIRST, FIRST, ANTHROPIC).differs is None


@pytest.mark.parametrize(
    ("rules", "seconds", "outcome"),
    [
        (ANTHROPIC, 300, "read"),
        (ANTHROPIC, 301, "expired"),
        (NEWER_OPENAI, 1801, "expired"),
        (GEMINI, 301, "expired"),
        (OLDER_OPENAI, 10**6, "read"),
    ],
)
def test_what_is_kept_for_a_while_expires(rules, seconds, outcome):
    found = cached_prefix(FIRST, NEXT, rules, seconds)
    assert found.outcome == outcome
    assert found.read_tokens + found.write_tokens == (5376 if rules is OLDER_OPENAI else 5400)
    assert (found.read_tokens > 0) == (outcome == "read")


def test_what_is_too_short_is_not_kept():
    short = [part("project", 511, marked=True), part("question", 2000, system=False)]
    assert cached_prefix(short, short, ANTHROPIC) == CachedPrefix(0, 0, "short", None)
    assert cached_prefix(short, short, GEMINI) == CachedPrefix(0, 0, "short", None)
    little = [part("question", 1023, system=False)]
    assert cached_prefix(little, little, OLDER_OPENAI) == CachedPrefix(0, 0, "short", None)


def test_a_marked_cache_needs_a_mark():
    bare = [part("project", 5000), QUESTION]
    assert cached_prefix(bare, bare, ANTHROPIC) == CachedPrefix(0, 0, "unmarked", None)
    assert cached_prefix(bare, [part("project", 5000, marked=True)], ANTHROPIC).outcome == "unmarked"


def talk(turns, marked):
    return [PROJECT, *(part(f"turn {n}", 100, marked=n in marked, system=False) for n in range(turns))]


def test_a_growing_talk_is_found_by_looking_back_as_far_as_the_provider_does():
    earlier, later = talk(3, {2}), talk(5, {4})
    assert cached_prefix(earlier, later, ANTHROPIC) == CachedPrefix(5300, 200, "read", "turn 3")
    assert cached_prefix(earlier, later, NEWER_OPENAI) == CachedPrefix(5000, 500, "read", "turn 3")
    bare = [part("project", 5000), *later[1:]]
    assert cached_prefix([bare[0], *earlier[1:]], bare, NEWER_OPENAI).outcome == "changed"
    far = [part("project", 5000), *talk(24, {23})[1:]]
    assert cached_prefix([far[0], *earlier[1:]], far, ANTHROPIC).read_tokens == 0
    assert cached_prefix([far[0], *earlier[1:]], [*far[:-1], QUESTION], ANTHROPIC).outcome == "unmarked"


def test_gemini_keeps_the_system_prompt_alone_and_finds_the_rest_itself():
    assert cached_prefix(talk(3, {2}), talk(5, {4}), GEMINI).read_tokens == 5000
    unmarked = [part("project", 5000), QUESTION]
    assert cached_prefix(unmarked, unmarked, GEMINI) == CachedPrefix(5030, 0, "read", None)


PARTS = st.lists(
    st.builds(PromptPart, st.just("p"), st.sampled_from("abc"), st.integers(0, 3000), st.booleans()),
    max_size=6,
)


@given(PARTS, PARTS, st.sampled_from(ALL), st.integers(0, 2000))
def test_it_never_reads_more_than_what_is_the_same(earlier, parts, rules, seconds):
    # One text has one length.
    lengths = {each.digest: each.tokens for each in (*earlier, *parts)}
    earlier, parts = (
        [PromptPart(each.name, each.digest, lengths[each.digest], each.breakpoint) for each in some]
        for some in (earlier, parts)
    )
    found = cached_prefix(earlier, parts, rules, seconds)
    same = 0
    for one, other in zip(earlier, parts, strict=False):
        if one.digest != other.digest:
            break
        same += other.tokens
    assert 0 <= found.read_tokens <= same
    assert found.read_tokens + found.write_tokens <= sum(each.tokens for each in parts)
    assert (found.outcome == "read") == (found.read_tokens > 0)
    if found.read_tokens:
        assert found.read_tokens >= rules.minimum_tokens - rules.step_tokens
