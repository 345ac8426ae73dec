"""What an answer is made of: what a question wants, which units are chosen, and whether they suffice."""

from dataclasses import replace
from datetime import date

import pytest

from bob.answers.answer import Source, date_confidence
from bob.answers.candidates import Candidate
from bob.answers.choose_candidates import chosen, with_rest_of_lists
from bob.answers.gate import Evidence, support
from bob.answers.question import Question
from bob.answers.quote_candidates import quoted
from bob.answers.units.unit import MOST_CHARACTERS, cut, units_of
from bob.core.document import SourceDateKind
from bob.core.locator import LineLocator
from bob.core.search import FoundChunk


def chunk(
    text: str, chunk_id: int = 1, dated: date | None = None, kind: SourceDateKind | None = None
) -> FoundChunk:
    return FoundChunk(
        chunk_id, chunk_id, 0, f"/notes/{chunk_id}.md", "Notes", "p", "markdown", "en", dated, kind, (), "",
        LineLocator(start_line=1, end_line=text.count("\n") + 1), text, str(chunk_id),
    )  # fmt: skip


def candidates(text: str, scores: dict[str, float], chunk_id: int = 1, order: int = 0) -> list[Candidate]:
    """All units of a text; one gets the score of the first key that it contains, else it was not embedded."""
    found = chunk(text, chunk_id)
    return [
        Candidate(
            found, unit, order, place,
            next((score for part, score in scores.items() if part in text[unit.start : unit.end]), None),
            0.0, 0.0, 0.0,
        )
        for place, unit in enumerate(units_of(text))
    ]  # fmt: skip


def texts(kept: list[Candidate]) -> list[str]:
    return [each.text for each in kept]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is a bare repository?", "definition"),
        ("O que é um módulo?", "definition"),
        ("How many jobs run at once?", "number"),
        ("When was it added?", "time"),
        ("¿Cuándo cierra la tienda?", "time"),
        ("Combien de bateaux y a-t-il ?", "number"),
        ("What is the maximum size?", "number"),
        ("Who wrote this?", "person"),
        ("Why do we use it?", "reason"),
        ("Por que usamos isso?", "reason"),
        ("How do I undo a commit?", "way"),
        ("Where do modules live?", "place"),
        ("In which town is the office?", "place"),
        ("In what room does the board meet?", "place"),
        ("Aus welchem Grund fiel die Regatta aus?", "reason"),
        ("Was the plan for the weir accepted?", "outcome"),
        ("Did the board turn down the offer?", "outcome"),
        ("Wurde der Antrag abgelehnt?", "outcome"),
        ("A proposta foi aprovada?", ""),
        ("Foi aprovada a proposta?", "outcome"),
        ("Do you accept cheques?", "whether"),
        ("Were we told about it?", "whether"),
        ("Darf man rauchen?", "whether"),
        ("Was spricht dafür?", ""),
        ("Wie heißt der Vorstand?", ""),
        ("Which podcasts did I like?", "list"),
        ("Which class is used?", ""),
        ("rotating file handler", ""),
    ],
)
def test_a_question_wants_something(question: str, kind: str) -> None:
    assert Question(question).kind == kind


