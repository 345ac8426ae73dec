"""Decision records of every family, read by the real parsers and cut by the real chunker."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from small_decisions import document_at, document_of, extract

from bob.core.decision import DecisionStatus, FoundDecision, StatedLink

NYGARD = """# 7. Keep sessions in signed cookies

Date: 2024-02-05

## Status

Accepted

Supersedes [3. Keep sessions in files](0003-sessions-in-files.md)

## Context

Two machines answer requests, and neither knows the other's memory.

## Decision

We will keep sessions in signed cookies instead of a shared store.

## Consequences

A session holds four kilobytes at the most.
"""

OF_SEED = """# ADR-003: Use SQLite for local storage
## Status
Accepted
## Context
We need a local database with zero setup.
## Decision
We will use SQLite for local storage.
"""

MADR_2 = """# Sign cookies with a rotating key

* Status: accepted <!-- optional -->
* Deciders: Ann, Bea
* Date: 2023-11-02

Technical Story: the audit of October

## Context and Problem Statement

A key that never changes is a key that leaks.

## Decision Drivers

* few moving parts

## Considered Options

* One key for ever
* A key that rotates
* A key per user

## Decision Outcome

Chosen option: "A key that rotates", because an old key dies by itself.

### Positive Consequences

* A leak ends within a month.

## Pros and Cons of the Options

### One key for ever

* Good, because nothing has to be done
* Bad, because a leak never ends

### A key that rotates

* Good, because a leak ends

### A key per user

* Bad, because every request reads the database

## Links

* Refines [ADR-0002](0002-sessions.md)
"""

MADR_3 = """---
status: superseded by [ADR-0009](0009-passkeys.md)
date: 2023-12-24
deciders: Ann
---
# Ask for a password and a code

## Context and Problem Statement

A password alone is too little.

## Considered Options

* A password and a code
* A mail with a link

## Decision Outcome

Chosen option: "A password and a code", because everybody has a phone.

### Consequences

* Good, because it is known
"""

MADR_4 = """---
status: accepted
date: 2024-05-06
decision-makers: [Ann, Bea]
supersedes: ["0004-passwords.md", "ADR-0005"]
---

# Let people sign in with passkeys

## Context and Problem Statement

Codes are typed into the wrong page.

## Decision Outcome

Chosen option: "Passkeys", because a wrong page gets nothing.

### Confirmation

A test signs in.
"""

LOG4BRAINS = """# Send mail through a queue

- Status: superseded by [20240301-send-mail-at-once](20240301-send-mail-at-once.md)
- Deciders: Ann
- Date: 2023-06-01
- Tags: mail

## Context and Problem Statement

Sending takes a second.

## Decision Outcome

Mail is written to a queue, and a worker sends it.
"""

PEP = """PEP: 9001
Title: Bells in the house style
Author: Ann
Status: Final
Type: Standards Track
Created: 04-Mar-2021
Replaces: 801
Superseded-By: 9100

Abstract
========

Every module rings a bell when it is imported.

Rejected Ideas
==============

A whistle
---------

Rejected because dogs hear it.
"""

RFC = """





Network Working Group                                            A. Author
Request for Comments: 9999                                    Bell Company
Obsoletes: 2616, 2617                                           March 2021
Updates: 2818
Category: Standards Track


                          Bells over Ethernet

Abstract

   This document specifies how bells are rung over Ethernet.
"""

FIELDS_ALONE = """# Decision log

### DEC-039 - Numbers of invoices

**Status:** accepted
**Date:** 2024-02-02
**Context:** The auditors asked.
**Decision:** Invoices are numbered by year.
**Alternatives:** one number for ever; a random number

### DEC-040 - Paper

**Status:** rejected
**Decision:** Print every invoice.
"""

SHORT = """# ADR 0011: One log for all

**Status:** Superseded by ADR-0014 (a log a service) · **Date:** 2024-07-01

All services write to one log.
"""

TABLE = """# ADR-12 Names of branches

| Status | Accepted |
| --- | --- |
| Date | 2022-02-03 |

## Context

Names differ.

## Decision

A branch is named after what it does.
"""

RESTRUCTURED = """ADR-5: Bells are optional
=========================

:Status: accepted
:Date: 2020-02-02
:Supersedes: ADR-1

Context
-------

Some people sleep.

Decision
--------

