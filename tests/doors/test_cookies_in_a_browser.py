"""The session of a browser, and what pages of other sites can do with it, in a real browser.

The other site is a real server too: on another port of the same name (the same site to a browser, and the
same cookies), and under the machine's other name (another site).
"""

import json
import logging
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from playwright.sync_api import Error as PlaywrightError
from served_memory import GARDEN, index
from small_memory import engine_over

from bob.core.principal import Role
from bob.http.authenticate import Sessions
from bob.http.server import address_of, build_parts, listen, server_of

WORD = "hedge"


class OtherSite:
    """A server that is not Bob: any path is a page, and what it is asked is noted."""

    def __init__(self):
        self.page = b"<!doctype html><title>other</title>"
        self.asked = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                site.asked.append(
                    (self.path, self.headers.get("Cookie") or "", self.headers.get("Referer") or "")
                )
                self.send_response(200)
                self.send_header("Content-Type", "text/javascript" if ".js" in self.path else "text/html")
                self.end_headers()
                self.wfile.write(b"" if ".js" in self.path else site.page)

            do_POST = do_GET  # noqa: N815 - the name that the library calls

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.port = self._http.server_port

    def close(self):
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class Home:
    """Bob's server at home, with links for browsers."""

    def __init__(self, engine, sessions, port):
        self.engine, self.sessions, self.port = engine, sessions, port
        self.address = f"http://127.0.0.1:{port}"

    def state(self):
        """What a change would show in."""
        team, conversations = self.engine.team, self.engine.conversations
        chats = [(each.chat_id, each.name) for each in conversations.chats.recent("me", 100)]
        return len(team.api_keys.every()), chats, self.engine.status.documents()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cookies")
    engine = engine_over(folder / "bob.db")
    index(engine, folder, garden=GARDEN)
    # From the first key on everybody has to say who they are.
    engine.team.api_keys.create("test", "ines", Role.ADMIN, (), None)
    sessions = Sessions()
    build_parts(engine)
    listening = listen("127.0.0.1", 0)
    server = server_of(engine, sessions)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield Home(engine, sessions, int(address_of(listening).rpartition(":")[2]))
    server.should_exit = True
    thread.join()
    listening.close()
    engine.close()


@pytest.fixture
def context(browser):
    made = browser.new_context(reduced_motion="reduce")
    made.set_default_timeout(60_000)
    yield made
    made.close()


@pytest.fixture
def signed_in(context, home):
    """A page of a browser that came by a link."""
    page = context.new_page()
    page.goto(f"{home.address}/?token={home.sessions.new_link()}")
    page.locator("main h1").first.wait_for()
    assert page.evaluate("async () => (await (await fetch('/session')).json()).at_home")
    # It goes on reading behind its heading, and the server's log counts what a page of another site asks.
    page.wait_for_load_state("networkidle")
    return page


@pytest.fixture
def other():
    made = OtherSite()
    yield made
    made.close()


SITES = ["127.0.0.1", "localhost"]
"""The same site on another port, to which the cookie is sent; and another site."""


def of_site(context, other, name):
    page = context.new_page()
    page.goto(f"http://{name}:{other.port}/")
    return page


def test_the_cookie_is_for_this_server_alone_and_no_script_sees_it(signed_in, context, home):
    (cookie,) = context.cookies()
    assert cookie["name"] == f"bob_session_{home.port}"
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    # A session of the browser, on this host and none below it.
    assert (cookie["expires"], cookie["domain"]) == (-1, "127.0.0.1")
    assert len(cookie["value"]) >= 43
    assert signed_in.evaluate("document.cookie") == ""
    stored = "[...Object.values(localStorage), ...Object.values(sessionStorage)].join()"
    assert cookie["value"] not in signed_in.evaluate(stored)
    assert signed_in.evaluate("cookieStore ? cookieStore.getAll().then(each => each.length) : 0") == 0


