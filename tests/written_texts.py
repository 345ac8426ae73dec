"""Every reader of text that a person writes, and hostile texts for it: made of what the reader finds special,
said again and again. `bench/hangs.py` and `tests/properties/test_parsers_end.py` give them to it."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

LONGEST = 4_096
TODAY = date(2026, 1, 31)


@dataclass(frozen=True)
class Reader:
    """What reads a text, by a name, and the pieces that mean something to it."""

    name: str
    read: Callable[[str], object]
    pieces: tuple[str, ...]
    frames: tuple[str, ...] = ()
    """Texts that a reader takes, in which one stands at `%s`, or at `%j` as JSON writes it."""

    def text(self, seed: int, number: int) -> str:
        """A text of about `LONGEST` characters at most; always the same for the same numbers."""
        chance = random.Random(f"{self.name} {seed} {number}")
        most = int(2 ** chance.uniform(2, 12))
        shape = chance.choice((_run, _run, _mixed, _nested, _almost))
        text = shape(chance, (*self.pieces, *ANYWHERE), most)[:LONGEST]
        return self.framed(text, chance.choice((*self.frames, *self.frames, "%s")))

    def framed(self, text: str, frame: str) -> str:
        """The text in a frame."""
        return frame.replace("%s", text).replace("%j", json.dumps(text))


def _words(chance: random.Random, pieces: tuple[str, ...], most: int) -> str:
    return "".join(chance.choice(pieces) for _ in range(chance.randint(1, most)))


def _times(unit: str, most: int) -> str:
    return unit * max(most // max(len(unit), 1), 1)


def _run(chance: random.Random, pieces: tuple[str, ...], most: int) -> str:
    """A beginning, a few pieces again and again, and an end that does not fit."""
    return (
        _words(chance, pieces, 3)
        + _times(_words(chance, pieces, 4), most)
        + chance.choice(("", *pieces, "\0!"))
    )


def _mixed(chance: random.Random, pieces: tuple[str, ...], most: int) -> str:
    few = tuple(chance.choices(pieces, k=chance.randint(2, 12)))
    text = ""
    while len(text) < most:
        text += chance.choice(few) * chance.choice((1, 1, 1, 2, 40))
    return text


def _nested(chance: random.Random, pieces: tuple[str, ...], most: int) -> str:
    """Opened many times, then closed as often, or nearly."""
    opening, closing = _words(chance, pieces, 2), _words(chance, pieces, 2)
    times = max(most // (len(opening) + len(closing) + 1), 1)
    return opening * times + _words(chance, pieces, 2) + closing * max(times - chance.randint(0, 2), 0)


def _almost(chance: random.Random, pieces: tuple[str, ...], most: int) -> str:
    """Several runs, one after the other."""
    return "".join(_times(_words(chance, pieces, 3), most // 4) for _ in range(4))


# fmt: off
ANYWHERE = (
    " ", "\n", "a", "A", "1", ".", ",", "-", "_", "word ", "\t", "\xe9", "\xa0", "\x00", "\u2028", "(", ")",
)
_MARKUP = (
    "# T\n", "## S\n", "- ", "1. ", "> ", "| a | b |\n|---|---|\n", "|", "```", "`", "~~~\n", "*", "**",
    "__", "[", "]", "](", "![", "[[", "]]", "[a](b)", "[a]: b\n", "<!--", "-->", "<div>", "</div>", "<a ",
    "\\", "---\n", "+++\n", "===\n", "    ", "http://a.b/", '"', "'", "&amp;", "&#1;", "^", "{#x}",
    "- [ ] ", "|\n",
)
_YAML = (
    "a: ", "b: x\n", "- ", "{", "}", "[", "]", "&a ", "*a", "<<: *a\n", "? ", "! ", "!!binary ", "|\n",
    ">\n", "  ", "---\n", "...\n", "%YAML 1.1\n", "#", '"', "'", "\\x", "0x", "1:1", "2026-01-31", "1e9",
    "~", "@", ": ", "\r\n",
)
_JSON = (
    "{", "}", "[", "]", '"', '"a":', ":", ",", "null", "1e9", "-", "\\u0000", "\\ud800", '"\\', "true",
    "{}\n",
)
_HTML = (
    "<", ">", "</", "<p>", "<div>", "</div>", "<table><tr><td>", "</table>", "<ul><li>", "<h1>", "<!--",
    "-->", "<script>", "</script>", "&amp;", "&#x", "&", ";", "<a href='", "'", '"', "=", "<![CDATA[", "<?",
    "<pre>", "<br>",
)
_CSV = (
    ",", ";", "\t", '"', '""', "\r\n", "id,title,status\n", "1,a,done\n", "a,b\n", "|", "=",
)
_DATES = (
    "2026-01-31", "31/1/26", "1.2.2026", "January ", "jan ", "31 ", "2026 ", "st", "of ", "de ",
    "mar\xe7o ", ":", "T", "Z", "in ", "since ", "early ", "the ", "1990s", "last ", "+01:00", "/", "20",
    "0",
)
_PROSE = (
    "The giraffe ", "is ", "not ", "12.5 % ", "$3 ", "e.g. ", "Ana ", "Ana de ", "Dr. ", "because ",
    "we decided ", "instead of ", "I ", "my name is ", "and ", ", ", "; ", ": ", "? ", "! ", "\u2026",
    "\u201c", "\u201d", "'s ", "...", "x_y", "f()", "a.b", "--flag", "two ", "hundred ", "million ",
    "1,000", "2.0.1", "ha", "kk", "to ", "or ", "than ",
)
_SECRETS = (
    "sk-", "ghp_", "AKIA", "eyJ", ".", "password", "token", "=", ": ", '"', "-----BEGIN ",
    "PRIVATE KEY-----", "-----END ", "://", "a:b@", "@", "/", "4111 ", "0123456789abcdef", "Bearer ", "+",
    "_", "api_key", "Zx9", "asana", "sntryu_", "EAAM", "glrt-t1_", "fm1a_", "dp.pt.",
    "hooks.slack.com/services/",
)
_CITED = (
    "[1]", "[1, 2]", "[^1]", "[", "]", "\u26a0", "[1]: ", "Sources:\n", "[!NOTE]\n", "[ ] ",
)
_DECIDED = (
    "# ADR-3: Bells\n", "## Status\n", "## Decision\n", "Accepted\n", "Superseded by ", "[5. Bells](5.md)",
    "Status: ", "Supersedes: ADR-2, 3 ", "Decision: ", "Rejected: ", "Chosen option: ", "rather than ",
    "## Options\n", "considered a horn but decided against it ", "chosen over ", "| Status | Accepted |\n",
    "- Status: ", "ADR-", "~~",
)
_TAGS = (
    "<", ">", "</", "source", "<|im_start|>", "|", "[INST]", "\u200b", "\uff1c", "Human: ", "\U000e0041",
    "\ufffd", "\r", "&lt;", "\x1b[", "\x1b]8;;", "m", "\x9b", "\u202e", "\\", "system",
)
_QUERY = (
    '"', "-", "project:", "type:", "tag:", "path:", "before:", "after:", "decision:", "2026", "*", "AND ",
    "NEAR(", ":", "(", ")", "^", "+", "OR ", "a*", "'", "%", "\u4e00",
)
_IGNORE = (
    "*", "**", "***", "?", "/", "/**/", "**/", "!", "#", "\\", "[", "]", "[a-z]", "[!a]", "[[:alpha:]]",
    "[]", "a", "b", "{", "}",
)
_SQL = (
    "select ", "from work_items ", "where ", "(", ")", "((", "'", '"', "--", "/*", "*/", ",", "title ",
    "and ", "or ", "not ", "case when ", "then ", "else ", "end ", "in (", "with a as (", "union ",
    "union all ", "1", "+", "-", "||", "::", "cast(", "between ", "like ", ";", "$$", "$1", "array[", "]",
    "join ", "on ", "interval ", "over (", "`", "as ", "*", "count(", "=",
)
_RST = (
    "=====\n", "-----\n", ".. note::\n", ".. _a:\n", "   ", "::\n", "`", ":ref:`", "<", ">`_", "|",
    "+---+\n", "* ", ":a: b\n", ".. ",
)
_MAIL = (
    "From a 10:00 2026\n", "Subject: ", "=?utf-8?q?", "?=", "Content-Type: multipart/mixed; boundary=b\n",
    "--b\n", "--b--\n", "> ", "On Monday Ana wrote:\n", "-----Original Message-----\n", "=20", "=\n",
    "\n\n", ">From ", "Date: ", "<a@b>", ";", '"',
)
_COOK = (
    "@salt", "@olive oil{1%tbsp}", "@", "{", "}", "%", "~{5%min}", "#pot{}", "--", "[-", "-]", ">> ",
    "= Part\n", "> ", ":",
)
_CODE = (
    "def f():\n", "class A:\n", "    ", "{", "}", "(", ")", "/*", "*/", "//", '"', '"""', "'", "#",
    "public ", "static ", "@x\n", "fn f() {\n", "function ", "=>", ";", "async ", "<T>", "::", "=",
    "import ", "\\",
)
_TEMPLATE = (
    "---\n", "template:\n", "  needs: ", "{{title}}", "{{", "}}", "{", "}", "{{ a ", "title: ", "  file: ",
    "kind: ", "\r\n",
)
_SPEAKERS = (
    "User: ", "Assistant: ", "**You**: ", "\n", "{", "}", '{"role": "user", "content": "', '"}\n', "Human",
    ":", "<command-",
)
_CLIPPINGS = (
    "==========\n", "The Year (Ana)\n", "- Your Highlight on page 3 | Location 4-5 | Added on ",
    "Monday, 3 March 2025 10:00\n", "(", ")", "|", "Seite 3", "page ", "-", "\ufeff",
)
# fmt: on


