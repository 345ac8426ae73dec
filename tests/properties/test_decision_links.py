"""Whatever records state of each other, links and statuses come out the same in any order, and agree."""

import os
from datetime import UTC, date, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from bob.core.decision import Correction, StatedDecision, StatedLink
from bob.decisions.resolve import resolve

EXAMPLES = int(os.environ.get("BOB_TEST_EXAMPLES", "150"))
STATUSES = ("proposed", "active", "superseded", "deprecated", "rejected")
KINDS = ("supersedes", "partly_supersedes", "amends")
NOW = datetime(2024, 1, 1, tzinfo=UTC)

TARGETS = st.one_of(
    st.integers(0, 6).flatmap(
        lambda n: st.sampled_from(
            [
                str(n),
                f"ADR-{n:04}",
                f"ADR #{n}",
                f"000{n}-title-{n}.md",
                f"./000{n}-title-{n}.md#status",
                f"../b/000{n}-title-{n}.md",
                f"{n}. Title {n}",
                f"Title {n}",
                f"PEP {n}",
                f"https://example.org/adr/000{n}-title-{n}.md",
            ]
        )
    ),
    st.text(max_size=12),
)


@st.composite
def projects(draw):
    count = draw(st.integers(0, 6))
    made = []
    for at in range(count):
        number = draw(st.integers(0, 5))
        folder = draw(st.sampled_from(["/x/a", "/x/b"]))
        links = draw(
            st.lists(st.builds(StatedLink, st.sampled_from(KINDS), TARGETS, st.booleans()), max_size=3)
        )
        made.append(
            StatedDecision(
                decision_id=at + 1,
                path=f"{folder}/{number:04}-title-{number}.md",
                key=draw(st.sampled_from("abcdefg")),
                kind=draw(st.sampled_from(["record", "marked"])),
                number=draw(st.sampled_from([None, str(number)])),
                title=f"Title {number}",
                status=draw(st.sampled_from(STATUSES)),
                stated_date=draw(st.none() | st.dates(date(2015, 1, 1), date(2024, 1, 1))),
                links=tuple(links),
            )
        )
    said = {
        key: Correction("x", key, key, NOW, status=status, superseded_by=by)
        for key, status, by in draw(
            st.lists(
                st.tuples(
                    st.sampled_from("abcdefgh"),
                    st.none() | st.sampled_from(STATUSES),
                    st.none() | st.sampled_from("abcdefgh"),
                ),
                max_size=3,
            )
        )
    }
    return made, said


@settings(max_examples=EXAMPLES, deadline=None)
@given(projects(), st.randoms())
def test_the_order_in_which_decisions_are_given_changes_nothing(project, chance):
    decisions, said = project
    first = resolve(decisions, said)
    chance.shuffle(decisions)
    assert resolve(decisions, said) == first


@settings(max_examples=EXAMPLES, deadline=None)
@given(projects())
def test_links_never_lead_round_or_to_themselves(project):
    decisions, said = project
    found = resolve(decisions, said)
    onward = {}
    for link in found.links:
        assert link.later != link.earlier
        onward.setdefault(link.later, set()).add(link.earlier)
    assert len({(link.later, link.earlier) for link in found.links}) == len(found.links)
    left = dict(onward)
    while left:
        ends = [each for each, nexts in left.items() if not nexts & left.keys()]
        assert ends, left
        for each in ends:
            del left[each]


@settings(max_examples=EXAMPLES, deadline=None)
@given(projects())
def test_statuses_agree_with_links(project):
    decisions, said = project
    found = resolve(decisions, said)
    own = {}
    for each in decisions:
        told = said.get(each.key)
        own[each.decision_id] = told.status if told and told.status else each.status
    for each in decisions:
        status = found.effective[each.decision_id][0]
        fixed = said.get(each.key) is not None and said[each.key].status is not None
        in_force = [
            link
            for link in found.links
            if link.earlier == each.decision_id
            and link.kind == "supersedes"
            and (link.origin == "user" or own[link.later] not in ("proposed", "rejected"))
        ]
        if fixed:
            assert status == own[each.decision_id]
        else:
            assert status == ("superseded" if in_force else own[each.decision_id])


