"""Sends a text through every kind of prompt, to a server that records what it is asked, and counts escapes.

An escape is mechanical. Each text stands between two marks wherever a kind of prompt takes a text from
others. What arrives is read leniently: look-alikes, blanks and hidden characters make no difference. Compared
with the same prompt around a harmless text, the tags, the lines that begin a turn, the roles and the values
around the text must be the same, and each mark must stand within the same tags in a message of the same role.
Nowhere may there be a control token of a template, or a character that cannot be seen.
"""

import json
import re
import ssl
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace

import anyio
import httpx2
import httpx2._transports.default
from hostile_texts import FAMILIES
from mcp.client.client import Client
from model_server import ModelServer, answer
from small_memory import engine_over, write_files

from bob.answers.answer import Judgement
from bob.answers.write_answer import WriteAnswer, WriteOptions
from bob.conversations import memory_rows
from bob.conversations.chat import chat_prompt
from bob.conversations.llm_judge import LanguageModelJudge
from bob.core.conversation import Assessment, ChatMessage, Memory
from bob.core.locator import LineLocator
from bob.core.prompt import Message
from bob.core.search import FoundChunk
from bob.core.sql import SqlResult
from bob.llm.complete import complete
from bob.mcp.calls import Calls
from bob.mcp.permissions import permissions_of
from bob.mcp.server import server_over
from bob.mcp.tool import ToolContext
from bob.personas.prompts import interview_prompt, questions_prompt
from bob.personas.values import CorpusPart, Passage
from bob.work.assist import Assist
from bob.work.tools import assistant_tools

HARMLESS = "A plain note about the hedge."
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
QUESTION = "When is the hedge cut?"


@dataclass
class Sent:
    """What a model was given: (role, text) of each message, and of values their shape."""

    messages: list
    shape: object = None


@dataclass
class Reading:
    """A prompt as a lenient reader takes it."""

    tags: list = field(default_factory=list)
    turns: list = field(default_factory=list)
    marks: dict = field(default_factory=dict)
    tokens: list = field(default_factory=list)
    unseen: list = field(default_factory=list)


def marked(place, text, line=False):
    """The text between marks that name its place; with `line`, on one line."""
    if line:
        text = " ".join(text.split())
    return f"qz{place}begin {text} qz{place}end"


# Reading ------------------------------------------------------------------------------------------------

_NAMES = ("project_context", "global_context", "added_context", "document", "snippet", "sources", "source")
_NAMES += ("voice", "passages", "passage", "message", "result")
_LEFT = "<\u02c2\u1438\u2039\u2329\u276c\u276e\u27e8\u2e24\u3008\ufe64\uff1c"
_RIGHT = ">\u02c3\u1433\u203a\u232a\u276d\u276f\u27e9\u2e25\u3009\ufe65\uff1e"
_CYRILLIC = str.maketrans("\u043e\u0441\u0435\u0430\u0440\u0455\u0445\u0456", "oceapsxi")
_UNSHOWN = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0}
_UNSHOWN |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)}
_SPACED = "|".join(r"\s*".join(each if each != "_" else "[_-]?" for each in name) for name in _NAMES)


def _unseen(one):
    if one in "\n\t":
        return False
    if "\u0600" <= one <= "\u0605" or one in "\u06dd\u070f\u08e2":
        return False  # Signs of Arabic and Syriac that have a shape.
    return unicodedata.category(one) in ("Cf", "Cc", "Cs") or ord(one) in _UNSHOWN


def _folded(text):
    """As a lenient reader takes it; � is what took the place of something."""
    text = re.sub(r"\r\n?|[\u0085\u2028\u2029\x0b\x0c]", "\n", text)
    text = text.translate({ord(one): None for one in set(text) if one == "\ufffd" or _unseen(one)})
    text = text.translate({ord(one): "<" for one in _LEFT} | {ord(one): ">" for one in _RIGHT})
    text = unicodedata.normalize("NFKC", text).lower().translate(_CYRILLIC)
    return re.sub(r"[\\\u2044\u2215\u29f8]", "/", text)


