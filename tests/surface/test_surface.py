"""What people and programs see of Bob is as `golden` keeps it: no change of the code changes it unnoticed.

When it is meant to change, run `python tools/write_surface.py`, read the difference, and write the changelog.
"""

import difflib
import re
import sys
from itertools import zip_longest
from pathlib import Path

import pytest
from judges import needs_networks

sys.path.insert(0, str(Path(__file__).parent))

from contract import Contract
from record import RECORDS, http

GOLDEN = Path(__file__).parent / "golden"
_NUMBER = re.compile(r"-?\d+\.\d+")
_ROUNDING = 0.0101
"""Another processor adds up vectors in another order, so that a second decimal may fall to either side."""


HTTP = "routes.txt openapi.json"


@pytest.fixture(scope="module")
def played_routes(tmp_path_factory):
    """The texts of all routes, and how the answers differ from the document."""
    differences = []

    def compare(document, method, path, answer):
        differences.extend(Contract(document).differences(method, path, answer))

    return http(tmp_path_factory.mktemp("http"), compare), differences


def test_every_answer_is_as_the_document_says(played_routes):
    _, differences = played_routes
    assert not differences, "\n".join(differences)


@needs_networks
@pytest.mark.parametrize("names", RECORDS)
def test_the_surface_is_as_it_was(names, tmp_path, request):
    texts = request.getfixturevalue("played_routes")[0] if names == HTTP else RECORDS[names](tmp_path)
    for name, text in zip(names.split(), texts, strict=True):
        kept = (GOLDEN / name).read_text("utf-8").splitlines()
        changed = [
            (old, new)
            for old, new in zip_longest(kept, text.splitlines(), fillvalue="")
            if not _is_same(old, new)
        ]
        difference = "\n".join(difflib.unified_diff(kept, text.splitlines(), "kept", "now", lineterm="", n=1))
        assert not changed, f"{name} changed:\n{difference[:6000]}"


def _is_same(old, new):
    if old == new:
        return True
    pairs = list(zip_longest(_NUMBER.findall(old), _NUMBER.findall(new), fillvalue="nan"))
    same_words = _NUMBER.sub("", old) == _NUMBER.sub("", new)
    return same_words and all(abs(float(one) - float(other)) < _ROUNDING for one, other in pairs)
