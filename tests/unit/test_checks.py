"""Typed checks: what the evidence bears out, what it lacks and what it contradicts."""

import pytest

from bob.answers.claims.fact_checks import check
from bob.answers.claims.fact_comparison import facts_of

SUPPORTED = [
    # numbers
    ("The default timeout is five seconds.", "The timeout is 5 s by default."),
    ("The job takes 60 minutes.", "The job takes one hour."),
    ("The table has about 3.1 million rows.", "The table has 3,098,112 rows."),
    ("The table has nearly 1000 rows.", "The table has 980 rows."),
    ("Half of the users left, that is 50%.", "Half of the users left."),
    ("A file may have up to 1.5 GB.", "A file may have 1500 MB."),
    ("A page is 4 KB.", "A page is 4096 bytes."),
    ("Two files are kept.", "Both files are kept."),
    ("It needs at least 4 GB of memory.", "It needs 8 GB of memory."),
    ("It retries 3-5 times.", "It retries three to five times."),
    ("The fee is 1,5 kg of rice.", "The fee is 1.5 kg of rice."),
    ("There are 0 errors in the log.", "There are no errors in the log."),
    ("The town has 12.000.500 trees.", "The town has 12,000,500 trees."),
    ("It runs every two weeks.", "It runs every 14 days."),
    ("O clube tem 25 sócios.", "O clube tem vinte e cinco sócios."),
    ("Es kamen 25 Mitglieder.", "Es kamen fünfundzwanzig Mitglieder."),
    ("Der Beitrag ist 1500 Euro.", "Der Beitrag ist EUR 1.500."),
    ("O projeto custou R$ 2.000.000.", "O projeto custou R$ 2 milhões."),
    ("Der Umsatz ist 2.500.000 Euro.", "Der Umsatz ist 2,5 Mio. Euro."),
    ("Heat it to 200 degrees Celsius.", "Heat it to 200 °C."),
    ("Heat it to 200 degrees.", "Heat it to 200 °C in an hour."),
    ("It costs 5 pounds a day.", "It costs £5 per day."),
    ("The limit is 100 kilometres per hour.", "The limit is 100 km/h."),
    ("The limit is 62 miles per hour.", "The limit is 100 km/h."),
    ("Prices fell by five per cent.", "Prices fell by 5%."),
    ("It costs $800 a month.", "It costs $800/month."),
    ("Die Halle hat 80 Quadratmeter.", "Die Halle hat 80 m²."),
    ("A sala tem vinte metros quadrados.", "A sala tem 20 m²."),
    # times of day and places in an order
    ("The shop opens at 3:30 pm.", "The shop opens at 15:30."),
    ("It closes at 9 pm.", "The gate closes at 21:00 each day."),
    ("The bus leaves at half past three.", "The bus leaves at 15:30 from the square."),
    ("A loja fecha às 21h.", "A loja fecha às 21:00."),
    ("It opens at 9:00.", "It opens at 9 every day."),
    ("It opens at 9.", "It opens at 9:00 every day."),
    ("It is open from 9 am to 5 pm.", "It is open from 9 to 5 pm."),
    ("It was built in the 21st century.", "It was built in the twenty-first century."),
    ("It was the 23rd meeting of the board.", "It was the twenty-third meeting of the board."),
    # dates
    ("It was released in March 2024.", "It was released on 12 March 2024."),
    ("It was released on March 12, 2024.", "It was released on 2024-03-12."),
    ("It was released in 2024.", "It was released on 12.03.2024."),
    ("Das Fest beginnt am 3. Mai 2024.", "Das Fest ist vom 3. bis 5. Mai 2024."),
    ("The fair begins on 3 May 2024.", "The fair is open May 3-5, 2024."),
    ("The fair ends on May 5, 2024.", "The fair is open May 3-5, 2024."),
    ("It was founded in the 1990s.", "It was founded in 1994."),
    ("Foi lançado em 12 de março de 2024.", "Foi lançado em 2024-03-12."),
    # names
    ("The kernel was written by Torvalds.", "Linus Torvalds wrote the kernel."),
    ("The rules come from the WHO.", "The World Health Organization made the rules."),
    ("It is Git's default.", "It is the default of git."),
    ("Call `os.path.join()` for it.", "Call :func:`os.path.join` for it."),
    ("It runs on Python 3.11.", "It runs on Python 3.11.4."),
    ('He said "keep it  simple" to all.', "He said to all: “Keep it simple”."),
    ("Neural stem cells (NSC) divide here.", "Neural stem cells divide here."),
    ("He went to Monsignor Scanlan School there.", "He went to the Scanlan School there."),
    ("It began during the Libyan war.", "It began during the war in Libya."),
    ("It is one of the best tools.", "It is among the best tools."),
    ("It ran in May 2018 in a hall.", "It ran in May in a hall. The plan was made in 2018."),
    ('The film "The Games: Part 2" came out.', "The film The Games - Part 2 came out."),
    # parts and exceptions
    ("All plots have water.", "100 % of the plots have water."),
    ("Most plots have water.", "70 % of the plots have water."),
    ("All plots have water.", "All plots have water, and half of the sheds."),
    ("Lamps do not cost 9 euros a month.", "Tools cost 9 euros a month, except for lamps."),
    ("Small boats may anchor here.", "Boats may not anchor here, except small boats."),
    ("Except for lamps, tools cost 9 euros.", "Tools cost 9 euros a month, except for lamps."),
    ("Saws cost 9 euros a month.", "Saws and axes cost 9 euros a month, except for lamps."),
    ("Der Hof ist montags nicht offen.", "Der Hof ist für alle offen, außer montags."),
    ("As crianças não pagam a entrada.", "Todos pagam a entrada, com exceção das crianças."),
    # denials
    ("They asked whether it does not help them.", "They asked whether it does help them."),
    ("TLS isn't supported by the server.", "The server does not support TLS."),
    ("The server doesn't support TLS.", "TLS is unsupported by the server."),
    ("The option is not enabled by default.", "The option is disabled by default."),
    ("No tests fail on Windows.", "The tests do not fail on Windows."),
    ("The cache is not only fast but small.", "The cache is fast and small."),
    ("It works without a network.", "It does not need a network to work."),
    ("O servidor não suporta TLS no momento.", "No momento o servidor não suporta TLS."),
    ("Neither ferry nor train runs on Sundays.", "The ferry and the train do not run on Sundays."),
    ("No fee is charged in summer.", "A fee of $0.00 is charged in summer."),
    ("The rent is R$ 1500 a month here.", "The rent here is R$ 1.500,00 a month."),
    ("The board has sixteen members.", "The board has sixteen (16) members."),
    # comparison and quantifiers
    ("A comes after B in the list.", "B comes before A in the list."),
    ("Some files are copied.", "All files are copied."),
]

