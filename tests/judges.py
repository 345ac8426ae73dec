"""Who judges answers and claims in this run: the networks that are shipped, or rules alone.

Rules judge where the networks are not there, and with BOB_ANSWER__JUDGE=rules: the suite passes so, but for
what is marked `needs_networks`.
"""

import os

import pytest

from bob.models.pair_models import DEFAULT_READER, DEFAULT_VERIFIER

_KEY = "BOB_ANSWER__JUDGE"
_SHIPPED = all((folder / "model.onnx").exists() for folder in (DEFAULT_READER, DEFAULT_VERIFIER))

RULES_ALONE = not _SHIPPED or os.environ.get(_KEY) == "rules"
JUDGE = {_KEY: "rules"} if RULES_ALONE else {}
"""What every environment of a test has besides its own."""

needs_networks = pytest.mark.skipif(RULES_ALONE, reason="what is tested is what the networks say")