@pytest.mark.parametrize(
    ("question", "fits", "does_not"),
    [
        ("What is a decorator?", "A decorator is a function.", "This decorator is new."),
        ("What is a bare repository?", "bare repository: one without files.", "Clone a bare repository."),
        ("What does takatalvi mean?", "takatalvi, n. A cold snap after spring.", "A takatalvi came in May."),
        ("What is glare?", "Glare. Light that makes it hard to see.", "It has no glare. Light is dim."),
        ("What is a standup?", "- Standup (a short meeting every morning)", "Standup (short)"),
        ("How many clusters are there?", "There are three clusters.", "There are clusters."),
        ("When was it added?", "versionadded 3.7:", "It was added to the list."),
        ("Why so?", "We did it to avoid cost.", "It is so."),
        ("Why so?", "We did it to prevent a flood.", "It is so."),
        ("Warum?", "Der Grund ist das Wetter.", "Das Wetter ist schlecht."),
        ("Warum?", "In der Begründung steht das Wetter.", "Das Wetter ist schlecht."),
        ("Por que foi adiada?", "O motivo foi a chuva.", "Foi adiada."),
        ("Was Plan 12 accepted?", "The board accepted Plan 12.", "The board discussed Plan 12."),
        ("Was Plan 12 accepted?", "Plan 12 was turned down.", "Plan 12 was read; Plan 13 was accepted."),
        (
            "Wurde Plan 12 angenommen?",
            "Der Rat lehnte ab: Plan 12 wird abgelehnt.",
            "Plan 12 wurde verlesen.",
        ),
        ("Who runs it?", "It is run by the platform team.", "it is run daily"),
        ("Who replaced Captain Reed?", "The mate Olga Lind took over.", "Captain Reed, of the ferry"),
        ("Who is Olga Lind?", "She is Olga Lind of the ferry.", "the ferry"),
        ("Where is the race held?", "It is held on the lake.", "It is held in summer."),
        ("Where is the race held?", "In May it is held at Lund.", "It is held on Sunday or within 3 days."),
        ("Where is the race held?", "It is held in Mayfield Lane.", "It is held in the next year."),
        ("What is a mooring?", "(4) Moorings are places for boats.", "(4) Moorings cost money."),
        ("Was ist eine Schleuse?", "2. Schleusen sind Bauwerke.", "2. Schleusen kosten Geld."),
        ("O que é um local de embarque?", "Locais de embarque são os cais.", "Locais de embarque abrem."),
        ("What is a term?", "Terms are words.", "Terms end."),
        ("What is a mooring?", "Name: Mooring; Use: a place", "Use: Mooring"),
    ],
)
def test_texts_have_what_is_wanted_or_not(question: str, fits: str, does_not: str) -> None:
    assert Question(question).fits(fits) == 1.0
    assert Question(question).fits(does_not) == 0.0


@pytest.mark.parametrize(
    ("question", "subject", "definition"),
    [
        ("What does WEIR stand for?", "WEIR", "WEIR (Water Entry and Intake Regulation) is a list of rules."),
        ("What is the Wherry?", "Wherry", "The **Wherry** is a boat with one sail."),
        ("Was ist eine Schleuse?", "Schleuse", "Eine Schleuse ist ein Bauwerk."),
    ],
)
def test_a_question_asks_the_definition_of_something(question: str, subject: str, definition: str) -> None:
    assert Question(question).subject == subject
    assert Question(question).defines(definition)


def test_a_name_with_an_ampersand_is_one_and_a_symbol_of_a_unit_is_none():
    assert Question("How many companies are in the S&P 500?").names == ("S&P",)
    assert Question("How many MB may a photo of Ada have?").names == ("Ada",)
    assert Question("What does plan B say?").names == ("B",)
    assert not Question("What does the API return?").missing_in("api_url = x")


def test_words_for_now_are_no_part_of_what_is_asked():
    for text, now in (
        ("Who holds the record at the moment?", "at the moment"),
        ("Wer hält zurzeit den Rekord?", "zurzeit"),
        ("Quem tem o recorde no momento?", "no momento"),
        ("What is the moment of inertia?", ""),
    ):
        question = Question(text)
        assert question.now == now
        assert question.speaks_of_time == bool(now)


def test_a_unit_of_another_language_is_a_name_in_english():
    assert Question("How wide is the Harbour Tag?").names == ("Harbour", "Tag")
    assert Question("Wie viele Gäste sind am Tag erlaubt?").names == ("Gäste",)


@pytest.mark.parametrize(
    ("question", "there", "missing"),
    [
        ("Wann endet die Laufzeit des Bootsfonds?", "Die Laufzeiten im Bootsfond sind kurz.", ()),
        ("Was regelt die Bootshaus-Ordnung?", "Ordnung für das Bootshaus", ()),
        ("Was regelt die Bootshaus-Ordnung?", "Ordnung für den Garten", ("Bootshaus-Ordnung",)),
        ("Who plans the BoatCamp?", "The boat camp is planned by us.", ()),
        ("Who plans the BoatCamp?", "The boat is at the camp.", ("BoatCamp",)),
        ("Who is Ada Rogers?", "Ada Roger", ("Rogers",)),
        ("Was kosten die Personen?", "Eine Person zahlt.", ()),
        ("Was kosten die Personen?", "Das Personal zahlt.", ("Personen",)),
    ],
)
def test_a_name_may_be_written_otherwise(question, there, missing):
    assert Question(question).missing_in(there) == missing


def test_a_question_of_key_words_wants_nothing_in_particular() -> None:
    assert Question("backup keys").fits("anything") == 0.5


