"""Facts that people keep as fields: properties of a note, settings, data, and lines of "name: value"."""

import json
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import needs_networks
from small_memory import engine_over, write_files

from bob.answers.units.stated_fields import fields_of_data, fields_of_front_matter
from bob.answers.units.unit import cut

NOTES = {
    "Boiler.md": (
        "---\ntags: [house]\nlayout: note\nmodel: Vaillant ecoTEC plus\nserial_number: 21-1834-0020\n"
        "warranty_until: 2029-11-05\nservice:\n  company: Heiztechnik Braun\n  interval: 12 months\n---\n"
        "The boiler stands in the cellar.\n"
    ),
    "Pancakes.md": (
        "---\ntitle: Pancakes\nservings: 4\ncook_time: 20 min\ndraft: false\n---\nMix flour, milk and eggs.\n"
    ),
    "Flat.md": "# Flat in Porto\n\nRent: 900 €\nDeposit: 1800 €\n\nBins: Tuesday\n",
    "services.yaml": 'web:\n  port: 8080\ndatabase:\n  version: "15"\n  backup: nightly at 02:30\n',
    "trip.json": json.dumps({"trip": "Lisbon", "flight": {"number": "TP571", "departure": "07:35"}}),
    "hours.html": (
        "<h1>Library</h1><table><tr><th>Day</th><th>Hours</th></tr><tr><td>Monday</td><td>closed</td></tr>"
        "<tr><td>Tuesday</td><td>10:00-18:00</td></tr></table><p>Frau Otto</p><p>Address: Lindenstr. 4</p>"
    ),
}


def said(field):
    return ": ".join(filter(None, (field.under, field.line)))


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("fields") / "notes", NOTES)


@pytest.fixture(scope="module")
def over_notes(notes):
    engine = engine_over(notes.parent / "bob.db")
    engine.index_files.index_folder(notes)
    yield engine
    engine.close()


@needs_networks
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which model is our boiler?", "model: Vaillant ecoTEC plus"),
        ("What is the serial number of the boiler?", "serial number: 21-1834-0020"),
        ("Until when is the boiler under warranty?", "warranty until: 2029-11-05"),
        ("Who services the boiler?", "service: company: Heiztechnik Braun"),
        ("How long do pancakes take to cook?", "cook time: 20 min"),
        ("How much is the rent?", "Rent: 900 €"),
        ("When are the bins collected?", "Bins: Tuesday"),
        ("Which port does the web service use?", "web: port: 8080"),
        ("When is the backup of the database?", "database: backup: nightly at 02:30"),
        ("When does the flight leave?", "Lisbon: flight: departure: 07:35"),
        ("Is the library open on Mondays?", "Day: Monday; Hours: closed"),
    ],
)
def test_a_field_answers_and_is_quoted_where_it_stands(over_notes, notes, question, told):
    answer = over_notes.ask.answer_question(question, today=date(2026, 6, 1))
    assert answer.text.startswith(f"{told} [1]")
    (source,) = answer.sources
    assert source.quote in (notes / source.chunk.path).read_text("utf-8") or "html" in source.chunk.path


@needs_networks
@pytest.mark.parametrize("question", ["What does the boiler cost?", "Who is the pilot of the flight?"])
def test_a_field_that_is_not_there_is_not_answered(over_notes, question):
    assert not over_notes.ask.answer_question(question, today=date(2026, 6, 1)).found


@needs_networks
def test_a_name_alone_above_a_field_is_no_name_of_it(over_notes):
    answer = over_notes.ask.answer_question("What is the address of the library?", today=date(2026, 6, 1))
    assert "Address: Lindenstr. 4" in [claim.text for claim in answer.claims]


@needs_networks
def test_a_claim_is_checked_against_fields(over_notes):
    text = "The boiler's serial number is 21-1834-0020. The boiler's serial number is 21-1834-0021."
    right, wrong = over_notes.verify_text.verify_text(text, today=date(2026, 6, 1)).claims
    assert (right.judgement.holds, wrong.judgement.holds) == (True, False)


