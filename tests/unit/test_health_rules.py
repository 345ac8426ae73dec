"""Each rule by facts: what it tells, and what it keeps quiet about."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.answers.feedback_rows import FeedbackVerdict
from bob.health.decision_rules import decision_findings, source_findings
from bob.health.document_rules import DocumentLimits, document_findings
from bob.health.facts import (
    AnswerFacts,
    Cited,
    DocumentFacts,
    FailureFacts,
    Feedbacked,
    HealthFacts,
    LinkFacts,
    PagesFacts,
    QuestionGroup,
    SupersededFacts,
    VectorFacts,
)
from bob.health.link_rules import link_findings
from bob.health.question_rules import grouped, plain, question_findings
from bob.health.resolved_links import LinkJudge, assembled
from bob.health.similar_documents import groups_of, similar_pairs
from bob.health.values import RULES, Evidence, Finding, Fix, by_effect, scores
from bob.models.networks import OnnxEmbedder
from bob.notes.relink import relinked

MODEL = OnnxEmbedder(threads=1)
TODAY = date(2026, 6, 1)
ASKED = datetime(2026, 5, 1, tzinfo=UTC)
LIMITS = DocumentLimits(
    lambda source_type: 730 if source_type == "markdown" else None, 10, frozenset({"inbox"})
)


def document(path, **values):
    base = DocumentFacts(
        1, path, "notes", "A title", "markdown", date(2026, 1, 1), "front_matter", (), {}, path, 0, 1
    )
    return replace(base, **values)


def answer(question, number=1, *, found=True, retrieved=(), cited=(), verdicts=(), filters=None):
    places = tuple(Cited(path, {"start_line": line, "end_line": line}, "words") for path, line in cited)
    given = {each: Feedbacked(ASKED, None) for each in verdicts}
    return AnswerFacts(number, ASKED, question, found, filters or {}, frozenset(retrieved), places, given)


def group(*answers):
    return QuestionGroup(answers)


def link(source, leads_to, state="ok", text="see it", written="x", alike=(), moved_to=None):
    return LinkFacts(source, "notes", 3, text, written, state, leads_to, alike, moved_to)


def rules(findings):
    names = sorted(each.rule for each in findings)
    assert {*names} <= {*RULES}
    return names


# Documents


def told(document, today=TODAY):
    return rules(document_findings(HealthFacts(documents=[document]), LIMITS, today))


def test_a_note_that_is_as_it_should_be():
    assert told(document("/n/a.md")) == []


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"source_date_kind": "mtime"}, ["no-date"]),
        ({"source_date": None, "source_date_kind": None}, ["no-date"]),
        ({"source_date_kind": "mtime", "source_type": "code"}, []),
        ({"title": "a", "headed": False}, ["no-title"]),
        ({"title": "a", "headed": True}, []),
        ({"title": "a", "headed": False, "source_type": "csv"}, []),
        ({"project": "Inbox"}, ["no-project"]),
        ({"source_date": date(2024, 6, 1)}, []),
        ({"source_date": date(2024, 5, 31)}, ["stale"]),
        ({"source_date": date(2020, 1, 1), "source_date_kind": "file_name"}, []),
        ({"source_date": date(2020, 1, 1), "extra": {"kind": "meeting"}}, []),
        ({"source_date": date(2020, 1, 1), "tags": ("Journal",)}, []),
        ({"source_date": date(2020, 1, 1), "extra": {"status": "Superseded by it"}}, []),
        ({"source_date": date(2020, 1, 1), "source_type": "mail"}, []),
        ({"source_date": date(2020, 1, 1), "past": True}, []),
    ],
)
def test_what_a_document_lacks(values, rule):
    assert told(document("/n/a.md", **values)) == rule


@pytest.mark.parametrize(("whole", "rule"), [(True, []), (False, ["stale"])])
def test_the_record_of_a_replaced_decision_is_not_stale(whole, rule):
    old = document("/n/0001.md", source_date=date(2020, 1, 1))
    replaced = SupersededFacts("1", "Old", old.path, "notes", whole, {})
    assert (
        rules(document_findings(HealthFacts(documents=[old], superseded=[replaced]), LIMITS, TODAY)) == rule
    )


def test_documents_of_one_folder_are_told_together():
    lacking = [document(f"/n/{name}.md", source_date_kind="mtime") for name in "abc"]
    (finding,) = document_findings(HealthFacts(documents=lacking), LIMITS, TODAY)
    assert (finding.count, len(finding.paths)) == (3, 3) and "3 documents in n have" in finding.title


def test_what_no_answer_needed_is_told_after_enough_answers():
    notes = [document(f"/n/{name}.md") for name in "abcd"]
    asked = [answer(f"{number}?", number, retrieved=["/n/a.md", "/n/b.md"]) for number in range(10)]
    linked = [link("/n/c.md", "/n/d.md")]
    enough = HealthFacts(documents=notes, answers=asked, links=linked)
    (finding,) = document_findings(enough, LIMITS, TODAY)
    assert (finding.rule, finding.paths) == ("never-retrieved", ("/n/c.md", "/n/d.md"))
    assert not [*document_findings(replace(enough, answers=asked[:9]), LIMITS, TODAY)]
    many = replace(enough, documents=[*notes, *(document(f"/n/x{at}.md") for at in range(10))])
    assert not [*document_findings(many, LIMITS, TODAY)], "ten answers say little about fourteen documents"
    later = int((ASKED + timedelta(days=1)).timestamp() * 1e9)
    newer = [replace(each, mtime_ns=later) for each in notes]
    assert not [*document_findings(replace(enough, documents=newer), LIMITS, TODAY)], "they came after"


# Links


def judge(documents, *, on_disk=(), left=(), headings=()):
    return LinkJudge(
        documents,
        ["/n"],
        on_disk=lambda path: path in on_disk,
        on_disk_named=lambda name: any(path.endswith(f"/{name}") for path in on_disk),
        left=frozenset(left),
        anchors=lambda each: ([*headings], ['<a id="spelled"></a>']),
    )


def test_only_a_file_of_the_same_project_or_folder_was_moved():
    documents = [
        document("/n/a.md"),
        document("/n/f/moved.md"),
        document("/other/same.md", project="garden"),
        document("/far/mine.md"),
    ]
    judge = LinkJudge(
        documents,
        ["/n", "/other", "/far"],
        on_disk=lambda path: False,
        on_disk_named=lambda name: False,
        left=frozenset(),
        anchors=lambda each: ([], []),
    )
    text = "[x](b/moved.md) [y](b/same.md) [z](b/mine.md)"
    found = {each.written: each.moved_to for each in judge.links_of(documents[0], [(1, text)])}
    assert list(found.values()) == ["/n/f/moved.md", None, "/far/mine.md"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("[[b]]", "ok"),
        ("[x](b.md#Part-one)", "ok"),
        ("[x](b.md#spelled)", "ok"),
        ("[x](b.md#part-two)", "no-anchor"),
        ("[x](c.md)", "missing"),
        ("![x](p.png)", "ok"),
        ("![[p.png]]", "ok"),
        ("![[q.png]]", "missing"),
        ("[x](gone.md)", "left"),
        ("[[gone]]", "left"),
        ("[[old]]", "superseded"),
    ],
)
def test_where_a_link_leads(text, state):
    notes = [document("/n/a.md"), document("/n/b.md"), document("/n/old.md", extra={"status": "obsolete"})]
    judged = judge(notes, on_disk=["/n/p.png"], left=["/n/gone.md"], headings=["Part one"])
    (found,) = judged.links_of(notes[0], [(1, "# A"), (4, f"Words {text} words.")])
    assert (found.state, found.line, found.line_text) == (state, 4, f"Words {text} words.")


def test_external_links_are_left_alone():
    assert not [*judge([]).links_of(document("/n/a.md"), [(1, "[x](https://x.org) <mailto:a@b.c>")])]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([(1, "a\nb"), (4, "c")], "a\nb\n\nc"),
        ([(2, "a"), (2, "b\nc"), (3, "d")], "\na b\nc d"),
    ],
)
def test_a_document_is_put_together_from_its_chunks(pieces, text):
    assert assembled(pieces) == text


def test_links_that_lead_nowhere():
    links = [
        link("/n/a.md", None, "missing", written="c.md", alike=("/n/f/c.md",), moved_to="/n/f/c.md"),
        link("/n/a.md", None, "missing", written="c.md", alike=("/n/f/c.md",), moved_to="/n/f/c.md"),
        link("/n/a.md", None, "missing", written="d.md", alike=("/n/f/d.md", "/n/g/d.md")),
        link("/n/a.md", None, "missing", written="e.md", alike=("/other/e.md",)),
        link("/n/a.md", "/n/gone.md", "left"),
    ]
    mended, two, elsewhere, left = link_findings(HealthFacts(documents=[document("/n/a.md")], links=links))
    assert (mended.count, mended.fix.kind, mended.fix.values["leads_to"]) == (2, "link", "/n/f/c.md")
    assert mended.fix.command == f"bob health fix {mended.finding_id}"
    assert two.fix.kind is None and "/n/g/d.md" in two.fix.text
    assert elsewhere.fix.kind is None and "/other/e.md" in elsewhere.fix.text
    assert (left.rule, left.about) == ("rests-on-deleted", "/n/gone.md")


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 1),
        ({"text": "see [old], which it replaces"}, 0),
        ({"source": "/n/2025-01-01 talk.md"}, 0),
        ({"source": "/n/new.md"}, 0),
    ],
)
def test_what_is_out_of_force_is_linked_as_current(changes, count):
    documents = [
        document("/n/a.md"),
        document("/n/new.md"),
        document("/n/2025-01-01 talk.md", source_date_kind="file_name"),
        document("/n/old.md", extra={"status": "superseded", "superseded_by": "[[new]]"}),
    ]
    one = link(changes.get("source", "/n/a.md"), "/n/old.md", "superseded", changes.get("text", "see it"))
    found = rules(link_findings(HealthFacts(documents=documents, links=[one])))
    assert found.count("rests-on-superseded") == count


def test_orphans_are_told_where_notes_are_linked():
    notes = [document(f"/n/{name}.md") for name in "abcd"]
    links = [link("/n/a.md", "/n/b.md")]
    found = link_findings(HealthFacts(documents=notes, links=links))
    assert [each.paths for each in found] == [("/n/c.md",), ("/n/d.md",)]
    needed = [answer("?", retrieved=["/n/c.md"])]
    assert rules(link_findings(HealthFacts(documents=notes, links=links, answers=needed))) == ["orphan-note"]
    assert not [*link_findings(HealthFacts(documents=notes))], "nobody links notes here"
    own = [link("/n/a.md", "/n/a.md"), link("/n/b.md", "/n/d.md")]
    assert len([*link_findings(HealthFacts(documents=notes, links=own))]) == 2, "to itself is no link"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("[x](old/c.md#p) `[x](old/c.md#p)` [y](c.md)", "[x](f/c.md#p) `[x](old/c.md#p)` [y](c.md)"),
        ("[x](<old/c.md#p>)", "[x](<f/c.md#p>)"),
        ("[[old/c.md#p|shown]]", "[[c#p|shown]]"),
        ("[r]\n\n[r]: old/c.md#p", "[r]\n\n[r]: f/c.md#p"),
        ("`[x](old/c.md#p)`", None),
    ],
)
def test_a_link_is_mended_where_it_stands(text, mended):
    assert relinked(text, "/n/a.md", "old/c.md#p", "/n/f/c.md") == mended


def test_a_path_with_spaces_is_written_as_an_address():
    assert relinked("[x](c.md)", "/n/a.md", "c.md", "/n/b (1)/c d.md") == "[x](b%20%281%29/c%20d.md)"


# Decisions

OLD = SupersededFacts(
    "k",
    "Use A",
    "/n/1.md",
    "notes",
    True,
    {"start_line": 1, "end_line": 9},
    ("/n/2.md",),
    "Use B",
    "/n/2.md",
    date(2026, 2, 1),
)


@pytest.mark.parametrize(
    ("source", "text", "told"),
    [
        ({}, "see it", True),
        ({}, "formerly [A](1.md)", False),
        ({"source_date": date(2026, 1, 31)}, "see it", False),
        ({"source_date": date(2026, 2, 1)}, "see it", True),
        ({"source_date": date(2026, 1, 31), "source_date_kind": "mtime"}, "see it", True),
        ({"extra": {"kind": "meeting"}}, "see it", False),
        ({"path": "/n/2.md"}, "see it", False),
    ],
)
def test_links_to_a_superseded_decision(source, text, told):
    note = replace(document("/n/a.md", source_date=date(2026, 3, 1)), **source)
    facts = HealthFacts(documents=[note], links=[link(note.path, "/n/1.md", text=text)], superseded=[OLD])
    found = [*decision_findings(facts)]
    assert rules(found) == (["superseded-decision-cited"] if told else [])
    assert all("«Use B» (2.md)" in each.fix.text for each in found)


@pytest.mark.parametrize(
    ("decision", "cited", "told"),
    [
        (OLD, [("/n/1.md", 4)], True),
        (OLD, [("/n/1.md", 4), ("/n/2.md", 4)], False),
        (replace(OLD, since=date(2026, 5, 2)), [("/n/1.md", 4)], False),
        (replace(OLD, whole=False), [("/n/1.md", 9)], True),
        (replace(OLD, whole=False), [("/n/1.md", 10)], False),
    ],
)
def test_answers_that_cite_a_superseded_decision(decision, cited, told):
    groups = [group(answer("What do we use?", cited=cited))]
    assert [
        each.uses for each in decision_findings(HealthFacts(questions=groups, superseded=[decision]))
    ] == ([1] if told else [])
    again = [group(answer("What?", cited=cited), answer("What?", 2, cited=[("/n/2.md", 1)]))]
    assert not [*decision_findings(HealthFacts(questions=again, superseded=[decision]))]


# Questions


@pytest.mark.parametrize(
    ("answers", "rule"),
    [
        ([answer("a?")], []),
        ([answer("a?", found=False)], ["unanswered-question"]),
        ([answer("a?", found=False), answer("a?", 2)], []),
        ([answer("a?"), answer("a?", 2, found=False)], ["unanswered-question"]),
        ([answer("a?", verdicts=[FeedbackVerdict.DIDNT_ANSWER])], ["unanswered-question"]),
        ([answer("a?", number) for number in range(2)], []),
        ([answer("a?", number) for number in range(3)], ["repeated-question"]),
        ([*(answer("a?", at) for at in range(3)), answer("a?", 3, verdicts=[FeedbackVerdict.HELPFUL])], []),
        ([answer("a?", number, found=False) for number in range(4)], ["unanswered-question"]),
    ],
)
def test_questions(answers, rule):
    assert rules(question_findings(HealthFacts(questions=[group(*answers)]))) == rule


def test_a_question_with_a_gap_note_is_known():
    facts = HealthFacts(questions=[group(answer("Why is it?", found=False))])
    (finding,) = question_findings(facts)
    by_id = document("/n/g.md", extra={"kind": "gap", "finding": finding.finding_id})
    by_title = document("/n/g.md", title="why is it", extra={"kind": "gap"})
    for note in (by_id, by_title):
        assert not [*question_findings(replace(facts, documents=[note]))]
    assert len([*question_findings(replace(facts, documents=[document("/n/g.md", title="Why is it?")]))]) == 1


@pytest.mark.parametrize("verdict", [FeedbackVerdict.WRONG_SOURCE, FeedbackVerdict.OUTDATED])
def test_a_bad_answer_is_told_until_its_source_changes(verdict):
    bad = answer("a?", cited=[("/n/a.md", 2)], verdicts=[verdict])
    before, after = (int((ASKED + timedelta(hours=at)).timestamp() * 1e9) for at in (-1, 1))
    facts = HealthFacts(documents=[document("/n/a.md", mtime_ns=before)], answers=[bad])
    (finding,) = question_findings(facts)
    assert (finding.paths, finding.severity) == (("/n/a.md",), "error")
    assert not [*question_findings(replace(facts, documents=[document("/n/a.md", mtime_ns=after)]))]
    assert not [*question_findings(replace(facts, documents=[]))], "the source is gone"


def vectors_of(*pairs):
    return {plain(question): np.array(vector, np.float32) for question, vector in pairs}


def test_the_same_question_in_other_words_is_one():
    answers = [
        answer("How is it?", 1),
        answer("And how is it", 2),
        answer("What of plot 5?", 3),
        answer("And of plot 6?", 4),
        answer("HOW is it", 5),
        answer("How is it?", 6, filters={"projects": ["x"]}),
    ]
    near, other = (1, 0), (0.6, 0.8)
    vectors = vectors_of(
        ("How is it?", near),
        ("And how is it", (0.9, 0.436)),
        ("What of plot 5?", other),
        ("And of plot 6?", other),
    )
    found = [[each.answer_id for each in one.answers] for one in grouped(answers, vectors)]
    assert found == [[1, 2, 5], [3], [4], [6]]
    assert [len(one.answers) for one in grouped(answers, {})] == [2, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("When does the gate close?", "At what time is the gate closed?", True),
        ("Who has the key to the shed?", "Who keeps the shed key?", True),
        ("Why did we drop Redis?", "What was the reason for dropping Redis?", True),
        ("What is the wifi password?", "Which password does the wifi have?", True),
        ("When did we drop Redis?", "Why did we drop Redis?", False),
        ("When does the gate close?", "When does the gate open?", False),
        ("How do I water the tomatoes?", "How do I prune the tomatoes?", False),
        ("What is in plot 5?", "What is in plot 6?", False),
    ],
)
def test_the_model_that_comes_with_bob_tells_the_same_question(one, other, same):
    texts = [plain(one), plain(other)]
    vectors = dict(zip(texts, MODEL.embed(texts), strict=True))
    assert len(grouped([answer(one), answer(other, 2)], vectors)) == (1 if same else 2)


# Sources


@pytest.mark.parametrize(
    ("failure", "rule", "kind"),
    [
        (
            FailureFacts("/n/a.pdf", "no-text", "there is no text", "notes", False, True),
            "pdf-without-text",
            None,
        ),
        (
            FailureFacts("/n/a.txt", "no-text", "there is no text", "notes", False, True),
            "unreadable-file",
            None,
        ),
        (
            FailureFacts("/n/a.docx", "damaged", "it is damaged", "notes", True, True),
            "unreadable-file",
            "retry",
        ),
        (
            FailureFacts("/n/a.docx", "damaged", "it is damaged", "notes", False, False),
            "unreadable-file",
            "retry",
        ),
    ],
)
def test_files_that_could_not_be_read(failure, rule, kind):
    (finding,) = source_findings(HealthFacts(failures=[failure]))
    assert (finding.rule, finding.fix.kind, finding.severity) == (rule, kind, "error")


def test_pages_without_text_and_missing_files():
    pages = [PagesFacts("/n/a.pdf", "notes", 2, 10), PagesFacts("/n/b.pdf", "notes", 5, 10)]
    facts = HealthFacts(pages=pages, missing=[document("/n/c.md")])
    assert [(each.rule, each.paths) for each in source_findings(facts)] == [
        ("pdf-without-text", ("/n/a.pdf",)),
        ("missing-file", ("/n/c.md",)),
    ]


def test_files_that_were_read_in_part_say_what_was_left_out():
    sentences = ("attachment plan.dwg is of no format that Bob reads", "attachment b.doc is not read (old)")
    facts = HealthFacts(
        pages=[PagesFacts("/n/scan.pdf", "notes", 2, 10)],
        documents=[
            document("/n/a.eml", left_out=sentences),
            document("/n/old.eml", left_out=sentences, past=True),
            document("/n/scan.pdf", left_out=("pages 3 to 10 have no text (scanned?)",)),
            document("/n/whole.md"),
        ],
    )
    scan, mail = source_findings(facts)
    assert (scan.rule, mail.rule, mail.severity) == ("pdf-without-text", "read-in-part", "note")
    assert mail.title == f"a.eml was read in part: {sentences[0]} (and 1 more)"
    assert [each.text for each in mail.evidence] == ["; ".join(sentences)] and mail.paths == ("/n/a.eml",)


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        (VectorFacts("m", "m", 5, 0, 0), []),
        (VectorFacts(None, "m", 0, 0, 0), []),
        (VectorFacts("m", "m", 5, 2, 1), ["embeddings-pending"]),
        (VectorFacts("old", "m", 5, 5, 0), ["embeddings-drift"]),
    ],
)
def test_vectors(state, rule):
    assert rules(source_findings(HealthFacts(vectors=state))) == rule


# The queue


def finding(name="a", severity="warning", *, project="p", paths=("/n/a.md",), **values):
    return Finding(name, "rule", name, severity, project, (Evidence("x"),), Fix("do"), paths=paths, **values)


def test_what_helps_most_comes_first():
    given = [
        finding("note", "note"),
        finding("warning"),
        finding("used", paths=("/n/b.md",)),
        finding("error", "error", paths=()),
        finding("often", "note", count=32),
    ]
    ordered = by_effect(given, {"/n/b.md": 3})
    assert [(each.title, each.effect) for each in ordered] == [
        ("used", 12.0),
        ("error", 10.0),
        ("often", 6.0),
        ("warning", 4.0),
        ("note", 1.0),
    ]
    assert ordered[0].uses == 3


@pytest.mark.parametrize(
    ("given", "documents", "score"),
    [
        ([], 10, 100),
        ([finding()], 10, 95),
        ([finding(), finding("b", "error")], 10, 90),
        ([finding(severity="note")], 1000, 99),
        ([finding(severity="error", paths=())], 9, 90),
        ([finding(severity="error", paths=())], 0, 0),
    ],
)
def test_scores(given, documents, score):
    assert scores(given, {"p": documents})["p"].score == score


def test_nothing_has_no_score():
    assert scores([], {}) == {}


def test_all_projects_together_have_a_score_too():
    found = scores([finding(project=""), finding(project="p")], {"p": 10, "q": 9})
    assert {name: each.score for name, each in found.items()} == {"p": 95, "q": 100, "": 97}
    assert scores([], {"p": 1}).keys() == {"p"}


# Duplicates


def hashed(word):
    """As terms are: equally likely numbers of 52 bits."""
    return Random(word).getrandbits(52)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1_000_000), st.integers(0, 3))
def test_near_duplicates_are_found_among_others(seed, changed):
    chance = Random(seed)
    sets = [set(chance.sample(range(400), chance.randrange(30, 120))) for _ in range(chance.randrange(2, 9))]
    sets.append(set(sorted(sets[0])[changed:]) | {1000 + at for at in range(changed)})
    laid = [np.array([hashed(at) for at in each], np.uint64) for each in sets]
    starts = np.cumsum([0, *(len(each) for each in laid[:-1])])
    pairs = {(one, other): like for one, other, like in similar_pairs(np.concatenate(laid), starts, 0.8, 20)}

    def jaccard(one, other):
        return len(sets[one] & sets[other]) / len(sets[one] | sets[other])

    assert all(like >= 0.8 and like == pytest.approx(jaccard(*pair)) for pair, like in pairs.items())
    assert jaccard(0, len(sets) - 1) < 0.9 or (0, len(sets) - 1) in pairs


def test_pairs_become_groups():
    assert groups_of([(1, 2, 0.9), (3, 4, 0.8), (2, 5, 0.85)]) == [([1, 2, 5], 0.85), ([3, 4], 0.8)]
    assert groups_of([]) == []


def test_a_part_of_a_finding_says_how_much_is_left_out():
    whole = Finding("a", "r", "t", "note", "", tuple(Evidence(str(n)) for n in range(5)), Fix("do"))
    assert whole.more_evidence == 0
    for start, most, texts, more in ((0, 2, "01", 3), (2, 2, "23", 1), (4, 9, "4", 0), (7, 2, "", 0)):
        part = whole.part(start, most)
        assert ("".join(each.text for each in part.evidence), part.more_evidence) == (texts, more)
