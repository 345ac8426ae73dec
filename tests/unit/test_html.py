"""What of a page is read, and as what: formulas, tables, lists, headings, dates, and what is left out."""

from datetime import date

import pytest

from bob.answers.units.unit import units_of
from bob.core.errors import UnreadableError
from bob.documents.formats.html.parser import parse_html


def text(page):
    return "\n\n".join(section.text for section in parse_html(page).sections)


def paths(page):
    return [(section.heading_path, section.text) for section in parse_html(page).sections]


def rows(page):
    """What an answer would tell of the tables of a page."""
    return [unit.line for unit in units_of(text(page)) if unit.kind in ("row", "item")]


@pytest.mark.parametrize(
    ("inline", "shown"),
    [
        ("a flux of 10<sup>15</sup> neutrons", "a flux of 10^15 neutrons"),
        ("a charge of 10<sup>-19</sup> C", "a charge of 10^-19 C"),
        ("<b>10</b><sup>6</sup> litres", "10^6 litres"),
        ("2<sup>1</sup>/<sub>2</sub> metres", "2 1/2 metres"),
        ("<sup>3</sup>⁄<sub>4</sub> of it", "3⁄4 of it"),
        ("5 m<sup>2</sup> and 3 m<sup>3</sup>", "5 m² and 3 m³"),
        ("e<sup>x</sup>, (a+b)<sup>2</sup>, 2<sup>n + 1</sup>", "e^x, (a+b)^2, 2^(n + 1)"),
        ("H<sub>2</sub>O, x<sub>i</sub>, 101<sub>2</sub>", "H2O, x_i, 101_2"),
        ("the 1<sup>st</sup>, M<sup>me</sup> Roy, n<sup>o</sup> 7, Bob<sup>TM</sup>",
         "the 1st, Mme Roy, no 7, BobTM"),
        ("<sup>14</sup>C decays", "14C decays"),
        ("It opened.<sup>3</sup> It closed.<sup>4,5</sup>", "It opened. It closed."),
        ("It opened.<sup class=reference><a href='#n7'>[7]</a></sup> Later", "It opened. Later"),
        ("It opened<a href='#n7'><sup>7</sup></a> in May<a href='#n8'>[8]</a>.", "It opened in May."),
        ("It is long<sup>[who?]</sup> and wide<sup>*</sup>.", "It is long and wide."),
        ("Dampf\u00adschiff\u00adfahrt, wide\u200bword", "Dampfschifffahrt, wideword"),
        ("A sphere has <math alttext='{\\displaystyle \\pi r^3}'><mi>V</mi></math> litres",
         "A sphere has \\pi r^3 litres"),
        ("<math><semantics><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation encoding='application/x-tex'>"
         "\\frac12</annotation></semantics></math> of it", "\\frac12 of it"),
        ("<math><mi>x</mi><mo>=</mo><mn>3</mn></math> holds", "x=3 holds"),
        ("It equals <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> and", "It equals … and"),
        ("<span style='display:none'><math alttext='r'><mi>r</mi></math></span> is long", "r is long"),
        ("Python calls <code>__init__</code>, then <code>run</code>.", "Python calls `__init__`, then run."),
        ("The &lt;b&gt; tag is bold, 1 &lt; 2", "The `<b>` tag is bold, 1 < 2"),
        ("<a href=/a>Ferry</a><a href=/b>Bus</a>, the B<a href=/c>C</a>", "Ferry Bus, the BC"),
    ],
)  # fmt: skip
def test_a_line_says_what_the_page_shows(inline, shown):
    assert text(f"<main><p>{inline}</p></main>") == shown


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<pre>apt update<br>apt install kestrel</pre>", "apt update\napt install kestrel"),
        ("<pre><div>one</div><div>  two</div></pre>", "one\n  two"),
        ("<pre><code>a = __b__\n</code></pre>", "```\na = __b__\n```"),
        ("<pre>&lt;b&gt; <code>x_y</code></pre>", "```\n<b> x_y\n```"),
        ("<pre>1\n2\n3</pre>", None),
        ("<h1>Opening<br>hours</h1>", "Opening hours"),
        ("<ul><li>Chair<ul><li>Ada Bos<li>since 2021</ul><li>Clerk</ul>",
         "- Chair\n  - Ada Bos\n  - since 2021\n- Clerk"),
        ("<ol><li>Close the valve.<li value=4>Call us.</ol>", "1. Close the valve.\n4. Call us."),
        ("<ol type=a><li>first<li>second</ol>", "a. first\nb. second"),
    ],
)  # fmt: skip
def test_lines_and_items_stay_apart(page, shown):
    if shown is None:
        with pytest.raises(UnreadableError):
            text(page)
    else:
        assert text(page) == shown


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("<tr><th>Day<th>Opening hours of the large swimming pool (25 metres)<tr><td>Monday<br>Tuesday<td>"
         "<p>7-9</p><p>12-14</p>",
         ["Day: Monday Tuesday; Opening hours of the large swimming pool (25 metres): 7-9 12-14"]),
        ("<thead><tr><th rowspan=2>Pitch<th colspan=2>Price a night<tr><th>Low season<th>High season</thead>"
         "<tr><td>Tent<td>18<td>27",
         ["Pitch: Tent; Price a night, Low season: 18; Price a night, High season: 27"]),
        ("<tr><th>Room<th>Guest<th>Nights<tr><td rowspan=2>North<td>Ines<td>2<tr><td>Bram<td>3",
         ["Room: North; Guest: Ines; Nights: 2", "Room: North; Guest: Bram; Nights: 3"]),
        ("<tr><td><b>Plan 2024</b><td><b>Price [€]</b><tr><td>Basic<td>$5",
         ["Plan 2024: Basic; Price [€]: $5"]),
        ("<tr><th>Boat<th>Has<tr><td>Heron<td><ul><li>radio</li><li>oars</li></ul>",
         ["Boat: Heron; Has: radio, oars"]),
        ("<tr><th>Name<th>a|b<tr><td>x|y<td>2", ["Name: x | y; a | b: 2"]),
        ("<tr><th>Monday<td>closed<tr><th>Tuesday<td>9-5<tr><th>Friday<td>9-1",
         ["Monday: closed", "Tuesday: 9-5", "Friday: 9-1"]),
        ("<tr><th>A<th>B<th>C<tr><td>-<td>-<td>-<tr><td>1<td><td>3", ["A: 1; C: 3"]),
        ("<tr><th>Heron<th>Bram<tr><th>Swift<th>Ines", ["Heron | Bram", "Swift | Ines"]),
    ],
)  # fmt: skip
def test_a_table_is_told_under_the_head_that_the_page_marks(table, told):
    assert rows(f"<table>{table}</table>") == told