_TAG = re.compile(rf"<\s*(/?)[\s/]*({_SPACED})(?P<id>-(?:[0-9a-f]{{24}}|id)?)?(?=[\s/>=]|$)")
_TURN = re.compile(
    r"^[ \t]*(?:\#+[ \t]*)?(?:\d\.[ \t]*)?(?:human|assistant|user|system(?: prompt)?|developer|instruction|"
    r"active project context|relevant memory|context from other recent chats|earlier in this chat)"
    r"\b[^\n]{0,40}?[:&(]",
    re.MULTILINE,
)
_TOKEN = re.compile(
    r"<\s*\|[^<>|\n]{1,40}\|\s*>|<[a-z]{1,20}\|>|<\|[a-z]{1,20}>|\[/?(?:inst|system_prompt)\]|<\s*<\s*/?\s*sys\s*>"
    r"|</?(?:s|bos|eos|pad|sop|start_of_turn|end_of_turn)>|\[gmask\]"
    r"|</?(?:[a-z]+:)?(?:system|user|assistant|human|think|thinking|tool_call|tool_result|tool_response|invoke"
    r"|function_calls|parameter)[\s>]|<function="
)
_CAPITAL_TOKEN = re.compile(r"\[/?(?:TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|IMG|PREFIX|SUFFIX)\]")
_MARK = re.compile(r"qz([a-z]+)(begin|end)")


def read(sent):
    """What a lenient reader makes of a prompt."""
    found = Reading()
    for at, (role, text) in enumerate(sent.messages):
        found.unseen += [f"U+{ord(one):04X}" for one in set(text) if _unseen(one)]
        folded = _folded(text)
        found.tokens += [match[0] for match in _TOKEN.finditer(folded)]
        found.tokens += [match[0] for match in _CAPITAL_TOKEN.finditer(text)]
        found.turns += [(at, role, match[0].strip()) for match in _TURN.finditer(folded)]
        events = [(match.start(), "tag", match) for match in _TAG.finditer(folded)]
        events += [(match.start(), "mark", match) for match in _MARK.finditer(folded)]
        around, keys = [], {}
        for _, kind, match in sorted(events, key=lambda event: event[0]):
            if kind == "mark":
                found.marks.setdefault(match[1], []).append((match[2], at, role, tuple(around)))
                continue
            name, key = re.sub(r"[\s_-]", "", match[2]), match["id"] or ""
            found.tags.append((at, role, f"<{match[1]}{name}{'-' if key else ''}"))
            if not match[1]:
                around.append(name)
                keys.setdefault(name, []).append(key)
            elif name in around:
                del around[len(around) - 1 - around[::-1].index(name) :]
                if key != keys[name].pop():
                    found.tags.append((at, role, f"</{name} of another key"))
    return found


def escapes(sent, usual):
    """Why the text is not where it has to be, compared with a harmless text in its place; empty if it is."""
    found, wanted = read(sent), read(usual)
    why = []
    if found.unseen:
        why.append(f"unseen characters {found.unseen[:5]}")
    if found.tokens != wanted.tokens:
        why.append(f"control tokens {found.tokens[:5]}")
    if [role for role, _ in sent.messages] != [role for role, _ in usual.messages]:
        why.append("other roles")
    if found.tags != wanted.tags:
        why.append(f"other tags {[tag for tag in found.tags if tag not in wanted.tags][:5]}")
    if found.turns != wanted.turns:
        why.append(f"other turns {[turn for turn in found.turns if turn not in wanted.turns][:5]}")
    if found.marks != wanted.marks:
        why.append("a text outside of its section")
    if sent.shape != usual.shape:
        why.append("values of another shape")
    return why


# Kinds of prompts ---------------------------------------------------------------------------------------


class NoJudge:
    """Supports nothing: what is kept of an answer is tested elsewhere."""

    def judge_claims(self, claims):
        return [Judgement("unsupported", 0.0) for _ in claims]


class NoRules:
    """Finds nothing worth remembering."""

    name = "rules"

    def judge(self, text, role):
        return Assessment(0, "", "chat", None, "rules")


def chunk(number, text, title="Plain", heading="Part", path="plain.md", context=""):
    return FoundChunk(
        number, number, 0, path, title, "garden", "markdown", "en", None, None, (heading,), context,
        LineLocator(start_line=1, end_line=1), text, str(number),
    )  # fmt: skip