def test_the_best_unit_is_enough_when_the_others_are_far_behind() -> None:
    found = candidates("The key is rotated monthly.\n\nThe sky is blue today.", {"key": 0.9, "sky": 0.2})
    assert texts(chosen(found, 5)) == ["The key is rotated monthly."]


@pytest.mark.parametrize(
    ("goes_on", "kinds"),
    [
        ("A code that opens it is sent.", ("", "way", "reason", "definition")),
        ("Ask for a letter beforehand.", ("way", "reason", "definition")),
    ],
)
def test_the_best_brings_what_goes_on_from_it_unless_one_fact_is_wanted(
    goes_on: str, kinds: tuple[str, ...]
) -> None:
    """Where one sentence often tells all, only what speaks of the same."""
    best = "Apply with the form for codes."
    found = candidates(f"{best} {goes_on} Cats sleep.", {"Apply": 0.9, goes_on: 0.6, "Cats": -0.9})
    for kind in ("", "way", "reason", "definition", "number", "person"):
        assert texts(chosen(found, 5, kind)) == [best, goes_on][: 1 + (kind in kinds)], kind
    assert texts(chosen(found, 1, "way")) == [best]


def test_the_best_sentence_brings_what_goes_on_from_it_behind_a_row_that_is_better() -> None:
    table = "| Boat | Code |\n|---|---|\n| Heron | sent by the harbour |"
    best, goes_on = "Apply with the form for codes.", "A code that opens it is sent."
    found = candidates(f"{table}\n\n{best} {goes_on}", {"Heron": 1.0, "Apply": 0.9, goes_on: 0.6})
    assert texts(chosen(found, 5)) == ["Boat: Heron; Code: sent by the harbour", best, goes_on]


def test_what_goes_on_is_told_as_long_as_both_are_no_longer_than_a_fact_may_be() -> None:
    for words, told in ((50, 2), (60, 1)):
        found = candidates(f"The key is in the safe. That is {'very ' * words}old.", {"key": 0.9, "old": 0.5})
        assert len(chosen(found, 5, "way")) == told


def test_what_has_fewer_of_the_names_asked_for_is_not_told_beside_the_best() -> None:
    """ "When was PEP 20 created?" is not answered with the day of PEP 20 and that of another."""
    good = {"coverage": 1.0, "context": 1.0, "fit": 1.0, "heading": 1.0, "found": 1.0}
    (own,) = candidates("It was created on 19 August.", {"created": 0.9}, chunk_id=1)
    (other,) = candidates("The start of it: 20 September, in the morning.", {"start": 0.9}, chunk_id=2)
    own, other = replace(own, **good), replace(other, **good)
    assert texts(chosen([own, other], 5)) == [own.text, other.text]
    assert texts(chosen([own, replace(other, names=0.5)], 5)) == [own.text]
    assert texts(chosen([own, replace(other, numbers=0.5)], 5)) == [own.text]
    assert texts(chosen([own, replace(other, dated=False)], 5)) == [own.text]


def test_a_sentence_that_refers_back_brings_the_one_before() -> None:
    found = candidates("Backups go to the vault. It is emptied every May.", {"emptied": 0.9})
    assert texts(chosen(found, 5)) == ["Backups go to the vault.", "It is emptied every May."]
    assert texts(chosen(found, 1)) == ["It is emptied every May."]


def test_a_sentence_that_refers_back_is_not_told_without_the_one_before() -> None:
    good = {"coverage": 1.0, "context": 1.0, "heading": 1.0, "found": 1.0}
    (own,) = candidates("The safe is closed in June.", {"safe": 0.9}, chunk_id=1)
    own = replace(own, **good)
    before, back = candidates("Backups go to a vault. It is emptied every May.", {"emptied": 0.9}, chunk_id=2)
    backups = [before, replace(back, **good)]
    assert texts(chosen([own, *backups], 3)) == [own.text, *texts(backups)]
    assert texts(chosen([own, *backups], 2)) == [own.text]


def test_a_sentence_with_a_colon_brings_its_list_within_the_limit() -> None:
    found = candidates(
        "The files are read in this order:\n\n"
        "- the common file first\n- the file of the stack\n- all the rest of it",
        {"order": 0.9},
    )
    assert texts(chosen(found, 3)) == [
        "The files are read in this order:",
        "the common file first",
        "the file of the stack",
    ]


