"""Where something stands, in words that a person reads."""

from __future__ import annotations

from bob.core import locator as kinds
from bob.core.git_path import short_commit


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