class Prompts:
    """Sends texts in each kind of prompt, over one memory."""

    def __init__(self, folder):
        self.folder = folder
        self.server = ModelServer()
        # To read all certificates takes a tenth of a second for each request; loopback needs none.
        self._context, httpx2._transports.default.create_ssl_context = (
            httpx2._transports.default.create_ssl_context,
            lambda *_, **__: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        )
        llm = {"provider": "openai", "model": "small", "base_url": self.server.url, "api_key": "sk-test"}
        self.engine = engine_over(
            folder / "bob.db", llm=llm, context={"similarity": -1}, mcp={"scopes": ["read"]}
        )
        self.model = self.engine.llm
        self._indexed = None
        self._usual = {}

    def close(self):
        httpx2._transports.default.create_ssl_context = self._context
        self.engine.close()
        self.server.close()

    def escapes(self, kind, text):
        """Why a text escapes from a kind of prompt; nothing if it does not."""
        if kind not in self._usual:
            self._usual[kind] = KINDS[kind](self, HARMLESS)
            usual = read(self._usual[kind])
            assert usual.marks and not usual.unseen, kind
        return escapes(KINDS[kind](self, text), self._usual[kind])

    def recorded(self, replies, ask):
        """The messages of the last request that `ask` makes."""
        self.server.requests.clear()
        self.server.script[:] = [answer("openai", [each]) for each in replies]
        ask()
        assert not self.server.script
        return Sent([(each["role"], each["content"]) for each in self.server.requests[-1].body["messages"]])

    def ask(self, text):
        given = [
            chunk(1, marked("text", text), marked("title", text), marked("heading", text),
                  marked("file", text.replace("/", "\u2215")) + ".md", marked("context", text)),
            chunk(2, "The hedge is cut in August."),
        ]  # fmt: skip
        write = WriteAnswer(self.model, NoJudge(), WriteOptions(5, "remove", 4_000, 300, None))
        asked = marked("question", text)
        sent = self.recorded(
            ["No."], lambda: list(write.write_answer(asked, given, {2: marked("status", text)}))
        )
        (rules, user) = sent.messages
        assert "qz" not in rules[1], "a source stands in the system prompt"
        assert user[0] == "user"
        return sent

    def _index(self, text):
        """A project and another one that both hold the text."""
        if self._indexed == text:
            return
        # In plain text no heading of the text cuts it in two.
        title = f"# {marked('title', text, line=True)}\n\nThe hedge is cut in August.\n"
        for project, files in {
            "garden": {"hedge.md": title, "plain.txt": f"The hedge: {marked('garden', text)}\n"},
            "shop": {"plain.txt": f"The hedge: {marked('shop', text)}\n"},
        }.items():
            # A file can hold no half of a pair, and one with a null is no text.
            written = {
                name: each.replace("\0", "").encode("utf-8", "replace") for name, each in files.items()
            }
            self.engine.index_files.index_folder(write_files(self.folder / project, written), project)
        scopes = [self.engine.conversations.scope(each) for each in ("garden", "shop")]
        told = [marked(name, text).encode("utf-8", "replace").decode() for name in ("memory", "foreign")]
        with self.engine.database.write() as connection:
            if self._indexed is None:
                for scope in scopes:
                    memory_rows.add(connection, Memory(0, scope, None, "x", 90, "fact", NOON), [])
            mine = scopes[0].user_id
            for each in memory_rows.of_user(connection, mine):
                memory_rows.change(connection, each.memory_id, summary=told[each.scope != scopes[0]])
            kept = memory_rows.of_user(connection, mine)
        self.engine.conversations.context._recall = lambda *_: kept
        recall = SimpleNamespace(search=lambda *_, **__: [], for_prompt=lambda *_: kept)
        self.engine.conversations.brief_agent._recall = recall
        self._indexed = text

    def chat(self, text):
        self._index(text)
        conversations = self.engine.conversations
        history = [
            ChatMessage(1, 1, "user", "Old.", NOON, Assessment(90, marked("earlier", text), "fact", None)),
            *(ChatMessage(n, 1, "user", "More.", NOON) for n in (2, 3, 4)),
            ChatMessage(5, 1, "assistant", marked("reply", text), NOON),
        ]
        asked = f"{QUESTION}\n{marked('pasted', text)}"
        compiled = conversations.context.compile_prompt(
            conversations.scope("garden"), asked, history=history, smart=True
        )
        return self.recorded(["Yes."], lambda: complete(self.model, chat_prompt(compiled, 300, None)))

    def proxy(self, text):
        self._index(text)
        request = {"model": "bob", "messages": [{"role": "user", "content": QUESTION}], "stream": True}
        scope = self.engine.conversations.scope("garden")

        def ask():
            list(self.engine.conversations.proxy.forward_request(scope, "hedge", request, smart=True).events)

        return self.recorded(["Yes."], ask)

    def brief(self, text):
        self._index(text)
        conversations = self.engine.conversations
        scope, asked = conversations.scope("garden"), marked("question", text)
        made = conversations.brief_agent.write_briefing(scope, asked, 12_000, smart=True)
        return Sent([("user", made.text)])

    def persona(self, text):
        part = CorpusPart((marked("heading", text),), 1, 2, "x", 1)
        passages = [Passage(part, 0.9, marked("text", text), 2, 1), Passage(part, 0.8, "Plain.", 2, 1)]
        about = (marked("name", text), marked("voice", text), passages)
        first = interview_prompt(*about, marked("question", text), 300, None)
        second = questions_prompt(*about, [marked("topic", text)], 5, 300, None)
        sent = [
            self.recorded(["Yes."], lambda made=made: complete(self.model, made)) for made in (first, second)
        ]
        return Sent([message for each in sent for message in each.messages])

    def judge(self, text):
        judge = LanguageModelJudge(self.model, NoRules())
        return self.recorded(["{}"], lambda: judge.judge(marked("text", text), "user"))

    def assistant(self, text):
        rows = SqlResult(("id", marked("column", text)), ((1, marked("row", text)),), False, 1)
        assist = Assist(
            lambda query, limit: [1], lambda sql: rows, lambda: assistant_tools("sqlite"), lambda: self.model
        )
        said = [Message("user", marked("said", text)), Message("assistant", marked("reply", text))]
        step = {"action": "execute_sql", "query": "", "limit": 0, "sql": marked("sql", text), "answer": ""}
        steps = [step | {"sql": json.dumps(text)}, step | {"action": "answer", "answer": "Yes."}]
        replies = [json.dumps(each) for each in steps]
        # Half pairs are sent as what a server of JSON makes of them.
        asked = marked("question", text[:3_000])
        sent = self.recorded(replies, lambda: assist.answer_message(asked, said))
        (shown,) = re.findall(r"^<result-\w+ [^\n]*>\n(.*)\n</result-\w+>$", sent.messages[-1][1], re.DOTALL)
        sent.shape = _shape(json.loads(shown))
        return sent

    def mcp(self, text):
        self._index(text)
        calls = Calls(ToolContext(self.engine, permissions_of(self.engine.settings), lambda: NOON))
        calls._prepared = True
        answers = anyio.run(_calls, calls, str(self.folder / "garden"))
        leaves = [("tool", leaf) for each in answers for leaf in _leaves(each)]
        return Sent(leaves, [_shape(each) for each in answers])