def test_what_spans_a_table_is_its_caption_a_group_or_a_remark():
    page = (
        "<table><caption>Camping rates</caption><tr><th colspan=3>Prices of 2024</th></tr>"
        "<tr><th>Pitch<th>Night<th>Week</tr><tr><td colspan=3>Summer</tr><tr><td>Tent<td>18<td>90</tr>"
        "<tr><td colspan=3>Dogs stay free of charge.</tr></table>"
    )
    assert text(page) == (
        "Camping rates\n\nPrices of 2024\n\n| Pitch | Night | Week |\n|---|---|---|\n| Summer |  |  |\n"
        "| Tent | 18 | 90 |\n\nDogs stay free of charge."
    )
    assert "Summer; Pitch: Tent; Night: 18; Week: 90" in rows(page)


def test_two_tables_are_not_read_as_one():
    table = "<table><tr><th>A<th>B<tr><td>{}<td>x</table>"
    assert rows(table.format(1) + table.format(2)) == ["A: 1; B: x", "A: 2; B: x"]


def test_cells_that_span_more_than_a_page_are_filled_in_a_few_times_only():
    wide = "<tr><td colspan=9999>" + "word " * 30 + "<td>b"
    assert len(text("<table>" + wide * 300 + "</table>")) < 3_000_000
    assert len(text("<table>" + "<tr><td rowspan=65000>1<td>2" * 1_000 + "</table>")) < 500_000


def test_a_form_around_a_page_and_buttons_that_ask_are_read_and_its_fields_are_not():
    page = (
        "<form><h1>Hotel</h1><label for=n>Your name</label><input id=n value=x><select><option>NL</select>"
        "<button>Book now</button><p>Open all year.</p><button>May I bring a dog?</button>"
        "<div>On a leash.</div><button aria-expanded=false>Late arrival</button>"
        "<div hidden role=region>Ring the bell.</div></form>"
    )
    assert text(page) == (
        "Hotel\n\nOpen all year.\n\nMay I bring a dog?\n\nOn a leash.\n\nLate arrival\n\nRing the bell."
    )