CONTRADICTED = [
    ("number", "The shop opens at 4:30 pm.", "The shop opens at 15:30."),
    ("number", "It is open from 9 am to 6 pm.", "It is open from 9 to 5 pm."),
    ("number", "On Sunday doors close at noon.", "On Sunday the doors close at 1 pm."),
    ("number", "It was the 22nd meeting of the board.", "It was the twenty-third meeting of the board."),
    ("number", "Es sind 500 kg Mehl.", "Es sind 0,500 kg Mehl."),
    ("number", "Die Strecke ist 3125 km lang.", "Die Strecke ist 3,125 km lang."),
    ("number", "O projeto custou R$ 2.", "O projeto custou R$ 2 milhões."),
    ("number", "A 3ª turma usa a sala azul.", "A 2ª turma usa a sala azul."),
    ("number", "Keep the dough at 75° F.", "Keep the dough at 65° F."),
    ("number", "Take 2 and 1/4 cups of flour.", "Take 2 & 2/3 cups of flour."),
    ("number", "The default timeout is 50 seconds.", "The timeout is 5 seconds by default."),
    ("number", "The table has about 4 million rows.", "The table has 3,098,112 rows."),
    ("number", "The server listens on port 2050.", "The server listens on port 2049."),
    ("number", "It needs at most 4 GB of memory.", "It needs at least 8 GB of memory."),
    ("number", "Twelve files are kept.", "Eleven files are kept."),
    ("number", "Heat it to 200 degrees.", "Heat it to 220 °C."),
    ("number", "It costs 5 pounds a day.", "It costs £6 per day."),
    ("number", "The limit is 100 kilometres per hour.", "The limit is 120 km/h."),
    ("number", "Die Halle hat 80 Quadratmeter.", "Die Halle hat 90 m²."),
    ("unit", "The timeout is 5 minutes.", "The timeout is 5 seconds."),
    ("unit", "A file may have 2 GB.", "A file may have 2 MB."),
    ("date", "It was released in May 2024.", "It was released on 12 March 2024."),
    ("date", "It was released in 2023.", "It was released in 2024."),
    ("name", "Use `os.walk` to do it.", "Use `os.fork` to do it."),
    ("name", "Pass --force to the push command.", "Pass --quiet to the push command."),
    ("name", "The meeting in Lisbon was short.", "The meeting in Porto was short."),
    ("negation", "The server supports TLS.", "The server does not support TLS."),
    ("name", "The kernel was written by Ana Torvalds.", "The kernel was written by Linus Torvalds."),
    ("name", "The bag shows the DeskMesh Tag.", "The bag shows the DeskMesh Pocket."),
    ("negation", "The server cannot use TLS.", "The server can use TLS."),
    ("negation", "The request is valid here.", "The request is invalid here."),
    ("negation", "Der Server unterstützt TLS nicht mehr.", "Der Server unterstützt TLS."),
    ("comparison", "The option is enabled by default.", "The option is disabled by default."),
    ("comparison", "The hook runs after the commit.", "The hook runs before the commit."),
    ("quantifier", "All files are copied.", "Some files are copied."),
    ("quantifier", "All plots have water.", "Two thirds of the plots have water."),
    ("quantifier", "Every plot has water.", "18 of 21 plots have water."),
    ("quantifier", "All plots have water.", "About 70 percent of the plots have water."),
    ("quantifier", "Each plot has water.", "Many plots have water."),
    ("quantifier", "Alle Beete haben Wasser.", "Die Hälfte der Beete hat Wasser."),
    ("quantifier", "Todos os canteiros têm água.", "70 % dos canteiros têm água."),
    ("quantifier", "Lamps cost 9 euros a month.", "Tools cost 9 euros a month, except for lamps."),
    ("quantifier", "Small boats may not anchor here.", "Boats may not anchor here, except small boats."),
    ("quantifier", "Der Hof ist montags für alle offen.", "Der Hof ist für alle offen, außer montags."),
    ("quantifier", "As crianças pagam a entrada.", "Todos pagam a entrada, com exceção das crianças."),
]

