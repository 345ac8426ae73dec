"""What a server is sent by those who mean it no good, byte for byte: refused, or of no effect."""

import io
import json
import socket
import zipfile

import httpx
import pytest
from hostile_markup import NAMES
from served_memory import GARDEN, index, served
from small_memory import engine_over

SECRET = "root:x:0:0 is what no answer may hold"
JSON = "Content-Type: application/json\r\n"
CHUNKED = f"{JSON}Transfer-Encoding: chunked\r\n"
UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
UPGRADE += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacks")
    (folder / "secret.md").write_text(SECRET, "utf-8")
    limits = {"max_request_mb": 1, "request_seconds": 1, "uploads": str(folder / "uploads")}
    engine = engine_over(folder / "bob.db", server=limits)
    index(engine, folder, garden=GARDEN)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        host, _, port = made.address.removeprefix("http://").partition(":")
        client.folder, client.place, client.engine = folder, (host, int(port)), engine
        yield client
        assert client.get("/health").json() == {"status": "ok"}, "it serves on"
    engine.close()


def begun(home, text, host="Host: {}:{}\r\n"):
    """A connection on which `text` was sent, with the server's own name in the place of «HOST»."""
    connection = socket.create_connection(home.place, timeout=20)
    connection.sendall(text.replace("HOST", host.format(*home.place)).encode("latin-1"))
    return connection


def told(connection):
    """The first answer: its status and all that came, up to the end of its body."""
    received = b""
    with connection:
        while block := _received(connection):
            received += block
            head, _, body = received.partition(b"\r\n\r\n")
            lengths = [each for each in head.lower().split(b"\r\n") if each.startswith(b"content-length:")]
            if lengths and len(body) >= int(lengths[0].split(b":")[1]):
                break
    return int(received.split(b" ", 2)[1]), received.decode("utf-8", "replace")


def _received(connection):
    try:
        return connection.recv(65536)
    except ConnectionResetError:
        # It closes a connection of which it did not read all; the answer came before.
        return b""