def _ignore_rules(text: str) -> object:
    from bob.documents.ignore_rules import is_ignored_below, read_rules

    rules, problems = read_rules(text.split("\n"), 0)
    paths = ("a" * 255, "/".join(["a" * 60] * 16), "build", text[:250])
    return [rules is not None and is_ignored_below([rules], path) for path in paths], problems


def _settings(text: str) -> object:
    from bob.app.settings_layers import leaves, read_layer

    return dict(leaves(read_layer(Path("bob.yaml"), text.encode("utf-8", "replace"))))


def _environment(text: str) -> object:
    from bob.app.settings_layers import parsed

    return parsed(text)


def _front_matter(text: str) -> object:
    from bob.documents.formats.front_matter import read_front_matter

    return [read_front_matter([fence, *text.split("\n"), fence]) for fence in ("---", "+++")]


def _query(text: str) -> object:
    from bob.search.query import parse_query
    from bob.text.words import query_terms, words_of

    query = parse_query(text)
    return query_terms(query.text), [words_of(each) for each in query.phrases + query.excluded]


def _question(text: str) -> object:
    from bob.answers.alternatives import considered
    from bob.answers.question import Question
    from bob.work.question import asked_for

    question = Question(text)
    return question.kind, question.fits(text), considered(text), asked_for(text)