@pytest.mark.parametrize(
    ("front_matter", "lines"),
    [
        ("phone: +351 912 345 678", ["phone: +351 912 345 678"]),
        ('author: "Frank Herbert"', ["author: Frank Herbert"]),
        ("guests: [Ana, 'Ben']", ["guests: Ana, Ben"]),
        ("guests:\n  - Ana\n  - Ben\nplace: café", ["guests: Ana; Ben", "place: café"]),
        ("summary: >\n  Two lines\n  of text.\nyear: 1965", ["summary: Two lines of text.", "year: 1965"]),
        (
            "people:\n- name: Ana\n  born: 1984\n- name: Ben\n  born: 1990",
            ["people: name: Ana", "people: Ana: born: 1984", "people: name: Ben", "people: Ben: born: 1990"],
        ),
        ("title: A\nlayout: page\ntags: [a]\nnav_order: 3\nsidebar:\n  label: Home", []),
        ("draft: true\nurl: /a/b/\nsubtitle:\nempty: ''", []),
        ("# a comment\nread: 2024-08-14", ["read: 2024-08-14"]),
        (f"nested: {'[' * 9_000}1{']' * 9_000}", [f"nested: {'[' * 8_998}1{']' * 8_998}"]),
        ("partner: [[Ana]]\nphone: 030 555 # office", ["partner: Ana", "phone: 030 555"]),
    ],
)
def test_of_front_matter_what_says_something_is_read_with_its_names(front_matter, lines):
    note = f"---\n{front_matter}\n---\n\nA text.\n"
    assert [said(field) for field in fields_of_front_matter(note)] == lines
    toml = 'place = "Porto"\n[stay]\nnights = 3'
    found = [said(field) for field in fields_of_front_matter(f"+++\n{toml}\n+++\nA text.\n")]
    assert found == ["place: Porto", "stay: nights: 3"]


def test_a_rule_at_the_beginning_is_no_front_matter():
    assert [*fields_of_front_matter("---\nphone: 030 555\n")] == []
    assert [*fields_of_front_matter("-- a: b\n---\nc: d\n")] == []


def test_settings_are_read_under_their_tables_and_data_by_its_names():
    ini = "[mail]\nhost = smtp.example.org\nport=587\n; a comment\n[web]\nport = 8080\n"
    assert [said(field) for field in fields_of_data(ini)] == [
        "mail: host: smtp.example.org",
        "mail: port: 587",
        "web: port: 8080",
    ]
    pretty = json.dumps({"hotel": {"name": 'The "Tejo"', "rooms": [12, {"beds": 2}]}}, indent=1)
    assert [said(field) for field in fields_of_data(pretty)] == [
        'hotel: name: The "Tejo"',
        "hotel: rooms: 12",
        "hotel: rooms: beds: 2",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "berths:\n  - name: Swift\n    length_m: 5.1\n    owner: Ada\n  - name: Heron\n    length_m: 9.2\n",
        "berths:\n- name: Swift\n  length_m: 5.1\n  owner: Ada\n- name: Heron\n  length_m: 9.2\n",
        '[[berths]]\nname = "Swift"\nlength_m = 5.1\nowner = "Ada"\n\n'
        '[[berths]]\nname = "Heron"\nlength_m = 9.2\n',
        '{"berths": [{"name": "Swift", "length_m": 5.1, "owner": "Ada"}, '
        '{"name": "Heron", "length_m": 9.2}]}',
    ],
)
def test_the_fields_of_a_record_stand_under_its_name(text):
    assert [said(field) for field in fields_of_data(text)] == [
        "berths: name: Swift",
        "berths: Swift: length m: 5.1",
        "berths: Swift: owner: Ada",
        "berths: name: Heron",
        "berths: Heron: length m: 9.2",
    ]


def test_a_record_without_a_name_has_that_of_its_first_text():
    boats = [{"id": 7, "since": "2019-04-01", "skipper": "Ada", "paid": True}, {"id": 8, "paid": False}]
    assert [said(field) for field in fields_of_data(json.dumps(boats))] == [
        *("Ada: id: 7", "Ada: since: 2019-04-01", "skipper: Ada", "Ada: paid: true"),
        *("id: 8", "8: paid: false"),
    ]
    fees = "fees:\n  - group: guests\n    euros: 12\n  - - 4\n"
    assert [said(field) for field in fields_of_data(fees)] == [
        *("fees: group: guests", "fees: guests: euros: 12", "fees: 4"),
    ]
    toml = '[[trips]]\ntitle = "Alps"\n[trips.hotel]\nnights = 3\n'
    assert [said(field) for field in fields_of_data(toml)] == [
        "trips: title: Alps",
        "trips: Alps: hotel: nights: 3",
    ]


