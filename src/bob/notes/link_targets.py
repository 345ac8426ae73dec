"""Where links lead: the path that a link names, out of the paths that are known. Looks at no disk."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping

from bob.notes.links import Link

NOTE_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")
"""Left out of wiki links, and of links that a site's generator completes."""

_SLUG_LEFT_OUT = re.compile(r"[^\w\- ]")
_NOTE_SUFFIX = re.compile(rf"(?:{'|'.join(map(re.escape, NOTE_SUFFIXES))})$", re.IGNORECASE)


class LinkTargets:
    """The paths that links can lead to (absolute, with slashes): `resolve` finds the one that a link names.

    `roots` are the folders that an address with a leading slash may count from, such as a vault or a site.
    `titles` gives a path for a title, for wiki links that name a note by its title and not by its file.
    """

    def __init__(
        self, paths: Iterable[str], roots: Iterable[str] = (), titles: Mapping[str, str] | None = None
    ) -> None:
        self._paths = set(paths)
        self._roots = sorted(roots, key=len, reverse=True)
        self._folders = {parent for path in self._paths for parent in _parents(path)}
        self._titles = {_even(title): path for title, path in (titles or {}).items()}
        self._found: dict[str, list[str]] = {}
        self._named: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths, key=lambda path: (path.count("/"), path)):
            name = posixpath.basename(path)
            self._named[_even(name)].append(path)
            if (stem := _NOTE_SUFFIX.sub("", name)) != name:
                self._named[_even(stem)].append(path)

    def resolve(self, link: Link, source: str) -> str | None:
        """The path of the file or folder that `link` in the file `source` leads to, None when none is known.

        A link without a target leads to its own file. An external one leads to no path: ask `is_external`
        first.
        """
        if not link.target:
            return source
        if link.is_wiki:
            return self._wiki(link.target, source)
        return next(
            (target for candidate in self.places(link, source) if (target := self._at(candidate))), None
        )

    def places(self, link: Link, source: str) -> list[str]:
        """Where the file of a link may lie, so that a caller can look for what is not indexed, such as
        images: paths without "..", the likeliest first. Of wiki links those beside the source and in the
        roots."""
        folder = posixpath.dirname(source)
        if link.target.startswith("/"):
            inside = [root for root in self._roots if source.startswith(root.rstrip("/") + "/")]
            starts = [*inside, "/"]
        else:
            starts = [folder, *self._roots] if link.is_wiki else [folder]
        return [posixpath.normpath(posixpath.join(start, link.target.lstrip("/"))) for start in starts]

    def named_alike(self, link: Link) -> list[str]:
        """The known paths whose file has the link's file name: where it may lead if it leads nowhere."""
        return list(self._named.get(_even(posixpath.basename(link.target.rstrip("/"))), ()))

    def _at(self, path: str) -> str | None:
        for candidate in (path, *(path + suffix for suffix in NOTE_SUFFIXES)):
            if candidate in self._paths:
                return candidate
        return path if path in self._folders else None

    def _wiki(self, target: str, source: str) -> str | None:
        if target.startswith(("./", "../")):
            return self._at(posixpath.normpath(posixpath.join(posixpath.dirname(source), target)))
        if target not in self._found:
            self._found[target] = self._paths_named(target)
        named = self._found[target]
        if not named:
            return self._titles.get(_even(target))
        if len(named) == 1:
            return named[0]
        beside = posixpath.dirname(source)
        return next((path for path in named if posixpath.dirname(path) == beside), named[0])

    def _paths_named(self, target: str) -> list[str]:
        """The paths that end with what a wiki link names, the shortest first."""
        suffix = "/" + _even(target.strip("/"))
        return [
            path
            for path in self._named.get(_even(posixpath.basename(target)), ())
            if _even(path).endswith(suffix) or _even(_NOTE_SUFFIX.sub("", path)).endswith(suffix)
        ]


def has_anchor(anchor: str, headings: Iterable[str]) -> bool:
    """Whether a heading answers to the anchor: by its words, as in wiki links, or by the slug that sites make
    of it. A block's (`^id`) and a place's in code (`L10`) are not looked for: they are there."""
    if anchor.startswith("^") or re.fullmatch(r"L\d+(?:-L?\d+)?", anchor):
        return True
    last = _even(anchor.rpartition("#")[2])
    seen: dict[str, int] = {}
    for heading in headings:
        slug = slug_of(heading)
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        if last in (_even(heading), f"{slug}-{count}" if count else slug) or slug_of(last) == slug:
            return True
    return False


def slug_of(heading: str) -> str:
    """The anchor that sites give a heading: its letters and digits in lower case, with hyphens for spaces."""
    return _SLUG_LEFT_OUT.sub("", unicodedata.normalize("NFC", heading).lower()).strip().replace(" ", "-")


def _even(text: str) -> str:
    """What names are compared by: neither case nor how an accent is encoded tells two files apart."""
    return unicodedata.normalize("NFC", text).casefold()


def _parents(path: str) -> Iterable[str]:
    while (parent := posixpath.dirname(path)) != path:
        yield parent
        path = parent
