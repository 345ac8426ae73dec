"""Reads what stands in a line of Word: text, powers, formulas, and boxes with or without a tick."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from bob.documents.formats.html.inline_markup import lowered, raised

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_TEXT = frozenset({f"{W}t", f"{_MATH}t"})
_SIGNS = {f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
SKIPPED = frozenset(
    {
        f"{W}del",
        f"{W}moveFrom",
        f"{W}instrText",
        f"{W}pPr",
        f"{W}rPr",
        f"{W}txbxContent",
        f"{W}object",
        f"{COMPATIBLE}Fallback",
    }
)
"""Removed or moved away by a tracked change, kept for older programs, or read on its own."""

_TICKED, _EMPTY = "☑", "☐"
_SYMBOLS = {
    "Wingdings": {"6F": _EMPTY, "A8": _EMPTY, "FC": "✓", "FD": "☒", "FE": _TICKED},
    "Wingdings 2": {"50": "✓", "52": _TICKED, "53": "☒", "54": "☒", "A3": _EMPTY, "2A": _EMPTY},
}
"""Signs that say yes or no, by font and the end of their code; the others are bullets and ornaments."""

_Piece = tuple[str, str]
"""A text, and where it stands: "superscript", "subscript", as a "fraction", or "" in the line."""


def line_text(element: etree._Element | None) -> str:
    """The text of a paragraph or a run, with tabs and line breaks; 10^6 for a power, 1/2 for a fraction."""
    shown, script, where = "", "", ""
    for text, height in (*(() if element is None else _pieces(element, "")), ("", "end")):
        if height != where:
            shown += _placed(script, where, shown)
            script, where = "", height
        script += text
    return shown


def _placed(text: str, where: str, before: str) -> str:
    match where if text.strip() else "":
        case "superscript":
            return raised(text, before)
        case "subscript":
            return lowered(text, before)
        case "fraction" if before[-1:].isdigit():
            return f" {text}"
    return text


def _pieces(element: etree._Element, where: str) -> Iterator[_Piece]:
    for child in element:
        tag = child.tag
        if tag in _TEXT:
            yield child.text or "", where
        elif tag in _SIGNS:
            yield _SIGNS[tag], where
        elif tag == f"{W}sym":
            yield _symbol(child), where
        elif tag == f"{W}checkBox":
            yield _box(child), where
        elif tag in _FORMULAS:
            yield from _FORMULAS[tag](child, where)
        elif tag not in SKIPPED and isinstance(tag, str):
            mark = child.find(f"{W}rPr/{W}vertAlign") if tag == f"{W}r" else None
            yield from _pieces(child, mark.get(f"{W}val", "") if mark is not None else where)


def _symbol(sign: etree._Element) -> str:
    return symbol(sign.get(f"{W}font", ""), sign.get(f"{W}char", ""))


def symbol(font: str, code: str) -> str:
    """The tick or box that a code in hexadecimal digits shows in a font; "" for ornaments."""
    return _SYMBOLS.get(font, {}).get(code[-2:].upper(), "")


def _box(box: etree._Element) -> str:
    own, usual = box.find(f"{W}checked"), box.find(f"{W}default")
    return _TICKED if switch(usual if own is None else own) else _EMPTY


def switch(element: etree._Element | None) -> bool | None:
    """Whether a property is on; None where it is not there."""
    return None if element is None else element.get(f"{W}val", "1") not in ("0", "false", "off")


# Formulas


def _part(formula: etree._Element, name: str) -> str:
    return line_text(formula.find(f"{_MATH}{name}")).strip()


def _sign(formula: etree._Element, name: str, usual: str) -> str:
    mark = formula.find(f"{formula.tag}Pr/{_MATH}{name}")
    return usual if mark is None else mark.get(f"{_MATH}val", "")


def _fraction(formula: etree._Element, where: str) -> Iterator[_Piece]:
    parts = [_part(formula, name) for name in ("num", "den")]
    text = "/".join(part if part.isalnum() else f"({part})" for part in parts)
    yield text, where or "fraction"


def _script(formula: etree._Element, where: str) -> Iterator[_Piece]:
    yield _part(formula, "e"), where
    for name, height in (("sub", "subscript"), ("sup", "superscript")):
        yield _part(formula, name), height
    yield "", where


def _delimited(formula: etree._Element, where: str) -> Iterator[_Piece]:
    inner = _sign(formula, "sepChr", "|").join(line_text(part) for part in formula.findall(f"{_MATH}e"))
    yield f"{_sign(formula, 'begChr', '(')}{inner}{_sign(formula, 'endChr', ')')}", where


def _root(formula: etree._Element, where: str) -> Iterator[_Piece]:
    degree = _part(formula, "deg")
    yield f"({_part(formula, 'e')})^(1/{degree})" if degree else f"√({_part(formula, 'e')})", where


def _sum(formula: etree._Element, where: str) -> Iterator[_Piece]:
    bounds = [(sign, _part(formula, name)) for sign, name in (("_", "sub"), ("^", "sup"))]
    shown = "".join(f"{sign}({bound})" for sign, bound in bounds if bound)
    yield f"{_sign(formula, 'chr', '∫')}{shown} {_part(formula, 'e')}", where


_FORMULAS: dict[str, Callable[[etree._Element, str], Iterator[_Piece]]] = {
    f"{_MATH}f": _fraction,
    f"{_MATH}sSup": _script,
    f"{_MATH}sSub": _script,
    f"{_MATH}sSubSup": _script,
    f"{_MATH}d": _delimited,
    f"{_MATH}rad": _root,
    f"{_MATH}nary": _sum,
}
