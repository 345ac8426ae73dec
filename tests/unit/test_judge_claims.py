"""Verdicts on claims, with the model that comes with Bob."""

from dataclasses import replace
from pathlib import Path

import pytest
from judges import needs_networks

from bob import Bob
from bob.answers.claims import judge_claims
from bob.answers.claims.judge_claims import JudgeClaims
from bob.app.settings import Settings
from bob.core.errors import ModelError
from bob.core.locator import LineLocator
from bob.core.search import FoundChunk
from bob.models.networks import OnnxEmbedder
from bob.models.pair_models import OnnxVerifier
from bob.text.sentences import sentence_ranges

RULES = """The rainwater tank holds 5,000 litres. When the float shows less than 1,000 litres, only seedlings
and the greenhouse are watered from it.

The tank was installed on 4 May 2019 by Marta Quill. Hoses do not stay connected overnight.
"""


def chunk(text, title="Watering", chunk_id=1):
    return FoundChunk(
        chunk_id=chunk_id,
        document_id=1,
        ordinal=0,
        path="/notes/watering.md",
        title=title,
        project="",
        source_type="markdown",
        language="en",
        source_date=None,
        source_date_kind=None,
        heading_path=(),
        context="",
        locator=LineLocator(start_line=1, end_line=text.count("\n") + 1),
        text=text,
        content_hash="",
    )


def judge_with(verified, rarity=None):
    embedder = OnnxEmbedder()
    rarity = {} if rarity is None else {"rarity": rarity}
    return JudgeClaims(embedder, OnnxVerifier(embedder) if verified else None, **rarity)


@pytest.fixture(scope="module", params=[True, False], ids=["verifier", "rules"])
def judge(request):
    return judge_with(request.param)


def verdict(judge, claim, *texts):
    (found,) = judge.judge_claims(
        [(claim, [chunk(each, chunk_id=at) for at, each in enumerate(texts or (RULES,))])]
    )
    return found


HOLD = [
    "The rainwater tank holds 5,000 litres.",
    "The tank holds 5000 litres of rainwater.",
    "The tank was installed by Marta Quill in May 2019.",
    "Hoses don't stay connected overnight.",
]


@pytest.mark.parametrize("claim", HOLD)
def test_what_the_source_says_holds(judge, claim):
    found = verdict(judge, claim)
    assert found.verdict == "supported", found
    assert found.reason is None and found.against is None
    assert found.support.quote in RULES
    assert found.support.chunk.text[found.support.start : found.support.end] == found.support.quote


CUT_OUT = [
    ("Not all members have paid the water fee.", "All members have paid the water fee."),
    ("Neither Tom nor Anna may sign cheques alone.", "Anna may sign cheques alone."),
    ("It is not true that the shed was sold.", "The shed was sold."),
    ("We voted against the motion that the hedge is removed.", "The hedge is removed."),
    ("If it rains, the fair is held in the village hall.", "The fair is held in the village hall."),
    ("55 of 58 members have paid.", "58 members have paid."),
    ("The pool is open on Sundays unless the club has a race.", "The pool is open on Sundays."),
    ("Members may use the crane only if the harbour master agrees.", "Members may use the crane."),
    ("Only 3 of 21 plots have electricity.", "21 plots have electricity."),
    ("Nicht alle Mitglieder haben das Wasser bezahlt.", "Alle Mitglieder haben das Wasser bezahlt."),
    ("Falls es regnet, findet das Fest in der Halle statt.", "Findet das Fest in der Halle statt."),
    ("Nem todos os sócios pagaram a água.", "Todos os sócios pagaram a água."),
]


@pytest.mark.parametrize(("source", "claim"), CUT_OUT)
def test_a_part_of_a_sentence_does_not_hold_where_what_stands_beside_it_changes_it(judge, source, claim):
    found = verdict(judge, claim, source)
    assert not found.holds and found.reason, found
    assert verdict(judge, source, source).score == 1.0


