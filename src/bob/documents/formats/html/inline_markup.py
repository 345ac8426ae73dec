"""What a reader sees within a line of HTML: powers, formulas and line breaks as text, without marks of notes.

Knows nothing of blocks, lists and tables: see `bob.documents.formats.html.markup`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

LeavesOut = Callable[[etree._Element, str], bool]
"""Whether an element, with its name, is not shown or not read."""

# fmt: off
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "button", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hgroup", "hr", "html", "label", "legend", "li", "main", "nav", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul", "td", "th",
})
_UNSEEN = frozenset({
    "script", "style", "template", "noscript", "svg", "iframe", "object", "head", "title", "select",
    "textarea", "input", "datalist", "canvas", "audio", "video", "map", "button", "dialog",
})
# fmt: on
_SPACE = re.compile(r"[ \t\r\n\f]+")
_SPACE_RUN = re.compile(r" {2,}")
_AROUND_BREAK = re.compile(r" ?\n ?")
_INVISIBLE = re.compile(  # mail is padded with them by the hundred; Persian and Hindi need the last one
    "[\u00ad\u200b\u2060\ufeff\u034f]|(?<![\u0600-\u0dff])\u200c"
)
_HIDING_STYLE = re.compile(r"(?:^|[;\s])(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)\b")
_BOLD_STYLE = re.compile(r"font-weight\s{0,9}:\s{0,9}(?:bold|[6-9]00)", re.IGNORECASE)
_BLANK = " \t\r\n\f\xa0\u200b"
_FOR_SCREEN_READERS = frozenset({"sr-only", "visually-hidden", "screen-reader-text"})

_LONGEST_SCRIPT = 40
"""Characters of a superscript; a longer one is a sentence, or a tag that was never closed."""
_NOTE_TYPES = frozenset({"noteref", "doc-noteref", "backlink", "doc-backlink", "pagebreak", "doc-pagebreak"})
_NOTE_CLASSES = frozenset({"reference", "footnote", "footnote-ref", "footnote-reference", "fnref", "noteref"})
_NOTE_MARK = re.compile(
    r"[\[(]?\s?(?:(?:note|nb|n|fn)\.? ?)?(?:\d{1,3}|[a-z]|[ivxlc]{1,6}|[*†‡§¶]{1,3})\s?[\])]?", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"\[[^\[\]]{1,38}\]")
_NUMBERS = re.compile(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*")
_SYMBOLS = re.compile(r"[*†‡§¶]+")
_TO_ITSELF = frozenset({"", "#", "¶", "§", "\U0001f517", "⚓", "↩", "↩\ufe0e", "↑", "^"})
"""Texts of a link that leads to the heading it stands in, or back from a note."""

_ORDINALS = frozenset({"a", "d", "e", "h", "o", "r", "s", "t", "ª", "º"})
"""Letters written high that end an abbreviation: 2e, 1o, Dr, 14h."""
_ABBREVIATED = 2
"""Letters before the high ones of an abbreviation: "Mme", "No"."""

_CODE = frozenset({"code", "kbd", "samp", "tt", "var"})
_MARKUP = re.compile(r"[_*<>\[\]~]")
_TAG = re.compile(r"</?[a-zA-Z][\w-]{0,30}(?:\s[^<>]{0,80})?/?>")

_DISPLAY_STYLE = re.compile(r"\{\\(?:display|text)style\s+(.*)\}", re.DOTALL)
_NOT_A_LETTER = re.compile(r"[^a-z]+")
_IN_ONE_LINE = frozenset({"math", "mrow", "mi", "mn", "mo", "mtext", "mstyle", "mspace", "semantics"})
"""Elements of MathML that stand beside one another: a formula of these alone reads as it is written."""


def name_of(element: etree._Element) -> str:
    """The element's name without its namespace; "" for what is no element."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def words_of(element: etree._Element, *attributes: str) -> set[str]:
    """The words, between spaces, that these attributes of an element have."""
    return {word for name in attributes for word in (element.get(name) or "").lower().split()}


def name_words(element: etree._Element, *attributes: str) -> set[str]:
    """The words within the names that these attributes of an element have: "side" and "bar" of "side-bar"."""
    return {word for name in words_of(element, *attributes) for word in _NOT_A_LETTER.split(name)}


def is_unseen(element: etree._Element, tag: str) -> bool:
    """Whether an element is not shown, or has no text to read."""
    if tag == "script":
        return not (element.get("type") or "").startswith("math/tex")
    return not tag or tag in _UNSEEN or is_hidden(element)


