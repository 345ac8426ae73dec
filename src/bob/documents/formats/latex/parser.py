"""LaTeX: headings, paragraphs, lists, tables and code as they are set; comments and settings are left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from bob.documents.formats import markdown_lines
from bob.documents.formats.latex.commands import (
    ACCENTS,
    CODE,
    DROPPED,
    HIDDEN,
    LEVELS,
    LISTS,
    MATH,
    SECOND,
    SIGNS,
    SPACES,
    TABLES,
)
from bob.documents.formats.latex.definitions import DEFINING, MOST_OF_OWN, PLACE, OwnCommand, read_definition
from bob.documents.formats.latex.numerals import plain_numerals
from bob.documents.formats.latex.packages import without_package_marks
from bob.documents.formats.latex.set_lines import nothing, opening, set_lines, tidy
from bob.documents.formats.latex.tables import Table, read_table
from bob.documents.formats.latex.tokens import BREAK, GONE, HEADING, HEADING_END, Tokens, without_comments
from bob.documents.formats.markdown_lines import FENCE, MarkupParser, WrittenText
from bob.text.dates import read_date

_MOST_DEEP = 40
"""Commands within commands that are read; what stands deeper is left out."""

_PICTURE = re.compile(r"\w*Figures?(?:FullPath)?|\w*[Ii]mage|\w*[Pp]icture")
"""How commands are called that show a picture, by its size and the name of its file."""

_OUTLINE = "1234"
"""The commands that begin items of the package outlines, by how deep they stand."""

_ENTRY = re.compile(r"[^{}\\\n!]{2,60}![^{}\\\n!]{2,60}")
"""An argument that is an entry of the index: "sample!stratified"."""

_WITHIN_WORDS = ("text", "emph", "math", "under", "over")
"""How commands begin that set letters of a word: another argument behind them is the rest of it."""

_HEADS = re.compile(r"[a-z]*?((?:sub){0,2})section")
"""Commands of somebody's class that are called as those for headings are."""

_MEASURE = re.compile(r"(?:\d*[.,]\d+ ?(?:pt|cm|mm|em|ex|in)?|\d+ ?(?:pt|cm|mm|em|ex|in))?")
_MOST_NAMING = 2
"""Arguments of an environment that name it: a number and a title."""

_LONGEST_NAME = 60
"""Tokens of it."""

_NAMED = re.compile(r"[A-ZÀ-ÖØ-Þ][^=\n]*[a-z][^=\n]*")
"""The option of an environment that is the name of what it holds, such as that of a theorem."""

_DASH, _TICK = "\x12\x13"
_AS_WRITTEN = str.maketrans({_DASH: "-", _TICK: "`"})
"""What stands for signs of code until all is written."""

_ON_ONE_LINE = str.maketrans({BREAK: " ", HEADING: " ", HEADING_END: " ", GONE: None})
"""What the marks of blocks are in a text that is one line."""

_LABEL = re.compile(r"\\label\{[^{}]*\}|\\(?:no)?(?:tag|number)\b")


class LatexParser(MarkupParser):
    """Takes LaTeX, whole documents and chapters; what is set before the document begins is left out."""

    name = "latex"
    suffixes = frozenset({".tex", ".ltx"})

    def read_markup(self, text: str) -> _Text:
        """A text as Markdown, and what it says of itself."""
        return _Text(text)


