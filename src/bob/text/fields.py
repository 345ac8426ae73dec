"""The named fields of a text, line by line, as YAML, TOML and INI write them: those of front matter, of
settings and of data.

Each is told with its lines, so that it can be quoted where it stands; `bob.documents.formats.front_matter`
reads the values themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bob.text.markup import indentation

_CLOSING = {"---": ("---", "..."), "+++": ("+++",)}
FENCES = tuple(_CLOSING)
"""What opens front matter."""

FIELD_NAME = r"\"[^\"]{1,80}\"|'[^']{1,80}'|[\w/.$@~+][\w ./{}$@~+&%*()<>-]{0,60}?"
_FIELD = re.compile(
    rf"(?P<before>\s*+(?:- ++)*+)(?:export )?(?P<name>{FIELD_NAME}) *+"
    r"(?P<mark>:(?=\s|$)|=(?![=>]))(?P<value>.*)"
)
_TABLE = re.compile(r"(?P<marks>\[{1,2})(?P<name>[^\[\]]+)\]{1,2}(?:\s*+#.*)?")
_ITEM = re.compile(r"(?P<before>\s*+(?:- ++)++)(?P<value>\S.*)")
_BLOCK = re.compile(r"[>|][-+]?\d?[-+]?(?:\s+#.*)?")
_TRIPLE = ('"""', "'''")
_QUOTED = re.compile(r"\"(?P<double>(?:[^\"\\]|\\.)*+)\"|'(?P<single>(?:[^']|'')*+)'")
_IN_FRONT_MATTER = re.compile(rf"\s|$|#|[\]}}{{\[]|-(?:\s|$)|{_FIELD.pattern}")
"""A line of YAML: indented, empty, a comment, a bracket, an item or a field."""
_LISTED = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|[^,\s][^,]*+")
_ANCHOR = re.compile(r"&[\w-]+(?:\s+|$)")
COMMENT_LINE = re.compile(r"\s*+(?:#|;|//)")
_COMMENT = re.compile(r"(?<!\s)\s+#\s.*")
_COMMENT_OF_INI = re.compile(r"(?<!\s)\s+[#;]\s.*")
_SNAKE_CASE = re.compile(r"[^\W_A-Z]+(?:_[^\W_A-Z]+)+")

_MOST_TOGETHER = 12
_MOST_CHARACTERS = 500
"""The items of a longer list are fields of their own, each under the list's name."""

