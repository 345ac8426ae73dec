"""What all tests share: a fast engine over a temporary database, and the real command."""

import signal
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "robustness")]

from small_memory import bob_in, engine_over, open_database  # noqa: E402 - the line above makes it importable

# A shell that starts the suite in the background has it ignore Ctrl-C, and so would every process that a
# test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def engine(tmp_path):
    made = engine_over(tmp_path / "bob.db")
    yield made
    made.close()


@pytest.fixture
def database(tmp_path):
    made = open_database(tmp_path / "bob.db", "local", "other")
    yield made
    made.close()


@pytest.fixture
def bob(tmp_path):
    return bob_in(tmp_path / "home")
