"""A folder of made-up notes with planted faults, and a list of what was planted.

The same seed gives the same vault. What a look at its health must find, and what else it finds, can be
checked by the list: `Planted` names a rule and what the finding is about.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

from vault import NOW, Asked, Note, Planted, Superseded, Vault
from vault_words import (
    ADJECTIVES,
    APART,
    FIRST_NAMES,
    MATTERS,
    PEOPLE,
    REASONS,
    SECOND_NAMES,
    THINGS,
    VERBS,
)


def seeded_vault(seed: int, notes: int = 500, each: int | None = None) -> Vault:
    """A vault of about `notes` notes with `each` faults of every kind (one for every hundred notes, and
    three at least, unless it is given)."""
    chance = random.Random(seed)
    maker = _Maker(chance, max(3, notes // 100) if each is None else each)
    maker.make(notes)
    return maker.vault


class _Maker:
    def __init__(self, chance: random.Random, each: int) -> None:
        self.chance = chance
        self.each = each
        self.vault = Vault()
        self._places = [f"{one} {two}" for one in FIRST_NAMES for two in SECOND_NAMES]
        chance.shuffle(self._places)
        self._clean: list[Note] = []

    def make(self, notes: int) -> None:
        faults = (
            self._broken,
            self._moved,
            self._anchors,
            self._stale,
            self._undated,
            self._untitled,
            self._inbox,
            self._copies,
            self._near_copies,
            self._superseded,
            self._deleted,
            self._decisions,
        )
        count = max(notes - 14 * self.each - 8, 20)
        self._clean = [
            self._note(f"{self.chance.choice(('garden', 'house', 'club'))}/{at:03}") for at in range(count)
        ]
        self._linked()
        for fault in faults:
            fault()
        self._apart()
        self._unread()
        self._questions()
        self.vault.lost_corrections = [f"lost{at}" for at in range(self.each)]
        self._plant("lost-correction", *self.vault.lost_corrections)
        self._plant("embeddings-drift", "")

    def _note(self, stem: str, **more: object) -> Note:
        place, thing = self._places.pop(), self.chance.choice(THINGS)
        person = self.chance.choice(PEOPLE)
        title = f"The {thing} at {place}"
        path = f"{stem}-{thing}-{place.replace(' ', '-').lower()}.md"
        days = self.chance.randrange(70, 400)
        made = Note(path, title, person, thing, place, "", dated=NOW.date() - timedelta(days=days))
        return replace(made, body=self._body(made), **more)  # type: ignore[arg-type]

    def _body(self, note: Note) -> str:
        said = [f"{note.person} looks after the {note.thing} at {note.place}."]
        said += [self._sentence() for _ in range(self.chance.randrange(4, 9))]
        return " ".join(said)

    def _sentence(self) -> str:
        pick = self.chance.choice
        amount = self.chance.randrange(2, 9000)
        return pick(
            (
                f"{pick(PEOPLE)} {pick(VERBS)} the {pick(ADJECTIVES)} {pick(THINGS)} {pick(REASONS)}.",
                f"The {pick(MATTERS)} of the {pick(THINGS)} came to {amount} {pick(REASONS)}.",
                f"{pick(PEOPLE)} and {pick(PEOPLE)} keep the {pick(MATTERS)} in the {pick(ADJECTIVES)} "
                f"{pick(THINGS)}.",
                f"For the {pick(MATTERS)} a {pick(ADJECTIVES)} {pick(THINGS)} was {pick(VERBS)} "
                f"{pick(REASONS)}.",
            )
        )

    def _plant(self, rule: str, *subjects: str) -> None:
        self.vault.planted += [Planted(rule, subject) for subject in subjects]

    def _write(self, note: Note, *, ask: bool = True) -> None:
        self.vault.files[note.path] = note.text.encode()
        if ask:
            self.vault.asked.append(Asked(note.question))

    def _linked(self) -> None:
        """Every clean note links two others, in one of the ways that links are written."""
        for note in self._clean:
            links = tuple(
                self._link(note, other) for other in self.chance.sample(self._clean, 2) if other != note
            )
            self._write(replace(note, links=links))

    def _link(self, note: Note, other: Note) -> str:
        stem = other.path.rpartition("/")[2].removesuffix(".md")
        relative = f"../{other.path}"
        return self.chance.choice(
            (
                f"[[{stem}]]",
                f"[[{stem}|{other.thing}]]",
                f"[{other.title}]({relative})",
                f"[there]({relative}#{other.title.lower().replace(' ', '-')})",
            )
        )

    def _faulty(self, stem: str, **more: object) -> list[Note]:
        """Notes for faults, each with a link to a clean one, so that it is no orphan."""
        return [
            (made := self._note(f"{stem}-{at}", **more))
            and replace(made, links=(self._link(made, self.chance.choice(self._clean)),))
            for at in range(self.each)
        ]

    def _broken(self) -> None:
        for at, note in enumerate(self._faulty("house/broken")):
            written = (f"no-such-note-{at}.md", f"Missing Note {at}", f"pictures/none-{at}.png")[at % 3]
            link = (f"[here]({written})", f"[[{written}]]", f"![it]({written})")[at % 3]
            self._write(replace(note, links=(*note.links, link)))
            self._plant("broken-link", f"{note.path} {written}")

    def _moved(self) -> None:
        """Links to where a note is not any more: one file has its name, so that the link can be mended."""
        for note, other in zip(
            self._faulty("garden/moved"), self.chance.sample(self._clean, self.each), strict=True
        ):
            written = f"attic/{other.path.rpartition('/')[2]}"
            self._write(replace(note, links=(*note.links, f"[moved]({written})")))
            self._plant("broken-link", f"{note.path} {written}")

    def _anchors(self) -> None:
        for note, other in zip(
            self._faulty("club/anchor"), self.chance.sample(self._clean, self.each), strict=True
        ):
            written = f"../{other.path}#no-such-part"
            self._write(replace(note, links=(*note.links, f"[part]({written})")))
            self._plant("broken-link", f"{note.path} {written}")

    def _stale(self) -> None:
        for note in self._faulty("house/old"):
            self._write(replace(note, dated=NOW.date() - timedelta(days=self.chance.randrange(800, 3000))))
            self._plant("stale", note.path)

    def _undated(self) -> None:
        for note in self._faulty("garden/undated"):
            self._write(replace(note, dated=None))
            self._plant("no-date", note.path)

    def _untitled(self) -> None:
        for note in self._faulty("club/untitled"):
            self._write(replace(note, headed=False))
            self._plant("no-title", note.path)

    def _inbox(self) -> None:
        for note in self._faulty("inbox/note"):
            self._write(replace(note, front=(("project", "inbox"),)))
            self._plant("no-project", note.path)

    def _copies(self) -> None:
        for note in self._faulty("club/copied"):
            copy = note.path.replace("copied", "copy-of")
            self._write(note)
            self.vault.files[copy] = self.vault.files[note.path]
            self._plant("duplicate", " ".join(sorted((note.path, copy))))

    def _near_copies(self) -> None:
        for note in self._faulty("house/edited"):
            more = [self._sentence() for _ in range(6)]
            whole = replace(note, body=f"{note.body} {' '.join(more)}")
            copy = replace(
                whole,
                path=note.path.replace("edited", "revised"),
                body=f"{note.body} {' '.join(more[:-1])} {self._sentence()}",
            )
            self._write(whole)
            self._write(copy, ask=False)
            self._plant("near-duplicate", " ".join(sorted((note.path, copy.path))))

    def _superseded(self) -> None:
        for note, by in zip(self._faulty("club/rests"), self._faulty("club/rules"), strict=True):
            old = replace(
                by,
                path=by.path.replace("rules", "former"),
                links=(),
                front=(("status", "superseded"), ("superseded_by", by.title)),
            )
            stem = old.path.rpartition("/")[2].removesuffix(".md")
            self._write(old, ask=False)
            newer = self._note(by.path.removesuffix(".md") + "-now")
            self._write(replace(newer, links=(f"[[{stem}]], which this one replaces",)))
            self._write(replace(note, links=(*note.links, f"[[{stem}]]")))
            self._plant("rests-on-superseded", f"{note.path} {old.path}")

    def _deleted(self) -> None:
        for note, source in zip(self._faulty("garden/derived"), self._faulty("garden/source"), strict=True):
            stem = source.path.rpartition("/")[2].removesuffix(".md")
            self._write(source)
            self._write(replace(note, links=(*note.links, f"[[{stem}]]")))
            self.vault.gone.append(source.path)
            self._plant("rests-on-deleted", f"{note.path} {source.path}")

    def _decisions(self) -> None:
        for at, note in enumerate(self._faulty("club/follows", dated=NOW.date() - timedelta(days=75))):
            thing, other = self.chance.sample(THINGS, 2)
            place = self._places.pop()
            old, new = f"adr/{at:02}1-{thing}.md", f"adr/{at:02}2-{other}.md"
            old_title, new_title = f"Use the {thing} at {place}", f"Use the {other} at {place}"
            first, since = NOW.date() - timedelta(days=300), NOW.date() - timedelta(days=200)
            self.vault.files[old] = (
                f"---\ndate: {first}\n---\n# {old_title}\n\n## Status\n\n"
                f"Superseded by [{at:02}2]({other_name(new)})\n\n## Decision\n\n"
                f"We heat {place} with the {thing} of {self.chance.choice(PEOPLE)}.\n"
            ).encode()
            self.vault.files[new] = (
                f"---\ndate: {since}\n---\n# {new_title}\n\n## Status\n\nAccepted. Supersedes "
                f"[{at:02}1]({other_name(old)}).\n\n## Decision\n\nThe {other} {self._sentence()[4:]}\n"
            ).encode()
            self._write(replace(note, links=(*note.links, f"[our decision](../{old})")))
            self.vault.superseded.append(Superseded(old, old_title, new, new_title, since))
            self._plant("superseded-decision-cited", old)

    def _apart(self) -> None:
        for at in range(self.each):
            path = f"garden/apart-{at}.md"
            text = self.chance.choice(APART) if at >= len(APART) else APART[at]
            day = NOW.date() - timedelta(days=90)
            text = f"---\ndate: {day}\n---\n# Apart {at}\n\n{text} Volume {at * 37 + 11}.\n"
            self.vault.files[path] = text.encode()
            self.vault.apart.append(path)

    def _unread(self) -> None:
        for at in range(self.each):
            broken, scanned = f"house/broken-{at}.docx", f"house/scan-{at}.pdf"
            self.vault.files[broken] = f"PK\x03\x04 not really {at}".encode()
            self.vault.files[scanned] = _blank_pdf(at)
            self._plant("unreadable-file", broken)
            self._plant("pdf-without-text", scanned)

    def _questions(self) -> None:
        asked = self.vault.asked
        chosen = self.chance.sample(self._clean, min(5 * self.each, len(self._clean)))
        for note in chosen[: self.each]:
            asked += [
                Asked(f"At {note.place}, who looks after the {note.thing}?"),
                Asked(f"So who looks after the {note.thing} at {note.place}?"),
            ]
            self._plant("repeated-question", note.question)
        for verdict, rule, notes in (
            ("wrong-source", "wrong-source", chosen[self.each : 2 * self.each]),
            ("outdated", "outdated-answer", chosen[2 * self.each : 3 * self.each]),
            ("didnt-answer", "unanswered-question", chosen[3 * self.each : 4 * self.each]),
        ):
            for note in notes:
                asked.append(Asked(note.question, verdict))
                self._plant(rule, note.question)
        for _ in range(self.each):
            place, matter = (
                self._places.pop(),
                self.chance.choice(("aquarium", "helipad", "observatory", "sauna")),
            )
            first = f"How warm is the water of the {matter} at {place}?"
            asked += [Asked(first), Asked(f"At {place}, how warm is the {matter} water?")]
            self._plant("unanswered-question", first)


def other_name(path: str) -> str:
    """The file's name without its folder."""
    return path.rpartition("/")[2]


def _blank_pdf(number: int) -> bytes:
    """A PDF of one page on which nothing stands."""
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 {200 + number}]>>",
    ]
    body, places = b"%PDF-1.4\n", []
    for at, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{at} 0 obj{each}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head, root = "xref\n0 4\n0000000000 65535 f \n", "trailer<</Root 1 0 R/Size 4>>"
    return body + f"{head}{table}{root}\nstartxref\n{len(body)}\n%%EOF\n".encode()
