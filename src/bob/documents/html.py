"""HTML pages: the text of the content, a section a heading; menus, scripts and footers are left out."""

from __future__ import annotations

import re

from lxml import etree
from lxml import html as lxml_html

from bob.core.document import ParsedDocument, SourceDate
from bob.core.errors import UnreadableError
from bob.core.protocols import SourceFile
from bob.documents.html_text import PageText
from bob.documents.lines import found_sections
from bob.documents.recipe import find_recipe, load_json, recipe_document
from bob.documents.source import decode
from bob.text.dates import read_date
from bob.text.languages import detect_language

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
    recipe = _recipe(root)
    if recipe is not None:
        return recipe
    metas = {
        (each.get("name") or each.get("property") or each.get("itemprop") or "").lower(): each.get("content")
        for each in root.iter("meta")
    }
    text = PageText(root)
    sections = found_sections(text.sections)
    dates = (read_date(metas.get(key) or "") for key in _DATE_KEYS)
    date = next((each for each in dates if each is not None), None)
    keywords = [each.strip() for each in (metas.get("keywords") or "").split(",")]
    sample = "\n".join(each.text for each in sections[:20])
    return ParsedDocument(
        title=_title(root, metas.get("og:title") or "", text.first_heading),
        source_type="html",
        sections=sections,
        source_date=SourceDate(date, "properties") if date is not None else None,
        language=(root.get("lang") or root.get("xml:lang") or "")[:2].lower() or detect_language(sample),
        tags=tuple(dict.fromkeys(each for each in keywords if each)),
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
        raise UnreadableError("damaged", "the page cannot be read as HTML") from error


def _recipe(root: lxml_html.HtmlElement) -> ParsedDocument | None:
    for script in root.iter("script"):
        if "ld+json" in (script.get("type") or "") and "ecipe" in (script.text or ""):
            recipe = find_recipe(load_json(script.text or ""))
            if recipe is not None:
                return recipe_document(recipe)
    return None


def _title(root: lxml_html.HtmlElement, shared: str, first_heading: str) -> str:
    """The title without the site's name, when the first heading or the title for sharing shows it."""
    element = next(root.iter("title"), None)
    title = " ".join((element.text_content() if element is not None else "").split())
    shared = " ".join(shared.split())
    return next(
        (each for each in (first_heading, shared) if each and each in title), title or shared or first_heading
    )
