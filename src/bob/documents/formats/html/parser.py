"""HTML pages: the text of the content, a section a heading; menus, scripts and footers are left out."""

from __future__ import annotations

import json
import re
from itertools import islice

from lxml import etree
from lxml import html as lxml_html

from bob.core.document import ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import ElementLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.html.inline_markup import BLOCKS, is_unseen, name_words, text_of, words_of
from bob.documents.formats.html.markup import (
    HEADINGS,
    Piece,
    element_pieces,
    is_note,
    join_pieces,
    sections_of,
)
from bob.documents.formats.lines import found_sections
from bob.documents.formats.parser_registry import document_in_data
from bob.documents.formats.source import decode
from bob.text.dates import read_date
from bob.text.languages import detect_language

_SKIPPED_ROLES = frozenset(
    {
        "navigation",
        "search",
        "banner",
        "contentinfo",
        "complementary",
        "menu",
        "menubar",
        "dialog",
        "alertdialog",
    }
)
_CONTENT = frozenset({"article", "main", "section"})
_MENU_WORDS = frozenset(
    {"nav", "navbar", "navigation", "menu", "submenu", "breadcrumb", "breadcrumbs", "header", "footer",
     "sidebar", "topbar", "toolbar", "pagination", "skip"}
)  # fmt: skip
_LARGEST_MENU = 500
"""Beginnings and ends of elements in a menu that are looked at."""
_NEAR = 6
"""Elements around a list that may say that it is a menu."""
_LISTS = frozenset({"ul", "ol"})
_OPENS = frozenset({"accordion", "collapse", "collapsible", "faq", "question"})
"""Words of names for a button that opens a text below it."""


class _Page:
    """What of a page is its content: all but menus, headers, footers and controls of the site."""

    def __init__(self, root: lxml_html.HtmlElement) -> None:
        self.content = _content(root)
        # A text that a button or a tab opens is hidden until then, and read like any other.
        self._opened = {
            target.lstrip("#")
            for element in root.iter(etree.Element)
            for name in ("aria-controls", "data-target", "data-bs-target", "href")
            if (target := element.get(name) or "") and (name != "href" or target.startswith("#"))
        }

    def leaves_out(self, element: lxml_html.HtmlElement, tag: str) -> bool:
        """Whether an element is beside the content of the page, or not shown."""
        if element is self.content:
            return False
        if tag == "button":
            return not _opens_text(element)
        if is_unseen(element, tag):
            return not (tag in BLOCKS and self._is_panel(element))
        if not _SKIPPED_ROLES.isdisjoint(words_of(element, "role")):
            return True
        if tag == "label" and element.get("for") is not None:
            return not text_of(element).endswith("?")  # of a field to fill in
        if tag in {"nav", "footer", "aside", "header"}:
            return self._is_of_site(element, tag)
        return tag in BLOCKS and (tag in _LISTS or bool(element.keys())) and _is_menu(element, tag)

    def _is_panel(self, element: lxml_html.HtmlElement) -> bool:
        return (
            element.get("role") in {"tabpanel", "region"}
            or element.get("aria-labelledby") is not None
            or element.get("id") in self._opened
        )

    def _is_of_site(self, element: lxml_html.HtmlElement, tag: str) -> bool:
        if tag == "nav":
            return True
        if tag == "aside":
            return not is_note(element)
        around = {ancestor.tag for ancestor in element.iterancestors()}
        if tag == "footer":
            return around.isdisjoint({"blockquote", "figure"})
        # A header within the content is a text's own; outside it is one if it holds the page's title.
        is_of_text = not around.isdisjoint(_CONTENT) or self.content.tag == "main"
        return not is_of_text and next(element.iterdescendants("h1"), None) is None


def _content(root: lxml_html.HtmlElement) -> lxml_html.HtmlElement:
    """The element that a page marks as its content, if it marks just one; else the whole body."""
    marked = [
        element
        for element in root.iter("main", "div")
        if element.tag == "main" or element.get("role") == "main"
    ]
    body = root.find("body")
    return marked[0] if len(marked) == 1 else root if body is None else body