def test_neither_word_is_in_an_address_a_log_or_an_answer(context, home, caplog):
    """The link's word stands in an address once; it is worth nothing by then."""
    asked, link = [], home.sessions.new_link()
    page = context.new_page()
    page.on("request", lambda each: asked.append((each.url, each.headers.get("referer", ""))))
    bodies = []

    def keep(route):
        # Read on its way: a browser forgets the body of a page that was left.
        answer = route.fetch(max_redirects=0)
        bodies.append((answer.url, answer.text()))
        route.fulfill(response=answer)

    page.route("**/*", keep)
    with caplog.at_level(logging.DEBUG):
        page.goto(f"{home.address}/?token={link}")
        page.locator("main h1").first.wait_for()
        for name in ("library", "chat", "settings"):
            page.goto(f"{home.address}/#/{name}")
            page.wait_for_selector("main[aria-busy]", state="detached")
    (cookie,) = context.cookies()
    assert page.url.startswith(f"{home.address}/#/") and link not in page.evaluate(
        "history.length + location.href"
    )
    assert not [each for each in asked if cookie["value"] in "".join(each)]
    assert [url for url, _ in asked if link in url] == [f"{home.address}/?token={link}"]
    assert not [referrer for _, referrer in asked if link in referrer]
    assert len(bodies) > 10
    assert not [url for url, body in bodies if cookie["value"] in body]
    for word in (cookie["value"], link):
        assert word not in caplog.text
    # The link again, in another browser: it was for one.
    assert httpx.get(f"{home.address}/?token={link}").status_code == 403


def answered(caplog):
    """The statuses that the server says it answered with: a browser tells a page of none of them."""
    return [each.status for each in caplog.records if each.name == "bob.http.request_log"]


READS = {
    "fetch": "url => fetch(url, {credentials: 'include'}).then(r => r.text(), () => '')",
    "fetch without cors": """url => fetch(url, {credentials: 'include', mode: 'no-cors'})
        .then(r => r.text(), () => '')""",
    "request": """url => new Promise(done => { const x = new XMLHttpRequest(); x.withCredentials = true;
        x.onloadend = () => done(x.responseText); x.open('GET', url); x.send() })""",
    "script": """url => new Promise(done => { const x = document.createElement('script'); x.src = url;
        x.onload = () => done('LOADED'); x.onerror = () => done(''); document.head.append(x) })""",
    "module": "url => import(url).then(() => 'LOADED', () => '')",
    "style": """url => new Promise(done => { const x = document.createElement('link');
        x.rel = 'stylesheet'; x.href = url; x.onload = () => done('LOADED');
        x.onerror = () => done(''); document.head.append(x) })""",
    "image": """url => new Promise(done => { const x = new Image(); x.onload = () => done('LOADED');
        x.onerror = () => done(''); x.src = url })""",
    "sound": """url => new Promise(done => { const x = new Audio(); x.onloadeddata = () => done('LOADED');
        x.onerror = () => done(''); x.src = url })""",
    "events": """url => new Promise(done => { const x = new EventSource(url, {withCredentials: true});
        x.onmessage = e => done(e.data); x.onopen = () => done('LOADED');
        x.onerror = () => { x.close(); done('') } })""",
    "beacon": "url => (navigator.sendBeacon(url, '{}'), '')",
    "worker": """url => { try { const x = new Worker(url); return new Promise(done => {
        x.onmessage = () => done('LOADED'); x.onerror = () => done('') }) } catch { return '' } }""",
    "service worker": "url => navigator.serviceWorker.register(url).then(() => 'LOADED', () => '')",
    "prefetch": """url => new Promise(done => { const x = document.createElement('link'); x.rel = 'prefetch';
        x.href = url; x.onload = () => done(''); x.onerror = () => done(''); document.head.append(x) })""",
}
PATHS = [f"/search?query={WORD}", "/session", "/settings", "/openapi.json", "/ui/app.js", "/ui/icon.svg"]


@pytest.mark.parametrize("site", SITES)
def test_no_page_of_another_site_reads_anything(signed_in, context, home, other, site, caplog):
    before = home.state()
    page = of_site(context, other, site)
    caplog.set_level(logging.INFO, "bob")
    caplog.clear()
    read = {
        (way, path): page.evaluate(script, home.address + path)
        for way, script in READS.items()
        for path in PATHS
    }
    assert {each: told for each, told in read.items() if told} == {}
    statuses = answered(caplog)
    assert set(statuses) == {403} and len(statuses) >= 7 * len(PATHS)
    assert home.state() == before
    # The page itself still may.
    assert WORD in signed_in.evaluate("url => fetch(url).then(r => r.text())", f"/search?query={WORD}")


CHANGES = [
    ("POST", "/chats", {"project": "garden"}),
    ("POST", "/keys", {"name": "x", "user": "eve", "role": "admin"}),
    ("POST", "/session/links", {}),
    ("POST", "/memories/forget", {"memory_ids": [1], "yes": True}),
    ("POST", "/index", {"project": "garden"}),
    ("DELETE", "/session", None),
    ("DELETE", "/documents/1?yes=true", None),
    ("PUT", "/settings", {"llm": {"provider": "openai"}}),
    ("PATCH", "/memories/1", {"importance": 1}),
]
KINDS = [
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
]
SEND = """async ([url, method, body, kind, mode, header]) => {
    const headers = kind ? {'Content-Type': kind} : {}
    if (header) headers['X-Bob-Page'] = 'ui'
    try { const r = await fetch(url, {method, body, mode, headers, credentials: 'include',
            redirect: 'manual'})
        return r.type + r.status } catch { return 'refused' } }"""