@pytest.mark.parametrize(
    "opener",
    ["Run these commands:", "**Run these commands:**", "It runs in these cases", "It needs the `tide`"],
)
def test_what_opens_a_list_brings_it_in_bold_and_without_a_colon(opener: str) -> None:
    kept = chosen(candidates(f"{opener}\n\n1. the first one\n2. the second one", {opener[2:-2]: 1.0}), 5)
    assert [each.unit.kind for each in kept] == ["prose", "item", "item"]


def test_what_leads_on_to_a_paragraph_brings_it_unless_it_has_the_date_itself() -> None:
    found = candidates(
        "The club house is at:\n\nMole 4 by the harbour in Tidemouth\n\nIt is heated.", {"club": 0.9}
    )
    assert texts(chosen(found, 5, "place")) == ["The club house is at:", "Mole 4 by the harbour in Tidemouth"]
    found = candidates(
        "On 3 May the mayor of the town said:\n\nThe harbour is open to all of us.", {"mayor": 0.9}
    )
    dated = [replace(each, fit=1.0) for each in found]
    assert len(chosen(dated, 5, "time")) == 1 and len(chosen(found, 5)) == 2


def test_a_line_in_brackets_or_with_a_stop_opens_no_list() -> None:
    for line in ("Ten points, a strong bite (d10)", "It has ended."):
        kept = chosen(candidates(f"{line}\n\n- the first one\n- the second one", {line[2:-2]: 1.0}), 5)
        assert [each.text for each in kept] == [line]


def test_rows_with_the_names_of_their_columns_bring_no_head() -> None:
    table = "These boats can be rented:\n\n| Boat | Price |\n|---|---|\n| Heron | 9 |\n| Gull | 7 |"
    kept = chosen(candidates(table, {"These boats": 1.0}), 5)
    assert texts(kept)[1:] == ["Boat: Heron; Price: 9", "Boat: Gull; Price: 7"]


def test_an_item_brings_the_sentence_that_opens_its_list() -> None:
    found = candidates(
        "We had these clusters:\n\n- the small one\n- the large router cluster", {"router": 0.9}
    )
    assert texts(chosen(found, 5)) == ["We had these clusters:", "the large router cluster"]


def test_a_list_brings_the_sentence_that_what_opens_it_refers_back_to() -> None:
    text = (
        "Most boats are let by the day. Some are let by the week. This applies to:\n\n"
        "- the Heron of the north quay\n- the Gull of the south quay"
    )
    found = candidates(text, {"Heron": 0.9})
    brought = ["Some are let by the week.", "This applies to:", "the Heron of the north quay"]
    assert texts(chosen(found, 5)) == brought
    assert texts(chosen(found, 2)) == brought[1:]


def whole(text: str) -> list[Candidate]:
    """The units of a text and its whole lists, none of them judged yet."""
    found = chunk(text)
    ((units, lists),) = cut([(text, "")])
    return [
        Candidate(found, unit, 0, sum(other.start < unit.start for other in units), None, 0.0, 0.0, 0.0)
        for unit in (*units, *lists)
    ]


def test_an_item_that_opens_a_list_brings_all_of_it_and_nothing_else() -> None:
    text = (
        "* Choose a date.\n* Review it. The role must contain:\n    * Goals\n    * Time\n* Announce it soon."
    )
    opener = "The role must contain:"
    found = [replace(each, cosine=0.9 if each.text == opener else 0.0) for each in whole(text)]
    assert texts(chosen(found, 5)) == [opener, "Goals", "Time"]


@pytest.mark.parametrize(("score", "told"), [(0.8, 1), (0.9, 2)])
def test_of_another_document_is_told_what_answers_nearly_as_well(score: float, told: int) -> None:
    best, further = "The gate opens at nine.", "Guests pay at the desk."
    found = candidates(best, {"gate": 1.0})
    elsewhere = candidates(further, {"desk": 1.0}, chunk_id=2)
    share = score * found[0].score / elsewhere[0].score
    elsewhere = [replace(each, cosine=each.cosine * share) for each in elsewhere]
    assert texts(chosen([*found, *elsewhere], 5)) == [best, further][:told]


def test_an_item_that_opens_a_list_opens_none_for_its_sibling() -> None:
    text = "1. The chair is responsible for:\n   - the agenda of it\n2. The chair wears the white hat."
    sibling = "The chair wears the white hat."
    found = [replace(each, cosine=0.9 if each.text == sibling else 0.0) for each in whole(text)]
    assert texts(chosen(found, 5)) == [sibling]


