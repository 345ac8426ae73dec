"""No text that a person writes hangs its reader: those that once did, and made-up ones.

All are read in a process of its own, since a regular expression cannot be interrupted. It may take a hundred
times what it needs: only a text that takes quadratic time or worse does not end by then.
"""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from known_hangs import KNOWN
from written_texts import READERS

HERE = Path(__file__).parents[1]
TEXTS = int(os.environ.get("BOB_WRITTEN_TEXTS", "40"))
SEED = int(os.environ.get("BOB_WRITTEN_SEED", "2026"))
CHILD = """
import json, sys
sys.path.insert(0, sys.argv[1])
from known_hangs import KNOWN
from written_texts import READERS, outcome_of
readers = {each.name: each for each in READERS}
texts = [(name, what, text) for what, name, text in KNOWN]
texts += [(each.name, number, each.text(int(sys.argv[3]), number))
          for each in READERS for number in range(int(sys.argv[2]))]
for name, what, text in texts:
    print(json.dumps([name, what, "begins", ""]), flush=True)
    outcome = outcome_of(readers[name], text, limit=20)
    print(json.dumps([name, what, outcome.error, outcome.said[:300]]), flush=True)
"""
ERRORS = {"", "RequestError", "SettingsError", "UnreadableError", "UsageError"}


@pytest.fixture(scope="module")
def outcomes():
    """Of every text, read once for all processes of the suite: the first reads them, the others wait."""
    with (Path(os.environ["COMPUTED_ONCE"]) / "parsers_end.jsonl").open("a+") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        kept.seek(0)
        if not (printed := kept.read()):
            printed = read_all()
            kept.write(printed)
    lines = [json.loads(line) for line in printed.splitlines()]
    begun = [(name, what) for name, what, error, _ in lines if error == "begins"]
    ended = {(name, what): (error, said) for name, what, error, said in lines if error != "begins"}
    return {each: ended.get(each, ("the process died or hung", "")) for each in begun}


def read_all():
    """What a process printed that read all texts, or as many as it did before it hung."""
    command = [sys.executable, "-c", CHILD, HERE, str(TEXTS), str(SEED)]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300).stdout
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode()


@pytest.mark.parametrize("reader", [each.name for each in READERS])
def test_made_up_texts(outcomes, reader):
    found = {
        what: told for (name, what), told in outcomes.items() if name == reader and isinstance(what, int)
    }
    assert len(found) == TEXTS
    assert not {what: told for what, told in found.items() if told[0] not in ERRORS}


@pytest.mark.parametrize(("what", "reader"), [(what, reader) for what, reader, _ in KNOWN])
def test_known_hangs(outcomes, what, reader):
    error, said = outcomes[reader, what]
    assert error in ERRORS, said


@pytest.mark.parametrize("place", ["bob.yaml, line 1:", "bob.yaml, line 2:"])
def test_an_error_names_file_and_line(outcomes, place):
    settings = [said for (name, _), (_, said) in outcomes.items() if name == "settings"]
    assert any(said.startswith(place) for said in settings)
