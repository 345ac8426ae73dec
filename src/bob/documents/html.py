"""HTML pages: the text of the content, a section a heading; menus, scripts and footers are left out."""

from __future__ import annotations

import re

from lxml import etree
from lxml import html as lxml_html

from bob.core.document import Block, BlockKind, ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import ElementLocator
from bob.core.protocols import SourceFile
from bob.documents.lines import found_sections
from bob.documents.parser_registry import document_in_data
from bob.documents.source import decode
from bob.text.dates import read_date
from bob.text.languages import detect_language

_SKIPPED = frozenset(
    ["script", "style", "nav", "footer", "aside", "noscript", "template", "svg", "iframe", "object", "form",
     "button", "select", "textarea", "head", "math", "canvas", "audio", "video", "map", "dialog"]
)  # fmt: skip
_SKIPPED_ROLES = frozenset(["navigation", "search", "banner", "contentinfo", "complementary", "menu"])
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    ["address", "article", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
     "figcaption", "figure", "header", "hr", "li", "main", "ol", "p", "section", "summary", "ul", "caption",
     "table", "tr", "td", "th", "tbody", "thead", "tfoot"]
)  # fmt: skip
_LAYOUT = ("table", "h1", "h2", "h3", "h4", "pre", "ul", "ol")  # a table with these in it is no table of data
_SPACE = re.compile(r"[ \t\r\n\f]+")
_SPACE_RUN = re.compile(r" {2,}")
_AROUND_BREAK = re.compile(r" ?\n ?")


