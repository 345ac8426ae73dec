"""Two words of a claim in each other's place: found where what stands around them tells."""

import pytest

from bob.answers.claims.evidence import reading
from bob.answers.claims.exchanged_words import exchanges
from bob.answers.claims.fact_checks import check


def exchanged(claim: str, *evidence: str) -> set[str]:
    """The words that stand in each other's place."""
    found = exchanges(reading(claim), [reading(text) for text in evidence])
    said = (finding.reason.removesuffix(" stand in each other's place in the source") for finding in found)
    return {word for reason in said for word in reason.split(" and ")}


@pytest.mark.parametrize(
    ("claim", "evidence", "words"),
    [
        (
            "Its Alertmanager nodes are independent, while the Prometheus nodes form a cluster.",
            "Prometheus nodes are independent while Alertmanager nodes form a cluster.",
            {"Alertmanager", "Prometheus"},
        ),
        (
            "Der Anteil der Projekte mit Hardware ist von 70 auf 7 Prozent gefallen.",
            "Die Anzahl der Projekte mit Hardware ist von 7% im Jahr 2013 auf 70% im Jahr 2015 gestiegen.",
            {"70", "7"},
        ),
        (
            "In the general elections of May, Congress defeated the BJP.",
            "The BJP defeated Congress in the general elections of May, winning most of the seats.",
            {"Congress", "BJP"},
        ),
        (
            "The boat has a fine stern, but the bow is rather clumsy.",
            "The boat has a fine bow, but the stern is rather clumsy.",
            {"stern", "bow"},
        ),
        (
            "The line runs from the north to the south of the country.",
            "There are plans for a line that runs from the south to the north of the country.",
            {"north", "south"},
        ),
        (
            "Mary Ann Poe lent the saw to Tom Gray in May.",
            "Tom Gray lent the saw to Mary Ann Poe in May, when the shed was built.",
            {"Mary Ann Poe", "Tom Gray"},
        ),
    ],
)
def test_words_in_each_others_place(claim: str, evidence: str, words: set[str]) -> None:
    assert exchanged(claim, evidence) == words
    assert not exchanged(evidence, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ben was asked by Ann about the report.", "Ann asked Ben about the report."),
        ("A table near a wall stands in the hall.", "A wall near a table stands in the hall."),
        ("Ten plus two is twelve in every language.", "Two plus ten equals twelve in any language."),
        (
            "In June the pump and the fence were paid by the club.",
            "The fence and the pump were paid by the club in June.",
        ),
        ("Laura has it, declared Sophie.", "Sophie, looking at me, declared that Laura has it."),
        ("The younger of the two, Tom, lent the saw to Ann.", "Tom, the younger, lent Ann the saw."),
        ("The club bought the boat in 2019 for 300 euros.", "For 300 euros the boat was bought in 2019."),
    ],
)
def test_what_is_said_in_another_order(claim: str, evidence: str) -> None:
    assert not exchanged(claim, evidence)


def test_another_sentence_may_bear_the_claim_out() -> None:
    claim = "In 2019 Ann lent the saw to Ben."
    other = "In 2018 Ben lent the saw to Ann."
    assert exchanged(claim, other) == {"Ann", "Ben"}
    assert not exchanged(claim, other, "It is known that Ann lent the saw to Ben that year.")


def test_the_finding_names_both_and_the_place() -> None:
    claim = "The boat has a fine stern, but the bow is rather clumsy."
    source = "It is new. The boat has a fine bow, but the stern is rather clumsy."
    (finding,) = check(claim, [source])
    assert (finding.kind, finding.outcome) == ("exchange", "contradicted")
    assert finding.reason == "stern and bow stand in each other's place in the source"
    assert source[slice(*finding.evidence_range)].startswith("The boat has a fine bow")