RECORD_NAMES = ("name", "title", "id")
"""The fields whose text is what a record is called, the first before the next."""
_LONGEST_NAME = 80
_TEXT = re.compile(
    r"(?!\w+://)(?=.*[^\W\d_])(?!(?:true|false|yes|no|on|off|null|none)$)[^\n\[{]+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class NamedField:
    """The field in lines `first` to `last` (counted from 0); its name begins at character `indent` of the
    first. `names`: its own behind those of the fields and records that it is part of, none for the item of a
    list without a name; `values`: one, the items of a list, or none."""

    first: int
    last: int
    indent: int
    names: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(slots=True)
class Record:
    """One of several things that are listed with the same fields, or all that `is_file` has: the text of some
    field is its name."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    is_file: bool = False

    @property
    def name(self) -> str:
        """What its fields say that it is called, "" where none does."""
        return file_name(self.fields) if self.is_file else record_name(self.fields)


Above = tuple[str | Record, ...]
"""The names and the records that a field is part of, outermost first."""


def record_name(fields: Sequence[tuple[str, str]]) -> str:
    """What a record is called: its name, title or id, or else its first text.

    >>> record_name([("seats", "4"), ("boat", "Swift"), ("berth", "B2")])
    'Swift'
    >>> record_name([("id", "7"), ("owner", "Ana")]), record_name([("id", "7")]), record_name([])
    ('Ana', '7', '')
    """
    called = [(name.lower(), value) for name, value in fields if value and len(value) <= _LONGEST_NAME]
    texts = [(name, value) for name, value in called if _TEXT.fullmatch(value)]
    by_name = [value for wanted in RECORD_NAMES for name, value in texts if name == wanted]
    return next(
        iter((*by_name, *(value for _, value in texts), *(value for name, value in called if name == "id"))),
        "",
    )


def file_name(fields: Sequence[tuple[str, str]]) -> str:
    """What a file is called by its fields: its name, title or id, or else the text that it begins with.

    >>> file_name([("trip", "Lisbon"), ("hotel", "")]), file_name([("port", "80"), ("host", "localhost")])
    ('Lisbon', '')
    """
    name, value = fields[0] if fields else ("", "")
    is_called = any(name.lower() in RECORD_NAMES for name, _ in fields)
    return record_name(fields) if is_called or (name.isalpha() and _TEXT.fullmatch(value)) else ""


def names_within(above: Above, values: tuple[str, ...]) -> tuple[str, ...]:
    """The names above a field, records by theirs; what names a record does not stand under it."""
    names = [node.name if isinstance(node, Record) else node for node in above]
    owner = above[-2] if len(above) > 1 else None
    if isinstance(owner, Record) and values == (names[-2],):
        del names[-2]
    return tuple(filter(None, names))


def front_matter_end(lines: Sequence[str]) -> int:
    """How many lines a block of front matter takes at the beginning of a text; 0 without one.

    What stands between two rules is none, where a line of it that is not indented is no field: a text goes
    on between them.

    >>> front_matter_end(["---", "title: Boats", "---", "Text"]), front_matter_end(["---", "A remark", "---"])
    (3, 0)
    """
    opening = lines[0].rstrip() if lines else ""
    closing = _CLOSING.get(opening, ())
    end = next((index for index in range(1, len(lines)) if lines[index].rstrip() in closing), 0)
    if opening == "---" and not all(map(_IN_FRONT_MATTER.match, lines[1:end])):
        return 0
    return end + 1 if end else 0


def named_fields(lines: Sequence[str]) -> Iterator[NamedField]:
    """The fields that a text's lines have. An item of a list that has fields is a record: they stand under
    its name.

    >>> lines = ["seats:", "  outside: 40", "hosts = ['a', 'b']"]
    >>> [(field.names, field.values) for field in named_fields(lines)]
    [(('seats',), ()), (('seats', 'outside'), ('40',)), (('hosts',), ('a', 'b'))]
    >>> [field.names for field in named_fields(["boats:", "- name: Swift", "  berth: B2"])]
    [('boats',), ('boats', 'name'), ('boats', 'Swift', 'berth')]
    """
    read = list(_Reader(lines).fields())
    for above, named in read:
        yield replace(named, names=names_within(above, named.values))


def spaced_name(name: str) -> str:
    """A name in snake case with spaces between its words: "cook_time" is "cook time"; what a program reads
    by its letters (`MAX_SIZE`, `on-fail`) stays as it is."""
    return name.replace("_", " ") if _SNAKE_CASE.fullmatch(name) else name


class _Reader:
    """Reads the lines of a text one after another, with the names and records that the next one is in, each
    with its column; those of a table of TOML stand left of all columns."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._above: list[tuple[int, str | Record]] = []
        self._arrays: dict[str, Record] = {}

    def fields(self) -> Iterator[tuple[Above, NamedField]]:
        """Each field with what it is in, its own name included."""
        index = 0
        while index < len(self._lines):
            line = self._lines[index].rstrip()
            named = None if COMMENT_LINE.match(line) else _FIELD.fullmatch(line)
            if table := _TABLE.fullmatch(line):
                self._enter_table(table["name"].strip(), is_array=len(table["marks"]) > 1)
            elif named is not None:
                fields = self._named(named, index)
                yield from fields
                index = fields[-1][1].last
            elif item := _ITEM.fullmatch(line):
                self._leave(len(item["before"]) - len(item["before"].lstrip()), len(item["before"]))
                items = self._items(index)
                yield from self._listed(items, items[0][0], len(item["before"]))
                index = items[-1][1]
            elif line in ("---", "..."):
                self._above = []
            index += 1

    def _enter_table(self, name: str, *, is_array: bool) -> None:
        parts = name[:_LONGEST_NAME].split(".")
        prefixes = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
        array = next((prefix for prefix in prefixes if prefix in self._arrays), "")
        self._above = [(-4, array), (-3, self._arrays[array])] if array else []
        self._above.append((-2, name[len(array) + 1 :] if array else name))
        if is_array:
            self._arrays[name] = Record()
            self._above.append((-1, self._arrays[name]))

    def _leave(self, dash: int, indent: int) -> None:
        """Leave what a line does not belong to; `dash` is where its item begins, or `indent`."""
        while self._above and (
            self._above[-1][0] >= indent
            or self._above[-1][0] > dash
            or (self._above[-1][0] == dash and isinstance(self._above[-1][1], Record))
        ):
            self._above.pop()

    def _named(self, named: re.Match[str], index: int) -> list[tuple[Above, NamedField]]:
        before, indent = named["before"], len(named["before"])
        dash = len(before) - len(before.lstrip()) if "-" in before else indent
        self._leave(dash, indent)
        if dash < indent:
            self._above.append((dash, Record()))
        name = _unquoted(named["name"].strip())
        values, last, items = self._value(named, index)
        owner = self._above[-1][1] if self._above else None
        if isinstance(owner, Record) and len(values) == 1:
            owner.fields.append((name, values[0]))
        self._above.append((indent, spaced_name(name)))
        if items and not _fit_together(values):
            return [
                (self._names(), NamedField(index, index, indent, (), ())),
                *self._listed(items, -1, -1),
            ]
        return [(self._names(), NamedField(index, last, indent, (), values))]

    def _names(self) -> Above:
        return tuple(node for _, node in self._above)

    def _listed(
        self, items: Sequence[tuple[int, int, str]], first: int, indent: int
    ) -> list[tuple[Above, NamedField]]:
        """Items that stand under a name, together or, where they are too many, one by one."""
        values = tuple(value for _, _, value in items)
        if first >= 0 and _fit_together(values):
            return [(self._names(), NamedField(first, items[-1][1], indent, (), values))]
        columns = (_ITEM.fullmatch(self._lines[begin].rstrip()) for begin, _, _ in items)
        return [
            (self._names(), NamedField(begin, end, len(item["before"]) if item else 0, (), (value,)))
            for (begin, end, value), item in zip(items, columns, strict=True)
        ]

    def _value(
        self, named: re.Match[str], index: int
    ) -> tuple[tuple[str, ...], int, list[tuple[int, int, str]]]:
        """What a field says: its values, its last line, and the items below it with their lines."""
        written, indent = _ANCHOR.sub("", named["value"].strip(), count=1), len(named["before"])
        is_ini = named["mark"] == "="
        if written.startswith(_TRIPLE):
            return self._until_closed(written, index)
        if _BLOCK.fullmatch(written):
            return self._text_below(index, indent)
        if written.startswith("[") and written.count("[") > written.count("]"):
            lines = self._bracketed(written, index)
            if lines:
                return _values(" ".join(lines), is_ini=is_ini), index + len(lines) - 1, []
        values = _values(written, is_ini=is_ini)
        if not values:
            items = self._items(index + 1)
            if items:
                return tuple(value for _, _, value in items), items[-1][1], items
        last = self._goes_on_to(index, indent)
        if last == index or len(values) > 1 or _QUOTED.fullmatch(written):
            return values, index, []
        below = [_uncommented(line.strip(), is_ini=is_ini) for line in self._lines[index + 1 : last + 1]]
        if is_ini or not values:
            return (*values, *filter(None, below)), last, []
        return (" ".join((*values, *below)),), last, []

    def _goes_on_to(self, index: int, indent: int) -> int:
        """The last of the lines below that go on with a text: further in, and neither fields nor items."""
        last = index
        while last + 1 < len(self._lines):
            line = self._lines[last + 1].rstrip()
            is_other = not line or COMMENT_LINE.match(line) or _FIELD.fullmatch(line) or _ITEM.fullmatch(line)
            if is_other or indentation(line) <= indent:
                break
            last += 1
        return last

    def _items(self, index: int) -> list[tuple[int, int, str]]:
        """The items without fields of their own from a line on, each with its first and last line."""
        items: list[tuple[int, int, str]] = []
        while index < len(self._lines):
            line = self._lines[index].rstrip()
            item = None if _FIELD.fullmatch(line) else _ITEM.fullmatch(line)
            if item is None:
                if line and not COMMENT_LINE.match(line):
                    break
                index += 1
                continue
            last = self._goes_on_to(index, indentation(line))
            texts = [item["value"], *(below.strip() for below in self._lines[index + 1 : last + 1])]
            if value := _unquoted(_uncommented(" ".join(texts), is_ini=False)):
                items.append((index, last, value))
            index = last + 1
        return items

    def _text_below(self, index: int, indent: int) -> tuple[tuple[str, ...], int, list[tuple[int, int, str]]]:
        """The text in the lines below that are further in."""
        last, below = index, index + 1
        while below < len(self._lines):
            line = self._lines[below].rstrip()
            if line and indentation(line) <= indent:
                break
            last, below = below if line else last, below + 1
        text = " ".join(filter(None, (line.strip() for line in self._lines[index + 1 : last + 1])))
        return ((text,) if text else ()), last, []

    def _until_closed(
        self, written: str, index: int
    ) -> tuple[tuple[str, ...], int, list[tuple[int, int, str]]]:
        """A text between three quotation marks, to its end or that of all lines."""
        mark, text = written[:3], written[3:]
        lines = [text]
        last = index
        while mark not in lines[-1] and last + 1 < len(self._lines):
            last += 1
            lines.append(self._lines[last].strip())
        lines[-1] = lines[-1].partition(mark)[0]
        text = " ".join(filter(None, lines)).strip()
        return ((text,) if text else ()), last, []

    def _bracketed(self, written: str, index: int) -> list[str]:
        """The lines of a list in brackets from the one that opens it, without comments; none where it is not
        closed before the next field."""
        lines = [_uncommented(written, is_ini=False)]
        for below in range(index + 1, len(self._lines)):
            line = self._lines[below].strip()
            if _FIELD.fullmatch(line) or (_TABLE.fullmatch(line) and not line.startswith("[[")):
                return []
            lines.append("" if COMMENT_LINE.match(line) else _uncommented(line, is_ini=False))
            if lines[-1].endswith("]"):
                return lines
        return []


def _fit_together(values: Sequence[str]) -> bool:
    return len(values) <= _MOST_TOGETHER and sum(map(len, values)) <= _MOST_CHARACTERS


def _values(written: str, *, is_ini: bool) -> tuple[str, ...]:
    """What stands behind a name: one value, the items of a list in brackets, or nothing."""
    value = _uncommented(written, is_ini=is_ini)
    is_list = (
        value.startswith("[") and value.endswith("]") and not value.startswith("[[") and "](" not in value
    )
    items = _LISTED.findall(value[1:-1]) if is_list else [value]
    return tuple(filter(None, map(_unquoted, items)))


def _uncommented(written: str, *, is_ini: bool) -> str:
    """A value without the comment behind it."""
    quoted = _QUOTED.match(written)
    if quoted and COMMENT_LINE.match(f"{written[quoted.end() :].strip()}#"):
        return quoted[0]
    return (_COMMENT_OF_INI if is_ini else _COMMENT).sub("", f"x {written}")[2:].strip()


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value
