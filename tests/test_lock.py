"""The lock file has a version of every package that development needs, within bounds of pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCKED = dict(
    re.findall(
        r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==([^ ;]+)", (ROOT / "requirements-dev.lock").read_text("utf-8"), re.M
    )
)
WANTED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
MAY_SEND = {"anthropic", "google-genai", "httpx", "httpx2", "mcp", "onnxruntime", "openai", "pyjwt"}
"""Packages that can open a connection: a release that nobody has watched must not come by itself."""

REACHED_INTO = {"uvicorn"}
"""Packages of which more is used than their interface: `bob.http.slow_clients`."""


@pytest.mark.parametrize("wanted", WANTED)
def test_a_requirement_is_locked_within_its_bounds(wanted):
    requirement = Requirement(wanted)
    name = requirement.name.lower().replace("_", "-")
    assert name in LOCKED, f"run tools/lock.sh: {name} is missing"
    assert LOCKED[name] in requirement.specifier, (name, LOCKED[name])


def test_every_extra_is_part_of_development():
    extras = {name for name in PROJECT["optional-dependencies"] if name != "dev"}
    wanted = {text for name in extras for text in PROJECT["optional-dependencies"][name]}
    assert wanted <= set(WANTED)


@pytest.mark.parametrize("name", sorted(MAY_SEND | REACHED_INTO))
def test_a_package_that_may_send_or_change_inside_has_an_upper_bound(name):
    everything = [*WANTED, *(each for more in PROJECT["optional-dependencies"].values() for each in more)]
    bounds = [Requirement(each).specifier for each in everything if Requirement(each).name == name]
    assert bounds and all(any(each.operator == "<" for each in bound) for bound in bounds)
