"""A memory of which every text and every name would steer a terminal, and what a terminal may be sent at all.

What is expected of the output stands here on its own, and not in terms of Bob's code.
"""

import json
import os
import pty
import re
import termios
import threading
import tty
import unicodedata
from fcntl import ioctl
from struct import pack

import forked_bob
from small_memory import bob_in, write_files
from small_repository import SmallRepository
from small_talk import LOCOMO

from bob.storage.agent_log import AgentLog

TAGS = "".join(chr(0xE0000 + ord(each)) for each in "obey")
LINE = (
    "\x1b]52;c;cHduZWQ=\x1b\\\x1b]0;pwn\x07\x1b]8;;evil:x\x1b\\\x1bPq\x1b\\\x1b[31m\x1b[2J\x9b31m\x9d0;x\x9c\b\x7f"
    f"\u202e\u2066\u200b\ufeff\u200d{TAGS}\U000e0101"
)
"""A line that fills the clipboard, sets the title, begins a link, draws, colours, clears, and hides words."""
TEXT = f"{LINE}\r\x0b\u2028\x85"
KEPT = f"\u200b{TAGS}"
"""What is left of a line in names from which controls are taken out."""
NAME = "n\nFORGED\x1b]8;;evil:x\x07\x9b31m\u202e" + TAGS
"""A name of which the second line would look like a line of Bob's own."""
LATIN = os.fsdecode(b"hippo\x9b31m\xff.md")

ALLOWED_ON_TERMINALS = re.compile(
    r"\x1b\[[0-9;]*m"
    r"|\x1b\]8;id=\d+;file:///(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+(?:#L\d+|#page=\d+)?\x1b\\"
    r"|\x1b\]8;;\x1b\\"
    r"|\r?(?:\x1b\[1A)?\x1b\[2K|\x1b\[\?25[lh]"
)
INVISIBLE = re.compile("[\u034f\u115f\u1160\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff]")
MARK = re.compile(r"[␀-␟␡]|⟨U\+[0-9A-F]{4,6}⟩|⟨0x[0-9A-F]{2}⟩|\\x[0-9a-f]{2}")
# What stands in a prompt has this in place of what could act.
SHOWN = re.compile(rf"{MARK.pattern}|\ufffd")


def lines(*records):
    return "".join(json.dumps(each) + "\n" for each in records)