def is_hidden(element: etree._Element) -> bool:
    """Whether an element says of itself that it is not shown."""
    if not element.keys():
        return False
    hidden = element.get("hidden")
    is_away = (
        (hidden is not None and hidden.lower() != "until-found")
        or (element.get("aria-hidden") or "").lower() == "true"
        or _HIDING_STYLE.search((element.get("style") or "").lower()) is not None
        or not _FOR_SCREEN_READERS.isdisjoint((element.get("class") or "").split())
    )
    # A formula is often hidden behind its own picture.
    return is_away and next(element.iterchildren("math"), None) is None


def text_of(element: etree._Element, leaves_out: LeavesOut = is_unseen, *, verbatim: bool = False) -> str:
    """The text of an element as one line; as the lines that it is shown in with `verbatim`."""
    pieces: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        tag = name_of(inner)
        if event == "start" and verbatim and tag in _CODE:
            text = inner.text or ""
        elif event == "start":
            pieces += [" "] if stands_apart(inner, tag) else []
            seen = replaced(inner, tag, pieces[-1] if pieces else "", leaves_out)
            if seen is not None:
                seen = seen if verbatim or seen != "\n" else " "
                pieces += [seen] if seen else []
                walk.skip_subtree()
                continue
            text = inner.text or ""
        else:
            text = inner.tail or "" if inner is not element else ""
        if tag in BLOCKS and inner is not element:
            text = _between(pieces, inner, event, verbatim=verbatim) + text
        pieces += [text if verbatim else shown_text(text)] if text else []
    joined = without_invisible("".join(pieces))
    return joined.strip("\r\n").rstrip() if verbatim else " ".join(joined.split())


def replaced(element: etree._Element, tag: str, before: str, leaves_out: LeavesOut) -> str | None:
    """The text that stands for an element within a line; None where its own content is to be read.

    `before` is what the line ends with so far.
    """
    if tag == "br":
        return "\n"
    if leaves_out(element, tag) or _is_mark(element):
        return ""
    if tag == "math":
        return _formula(element)
    if tag == "script":
        return element.text or ""
    if tag == "a":
        return _link(element)
    if tag in {"sup", "sub"}:
        return _script(element, tag, before)
    if tag in _CODE:
        return _code_span(element)
    if "mw-editsection" in (element.get("class") or ""):
        return ""
    return None


def is_all_bold(element: etree._Element) -> bool:
    """Whether an element has text, and all of it is bold."""
    bold, has_text = 0, False
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        marks = inner is not element and _is_bold_mark(inner)
        bold += marks if event == "start" else -marks
        text = inner.text if event == "start" else inner.tail if inner is not element else ""
        if text and text.strip(_BLANK):
            if not bold:
                return False
            has_text = True
    return has_text


def _is_bold_mark(element: etree._Element) -> bool:
    return name_of(element) in {"b", "strong"} or _BOLD_STYLE.search(element.get("style") or "") is not None


def stands_apart(element: etree._Element, tag: str) -> bool:
    """Whether a space stands before an element though none is written: links side by side are buttons."""
    previous = element.getprevious() if tag == "a" else None
    return previous is not None and name_of(previous) == "a" and not previous.tail


def shown_lines(pieces: list[str]) -> str:
    """Pieces of text between blocks as they are shown; a line break is a line feed of its own."""
    text = without_invisible("".join(pieces))
    return _AROUND_BREAK.sub("\n", _SPACE_RUN.sub(" ", text)).strip()


def shown_text(text: str) -> str:
    """The text of a node as HTML shows it: a line feed is a space, and a tag that is shown is code."""
    text = _SPACE.sub(" ", text)
    return _TAG.sub(r"`\g<0>`", text) if "<" in text else text


def without_invisible(text: str) -> str:
    """The text without soft hyphens and other characters that only say where a line may break."""
    return _INVISIBLE.sub("", text)


def _is_mark(element: etree._Element) -> bool:
    """Whether an element says that it is the mark of a note or of a page, in whichever namespace."""
    names = (
        name for name in map(str, element.keys()) if name in {"role", "epub:type"} or name.endswith("}type")
    )
    return any(not _NOTE_TYPES.isdisjoint(words_of(element, name)) for name in names)


def _between(pieces: list[str], block: etree._Element, event: str, *, verbatim: bool) -> str:
    """What stands between a block within a line and the text before it."""
    last = next((piece.rstrip()[-1:] for piece in reversed(pieces) if piece.strip()), "")
    if verbatim:
        return "\n" if last and not pieces[-1].endswith("\n") else ""
    if name_of(block) != "li":
        return " "
    if event == "end":
        return ""
    if block.getprevious() is None or not last.isalnum():
        return " "
    while pieces and not pieces[-1].strip():
        pieces.pop()
    pieces[-1] = pieces[-1].rstrip()
    return ", "


