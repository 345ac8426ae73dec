"""A file belongs to the project of the nearest folder that was indexed as one."""

from pathlib import Path

from bob import Bob
from bob.app.settings import Settings


def projects(bob: Bob) -> dict[str, int]:
    return {each["project"]: each["documents"] for each in bob.status()["projects"]}


def test_a_folder_within_a_folder_keeps_its_own_project(tmp_path: Path):
    inner = tmp_path / "work" / "acme"
    inner.mkdir(parents=True)
    (inner / "one.md").write_text("# One\n\nWater the beds in the morning.\n")
    (tmp_path / "work" / "two.md").write_text("# Two\n\nOrder the seeds in January.\n")
    with Bob(settings=Settings(database=tmp_path / "bob.db")) as bob:
        bob.index(inner, "acme")
        bob.index(tmp_path / "work")
        assert projects(bob) == {"acme": 1, "work": 1}
        (inner / "three.md").write_text("# Three\n\nThe shed has a new key.\n")
        bob.index(tmp_path / "work")
        assert projects(bob) == {"acme": 2, "work": 1}
        bob.index(tmp_path / "work", "life")
        assert projects(bob) == {"acme": 2, "life": 1}
        bob.index(inner, "life")
        assert projects(bob) == {"life": 3}
