"""Claims of a draft: where they are cut, what they cite, and what is left when some are taken or marked."""

import pytest

from bob.answers.claims.citation_marks import marked
from bob.answers.claims.draft_claims import claims_of, outline
from bob.answers.claims.redaction import removed


def texts(draft):
    return [claim.text for claim in claims_of(draft)]


def without(draft, *said):
    return removed(outline(draft), [claim for claim in claims_of(draft) if claim.text.startswith(said)])


@pytest.mark.parametrize(
    "sentence",
    [
        "Use a managed service, e.g. RDS, for the data.",
        "Dr. Silva wrote v2.3 of it in the U.S. last year.",
        "It needs Python 3.11.4 and 2.5 GB of memory.",
        "See https://example.org/a.b.html and notes.md for it.",
        "The script reads the file and writes the result.",
        "The tests pass, and fail only on Fridays.",
        "If the disk is full, the server stops, and the queue grows.",
        "He said that the server stops, and the queue grows.",
        "The cache holds five items, and it runs on port 80.",
        "It is small, fast, and the best.",
        "**One is bold. Two is bold.**",
        "See [the guide. It is long](http://a.b) first.",
    ],
)
def test_a_statement_that_is_one_claim(sentence):
    assert texts(f"{sentence} Another sentence follows.") == [sentence, "Another sentence follows."]


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            "The cache holds five items, and the server runs on port 80.",
            ["The cache holds five items", "the server runs on port 80."],
        ),
        ("Backups run daily; the logs are kept.", ["Backups run daily", "the logs are kept."]),
        (
            "SQLite is the default, but PostgreSQL is supported.",
            ["SQLite is the default", "PostgreSQL is supported."],
        ),
        (
            "The index **uses** bytes, while the table stores text.",
            ["The index **uses** bytes", "the table stores text."],
        ),
    ],
)
def test_a_compound_sentence_is_several_claims(sentence, parts):
    assert texts(sentence) == parts


@pytest.mark.parametrize(
    "draft",
    [
        "# A heading",
        "Is it true?",
        "Hello Ana!",
        "Best regards, Ana Maria",
        "Liebe Runde,",
        "On the day itself:",
        "Here is what I found:",
        "I hope this helps!",
        "Let me know if you have more questions.",
        "I'm not sure.",
        "The sources do not mention the price.",
        "The following options exist:",
        "---",
        "-\n-",
        "| a | b |\n|---|---|",
        "Sources:\n- [1] notes.md, lines 3 to 5\n- [2] rules.pdf",
        "**Sources**: [1] notes.md",
        "## References\n\n1. The guide to backups",
        "[^1]: The guide to backups",
        "",
    ],
)
def test_what_claims_nothing(draft):
    assert claims_of(draft) == []


def test_courtesy_before_a_fact_does_not_hide_it():
    assert texts("I found that the limit is 5. Yes, the limit is 5.") == [
        "I found that the limit is 5.",
        "Yes, the limit is 5.",
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "No more than four boats may leave at once",
        "Great discounts apply to members",
        "Thanks to Marta the boat was sold",
        "Yes all lamps must burn",
    ],
)
def test_what_begins_as_a_courtesy_may_be_a_claim(claim):
    assert texts(claim) == [claim]


@pytest.mark.parametrize(
    ("table", "claims"),
    [
        ("| Boat | Length |\n|--|--|\n| Heron | 9 m [2] |", ["Boat: Heron; Length: 9 m"]),
        ("| | 2024 |\n|--|--|\n| | 9 |\n| Fees | |", ["2024: 9", "Fees"]),
        ("> | Boat | Length |\n> |--|--|\n> | a \\| b | 9 |", ["Boat: a | b; Length: 9"]),
    ],
)
def test_a_row_claims_what_its_columns_say_of_it(table, claims):
    assert texts(table) == claims


@pytest.mark.parametrize(
    ("draft", "cited"),
    [
        ("A is b [1]. C is d.[2, 3] E is f.", [(1,), (2, 3), ()]),
        ("A is b. [1][2] C is d [^4].", [(1, 2), (4,)]),
        ("The disk is full, and the queue is long [2].", [(2,), (2,)]),
        ("The disk is full [1], and the queue is long [2-4].", [(1,), (2, 3, 4)]),
        ("- The disk is full [7]\n\n| a | b |\n|--|--|\n| x [8] | y [9] |", [(7,), (8, 9)]),
        ("The list `a[1]` is [1](http://x.y) long.", [()]),
    ],
)
def test_what_a_claim_cites(draft, cited):
    assert [claim.citations for claim in claims_of(draft)] == cited


def test_kinds():
    draft = "Prose is it.\n\n- item is it\n\n> quote is it\n\n|a|b|\n|-|-|\n|c|d|\n\n```\nx = 1\n```\n"
    assert [claim.kind for claim in claims_of(draft)] == ["prose", "item", "quote", "row", "code"]