@pytest.mark.parametrize(("of_the_item", "of_the_list", "told"), [(0.9, 0.95, 3), (0.95, 0.8, 2)])
def test_who_is_told_by_the_whole_list_unless_one_item_is_better(
    of_the_item: float, of_the_list: float, told: int
) -> None:
    opener, ada, grace = "The council of this year consists of:", "Ada Love Lace", "Grace Brewster Hopper"
    cosines = {ada: of_the_item, f"{ada}; {grace}": of_the_list}
    found = [
        replace(each, cosine=cosines.get(each.text)) for each in whole(f"{opener}\n\n* {ada}\n* {grace}")
    ]
    assert texts(chosen(found, 5, "person")) == [opener, ada, grace][:told]


def test_a_long_list_is_not_told_for_the_one_item_that_answers() -> None:
    answering = "The ferry leaves at nine in the morning."
    others = [f"Of the many boats of the harbour number {n} is not for guests at all." for n in range(6)]
    listed = whole("\n".join(f"* {each}" for each in (answering, *others)))
    found = [
        replace(each, cosine=0.0, margin=9.0 if each.text == answering else 8.0, found=0.9)
        if each.text == answering or each.unit.items
        else each
        for each in listed
    ]
    assert texts(chosen(found, 9)) == [answering]
    assert len(chosen(found, 9, "way")) == 1 + len(others)
    beside = [
        replace(each, cosine=0.0, margin=8.5, found=0.9) if each.text == others[0] else each for each in found
    ]
    assert len(chosen(beside, 9)) == 1 + len(others)


@pytest.mark.parametrize(("of_list", "told"), [(2.0, 1), (7.5, 3)])
def test_no_list_is_told_beside_what_a_reader_is_far_surer_of(of_list: float, told: int) -> None:
    """ "What is the key made of?": a list of other things has its words, too."""
    fact = "The key of the boathouse is made of brass."
    listed = "The key opens the boathouse; The key hangs on a nail"
    text = f"{fact}\n\n* {listed.replace('; ', chr(10) + '* ')}"
    margins = {fact: 9.0, listed: of_list}
    found = [
        replace(each, cosine=0.5, margin=margins[each.text], margin_in_context=margins[each.text], found=1.0)
        if each.text in margins
        else each
        for each in whole(text)
    ]
    found = [replace(each, fit=1.0, coverage=1.0) if each.unit.items else each for each in found]
    assert len(chosen(found, 5)) == told
    assert len(chosen(found, 5, "list")) == 3


@pytest.mark.parametrize(("of_second", "first"), [(9.0, "Gulls"), (4.0, "Herons")])
def test_what_a_reader_is_far_surer_of_is_told_first(of_second: float, first: str) -> None:
    found = [
        replace(each, cosine=0.9, margin=margin, margin_in_context=margin, found=1 - 0.8 * number)
        for number, (text, margin) in enumerate(
            [("Herons nest by the old pier.", 3.0), ("Gulls nest on the roof.", of_second)]
        )
        for each in candidates(text, {}, chunk_id=number)
    ]
    assert chosen(found, 5)[0].text.startswith(first)


def test_a_list_too_long_to_tell_is_not_cut_where_one_sentence_in_it_answers() -> None:
    answering = "Let the gas out of the jar once a day."
    steps = [f"Step {n} has salt. It has cabbage, {'and more of it, ' * 12}as written." for n in range(6)]
    listed = whole("\n".join(f"* {step}" for step in (*steps, f"Close it well. {answering}")))
    assert max(each.characters_told for each in listed) > MOST_CHARACTERS

    def told(of_answering: float) -> list[str]:
        read = [(each, of_answering if each.text == answering else 4.0 if each.unit.items else 0.0)
                for each in listed]  # fmt: skip
        return texts(chosen([replace(e, cosine=0.5, margin=m, margin_in_context=m) for e, m in read], 5))

    assert answering in told(9.0) and answering not in told(3.0)


def test_a_sentence_that_was_not_read_goes_on_from_the_best_where_it_refers_back() -> None:
    fact, reason = "Guests pay twice the fee.", "This pays for the repairs of the pontoon."
    found = candidates(f"{fact} {reason} The pontoon is blue.", {fact: 0.9})
    assert texts(chosen(found, 5, "reason")) == [fact, reason]
    found = candidates(f"{fact} The repairs of the pontoon cost money.", {fact: 0.9})
    assert texts(chosen(found, 5, "reason")) == [fact]


