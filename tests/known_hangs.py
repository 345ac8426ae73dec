"""Texts that hung what reads them, or hang others: what each is, its reader in `written_texts`, the text."""

import base64

_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{{', '.join(f'k{at}: *a{level - 1}' for at in range(9))}}}\n"
    for level in range(1, 12)
)
_LIST_BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12)
)
_CURSOR = base64.urlsafe_b64encode(b"[" * 7_000).decode().rstrip("=")

_DOUBLED = "---\na0: x\n"
_DOUBLED += "".join(f"a{at}: '{{{{a{at - 1}}}}}{{{{a{at - 1}}}}}'\n" for at in range(1, 60)) + "---\n"
_JOINED = "select title from work_items a" + " join work_items b" * 60 + " on 1 = 1" * 60
_FOLDERS = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n" + "<DL><p><H3>a</H3>" * 10_000
_BLANKS = "a" + "\u2028" * 4_000 + "b\n- Your Highlight on page 3\n\nx\n==========\n"

KNOWN: tuple[tuple[str, str, str], ...] = (
    ("stars in an ignore file", "ignore rules", "******************** build"),
    ("stars and letters in an ignore file", "ignore rules", "*a" * 30 + "*b"),
    ("brackets in an ignore file", "ignore rules", "[" * 1_000 + "\n"),
    ("brackets in the environment", "environment", "[" * 50_000),
    ("more stars than are read", "ignore rules", "drafts/\n" + "*a" * 33),
    ("folders of stars", "ignore rules", "**/" * 300 + "x"),
    ("classes in an ignore file", "ignore rules", "[a-z]*" * 31 + "1"),
    ("aliases in bob.yaml", "settings", _BOMB),
    ("brackets in bob.yaml", "settings", "search: " + "[" * 50_000),
    ("a number without end in bob.yaml", "settings", "search: {limit: " + "9" * 5_000 + "}"),
    ("merge keys in bob.yaml", "settings", "a: &a {b: 1}\nc: {<<: [" + "*a, " * 500 + "]}"),
    ("aliases of maps in front matter", "front matter", _BOMB),
    ("aliases of lists in front matter", "front matter", _LIST_BOMB),
    ("brackets in front matter", "front matter", "a: " + "[" * 50_000),
    ("tables in TOML", "front matter", "a = " + "[" * 50_000),
    ("dots in TOML", "front matter", "a." * 20_000 + "b = 1"),
    ("lists in front matter", "front matter", "- " * 20_000),
    ("aliases in a YAML file", "YAML", _BOMB),
    ("brackets in a JSON file", "JSON", "[" * 100_000),
    ("aliases in a template", "note template", f"---\n{_BOMB}---\n"),
    ("brackets in a template", "note template", "---\na: " + "[" * 20_000 + "\n---\n"),
    ("braces in a template", "note template", "---\nowner: x\n---\n" + "{{" * 20_000),
    (
        "places that double in a template",
        "note template",
        _DOUBLED,
    ),
    ("places in a template", "note template", "---\nowner: '" + "{{title}}" * 2_000 + "'\n---\n{{owner}}"),
    ("a query of brackets", "query", "(" * 9_999),
    ("a query of quotes", "query", '"' * 9_999),
    ("a query of minuses", "query", "-" * 9_999),
    ("filters without end", "query", "project:x " * 999),
    ("keys without values", "query", "project:" * 1_200),
    ("a day of many figures", "query", "before:" + "9" * 9_000),
    ("words with stars", "query", "a*" * 4_900),
    ("a long question", "question", "what is a " * 900),
    ("spaces in a question", "question", "what is a" + " " * 9_000 + "x"),
    ("dates", "dates", "1 of " * 5_000),
    ("numbers in place of dates", "dates", "2026-" * 5_000),
    ("brackets in SQL", "SQL", "select " + "(" * 4_000 + "1" + ")" * 4_000),
    ("conditions in SQL", "SQL", "select title from work_items where " + "not " * 900 + "1 = 1"),
    ("cases in SQL", "SQL", "select " + "case when 1=1 then " * 150 + "1" + " end" * 150),
    ("joins in SQL", "SQL", "select 1 " + "join " * 60),
    ("joins whose conditions come later", "SQL", _JOINED),
    ("unions in SQL", "SQL", "select 1 " + "union select 1 " * 180),
    ("brackets in a cursor", "cursor", _CURSOR),
    ("brackets of links", "links", "[" * 50_000 + "](" * 10_000),
    ("wiki links", "links", "[[" * 50_000),
    ("spaces after a link's bracket", "links", "[a](" + " " * 50_000),
    ("quotations in quotations", "Markdown", "> " * 10_000 + "x"),
    ("lists in lists", "Markdown", "".join("  " * at + "- x\n" for at in range(300))),
    ("emphasis", "Markdown", "*a **b " * 10_000),
    ("images in links", "Markdown", "![" * 20_000 + "](" * 20_000),
    ("tags in tags", "HTML", "<div>" * 50_000),
    ("tables in tables", "HTML", "<table><tr><td>" * 10_000),
    ("comments without end", "HTML", "<!--" * 50_000),
    ("attributes", "HTML", "<a " + "b='c' " * 30_000 + ">"),
    ("a quote that never ends", "CSV", '"' + "a,b\n" * 20_000),
    ("quotes in an import", "work items, CSV", "id,title\n" + '1,"' * 10_000),
    ("columns in an import", "work items, CSV", "id,title" + ",a" * 50_000 + "\n1,x\n"),
    ("brackets in an import", "work items, GitHub", "[" * 100_000),
    ("folders in bookmarks", "bookmarks", _FOLDERS),
    ("brackets in bookmarks", "bookmarks", '{"roots":' + '{"children":[' * 20_000),
    ("a highlight of brackets", "highlights, JSON", '[{"highlights":' * 10_000),
    ("clippings without words", "highlights, clippings", "==========\n" * 10_000),
    ("blanks behind a title", "highlights, clippings", _BLANKS),
    ("a transcript of one line", "transcript", "User: " * 20_000),
    ("a recipe of marks", "recipe", "@a{" * 20_000 + "[-" * 10_000),
    ("a mail of rules", "mail", "From: a@b\n\n" + "-" * 50_000 + "\n" + "> " * 20_000),
    ("parts of a mail", "mail", "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\n" * 20_000),
    ("decisions and figures", "decisions", "# ADR-3: Bells\n\n## Status\n\n" + "0" * 20_000),
    ("spaces in a decision", "decisions", "We decided to ring" + " " * 20_000 + "because"),
    ("keys in a message", "secrets", "password=" * 10_000),
    ("strings in a message that look random", "secrets", "-----END 0123456789abcdef" * 4_000),
    ("marks of citations", "draft", "[1]" * 3_000),
    ("an emphatic draft", "draft", "**a** " * 1_500),
    ("figures in a claim", "claim", "1,000.5 % " * 200),
    ("stops", "language", "!" * 20_000),
    ("tags that look alike", "containment", "</ source " * 3_000),
    ("what nobody sees", "containment", "\U000e0041" * 20_000),
    ("a message of colons", "message", "we decided " + ":" * 40_000),
    ("spaces in a field", "decisions", "- Status: " + " " * 40_000 + "x"),
    ("a wide row", "decisions", "# Use it\n\n| a | b |\n| - | - |\n| Status" + " " * 1_500 + "x | b |\n"),
    ("places in a decision", "decisions", "Decision: " + "<> " * 2_000 + "x"),
    ("places and dots in a decision", "decisions", "Decision: " + "{} ...... " * 2_000 + "x"),
    ("images in a decision", "decisions", "# ADR-3: Bells\n\n## Decision\n\n" + "![]() " * 2_000 + "x"),
    (
        "a decision that was superseded often",
        "decisions",
        "# ADR-3: X\n\n## Status\n\n" + "superseded, " * 5_000,
    ),
    ("a long word in a decision", "decisions", "## Status\n\n" + "a" * 40_000),
    ("marks without words in highlights", "highlights, clippings", "\ufeff" * 40),
    ("marks of a persona", "persona corpus", "<!-- facet:" + " " * 20_000),
    ("a comment in a client's settings", "client settings", "/*a" * 20_000),
)
