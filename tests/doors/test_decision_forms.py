"""Decision records in the forms that people write: each is listed, or named with the reason why it is not."""

from pathlib import Path

import pytest
import yaml
from small_memory import bob_in

DATA = Path(__file__).parents[1] / "data" / "decisions"
HALVES = ("forms", "forms_set_aside")
FORMS = [(half, form) for half in HALVES for form in yaml.safe_load((DATA / f"{half}.yaml").read_text())]


def written(form):
    """The bytes of a form's file."""
    text = form["text"].replace("\n", "\r\n") if "crlf" in form.get("ends", "") else form["text"]
    return b"\xef\xbb\xbf" * ("bom" in form.get("ends", "")) + text.encode()


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """`bob decisions --json` over all forms, each in a folder of its own, and what a person reads."""
    bob = bob_in(tmp_path_factory.mktemp("forms") / "home")
    folders = [bob.home / f"form{number}" for number in range(len(FORMS))]
    for folder, (_, form) in zip(folders, FORMS, strict=True):
        path = folder / form["path"]
        path.parent.mkdir(parents=True)
        path.write_bytes(written(form))
    assert bob("index", *folders, "--words-only").returncode == 0
    return bob.json("decisions"), bob("decisions").stdout


def test_there_are_sixty_and_half_of_each_kind():
    assert len(FORMS) == 60
    for half in HALVES:
        assert [form["from"] for name, form in FORMS if name == half].count("public") == 15


@pytest.mark.parametrize("number", range(len(FORMS)), ids=[form["kind"] for _, form in FORMS])
def test_a_record_is_listed_or_named_with_the_reason(listed, number):
    form, (told, _) = FORMS[number][1], listed
    decisions = [each for each in told["decisions"] if each["project"] == f"form{number}"]
    found = {(each["number"], each["title"], each["stated_status"]): each for each in decisions}
    expected = form.get("decisions", [])
    assert sorted(map(str, found)) == sorted(str(tuple(each[:3])) for each in expected)
    for each in expected:
        if each[3:]:
            assert found[tuple(each[:3])]["date"] == str(each[3])
    aside = [each for each in told["put_aside"] if each["project"] == f"form{number}"]
    if reason := form.get("put_aside"):
        assert len(aside) == 1
        assert aside[0]["path"].endswith(form["path"]) and reason in aside[0]["reason"]
    else:
        assert aside == []


def test_a_person_reads_which_files_were_put_aside(listed):
    told, shown = listed
    assert "These look like decision records, and state no decision:" in shown
    for each in told["put_aside"]:
        assert each["path"].rsplit("/", 1)[-1] in shown
