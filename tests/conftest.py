"""What all tests share: a fast engine over a temporary database, and the real command."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import certifi
import httpx
import pytest
from hypothesis import HealthCheck, settings

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "robustness")]

import forked_bob  # noqa: E402 - the line above makes it importable
from judges import JUDGE  # noqa: E402
from postgres_server import start_server  # noqa: E402
from small_memory import bob_in, engine_over, open_database  # noqa: E402

os.environ.update(JUDGE)

# A shell that starts the suite in the background has it ignore Ctrl-C, and so would every process that a
# test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


# A busy machine answers late, which is no fault of what is tested; the default of a request is five seconds.
httpx._config.DEFAULT_TIMEOUT_CONFIG.read = httpx._config.DEFAULT_TIMEOUT_CONFIG.connect = 300
# Every run of the suite draws anew; HYPOTHESIS_PROFILE=long looks further in one.
# A busy machine draws slowly, which is no fault of what is tested.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", max_examples=20, **_PATIENT)
settings.register_profile("long", max_examples=1000, **_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


# No test speaks TLS, but every HTTP client reads the authorities that it trusts: with all hundred and fifty
# of them this was a tenth of the suite's time. The file stays as long as the run.
_AUTHORITY = tempfile.NamedTemporaryFile("w", suffix=".pem", encoding="ascii")  # noqa: SIM115
_AUTHORITY.write(certifi.contents().partition(_END := "-----END CERTIFICATE-----\n")[0] + _END)
_AUTHORITY.flush()
os.environ["SSL_CERT_FILE"] = _AUTHORITY.name


# One of the suite's processes makes the folder, the others are its children.
if "COMPUTED_ONCE" not in os.environ:
    _COMPUTED = tempfile.TemporaryDirectory(prefix="bob-computed-")
    os.environ["COMPUTED_ONCE"] = _COMPUTED.name


LONGEST = {
    "test_docs",
    "test_nothing_leaves",
    "test_routine_notes_are_no_evidence",
    "test_scope_of_a_project",
}


def pytest_collection_modifyitems(items):
    """The modules with the longest tests come first: at the end one process would be left alone with them."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Much of the suite's time is waiting, for processes that it started or for a server to end: `-n auto`
    uses each core three times, as far as there are 3 GB of memory a worker."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return max(cores, min(3 * cores, memory // (3 << 30)))


@pytest.fixture(scope="session", autouse=True)
def one_model():
    """Engines of a process share the model; a session of it takes 80 MB and a third of a second."""
    forked_bob.share_model()


@pytest.fixture
def engine(tmp_path):
    made = engine_over(tmp_path / "bob.db")
    yield made
    made.close()


@pytest.fixture(scope="session")
def postgres_server():
    """One real server a process of the suite."""
    server = start_server()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_address(request, tmp_path):
    """Where a fresh database is, on either engine: a file's path, or a server's address."""
    if request.param == "sqlite":
        yield str(tmp_path / "bob.db")
        return
    server = request.getfixturevalue("postgres_server")
    address = server.new_database(tmp_path / "cache")
    yield address
    server.drop(address)


@pytest.fixture
def database(database_address, tmp_path):
    made = open_database(database_address, "local", "other", cache_folder=tmp_path / "cache")
    yield made
    made.close()


@pytest.fixture
def bob(tmp_path):
    return bob_in(tmp_path / "home")