def test_a_file_of_one_record_has_its_name_and_one_of_settings_has_none():
    trip = {"trip": "Lisbon", "hotel": {"nights": 3}}
    assert [said(field) for field in fields_of_data(json.dumps(trip))] == [
        "trip: Lisbon",
        "Lisbon: hotel: nights: 3",
    ]
    settings = {"editor.font": "Menlo", "width": 80}
    assert [said(field) for field in fields_of_data(json.dumps(settings))] == [
        "editor.font: Menlo",
        "width: 80",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("members:\n  2022: 140\n  2023: 190\n", ["members: 2022: 140", "members: 2023: 190"]),
        ("hooks:\n  \"on-fail\": Ada\n  /health: slow\n", ["hooks: on-fail: Ada", "hooks: /health: slow"]),
        ("'404':\n  says: gone\n", ["404: says: gone"]),
        ("burst: 40 # a second\nname: \"a # b\" # c\n", ["burst: 40", "name: a # b"]),
        ("REV_TARGET: x\ndns-net: y\nmax_size: z\n", ["REV_TARGET: x", "dns-net: y", "max size: z"]),
        ("export PORT=80\nEMPTY=\nHOST = a ; local\n", ["PORT: 80", "HOST: a"]),
        ("notes: The first line\n  goes on.\nnext: 1\n", ["notes: The first line goes on.", "next: 1"]),
        ("text: |\n  One.\n\n  Two.\n\nnext: 1\n", ["text: One. Two.", "next: 1"]),
        ("guests: [\n  'Ana',  # late\n  'Ben, Eva',\n]\nnext = 1\n", ["guests: Ana; Ben, Eva", "next: 1"]),
        ('text = """\nOne.\nTwo.\n"""\nnext = 1\n', ["text: One. Two.", "next: 1"]),
        ("base: &base\n  port: 80\n", ["base: port: 80"]),
        ('{"crew": ["Ana", "Ben"], "at": [[1, 2], [3]], "e": [], "caf\\u00e9": "\\u00e0"}', [
            *("crew: Ana, Ben", "at: 1, 2", "at: 3", "café: à"),
        ]),
        ("<trip to='Porto'><!-- no --><days>3</days>\n<go/></trip>", ["trip: to: Porto", "trip: days: 3"]),
    ],
)  # fmt: skip
def test_names_and_values_are_read_as_they_are_written(text, lines):
    assert [said(field) for field in fields_of_data(text)] == lines


def test_the_items_of_a_long_list_are_told_one_by_one():
    items = [f"item {number}" for number in range(40)]
    yaml = "all:\n" + "".join(f"  - {item}\n" for item in items)
    for text in (yaml, json.dumps({"all": [f"item {number} {'x' * 20}" for number in range(40)]})):
        fields = [*fields_of_data(text)]
        assert len(fields) == 40
        assert said(fields[7]).startswith("all: item 7")
        assert "item 7" in text[fields[7].start : fields[7].end]


def test_a_part_of_a_file_stands_under_what_it_is_cut_from():
    said_there = [said(field) for field in fields_of_data("    port: 80\n", above=("services", "web"))]
    assert said_there == ["services: web: port: 80"]
    assert [said(field) for field in fields_of_data("[web]\nport = 80\n", above=("web",))] == [
        "web: port: 80"
    ]
    part = ' "port": 80},\n {"name": "db", "port": 81}'
    told = [said(field) for field in fields_of_data(part, "json", ("services",))]
    assert told == ["services: port: 80", "services: name: db", "services: db: port: 81"]


@given(st.text(alphabet="---+\n :=[]{}\"'#ab1|>\\\r\t", max_size=80), st.sampled_from(["", "---\n", "+++\n"]))
def test_fields_stand_in_the_text_in_order(text, fence):
    text = f"{fence}{text}\n{fence}"
    every = ([*fields_of_data(text, form)] for form in ("json", "xml", "lines"))
    for fields in ([*fields_of_front_matter(text)], *every):
        assert all(0 <= field.start < field.end <= len(text) for field in fields)
        assert all(one.start < other.start for one, other in pairwise(fields))


def test_a_line_of_two_words_states_something_if_it_is_a_field_or_an_item():
    [(units, _)] = cut(
        [("# Car\n\nOil: 5W-30\n\nplate:: 45-AB-12\n\n- Gas: 4521\n- some gas\n\nNot so.", "")]
    )
    assert [unit.line for unit in units] == ["Oil: 5W-30", "plate:: 45-AB-12", "Gas: 4521", "some gas"]


@pytest.mark.parametrize("blank", ["\u00a0", "\f", " \u2003", "> \u00a0"])
def test_a_line_of_other_blanks_ends_a_paragraph(blank):
    [(units, _)] = cut([(f"Guests pay 12 euros.\n{blank}\nResidents pay 400 euros\nThe fee is due\n", "")])
    assert units[0].line == "Guests pay 12 euros."