def test_what_goes_on_ends_before_a_sentence_that_leads_on() -> None:
    fact, opener = "Guests pay twice the fee.", "The fee is written like this:"
    text = f"{fact} It is a fee for a day. {opener}\n\n```\nfee = 2 * 4\n```"
    found = candidates(text, {fact: 0.9, "for a day": 0.5, opener: 0.5})
    assert texts(chosen(found, 5)) == [fact, "It is a fee for a day."]


@pytest.mark.parametrize("opener", ["This is how it is done.", "You will need …", "You will need ..."])
def test_the_list_below_a_full_stop_or_an_open_end_is_told_whole(opener: str) -> None:
    steps = [f"do the step of number {number}" for number in range(8)]
    text = opener + "\n\n" + "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    found = [replace(each, cosine=0.9 if each.text == opener else None) for each in whole(text)]
    assert texts(chosen(found, 5, "way"))[-8:] == steps


def test_a_row_has_the_names_of_its_columns() -> None:
    found = candidates("| Place | Range |\n|---|---|\n| Test | 10.1 |\n| Live | 10.3 |", {"Live": 0.9})
    assert texts(chosen(found, 5)) == ["Place: Live; Range: 10.3"]


def test_a_way_is_told_by_the_list_that_follows_soon() -> None:
    text = (
        "The process has few steps. A draft of it is:\n\n"
        " 1. Clone all the repositories\n 2. Build the first machine"
    )
    found = candidates(text, {"process": 0.9})
    assert len(chosen(found, 5)) == 1
    assert texts(chosen(found, 5, "way"))[1:] == [
        "A draft of it is:",
        "Clone all the repositories",
        "Build the first machine",
    ]


def test_who_says_several_sentences_is_told_once() -> None:
    first = "Ines: The lift has been out of order for three weeks."
    found = candidates(f"{first} I am against a new one.\n\nSean: We need it.", {first: 0.9})
    _, claims, _ = quoted([found[:2]])
    assert [claim.text for claim in claims] == [first, "I am against a new one."]
    _, claims, _ = quoted([found[1:2]])
    assert [claim.text for claim in claims] == ["Ines: I am against a new one."]


def test_the_same_said_twice_is_said_once() -> None:
    one = candidates("Keys are rotated every month.", {"Keys": 0.9}, 1)
    two = candidates("The keys are rotated in every month.", {"keys": 0.9}, 2, order=1)
    assert len(chosen([*one, *two], 5)) == 1
    more = candidates("Keys are rotated and burnt every month.", {"Keys": 0.9}, 3, order=1)
    assert len(chosen([*one, *more], 5)) == 2
    less = candidates("Keys are not rotated every month.", {"Keys": 0.9}, 4, order=1)
    assert len(chosen([*one, *less], 5)) == 2


def test_an_item_that_a_reader_is_surer_of_is_told_without_its_list() -> None:
    """ "Where is the key?" over a short note: the list is read as better by the rules alone."""
    key, tap = "The spare key hangs behind the boiler.", "The gas tap is under the sink."
    margins = {key: 11.9, tap: 5.1, f"{key}; {tap}": 9.6}
    found = [
        replace(each, cosine=0.5, margin=margins[each.text], margin_in_context=9.5, found=1.0, fit=0.5)
        for each in whole(f"* {key}\n* {tap}")
    ]
    assert texts(chosen(found, 5, "place")) == [key]
    assert texts(chosen(found, 5)) == [key, tap]


@pytest.mark.parametrize(("of_eva", "told"), [(21.0, 3), (19.0, 3), (12.0, 1)])
def test_a_list_is_told_whole_where_most_of_its_items_answer_alike(of_eva: float, told: int) -> None:
    """ "Who was there?" is answered by all who were, of each of whom a reader is surer than of all."""
    ada, ben, eva = "Ada Love Lace (chair)", "Ben Nevis Low (guest)", "Eva Luna Park (guest)"
    margins = {ada: 21.5, ben: 20.0 if told == 3 else 11.0, eva: of_eva, f"{ada}; {ben}; {eva}": 19.4}
    found = [
        replace(each, cosine=0.5, margin=margins[each.text], margin_in_context=17.0, found=1.0, fit=1.0)
        for each in whole(f"* {ada}\n* {ben}\n* {eva}")
    ]
    assert texts(chosen(found, 5, "person")) == [ada, ben, eva][:told]
    named = [replace(each, context=float(ada in each.text)) for each in found]
    assert texts(chosen(named, 5, "person")) == [ada]


