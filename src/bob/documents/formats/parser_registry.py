"""Finds the parser for a file by its name, and imports that parser only when the first such file comes.

An installed package adds a parser through the Python entry-point group `bob.parsers`, as does Bob's own
`bob_formats`:

    [project.entry-points."bob.parsers"]
    gemtext = "gemtext_for_bob:GemtextParser"
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import cast

from bob.core.document import ParsedDocument
from bob.core.plug_ins import DATA_READERS, PARSERS, functions, is_own, origin, plug_ins
from bob.core.protocols import DataForm, Parser
from bob.documents.formats.parsers import ADVICE, BUILT_IN, Registration


def document_in_data(content: str, form: DataForm) -> ParsedDocument | None:
    """What an installed package finds in a text of JSON or YAML, such as a recipe; None: nothing."""
    documents = (read(content, form) for read in functions(DATA_READERS))
    return next((document for document in documents if document is not None), None)


@dataclass(frozen=True, slots=True)
class ParserProblem:
    """A parser that cannot be used, and why, in words for the person who installed it."""

    name: str
    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParserRow:
    """One parser as a listing shows it; `origin` is "built-in" or the package that brings it."""

    name: str
    suffixes: tuple[str, ...]
    origin: str


class ParserRegistry:
    """All parsers by file-name ending; a third party's wins over a built-in one for the endings it names."""

    def __init__(
        self,
        registrations: Iterable[Registration] = BUILT_IN,
        plug_ins: Iterable[EntryPoint] | None = None,
    ) -> None:
        """`plug_ins` are those of the installed packages unless given; Bob's own come in any case."""
        self._registrations = {registration.name: registration for registration in registrations}
        self._plug_ins = plug_ins
        self._origins = dict.fromkeys(self._registrations, "built-in")
        self._parsers: dict[str, Parser] = {}
        self._problems: dict[str, ParserProblem] = {}
        self._by_ending: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        for registration in self._registrations.values():
            self._by_ending.update(dict.fromkeys(registration.suffixes, registration.name))
            self._by_name.update(dict.fromkeys(registration.file_names, registration.name))
        self._plug_ins_loaded = False

    @property
    def problems(self) -> tuple[ParserProblem, ...]:
        """Parsers that could not be loaded so far, third parties' all included."""
        self._load_plug_ins()
        return tuple(self._problems.values())

    def parser_for(self, path: Path) -> Parser | None:
        """The parser that takes a file of this name, or None; the file itself is not looked at."""
        name = self._parser_name(path)
        return None if name is None else self._loaded(name)

    def advice_for(self, path: Path) -> str | None:
        """What the owner can do about a document that no parser takes; None if it is no document at all."""
        name = self._parser_name(path)
        if name is not None:
            problem = self._problems.get(name) if self._loaded(name) is None else None
            return None if problem is None else f"the parser {name!r} does not work: {problem.reason}"
        return next((ADVICE[ending] for ending in _endings(path) if ending in ADVICE), None)

    def without_ending(self, name: str) -> str:
        """A file's name without the ending by which its parser is found, and without that of a compressed
        file: only these, since a name may have other dots ("6. Policies.pdf", "node.js notes.md")."""
        plain = name[: len(_plain_name(Path(name)))]
        self._load_plug_ins()
        ending = next((ending for ending in _endings(Path(name)) if ending in self._by_ending), "")
        return plain[: len(plain) - len(ending)]

    def names(self) -> tuple[str, ...]:
        """The names of all parsers, built-in ones first."""
        self._load_plug_ins()
        return tuple(self._origins)

    def describe(self) -> tuple[ParserRow, ...]:
        """One row a parser, in the order of `names`, with the endings that it really gets."""
        self._load_plug_ins()
        taken: dict[str, list[str]] = {name: [] for name in self._origins}
        for ending, name in (self._by_ending | self._by_name).items():
            taken[name].append(ending)
        return tuple(
            ParserRow(name, tuple(sorted(taken[name])), origin) for name, origin in self._origins.items()
        )

    def _parser_name(self, path: Path) -> str | None:
        self._load_plug_ins()
        by_ending = (self._by_ending[ending] for ending in _endings(path) if ending in self._by_ending)
        return self._by_name.get(_plain_name(path)) or next(by_ending, None)

    def _loaded(self, name: str) -> Parser | None:
        if name not in self._parsers and name not in self._problems:
            module, _, attribute = self._registrations[name].target.partition(":")
            try:
                self._parsers[name] = cast(Parser, getattr(import_module(module), attribute)())
            except (ImportError, AttributeError) as error:
                self._problems[name] = ParserProblem(name, "built-in", f"it cannot be loaded: {error}")
        return self._parsers.get(name)

    def _load_plug_ins(self) -> None:
        # Endings are known only by loading; it waits for the first question so that start-up stays fast.
        if self._plug_ins_loaded:
            return
        self._plug_ins_loaded = True
        installed = plug_ins(PARSERS)
        own = [entry for entry in installed if is_own(entry)]
        others = (
            [entry for entry in installed if entry not in own] if self._plug_ins is None else self._plug_ins
        )
        # Others come last, so that an ending which both take is theirs.
        for entry in [*own, *sorted(others, key=lambda point: (origin(point), point.name))]:
            try:
                parser = entry.load()()
                endings = _valid_endings(parser, taken_names=self._origins)
            except Exception as error:  # noqa: BLE001 - third-party code may raise anything
                reason = str(error) or type(error).__name__
                self._problems[f"{origin(entry)}:{entry.name}"] = ParserProblem(
                    entry.name, origin(entry), reason
                )
                continue
            self._parsers[parser.name] = parser
            self._origins[parser.name] = "built-in" if is_own(entry) else origin(entry)
            self._by_ending.update(dict.fromkeys(sorted(endings), parser.name))


def _valid_endings(parser: object, taken_names: Iterable[str]) -> frozenset[str]:
    name, endings = getattr(parser, "name", None), getattr(parser, "suffixes", None)
    if not isinstance(name, str) or not name:
        raise TypeError("it has no name")
    if name in set(taken_names):
        raise ValueError(f"there is already a parser named {name!r}")
    if isinstance(endings, str) or not endings or not all(isinstance(ending, str) for ending in endings):
        raise TypeError("its suffixes are not a set of strings")
    wrong = [ending for ending in endings if not ending.startswith(".") or ending != ending.lower()]
    if wrong:
        raise ValueError(f"suffixes must be lower case and begin with a dot, unlike {', '.join(wrong)}")
    if not callable(getattr(parser, "parse", None)):
        raise TypeError("it has no method parse")
    return frozenset(endings)


def _plain_name(path: Path) -> str:
    name = path.name.lower()
    return name[:-3] if name.endswith(".gz") else name  # LocalFile reads what a .gz holds


def _endings(path: Path) -> list[str]:
    """The endings of a name, longest first: of "a.rst.txt" these are ".rst.txt" and ".txt"."""
    name = _plain_name(path)
    dots = [index for index, letter in enumerate(name) if letter == "." and index > 0]
    return [name[dot:] for dot in dots]