def _short_text(element: etree._Element) -> str | None:
    """The text of an element on one line; None when it is long."""
    pieces: list[str] = []
    length = 0
    for text in element.itertext():
        pieces.append(str(text))
        length += len(text)
        if length > 4 * _LONGEST_SCRIPT:
            return None
    joined = " ".join(without_invisible("".join(pieces)).split())
    return joined if len(joined) <= _LONGEST_SCRIPT else None


def _code_span(element: etree._Element) -> str | None:
    """Code within a line, between backticks where it would be read as markup: a name such as __init__."""
    text = _short_text(element)
    reads_as_markup = text is not None and _MARKUP.search(text) is not None and "`" not in text
    return f"`{text}`" if reads_as_markup else None


def _link(link: etree._Element) -> str | None:
    """Nothing for the mark of a note and the sign that links a heading to itself."""
    text = _short_text(link)
    if text is None or (text == "" and link.get("href") is None):
        return None
    if text in _TO_ITSELF or "headerlink" in (link.get("class") or ""):
        return ""
    in_page = "#" in (link.get("href") or "")
    is_high = len(link) == 1 and name_of(link[0]) == "sup" and not (link.text or "").strip()
    if in_page and _NOTE_MARK.fullmatch(text) and (is_high or text.startswith("[")):
        return ""
    return None


def _script(element: etree._Element, tag: str, before: str) -> str | None:
    """A superscript or subscript in one line: 10^15, 2 1/2, H2O; nothing for the mark of a note."""
    text = _short_text(element)
    if not text:
        return text
    if tag == "sup" and _is_note(element, text, before):
        return ""
    following = element.getnext()
    if tag == "sup" and (element.tail or "").strip() in {"/", "⁄"} and following is not None:
        return f" {text}" if before[-1:].isdigit() and name_of(following) == "sub" else text
    return raised(text, before) if tag == "sup" else lowered(text, before)


def raised(text: str, before: str) -> str:
    """A superscript as it stands in a line behind `before`: 10^15, m², 1st."""
    return _high(text, before) if _carries_script(before) else text


def lowered(text: str, before: str) -> str:
    """A subscript as it stands in a line behind `before`: H2O, x_i."""
    return _low(text, before[-1:]) if _carries_script(before) else text


def _carries_script(before: str) -> bool:
    return before[-1:].isalnum() or before.endswith((")", "]"))


def _is_note(element: etree._Element, text: str, before: str) -> bool:
    if _IN_BRACKETS.fullmatch(text) or _SYMBOLS.fullmatch(text):
        return True
    links = any("#" in (link.get("href") or "") for link in element.iter("{*}a"))
    parent = element.getparent()
    links = links or (parent is not None and name_of(parent) == "a" and "#" in (parent.get("href") or ""))
    if links or not _NOTE_CLASSES.isdisjoint(words_of(element, "class")):
        return _NOTE_MARK.fullmatch(text) is not None or _NUMBERS.fullmatch(text) is not None
    return before[-1:] in set('.,;:!?"”’»') and _NUMBERS.fullmatch(text) is not None


def _high(text: str, before: str) -> str:
    last = before[-1:]
    word = re.search(r"[^\W\d_]{0,3}$", before)
    if text in {"2", "3"} and last.isalpha():
        return "²" if text == "2" else "³"
    if not text[0].isalnum() and text[0] not in "+-−–(":
        return text
    if text.strip(".").isalpha():
        letters = text.strip(".").lower()
        is_ending = len(letters) > 1 or letters in _ORDINALS
        if letters in {"tm", "sm"} or (is_ending and (word is None or len(word[0]) <= _ABBREVIATED)):
            return text
        return f" {text}" if len(letters) > 1 else f"^{text}"
    return f"^({text})" if " " in text else f"^{text}"


def _low(text: str, last: str) -> str:
    alike = last.isalpha() == text[0].isalpha() and last.isdigit() == text[0].isdigit() and text[0].isalnum()
    return f"_{text}" if alike and last.isalnum() else text


def _formula(element: etree._Element) -> str:
    """A formula as its author wrote it for those who do not see it; "…" when only its layout is there."""
    notes = (note for note in element.iter("{*}annotation") if "tex" in (note.get("encoding") or "").lower())
    text = element.get("alttext") or next((note.text or "" for note in notes), "")
    if not text.strip() and all(
        name_of(inner) in _IN_ONE_LINE or name_of(inner) == "" for inner in element.iter()
    ):
        text = "".join(str(part) for part in element.itertext())
    text = " ".join(text.split())
    style = _DISPLAY_STYLE.fullmatch(text)
    return (style[1].strip() if style else text) or "…"
