"""Typed checks of any text: a copy has no findings, and every range lies in its text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.claims.fact_checks import check
from bob.answers.claims.fact_comparison import facts_of

PIECES = st.sampled_from(
    [
        *(
            "The server does not start",
            "on 3 May 2020",
            "with 5 files",
            "and 3.5 GB",
            "in Lisbon",
            "`max_size`",
        ),
        *(
            "never",
            "without",
            "unsupported",
            '"as it is"',
            "-5 %",
            "1,200",
            "before",
            "all",
            "Git 2.30",
            "(e.g. it)",
        ),
        *(
            "It is.",
            "If so,",
            "there are no errors;",
            "twenty-one",
            "https://a.b/c",
            "**bold**",
            "--force",
            "“x y”",
        ),
    ]
)
SENTENCES = st.lists(PIECES, min_size=1, max_size=8).map(" ".join)
TEXTS = st.one_of(SENTENCES, st.text(max_size=60))


@settings(deadline=None)
@given(TEXTS)
def test_facts_are_ranges_of_the_text_in_order(text):
    facts = facts_of(text)
    assert facts == facts_of(text)
    for fact in facts:
        assert 0 <= fact.start < fact.end <= len(text)
        assert fact.value.strip()
    assert [fact.start for fact in facts] == sorted(fact.start for fact in facts)


@settings(deadline=None)
@given(SENTENCES, st.lists(TEXTS, max_size=3), SENTENCES, SENTENCES)
def test_a_copy_has_no_findings_whatever_else_is_there(claim, others, before, after):
    assert check(claim, [*others, f"{before}.\n\n{claim}\n\n{after}"]) == []
    assert check(claim.upper(), [*others, claim.replace(" ", "\n")]) == []


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_findings_point_into_the_claim_and_the_evidence(claim, evidence):
    findings = check(claim, evidence)
    assert findings == check(claim, evidence)
    for each in findings:
        start, end = each.claim_range
        assert 0 <= start < end <= len(claim)
        assert (each.evidence_index is None) == (each.evidence_range is None)
        if each.evidence_index is not None and each.evidence_range is not None:
            first, last = each.evidence_range
            assert 0 <= first < last <= len(evidence[each.evidence_index])


@settings(deadline=None)
@given(st.integers(2, 10**7), st.integers(2, 10**7))
def test_a_whole_number_is_borne_out_by_itself_alone(claimed, said):
    findings = check(f"The box has {claimed} files.", [f"The box has {said} files."])
    rounded = said >= 10_000 and abs(claimed - said) <= 0.05 * said and claimed % 10 == 0
    assert bool(findings) == (claimed != said) or rounded


@settings(deadline=None)
@given(st.integers(1, 400))
def test_units_of_time_convert(count):
    assert check(f"It takes {60 * count} minutes.", [f"It takes {count} hours."]) == []
    assert [each.kind for each in check(f"It takes {count} minutes.", [f"It takes {count} hours."])] == [
        "unit"
    ]