@pytest.mark.parametrize("site", SITES)
def test_no_page_of_another_site_changes_anything(signed_in, context, home, other, site, caplog):
    before = home.state()
    page = of_site(context, other, site)
    caplog.set_level(logging.INFO, "bob")
    caplog.clear()
    told = [
        page.evaluate(
            SEND,
            [home.address + path, method, None if body is None else json.dumps(body), kind, mode, header],
        )
        for method, path, body in CHANGES
        for kind in KINDS
        for mode in ("cors", "no-cors")
        for header in (False, True)
    ]
    assert set(told) <= {"refused", "opaque0"} and "refused" in told
    statuses = answered(caplog)
    assert set(statuses) <= {403, 415} and len(statuses) > len(CHANGES) * len(KINDS)
    assert home.state() == before
    assert signed_in.evaluate("async () => (await (await fetch('/session')).json()).signed_in")


FORM = """([url, method, kind, target, field]) => { const form = document.createElement('form')
    Object.assign(form, {action: url, method, enctype: kind, target})
    const input = document.createElement('input'); [input.name, input.value] = field
    form.append(input); document.body.append(form); form.submit() }"""


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_no_form_of_another_site_is_taken(signed_in, context, home, other, site, kind):
    """A form is a navigation: a browser sends what it likes there, and shows what comes."""
    before = home.state()
    for path, field in (
        ("/chats", ['{"project": "', '"}']),
        ("/keys", ['{"name": "x", "user": "eve", "role": "admin", "a": "', '"}']),
        ("/session/links", ["a", "b"]),
        ("/files", ["files", "x"]),
    ):
        page = of_site(context, other, site)
        with page.expect_response(lambda each: str(home.port) in each.url) as found:
            page.evaluate(FORM, [home.address + path, "post", kind, "_self", field])
        assert found.value.status == 403, path
        page.close()
    assert home.state() == before


@pytest.mark.parametrize("site", SITES)
def test_no_page_of_another_site_frames_it_or_follows_into_it(signed_in, context, home, other, site):
    page = of_site(context, other, site)
    make = """([kind, url]) => new Promise(done => { const x = document.createElement(kind)
        x[kind === 'object' ? 'data' : 'src'] = url; x.onload = x.onerror = () => done()
        document.body.append(x); setTimeout(done, 3000) })"""
    for kind in ("iframe", "embed", "object"):
        for path in ("/", f"/search?query={WORD}", "/openapi.json"):
            page.evaluate(make, [kind, home.address + path])
    texts = []
    for each in page.frames[1:]:
        # What is not shown may be taken away at any time.
        with suppress(PlaywrightError):
            texts.append(each.content())
    assert not [each for each in texts if WORD in each or "Sign in" in each or 'src="/ui/' in each]
    # A window that it opens is cut off from it, and a link leads there without the page being told of it.
    with context.expect_page() as opened:
        page.evaluate("url => { window.held = window.open(url) }", home.address + "/")
    opened.value.wait_for_load_state()
    assert page.evaluate(
        "() => { try { return held.closed || held.document === null } catch { return true } }"
    )
    assert opened.value.evaluate("window.opener === null")


def test_what_a_page_of_ours_may_not_do(signed_in, home, other):
    """Its policy: were a text of a file ever to become markup, it would reach nobody."""
    elsewhere = f"http://localhost:{other.port}"
    ways = {way: script for way, script in READS.items() if way not in ("beacon", "prefetch")}
    told = {way: signed_in.evaluate(script, f"{elsewhere}/{way}.js") for way, script in ways.items()}
    assert {way: each for way, each in told.items() if each} == {}
    signed_in.evaluate("url => { navigator.sendBeacon(url, 'x') }", f"{elsewhere}/beacon")
    signed_in.evaluate(FORM, [f"{elsewhere}/form", "post", "text/plain", "_self", ["a", "b"]])
    inline = """() => { const x = document.createElement('script'); x.textContent = 'window.ran = 1'
        document.head.append(x); const y = document.createElement('div')
        y.innerHTML = '<img src=x onerror="window.ran = 2"><a href="javascript:window.ran = 3">a</a>'
        document.body.append(y); y.querySelector('a').click()
        return window.ran || 0 }"""
    assert signed_in.evaluate(inline) == 0
    signed_in.wait_for_timeout(300)
    assert signed_in.evaluate("window.ran || 0") == 0 and other.asked == []