def stated(number, *links, folder="/x/adr", kind="record", title=None, dated=None, status="active"):
    return StatedDecision(
        decision_id=number,
        path=f"{folder}/{number:04}-title-{number}.md",
        key=str(number),
        kind=kind,
        number=str(number),
        title=title or f"Title {number}",
        status=status,
        stated_date=dated,
        links=tuple(StatedLink(*each) for each in links),
    )


def ends(*decisions):
    return {(link.later, link.earlier) for link in resolve(decisions, {}).links}


def test_a_target_is_found_by_number_file_and_title():
    two = stated(2, title="Use a queue")
    names = ("2", "ADR-0002", "adr 2", "0002-title-2.md", "./0002-title-2.md", "../adr/0002-title-2.md")
    names += ("Use a queue", "2. Use a queue", "use a  Queue", "0002-renamed-since.md", "0002-title-2")
    for name in names:
        assert ends(two, stated(7, ("supersedes", name))) == {(7, 2)}, name
        assert ends(two, stated(1, ("supersedes", name, True))) == {(2, 1)}, name
    for name in ("PEP 2", "RFC-0002", "https://example.org/pull/2", "22", "", "Use a queu", "???"):
        assert ends(two, stated(7, ("supersedes", name))) == set(), name


def test_of_two_alike_the_one_of_the_same_folder_is_meant_and_else_none():
    near, far = stated(2), StatedDecision(9, "/y/0002-other.md", "9", "record", "2", "Other", "active", None)
    assert ends(near, far, stated(7, ("supersedes", "2"))) == {(7, 2)}
    elsewhere = stated(7, ("supersedes", "2"), folder="/z")
    found = resolve([near, far, elsewhere], {})
    assert found.links == () and [each.reason for each in found.dropped] == ["could be several"]


def test_part_of_a_decision_superseded_leaves_it_active():
    for kind in ("partly_supersedes", "amends"):
        found = resolve([stated(2), stated(7, (kind, "2"))], {})
        assert found.effective[2][0] == "active" and [link.kind for link in found.links] == [kind]


def test_of_a_circle_the_link_against_the_dates_goes():
    old = stated(2, ("supersedes", "7"), dated=date(2019, 1, 1))
    new = stated(7, ("supersedes", "2"), dated=date(2021, 1, 1))
    found = resolve([old, new], {})
    assert [(link.later, link.earlier) for link in found.links] == [(7, 2)]
    assert [(each.decision_id, each.reason) for each in found.dropped] == [(2, "would make a circle")]
    undated = resolve([stated(2, ("supersedes", "7")), stated(7, ("supersedes", "2"))], {})
    assert undated.links == () and len(undated.dropped) == 2


def test_a_link_to_itself_is_told():
    found = resolve([stated(2, ("supersedes", "ADR-2"))], {})
    assert found.links == () and [each.reason for each in found.dropped] == ["is the decision itself"]


def test_the_date_is_the_users_else_the_documents_else_the_texts_else_the_files():
    def dated(source, kind, text=date(2018, 1, 1), said=None):
        one = StatedDecision(1, "/a.md", "k", "record", "1", "A", "active", text, (), source, kind)
        given = {"k": Correction("x", "k", "k", NOW, date=said)} if said else {}
        return resolve([one], given).effective[1][1:]

    day = date(2020, 1, 1)
    assert dated(day, "front_matter") == (day, "front_matter")
    assert dated(day, "mtime") == dated(day, "git") == (date(2018, 1, 1), "text")
    assert dated(day, "mtime", None) == (day, "mtime") and dated(None, None, None) == (None, None)
    assert dated(day, "front_matter", said=date(2017, 1, 1)) == (date(2017, 1, 1), "user")