def test_whole_lists_fit_what_is_wanted_as_their_items_do() -> None:
    (listed,) = (each for each in whole("* Olaf\n* Varun\n* Anton") if each.unit.items)
    assert Question("Who is in the team?").fits(listed.unit.line) == 1.0


def test_a_term_stands_before_what_it_names() -> None:
    text = "--patch::\n\nShow the change as a patch."
    term, unit = units_of(text)
    each = Candidate(chunk(text), unit, 0, 1, 0.9, 0.0, 0.0, 0.0, term=term)
    assert each.text == "--patch: Show the change as a patch."
    assert each.start == term.start


def test_more_evidence_is_never_less_support() -> None:
    names = Evidence().to_json()
    for name in names:
        assert support(Evidence(**{name: 1.0})) >= support(Evidence())
    assert support(Evidence(*[1.0] * len(names))) > 0.9
    assert support(Evidence()) < 0.1


def test_dates_are_as_sure_as_the_sources_say() -> None:
    def source(dated: date | None, kind: SourceDateKind | None, n: int) -> Source:
        each = chunk("text", n, dated, kind)
        return Source(n, each, each.locator, "text", (0, 4))

    today = date(2025, 6, 1)
    assert not Question("Who keeps the keys?").speaks_of_time
    own = source(date(2025, 1, 1), "front_matter", 1)
    changed = source(date(2025, 5, 1), "mtime", 2)
    assert date_confidence([own], today, 730, speaks_of_time=False).level == "high"
    assert date_confidence([own, changed], today, 730, speaks_of_time=False).level == "medium"
    assert date_confidence([changed], today, 730, speaks_of_time=False).level == "low"
    assert date_confidence([source(None, None, 3)], today, 730, speaks_of_time=False).newest is None
    assert date_confidence([own], today, 30, speaks_of_time=False).outdated
    assert date_confidence([own], today, 30, speaks_of_time=False).matters
    assert not date_confidence([own], today, 730, speaks_of_time=False).matters
    for asked in ("When are the keys changed?", "Who keeps the keys now?", "Wer hatte 2019 die Schlüssel?"):
        speaks_of_time = Question(asked).speaks_of_time
        assert date_confidence([own], today, 730, speaks_of_time=speaks_of_time).matters


def test_a_reason_may_be_the_list_below_a_sentence_with_its_stop() -> None:
    text = "The quay is preferred over the beach.\n\n- It keeps the boats dry\n- It saves the club money"
    assert len(chosen(candidates(text, {"The quay": 0.9}), 5, "reason")) == 3
    assert len(chosen(candidates(text, {"The quay": 0.9}), 5, "place")) == 1


AGENDA = (
    "* New pump\n  * Ada: it costs 300 euros\n* Fence of the meadow\n"
    "  * Tom: the wood comes in June\n  * Eva: it is to be two metres high\n* Any other business"
)