def _opens_text(button: lxml_html.HtmlElement) -> bool:
    """Whether a button is the heading of a text that it shows, such as the question above an answer."""
    parent = button.getparent()
    names = _name_words(button) | (_name_words(parent) if parent is not None else set())
    says_so = button.get("aria-expanded") is not None and button.get("aria-haspopup") is None
    text = text_of(button, lambda element, tag: tag != "button" and is_unseen(element, tag))
    return text.endswith("?") or (" " in text and (says_so or not _OPENS.isdisjoint(names)))


def _is_menu(element: lxml_html.HtmlElement, tag: str) -> bool:
    """Whether an element is named like a menu, or is a list in one, and has nothing but links in it."""
    names = _name_words(element)
    if tag in _LISTS:
        around = islice(element.iterancestors(), _NEAR)
        near = [ancestor for ancestor in around if ancestor.tag not in {"body", "html"}]
        names = names.union(*({str(ancestor.tag)} | _name_words(ancestor) for ancestor in near))
    if _MENU_WORDS.isdisjoint(names) or tag in {"body", "html", "table", "tr", "td", "th", *HEADINGS}:
        return False
    links = 0
    for event, inner in islice(etree.iterwalk(element, events=("start", "end")), _LARGEST_MENU):
        if event == "start" and inner.tag in HEADINGS:
            return False
        links += event == "start" and inner.tag == "a"
        text = inner.text if event == "start" else inner.tail if inner is not element else ""
        within = inner if event == "start" else inner.getparent()
        if text and any(map(str.isalnum, text)) and not _in_link(within, element):
            return False
    return links > 1


def _in_link(element: lxml_html.HtmlElement | None, root: lxml_html.HtmlElement) -> bool:
    while element is not None and element is not root:
        if element.tag in {"a", "button", "script", "style"}:
            return True
        element = element.getparent()
    return False


def _name_words(element: lxml_html.HtmlElement) -> set[str]:
    return name_words(element, "class", "id")