def test_no_service_worker_of_ours_can_be_planted(signed_in):
    """One would answer for the server for ever; only a script of the server's own folder could be one."""
    register = (
        "([url, scope]) => navigator.serviceWorker.register(url, scope).then(() => 'LOADED', e => e.name)"
    )
    for url, scope in (
        ("/ui/app.js", {"scope": "/"}),
        ("/documents/1/source", {"scope": "/"}),
        (f"/search?query={WORD}", {}),
        ("data:text/javascript,1", {}),
    ):
        assert signed_in.evaluate(register, [url, scope]) in ("SecurityError", "TypeError"), url
    assert signed_in.evaluate("navigator.serviceWorker.getRegistrations().then(each => each.length)") == 0


def test_signing_out_ends_the_session_for_whoever_has_its_cookie(signed_in, context, home):
    (kept,) = context.cookies()
    cookies = {kept["name"]: kept["value"]}

    def status():
        return httpx.get(f"{home.address}/settings", cookies=cookies).status_code

    assert status() == 200
    signed_in.goto(f"{home.address}/#/settings")
    signed_in.get_by_role("button", name="Sign out").click()
    signed_in.get_by_role("heading", name="Sign in").wait_for()
    assert context.cookies() == [] and status() == 401
    # Neither the way back nor a second window shows what was there.
    signed_in.go_back()
    signed_in.reload()
    signed_in.get_by_role("heading", name="Sign in").wait_for()
    context.add_cookies([kept])
    second = context.new_page()
    second.goto(f"{home.address}/#/library")
    second.get_by_role("heading", name="Sign in").wait_for()
    assert second.get_by_text("2 documents").count() == 0


def test_a_cookie_that_was_put_there_becomes_no_session(context, home):
    """Fixation: who could write a cookie before somebody signs in does not know the one that they get."""
    name, planted = f"bob_session_{home.port}", "A" * 43
    address = {"domain": "127.0.0.1", "path": "/"}
    context.add_cookies([{"name": name, "value": planted} | address])
    page = context.new_page()
    page.goto(f"{home.address}/?token={home.sessions.new_link()}")
    page.locator("main h1").first.wait_for()
    (cookie,) = context.cookies()
    assert cookie["value"] != planted and cookie["httpOnly"]
    for value in (planted, cookie["value"][:-1], cookie["value"].swapcase(), cookie["value"] + "A", ""):
        assert httpx.get(f"{home.address}/settings", cookies={name: value}).status_code == 401
    # Two of one name, of two paths: which is right cannot be told, so neither counts.
    context.add_cookies([{"name": name, "value": planted, "domain": "127.0.0.1", "path": "/settings"}])
    assert page.evaluate("async () => (await fetch('/settings')).status") == 401
    # A cookie is no credential of another header, and the credential of a header counts in its place.
    for headers in ({"Authorization": f"Bearer {cookie['value']}"}, {"X-Api-Key": cookie["value"]}):
        assert httpx.get(f"{home.address}/settings", headers=headers).status_code == 401
    assert httpx.get(f"{home.address}/settings?{name}={cookie['value']}").status_code == 401


def test_a_session_is_worth_its_key_and_no_more(context, home):
    made = home.engine.team.api_keys.create("browser", "ana", Role.READER, (), None)
    page = context.new_page()
    page.goto(home.address)
    page.get_by_label("API key or token").fill(made.text)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Your question").wait_for()
    (cookie,) = context.cookies()
    assert made.text not in cookie["value"] and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    stored = "JSON.stringify([document.cookie, localStorage, sessionStorage, location.href, history.state])"
    assert made.text not in page.evaluate(stored)
    status = "async path => (await fetch(path)).status"
    assert [page.evaluate(status, each) for each in (f"/search?query={WORD}", "/keys", "/settings")] == [
        200,
        403,
        403,
    ]
    home.engine.team.api_keys.revoke(made.key.key_id)
    assert page.evaluate(status, f"/search?query={WORD}") == 401
    page.reload()
    page.get_by_role("heading", name="Sign in").wait_for()


@pytest.mark.parametrize("site", SITES)
def test_the_cookie_reaches_no_other_server(signed_in, context, home, other, site):
    """Browsers send a host's cookies to all its ports: what another server of this machine gets is worth
    nothing by itself elsewhere, and no other name gets it at all."""
    page = context.new_page()
    page.goto(f"http://{site}:{other.port}/")
    sent = other.asked[-1][1]
    assert ("bob_session" in sent) == (site == "127.0.0.1")
    assert page.evaluate("document.cookie") == ""