def answer(kept: list[Candidate]) -> str:
    (paragraphs,), _, _ = quoted([kept])
    return "\n\n".join(paragraphs)


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        (
            {"New pump: Ada": 0.95, "Fence of the meadow: Tom": 0.9},
            "- Fence of the meadow [1]\n  - Tom: the wood comes in June [1]\n"
            "  - Eva: it is to be two metres high [1]",
        ),
        (
            {"New pump; Fence": 0.9, "New pump: Ada": 0.7},
            "- New pump [1]\n- Fence of the meadow [2]\n- Any other business [3]",
        ),
        (
            {"New pump: Ada: it costs 300 euros; Fence": 0.9},
            "- New pump [1]\n  - Ada: it costs 300 euros [1]\n- Fence of the meadow [1]\n"
            "  - Tom: the wood comes in June [1]\n  - Eva: it is to be two metres high [1]\n"
            "- Any other business [1]",
        ),
    ],
)
def test_of_a_nested_list_is_told_what_answers_with_its_items_indented(
    scores: dict[str, float], told: str
) -> None:
    """The item with what stands under it, what stands under no other, or all of it."""
    found = [
        replace(
            each,
            cosine=next((score for start, score in scores.items() if each.text.startswith(start)), 0.0),
            coverage=float("Fence" in each.text),
            context=float("Fence" in each.text),
        )
        for each in whole(AGENDA)
    ]
    kept = chosen(found, 9)
    assert answer(kept) == told
    _, claims, _ = quoted([kept])
    indents = [(len(line) - len(line.lstrip())) // 2 for line in told.splitlines()]
    assert [claim.depth for claim in claims] == indents


def test_the_outer_items_of_a_list_may_be_told_however_much_stands_under_them() -> None:
    under = "".join(f"  - {'very ' * 50}old number {number}\n" for number in range(4))
    found = whole(f"- Pump\n{under}- Fence\n{under}")
    found = [replace(each, cosine=0.9 if each.text == "Pump; Fence" else None) for each in found]
    assert answer(chosen(found, 9)) == "- Pump [1]\n- Fence [2]"


def test_a_list_is_told_with_its_other_items_where_one_of_them_answers_as_well() -> None:
    text = "* The pump is new\n  * Ada paid for it\n* The fence is to be new soon"
    scores = {"The pump is new: Ada paid for it;": 0.9, "The pump": 0.85, "The fence": 0.85}
    found = [
        replace(
            each,
            cosine=next((score for start, score in scores.items() if each.text.startswith(start)), None),
            coverage=1.0,
        )
        for each in whole(text)
    ]
    assert answer(chosen(found, 9)).count("- ") == 3
    found = [replace(each, cosine=0.0) if each.text.startswith("The fence") else each for each in found]
    assert answer(chosen(found, 9)).count("- ") == 2


def test_what_an_item_and_those_under_it_have_together_is_told_by_all_of_them() -> None:
    """ "How long do we have for repairs of large leaks and of small ones?" """
    found = [
        replace(
            each,
            cosine=0.5,
            margin=20.0 + (each.text == "Repair: Large: in 3 days"),
            margin_in_context=20.0,
            found=1.0,
            fit=1.0,
            context=1.0 if each.unit.is_branch else 0.5,
        )
        for each in whole("* Repair:\n  * Large: in 3 days\n  * Small: in 40 days\n  * Drops: in 90 days")
    ]
    assert answer(chosen(found, 9, "number")).count("- ") == 4
    alone = [replace(each, context=1.0, margin=each.margin - 9 * each.unit.is_branch) for each in found]
    alone = [replace(each, margin=9.0) if "Large" not in each.text else each for each in alone]
    assert texts(chosen(alone, 9, "number")) == ["Repair: Large: in 3 days"]


def test_two_items_of_a_list_with_what_stands_under_them_are_told_where_both_have_the_words() -> None:
    found = [
        replace(each, cosine=0.9 if each.unit.is_branch else 0.0, coverage=0.5) for each in whole(AGENDA)
    ]
    assert answer(chosen(found, 9)).count("\n- ") == 1
    pump = [replace(each, coverage=0.4) if "300" in each.text else each for each in found]
    assert answer(chosen(pump, 9)).startswith("- Fence of the meadow")


def test_an_item_of_an_item_that_is_told_alone_is_not_indented() -> None:
    text = "- Travel is booked\n- Web site\n  - Ana redesigns the start page\n  - Ben writes the news"
    travel, ana, ben = units_of(text)[0], *units_of(text)[-2:]
    found = [Candidate(chunk(text), unit, 0, 0, 0.9, 0.0, 0.0, 0.0) for unit in (travel, ana, ben)]
    assert answer(found) == (
        "- Travel is booked [1]\n- Web site: Ana redesigns the start page [2]\n- Ben writes the news [2]"
    )


def test_prose_begins_a_new_paragraph_behind_a_list_and_an_item_has_all_of_its_sentences() -> None:
    listed = "- The gate is red. It squeaks a bit.\n- The fence is green."
    text = f"These are new:\n\n{listed}\n\nNobody likes the gate."
    assert answer(candidates(text, {})) == (
        "These are new: [1]\n- The gate is red. [1] It squeaks a bit. [1]\n- The fence is green. [1]\n\n"
        "Nobody likes the gate. [1]"
    )


def test_a_branch_that_the_end_of_a_chunk_cuts_off_goes_on_with_what_stands_under_it() -> None:
    [*_, branch] = whole("* The board is new\n* Fence\n  * The wood comes in June")
    following = chunk("  * It is to be two metres high\n* Any other business", 2)
    told = with_rest_of_lists([*chosen([replace(branch, cosine=0.9)], 9)], lambda _: following)
    assert texts(told) == ["Fence", "The wood comes in June", "It is to be two metres high"]
