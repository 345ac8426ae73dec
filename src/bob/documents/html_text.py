"""Turns an HTML tree into sections of readable text, in one walk without recursion."""

from __future__ import annotations

import re

from lxml import etree
from lxml import html as lxml_html

from bob.core.document import Block, BlockKind, Section
from bob.core.locator import ElementLocator

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
        around = [each.tag for each in self._containers[-3:]]
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
        self._path = [*(each for each in self._path if each[0] < level), (level, title)]
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
    marked = [each for each in root.iter("main", "div") if each.tag == "main" or each.get("role") == "main"]
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
    inside = (each.get("id") or each.get("name") for each in element.iter("a", element.tag))
    found = next((each for each in inside if each), None)
    parent = element.getparent()
    if found is None and parent is not None and parent.tag in {"section", "div", "article"}:
        found = parent.get("id")
    return found


def _table_text(table: lxml_html.HtmlElement) -> str:
    """A line a row, with bars between the cells."""
    rows = []
    for row in table.iter("caption", "tr"):
        cells = [row] if row.tag == "caption" else row.iterchildren("td", "th")
        texts = [" ".join(each.text_content().split()) for each in cells]
        if any(texts):
            rows.append(" | ".join(texts))
    return "\n".join(rows)