@dataclass(slots=True)
class _Text(WrittenText):
    """A LaTeX text as Markdown, and what it says of itself."""

    _tokens: Tokens = field(init=False)
    _own: dict[str, OwnCommand] = field(default_factory=dict)
    """What its own commands stand for."""

    _lists: list[str] = field(default_factory=list)
    _depth: int = 0
    _tables: list[tuple[int, int, Table]] = field(default_factory=list)
    """The first line of each table, and the line after its last."""

    def __post_init__(self) -> None:
        source = self.source.replace("\r", " ").split("\n")
        plain, code = without_comments("\n".join(source))
        self._tokens = tokens = Tokens(without_package_marks(plain))
        begin, end = tokens.document
        front = self._front(begin)
        rest = "\n" * tokens.lines_in(end, len(tokens))
        lines = set_lines(front + self._read(begin, end) + rest)
        for first, last in code:
            if tokens.line_of(begin) <= first < last <= tokens.line_of(end):
                lines[first : last + 1] = [FENCE, *source[first + 1 : last], FENCE]
        for first, last, table in self._tables:
            written = [""] * (last - first)
            within = [(line - first, cells) for line, cells in table.rows]
            markdown_lines.place_rows(written, 0, last - first, within, table.head_rows)
            lines[first:last] = written
        self.written = "\n".join(markdown_lines.closed_up(lines)).translate(_AS_WRITTEN)
        self.title = self.title.translate(_AS_WRITTEN)

    def _front(self, end: int) -> str:
        """What is set before the document: its title, authors and date; the rest is for the program."""
        tokens = self._tokens
        parts: list[str] = []
        index = 0
        while index < end:
            name = tokens.command(index)
            if name in ("title", "author", "date"):
                text, after = self._command(index)
            else:
                after = max(self._define(index) if name in DEFINING else 0, index + 1)
                text = "\n" * tokens.lines_in(index, after)
            parts.append(text)
            index = max(after, index + 1)
        return "".join(parts)

    def _define(self, index: int) -> int:
        """Note what a command of the text's own stands for; the token after it."""
        name, own, after = read_definition(self._tokens, index)
        if own is not None and name not in _COMMANDS and name not in LEVELS and name not in DROPPED:
            self._own[name] = own
        return after

    def _told_own(self, name: str, after: int) -> tuple[str, int] | None:
        """What a command of the text's own reads as with the arguments at a token, and the token after them;
        None where it is none, or they are not there."""
        own, first = self._own.get(name), after
        if own is None:
            return None
        if own.text is None:
            own.text = "".join(f"#{number} " for number in range(1, own.arguments + 1))  # within itself
            read = re.sub(r"\n\s*\n", BREAK, self._read(own.first, own.last).replace(GONE, ""))
            own.text = read.replace("\n", " ") if len(read) <= MOST_OF_OWN else own.text
        places: dict[str, tuple[int, int]] = {}
        for number in range(1, own.arguments + 1):
            begin, end, behind = self._tokens.argument(after)
            if behind == after:
                return None
            places[str(number)], after = (begin, end), behind
        shown = PLACE.findall(own.text)
        is_once = HEADING not in own.text and len(shown) == len(set(shown))
        arguments = {
            number: self._read(*where) if is_once else self._folded(*where)[0]
            for number, where in places.items()
        }
        is_short = is_once or sum(map(len, arguments.values())) <= MOST_OF_OWN
        template = own.text if is_short else " ".join(f"#{number}" for number in arguments)
        text = PLACE.sub(lambda place: arguments.get(place[1], ""), template)
        return text + "\n" * (self._tokens.lines_in(first, after) - text.count("\n")), after

    def _read(self, index: int, end: int) -> str:
        """The tokens from one to another as text, with as many line ends as they have."""
        tokens = self._tokens
        if self._depth > _MOST_DEEP:
            return "\n" * tokens.lines_in(index, end)
        self._depth += 1
        parts: list[str] = []
        while index < end:
            text, after = self._next(index)
            parts.append(text)
            index = max(after, index + 1)
        self._depth -= 1
        return "".join(parts)

    def _next(self, index: int) -> tuple[str, int]:
        """What begins at a token, and the token after it."""
        token = self._tokens[index]
        if token in ("$", "$$"):
            return self._math(index)
        if token in ("{", "}"):
            return "", index + 1
        if token == "~":
            return " ", index + 1
        if token[0] != "\\" or token == "\\":
            return token, index + 1
        return self._command(index)

    def _math(self, index: int) -> tuple[str, int]:
        """Mathematics as it is written, to the sign that ends it in the same paragraph; numbers alone are
        none."""
        end = self._tokens.math_end(index)
        if end is None:
            return self._tokens[index], index + 1
        written = self._tokens.raw(index, end)
        return plain_numerals(written) or written, end

    def _command(self, index: int) -> tuple[str, int]:
        tokens = self._tokens
        token, name = tokens[index], tokens.command(index)
        if not name:
            return self._sign(token[1:], index)
        if name in ("begin", "end"):
            return self._environment(index, name)
        if name in ("item", "bibitem"):
            return self._item(index, name)
        read = _COMMANDS.get(name)
        if read is not None:
            return read(self, index)
        if name in LEVELS:
            return self._section(index, LEVELS[name])
        if (own := self._told_own(name, index + 1)) is not None:
            return own
        if heads := _HEADS.fullmatch(name):
            return self._section(index, LEVELS["section"] + len(heads[1]) // 3)
        if "cite" in name.lower() or name in DROPPED:
            return self._dropped(index, DROPPED.get(name, 1))
        if name in DEFINING:
            after = self._define(index)
            return nothing(tokens.lines_in(index, after)), after
        if name in ACCENTS and name not in SIGNS:
            return self._sign(name, index)
        if _PICTURE.fullmatch(name):
            after = self._after_own_arguments(index)
            return nothing(tokens.lines_in(index, after)), after
        if name in SIGNS:
            after = index + 1
            if after < len(tokens) and tokens[after] == "{" and tokens.close(after) == after + 1:
                after += 2  # \LaTeX{} ends so
            return SIGNS[name], after
        return self._shown(index, last_only=name in SECOND)

    def _sign(self, sign: str, index: int) -> tuple[str, int]:
        if sign in ("[", "]"):
            end = self._tokens.math_end(index) if sign == "[" else None
            return (self._tokens.raw(index, end), end) if end is not None else ("", index + 1)
        if sign in _OUTLINE and self._lists and self._lists[-1] == "outline":
            return f"{BREAK}{'  ' * _OUTLINE.index(sign)}- ", self._tokens.after_spaces(index + 1)
        if sign in ACCENTS:
            first, last, after = self._tokens.argument(index + 1)
            text = self._read(first, last) if last > first else ""
            if not text and index + 1 < len(self._tokens) and self._tokens[index + 1][0].isalpha():
                word = self._tokens[index + 1]
                text, after = word, index + 2
            text = text.replace("ı", "i")
            return unicodedata.normalize("NFC", text[:1] + ACCENTS[sign] + text[1:]) if text else "", after
        after = self._tokens.after_options(index + 1) if sign == "\\" else index + 1
        return SPACES.get(sign, sign), after

    def _dropped(self, index: int, count: int) -> tuple[str, int]:
        after = self._tokens.after_arguments(index + 1, count)
        return nothing(self._tokens.lines_in(index, after)), after

    def _shown(self, index: int, *, last_only: bool) -> tuple[str, int]:
        """A command as the text that stands in its arguments, or in the last of them."""
        tokens, name = self._tokens, self._tokens.command(index)
        after = tokens.after_options(index + 1)
        shown = "\n" * tokens.lines_in(index, after)
        has_options = after > index + 1
        while after < len(tokens) and tokens[after] == "{":
            first, last, after = tokens.argument(after)
            text = self._read(first, last)
            shown = "\n" * shown.count("\n") + text if last_only else f"{shown}{text}"
            if not last_only:
                entries = self._after_entries(after)
                is_parted = entries == after and not name.startswith(_WITHIN_WORDS)
                after = entries
                shown += " " if is_parted and after < len(tokens) and tokens[after] == "{" else ""
                break
            behind = tokens.after_options(after)
            after = behind if behind < len(tokens) and tokens[behind] == "{" else after
        if after == index + 1 and not has_options and after < len(tokens) and tokens[after] == " ":
            after += 1
        return shown, after

    def _after_entries(self, index: int) -> int:
        """The token after the arguments that are only entries of the index."""
        tokens = self._tokens
        while index < len(tokens) and tokens[index] == "{":
            first, last, after = tokens.argument(index)
            if after == index or not _ENTRY.fullmatch(tokens.raw(first, last)):
                break
            index = after
        return index

    def _after_own_arguments(self, index: int) -> int:
        """The token after the options and the arguments right behind a command."""
        after = self._tokens.after_options(index + 1)
        while after < len(self._tokens) and self._tokens[after] == "{" and self._tokens.close(after):
            after = self._tokens.after_options(self._tokens.argument(after)[2])
        return after

    def _folded(self, first: int, last: int) -> tuple[str, str]:
        """Tokens as text on one line, and the line ends that were in it."""
        text = tidy(self._read(first, last).translate(_ON_ONE_LINE))
        return " ".join(text.split()), "\n" * text.count("\n")

    def _section(self, index: int, level: int) -> tuple[str, int]:
        after = self._tokens.after_options(index + 1)
        first, last, end = self._tokens.argument(after)
        title, ends = self._folded(first, last)
        if not title:
            return ends, end
        self._lists.clear()
        return f"{HEADING}{'#' * level} {title}{HEADING_END}{ends}", end

    def _caption(self, index: int) -> tuple[str, int]:
        after = self._tokens.after_options(index + 1)
        first, last, end = self._tokens.argument(after)
        text, ends = self._folded(first, last)
        return f"{BREAK}{text}{BREAK}{ends}", end

    def _stated(self, index: int) -> tuple[str, int]:
        """The title, the authors or the date of the document."""
        name = self._tokens.command(index)
        first, last, end = self._tokens.argument(self._tokens.after_options(index + 1))
        text, ends = self._folded(first, last)
        if name == "title":
            self.title = self.title or text
            return f"{BREAK}{ends}", end
        if name == "date":
            self.day = self.day or read_date(text)
        text = text.replace(" ,", ",")
        return f"{BREAK}{markdown_lines.field(name, text)}{BREAK}{ends}", end

    def _footnote(self, index: int) -> tuple[str, int]:
        first, last, end = self._tokens.argument(self._tokens.after_options(index + 1))
        text = self._read(first, last)
        return f" ({text.strip()})" + "\n" * (text.count("\n") - text.strip().count("\n")), end

    def _coded(self, index: int) -> tuple[str, int]:
        first, last, end = self._tokens.argument(self._tokens.after_options(index + 1))
        text, ends = self._folded(first, last)
        return _code(text) + ends, end

    def _verb(self, index: int) -> tuple[str, int]:
        token = self._tokens[index]
        return _code(token[6:-1]), index + 1

    def _quantity(self, index: int) -> tuple[str, int]:
        """A number with its unit, each an argument."""
        tokens = self._tokens
        after = tokens.after_options(index + 1)
        parts: list[str] = []
        for _ in range(2 if tokens.command(index) in ("SI", "qty") else 1):
            first, last, after = tokens.argument(after)
            is_unit = bool(parts) or tokens.command(index) in ("si", "unit")
            if is_unit:
                units = (tokens.command(number) or tokens[number] for number in range(first, last))
                parts.append(" ".join(SIGNS.get(unit, unit) for unit in units if unit not in "{} ~").strip())
            else:
                parts.append(self._read(first, last).strip())
        return " ".join(filter(None, parts)), after

    def _amount(self, index: int) -> tuple[str, int]:
        """A sum of euros, or their sign alone."""
        first, last, after = self._tokens.argument(self._tokens.after_options(index + 1))
        text, ends = self._folded(first, last)
        return f"{text} €".strip() + ends, after if text else index + 1

    def _item(self, index: int, name: str) -> tuple[str, int]:
        tokens = self._tokens
        after = tokens.after_options(index + 1)
        term = ""
        if name == "item" and after > index + 1:
            term, _ = self._folded(*tokens.option(index + 1)[:2])
        elif name == "bibitem":
            _, _, after = tokens.argument(after)
        after = self._tokens.after_spaces(after)
        ends = "\n" * tokens.lines_in(index, after)
        indent = "  " * max(len(self._lists) - 1, 0)
        joint = "" if not term else " " if term.endswith((":", ".", "?")) else ": "
        mark = "1." if self._lists and "enum" in self._lists[-1].lower() and not term else "-"
        return f"{ends}{BREAK}{indent}{mark} {term}{joint}", after

    def _environment(self, index: int, which: str) -> tuple[str, int]:
        tokens = self._tokens
        first, last, after = tokens.argument(index + 1)
        name = tokens.raw(first, last).strip()
        base = name.rstrip("*")
        if which == "end":
            if self._lists and (base in LISTS or base == self._lists[-1]):
                self._lists.pop()
            return BREAK, after
        ended = tokens.environment(index)
        if name in TABLES and ended is not None:
            return self._table(index, after, ended)
        if base in HIDDEN | CODE and ended is not None:
            # The lines of code are put in as they are, once all is read.
            return BREAK + "\n" * tokens.lines_in(index, ended[1]) + BREAK, ended[1]
        if base in MATH and ended is not None:
            return BREAK + _LABEL.sub("", tokens.raw(after, ended[0])) + BREAK, ended[1]
        opened = tokens.after_options(after)
        if base in LISTS or tokens.command(tokens.after_blanks(opened)) == "item":
            self._lists.append(base)
        elif (own := self._told_own(f"begin {name}", after)) is not None:
            return f"{BREAK}{own[0]}{BREAK}", own[1]
        elif base not in _SET_APART:
            return self._named(index, after, base)
        if base in ("thebibliography", "minipage", "multicols", "wrapfigure"):
            _, _, opened = tokens.argument(opened)
        return BREAK + "\n" * tokens.lines_in(index, opened), opened

    def _named(self, index: int, after: int, base: str) -> tuple[str, int]:
        """What begins an environment that may have a name, as a theorem, a slide and a box on it have."""
        tokens = self._tokens
        name = self._folded(*tokens.option(after)[:2])[0]
        names = [name] if _NAMED.fullmatch(name) else []
        opened = end = tokens.after_options(after)
        while end < len(tokens) and tokens[end] == "{" and len(names) < _MOST_NAMING:
            first, last, behind = tokens.argument(end)
            if last - first > _LONGEST_NAME or "\\begin" in tokens.raw(first, last):
                break
            text = self._folded(first, last)[0]
            if base == "frame" and text:
                heading, after = self._section(end - 1, LEVELS["frametitle"])
                return "\n" * tokens.lines_in(index, end) + heading, after
            if behind == end or not (text.isdecimal() or _MEASURE.fullmatch(text) or _NAMED.fullmatch(text)):
                break
            names += [text] if not _MEASURE.fullmatch(text) else []
            end = behind
        is_named = any(map(_NAMED.fullmatch, names))
        opened = end if is_named or not names else opened
        shown = opening(" ".join(names)) if is_named else ""
        return f"{BREAK}{shown}" + "\n" * tokens.lines_in(index, opened), opened

    def _table(self, index: int, after: int, ended: tuple[int, int]) -> tuple[str, int]:
        """Note the rows of a table; its lines are written once all is read."""
        tokens = self._tokens
        name = tokens.raw(*tokens.argument(index + 1)[:2]).strip()
        after = tokens.after_options(after)
        for _ in range(TABLES[name]):
            after = tokens.after_options(tokens.argument(after)[2])
        table = read_table(tokens, after, ended[0], lambda begin, end: self._folded(begin, end)[0])
        first, last = tokens.line_of(index), tokens.line_of(ended[0]) + 1
        self._tables.append((first, last, table))
        return BREAK + "\n" * tokens.lines_in(index, ended[1]) + BREAK, ended[1]

    def _paragraph(self, index: int) -> tuple[str, int]:
        first, last, end = self._tokens.argument(self._tokens.after_options(index + 1))
        text, ends = self._folded(first, last)
        return f"{BREAK}{opening(text)}{ends}", end

    def _acronym(self, index: int) -> tuple[str, int]:
        """A short form and what it stands for."""
        tokens = self._tokens
        options = tokens.after_options(index + 1)
        first, last, after = tokens.argument(options)
        if tokens.command(index) == "newacronym":
            first, last, after = tokens.argument(after)
        elif tokens.option(after)[2] > after:
            first, last, after = tokens.option(after)
        short, ends = self._folded(first, last)
        first, last, after = tokens.argument(after)
        long, more_ends = self._folded(first, last)
        return f"{BREAK}- {short}: {long}{BREAK}{ends}{more_ends}", after


_SET_APART = {"thebibliography", "minipage", "multicols", "wrapfigure", "figure", "table", "document",
    "center", "flushleft", "flushright", "quote", "quotation", "abstract", "titlepage"}  # fmt: skip
"""Environments whose options and arguments say how they are set."""

_COMMANDS: dict[str, Callable[[_Text, int], tuple[str, int]]] = {
    "caption": _Text._caption,
    "title": _Text._stated,
    "author": _Text._stated,
    "date": _Text._stated,
    "footnote": _Text._footnote,
    "texttt": _Text._coded,
    "lstinline": _Text._coded,
    "code": _Text._coded,
    "url": _Text._coded,
    "verb": _Text._verb,
    "SI": _Text._quantity,
    "si": _Text._quantity,
    "qty": _Text._quantity,
    "unit": _Text._quantity,
    "num": _Text._quantity,
    "EUR": _Text._amount,
    "paragraph": _Text._paragraph,
    "subparagraph": _Text._paragraph,
    "newacronym": _Text._acronym,
    "acro": _Text._acronym,
}


def _code(text: str) -> str:
    """A piece of code in a sentence, whose signs stay as they are."""
    text = f"`{text}`" if text.strip() and "`" not in text else text
    return text.replace("-", _DASH).replace("`", _TICK)
