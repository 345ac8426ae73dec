"""Recognizes what a line of source code defines, by its look: where a section begins, what is quoted alone.

Both know the same words of the programming languages. A section begins with a definition that has a body;
fields, columns, settings and what is assigned are quoted alone, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bob.text.markup import indentation

LONGEST_LINE = 400
"""Characters; a longer line is data or minified, and no definition anyone would name."""

_MODIFIERS = (
    r"export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\(\w+\))?|unsafe|extern|"
    r"inline|virtual|override|sealed|open|data|const|declare|local|typedef"
)
_KINDS = (
    r"class|struct|interface|enum|trait|impl|namespace|module|object|record|def|defp|fn|func|fun|function|sub|type|"
    r"protocol|union|message|service|resource"
)

# Where a section begins

_NAMED = re.compile(
    rf"(?:(?:{_MODIFIERS}|partial|suspend)[ \t]+)*(?:{_KINDS}|defmodule|extension|macro_rules!|proc"
    r"|(?:create|CREATE)[ \t]+(?:or[ \t]+replace[ \t]+|OR[ \t]+REPLACE[ \t]+)?\w+)"
    r"(?:<[^>{]*>)?[ \t]+(?:\([^)]*\)[ \t]*)?[\"'`]?([A-Za-z_$][\w$.:-]*)"
)
_FUNCTION_ASSIGNED = re.compile(
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[^=]{0,80}="
    r"[ \t]*(?:async[ \t]*)?(?:function\b|\(|[\w$]+[ \t]*=>)"
)
_CALLABLE = re.compile(r"[A-Za-z_~][\w \t*&:<>,~\[\]@?]{0,120}?([A-Za-z_~][\w:~]*)[ \t]*\(")
_SHELL = re.compile(r"([A-Za-z_][\w-]*)[ \t]*\(\)[ \t]*\{?[ \t]*$")
_TARGET = re.compile(r"([A-Za-z0-9_./%-]+)[ \t]*:(?!=)")
_NO_CALLABLE_WORDS = "if for while switch return else catch do sizeof defined using new throw"
_NO_CALLABLES = frozenset(_NO_CALLABLE_WORDS.split())
_BRACE_SUFFIXES = (
    ".c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .java .kt .kts .scala .groovy .swift .dart .js .jsx .mjs "
    ".cjs .ts .tsx .vue .svelte .php .v .sv .zig"
)
_BRACE = frozenset(_BRACE_SUFFIXES.split())
_SHELLS = frozenset([".sh", ".bash", ".zsh", ".fish", ""])
_MAKE = frozenset([".mk", ""])
_LINES_TO_BRACE = 8


def section_name(lines: Sequence[str], index: int, suffix: str) -> str:
    """The name of the definition that begins at a line of a file with this ending, "" where none does.

    >>> section_name(["pub fn open(path: &Path) -> File {"], 0, ".rs"), section_name(["open(path);"], 0, ".c")
    ('open', '')
    """
    line = lines[index].strip()
    if not line or len(line) > LONGEST_LINE or line.startswith(("#", "//", "*", "}", "/*", "--")):
        return ""
    if match := _NAMED.match(line) or _FUNCTION_ASSIGNED.match(line):
        return match[1].rstrip(":.")
    if suffix in _SHELLS and (match := _SHELL.match(line)):
        return match[1]
    if suffix in _MAKE and indentation(lines[index]) == 0 and (match := _TARGET.match(line)):
        return match[1]
    if suffix not in _BRACE or line.endswith((";", ",")) or line.split(None, 1)[0] in _NO_CALLABLES:
        return ""
    match = _CALLABLE.match(line)
    if match is None or match[1] in _NO_CALLABLES or "=" in line[: match.start(1)]:
        return ""
    return match[1] if _opens_body(lines, index) else ""


def _opens_body(lines: Sequence[str], index: int) -> bool:
    """Whether a brace opens before a statement ends, within a few lines: a definition, not a call."""
    for line in lines[index : index + _LINES_TO_BRACE]:
        code = line[:LONGEST_LINE].rstrip()
        if "{" in code:
            return True
        if code.endswith((";", "}")) or not code:
            return False
    return False


# What may be quoted alone

_BEFORE = rf"(?:(?:{_MODIFIERS}|let|var|val|readonly)\s+)*+"
_DEFINITION = re.compile(
    rf"{_BEFORE}(?:{_KINDS}|variable|output|#define|"
    r"(?i:create)(?:\s+\w+){1,2}?(?:\s+(?i:if not exists))?)\s++[\"'`\[]?(?P<name>[\w$]+)"
)
_LITERAL = r"[\"'`\d\[{(:-]|[rbfu]\"|(?:true|false|none|null|nil|new|undefined)\b"
_ASSIGNED = re.compile(
    rf"(?P<before>{_BEFORE})(?P<type>[\w.<>\[\]*?]+\s+)?[\w.$@-]+\s*+(?P<said>[?!]?:(?!:)[^=;{{}}]{{1,160}})?"
    rf"\s*+(?::=|\?=|=)(?![=>~])\s*+(?P<literal>(?i:{_LITERAL})\S*)?\S?"
)
_MEMBER = re.compile(rf"{_BEFORE}[\"'`]?[\w$@-]+[\"'`]?[?!]?\s*+:(?!:)\s*+[^\s{{(][^{{}}]*$")
_FIELD_OF_GO = re.compile(r"[A-Z]\w*\s+[\w.*\[\]{}]+(?:\s+`[^`]*`)?(?:\s*//.*)?$")
_COLUMN = re.compile(
    r"[\[\"`]?\w+[\]\"`]?\s+[\[\"`]?(?:n?(?:var)?char|n?text|\w*int(?:eger)?|numeric|decimal|real|double|float|bool|"
    r"boolean|date|time|timestamp\w*|datetime\w*|\w*serial|uuid|jsonb?|\w*blob|bytea|image|bit|\w*money)\b|"
    r"(?:constraint|primary key|foreign key|unique|check)\b",
    re.IGNORECASE,
)
_SETTING = re.compile(r"(?:FROM|ENV|ARG|EXPOSE|CMD|ENTRYPOINT|USER|VOLUME|WORKDIR|require|go|module)\s+\S")
_STATEMENT = re.compile(
    r"(?:if|for|while|switch|return|else|elif|elsif|catch|except|do|try|with|case|when|import|from|package|use|using|"
    r"throw|raise|yield|await|assert|print|echo|default|not|and|or|lambda|new|del|goto|select|insert|update|delete)\b",
    re.IGNORECASE,
)
_RECEIVER = re.compile(r"func\s*\([^()]*\)\s*(\w+)")
_NAME = re.compile(r"[^({\[=:;<?!,\"'`]*?([\w$]+)[\"'`\])]?\s*(?:[({\[=:;<?!,]|$)")


def is_definition(line: str) -> bool:
    """Whether a line without white space before it begins a definition."""
    return _DEFINITION.match(line[:LONGEST_LINE]) is not None


def is_assignment(line: str) -> bool:
    """Whether a line without white space before it assigns something."""
    return len(line) <= LONGEST_LINE and _ASSIGNED.match(line) is not None


def is_declaration(line: str, suffix: str, outermost: int) -> bool:
    """Whether a line of a file with this ending declares something that can be quoted alone. What is assigned
    to a bare name does where the line is indented as little as the `outermost` ones."""
    indent, line = indentation(line), line.strip()
    if not line or len(line) > LONGEST_LINE:
        return False
    if suffix == ".sql" and _COLUMN.match(line):
        return True
    if _DEFINITION.match(line):
        return True
    if _SETTING.match(line) and suffix in ("", ".mod"):
        return True
    if _STATEMENT.match(line):
        return False
    assigned = _ASSIGNED.match(line)
    if assigned is not None:
        says = assigned["before"] or assigned["said"] or assigned["literal"] or line.split("=")[0].isupper()
        return bool(says) or indent == outermost
    if suffix == ".go" and indent and _FIELD_OF_GO.match(line):
        return True
    return _MEMBER.match(line) is not None


def declared_name(line: str) -> str:
    """What a line of code declares, "" where it declares nothing.

    >>> declared_name("export type PoolOptions = {"), declared_name("maxConnections?: number;")
    ('PoolOptions', 'maxConnections')
    >>> declared_name("return x")
    ''
    """
    line = line.strip()[:LONGEST_LINE]
    if _STATEMENT.match(line):
        return ""
    if match := _DEFINITION.match(line):
        return match["name"]
    match = _RECEIVER.match(line) or _NAME.match(line)
    return match[1] if match else ""