def test_the_header_of_an_article_is_read_and_that_of_the_site_is_not():
    page = (
        "<body><header>Harbour News</header><article><header><h2>A new ferry</h2><p>By Lea Thom</p></header>"
        "<p>It sails in June.</p></article><aside>Cookies</aside></body>"
    )
    assert text(page) == "A new ferry\n\nBy Lea Thom\n\nIt sails in June."


def test_menus_and_what_is_hidden_are_left_out():
    links = "<ul><li><a href=/a>Home</a><li><a href=/b>Prices</a></ul>"
    page = (
        f"<body><div id=header><a href=/>Harbour</a>{links}</div><div class='nav-bar'>{links}</div>"
        "<p>Shown.</p><p style='color:red; display: none'>Styled.</p><p hidden>Hid.</p>"
        "<p aria-hidden=true>Aria.</p>"
        f"<h2>Menu of the day</h2><div class=menu><p>Soup</p>{links}</div><h2>See also</h2>{links}</body>"
    )
    assert text(page) == ("Shown.\n\nMenu of the day\n\nSoup\n\nSee also\n\n- Home\n- Prices")


@pytest.mark.parametrize(
    "note", ["details", "div class='admonition note'", "blockquote", "aside role=note", "div role=tablist"]
)
def test_what_follows_a_note_stands_under_the_heading_before_it(note):
    page = (
        f"<h1>Backups</h1><p>Every night.</p><{note}><h3>Holidays</h3><p>None at Easter.</p>"
        f"</{note.split()[0]}><p>Kept for a year.</p>"
    )
    assert paths(page) == [
        (("Backups",), "Backups\n\nEvery night."),
        (("Backups", "Holidays"), "Holidays\n\nNone at Easter."),
        (("Backups",), "Kept for a year."),
    ]


def test_a_title_in_several_parts_is_one_heading():
    page = (
        "<h1>Boats</h1><hgroup id=c><h2>IV</h2><!-- x --><p>The Long Quay</p><p></p></hgroup>"
        "<p>It has 48 berths.</p><hgroup><h2>V</h2><p>Built by Ida in 1962.</p></hgroup><p>It is of oak.</p>"
        "<hgroup><h3>Oars</h3><div>Two of them</div></hgroup><p>They are new.</p>"
    )
    assert paths(page) == [
        (("Boats",), "Boats"),
        (("Boats", "IV – The Long Quay"), "IV – The Long Quay\n\nIt has 48 berths."),
        (("Boats", "V"), "V\n\nBuilt by Ida in 1962.\n\nIt is of oak."),
        (("Boats", "V", "Oars"), "Oars\n\nTwo of them\n\nThey are new."),
    ]


