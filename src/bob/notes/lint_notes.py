"""Checks notes on the disk: reads them, gathers what the rules may know beside the text, mends files."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from bob.core.errors import UnreadableError, UsageError
from bob.documents.scan import scan
from bob.notes.link_targets import NOTE_SUFFIXES
from bob.notes.lint import choose_rules, lint, mended
from bob.notes.lint_note import Note
from bob.notes.lint_rule import NAMESAKES, Facts, Finding, Rule
from bob.notes.surroundings import NoteSurroundings, ScanOptions, found_secrets, is_note, vault_of
from bob.notes.writer import NoteWriter
from bob.storage.paths import absolute
from bob.text.dates import date_in_name, read_date

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A note with what was found in it; `path` is absolute, or the name of text that was piped in."""

    path: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """A note's text before and after what is unmistakable was mended."""

    path: str
    before: str
    after: str

    def diff(self, name: str) -> str:
        """The change as a unified diff of the file `name`."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"a/{name}",
            f"b/{name}",
        )
        marked = (
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )
        return "".join(marked)

    def to_json(self) -> dict[str, Any]:
        """The change as JSON."""
        return {"path": self.path, "diff": self.diff(self.path)}


@dataclass(slots=True)
class LintReport:
    """All files that were checked, in order; `unreadable` are path and reason."""

    files: list[LintedFile] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)

    @property
    def findings(self) -> Iterator[tuple[str, Finding]]:
        """Every finding with its path."""
        for file in self.files:
            for finding in file.findings:
                yield file.path, finding

    def to_json(self) -> dict[str, Any]:
        """The report as `bob lint --json` prints it."""
        return {
            "files": len(self.files),
            "findings": [{"path": path, **finding.to_json()} for path, finding in self.findings],
            "unreadable": [{"path": path, "reason": reason} for path, reason in self.unreadable],
        }


class LintNotes:
    """Checks notes in files, and text that is in none. Files are changed by what `writer` gives alone."""

    def __init__(
        self, writer: Callable[[], NoteWriter], options: ScanOptions, ignored: Collection[str]
    ) -> None:
        self._writer = writer
        self._options = options
        self._ignored = tuple(ignored)

    def rules(self, select: Collection[str] = (), ignore: Collection[str] = ()) -> tuple[Rule, ...]:
        """The rules of these ids or names, all if there are none, without those ignored here or by settings.

        Raises:
            UsageError: a word names no rule.
        """
        ignored = [path for path in self._ignored if path not in select]
        return choose_rules(select, (*ignore, *ignored))

    def lint_notes(self, paths: Sequence[Path], rules: Sequence[Rule], today: date) -> LintReport:
        """Check the notes among the files, and in the folders with what is below them.

        Raises:
            UsageError: a path does not exist, or is a file that is no Markdown.
        """
        report = LintReport()
        targets, folders, beside = self._wanted(paths, report)
        surroundings = NoteSurroundings(folders, beside, self._options)
        titles: dict[str, list[str]] = defaultdict(list)
        by_path: dict[str, tuple[Finding, ...]] = {}
        for path in targets:
            try:
                text = surroundings.text(path)
            except UnreadableError as error:
                if error.code != "empty":
                    report.unreadable.append((path, error.reason))
                continue
            by_path[path] = tuple(lint(text, path, surroundings.facts(path, today), rules))
            titles[Note(text, path).title.casefold()].append(path)
        self._look_again(surroundings, titles, by_path, rules, today)
        report.files += [LintedFile(path, findings) for path, findings in by_path.items()]
        return report

    def _look_again(
        self,
        surroundings: NoteSurroundings,
        titles: Mapping[str, list[str]],
        by_path: dict[str, tuple[Finding, ...]],
        rules: Sequence[Rule],
        today: date,
    ) -> None:
        """Check those notes again for which it matters how the others are called."""
        surroundings.name(titles)
        for title, paths in titles.items():
            for path in paths:
                # All of them beside all of them would be a million pairs of a thousand daily notes.
                others = [other for other in paths[: NAMESAKES + 1] if other != path] if title else []
                has_wiki_link = any(finding.rule.name == "dead-wiki-link" for finding in by_path[path])
                if others or has_wiki_link:
                    by_path[path] = tuple(
                        lint(surroundings.text(path), path, surroundings.facts(path, today, others), rules)
                    )

    def run_text(self, text: str, name: str, rules: Sequence[Rule], today: date) -> LintReport:
        """Check a text that is in no file; where its links lead cannot be said."""
        return LintReport([LintedFile(name, tuple(lint(text, name, _facts_alone(name, today), rules)))])

    def mend_text(self, text: str, name: str, rules: Sequence[Rule], today: date) -> Repair:
        """A text that is in no file, as it is and with what is unmistakable mended."""
        return Repair(name, text, _mended(text, name, rules, today))

    def repairs(self, report: LintReport, rules: Sequence[Rule], today: date) -> list[Repair]:
        """What would be mended in the files of a report.

        Raises:
            UsageError: a file lies in no folder in which Bob may write.
        """
        repairs: list[Repair] = []
        writer = self._writer()
        for file in report.files:
            if any(finding.replacement for finding in file.findings):
                before = writer.read(Path(file.path))
                after = _mended(before, file.path, rules, today)
                if after != before:
                    repairs.append(Repair(file.path, before, after))
        return repairs

    def apply(self, repair: Repair) -> None:
        """Change the file.

        Raises:
            UsageError: it has changed meanwhile, or may not be written.
        """
        self._writer().edit(Path(repair.path), repair.before, repair.after)

    def _wanted(self, paths: Sequence[Path], report: LintReport) -> tuple[list[str], list[Path], list[Path]]:
        """The notes to check, the folders that they link in, and those of single files."""
        targets: dict[str, None] = {}
        folders: list[Path] = []
        beside: list[Path] = []
        for given in paths:
            path = absolute(given)
            if path.is_dir():
                folders.append(path)
                listed = scan(path, hidden=self._options.hidden, ignore=self._options.ignore)
                targets |= {file.path: None for file in listed.files if is_note(file.path)}
                report.unreadable += listed.unreadable
            elif not path.exists():
                raise UsageError(f"{given}: no such file or folder")
            elif not is_note(str(path)):
                raise UsageError(f"{given}: not a Markdown file ({', '.join(NOTE_SUFFIXES)})")
            else:
                vault = vault_of(path)
                (beside if vault is None else folders).append(vault or path.parent)
                targets[str(path)] = None
        return list(targets), folders, beside


def _mended(text: str, name: str, rules: Sequence[Rule], today: date) -> str:
    mark = _BOM if text.startswith(_BOM) else ""
    return mark + mended(text.removeprefix(_BOM), name, _facts_alone(name, today), rules)


def _facts_alone(name: str, today: date) -> Facts:
    """What may be known of a note without a look at the disk."""
    return Facts(today, date_in_name(Path(name).name), read_date, found_secrets)
