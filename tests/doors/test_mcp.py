"""`bob mcp` as clients meet it: the real process, the official client, both eras of the protocol."""

import json
from contextlib import asynccontextmanager

import anyio
import httpx
import pytest
from httpx2 import AsyncClient
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from small_memory import bob_in, write_files

GARDEN = {
    "hedge.md": "# Hedge\n\nThe hedge is cut in the last week of August, by Ines and two neighbours.\n",
    "shed.md": "# Shed\n\nThe key to the tool shed hangs behind the blue door.\n",
}
TOKEN = "a-token-of-this-test"
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
NAMES = [
    "search",
    "ask",
    "fetch",
    "read_note",
    "write_note",
    "list_projects",
    "index_status",
    "remember",
    "recall",
    "rag_search",
]


@pytest.fixture(scope="module")
def bob(tmp_path_factory):
    made = bob_in(tmp_path_factory.mktemp("mcp") / "home")
    notes = write_files(made.home / "notes", GARDEN)
    assert made("index", notes, "--project", "garden").returncode == 0
    assert made("work", "add", "The shed door sticks").returncode == 0
    assert made("worker", "--once").returncode == 0
    made.environment |= {
        "BOB_MCP__WRITE": json.dumps([str(notes)]),
        "BOB_MCP__SCOPES": '["read", "remember", "write", "work"]',
        "BOB_MCP__TOKEN": TOKEN,
    }
    return made


def over_stdio(bob):
    command, *arguments = bob.command("mcp")
    return stdio_client(StdioServerParameters(command=command, args=arguments, env=bob.environment))


@asynccontextmanager
async def over_http(address, token=TOKEN):
    async with (
        AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        streamable_http_client(address, http_client=http) as streams,
    ):
        yield streams


async def every_tool(transport, mode):
    """Call all tools; their structured contents by name. The client checks them against the schemas."""
    async with Client(transport, mode=mode) as client:
        assert client.protocol_version == ERAS[mode]
        assert (client.server_info.name, client.server_info.title) == ("bob", "Bob")
        assert [each.name for each in (await client.list_tools()).tools] == NAMES
        found = {}
        # The first calls come at once, while the model is still loaded.
        async with anyio.create_task_group() as group:
            for query in ("hedge", "shed", "key"):
                group.start_soon(client.call_tool, "search", {"query": query})
                group.start_soon(client.call_tool, "recall", {"query": query})

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result.content
            assert json.loads(result.content[0].text) == result.structured_content
            found[name] = result.structured_content
            return result

        (hit, *_) = (await call("search", query="hedge August")).structured_content["results"]
        assert (hit["title"], hit["place"]) == ("Hedge", "hedge.md:1-3")
        fetched = (await call("fetch", id=hit["id"])).structured_content
        assert fetched["url"] == hit["url"] and fetched["metadata"]["project"] == "garden"
        asked = await call("ask", question="When is the hedge cut?")
        (source,) = asked.structured_content["sources"]
        assert asked.structured_content["found"] and "[1]" in asked.structured_content["answer"]
        assert source["text"] in GARDEN["hedge.md"]
        (link,) = asked.content[1:]
        assert (link.type, link.uri, link.description) == ("resource_link", hit["url"], "hedge.md:3")
        (read,) = (await client.read_resource(link.uri)).contents
        assert source["text"] in read.text and read.mime_type == "text/markdown"
        listed = {each.uri: each.name for each in (await client.list_resources()).resources}
        assert listed[hit["url"]] == "Hedge"
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "bob://document/{id}"
        await call("read_note", path="shed.md")
        await call("write_note", path=f"{mode}.md", text="# Gate\n\nThe gate squeaks.\n")
        await call("write_note", path=f"{mode}.md", text="is oiled", old="squeaks")
        await call("list_projects")
        await call("index_status")
        await call("remember", text="I prefer to cut the hedge by hand.", project="garden")
        await call("recall", query="how is the hedge cut?")
        await call("rag_search", query="door of the shed")
        for name, arguments in (("no_such_tool", {}), ("search", {"query": ""}), ("fetch", {"id": "99"})):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error and refused.content[0].text
        return found