FRONT = r"""---
title: "ti\e]0;x\a\u202e\x9B31m\nFORGED"
tags: ["ta\e[2J\u200b"]
---
"""
NOTES = {
    f"giraffe{NAME}.md": f"""{FRONT}# He{LINE}ading

The giraffe tower {TEXT} is orange and tall.

- [ ] paint the giraffe tower {LINE}

See [the plan](gone{LINE}.md).
""",
    f"adr/0007{NAME}.md": f"""# ADR-7: Use {LINE} storks

Status: accepted

## Context

Deliveries {TEXT} were late.

## Decision

We will use {LINE} storks for deliveries.
""",
    f"adr/0008{NAME}.md": f"""# ADR-8: Use {LINE} herons

Status: accepted. Supersedes ADR-7, ADR-99{LINE}

## Decision

We will use {LINE} herons for deliveries.
""",
    f"bad{NAME}.pdf": b"%PDF-1.4 nothing",
}
GIVEN = {
    f"claims{NAME}.md": f"""The giraffe tower {TEXT} is green.

The giraffe tower is orange and tall.
""",
    f"golden{NAME}.jsonl": lines(
        {
            "id": f"g{NAME}",
            "question": f"Which colour has the giraffe tower {LINE}?",
            "sources": [{"path": f"none{NAME}.md"}],
            "phrases": [f"pink {LINE}"],
            "confirmed": True,
        },
        {"id": "u", "question": "giraffe tower", "unanswerable": True, "confirmed": True},
    ),
    f"talk{NAME}.jsonl": lines(
        {"role": "user", "content": f"The keeper decided {TEXT} that the giraffe eats leaves."},
        {"role": "assistant", "content": f"I see {TEXT}: leaves."},
    ),
    f"bookmarks{NAME}.html": f"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE>
<DL><p>
<DT><H3>Zoo {LINE}</H3>
<DL><p>
<DT><A HREF="https://zoo.example/{LINE}">Zoo {LINE}</A>
</DL><p>
</DL>
""",
    f"highlights{NAME}.json": lines([{"text": f"Giraffes sleep {TEXT} little.", "source": f"Zoo {LINE}"}]),
    f"memories{NAME}.jsonl": lines({"summary": f"Giraffes like {TEXT} rain."}, {"x": 1}),
    f"work{NAME}.csv": f"""title,status,Severity {LINE}
Giraffe {LINE} fell,open,High {LINE}
,open,x
""",
    f"bob{NAME}.yaml": r"""
user: "us\e]0;x\a\u202e\nFORGED"
persona: {folder: "pe\e[2J"}
""",
    f"wrong{NAME}.yaml": r"""
"se\e]0;x\a\nFORGED": {limit: "\e[2J"}
""",
    f"broken{NAME}.yaml": "a: '\x1b[2J\n: [\n",
    f"personas/p{NAME}/corpus.md": f"""## He{LINE}ading

<!-- facet: doubt -->

She is afraid of storms, and doubts that she will sleep in a storm. {TEXT}
""",
    f"personas/p{NAME}/voice.md": f"Short {TEXT} sentences.\n",
    f"personas/q{NAME}/voice.md": "Hm.\n",
    "templates/odd.md": r"""---
template:
  about: "odd \e[2J\nFORGED"
  folder: odd
  file: odd
---
# odd
""",
    "beir/corpus.jsonl": lines({"_id": "d", "title": LINE, "text": f"giraffe {TEXT}"}),
    "beir/queries.jsonl": lines({"_id": "q", "text": f"giraffe {TEXT}"}),
    "beir/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
    f"set{NAME}.jsonl": lines(
        {"claim": f"It {TEXT} is.", "evidence": [f"It {TEXT} is."], "label": "supported"}
    ),
    f"locomo{NAME}.json": json.dumps(LOCOMO),
}


def dangers(shown, *, terminal):
    """What a terminal or a pipe must not be sent, out of the bytes that it was sent."""
    text = shown.decode("utf-8")  # raises where a byte of a name passed as it is
    if terminal:
        text = ALLOWED_ON_TERMINALS.sub("", text)
    steering = [
        each
        for each in text
        if each not in "\n\t" and unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]
    return [*steering, *INVISIBLE.findall(text), *re.findall("^FORGED", text, re.MULTILINE)]


def in_terminal(bob, *arguments, stdin=os.devnull, **more):
    """All that the command sends to a terminal of 4,000 columns, and its exit code."""
    leader, follower = pty.openpty()
    tty.setraw(follower)  # as Bob writes it, with no carriage return added
    ioctl(follower, termios.TIOCSWINSZ, pack("HHHH", 50, 4000, 0, 0))
    shown = []

    def read():
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end is closed
                return
            if not piece:
                return
            shown.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    environment = {key: each for key, each in bob.environment.items() if key != "NO_COLOR"}
    given = os.open(stdin, os.O_RDONLY)
    try:
        code = forked_bob.run_on(
            [given, follower, follower],
            [*map(str, arguments)],
            bob.home,
            environment | {"TERM": "xterm-256color"} | more,
        )
    finally:
        os.close(given)
        os.close(follower)
        reader.join(30)
        os.close(leader)
    return code, b"".join(shown)


def hostile_memory(home):
    """`bob`, and the places and numbers that commands are given."""
    bob = bob_in(home)
    bob.environment["COLUMNS"] = "4000"
    notes = bob.home / f"pro{NAME}"
    write_files(notes, NOTES)
    (notes / LATIN).write_text("# Hippo\n\nThe hippo tower is blue.\n", encoding="utf-8")
    write_files(bob.home, GIVEN)
    repository = SmallRepository(bob.home / f"repo{NAME}")
    repository.commit({f"docs/zebra{NAME}.md": f"# Ze{LINE}bra\n\nThe zebra {TEXT} tower is striped.\n"})
    repository.repo.refs[b"refs/heads/" + "b\u202e\u200b".encode()] = repository.repo.refs[
        b"refs/heads/master"
    ]

    def run(*arguments, expect=(0,), **more):
        done = bob(*arguments, **more)
        assert done.returncode in expect, (arguments, done.stdout, done.stderr)
        return done.stdout

    run("index", notes, "--words-only", expect=(3,))
    run("index", repository.path, "--at", "master", "--project", f"git{NAME}", "--words-only")
    run("ask", "Which colour", LINE, "has the giraffe tower?", expect=(0, 1))
    run("feedback", "1", "wrong-source", "--note", f"no {TEXT}")
    run(
        "remember",
        "--from-chat",
        bob.home / f"talk{NAME}.jsonl",
        "--chat",
        f"chat{NAME}",
        "--project",
        f"pro{NAME}",
    )
    run(
        "remember",
        f"The giraffe {TEXT} eats leaves every day.",
        "--project",
        f"pro{NAME}",
        "--importance",
        "90",
    )
    run("decisions", "edit", "ADR-8", "--title", f"Use {LINE} geese")
    run("work", "category", "add", f"cat {KEPT}")
    run("work", "field", "add", f"field {KEPT}", "--type", "text")
    item = ("--category", f"cat {KEPT}", "--field", f"field {KEPT}=value {TEXT}", "--assignee", f"ana{LINE}")
    run(
        "work",
        "add",
        f"Giraffe payment timeouts {LINE}",
        "--description",
        f"Every day {TEXT}.\nAnd night.",
        *item,
    )
    run("work", "add", f"Giraffe payment timeouts again {LINE}", "--description", "Every night.", *item)
    run("worker", "--once")
    run("eval", "run", bob.home / f"golden{NAME}.jsonl", "--name", f"run{NAME}")
    run("eval", "run", bob.home / f"golden{NAME}.jsonl", "-k", "1")
    key = json.loads(run("keys", "create", "laptop", "--user", "ben", "--json"))["key_id"]
    AgentLog(bob.database).append(
        {
            "at": "2026-01-01T10:00:00+00:00",
            "organization": "local",
            "user": "me",
            "client": f"c{NAME}",
            "tool": f"t{NAME}",
            "arguments": {f"k{NAME}": TEXT},
            "dry_run": False,
            "outcome": "ok",
            "results": 1,
        }
    )
    finding = json.loads(run("health", "--json"))["findings"][0]["id"]
    places = {
        "notes": notes,
        "home": bob.home,
        "key": key,
        "finding": finding,
    }
    return bob, places