def _section(part: int, pieces: list[Piece]) -> Section:
    text, blocks = join_pieces(pieces)
    titles = pieces[0].path
    locator = ElementLocator(
        part=part, end_char=len(text), heading=titles[-1] if titles else None, anchor=pieces[0].anchor
    )
    return Section(text, locator, titles, blocks)


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_CHARSET_REACH = 4096  # bytes; the standard asks for the first 1,024
_DATE_KEYS = (
    "article:published_time", "date", "dc.date", "dcterms.created", "datepublished", "datecreated",
    "article:modified_time", "last-modified", "datemodified",
)  # fmt: skip
_OF_A_TEXT = re.compile(r"Article|Posting|WebPage|AboutPage|FAQPage|Report|Thesis|Chapter|CreativeWork")
"""Types of Schema.org whose date is that of the page: a product's or a person's is not."""
_LONGEST_BYLINE = 300
_LINES_OF_BYLINE = 60
"""Characters and pieces of text in the line below a title that says who wrote what follows, and when."""
_BESIDE_TITLE = ("p", "div", "span", "time", "ul", "address", "header", "footer")
# XML 1.0 has no place for these, and they carry no text.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class HtmlParser:
    """Takes HTML and XHTML pages; a page with a recipe for machines in it is read as that recipe."""

    name = "html"
    suffixes = frozenset({".html", ".htm", ".xhtml"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections with element locators.

        Raises:
            UnreadableError: as `SourceFile.read_bytes` does, "binary", "encoding", "damaged" and "no-text".
        """
        return parse_html(_decoded(source.read_bytes()))


def parse_html(page: str) -> ParsedDocument:
    """The sections and the metadata of a page; see `HtmlParser.parse`."""
    root = _tree(page)
    document = _document_in_data(root)
    if document is not None:
        return document
    metas = {
        (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").lower(): meta.get("content")
        for meta in root.iter("meta")
    }
    page_content = _Page(root)
    pieces = element_pieces(page_content.content, page_content.leaves_out, bold_headings=True)
    sections = found_sections(_section(*numbered) for numbered in enumerate(sections_of(pieces)))
    first_heading = next((piece.text for piece in pieces if piece.level), "")
    stated = {**_dates_in_data(root), **{key: text for key, text in metas.items() if text}}
    dates = (read_date(text) for text in (*map(stated.get, _DATE_KEYS), _date_by_title(root)) if text)
    date = next((date_ for date_ in dates if date_ is not None), None)
    keywords = [part.strip() for part in (metas.get("keywords") or "").split(",")]
    sample = "\n".join(section.text for section in sections[:20])
    return ParsedDocument(
        title=_title(root, metas.get("og:title") or "", first_heading),
        source_type="html",
        sections=sections,
        source_date=SourceDate(date, "properties") if date is not None else None,
        language=(root.get("lang") or root.get("xml:lang") or "")[:2].lower() or detect_language(sample),
        tags=tuple(dict.fromkeys(keyword for keyword in keywords if keyword)),
    )


def _decoded(data: bytes) -> str:
    try:
        return decode(data) if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = _CHARSET.search(data[:_CHARSET_REACH])
    try:
        if named is not None and b"\x00" not in data:
            return data.decode(named[1].decode("ascii"))
    except (LookupError, UnicodeDecodeError):
        pass  # the page is wrong about itself, as many are
    return decode(data)


def _tree(page: str) -> lxml_html.HtmlElement:
    if "\x00" in page:
        raise UnreadableError("binary", "this is a binary file, not a web page")
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        return lxml_html.document_fromstring(_FORBIDDEN.sub(" ", page).encode("utf-8"), parser=parser)
    except etree.ParserError as error:
        raise UnreadableError("no-text", "the page has no text in it") from error
    except (etree.LxmlError, AssertionError) as error:
        raise UnreadableError("damaged", "the page is not valid HTML") from error


def _document_in_data(root: lxml_html.HtmlElement) -> ParsedDocument | None:
    texts = (script.text or "" for script in root.iter("script") if "ld+json" in (script.get("type") or ""))
    documents = (document_in_data(text, "json-ld") for text in texts)
    return next((document for document in documents if document is not None), None)


def _dates_in_data(root: lxml_html.HtmlElement) -> dict[str, str]:
    """The dates that a page states of itself in JSON-LD, by their names in lower case."""
    dates: dict[str, str] = {}
    for script in root.iter("script"):
        if "ld+json" not in (script.get("type") or ""):
            continue
        try:
            data = json.loads(script.text or "", strict=False)
        except (ValueError, RecursionError):
            continue
        graph = data.get("@graph", data) if isinstance(data, dict) else data
        for item in graph if isinstance(graph, list) else [graph]:
            if isinstance(item, dict) and _OF_A_TEXT.search(str(item.get("@type"))[:200]):
                dates |= {
                    key.lower(): value
                    for key, value in item.items()
                    if key.startswith("date") and isinstance(value, str)
                }
    return dates


def _date_by_title(root: lxml_html.HtmlElement) -> str | None:
    """The time in the line of a page's only main heading, or that its only article marks as its own."""
    headings = list(islice(root.iter("h1"), 2))
    articles = list(islice(root.iter("article"), 2))
    if len(headings) == 1:
        beside = [headings[0], *islice(headings[0].itersiblings(*_BESIDE_TITLE), 2)]
        parent = headings[0].getparent()
        if parent is not None and parent.tag in {"header", "hgroup"}:
            beside += [parent, *islice(parent.itersiblings(*_BESIDE_TITLE), 1)]
        for element in beside:
            text = "".join(islice(element.itertext(), _LINES_OF_BYLINE))
            times = (time.get("datetime") for time in element.iter("time"))
            if len(text) <= _LONGEST_BYLINE and (stated := next(filter(None, times), None)) is not None:
                return str(stated)
    for time in articles[0].iter("time") if len(articles) == 1 else ():
        if time.get("pubdate") is not None or time.get("itemprop") in {"datePublished", "dateCreated"}:
            return str(time.get("datetime") or "")
    return None


def _title(root: lxml_html.HtmlElement, shared: str, first_heading: str) -> str:
    """The title without the site's name, when the first heading or the title for sharing shows it."""
    element = next(root.iter("title"), None)
    title = " ".join((element.text_content() if element is not None else "").split())
    shared = " ".join(shared.split())
    return next(
        (heading for heading in (first_heading, shared) if heading and heading in title),
        title or shared or first_heading,
    )
