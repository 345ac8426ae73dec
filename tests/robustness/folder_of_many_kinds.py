"""A generated folder of several kinds of files, and what an index made of it, for comparing runs."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

PARTS = Path(__file__).parents[1] / "data" / "parts"
THINGS = [
    "harbour",
    "engine",
    "garden",
    "budget",
    "lantern",
    "violin",
    "compass",
    "kettle",
    "archive",
    "bridge",
]
DEEDS = ["repaired", "painted", "measured", "sold", "counted", "photographed", "moved", "described"]


def make(folder, seed=7, files=60):
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    sources = sorted(each for each in PARTS.iterdir() if each.is_file())
    for at in range(files):
        place = folder / f"part{at % 4}"
        place.mkdir(exist_ok=True)
        kind = at % 6
        if kind == 0:
            (place / f"note{at}.md").write_text(_markdown(chance, at), encoding="utf-8")
        elif kind == 1:
            (place / f"log{at}.txt").write_text(_prose(chance, 6), encoding="utf-8")
        elif kind == 2:
            rows = "".join(f"{chance.choice(THINGS)},{chance.randint(1, 99)}\n" for _ in range(20))
            (place / f"table{at}.csv").write_text(f"thing,count\n{rows}", encoding="utf-8")
        elif kind == 3:
            body = f'"""{_prose(chance, 1)}"""\n\ndef {chance.choice(DEEDS)}(thing):\n    return thing\n'
            (place / f"code{at}.py").write_text(body, encoding="utf-8")
        elif kind == 4:
            text = _prose(chance, 3)
            (place / f"page{at}.html").write_text(f"<h1>Page {at}</h1><p>{text}</p>", encoding="utf-8")
        else:
            source = sources[at // 6 % len(sources)]
            shutil.copyfile(source, place / f"{source.stem}{at}{source.suffix}")
    return folder


def _markdown(chance, at):
    sections = "\n\n".join(f"## {chance.choice(THINGS)} {n}\n\n{_prose(chance, 3)}" for n in range(3))
    return f"# Note {at}\n\n{sections}\n"


def _prose(chance, sentences):
    return " ".join(
        f"The {chance.choice(THINGS)} was {chance.choice(DEEDS)} on day {chance.randint(1, 300)}."
        for _ in range(sentences)
    )


def contents(database):
    """All that an index holds, without the ids, which depend on the order of the work."""
    with closing(sqlite3.connect(database, timeout=60)) as connection:
        documents = connection.execute(
            "SELECT path, project, title, source_type, parser, language, source_date, tags, extra, "
            "content_hash, size, mtime_ns, chunk_count FROM documents"
        ).fetchall()
        chunks = connection.execute(
            "SELECT d.path, c.ordinal, c.text, c.heading_path, c.context, c.locator, c.tokens, "
            "c.content_hash, p.postings, v.model, v.vector, v.sequence IS NOT NULL "
            "FROM chunks c JOIN documents d USING (org_id, document_id) "
            "LEFT JOIN chunk_postings p USING (org_id, chunk_id) LEFT JOIN vectors v USING (org_id, chunk_id)"
        ).fetchall()
        counts = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("chunks", "chunk_postings", "vectors", "jobs")
        }
        failures = connection.execute("SELECT path, code, reason, size, mtime_ns FROM failures").fetchall()
        sound = connection.execute("PRAGMA integrity_check").fetchall()
    assert sound == [("ok",)]
    return {
        "documents": sorted(documents),
        "chunks": sorted(chunks),
        "counts": counts,
        "failures": sorted(failures),
    }


def half_documents(database):
    """Documents of which a reader sees only a part, or chunks of none; empty when all is whole."""
    with closing(sqlite3.connect(database, timeout=60)) as connection:
        connection.execute("BEGIN")
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'chunks'").fetchone():
            return []
        return connection.execute(
            "SELECT d.path, d.chunk_count, count(c.chunk_id), min(c.ordinal), max(c.ordinal), "
            "count(DISTINCT c.ordinal), count(p.chunk_id) "
            "FROM documents d LEFT JOIN chunks c USING (org_id, document_id) "
            "LEFT JOIN chunk_postings p USING (org_id, chunk_id) GROUP BY d.org_id, d.document_id "
            "HAVING count(c.chunk_id) != d.chunk_count OR min(c.ordinal) != 0 "
            "OR max(c.ordinal) != d.chunk_count - 1 OR count(DISTINCT c.ordinal) != d.chunk_count "
            "OR count(p.chunk_id) != d.chunk_count "
            "UNION ALL SELECT 'chunk of no document', c.document_id, 0, 0, 0, 0, 0 FROM chunks c "
            "WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.document_id = c.document_id)"
        ).fetchall()


def without_ids(hits):
    """Scores and texts, best first. Of equal texts one stands for all, and which one depends on the ids."""
    return [hit["score"] for hit in hits], sorted(hit["text"] for hit in hits)
