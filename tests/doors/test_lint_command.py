"""`bob lint` as a person or a build calls it."""

import json

from small_memory import write_files

NOTES = {
    "2025-03-04 press.md": "---\ntitle: Press\ntags: []\n---\n\nSee [oil](oil.md).\n",
    "fine.md": "---\ntitle: Fine\ndate: 2025-03-04\n---\n\nAll is well.\n",
}


def test_a_folder_is_checked_and_mended(bob):
    notes = write_files(bob.home / "notes", NOTES)
    done = bob("lint", notes)
    assert done.returncode == 1
    assert [line.split(": ", 1)[1].split(" ")[:2] for line in done.stdout.splitlines()[:-1]] == [
        ["warning", "BOB004"],
        ["note", "BOB010"],
        ["error", "BOB030"],
    ]
    assert done.stdout.splitlines()[-1] == "3 findings in 2 notes; 2 fixable with --fix."
    refused = bob("lint", notes, "--fix")
    assert refused.returncode == 2 and "notes.folders" in refused.stderr
    (bob.home / "bob.yaml").write_text("notes: {folders: [notes]}\n")
    assert bob("trust", "--yes").returncode == 0
    shown = bob("lint", notes, "--fix", "--dry-run")
    assert shown.returncode == 1 and "\n-tags: []\n+date: 2025-03-04\n" in shown.stdout
    assert (notes / "2025-03-04 press.md").read_text() == NOTES["2025-03-04 press.md"]
    found = bob.json("lint", notes, "--fix", expect=1)
    assert [each["rule"] for each in found["findings"]] == ["BOB030"]
    assert found["findings"][0]["line"] == 6 and not found["findings"][0]["fixable"]
    assert (notes / "fine.md").read_text() == NOTES["fine.md"]


def test_what_is_found_decides_the_exit_code(bob):
    note = write_files(bob.home, {"note.md": "---\ntitle: T\ndate: 4 March 2025\n---\n\nText.\n"}) / "note.md"
    assert bob("lint", note).returncode == 0
    assert bob("lint", note, "--fail-on", "note").returncode == 1
    assert bob("lint", note, "--fail-on", "note", "--ignore", "loose-date").returncode == 0
    wrong = bob("lint", note, "--select", "BOB999")
    assert wrong.returncode == 2 and "unknown rule" in wrong.stderr
    assert bob("lint", bob.home / "gone.md").returncode == 2
    (bob.home / "bad.md").write_bytes(b"\x00\x01")
    unread = bob("lint", note, bob.home / "bad.md")
    assert unread.returncode == 3 and "bad.md: this is a binary file" in unread.stderr


def test_what_is_piped_in_is_checked_as_the_file_that_it_will_be(bob):
    done = bob("lint", "-", "--name", "2025-03-04 press.md", "--sarif", input=NOTES["2025-03-04 press.md"])
    results = json.loads(done.stdout)["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["BOB004", "BOB010"]
    assert bob("lint", "-", "--fix", input="x").returncode == 2