HELD_OR_NOT = [
    (
        "The tank holds up to 500 litres.",
        "The tank holds at most 500 litres.",
        "The tank holds at least 500 litres.",
    ),
    (
        "The fee covers everything except lunch.",
        "Except for lunch the fee covers everything.",
        "The fee covers everything including lunch.",
    ),
    ("Ann sold the boat to Ben.", "Ben bought the boat from Ann.", "Ben sold the boat to Ann."),
    (
        "The pool opens at 9:00 and closes at 17:00.",
        "The pool closes at 17:00 and opens at 9:00.",
        "The pool opens at 17:00 and closes at 9:00.",
    ),
    (
        "Q2 had 40 sales and Q3 had 55.",
        "Q3 had 55 sales and Q2 had 40.",
        "Q3 had 40 sales and Q2 had 55.",
    ),
    (
        "The temperature rose to 30 degrees.",
        "The temperature has risen to 30 degrees.",
        "The temperature rose by 30 degrees.",
    ),
    ("Only members may use the sauna.", "Members may use the sauna.", "Guests may use the sauna."),
    (
        "The club has one hundred and twenty members.",
        "The club has 120 members.",
        "The club has 140 members.",
    ),
    (
        "The tour takes 1 hour and 45 minutes.",
        "The tour takes 105 minutes.",
        "The tour takes 45 minutes.",
    ),
    (
        "Der Kurs dauert anderthalb Stunden.",
        "Der Kurs dauert 90 Minuten.",
        "Der Kurs dauert 60 Minuten.",
    ),
    (
        "Turnover was £5m in 2024.",
        "Turnover was five million pounds in 2024.",
        "Turnover was £5 billion in 2024.",
    ),
    # The same denied, and with an opposite.
    (
        "Es ist nicht erlaubt, Fahrräder im Treppenhaus abzustellen.",
        "Es ist verboten, Fahrräder im Treppenhaus abzustellen.",
        "Es ist erlaubt, Fahrräder im Treppenhaus abzustellen.",
    ),
    (
        "Não é permitido estacionar bicicletas no jardim.",
        "É proibido estacionar bicicletas no jardim.",
        "É permitido estacionar bicicletas no jardim.",
    ),
    # Words in another form, with the endings of their language.
    (
        "Der Zaun darf nicht entfernt werden.",
        "Man darf den Zaun nicht entfernen.",
        "Der Zaun darf entfernt werden.",
    ),
    (
        "Os sócios podem reservar a quadra duas vezes por semana.",
        "O sócio pode reservar a quadra duas vezes por semana.",
        "O sócio não pode reservar a quadra duas vezes por semana.",
    ),
    # A number before a unit and a noun, both with capitals.
    (
        "Nach sechs Stunden gibt es 30 Minuten Pause.",
        "Es gibt nach sechs Stunden 30 Minuten Pause.",
        "Es gibt nach sechs Stunden 45 Minuten Pause.",
    ),
    # Two dates of a claim, of which a source has one each.
    (
        "The wood is due on 2 April.\n\nThe delivery of the wood was moved to 9 April.",
        "The delivery of the wood was moved from 2 April to 9 April.",
        "The delivery of the wood was moved to 12 April.",
    ),
    # A time of day, of another row, in words, in another form.
    (
        "| Train | Departure |\n|---|---|\n| Oslo to Bergen | 08:25 |\n| Flåm to Oslo | 16:40 |",
        "The train from Oslo to Bergen leaves at 8:25.",
        "The train from Oslo to Bergen leaves at 16:40.",
    ),
    ("The gate opens at half past seven.", "The gate opens at 7:30.", "The gate opens at 8:30."),
    ("Das Tor öffnet um halb acht.", "Das Tor öffnet um 7:30 Uhr.", "Das Tor öffnet um 8:30 Uhr."),
    ("A reunião começou às 21 horas.", "A reunião começou às 21h.", "A reunião começou às 20 horas."),
]


@pytest.mark.parametrize(("source", "true", "wrong"), HELD_OR_NOT)
def test_what_a_claim_has_otherwise_is_told_from_what_it_says_otherwise(judge, source, true, wrong):
    assert verdict(judge, true, source).holds, verdict(judge, true, source)
    assert verdict(judge, wrong, source).verdict == "contradicted", verdict(judge, wrong, source)


OTHER_CLAUSES = [
    (
        "Dogs are not allowed in the hall, but guide dogs may enter at any time.",
        "Guide dogs may enter at any time.",
    ),
    ("Hunde sind nicht erlaubt, aber der Hof ist für alle Gäste offen.", "Der Hof ist für alle Gäste offen."),
    ("O clube se chama Aurora e a sede fica na rua Nova.", "A sede fica na rua Nova."),
    (
        "The club provided tea and the hall was full on the first evening.",
        "The hall was full on the first evening.",
    ),
    ("Since release 4.0 the app runs offline.", "Release 4.0 runs offline."),
    (
        "The budget for repairs is £2,310, and the rent of the hall is £900.",
        "The budget for repairs is £2310.",
    ),
    (
        "Neither smoking nor cooking is permitted in the large room.",
        "Cooking is not permitted in the large room.",
    ),
    ("Die Führung dauert nicht länger als zwei Stunden.", "Die Führung dauert höchstens zwei Stunden."),
]