MISSING = [
    ("number", "The disk holds 7 files.", "The disk is old and grey."),
    ("date", "The disk was bought in June 2019.", "The disk is old and grey."),
    ("date", "The disk was bought on 3 June 2019.", "The disk was bought in 2019."),
    ("name", "The disk belongs to Maria.", "The disk is old and grey."),
    ("name", "According to NASA the disk is old.", "The disk is old and grey."),
    ("quotation", 'She said "the disk is broken now".', "She said that the disk is old."),
]

ELSEWHERE = ["The weather was fine.", "Nobody came to the party of the team."]


@pytest.mark.parametrize(("claim", "source"), SUPPORTED)
def test_what_the_source_bears_out_has_no_finding(claim, source):
    assert check(claim, [*ELSEWHERE, source]) == []


@pytest.mark.parametrize(("kind", "claim", "source"), CONTRADICTED)
def test_what_the_source_contradicts_is_found_with_its_place(kind, claim, source):
    findings = check(claim, [*ELSEWHERE, source])
    assert (kind, "contradicted") in [(each.kind, each.outcome) for each in findings]
    for each in findings:
        start, end = each.claim_range
        assert claim[start:end].strip() and each.reason
        if each.evidence_range is not None:
            assert each.evidence_index == 2
            assert source[slice(*each.evidence_range)].strip()


@pytest.mark.parametrize(("kind", "claim", "source"), MISSING)
def test_what_no_source_says_is_missing(kind, claim, source):
    assert (kind, "missing") in [(each.kind, each.outcome) for each in check(claim, [*ELSEWHERE, source])]


def test_a_reason_says_both_sides():
    finding = check("The timeout is 50 seconds.", ["The timeout is 5 seconds."])[0]
    assert finding.reason == "the source says 5 seconds, the claim 50 seconds"


def test_rare_words_decide_which_sentence_a_claim_is_about():
    evidence = ["The big grey old house has 3 rooms.", "The annex has 5 windows and 7 rooms."]
    claim = "The big grey old annex has 3 rooms."

    def rarity(word):
        return 20.0 if word == "annex" else 1.0

    assert check(claim, evidence) == []
    assert [each.kind for each in check(claim, evidence, rarity)] == ["number"]


YEARS = ["1949: The canal of Weir was opened.", "1955: The tower of Holm was opened to visitors."]


