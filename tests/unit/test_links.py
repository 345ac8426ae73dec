"""Links are found where Markdown has them, and lead where a reader would go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.notes.link_targets import LinkTargets, has_anchor, slug_of
from bob.notes.links import blank_code, find_links


def brief(text):
    return [(link.kind, link.target, link.anchor, link.line) for link in find_links(text)]


FOUND = {
    "[a](b.md)": [("inline", "b.md", "", 1)],
    "one\n\ntwo [a](b.md#c-d) and ![i](p/q.png)": [("inline", "b.md", "c-d", 3), ("image", "p/q.png", "", 3)],
    "[[Note]] [[Note|shown]] [[f/Note#Part]] ![[p.png]]": [
        ("wiki", "Note", "", 1),
        ("wiki", "Note", "", 1),
        ("wiki", "f/Note", "Part", 1),
        ("embed", "p.png", "", 1),
    ],
    "| [[Note\\|shown]] |": [("wiki", "Note", "", 1)],
    "[[#Part]]": [("wiki", "", "Part", 1)],
    "[a](#part)": [("inline", "", "part", 1)],
    "[![alt](i.png)](b.md)": [("image", "i.png", "", 1), ("inline", "b.md", "", 1)],
    "[a](<b c.md>)": [("inline", "b c.md", "", 1)],
    '[a](b%20c.md "title")': [("inline", "b c.md", "", 1)],
    "[a](b_(c).md)": [("inline", "b_(c).md", "", 1)],
    "[a](b\\_c.md?x=1)": [("inline", "b_c.md", "", 1)],
    "[two\nlines](b.md)": [("inline", "b.md", "", 1)],
    "[a][ref]\n\n[ref]: b.md": [("reference", "b.md", "", 3)],
    "[ref]\n\n[Ref]: <b c.md> 'title'": [("reference", "b c.md", "", 3)],
    "[ref][]\n\n[ref]: b.md\n[ref]: c.md": [("reference", "b.md", "", 3)],
    "[[1]](b.md)": [("inline", "b.md", "", 1)],
    "[a](https://x.org/p?q#r)": [("inline", "https://x.org/p?q#r", "", 1)],
    "- item\n\n    [a](b.md)": [("inline", "b.md", "", 3)],
    "```\n[a](b.md)\n```\n[c](d.md)": [("inline", "d.md", "", 4)],
    "`x` [a](b.md) `y`": [("inline", "b.md", "", 1)],
    "`[x](y)` [a](b.md) ` [c](d.md)": [("inline", "b.md", "", 1), ("inline", "d.md", "", 1)],
    "a `\n\n[a](b.md) `": [("inline", "b.md", "", 3)],
    '---\nsee: "[[Note]]"\n---\n': [("wiki", "Note", "", 2)],
}
NOT_FOUND = [
    "plain",
    "`[a](b.md)` and ``[[x]] ` [[y]]``",
    "~~~md\n[a](b.md)\n~~~",
    "- item\n  ```\n  [a](b.md)\n  ```",
    "- \t```\n  [a](b.md)\n  ```",
    "text\n\n    [a](b.md)\n",
    "<!-- [a](b.md)\n[[x]] -->",
    "\\[a](b.md)",
    "[ref]: b.md",
    "text[^1]\n\n[^1]: b.md",
    "[//]: # (a comment)",
    "a ](b.md)",
    "[a\n\nb](c.md)",
    "[[ ]] [[]]",
]


@pytest.mark.parametrize("text", FOUND)
def test_found(text):
    assert brief(text) == FOUND[text]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_no_link(text):
    assert brief(text) == []


@pytest.mark.parametrize("text", [each for each in FOUND if "%" not in each and "\\_" not in each])
def test_the_range_is_where_the_target_is_written(text):
    for link in find_links(text):
        written = link.target + (f"#{link.anchor}" if link.anchor else "")
        assert text[link.start : link.end] == written


@given(st.text(alphabet="[]()!`#\\|<>:- \n\tab.~^", max_size=120))
def test_any_text_is_read_with_places_in_it(text):
    assert [len(line) for line in blank_code(text).split("\n")] == [len(line) for line in text.split("\n")]
    for link in find_links(text):
        assert 0 <= link.start <= link.end <= len(text)
        assert 1 <= link.line <= text.count("\n") + 1


PATHS = ["/v/a.md", "/v/f/b.md", "/v/g/b.md", "/v/f/c d.md", "/v/img/p.png", "/v/f/Ünter.md"]
TARGETS = LinkTargets(PATHS, ["/v"], {"The Long Title": "/v/a.md"})


@pytest.mark.parametrize(
    ("text", "source", "leads"),
    [
        ("[x](b.md)", "/v/f/c d.md", "/v/f/b.md"),
        ("[x](../a.md)", "/v/f/b.md", "/v/a.md"),
        ("[x](c%20d)", "/v/f/b.md", "/v/f/c d.md"),
        ("[x](/f/b.md)", "/v/g/b.md", "/v/f/b.md"),
        ("[x](/v/f/b.md)", "/v/g/b.md", "/v/f/b.md"),
        ("[x](f/)", "/v/a.md", "/v/f"),
        ("[x](#y)", "/v/a.md", "/v/a.md"),
        ("[x](b.md)", "/v/a.md", None),
        ("[x](A.md)", "/v/f/b.md", None),
        ("[[b]]", "/v/g/z.md", "/v/g/b.md"),
        ("[[b]]", "/v/a.md", "/v/f/b.md"),
        ("[[g/b]]", "/v/f/b.md", "/v/g/b.md"),
        ("[[B.md]]", "/v/a.md", "/v/f/b.md"),
        ("[[u\u0308nter]]", "/v/a.md", "/v/f/Ünter.md"),
        ("[[../a]]", "/v/f/b.md", "/v/a.md"),
        ("[[the long title]]", "/v/f/b.md", "/v/a.md"),
        ("![[p.png]]", "/v/f/b.md", "/v/img/p.png"),
        ("[[q]]", "/v/f/b.md", None),
        ("[[h/b]]", "/v/f/b.md", None),
    ],
)
def test_where_links_lead(text, source, leads):
    (link,) = find_links(text)
    assert TARGETS.resolve(link, source) == leads


def test_files_of_the_same_name_and_places_to_look_at():
    (link,) = find_links("[x](h/b.md)")
    assert TARGETS.named_alike(link) == ["/v/f/b.md", "/v/g/b.md"]
    assert TARGETS.places(link, "/v/a.md") == ["/v/h/b.md"]


@pytest.mark.parametrize(
    ("anchor", "there"),
    [
        ("two-words", True),
        ("Two words", True),
        ("two-words-1", True),
        ("Part#Two words", True),
        ("^block", True),
        ("L10", True),
        ("three", False),
        ("two-words-2", False),
    ],
)
def test_anchors(anchor, there):
    assert has_anchor(anchor, ["Part", "Two words", "Two words!"]) is there


def test_slugs():
    assert slug_of("What's new, in 1.2?") == "whats-new-in-12"