@pytest.mark.parametrize(("source", "claim"), OTHER_CLAUSES)
def test_what_is_denied_in_another_clause_or_bounds_a_number_denies_nothing(source, claim):
    found = verdict(judge_with(verified=True), claim, source)
    assert found.holds, found


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Membership stood at 1,240, up from 1,180.", "Membership stood at 240."),
        ("A guided tour takes no longer than two hours.", "A guided tour takes more than two hours."),
        ("The freezer is kept at -18 °C.", "The freezer is kept at 18 °C."),
    ],
)
def test_a_number_is_read_whole_with_its_sign_and_its_bound(judge, source, claim):
    assert not verdict(judge, claim, source).holds, verdict(judge, claim, source)


CHAT = """[12/03/2026, 18:02:11] Lena: Did anybody order the wood for the fence?
[14/03/2026, 09:00:00] Oskar: The delivery of the wood was moved to 9 April.
[15/03/2026, 09:00:00] Lena: Is the sauna open on Monday?
"""


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("The delivery of the wood was moved to 9 April.", True),
        ("The delivery of the wood was moved to 12 March.", False),
        ("The sauna is open on Monday.", False),
    ],
)
def test_when_a_message_was_sent_is_not_what_it_says_and_what_it_asks_neither(judge, claim, holds):
    found = judge.judge_claims([(claim, [replace(chunk(CHAT), source_type="chat")])])[0]
    assert found.holds is holds, found


WRONG = [
    ("The rainwater tank holds 9,000 litres.", "5,000"),
    ("The rainwater tank holds 5,000 gallons.", "litres"),
    ("The tank was installed on 4 June 2019 by Marta Quill.", "4 May 2019"),
    ("Hoses stay connected overnight.", "not"),
]


@pytest.mark.parametrize(("claim", "said"), WRONG)
def test_what_the_source_says_otherwise_is_contradicted_with_the_place(judge, claim, said):
    found = verdict(judge, claim)
    assert found.verdict == "contradicted", found
    assert found.reason and found.score < 0.5 and found.decided
    assert said in found.against.quote


PARKING = """Some places are excluded from the annual permit:

- the quay
- places for visitors

Each permit is valid from the third Monday of the month. Boats lie at least 200 feet from the weir. The lamp
is lit every 1m30s. Before upgrading to v3.0 of the barrier, upgrade to v2.55. The majority of the places
are free.
"""


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (
            "Each permit is valid from the second Monday of the month.",
            "the source says third, the claim second",
        ),
        ("All of the places are free.", "the source says “majority”, the claim “All”"),
        (
            "Each permit is valid from the third Monday of the month since 1998.",
            "the source does not say 1998",
        ),
        ("Before upgrading to v4.1 of the barrier, upgrade to v2.55.", "the source says 3.0, the claim 4.1"),
    ],
)
def test_a_place_in_an_order_a_year_and_a_version_are_checked(judge, claim, said):
    found = verdict(judge, claim, PARKING)
    assert not found.holds and said.casefold() in found.reason.casefold(), found


@pytest.mark.parametrize(
    "claim",
    [
        "Boats lie at least 61 metres from the weir.",
        "The lamp is lit every 90 seconds.",
        "Before upgrading to 3.0 of the barrier, upgrade to 2.55.",
    ],
)
def test_a_number_written_otherwise_is_the_same(judge, claim):
    found = verdict(judge, claim, PARKING)
    assert found.verdict == "supported", found


def test_a_row_is_the_one_that_has_the_other_facts_of_the_claim(judge):
    table = "| Barrier | Built | Support ends |\n|--|--|--|\n" + "".join(
        f"| Barrier {version} | {built} | {ends} |\n"
        for version, built, ends in [
            ("2.45", "2023-06-23", "2024-07-31"),
            ("2.53", "2024-06-16", "2025-07-31"),
        ]
    )
    found = verdict(judge, "Support for 2.45 ends on 31 July 2025.", table)
    assert not found.holds and found.reason == "the source says 2024-07-31, the claim 31 July 2025", found
    assert verdict(judge, "Support for 2.53 ends on 31 July 2025.", table).reason is None