def test_the_sentence_nearest_to_a_claim_decides_over_its_year():
    (finding,) = check("The canal of Weir was opened in 1955.", YEARS)
    assert (finding.kind, finding.outcome, finding.evidence_index) == ("date", "contradicted", 0)
    assert check("The canal of Weir was opened in 1949.", YEARS) == []


def test_a_number_that_no_text_states_is_absent():
    absent = check("The hall holds up to 4,000 guests a night.", ["The hall is large.", "Its roof is red."])
    elsewhere = check("The hall holds 40 guests a night.", ["The hall is large.", "Forty roofs are red."])
    assert [finding.absent for finding in absent] == [True]
    assert not any(finding.absent for finding in elsewhere)


def test_a_number_that_a_sentence_as_near_states_is_not_altered():
    nearest = "The council currently defaults to a 16 litres barrel size."
    altered = (
        "For example, if a shed uses 5 hoses (the default for most), with a target barrel size of 64 litres, "
        "it is full in an hour."
    )
    claim = "The default barrel size is 16 litres."
    assert check(claim, [nearest, altered]) == []
    assert [each.kind for each in check("The default barrel size is 32 litres.", [nearest, altered])] == [
        "number"
    ]


def test_what_the_rest_of_the_sources_states_is_not_absent():
    claim, nearest = "The board met in March 2019.", ["The board met in the hall."]
    (finding,) = check(claim, nearest)
    (stated,) = check(claim, nearest, rest=["Published on 12 March 2019."])
    assert finding.absent and not finding.elsewhere
    assert stated.elsewhere and not stated.absent
    assert (
        check("The board met on 12 March 2019.", ["The board met on 12 March."], rest=["News of 2019"]) == []
    )


def test_letters_keep_their_stop_in_a_reason():
    (finding,) = check("The V.P. Sports signs the form.", ["The president signs the form."])
    assert finding.reason == "the source does not say V.P."


def test_without_evidence_every_checkable_fact_is_missing():
    assert [each.kind for each in check("In May 2020 it had 5 files.", [])] == ["date", "number"]
    assert check("The house is old.", []) == []


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("1,200 files and 2 hours", "number", ["1200", "7200 time"]),
        ("a dozen eggs, 5% of 3.5 GB", "number", ["12", "5 percent", "3.5e+09 bytes"]),
        ("utf-8, SHA1 and x86_64 are no numbers", "number", []),
        ("Python 3.11 and v2.3", "number", []),
        (
            "at 62-65° F, 110F or 95F/30C",
            "number",
            ["62 fahrenheit", "65 fahrenheit", "110 fahrenheit", "95 fahrenheit"],
        ),
        ("at 5-6F, 20ºC and 18° C", "number", ["5 fahrenheit", "6 fahrenheit", "20 celsius", "18 celsius"]),
        ("2 & 2/3 cups, 4 and 1/4 spoons", "number", ["2.66667", "4.25"]),
        ("1.3g/L of salt", "number", ["1.3 grams per liter"]),
        ("o 36º grupo e a 2ª turma", "number", ["36 ordinal", "2 ordinal"]),
        ("on 3 May 2020, in the 1980s", "date", ["3 May 2020", "1980s"]),
        ("We met Ana Maria de Souza in Rio.", "name", ["ana maria de souza", "rio"]),
        ("Set max_size or --depth in conf.toml.", "name", ["max_size", "--depth", "conf.toml"]),
        ("The end. Then it works.", "name", []),
        (
            "We test it with GitHub Actions and LibreOffice Writer.",
            "name",
            ["github actions", "libreoffice writer"],
        ),
        ("The useState hook calls getUser and OpenSSL.", "name", ["usestate", "getuser", "openssl"]),
        ("o plano do Cel. Vargas e da Ten.-Cel. Reis", "name", ["vargas", "reis"]),
        ("Sie fragten Dr. Ilse Braun.", "name", ["ilse braun"]),
        ("Das Dach: Reparaturen 1.500 €, Farbe 2.400 Euro.", "name", ["farbe"]),
        ("It does not start.", "negation", ["start"]),
        ("Use it, e.g. with care, i.e. slowly.", "name", []),
        ("According to Ana it works.", "attribution", ["ana"]),
        ("Most files are never read.", "quantifier", ["most"]),
    ],
)
def test_facts(text, kind, values):
    assert [each.value for each in facts_of(text) if each.kind == kind] == values