def _template(text: str) -> object:
    from bob.notes.templates import parse_template, render

    template = parse_template("kind", text if text.startswith("---\n") else f"---\n---\n{text}", "kind.md")
    return render(
        template, {"title": text[:500], **dict.fromkeys(template.needs, "x")}, [text[:50]], TODAY, "1"
    )


def _dates(text: str) -> object:
    from bob.text.dates import date_in_name, dates_in, day_before, first_day, only_day, read_date
    from bob.work.import_record import moment

    return [dates_in(text), day_before(text, TODAY), read_date(text), first_day(text), only_day(text)], [
        date_in_name(text[:255]),
        moment(text),
    ]


def _sql(text: str) -> object:
    from bob.work.sql_guard import guarded

    return [guarded(text, dialect, 100) for dialect in ("sqlite", "postgres")]


def _cursor(text: str) -> object:
    import base64

    from bob.http.params import read_cursor

    coded = base64.urlsafe_b64encode(text.encode("utf-8", "replace")).decode().rstrip("=")
    return read_cursor(coded, "cursor") and read_cursor(text, "cursor")


@cache
def _registry() -> Any:
    from bob.documents.formats.parser_registry import ParserRegistry
    from bob.search.chunker import StructureChunker

    return ParserRegistry(plug_ins=[]), StructureChunker(200, 400)


def _file(name: str) -> Callable[[str], object]:
    def read(text: str) -> object:
        from bob.documents.formats.source import HeldFile
        from bob.text.words import postings

        registry, chunker = _registry()
        path = Path("/n") / name
        parser = registry.parser_for(path)
        assert parser is not None, name
        document = parser.parse(HeldFile(path, text.encode("utf-8", "replace")))
        return [postings(each.text, each.heading_path, None) for each in chunker.chunks(document.sections)]

    return read