async def _calls(calls, folder):
    """What each tool that reads gives, and the resources; the text of a result has to hold its values."""
    found = []
    async with Client(server_over(calls)) as client:
        asked = {"query": "hedge", "limit": 5, "project": "garden"}
        done = [await client.call_tool("search", asked)]
        for name in ("hedge.md", "plain.txt"):
            done.append(await client.call_tool("read_note", {"path": f"{folder}/{name}"}))
        listed = [
            each for each in (await client.list_resources()).resources if "/garden/" in each.description
        ]
        for each in listed:
            number = str(each.uri).rpartition("/")[2]
            done.append(await client.call_tool("fetch", {"id": number}))
            read_again = await client.read_resource(each.uri)
            found.append([each.name, each.description, *(one.text for one in read_again.contents)])
        for each in done:
            assert json.loads(each.content[0].text) == each.structured_content
            found.append(each.structured_content)
    return found


def _leaves(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)


def _shape(value):
    if isinstance(value, dict):
        return [(key if "qz" not in key else "", _shape(each)) for key, each in value.items()]
    return [_shape(each) for each in value] if isinstance(value, list) else type(value).__name__


INDEXED = ("chat", "proxy", "context for agents", "MCP results")
"""Kinds whose texts are indexed first, which takes a while."""

KINDS = {
    "ask": Prompts.ask,
    "chat": Prompts.chat,
    "proxy": Prompts.proxy,
    "context for agents": Prompts.brief,
    "persona": Prompts.persona,
    "memory judge": Prompts.judge,
    "assistant": Prompts.assistant,
    "MCP results": Prompts.mcp,
}


def count_escapes(folder, families=FAMILIES, kinds=tuple(KINDS)):
    """For each family and kind the texts that were sent and those that escaped, with why."""
    prompts = Prompts(folder)
    try:
        found = {family: {kind: (len(texts), []) for kind in kinds} for family, texts in families.items()}
        for family, texts in families.items():
            for text in texts:
                for kind in kinds:
                    if why := prompts.escapes(kind, text):
                        found[family][kind][1].append((text, why))
        return found
    finally:
        prompts.close()


@contextmanager
def nothing_neutralized():
    """As long as this lasts, no text is changed: for seeing that escapes are seen."""
    from bob.llm import containment

    never = re.compile(r"(?!)")
    names = ("_UNSEEN", "_TAG", "_BRACKET", "_LINE_START")
    before = {name: getattr(containment, name) for name in names}
    try:
        for name in names:
            setattr(containment, name, never)
        yield
    finally:
        for name, value in before.items():
            setattr(containment, name, value)