def test_a_code_has_to_stand_in_a_source_as_it_is() -> None:
    evidence = ["The boiler has the serial number 21-1834-0020.", "The car's plate is 45-AB-12."]
    [finding] = check("The boiler's serial number is 21-1834-0021.", evidence)
    assert (finding.outcome, finding.reason) == (
        "contradicted",
        "the source says 21-1834-0020, the claim 21-1834-0021",
    )
    assert not check(
        "21-1834-0020 is the boiler's serial number, and the car has the plate 45-AB-12.", evidence
    )
    missing = check("The boiler has the code A1-77-B2-9.", evidence)
    assert ("missing", True) in [(finding.outcome, finding.absent) for finding in missing]


def test_one_counts_where_the_source_counts_the_same() -> None:
    source = "A guest may row when two board members agree."
    [finding] = check("A guest may row as soon as one board member agrees.", [source])
    assert finding.reason == "the source says two, the claim one"
    assert not check("One can row as a guest when two board members agree.", [source])
    assert not check("One of two board members has to agree.", ["One of the two board members agrees to it."])


def test_the_word_of_a_bound_is_no_part_of_what_a_claim_is_about():
    source = ["A berth costs 120 euros a year.", "The tank holds up to 500 litres."]
    claim = "The tank holds at least 500 litres."
    for rare in (1.0, 5.0):
        (found,) = check(claim, source, lambda word, rare=rare: rare if word == "least" else 1.0)
        assert (found.kind, found.outcome, found.evidence_index) == ("number", "contradicted", 1), rare


def test_a_number_beyond_a_bound_does_not_settle_the_bound_of_the_number_itself():
    source = ["The tank of the neighbours holds 900 litres.", "The tank holds up to 500 litres."]
    (found,) = check("The tank holds at least 500 litres.", source)
    assert (found.outcome, found.evidence_index) == ("contradicted", 1)
    assert not check("The tank holds at least 500 litres.", source[:1])
    assert not check("The tank holds at least 500 litres.", [*source, "The tank holds at least 500 litres."])


def test_a_name_that_stands_elsewhere_is_none_of_the_sentence_that_has_another_in_its_place():
    elsewhere = ["The DeskMesh Pocket has a bright screen.", "Marta Quill is our chair, and the SC met."]
    for claim, source, stated in [
        ("The bag shows the DeskMesh Pocket logo.", "The bag shows the DeskMesh Tag logo.", "DeskMesh Tag"),
        (
            "The motion on the hedge was moved by Marta Quill.",
            "The motion on the hedge was moved by Ben Hall.",
            "Ben Hall",
        ),
        ("O barco foi vendido por Marta Quill.", "O barco foi vendido por Rui Melo.", "Rui Melo"),
    ]:
        found = check(claim, [*elsewhere, source])
        assert [(each.kind, each.outcome) for each in found] == [("name", "contradicted")], claim
        assert stated in found[0].reason
    for claim, source in [
        ("Marta Quill was elected chair.", "She was elected chair, and Ben Hall treasurer."),
        ("Marta Quill moved the motion on the hedge.", "She moved the motion on the hedge of the SC."),
    ]:
        assert not check(claim, [*elsewhere, source]), claim


def test_the_days_before_a_date_are_none_of_those_behind_it():
    for claim, source, words in [
        ("The pool is closed until 3 May.", "The pool is closed from 3 May.", ("until", "from")),
        (
            "The pool is closed from 3 May on.",
            "The pool is closed until 3 May for repairs.",
            ("from", "until"),
        ),
        ("Members moved in since 3 May 2024.", "Members moved in before 3 May 2024.", ("since", "before")),
        ("Das Bad ist geschlossen bis 3. Mai.", "Das Bad ist geschlossen ab 3. Mai.", ("bis", "ab")),
        (
            "A piscina fica fechada até 3 de maio.",
            "A piscina fica fechada desde 3 de maio.",
            ("até", "desde"),
        ),
    ]:
        found = check(claim, [source])
        assert [(each.kind, each.outcome) for each in found] == [("date", "contradicted")], claim
        assert all(word in found[0].reason for word in words), claim
    for claim, source in [
        ("The pool is closed until 3 May.", "The pool is open from 3 May."),
        ("The pool opens from 3 May.", "The pool will not open until 3 May."),
        ("The fee is due by 3 May.", "The fee is due before 3 May."),
        ("The pool is closed from 3 May.", "The pool is closed from 3 May until 9 May."),
        ("The pool is closed until 9 May.", "The pool is closed from 3 May until 9 May."),
    ]:
        assert not [each for each in check(claim, [source]) if each.kind == "date"], claim