@pytest.mark.parametrize(
    ("draft", "gone", "left"),
    [
        ("The disk is full. The queue is long.", "The disk", "The queue is long."),
        ("The disk is full. The queue is long.", "The queue", "The disk is full."),
        ("The disk is full [1], and the queue is long [2].", "The disk", "The queue is long [2]."),
        ("The disk is full [1], and the queue is long [2].", "the queue", "The disk is full [1]."),
        ("The disk is full; `queue_size` is a name.", "The disk", "`queue_size` is a name."),
        ("- first is it\n- second is it\n\nThe end is near.", "second", "- first is it\n\nThe end is near."),
        ("1. first is it\n2. second is it\n3. third is it", "first", "1. second is it\n2. third is it"),
        ("- parent is it\n  - child is it", "parent", "- …\n  - child is it"),
        ("- parent is it\n  - child is it", "child", "- parent is it"),
        ("# A\n\nFirst is it.\n\n## B\n\nSecond is it.", "Second", "# A\n\nFirst is it."),
        ("# A\n\n## B\n\nSecond is it.\n\n# C\n\nThird is it.", "Second", "# C\n\nThird is it."),
        ("Here they are:\n\n- first is it\n\nThe end is near.", "first", "The end is near."),
        (
            "Hi Ana! Here they are:\n\n- first is it\n\nThe end is near.",
            "first",
            "Hi Ana!\n\nThe end is near.",
        ),
        ("> first is it. Second is it.\n\nThird is it.", ("first", "Second"), "Third is it."),
        ("|a|b|\n|-|-|\n|c|d|\n|e|f|", "a: c", "|a|b|\n|-|-|\n|e|f|"),
        ("|a|b|\n|-|-|\n|c|d|\n\nThe end is near.", "a: c", "The end is near."),
        ("First is it.\n```\nx = 1\n```\nSecond is it.", "x", "First is it.\n\nSecond is it."),
        ("- first is it\n\nMiddle is it.\n\n- last is it", "Middle", "- first is it\n\n…\n\n- last is it"),
    ],
)
def test_removal_leaves_whole_markdown_and_whole_sentences(draft, gone, left):
    assert without(draft, *((gone,) if isinstance(gone, str) else gone)) == left


def test_a_mark_stands_after_its_claim():
    draft = "The disk is full [1], and the queue is long.\n\n|a|b|\n|-|-|\n|c|d|\n\n```\nx = 1"
    claims = claims_of(draft)
    shown = marked(outline(draft), dict.fromkeys(claims, ("contradicted", "5 | not `6`")))
    mark = "[⚠ contradicted: 5 not 6]"
    assert shown == (
        f"The disk is full [1] {mark}, and the queue is long. {mark}\n\n|a|b|\n|-|-|\n|c|d {mark}|\n\n"
        f"```\nx = 1\n```\n\n{mark}"
    )


def test_a_mark_says_the_verdict():
    (claim,) = claims_of("The disk is full.")
    drafted = outline("The disk is full.")
    assert marked(drafted, {claim: ("partly", "")}) == "The disk is full. [⚠ partly supported]"
    assert marked(drafted, {claim: ("unsupported", "")}) == "The disk is full. [⚠ unsupported]"


@pytest.mark.parametrize(
    "draft",
    [
        "**Fees.**",
        "Power plugs:",
        "**The rules of the club**",
        "*Last updated: 3 May 2024*",
        "![the hall at night](hall.png)",
        "<!-- a note – “for later” -->",
    ],
)
def test_labels_titles_images_and_comments_claim_nothing(draft):
    assert claims_of(draft) == []
    assert [claim.text for claim in claims_of(f"{draft}\n\nThe hall is open.")] == ["The hall is open."]


@pytest.mark.parametrize(
    "draft", ["**The hall is open.**", "**30 euros.**", "The hall is open:", "It has 3:"]
)
def test_a_sentence_in_bold_or_before_a_list_is_a_claim(draft):
    assert len(claims_of(draft)) == 1


def test_a_comment_is_no_part_of_a_claim():
    assert [claim.text for claim in claims_of("The hall <!-- which? --> is open.")] == ["The hall is open."]


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_a_denial_is_a_claim_with_either_apostrophe(apostrophe):
    said = f"The pool isn{apostrophe}t open on Sundays!"
    assert [claim.text for claim in outline(said, is_document=True).claims] == [said]
    joined = f"The gate isn{apostrophe}t red, and the door isn{apostrophe}t blue."
    assert len(claims_of(joined)) == 2


def test_items_are_checked_behind_what_denies_them():
    draft = "The policy does not cover:\n\n- hail\n\nThe policy covers:\n\n- storm\n"
    assert [claim.text for claim in claims_of(draft)][1::2] == ["The policy does not cover: hail", "storm"]


@pytest.mark.parametrize(
    ("draft", "claims"),
    [
        ("Here is the answer: the excess is £900.", ["Here is the answer: the excess is £900."]),
        (
            "I checked the policy: claims are sent at once.",
            ["I checked the policy: claims are sent at once."],
        ),
        ("I could not find anything about it, but I can look again.", []),
        ("Here is a summary of what I found:", []),
    ],
)
def test_what_is_said_behind_a_remark_is_checked(draft, claims):
    assert [claim.text for claim in claims_of(draft)] == claims


def test_items_stand_behind_the_sentence_that_denies_them_and_no_other():
    item = "Breakfast on the terrace is served."
    denied = texts(f"The lodge is old. Not included:\n\n- {item}")
    assert denied[-1] == f"Not included: {item}"
    told = texts(f"The lodge is not old. Included is:\n\n- {item}")
    assert told[-1] == item