Bells can be switched off, not removed.
"""

LEVEL = """# Bells ring at noon

# Status

Deprecated

# Context

People are hungry.

# Decision

Every bell rings at noon.
"""

OWN_HOUSE = """# 4. Bells

## Question

Which bell?

## Options

- **A small one**, which nobody hears.
- **A big one**: heard in the next village.

## Choice

The big one. It is paid for.
"""


def one(text: str, name: str = "0007-a-record.md") -> FoundDecision:
    (found,) = extract(*document_of(text, name))
    return found


def rejected(found: FoundDecision) -> list[tuple[str, str | None]]:
    return [(each.text, each.reason) for each in found.rejected]


def test_nygard() -> None:
    found = one(NYGARD)

    assert (found.kind, found.number, found.title) == ("record", "7", "Keep sessions in signed cookies")
    assert found.statement == "We will keep sessions in signed cookies instead of a shared store."
    assert found.context == "Two machines answer requests, and neither knows the other's memory."
    assert (found.status, found.stated_date) == ("active", date(2024, 2, 5))
    assert found.locator.text_in(NYGARD) == found.statement
    assert found.links == (StatedLink("supersedes", "0003-sessions-in-files.md"),)
    assert rejected(found) == [("a shared store", None)]


def test_an_adr_without_blank_lines() -> None:
    found = one(OF_SEED, "storage.md")

    assert (found.number, found.title) == ("3", "Use SQLite for local storage")
    assert (found.statement, found.status) == ("We will use SQLite for local storage.", "active")


def test_madr_2() -> None:
    found = one(MADR_2, "0003-rotating-key.md")

    assert (found.number, found.title) == ("3", "Sign cookies with a rotating key")
    assert found.statement.startswith('Chosen option: "A key that rotates"')
    assert (found.status, found.stated_date) == ("active", date(2023, 11, 2))
    assert rejected(found) == [
        ("One key for ever", "a leak never ends"),
        ("A key per user", "every request reads the database"),
    ]
    assert found.links == (StatedLink("amends", "0002-sessions.md"),)


def test_madr_3_with_its_status_in_front_matter() -> None:
    found = one(MADR_3, "0008-codes.md")

    assert (found.status, found.stated_date) == ("superseded", date(2023, 12, 24))
    assert found.links == (StatedLink("supersedes", "0009-passkeys.md", backward=True),)
    assert rejected(found) == [("A mail with a link", None)]


def test_madr_4_with_lists_in_front_matter() -> None:
    found = one(MADR_4, "0009-passkeys.md")

    assert found.status == "active"
    assert found.links == (StatedLink("supersedes", "0004-passwords.md"), StatedLink("supersedes", "5"))


def test_log4brains() -> None:
    found = one(LOG4BRAINS, "20230601-send-mail-through-a-queue.md")

    assert (found.number, found.title) == (None, "Send mail through a queue")
    assert (found.status, found.stated_date) == ("superseded", date(2023, 6, 1))
    assert found.links == (StatedLink("supersedes", "20240301-send-mail-at-once.md", backward=True),)


@pytest.mark.parametrize("name", ["pep-9001.rst", "pep-9001.txt"])
def test_a_pep(name: str) -> None:
    found = one(PEP, name)

    assert (found.number, found.title) == ("9001", "Bells in the house style")
    assert found.statement == "Every module rings a bell when it is imported."
    assert found.status == "superseded"
    assert set(found.links) == {
        StatedLink("supersedes", "801"),
        StatedLink("supersedes", "9100", backward=True),
    }
    assert rejected(found) == [("A whistle", "dogs hear it.")]


def test_an_rfc() -> None:
    found = one(RFC, "rfc9999.txt")

    assert (found.number, found.status) == ("9999", "active")
    assert found.statement == "This document specifies how bells are rung over Ethernet."
    assert found.links == (
        StatedLink("supersedes", "2616"),
        StatedLink("supersedes", "2617"),
        StatedLink("amends", "2818"),
    )


def test_a_log_of_records_made_of_fields() -> None:
    first, second = extract(*document_of(FIELDS_ALONE, "decisions.md"))

    assert (first.number, first.title) == ("39", "Numbers of invoices")
    assert (first.statement, first.context) == ("Invoices are numbered by year.", "The auditors asked.")
    assert rejected(first) == [("one number for ever", None), ("a random number", None)]
    assert first.stated_date == date(2024, 2, 2)
    assert (second.number, second.status) == ("40", "rejected")


def test_a_short_record_with_two_fields_on_a_line() -> None:
    found = one(SHORT, "0011-one-log.md")

    assert (found.status, found.stated_date) == ("superseded", date(2024, 7, 1))
    assert found.statement == "All services write to one log."
    assert found.links == (StatedLink("supersedes", "14", backward=True),)


def test_a_status_in_a_table() -> None:
    found = one(TABLE, "branches.md")

    assert (found.number, found.status, found.stated_date) == ("12", "active", date(2022, 2, 3))


def test_restructured_text_with_a_field_list() -> None:
    found = one(RESTRUCTURED, "bells.rst")

    assert (found.number, found.title, found.status) == ("5", "Bells are optional", "active")
    assert found.links == (StatedLink("supersedes", "1"),)
    assert rejected(found) == [("removed", None)]


def test_headings_on_one_level() -> None:
    found = one(LEVEL, "0004-noon.md")

    assert (found.title, found.status) == ("Bells ring at noon", "deprecated")
    assert (found.statement, found.number) == ("Every bell rings at noon.", "4")


def test_an_option_named_by_its_number() -> None:
    text = (
        "# 12. Builds\n\n## Status\n\nAccepted\n\n## Options considered\n\n"
        "### Option 1: At home\n\n* Bad, because it is slow\n\n"
        "### Option 2: Rented\n\nFast.\n\n## Decision\n\nWe chose option 2 because it is fast.\n"
    )

    assert rejected(one(text)) == [("At home", "it is slow")]


@pytest.mark.parametrize(
    "line",
    [
        "> Superseded by [ADR-9](0009-x.md) on 2025-01-01",
        "**Status: Superseded by [ADR-9](0009-x.md) (2025-01-01).**",
    ],
)
def test_what_is_written_above_a_record_when_its_time_is_over(line: str) -> None:
    found = one(f"{line}\n\n" + NYGARD.replace("Date: 2024-02-05\n", ""), "0007-a-record.md")

    assert (found.number, found.status, found.stated_date) == ("7", "superseded", None)
    assert StatedLink("supersedes", "0009-x.md", backward=True) in found.links
    assert found.statement.startswith("We will keep sessions")


def test_a_house_style_is_known_by_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "docs" / "adr" / "0004-bells.md"
    path.parent.mkdir(parents=True)
    path.write_text(OWN_HOUSE)

    (found,) = extract(*document_at(path))

    assert (found.number, found.title, found.status) == ("4", "Bells", "active")
    assert found.statement.startswith("The big one.")
    assert rejected(found) == [("A small one", "which nobody hears")]
    assert found.confidence < one(NYGARD).confidence
    assert extract(*document_of(OWN_HOUSE, "bells.md")) == ()


def test_small_chunks_give_the_same_record(tmp_path: Path) -> None:
    path = tmp_path / "0007-a-record.md"
    path.write_text(NYGARD)

    (found,) = extract(*document_at(path, 5, 30))

    assert found == one(NYGARD)


def test_two_records_in_one_file() -> None:
    second = OF_SEED.replace("ADR-003", "ADR-004").replace("SQLite", "DuckDB").replace("Accepted", "Proposed")

    found = extract(*document_of(OF_SEED + "\n" + second, "2024-storage.md"))

    assert [(each.number, each.status) for each in found] == [("3", "active"), ("4", "proposed")]
    assert len({each.key for each in found}) == 2


def test_a_changed_status_keeps_the_key() -> None:
    changed = NYGARD.replace("Accepted", "Deprecated").replace("signed cookies instead", "cookies instead")

    assert one(changed).key == one(NYGARD).key


STATUSES: list[tuple[str, DecisionStatus]] = [
    ("Accepted", "active"),
    ("accepted", "active"),
    ("ACCEPTED Not Implemented", "active"),
    ("**Accepted**", "active"),
    ("✅ Accepted", "active"),
    ("Accepted (2024-02-05)", "active"),
    ("Accepted on 5 February 2024 by Ann", "active"),
    ("Approved", "active"),
    ("Implemented", "active"),
    ("Final", "active"),
    ("This ADR is accepted.", "active"),
    ("Accepted, pending implementation", "active"),
    ("Accepted\n\nAmended by [ADR-9](0009-x.md)", "active"),
    ("Partly superseded", "active"),
    ("Partially superseded by ADR-9", "active"),
    ("Accepted, superseded in part by ADR-9", "active"),
    ("Proposed 2024-01-01\n\nAccepted 2024-02-02", "active"),
    ("~~Proposed~~ Accepted", "active"),
    ("Proposed", "proposed"),
    ("Draft (not yet accepted)", "proposed"),
    ("Pending", "proposed"),
    ("In review", "proposed"),
    ("Under discussion", "proposed"),
    ("Superseded", "superseded"),
    ("Superseded by ADR-9", "superseded"),
    ("Superceded by [9. Accepted things](0009-accepted.md)", "superseded"),
    ("Accepted, superseded by ADR-9", "superseded"),
    ("Accepted\n\nSuperseded by ADR-9", "superseded"),
    ("Replaced by ADR-9", "superseded"),
    ("OPEN\n\nSuperseded by [9. X](0009-x.md)", "superseded"),
    ("Deprecated", "deprecated"),
    ("Accepted 2020, deprecated 2024", "deprecated"),
    ("Rejected", "rejected"),
    ("Withdrawn", "rejected"),
    ("Not accepted", "rejected"),
    ("Abandoned in favour of ADR-9", "rejected"),
    ("Akzeptiert", "active"),
    ("Ersetzt durch ADR-9", "superseded"),
    ("Rejetée", "rejected"),
    ("Propuesta", "proposed"),
    *(
        (words, "proposed")
        for words in ("Not yet accepted", "Awaiting approval", "On hold", "Noch nicht angenommen")
    ),
    *((words, "proposed") for words in ("Pendente", "En attente", "Ask Ann first", "Under construction")),
    *((words, "rejected") for words in ("Nicht angenommen", "Zurückgezogen", "Cancelado", "Odrzucona")),
    *(
        (words, "deprecated")
        for words in ("Revoked", "No longer valid", "Archived", "Outdated", "Aufgehoben")
    ),
    *(
        (words, "active")
        for words in ("Accepted, not yet implemented", "2024-02-05", "5 May 2024", "Supersedes ADR-2")
    ),
    *(
        (words, "active")
        for words in ("Geaccepteerd", "Accettata", "Godkänd", "Vedtaget", "Przyjęta", "Genehmigt")
    ),
]


@pytest.mark.parametrize(("words", "status"), STATUSES)
def test_a_status(words: str, status: DecisionStatus) -> None:
    supersedes = "\n\nSupersedes [3. Keep sessions in files](0003-sessions-in-files.md)"

    assert one(NYGARD.replace("Accepted" + supersedes, words)).status == status


def link(kind: str, target: str, *, backward: bool = False) -> StatedLink:
    assert kind in ("supersedes", "partly_supersedes", "amends")
    return StatedLink(kind, target, backward)  # type: ignore[arg-type]


LINKS: list[tuple[str, list[StatedLink]]] = [
    ("Accepted\n\nSupersedes ADR-002", [link("supersedes", "2")]),
    ("Accepted. Supersedes ADR-002.", [link("supersedes", "2")]),
    ("Accepted\n\nSupersedes 2", [link("supersedes", "2")]),
    ("Accepted\n\nSupersedes: ADR-2, ADR-3 and ADR-4", [link("supersedes", each) for each in "234"]),
    ("Accepted\n\nSupersedes ADRs 2, 3", [link("supersedes", "2"), link("supersedes", "3")]),
    ("Accepted\n\nReplaces RFC 2", [link("supersedes", "RFC 2")]),
    ("Accepted\n\nObsoletes RFC 2", [link("supersedes", "RFC 2")]),
    ("Accepted\n\nSupersedes RFC-7", [link("supersedes", "RFC 7")]),
    ("Accepted\n\nSupersedes RFCs 7 and 8", [link("supersedes", "RFC 7"), link("supersedes", "RFC 8")]),
    *(
        (words, [link("supersedes", "9", backward=True)])
        for words in (
            "Superseded on 2024-05-03 by ADR-9",
            "Superseded in May 2024 by ADR-9",
            "In May 2024 superseded by ADR-9",
            "Superseded (2024-05-03) by ADR-9",
            "Superseded: ADR-9",
            "Superseded (see ADR-9)",
            "Superseded, siehe ADR-9",
            "Ersetzt durch ADR-9",
            "Abgelöst am 3. Mai 2024 durch ADR-9",
            "Substituída pela ADR-9",
            "Remplacée par l'ADR-9",
            "Reemplazada por ADR-9",
            "Zastąpiona przez ADR-9",
        )
    ),
    ("Superseded, see [ADR-9](0009-x.md)", [link("supersedes", "0009-x.md", backward=True)]),
    ("Accepted\n\nErsetzt ADR-2", [link("supersedes", "2")]),
    ("Accepted\n\nSubstitui a ADR-2", [link("supersedes", "2")]),
    ("Superseded on 2024-05-03", []),
    ("Superseded: 2024-05-03", []),
    ("Accepted. Nicht ersetzt durch ADR-9", []),
    ("Superseded by [ADR-0009](0009-new.md)", [link("supersedes", "0009-new.md", backward=True)]),
    ("Superseded by [ADR-0009](./0009-new.md#why)", [link("supersedes", "0009-new.md", backward=True)]),
    (
        "Superseded by [9. It. Again](https://example.org/adr/0009-new.md)",
        [link("supersedes", "0009-new.md", backward=True)],
    ),
    ("Superseded by [ADR-9]", [link("supersedes", "9", backward=True)]),
    ("Superseded by 0009-new.md", [link("supersedes", "0009-new.md", backward=True)]),
    ("Superseded by `0009-new.md`", [link("supersedes", "0009-new.md", backward=True)]),
    ("Superseded by [[0009-new]]", [link("supersedes", "0009-new", backward=True)]),
    ("Superseded by ADR #9 on 2024-03-04", [link("supersedes", "9", backward=True)]),
    ("Superseded by One log for all", [link("supersedes", "One log for all", backward=True)]),
    ("Superseded by “One log for all”", [link("supersedes", "One log for all", backward=True)]),
    ("Superseded by [One log](#one-log)", [link("supersedes", "One log", backward=True)]),
    ("Superseded in part by ADR-9", [link("partly_supersedes", "9", backward=True)]),
    ("Partially superseded by ADR-9", [link("partly_supersedes", "9", backward=True)]),
    (
        "Partly superseded by ADR-9 and ADR-10",
        [link("partly_supersedes", each, backward=True) for each in ("9", "10")],
    ),
    ("Accepted\n\nPartially supersedes ADR-2", [link("partly_supersedes", "2")]),
    ("Accepted\n\nSupersedes parts of ADR-2", [link("partly_supersedes", "2")]),
    ("Accepted\n\nAmends [2. X](0002-x.md)", [link("amends", "0002-x.md")]),
    (
        "Accepted, amended by [9](0009-x.md), [10](0010-y.md)",
        [link("amends", each, backward=True) for each in ("0009-x.md", "0010-y.md")],
    ),
    ("Accepted (the key's age is amended by ADR-9)", [link("amends", "9", backward=True)]),
    ("Accepted\n\nUpdated by ADR-9", [link("amends", "9", backward=True)]),
    (
        "Superseded by [ADR-13](0013-a.md) + [ADR-15](0015-b.md); the old view is gone",
        [link("supersedes", each, backward=True) for each in ("0013-a.md", "0015-b.md")],
    ),
    ("Accepted 2024-07-16. Supersedes ADR-0020.", [link("supersedes", "20")]),
    ("**Superseded by [ADR-16](0016-x.md) (2024-05-01).**", [link("supersedes", "0016-x.md", backward=True)]),
    ("Accepted. Amended by [#151](https://example.org/a/b/issues/151).", []),
    ("Superseded", []),
    ("Superseded by none", []),
    ("Accepted. Does not supersede ADR-2.", []),
    ("Accepted. May be superseded by ADR-9.", []),
    ("Accepted. Will be superseded by ADR-9.", []),
    ("Accepted. Supersedes: n/a", []),
    ("Accepted. Supersedes: —", []),
]


@pytest.mark.parametrize(("words", "links"), LINKS)
def test_links_of_a_status(words: str, links: list[StatedLink]) -> None:
    supersedes = "\n\nSupersedes [3. Keep sessions in files](0003-sessions-in-files.md)"

    assert list(one(NYGARD.replace("Accepted" + supersedes, words)).links) == links


SENTENCES: list[tuple[str, list[StatedLink]]] = [
    ("This ADR supersedes [ADR-2](0002-x.md).", [link("supersedes", "0002-x.md")]),
    ("This decision replaces ADR-2.", [link("supersedes", "2")]),
    ("This ADR in part supersedes [2](0002-x.md).", [link("partly_supersedes", "0002-x.md")]),
    ("It amends ADR-2.", [link("amends", "2")]),
    ("ADR-2 is superseded by this decision.", [link("supersedes", "2")]),
    ("ADR-9 supersedes this ADR.", [link("supersedes", "9", backward=True)]),
    ("**The ranges below have been superseded by ADR-9.**", [link("partly_supersedes", "9", backward=True)]),
    ("This ADR has been superseded by ADR-9.", [link("supersedes", "9", backward=True)]),
    ("ADR-5 supersedes ADR-4.", []),
    ("ADR-4 was superseded by ADR-5.", []),
    ("The new engine replaces 12 old ones.", []),
    ("The cache replaces ADR-2's files.", []),
    ("If ADR-9 is accepted, this would be superseded by ADR-9.", []),
    ("A worker updates 3 rows.", []),
    ("See ADR-2.", []),
]


@pytest.mark.parametrize(("sentence", "links"), SENTENCES)
def test_links_of_a_sentence(sentence: str, links: list[StatedLink]) -> None:
    supersedes = "\n\nSupersedes [3. Keep sessions in files](0003-sessions-in-files.md)"
    text = NYGARD.replace(supersedes, "").replace("Two machines", sentence + " Two machines")

    assert list(one(text).links) == links


FIELDS: list[tuple[str, list[StatedLink]]] = [
    ("- Supersedes: ADR-2", [link("supersedes", "2")]),
    ("- **Supersedes:** [ADR-2](0002-x.md)", [link("supersedes", "0002-x.md")]),
    ("**Superseded by**: ADR-9", [link("supersedes", "9", backward=True)]),
    ("> **Superseded by:** ADR-9", [link("supersedes", "9", backward=True)]),
    ("| Superseded by | [ADR-9](0009-x.md) |", [link("supersedes", "0009-x.md", backward=True)]),
    ("* Amends: 2, 3", [link("amends", "2"), link("amends", "3")]),
    ("Partially supersedes: ADR-2", [link("partly_supersedes", "2")]),
    ("- Superseded by: —", []),
    ("- Supersedes: none", []),
    ("- Related: ADR-2", []),
]


@pytest.mark.parametrize(("field", "links"), FIELDS)
def test_links_of_a_field(field: str, links: list[StatedLink]) -> None:
    text = LOG4BRAINS.replace("- Tags: mail", field if field[0] in "-*" else f"\n{field}\n")
    text = text.replace(
        "superseded by [20240301-send-mail-at-once](20240301-send-mail-at-once.md)", "accepted"
    )

    assert list(one(text).links) == links


TEMPLATES = [
    NYGARD.replace("Accepted", "Proposed | Accepted | Superseded"),
    NYGARD.replace("Accepted", "{proposed | rejected | accepted | deprecated | … }"),
    NYGARD.replace("Accepted", "[Proposed/Accepted]"),
    NYGARD.replace(
        "# 7. Keep sessions in signed cookies", "# {short title, of the problem and its solution}"
    ),
    NYGARD.replace("# 7. Keep sessions in signed cookies", "# ADR-XXXX: Title"),
    NYGARD.replace("# 7. Keep sessions in signed cookies", "# NUMBER. TITLE"),
    NYGARD.replace(
        "We will keep sessions in signed cookies instead of a shared store.", "[Describe the decision.]"
    ),
    MADR_2.replace(
        '"A key that rotates", because an old key dies by itself.', '"{title of option 1}", because {why}.'
    ),
    MADR_3.replace(
        "superseded by [ADR-0009](0009-passkeys.md)", '"{proposed | accepted | superseded by ADR-0123}"'
    ),
]


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_template_is_no_decision(text: str) -> None:
    assert extract(*document_of(text, "0007-a-record.md")) == ()


def test_a_record_inside_a_fence_is_no_decision() -> None:
    text = f"# How to write one\n\nLike this:\n\n~~~md\n{NYGARD}\n~~~\n"

    assert extract(*document_of(text, "how-to.md")) == ()


def test_code_between_three_backticks_in_a_line_opens_no_fence() -> None:
    text = "# How we install\n\n```npm ci``` is how we install.\n\nDecision: we pin every package.\n"

    (found,) = extract(*document_of(text, "install.md"))

    assert found.statement == "we pin every package."


def test_a_status_alone_is_no_decision() -> None:
    text = (
        "# Release 4\n\n**Status:** done\n\n## Problem\n\nIt is slow.\n\n## Solution\n\nA faster machine.\n"
    )

    assert extract(*document_of(text, "release.md")) == ()


OPTIONS = "# 12. Builds\n\n## Options\n\n{options}\n\n## Decision\n\n{decision}\n"


@pytest.mark.parametrize(
    ("options", "decision", "expected"),
    [
        # Each list with a lead is a choice of its own; of the second nothing says which was chosen.
        (
            "For reading:\n\n- **Run make**: must be installed.\n- **ninja**: fast.\n\n"
            "For naming:\n\n- **By day**: short.\n- **By number**: long.",
            "**ninja**, as an ordinary dependency.",
            [("Run make", "must be installed")],
        ),
        # What stands in a name as code belongs to the name.
        ("- **Run `make`**: slow.\n- **ninja**: fast.", "ninja.", [("Run `make`", "slow")]),
        ("- **`make` and a script**: slow.\n- **ninja**: fast.", "ninja.", [("`make` and a script", "slow")]),
        # A few words choose the only option that has them all.
        ("- **Make rules**: old.\n- **Ninja rules**: new.", "Ninja. It is fast.", [("Make rules", "old")]),
        ("- **Make rules**: old.\n- **Ninja rules**: new.", "Rules. They are fast.", []),
        # "not Y" is a choice where something is chosen, and a description elsewhere.
        ("None.", "We build with ninja, not make.", [("make", None)]),
        ("None.", "Ninja at night. We keep logs, not tapes.", [("tapes", None)]),
        ("None.", "Ninja at night. Files are read by Python, not C, in one process.", []),
        ("None.", "Ninja 0.4 and make 0.6; a plateau, not a peak.", []),
        ("None.", "Ninja at night.\n\nIt is a plateau for us, not a peak.", []),
    ],
)
def test_what_was_turned_down(options: str, decision: str, expected: list[tuple[str, str | None]]) -> None:
    assert rejected(one(OPTIONS.format(options=options, decision=decision))) == expected


SEVERAL = """# 12. How boats are named