def check_all(bob, found, mode):
    assert found.keys() == set(NAMES)
    assert found["read_note"]["text"] == GARDEN["shed.md"]
    assert found["write_note"]["written"] and found["write_note"]["indexed"]
    written = (bob.home / "notes" / f"{mode}.md").read_text("utf-8")
    assert written == "---\nwritten_by: assistant\n---\n\n# Gate\n\nThe gate is oiled.\n"
    assert [each["project"] for each in found["list_projects"]["projects"]] == ["garden"]
    assert found["index_status"]["complete"] and found["index_status"]["unread_files"] == 0
    assert found["remember"]["kept"] and found["remember"]["project"] == "garden"
    assert found["recall"]["memories"][0]["text"] == "I prefer to cut the hedge by hand."
    assert [each["title"] for each in found["rag_search"]["items"]] == ["The shed door sticks"]


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_over_standard_input_and_output(bob, mode):
    found = anyio.run(every_tool, over_stdio(bob), mode)
    check_all(bob, found, mode)
    (bob.home / "notes" / f"{mode}.md").unlink()


def test_every_tool_over_http_for_who_has_the_token_and_is_on_this_machine(bob):
    process = bob.start("mcp", "--http", "--port", "0")
    try:
        address = process.stdout.readline().split()[3].rstrip(".")
        assert address.startswith("http://127.0.0.1:") and address.endswith("/mcp")
        for mode in ERAS:
            check_all(bob, anyio.run(every_tool, over_http(address), mode), mode)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}

        def status(**headers):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return httpx.post(address, json=message, headers=named).status_code

        good = f"Bearer {TOKEN}"
        assert status() == status(authorization="Bearer wrong") == status(authorization=TOKEN) == 401
        assert status(authorization=good, host="evil.example") == 403
        assert status(authorization=good, origin="https://evil.example") == 403
        assert status(authorization=good, origin="http://localhost:3000") == 403
        for version in HANDSHAKE_PROTOCOL_VERSIONS:
            speaks(address, version)
        assert status(authorization=good) == 400  # no version and no session: neither era
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    logged = bob.json("mcp", "log", "--limit", 100)
    assert {each["protocol"] for each in logged} == {*HANDSHAKE_PROTOCOL_VERSIONS, *ERAS.values()}
    wrote = [each for each in logged if each["tool"] == "write_note"]
    assert {each["arguments"]["text"] for each in wrote} == {"(26 characters)", "(8 characters)"}
    assert {each["outcome"] for each in logged} == {"done", "refused"}
    assert "  write_note(path=auto.md, text=(8 characters)" in bob("mcp", "log", "-n", 100).stdout


def speaks(address, version):
    """Begin as a client of that version does, and ask."""
    headers = {"authorization": f"Bearer {TOKEN}", "accept": "application/json, text/event-stream"}
    with httpx.Client(headers=headers) as http:

        def send(method, number=1, **params):
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            reply = http.post(address, json=message | ({"id": number} if number else {}))
            assert reply.is_success, reply.text
            data = [each[6:] for each in reply.text.splitlines() if each.startswith("data: {")]
            return reply.headers, json.loads(data[-1])["result"] if data else None

        who = {"name": "old", "version": "1"}
        got, begun = send("initialize", protocolVersion=version, capabilities={}, clientInfo=who)
        assert begun["protocolVersion"] == version and "memory" in begun["instructions"]
        http.headers.update({"mcp-session-id": got["mcp-session-id"], "mcp-protocol-version": version})
        send("notifications/initialized", 0)
        assert [each["name"] for each in send("tools/list")[1]["tools"]] == NAMES
        found = send("tools/call", name="ask", arguments={"question": "When is the hedge cut?"})[1]
        kinds = {each["type"] for each in found["content"]}
        assert kinds == ({"text", "resource_link"} if version >= "2025-06-18" else {"text"})
        assert json.loads(found["content"][0]["text"])["found"]


def test_a_folders_settings_do_not_reach_agents(bob, tmp_path):
    (tmp_path / "bob.yaml").write_text("organization: other\nmcp: {dry_run: false}\n", "utf-8")
    shown = bob("mcp", "log", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == "", "the file is not even read"
    ignored = bob("config", cwd=tmp_path)
    assert "ignored organization, mcp.dry_run" in ignored.stderr