class PageText:
    """The sections of a page; each is one part, whose text is made of the page's blocks."""

    def __init__(self, root: lxml_html.HtmlElement) -> None:
        self.sections: list[Section] = []
        self.first_heading = ""
        self._path: list[tuple[int, str]] = []
        self._anchor: str | None = None
        self._blocks: list[tuple[str, BlockKind]] = []
        self._inline: list[str] = []
        self._containers: list[lxml_html.HtmlElement] = []
        self._walk(_content(root))
        self._end_section()

    def _walk(self, root: lxml_html.HtmlElement) -> None:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "start":
                if self._takes_whole(element, tag):
                    walk.skip_subtree()
                else:
                    self._open(element, tag)
            else:
                self._close(element)
                if element is not root:
                    self._add(element.tail)

    def _takes_whole(self, element: lxml_html.HtmlElement, tag: str) -> bool:
        """Handles an element that is read at once or not at all; False when its children are to be walked."""
        if _is_skipped(element, tag):
            return True
        if tag in _HEADINGS:
            self._start_section(element, _HEADINGS[tag])
            return True
        if tag in {"pre", "listing"}:
            self._end_block()
            self._put(element.text_content().strip("\n").rstrip(), "code")
            return True
        if tag == "table" and next(element.iterdescendants(*_LAYOUT), None) is None:
            self._end_block()
            self._put(_table_text(element), "table")
            return True
        return False

    def _open(self, element: lxml_html.HtmlElement, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_block()
            self._containers.append(element)
        elif tag == "br":
            self._inline.append("\n")
        self._add(element.text)

    def _close(self, element: lxml_html.HtmlElement) -> None:
        if self._containers and self._containers[-1] is element:
            self._end_block()
            self._containers.pop()

    def _add(self, text: str | None) -> None:
        if text:
            self._inline.append(_SPACE.sub(" ", text))

    def _end_block(self) -> None:
        text = _AROUND_BREAK.sub("\n", _SPACE_RUN.sub(" ", "".join(self._inline))).strip()
        self._inline.clear()
        around = [container.tag for container in self._containers[-3:]]
        if "li" in around:
            self._put(f"- {text}" if text else "", "list")
        else:
            self._put(text, "quote" if "blockquote" in around else "paragraph")

    def _put(self, text: str, kind: BlockKind) -> None:
        if text.strip():
            self._blocks.append((text, kind))

    def _start_section(self, element: lxml_html.HtmlElement, level: int) -> None:
        self._end_block()
        title = _heading_text(element)
        if not title:
            return
        self._end_section()
        self.first_heading = self.first_heading or title
        self._path = [*(heading for heading in self._path if heading[0] < level), (level, title)]
        self._anchor = _anchor(element) or self._anchor
        self._blocks.append((title, "heading"))

    def _end_section(self) -> None:
        self._end_block()
        if not self._blocks:
            return
        pieces: list[str] = []
        blocks: list[Block] = []
        end = 0
        before: BlockKind | None = None
        for number, (text, kind) in enumerate(self._blocks):
            if before is not None:
                pieces.append("\n" if kind == before == "list" else "\n\n")
                end += len(pieces[-1])
            blocks.append(Block(end, end + len(text), kind, number))
            pieces.append(text)
            end += len(text)
            before = kind
        titles = tuple(title for _, title in self._path)
        locator = ElementLocator(
            part=len(self.sections),
            end_char=end,
            heading=titles[-1] if titles else None,
            anchor=self._anchor,
        )
        self.sections.append(Section("".join(pieces), locator, titles, tuple(blocks)))
        self._blocks = []


def _content(root: lxml_html.HtmlElement) -> lxml_html.HtmlElement:
    """The element that a page marks as its content, if it marks just one; else the whole body."""
    marked = [
        element
        for element in root.iter("main", "div")
        if element.tag == "main" or element.get("role") == "main"
    ]
    body = root.find("body")
    return marked[0] if len(marked) == 1 else root if body is None else body


def _is_skipped(element: lxml_html.HtmlElement, tag: str) -> bool:
    if not tag or tag in _SKIPPED:
        return True
    if element.get("hidden") is not None or element.get("role") in _SKIPPED_ROLES:
        return True
    if tag == "a":
        return "headerlink" in (element.get("class") or "")  # the sign that links a heading to itself
    # A header that holds the page's title is content, any other is the site's.
    return tag == "header" and next(element.iterdescendants("h1"), None) is None


def _heading_text(element: lxml_html.HtmlElement) -> str:
    for link in element.xpath(".//a[contains(@class, 'headerlink')]"):
        link.drop_tree()
    return " ".join(element.text_content().split())


def _anchor(element: lxml_html.HtmlElement) -> str | None:
    """The id of a heading, of an anchor in it, or of the section that it opens."""
    inside = (anchor.get("id") or anchor.get("name") for anchor in element.iter("a", element.tag))
    name = next((anchor for anchor in inside if anchor), None)
    parent = element.getparent()
    if name is None and parent is not None and parent.tag in {"section", "div", "article"}:
        name = parent.get("id")
    return name


def _table_text(table: lxml_html.HtmlElement) -> str:
    """A line a row, with bars between the cells."""
    rows = []
    for row in table.iter("caption", "tr"):
        cells = [row] if row.tag == "caption" else row.iterchildren("td", "th")
        texts = [" ".join(cell.text_content().split()) for cell in cells]
        if any(texts):
            rows.append(" | ".join(texts))
    return "\n".join(rows)


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_CHARSET_REACH = 4096  # bytes; the standard asks for the first 1,024
_DATE_KEYS = (
    "article:published_time", "date", "dc.date", "dcterms.created", "datepublished", "article:modified_time",
    "last-modified", "datemodified",
)  # fmt: skip
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
    text = PageText(root)
    sections = found_sections(text.sections)
    dates = (read_date(metas.get(key) or "") for key in _DATE_KEYS)
    date = next((date_ for date_ in dates if date_ is not None), None)
    keywords = [part.strip() for part in (metas.get("keywords") or "").split(",")]
    sample = "\n".join(section.text for section in sections[:20])
    return ParsedDocument(
        title=_title(root, metas.get("og:title") or "", text.first_heading),
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


def _title(root: lxml_html.HtmlElement, shared: str, first_heading: str) -> str:
    """The title without the site's name, when the first heading or the title for sharing shows it."""
    element = next(root.iter("title"), None)
    title = " ".join((element.text_content() if element is not None else "").split())
    shared = " ".join(shared.split())
    return next(
        (heading for heading in (first_heading, shared) if heading and heading in title),
        title or shared or first_heading,
    )