## Status

**Accepted**

## Context

Two boats had one name.

## Decisions

1. A boat is named after a river.

Examples:

* Elbe
* Weser

2. No name is given twice.

## Consequences

There are more rivers than boats.
"""


@pytest.mark.parametrize("name", ["0012-names.md", "names.md"])
def test_several_decisions_of_a_record_are_its_statement(name: str) -> None:
    (decision,) = extract(*document_of(SEVERAL, name))

    assert (decision.kind, decision.status) == ("record", "active")
    assert decision.statement.startswith("A boat is named after a river.")
    assert decision.statement.endswith("No name is given twice.")


def test_a_list_of_decisions_without_a_status_is_no_record() -> None:
    text = SEVERAL.replace("## Status\n\n**Accepted**\n\n", "")

    assert {each.kind for each in extract(*document_of(text, "names.md"))} == {"marked"}


def test_the_status_is_no_statement(tmp_path: Path) -> None:
    path = tmp_path / "decisions" / "0012-names.md"
    path.parent.mkdir()
    path.write_text("# 12. Names\n\n## Status\n\nAccepted\n\n## Rules\n\nBoats are named after rivers.\n")

    assert [each.statement for each in extract(*document_at(path))] == ["Boats are named after rivers."]


@pytest.mark.parametrize("note", ["Note that a boat here is one with oars.", "**Note:** canoes are boats."])
def test_a_note_before_a_decision_is_passed_over(note: str) -> None:
    text = (
        SEVERAL.replace("## Decisions", f"## Decision\n\n{note}")
        .replace("1. A", "- A")
        .replace("2. N", "- N")
    )
    (decision,) = extract(*document_of(text.replace("Examples:\n\n* Elbe\n* Weser\n\n", ""), "0012-names.md"))

    assert decision.statement == "A boat is named after a river.\n\n- No name is given twice."