def _links(text: str) -> object:
    from bob.notes.links import find_links
    from bob.text.tasks import open_tasks

    return find_links(text), list(open_tasks(text))


def _lint(text: str) -> object:
    from bob.notes.lint import lint, mended
    from bob.notes.lint_rule import Facts
    from bob.notes.surroundings import found_secrets
    from bob.text.dates import read_date

    facts = Facts(TODAY, read_date=read_date, find_secrets=found_secrets)
    return lint(text, "a.md", facts), mended(text, "a.md", facts)


def _extracted(text: str) -> object:
    from bob.core.decision import DatedDocument, Passage
    from bob.core.locator import PageLocator
    from bob.decisions.extract import extract

    page = PageLocator(part=0, page=1, total_pages=1, start_char=0, end_char=len(text))
    document = DatedDocument("/n/adr/0004-bells.md", "Bells", "pdf", TODAY, "file_name", {})
    return extract(document, [Passage(text, (), page)])


def _imported_items(kind: str) -> Callable[[str], object]:
    def read(text: str) -> object:
        from bob.work import import_github, import_jira
        from bob.work import import_record as import_table

        return list({"csv": import_table, "jira": import_jira, "github": import_github}[kind].read(text))

    return read


def _bookmarks(text: str) -> object:
    from bob_formats.bookmarks import read_bookmarks

    return read_bookmarks(text.encode("utf-8", "replace"))


def _highlights(name: str) -> Callable[[str], object]:
    def read(text: str) -> object:
        from bob_formats.highlights import read_highlights

        return read_highlights(text.encode("utf-8", "replace"), name)

    return read


def _transcript(text: str) -> object:
    from bob.conversations.transcript import read_transcript

    return read_transcript(text)


