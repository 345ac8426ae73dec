"""What a template makes of any values is read back by Bob's own parser."""

import unicodedata
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bob.core.errors import NotFoundError, UsageError
from bob.documents.formats.markdown import parse_markdown
from bob.notes.templates import Templates, parse_template, render

KINDS = ("daily", "decision", "gap", "highlight", "meeting", "project", "recipe", "review", "trip")
TEMPLATES = {kind: Templates().get(kind) for kind in KINDS}
VALUE = st.one_of(
    st.text(st.characters(), max_size=40),
    st.sampled_from(
        ["null", "~", "a: b", "# x", "'", '"\\', "---\nx", "{{title}}", "[a, b]", "2025-01-31", "- [ ] x"]
    ),
)
SOLID = VALUE.filter(lambda text: plain(text))


def plain(text):
    """A value as it stands in a line: control characters and runs of white space are one space."""
    kept = ("\0" if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") else each for each in text)
    return " ".join("".join(kept).replace("\0", " ").split())


def test_the_kinds_of_notes():
    assert Templates().kinds() == list(KINDS)


@settings(max_examples=250, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    title=SOLID,
    project=VALUE,
    tags=st.lists(VALUE, max_size=3),
    day=st.dates(date(1900, 1, 1), date(2099, 12, 31)),
    fields=st.lists(VALUE, min_size=12, max_size=12),
)
@example("decision", "null", "~", ["", "#", "a,b"], date(2025, 1, 31), ["---\n---"] * 12)
def test_all_templates_round_trip(kind, title, project, tags, day, fields):
    template = TEMPLATES[kind]
    own = [name for name in template.names if name not in ("title", "date", "project", "tags")]
    values = dict(zip(own, fields, strict=False)) | {"title": title, "project": project}
    values |= {name: "needed" for name in template.needs if not plain(values[name])}
    note = render(template, values, tags, day, "0007")
    parsed = parse_markdown(note.text)
    assert parsed.title == plain(title) == note.title
    assert (parsed.source_date.value, parsed.source_date.kind) == (day, "front_matter")
    assert parsed.project == (plain(project) or None)
    cleaned = (plain(tag).lstrip("#").strip() for tag in tags)
    assert parsed.tags == tuple(dict.fromkeys([kind, *(tag for tag in cleaned if tag)]))
    assert parsed.extra["kind"] == kind
    for name in set(template.fields) & set(own):
        assert parsed.extra.get(name, "") == plain(values[name]) or template.fields[name]
    assert "\0" not in note.text and not {"\x1b", "\ud800"} & set(note.text)


def test_a_value_keeps_its_lines_where_it_stands_alone():
    note = render(
        TEMPLATES["highlight"], {"title": "T", "quote": "one\n\ntwo {{title}}"}, [], date(2025, 1, 31), ""
    )
    assert "\n> one\n>\n> two {{title}}\n\nSource:\n\n## Why" in note.text


def test_a_list_that_nobody_changed_stays_a_list():
    template = parse_template("walk", "---\nwith: [Ana, Rui]\n---\n# {{title}}\n{{with}}\n", "walk.md")
    day = date(2025, 1, 31)
    assert render(template, {"title": "T"}, [], day, "").text == (
        "---\ntitle: T\ndate: 2025-01-31\nkind: walk\nwith: [Ana, Rui]\n---\n# T\nAna, Rui\n"
    )
    assert "with: Bo\n" in render(template, {"title": "T", "with": "Bo"}, [], day, "").text


def test_a_folder_of_templates_adds_and_replaces(tmp_path):
    (tmp_path / "daily.md").write_text(
        "---\ntitle: Day {{date}}\n---\nMine\n".replace("Day {{date}}", '"Day {{date}}"')
    )
    (tmp_path / "walk.md").write_text("no front matter")
    (tmp_path / "Not a kind.md").write_text("x")
    templates = Templates(tmp_path)
    assert templates.kinds() == sorted([*KINDS, "walk"])
    note = render(templates.get("daily"), {}, [], date(2025, 1, 31), "")
    assert (note.title, note.file) == ("Day 2025-01-31", "Day 2025-01-31") and note.text.endswith(
        "---\nMine\n"
    )
    with pytest.raises(UsageError, match=r"walk\.md: a template begins with front matter"):
        templates.get("walk")
    with pytest.raises(NotFoundError, match="nap: unknown kind of note; use one of daily, decision"):
        templates.get("nap")
    with pytest.raises(UsageError, match=r"no such folder; change notes\.templates"):
        Templates(tmp_path / "gone").kinds()


MISTAKES = [
    ("---\ntitle: {{date}}\n---\n", "in quotes"),
    ("---\nx: {a: b}\n---\n", "x: the front matter of a template can have only texts and lists of texts"),
    ("---\nBig Name: x\n---\n", "lower-case letters"),
    ("---\ntemplate: {abuot: x}\n---\n", "template can have only about, file, folder, needs"),
    ("---\njust words\n---\n", "has no keys"),
    ("---\ntitle: x\n", "between two lines of ---"),
]


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_wrong_template_is_told(text, said):
    with pytest.raises(UsageError, match=r"^own\.md: ") as raised:
        parse_template("own", text, "own.md")
    assert said in str(raised.value)


def test_missing_and_unknown_fields_are_told():
    day = date(2025, 1, 31)
    with pytest.raises(UsageError, match="highlight: title and quote must not be empty"):
        render(TEMPLATES["highlight"], {"quote": " \n"}, [], day, "")
    with pytest.raises(UsageError, match="trip: unknown field number; use one of title, date,"):
        render(TEMPLATES["trip"], {"title": "T", "number": "1"}, [], day, "")
