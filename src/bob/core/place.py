"""Where something stands, in words that a person reads, and how files of git repositories are named."""

from __future__ import annotations

from pathlib import Path

from bob.core import locator as kinds

_SHOWN = 7
_NAMED = 12
_ESCAPES = (("%", "%25"), ("/", "%2F"), ("@", "%40"))
"""In the name of a ref: so its end, and the end of the repository's path, can be told."""


def git_root(repository: str, ref: str) -> str:
    """The folder of the ref's documents.

    >>> git_root("/home/you/garden", "feature/tank")
    '/home/you/garden@feature%2Ftank'
    """
    for character, escape in _ESCAPES:
        ref = ref.replace(character, escape)
    return f"{repository}@{ref}"


def git_path(root: str, file: str, commit: str | None = None) -> str:
    """Where a document of that folder is; `commit` is given for a version that was replaced."""
    return f"{root}/{file}" + (f"@{commit[:_NAMED]}" if commit else "")


def repository_of(path: str, file: str) -> Path:
    """The repository that a document's path leads to; `file` is its name there.

    >>> repository_of("/home/you/garden@main/docs/x.md@1a2b3c4d5e6f", "docs/x.md").as_posix()
    '/home/you/garden'

    Raises:
        LookupError: the path is not one of `git_path`.
    """
    root, found, _ = path.rpartition(f"/{file}")
    repository, at, _ = root.rpartition("@")
    if not found or not at:
        raise LookupError(f"{path}: not a document of a git repository")
    return Path(repository)


def short_commit(commit: str) -> str:
    """The first digits of a commit's id, as people write it."""
    return commit[:_SHOWN]


def place_in(name: str, locator: kinds.Locator) -> str:
    """A place in the file of that name: `notes.md:12-14`, `report.pdf page 3`; one that was read from a git
    repository is named by its path there: `docs/x.md:12-14 @ 1a2b3c4`."""
    match locator:
        case kinds.GitLocator(git_file=file, git_commit=commit):
            return f"{_lines(file, locator)} @ {short_commit(commit)}"
        case kinds.LineLocator():
            return _lines(name, locator)
        case kinds.PageLocator(page=page):
            return f"{name} page {page}"
        case kinds.SlideLocator(slide=slide, notes=notes):
            return f"{name} slide {slide}{' (notes)' if notes else ''}"
        case kinds.SheetLocator(sheet_name=sheet, first_row=first, last_row=last):
            return f"{name} sheet {sheet}, row {first}" + ("" if first == last else f" to {last}")
        case kinds.ParagraphLocator(paragraph_index=first, last_paragraph_index=last):
            return f"{name} paragraph {first}" + ("" if first == last else f" to {last}")
        case kinds.MessageLocator(message=message, subject=subject):
            return f"{name} message {message}" + (f" «{subject}»" if subject else "")
        case kinds.CellLocator(cell=cell):
            return f"{name} cell {cell}"
        case kinds.RecipeLocator(section=section):
            return f"{name} {section}"
        case kinds.ChapterLocator(chapter=chapter):
            return f"{name} chapter {chapter}"
        case kinds.ElementLocator(heading=heading):
            return f"{name}" + (f" «{heading}»" if heading else "")


def _lines(name: str, locator: kinds.LineLocator) -> str:
    first, last = locator.start_line, locator.end_line
    return f"{name}:{first}" if first == last else f"{name}:{first}-{last}"