def _message(text: str) -> object:
    from bob.conversations.compare_statements import asserted, changes, figures, new_part, subject_words
    from bob.conversations.judge import accepted_proposal, own_words, statements
    from bob.conversations.prefilter import screen
    from bob.conversations.signals import by_rules, signals_of
    from bob.conversations.stated_values import ends_value, keeps_value
    from bob.conversations.word_lists import FunnelWords
    from bob.text.negation import denies
    from bob.text.secrets import redacted
    from bob.text.sentences import looks_like_code, without_code

    clean = redacted(text).text
    found: list[object] = [
        screen(clean, FunnelWords()),
        accepted_proposal("yes", clean),
        looks_like_code(clean),
    ]
    found.append(new_part(clean, [clean[: len(clean) // 2], "the giraffe tower is orange"]))
    for each in statements(own_words(without_code(clean)))[:40]:
        found += [by_rules(each, signals_of(each)), subject_words(each), figures(each), asserted(each)]
        found += [denies(each), changes(each), ends_value(each, clean, 1.0), keeps_value(each, clean)]
    return found


def _secrets(text: str) -> object:
    from bob.notes.surroundings import found_secrets

    return found_secrets(text)


def _draft(text: str) -> object:
    from bob.answers.claims.citation_marks import recited
    from bob.answers.claims.draft_claims import claims_of, marks_of, outline
    from bob.answers.claims.redaction import removed

    claims = claims_of(text)
    return marks_of(text), recited(outline(text), dict.fromkeys(claims, (1,))), removed(outline(text), claims)


def _claim(text: str) -> object:
    from bob.answers.claims.draft_claims import claims_nothing, parts
    from bob.answers.claims.fact_checks import check
    from bob.answers.units.unit import units_of
    from bob.text.markup import readable

    return (
        check(text[:600], [text]),
        parts(text),
        claims_nothing(text, listed=False),
        units_of(text),
        readable(text),
    )


def _language(text: str) -> object:
    from bob.text.languages import detect_language
    from bob.text.sentences import sentence_ranges

    return detect_language(text), list(sentence_ranges(text))


def _contained(text: str) -> object:
    from bob.llm.containment import attribute, neutralized, restored
    from bob.text.visible import visible_line, visible_text

    return restored(neutralized(text)), attribute(text), visible_text(text), visible_line(text)


def _corpus(text: str) -> object:
    from bob.personas.corpus import cut_corpus

    return cut_corpus(text, 0, 50, lambda part: len(part.split()))


def _client_file(text: str) -> object:
    from bob.mcp.clients import with_json_entry, with_toml_entry

    found: list[object] = []
    for write in (with_json_entry, with_toml_entry):
        try:
            found.append(write(text, "servers", "bob", {"command": "bob"}))
        except ValueError:
            continue
    return found


READERS = (
    Reader("ignore rules", _ignore_rules, _IGNORE),
    Reader("settings", _settings, _YAML, ("search: {limit: %s}\n", "a: %s", "a: %j")),
    Reader("environment", _environment, _YAML),
    Reader(
        "front matter",
        _front_matter,
        (*_YAML, "[[a]]\n", "a = ", "'''", '"""', "{a=", "date: 2026-01-31\n"),
        ("title: %j", "tags: [%s]", "a = %j", "date: %s"),
    ),
    Reader("query", _query, _QUERY),
    Reader(
        "question", _question, (*_QUERY[:8], *_PROSE, "what is ", "who ", "how many ", "did we reject ", "?")
    ),
    Reader(
        "note template",
        _template,
        (*_TEMPLATE, *_YAML),
        ("---\ntemplate:\n  about: x\n  file: %j\nowner: ana\n---\n\n# {{title}}\n%s", "---\na: %j\n---\n%s"),
    ),
    Reader("dates", _dates, _DATES),
    Reader(
        "SQL",
        _sql,
        _SQL,
        (
            "select %s from work_items",
            "select title from work_items where %s",
            "select title from work_items where title = '%s'",
        ),
    ),
    Reader("cursor", _cursor, (*_JSON, "=", "e30", "W10"), ("[%j, 1]",)),
    Reader("links", _links, _MARKUP),
    Reader(
        "lint",
        _lint,
        (*_MARKUP, *_YAML[:12], *_DECIDED[:6], *_DATES[:4]),
        ("---\ntitle: %j\n---\n\n%s", "---\n%s\n---\n", "# Decision\n\n%s"),
    ),
    Reader("decisions", _extracted, (*_DECIDED, *_MARKUP[:20], *_PROSE[:12])),
    Reader("Markdown", _file("a.md"), _MARKUP),
    Reader("reStructuredText", _file("a.rst"), _RST),
    Reader("plain text", _file("a.txt"), (*_PROSE, *_RST[:6])),
    Reader("Org", _file("a.org"), ("* ", "** TODO ", "#+", ":", *_PROSE[:8])),
    Reader("AsciiDoc", _file("a.adoc"), ("= ", "== ", "----\n", "[", "]", *_PROSE[:8])),
    Reader("HTML", _file("a.html"), _HTML),
    Reader("CSV", _file("a.csv"), _CSV),
    Reader("YAML", _file("a.yaml"), (*_YAML, "ingredients: ", "steps: ")),
    Reader("JSON", _file("a.json"), (*_JSON, '"recipeIngredient":')),
    Reader("INI", _file("a.ini"), ("[one]\n", "a=", "; ", "#", "\\\n", ":", '"')),
    Reader(
        "TOML",
        _file("a.toml"),
        ("[one]\n", "[[one]]\n", "a=", "a.b=", "'''", '"""', "{", "}", "[", "]", "#", "1979-05-27"),
    ),
    Reader("recipe", _file("a.cook"), _COOK),
    Reader(
        "recipe JSON",
        _file("a.recipe.json"),
        (*_JSON, '"@type":"Recipe",', '"recipeIngredient":', '"PT1H"'),
        ('{"@type":"Recipe","name":%j,"recipeIngredient":[%j],"recipeInstructions":%j,"totalTime":%j}',),
    ),
    Reader(
        "mail",
        _file("a.eml"),
        _MAIL,
        (
            "From: a@b\nSubject: %s\n\n%s",
            "From: a@b\nSubject: x\n\n%s",
            "From: a@b\nContent-Type: text/html\n\n%s",
        ),
    ),
    Reader("mailbox", _file("a.mbox"), _MAIL, ("From a@b Mon Jan 1 10:00:00 2026\nFrom: a@b\n\n%s",)),
    Reader(
        "notebook",
        _file("a.ipynb"),
        (*_JSON, '{"cells":[', '{"cell_type":"markdown","source":"', '"}]}'),
        ('{"cells":[{"cell_type":"markdown","source":%j},{"cell_type":"code","source":[%j]}]}',),
    ),
    Reader("Python", _file("a.py"), _CODE),
    Reader("Java", _file("a.java"), _CODE),
    Reader("Rust", _file("a.rs"), _CODE),
    Reader(
        "work items, CSV",
        _imported_items("csv"),
        _CSV,
        ("id,title,description,status\n1,%s", 'id,title,due_date,custom\n1,"%s",%s'),
    ),
    Reader(
        "work items, Jira",
        _imported_items("jira"),
        (*_CSV, *_JSON, "Issue key,Summary,Status\n"),
        (
            "Issue key,Summary,Status,Created\nA-1,%s",
            '{"issues":[{"key":"A-1","fields":{"summary":%j,"description":%j}}]}',
        ),
    ),
    Reader(
        "work items, GitHub",
        _imported_items("github"),
        (*_JSON, '[{"number":1,"title":"a"', "}]"),
        ('[{"number":1,"title":%j,"body":%j,"state":"open"}]',),
    ),
    Reader(
        "bookmarks",
        _bookmarks,
        (*_HTML, *_JSON[:6], "<DT><A HREF='http://a.b/'>a</A>\n", "<DL><p>", "</DL>", "<H3>"),
        (
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>%s</DL>",
            '{"roots":{"bar":{"type":"folder","children":[{"type":"url","url":%j,"name":%j}]}}}',
        ),
    ),
    Reader(
        "highlights, CSV",
        _highlights("a.csv"),
        (*_CSV, "Highlight,Title,Author\n"),
        ("Highlight,Title,Author,Date\n%s", 'Highlight,Title,Author,Date\n"%s",a,b,%s'),
    ),
    Reader(
        "highlights, JSON",
        _highlights("a.json"),
        (*_JSON, '{"title":"a","highlights":['),
        ('[{"title":%j,"text":%j,"highlights":[{"text":%j,"created":%j}]}]',),
    ),
    Reader(
        "highlights, clippings",
        _highlights("a.txt"),
        (*_CLIPPINGS, *_DATES[:8]),
        (
            "The Year (Ana)\n- Your Highlight on page 3 | Added on %s\n\nWords\n==========\n",
            "%s\n- Your Highlight on page 3\n\n%s\n==========\n",
        ),
    ),
    Reader("transcript", _transcript, (*_SPEAKERS, *_JSON[:6]), ('{"role": "user", "content": %j}',)),
    Reader("message", _message, (*_PROSE, "```", "eu ", "actually ", "não ")),
    Reader("secrets", _secrets, _SECRETS),
    Reader("draft", _draft, (*_CITED, *_MARKUP, *_PROSE[:8])),
    Reader("claim", _claim, (*_PROSE, *_MARKUP[:20], *_DATES[:8], *_CITED[:2])),
    Reader("language", _language, (*_PROSE, "o ", "der ", "\u3002", "!", "?", "*")),
    Reader("containment", _contained, _TAGS),
    Reader("persona corpus", _corpus, (*_MARKUP, "<!-- facet: doubt -->\n", "<!-- facet:", "  ")),
    Reader(
        "client settings",
        _client_file,
        (*_JSON, "/*", "*/", "//", "[servers.bob]\n", "a = ", "'''"),
        ('{"servers": {"a": %j}}', '{"servers": {} /* %s */}', "[servers.a]\nb = %j\n"),
    ),
)


class HungError(BaseException):
    """Above what a reader catches: the text took longer than it may."""


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raises HungError in the block once it took so many seconds of the processor. What runs in a library of
    another language is not ended by it."""

    def end(_: int, frame: FrameType | None) -> None:
        while frame is not None and "/bob/" not in frame.f_code.co_filename:
            frame = frame.f_back
        raise HungError("" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Outcome:
    """How a text ended: the seconds of the processor that it took, the name of its error ("": none), and
    what the error says."""

    seconds: float
    error: str = ""
    said: str = ""


def outcome_of(reader: Reader, text: str, limit: float = 5.0) -> Outcome:
    """What becomes of a text."""
    error = said = ""
    began = time.process_time()
    try:
        with ended_after(limit):
            reader.read(text)
    except HungError as hung:
        error, said = "no end", str(hung)
    except Exception as raised:  # noqa: BLE001 - any error is an end
        error, said = type(raised).__name__, str(raised)
    return Outcome(time.process_time() - began, error, said)