MALFORMED = {
    "no host": ("GET /documents HTTP/1.1\r\n\r\n", 400),
    "no host, as one could once": ("GET /documents HTTP/1.0\r\n\r\n", 403),
    "two hosts": ("GET /documents HTTP/1.1\r\nHOSTHost: evil.example\r\n\r\n", 400),
    "another's address in full": ("GET http://evil.example/documents HTTP/1.1\r\nHOST\r\n", 404),
    "its own, for another": ("GET http://localhost/documents HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
    "a proxy": ("CONNECT evil.example:443 HTTP/1.1\r\nHOST\r\n", 404),
    "an echo": ("TRACE /documents HTTP/1.1\r\nHOSTCookie: a=hedge\r\n\r\n", 405),
    "no path": ("OPTIONS * HTTP/1.1\r\nHOST\r\n", 404),
    "an unknown method": (f"GET{'A' * 5000} /documents HTTP/1.1\r\nHOST\r\n", 405),
    "the second version": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403),
    "a socket from elsewhere": (
        f"GET /documents HTTP/1.1\r\nHOSTOrigin: https://evil.example\r\n{UPGRADE}\r\n",
        403,
    ),
    "a header without end": (f"GET /documents HTTP/1.1\r\nHOSTX: {'a' * 600_000}\r\n\r\n", 400),
    "headers without end": (f"GET /documents HTTP/1.1\r\nHOST{'X: a' * 40_000}\r\n\r\n", 400),
    "many headers": (
        "GET /documents HTTP/1.1\r\nHOST" + "".join(f"X{n}: a\r\n" for n in range(60_000)) + "\r\n",
        400,
    ),
    "a query without end": (f"GET /documents?{'a=b&' * 15_000} HTTP/1.1\r\nHOST\r\n", 400),
    "a null in a header": ("GET /documents HTTP/1.1\r\nHOSTX: a\0b\r\n\r\n", 400),
    "a null in the path": ("GET /documents/\0 HTTP/1.1\r\nHOST\r\n", 400),
    "two lengths": (
        f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        400,
    ),
    "a negative length": (f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Length: -1\r\n\r\n", 400),
    "a signed length": (f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Length: +5\r\n\r\nabcde", 400),
    "a length without end": (f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Length: {'9' * 30}\r\n\r\n", 400),
    "a length that waits": (
        f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n",
        413,
    ),
    "two encodings": (
        f"POST /ask HTTP/1.1\r\nHOST{JSON}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        400,
    ),
    "a request inside another": (
        f"POST /ask HTTP/1.1\r\nHOST{CHUNKED}Content-Length: 4\r\n\r\n0\r\n\r\n"
        "GET /documents HTTP/1.1\r\n\r\n",
        400,
    ),
    "a negative chunk": (f"POST /ask HTTP/1.1\r\nHOST{CHUNKED}\r\n-5\r\nabc", 400),
    "chunks without end": (
        f"POST /ask HTTP/1.1\r\nHOST{CHUNKED}\r\n" + f"10000\r\n{'x' * 0x10000}\r\n" * 17,
        413,
    ),
    "a packed body": (
        f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b",
        400,
    ),
    "lists in lists": (f"POST /ask HTTP/1.1\r\nHOST{JSON}Content-Length: 200000\r\n\r\n{'[' * 200_000}", 400),
    "parts without a border": (
        "POST /files HTTP/1.1\r\nHOSTContent-Type: multipart/form-data\r\nContent-Length: 3\r\n\r\nabc",
        400,
    ),
    "files from elsewhere": (
        "POST /files HTTP/1.1\r\nHOSTOrigin: https://evil.example\r\nContent-Length: 0\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n",
        403,
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_no_proper_request_is_refused(home, case):
    text, status = MALFORMED[case]
    got, answer = told(begun(home, text))
    assert got == status and "hedge" not in answer


def test_an_upgrade_is_not_made(home):
    status, answer = told(begun(home, f"GET /health HTTP/1.1\r\nHOST{UPGRADE}\r\n"))
    assert status == 200 and "upgrade" not in answer.lower().partition("\r\n\r\n")[0]


@pytest.mark.parametrize(
    "path",
    [
        "/ui/%252e%252e/%252e%252e/secret.md",
        "/ui/..%2f..%2fsecret.md",
        "/ui/..%5c..%5csecret.md",
        "/ui/..\\..\\secret.md",
        "/ui/%c0%ae%c0%ae/secret.md",
        "/ui/%uff0e%uff0e/secret.md",
        "/ui/....//....//secret.md",
        "/ui//FOLDER/secret.md",
        "/ui/app.js%00.html",
        "/ui/app.js/../../secret.md",
        "/ui/.",
        "/personas/..%2f..%2fsecret",
        "/documents/..%2fsecret.md/source",
        "/documents/%31%00/source",
        "/documents/1/pages/..%2f1",
        "/FOLDER/secret.md",
        "/%2FFOLDER/secret.md",
        "file:///FOLDER/secret.md",
    ],
)
def test_no_path_leads_to_a_file(home, path):
    named = path.replace("/FOLDER", str(home.folder))
    status, answer = told(begun(home, f"GET {named} HTTP/1.1\r\nHOSTConnection: close\r\n\r\n"))
    assert status in (400, 404) and SECRET not in answer and "import" not in answer


def test_bodies_that_do_not_come_are_not_waited_for(home):
    """All at once: each would keep the server for as long as it likes."""
    head = f"POST /ask HTTP/1.1\r\nHOST{JSON}"
    slow = [
        begun(home, f"{head}Content-Length: 100\r\n\r\n"),
        begun(home, f"{head}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"),
        begun(home, f"POST /ask HTTP/1.1\r\nHOST{CHUNKED}\r\n1\r\n{{\r\n"),
        begun(home, f"POST /ask HTTP/1.1\r\nHOST{CHUNKED}\r\nFFFFFFFFFFFFFFFF\r\nabc"),
        begun(home, f"POST /ask HTTP/1.1\r\nHOST{CHUNKED}\r\n1;{'x' * 60_000}\r\n{{\r\n"),
        begun(home, f"POST /v1/chat/completions HTTP/1.1\r\nHOST{JSON}Content-Length: 9\r\n\r\n"),
        begun(
            home,
            "POST /files HTTP/1.1\r\nHOSTContent-Type: multipart/form-data; boundary=b\r\n"
            "Content-Length: 1000\r\n\r\n--b\r\n",
        ),
        begun(home, f"{head}Idempotency-Key: a\r\nContent-Length: 100\r\n\r\n"),
    ]
    assert home.get("/health").status_code == 200
    answers = [told(each) for each in slow]
    waited = answers.pop(1)
    assert waited[0] == 100 and "HTTP/1.1 408 " in waited[1]
    assert [status for status, _ in answers] == [408] * 7


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../secret.md", "secret.md"),
        ("..%2f..%2fsecret.md", "_2f.._2fsecret.md"),
        ("C:\\windows\\win.md", "win.md"),
        ("\\\\host\\share\\unc.md", "unc.md"),
        ("/etc/cron.d/job.md", "job.md"),
        ("file:///etc/url.md", "url.md"),
        ("~root/tilde.md", "tilde.md"),
        ("-rf.md", "rf.md"),
        (".bashrc.md", "bashrc.md"),
        ("$(touch x).md", "_(touch x).md"),
        ("\u202efdp.md", "fdp.md"),
        ("\uff0e\uff0e\uff0fwide.md", "___wide.md"),
        ("a.zip/../b.md", "b.md"),
        ("con.md", "con_.md"),
        (f"{NAMES[0]}.md", "_img src=x onerror=ran(14)_.md"),
    ],
)
def test_a_file_that_is_sent_stays_in_its_folder(home, name, kept):
    project = "../../outside"
    answer = home.post("/files", files=[("files", (name, b"# A crane\n"))], data={"project": project})
    assert answer.status_code == 202, answer.text
    (file,) = answer.json()["files"]
    (folder,) = (each for each in (home.folder / "uploads" / "local").iterdir() if "outside" in each.name)
    assert file["path"] == str(folder / kept)
    anywhere = [each.parent for each in home.folder.rglob("*.md") if each.read_bytes() == b"# A crane\n"]
    assert set(anywhere) == {folder}
    assert (home.folder / "secret.md").read_text("utf-8") == SECRET


def test_too_many_files_or_fields_are_refused(home):
    def send(count, **fields):
        return home.post("/files", files=[("files", (f"{n}.md", b"x")) for n in range(count)], data=fields)

    large = {"project": "x" * 2_000_000}
    assert home.post("/files", files=[("files", ("a.md", b"x"))], data=large).status_code == 413
    key = {"Idempotency-Key": "large"}
    assert home.post("/ask", json={"question": "x" * 2_000_000}, headers=key).status_code == 413
    assert send(101).status_code == 400
    # On a busy machine so many take longer than this server waits for a body.
    assert send(1_001).status_code in (400, 408)
    assert send(1, **{f"field{n}": "x" for n in range(1_001)}).status_code in (400, 408)
    assert send(1, project="..").json()["field"] == "project"
    large = home.post("/files", files=[("files", ("large.md", b"x" * 2_000_000))])
    assert large.status_code == 413
    assert not [each for each in (home.folder / "uploads").rglob("*") if each.suffix == ".part"]


def test_an_archive_that_is_sent_writes_and_reads_nothing_else(home):
    """Its members are called as files of this machine, and its texts name them."""
    secret = str(home.folder / "secret.md")
    entity = f'<!DOCTYPE r [<!ENTITY s SYSTEM "file://{secret}">]>'
    word = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    word += "<w:p><w:r><w:t>A crane &s;</w:t></w:r></w:p></w:body></w:document>"
    package = '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
    package += "".join(
        f'<item id="i{at}" href="{each}" media-type="application/xhtml+xml"/>'
        for at, each in enumerate([secret, f"file://{secret}", "../../../secret.md", "a.xhtml"])
    )
    package += (
        "</manifest><spine>" + "".join(f'<itemref idref="i{at}"/>' for at in range(4)) + "</spine></package>"
    )
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    container += '<rootfile full-path="book.opf"/></rootfiles></container>'
    escaped = {"../../../escaped.md": "a", "/escaped.md": "b", "..\\..\\escaped.md": "c"}
    book = {"META-INF/container.xml": container, "book.opf": package, "a.xhtml": "<p>A crane stands.</p>"}
    sent = [
        ("files", ("crane.docx", packed({"word/document.xml": entity + word} | escaped))),
        ("files", ("crane.epub", packed(book | escaped))),
        ("files", ("crane.html", f'<p>A crane. <iframe src="file://{secret}"></iframe></p>'.encode())),
        ("files", ("crane.zip", packed(escaped))),
    ]
    answer = home.post("/files", files=sent, data={"project": "cranes"})
    assert answer.status_code == 202, answer.text
    events = home.get(f"{answer.headers['location']}/events").text
    assert "event: done" in events
    assert not list(home.folder.parent.rglob("*escaped*"))
    found = home.get("/search", params={"query": "root crane", "projects": "cranes", "limit": 50})
    assert "A crane stands" in found.text and "root:x" not in json.dumps(found.json())


def packed(members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as write:
        for name, text in members.items():
            write.writestr(name, text)
    return made.getvalue()