def test_headings_have_their_own_anchors_and_no_signs():
    page = (
        "<h1 id=top>Lighthouse</h1><h2><span id=Keepers>Keepers</span>"
        "<span class=mw-editsection>[<a>edit</a>]</span></h2><p>Teun was the last.</p>"
        "<h3>Pay<a href='#pay'>#</a></h3><p>Low.</p>"
        "<a name=lamp></a><h2>Lamp</h2><p>Bright.</p><section id=fog>"
        "<h2>Fog <a class=headerlink href='#fog'>¶</a></h2><p>Thick.</p></section><h1>Ferry</h1><p>Slow.</p>"
    )
    sections = parse_html(page).sections
    assert [(section.locator.heading, section.locator.anchor) for section in sections] == [
        ("Lighthouse", "top"), ("Keepers", "Keepers"), ("Pay", "Keepers"), ("Lamp", "lamp"), ("Fog", "fog"),
        ("Ferry", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [
        '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2021-05-03T08:00"}'
        "</script><p>x",
        '<script type="application/ld+json">{"@graph": [{"@type": "Person"}, {"@type": ["BlogPosting"], '
        '"dateModified": "2021-05-03"}]}</script><p>x',
        "<h1>News</h1><p>By Lea Thom, <time datetime=2021-05-03>Monday</time></p><p>x",
        "<article><header><h1>A</h1></header><div><time datetime=2021-05-03>May</time></div><p>x</article>",
        "<article><h2>A</h2><p>x</p><time itemprop=datePublished datetime=2021-05-03>May</time></article>",
        "<meta itemprop=datePublished content=2021-05-03><h1>A</h1><time datetime=2020-01-01>x</time>",
    ],
)
def test_the_date_that_a_page_states_is_its_date(page):
    assert parse_html(page).source_date.value == date(2021, 5, 3)


@pytest.mark.parametrize(
    "page",
    [
        '<script type="application/ld+json">{"@type": "Person", "datePublished": "2021-05-03"}</script><p>x',
        '<script type="application/ld+json">[[[{"datePublished": 1}, </script><p>x',
        "<h1>Talks</h1><p>" + "word " * 100 + "<time datetime=2021-05-03>then</time></p>",
        "<article><time pubdate datetime=2021-05-03>a</time></article><article>b</article>",
    ],
)
def test_another_date_is_not(page):
    assert parse_html(page).source_date is None


def test_a_bold_line_names_what_follows_it():
    page = (
        "<h1>Minutes</h1><p>The club met.</p>"
        "<p class=MsoNormal><b><span>Motion 5</span></b><span style='font-weight:700'> (Ann)</span></p>"
        "<p>&nbsp;</p><p>Boats leave by noon.</p><p>Carried.</p>"
        "<div><p><b>Fees</b></p><ul><li>20 EUR</li></ul></div><p>The meeting closed.</p>"
    )
    assert paths(page) == [
        (("Minutes",), "Minutes\n\nThe club met."),
        (("Minutes", "Motion 5 (Ann)"), "Motion 5 (Ann)\n\nBoats leave by noon.\n\nCarried."),
        (("Minutes", "Fees"), "Fees\n\n- 20 EUR"),
        (("Minutes",), "The meeting closed."),
    ]


@pytest.mark.parametrize(
    "page",
    [
        "<p><b>Ann Roe</b></p><p><b>Pier 3</b></p><p><b>Oldport</b></p><p>Open in summer.</p>",
        "<p><b>The pier is closed.</b></p><p>It is being mended.</p>",
        "<p><b>Date:</b> 5 May</p><p>Here we go.</p>",
        "<p><b>Date: 5 May</b></p><p>Here we go.</p>",
        "<p>Here we go.</p><p><b>At last</b></p>",
        "<ul><li><p><b>Rope</b></p><p>two of them</p></li></ul>",
        "<p><b>Rope</b></p> and chains <p>two of them</p>",
        "<table><tr><td><p><b>Rope</b></p></td><td><p>Two</p></td></tr></table>",
        "<p><b>Rope</b></p><h2>Chains</h2><p>Two</p>",
    ],
)
def test_other_bold_lines_are_text(page):
    assert not any("Rope" in path or "Oldport" in path for path, _ in paths(page))
    assert [path for path, _ in paths(page)] in ([()], [(), ("Chains",)])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "<tr><td></td><td><p><b>Name</b></p></td><td><p><b>Rating</b></p><p><b>Apr85</b></p></td>"
            "<td><p><b>1</b></p></td></tr><tr><td>1</td><td>Ann</td><td>1500</td><td>2w</td></tr>",
            ["1; Name: Ann; Rating Apr85: 1500; 1: 2w"],
        ),
        (
            "<tr><td>Please choose one, for a year</td><td>Single</td>"
            "<td>Family*</td></tr><tr><td>Otter</td><td>$35</td><td>$50</td></tr>"
            "<tr><td>Trout</td><td>$100</td><td>$175</td></tr>",
            [
                "Please choose one, for a year: Otter; Single: $35; Family*: $50",
                "Please choose one, for a year: Trout; Single: $100; Family*: $175",
            ],
        ),
    ],
)
def test_a_first_row_that_is_bold_or_words_over_numbers_is_a_head(table, said):
    assert rows(f"<table>{table}</table>") == said


def test_a_table_that_sets_two_columns_of_a_page_side_by_side_is_none():
    built = "The building of the palace began on 22 April 1538. " * 10
    page = f"<table><tr><td><img src='a.jpg' alt=''></td><td><p>{built}</p></td></tr></table>"
    sides = f"<table><tr><td>Open on Sundays.</td><td>{built}</td></tr></table>"
    prices = "<table><tr><td>Adults</td><td>12</td></tr><tr><td>Children</td><td>6</td></tr></table>"
    assert ["|" in text(f"<h1>Palace</h1>{body}") for body in (page, sides, prices)] == [False, False, True]
