"""Where templates come from: those of Bob, and a folder of a person's own, which come first."""

from __future__ import annotations

import re
from pathlib import Path

from bob.core.errors import NotFoundError, UsageError
from bob.notes.templates import Template, parse_template

_BUILT_IN = Path(__file__).parent / "templates"
_KIND = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Templates:
    """The templates in `own`, if that is a folder's path, and those of Bob that it does not replace."""

    def __init__(self, own: Path | None = None) -> None:
        self._own = own

    def kinds(self) -> list[str]:
        """All kinds, by name. Raises UsageError: the own folder is not there."""
        return sorted(self._paths())

    def get(self, kind: str) -> Template:
        """The template of a kind.

        Raises:
            NotFoundError: there is no such kind.
            UsageError: the template is wrong, or cannot be read.
        """
        paths = self._paths()
        if kind not in paths:
            raise NotFoundError(f"{kind}: there is no such kind of note; known: {', '.join(sorted(paths))}")
        try:
            text = paths[kind].read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{paths[kind]}: the template cannot be read as UTF-8 text") from error
        return parse_template(kind, text, str(paths[kind]))

    def _paths(self) -> dict[str, Path]:
        if self._own is not None and not self._own.is_dir():
            raise UsageError(f"{self._own}: there is no such folder; change notes.templates")
        folders = [_BUILT_IN] if self._own is None else [_BUILT_IN, self._own]
        return {
            path.stem: path
            for folder in folders
            for path in folder.glob("*.md")
            if _KIND.fullmatch(path.stem)
        }