def test_a_number_may_have_its_unit_with_another(judge):
    fees = "Adults pay 120 euros a year, children 40."
    assert verdict(judge, "Children pay 40 euros a year.", fees).against is None
    assert not verdict(judge, "Children pay 45 euros a year.", fees).holds


def test_an_item_is_judged_behind_what_opens_its_list(judge):
    assert not verdict(judge, "The annual permit covers the quay.", PARKING).holds
    assert verdict(judge, "The quay is excluded from the annual permit.", PARKING).holds


def test_a_number_that_the_source_states_of_something_else_is_no_reason(judge):
    found = verdict(judge, "Swimmers are expected to keep some 200 feet away from boathouses.", PARKING)
    assert not found.holds and "200" not in found.reason, found


def test_a_claim_in_another_language_is_judged_by_rules():
    text = "Der Zugang zum Netz soll am besten frei und ohne Passwort sein."
    found = verdict(judge_with(True), "Am besten schützt man den Zugang mit einem Passwort.", text)
    assert "entailed" not in found.signals and not found.holds


def test_words_joined_to_a_name_are_the_same_words(judge):
    text = "A convex combination, 0.6 on vectors by default (`search.vector_weight`), is used."
    found = verdict(judge, "The default vector weight is 0.9.", text)
    assert (found.verdict, found.reason) == ("contradicted", "the source says 0.6, the claim 0.9")


NOWHERE = [
    "The gate is painted green every spring.",
    "Marta Quill is the chairwoman of the town council.",
    "Potatoes are sold at the market on Sundays.",
]


@pytest.mark.parametrize("claim", NOWHERE)
def test_what_no_source_says_is_not_supported_and_the_reason_names_what_is_missing(judge, claim):
    found = verdict(judge, claim)
    assert found.verdict in ("unsupported", "partly"), found
    assert found.reason


def test_without_evidence_nothing_holds(judge):
    (found,) = judge.judge_claims([("The tank holds 5,000 litres.", [])])
    assert (found.verdict, found.score, found.support) == ("unsupported", 0.0, None)


def test_a_claim_without_a_word_is_told_apart(judge):
    assert verdict(judge, "— …").reason == "it makes no claim that can be checked"


def test_verdicts_do_not_depend_on_what_is_judged_beside_them(judge):
    claims = [*HOLD, *(claim for claim, _ in WRONG), *NOWHERE]
    together = judge.judge_claims([(claim, [chunk(RULES)]) for claim in claims])
    alone = [verdict(judge_with(judge._verifier is not None), claim) for claim in claims[:3]]
    assert [each.verdict for each in together[:3]] == [each.verdict for each in alone]
    assert [each.score for each in together[:3]] == pytest.approx([each.score for each in alone], abs=1e-3)


def test_what_another_thread_reads_meanwhile_pushes_nothing_out_that_is_in_use(monkeypatch):
    class Interrupted(OnnxEmbedder):
        def word_vectors(self, words):
            if self.meanwhile:
                self.meanwhile.pop()()
            return super().word_vectors(words)

    embedder = Interrupted()
    embedder.meanwhile = []
    judge = JudgeClaims(embedder, None)
    assert verdict(judge, HOLD[0]).verdict == "supported"
    monkeypatch.setattr(judge_claims, "_TEXTS_KEPT", 2)
    embedder.meanwhile = [lambda: verdict(judge, "The hedge is cut in May.", "The hedge is cut in May.")]
    assert verdict(judge, HOLD[2]).verdict == "supported"


def test_a_judgement_says_all_as_json(judge):
    found = verdict(judge, "The rainwater tank holds 9,000 litres.").to_json()
    assert found["verdict"] == "contradicted" and found["reason"]
    assert found["against"]["path"] == "/notes/watering.md"
    start, end = found["against"]["quote_range"]
    assert RULES[start:end] == found["against"]["quote"]
    assert set(found["signals"]) >= {"words", "meaning", "cosine"}


def test_the_index_is_asked_once_for_all_words_of_a_run():
    asked = []

    def rarity():
        asked.append(1)
        return lambda word: 0.5

    judge_with(True, rarity).judge_claims([(claim, [chunk(RULES)]) for claim in HOLD])
    assert len(asked) == 1


@needs_networks
def test_what_the_verifier_says_counts_among_the_signals_and_without_it_rules_judge():
    said = {"entailed", "entailed_by_one", "denied", "denied_by_one"}
    assert said <= set(verdict(judge_with(True), HOLD[1]).signals)
    assert not said & set(verdict(judge_with(False), HOLD[1]).signals)


