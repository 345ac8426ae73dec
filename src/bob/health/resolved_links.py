"""Where each link of the indexed notes leads, and whether what it leads to is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from bob.documents.source_rows import nearest
from bob.health.facts import DocumentFacts, LinkFacts, LinkState
from bob.notes.link_targets import NOTE_SUFFIXES, LinkTargets, has_anchor
from bob.notes.links import Link, find_links

_OUT_OF_FORCE = frozenset({"superseded", "deprecated", "obsolete", "replaced", "withdrawn", "retired"})
_LONGEST_LINE = 200

Pieces = Sequence[tuple[int, str]]
"""A document's chunks in order: the line on which each begins, from 1, and its text."""


class LinkJudge:
    """Judges links against the documents of the index and the files of the disk.

    `on_disk` tells whether there is a file or folder at a path, `on_disk_named` whether one of that name lies
    in the indexed folders; `left` are the paths of documents that were there once; `anchors` gives a
    document's headings, and its texts for anchors that are written out.
    """

    def __init__(
        self,
        documents: Iterable[DocumentFacts],
        roots: Iterable[str],
        *,
        on_disk: Callable[[str], bool],
        on_disk_named: Callable[[str], bool],
        left: frozenset[str],
        anchors: Callable[[DocumentFacts], tuple[list[str], list[str]]],
    ) -> None:
        self._by_path = {document.path: document for document in documents}
        roots = tuple(roots)
        self._roots = [(root, root) for root in roots]
        titles = {
            document.title: document.path
            for document in self._by_path.values()
            if document.source_type == "markdown"
        }
        self._targets = LinkTargets(self._by_path, roots, titles)
        self._gone = LinkTargets(left - self._by_path.keys(), roots)
        self._left = left
        self._out_of_force = {path for path, document in self._by_path.items() if is_out_of_force(document)}
        self._on_disk = on_disk
        self._on_disk_named = on_disk_named
        self._anchors = anchors
        self._known_anchors: dict[str, tuple[list[str], list[str]]] = {}

    def links_of(self, document: DocumentFacts, pieces: Pieces) -> Iterator[LinkFacts]:
        """The facts of the links in one document; external ones are left out."""
        text = assembled(pieces)
        for link in find_links(text):
            if not link.is_external:
                yield self._judged(document, link, text)

    def _judged(self, document: DocumentFacts, link: Link, text: str) -> LinkFacts:
        leads_to = self._targets.resolve(link, document.path)
        state, leads_to = self._state(document, link, leads_to)
        begin = text.rfind("\n", 0, link.start) + 1
        end = text.find("\n", link.end)
        line = text[begin : end if end >= 0 else len(text)].strip()
        alike = self._targets.named_alike(link) if state == "missing" else []
        others = tuple(path for path in alike if path != document.path)
        written = text[link.start : link.end]
        return LinkFacts(
            document.path,
            document.project,
            link.line,
            line[:_LONGEST_LINE],
            written,
            state,
            leads_to,
            others,
            others[0] if len(others) == 1 and self._is_near(document, others[0]) else None,
        )

    def _is_near(self, document: DocumentFacts, path: str) -> bool:
        """Whether a document is of the same project or indexed folder; elsewhere, it is another one."""
        other = self._by_path.get(path)
        if other is not None and other.project == document.project:
            return True
        root = nearest(self._roots, document.path)
        return root is not None and root == nearest(self._roots, path)

    def _state(
        self, document: DocumentFacts, link: Link, leads_to: str | None
    ) -> tuple[LinkState, str | None]:
        if leads_to is None:
            return self._unknown(document, link)
        if leads_to in self._left:
            return "left", leads_to
        target = self._by_path.get(leads_to)
        if target is None:
            return "ok", leads_to
        if leads_to in self._out_of_force and leads_to != document.path:
            return "superseded", leads_to
        if link.anchor and target.source_type == "markdown" and not self._has_anchor(target, link.anchor):
            return "no-anchor", leads_to
        return "ok", leads_to

    def _unknown(self, document: DocumentFacts, link: Link) -> tuple[LinkState, str | None]:
        """A link to what is not indexed: to a file of a kind that is not, or to nothing."""
        places = self._targets.places(link, document.path)
        if any(
            self._on_disk(place_path + suffix) for place_path in places for suffix in ("", *NOTE_SUFFIXES[:1])
        ):
            return "ok", None
        if link.is_wiki and "." in link.target and self._on_disk_named(link.target.rpartition("/")[2]):
            return "ok", None
        was = self._gone.resolve(link, document.path)
        # One file of the same name is more likely to be the same, moved.
        if was in self._left and len(self._targets.named_alike(link)) != 1:
            return "left", was
        return "missing", None

    def _has_anchor(self, target: DocumentFacts, anchor: str) -> bool:
        if target.path not in self._known_anchors:
            self._known_anchors[target.path] = self._anchors(target)
        headings, texts = self._known_anchors[target.path]
        if has_anchor(anchor, headings):
            return True
        # Sites take anchors that are written out, as HTML or in braces behind a heading.
        spelled = re.compile(rf"""(?:\b(?:id|name)\s*=\s*["']?|\{{#){re.escape(anchor)}(?=["'\s>}}])""")
        return any(anchor in text and spelled.search(text) for text in texts)


def assembled(pieces: Pieces) -> str:
    """A document's text from its chunks, each on its own line; what lies between chunks is blank."""
    lines: list[str] = []
    for start, text in pieces:
        own = text.split("\n")
        if lines and len(lines) >= start:
            # A chunk that begins inside a line, such as a sentence of a long paragraph.
            lines[-1] += " " + own[0]
            own = own[1:]
        lines += [""] * (start - 1 - len(lines) if own and len(lines) < start else 0)
        lines += own
    return "\n".join(lines)


def is_out_of_force(document: DocumentFacts) -> bool:
    """Whether the document says of itself that it holds no longer."""
    extra = document.extra
    status = extra.get("status", "").casefold().split(" ")[0].strip(".,:;")
    return status in _OUT_OF_FORCE or bool(extra.get("superseded_by") or extra.get("superseded-by"))
