"""Two servers over one PostgreSQL database: what is sent to one never harms what was sent to the other."""

import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from served_memory import served
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import bob_in, engine_over

ROSES = "# Roses\n\nThe roses are pruned in February, before the buds open.\n"
TULIPS = "# Tulips\n\nThe tulips are planted in November, six inches deep.\n"
VIOLETS = "# Violets\n\nThe violets are watered on Sundays.\n"
AUTH = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER, "requests_per_minute": 100_000}
SECONDS = 60


@pytest.fixture
def address(postgres_server, tmp_path):
    made = postgres_server.new_database(tmp_path / "cache")
    yield made
    postgres_server.drop(made)


class Server:
    """One of the servers, asked by a member of an organization."""

    def __init__(self, http):
        self.http = http
        token = by_secret(claims(sub="ana", org_id="acme", role="admin"))
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, **more):
        answer = self.http.request(method, path, headers=self.headers, **more)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def send(self, name, text, project="garden"):
        """Send a file and wait for its run; the run's report."""
        sent = {"files": [("files", (name, text.encode()))], "data": {"project": project}}
        return self.finished(self.ask("POST", "/files", **sent)["run"])

    def finished(self, run):
        end = time.monotonic() + SECONDS
        while run["state"] in ("waiting", "running"):
            assert time.monotonic() < end, "the run does not end"
            run = self.ask("GET", f"/index/runs/{run['run']}")
        assert run["state"] == "done", run
        return run["reports"][-1]

    def titles(self):
        return sorted(each["title"] for each in self.ask("GET", "/documents")["documents"])

    def found(self, words):
        answer = self.ask("POST", "/search", json={"query": words})
        return [each["title"] for each in answer["hits"]]


@contextmanager
def two_servers(address, folder, uploads, others_uploads):
    """Servers A and B, each with a machine and a cache of its own."""
    with ExitStack() as stack:
        made = []
        for name, kept in (("a", uploads), ("b", others_uploads)):
            engine = engine_over(
                address, disk=name, cache=str(folder / name), auth=AUTH, server={"uploads": str(kept)}
            )
            stack.callback(engine.close)
            server = stack.enter_context(served(engine))
            http = stack.enter_context(httpx.Client(base_url=server.address, timeout=SECONDS))
            made.append(Server(http))
        yield made


def test_an_upload_at_one_server_keeps_those_of_the_other(address, tmp_path):
    uploads = tmp_path / "uploads"
    with two_servers(address, tmp_path, uploads, uploads) as (here, there):
        assert here.send("roses.md", ROSES)["added"] == 1
        # The other server has the same path on a disk of its own.
        uploads.rename(tmp_path / "disk-of-a")
        report = there.send("tulips.md", TULIPS)
        assert (report["added"], report["removed"]) == (1, 0)
        assert here.titles() == there.titles() == ["Roses", "Tulips"]
        for server in (here, there):
            assert server.found("roses pruned in February")[0] == "Roses"
            assert server.found("tulips planted in November")[0] == "Tulips"
        # One name, other content: both are kept, as on one server.
        assert there.send("roses.md", VIOLETS)["added"] == 1
        assert here.titles() == ["Roses", "Tulips", "Violets"]
        uploads.rename(tmp_path / "disk-of-b")
        (tmp_path / "disk-of-a").rename(uploads)
        (uploads / "acme" / "garden" / "roses.md").unlink()
        assert here.send("lilies.md", "# Lilies\n\nThree bulbs.\n")["removed"] == 1
        assert there.titles() == ["Lilies", "Tulips", "Violets"]


def test_servers_that_share_the_folder_see_each_others_files(address, tmp_path):
    uploads = tmp_path / "uploads"
    with two_servers(address, tmp_path, uploads, uploads) as (here, there):
        here.send("roses.md", ROSES)
        report = there.send("tulips.md", TULIPS)
        assert (report["added"], report["unchanged"], report["removed"]) == (1, 1, 0)
        assert here.titles() == ["Roses", "Tulips"]
        (roses,) = (each for each in there.ask("GET", "/documents")["documents"] if each["title"] == "Roses")
        shown = there.ask("GET", f"/documents/{roses['document_id']}/source")
        assert "# Roses" in shown["lines"]
        (uploads / "acme" / "garden" / "roses.md").unlink()
        assert there.finished(there.ask("POST", "/index", json={"project": "garden"}))["removed"] == 1
        assert here.titles() == ["Tulips"]


def test_a_project_is_read_again_where_its_files_are(address, tmp_path):
    with two_servers(address, tmp_path, tmp_path / "disk-of-a", tmp_path / "disk-of-b") as (here, there):
        here.send("roses.md", ROSES)
        there.send("tulips.md", TULIPS)
        report = there.finished(there.ask("POST", "/index", json={"project": "garden"}))
        assert (report["unchanged"], report["removed"]) == (1, 0)
        assert here.titles() == ["Roses", "Tulips"]
        assert there.finished(there.ask("POST", "/index/rebuild", json={"yes": True}))["added"] == 1
        assert here.titles() == ["Roses", "Tulips"]
        (roses,) = (each for each in there.ask("GET", "/documents")["documents"] if each["title"] == "Roses")
        assert roses["disk"] != here.ask("GET", "/status")["elsewhere"][0]["disk"]
        assert there.ask("GET", "/status")["elsewhere"] == [{"disk": roses["disk"], "documents": 1}]
        refused = there.http.get(f"/documents/{roses['document_id']}/source", headers=there.headers)
        assert refused.status_code == 404 and "another machine's disk" in refused.json()["detail"]


def test_deleting_at_one_server_is_seen_at_the_other_by_its_next_search(address, tmp_path):
    with two_servers(address, tmp_path, tmp_path / "disk-of-a", tmp_path / "disk-of-b") as (here, there):
        here.send("roses.md", ROSES)
        there.send("tulips.md", TULIPS)
        assert "Roses" in there.found("roses pruned in February")
        (tmp_path / "disk-of-a" / "acme" / "garden" / "roses.md").unlink()
        here.finished(here.ask("POST", "/index", json={"project": "garden"}))
        assert there.found("roses pruned in February")[:1] in ([], ["Tulips"])
        assert here.found("roses pruned in February") == there.found("roses pruned in February")


def test_a_second_server_with_a_disk_of_its_own_says_so_at_its_start(address, tmp_path):
    def said(name, **more):
        bob = bob_in(tmp_path / name)
        process = bob.start("serve", "--port", "0", BOB_DATABASE=address, BOB_AUTH__JWT_SECRET=SECRET, **more)
        try:
            for line in process.stdout:
                if line.startswith("Bob listens at "):
                    wait_until_alive(line.split()[3].rstrip(","))
                    break
        finally:
            process.send_signal(signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return [line for line in errors.splitlines() if "keeps uploads on a disk of its own" in line]

    assert said("first") == []
    assert said("first") == [], "the same server again"
    (line,) = said("second")
    assert "cannot be opened or indexed again here" in line and "-uploads-" in line
    shared = str(tmp_path / "first" / ".local" / "share" / "bob" / "uploads")
    (line,) = said("third", BOB_SERVER__UPLOADS=shared)
    assert line.count("started 20") == 1, "one shares the folder, the other does not"


def wait_until_alive(address):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            return httpx.get(f"{address}/health", timeout=SECONDS)
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server does not answer")