def test_the_verifier_reads_the_best_text_with_what_stands_around_it_and_above_it():
    class Reading:
        model_id = "reading"

        def judge_pairs(self, pairs):
            self.pairs = pairs
            return [(0.5, 0.1)] * len(pairs)

    said = "Opened at nine.\n\nThe pump was repaired in two days.\n\nThe hose is new.\n"
    verifier = Reading()
    JudgeClaims(OnnxEmbedder(), verifier).judge_claims([("The pump needed two days.", [chunk(said)])])
    assert {claim for claim, _ in verifier.pairs} == {"The pump needed two days."}
    read = [evidence for _, evidence in verifier.pairs]
    assert "The pump was repaired in two days." in read
    assert "Watering: Opened at nine. The pump was repaired in two days. The hose is new." in read


def test_a_verifier_that_cannot_be_loaded_leaves_the_rules(caplog):
    class Broken:
        model_id = "broken"

        def judge_pairs(self, pairs):
            raise ModelError("broken")

    found = verdict(JudgeClaims(OnnxEmbedder(), Broken()), HOLD[0])
    assert found.verdict == "supported" and "entailed" not in found.signals
    assert "judged by rules alone" in caplog.text


def test_the_day_above_a_report_is_that_of_its_sentences(judge):
    text = "\n\n".join(["12 March 2019", *(f"The walk {n} led along the canal." for n in range(20))])
    said = f"{text}\n\nThe board accepted the plan for a new bridge.\n"
    assert verdict(judge, "The board accepted the plan for a new bridge in March 2019.", said).holds
    assert not verdict(judge, "The board accepted the plan for a new bridge in May 2018.", said).holds


DOCS = Path(__file__).parents[2] / "docs"
OTHERS = 260
"""Notes beside the sources: enough for words to be weighed by the memory itself."""

ELSEWHERE = [
    "Guests register at the desk. Guests may bring towels and use the lockers.",
    "The pump was sold to the neighbours, and the shed was painted.",
    "All members have a key of the gate. Members who have paid get a badge.",
    "The hall is booked on Sundays, and the pool is cleaned on Mondays.",
    "The tank of the neighbours holds 900 litres, the barrel at least 60 litres.",
    "The gate closes at 20:00. Das Tor schließt um 20 Uhr.",
]
"""What shares words with the sources and says nothing of what they say."""


def sentences_of_docs():
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md")))
    for start, end in sentence_ranges(text):
        sentence = " ".join(text[start:end].split())
        if 40 < len(sentence) < 160 and sentence[0].isupper():
            yield sentence


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """The sources among many others, as in a memory that is used: there words are weighed by how rare they
    are, and what stands elsewhere about the same comes beside the source."""
    home = tmp_path_factory.mktemp("memory")
    (home / "notes").mkdir()
    sources = dict.fromkeys(source for source, *_ in (*CUT_OUT, *HELD_OR_NOT, *OTHER_CLAUSES))
    others = [sentence for sentence, _ in zip(sentences_of_docs(), range(OTHERS), strict=False)]
    for number, text in enumerate((*sources, *ELSEWHERE, *others)):
        (home / "notes" / f"{number:03}.md").write_text(f"{text}\n", encoding="utf-8")
    settings = Settings.model_validate({"database": str(home / "bob.db")})
    with Bob(settings=settings) as bob:
        bob.index(home / "notes")
        yield bob


def verdict_in(memory, claim):
    (found,) = memory.verify(claim).claims
    return found.judgement


@needs_networks
@pytest.mark.parametrize(("source", "claim"), CUT_OUT)
def test_among_many_sources_a_part_of_a_sentence_does_not_hold(memory, source, claim):
    assert not verdict_in(memory, claim).holds, verdict_in(memory, claim)
    assert verdict_in(memory, source).holds


@needs_networks
@pytest.mark.parametrize(("source", "true", "wrong"), HELD_OR_NOT)
def test_among_many_sources_what_a_claim_has_otherwise_does_not_hold(memory, source, true, wrong):
    assert verdict_in(memory, true).holds, verdict_in(memory, true)
    assert not verdict_in(memory, wrong).holds, verdict_in(memory, wrong)


@needs_networks
@pytest.mark.parametrize(("source", "claim"), OTHER_CLAUSES)
def test_among_many_sources_what_is_denied_in_another_clause_denies_nothing(memory, source, claim):
    assert verdict_in(memory, claim).holds, verdict_in(memory, claim)
