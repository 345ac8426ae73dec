"""`bob chat`: talk about a project; what was pinned, recalled and cached is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, counted, print_json, print_line, print_text, source_line
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.answers.verified import VerifiedClaim
    from bob.app import Engine
    from bob.conversations.chat import ContextReady, Replied
    from bob.conversations.context import Compiled
    from bob.core.conversation import Chat

_MOST_SHOWN = 5


def show_context(ready: ContextReady) -> None:
    """One line: what the model is given; and what made the provider's cache useless, if something did."""
    out = Output()
    out.print(context_line(ready.compiled), style="dim")
    prediction = ready.prediction
    if prediction is not None and prediction.prefix.read_tokens:
        out.print(f"cached: {prediction.prefix.read_tokens:,} tokens", style="dim")
    elif prediction is not None and prediction.differs:
        out.print(f"no longer cached: {'; '.join(prediction.differs[:3])}", style="yellow")
    out.print()


def context_line(compiled: Compiled) -> str:
    """What a prompt is made of, in a line."""
    project, *rest = compiled.segments
    counts = {segment.name: len(segment.pieces) for segment in rest}
    if not compiled.project:
        parts = ["no project"]
    elif compiled.pinned:
        parts = [f"pinned: {counted(len(project.pieces), 'document')}, {project.tokens:,} tokens"]
    else:
        parts = [
            f"too large for the prompt: {counted(len(project.pieces), 'passage')}, {project.tokens:,} tokens"
        ]
    if compiled.smart:
        parts.append(f"inspired by {counts.get('inspiration', 0)}")
        parts.append(f"remembered {counts.get('memories', 0)}")
    else:
        parts.append("Smart Context off")
    return " · ".join(parts)


def show_reply(reply: Replied, streamed: bool) -> None:
    """The reply with its sources, unless it was streamed already, and what it cost."""
    from bob.llm.prices import shown

    out = Output()
    if streamed and reply.written_by is not None:
        print_line()
    if streamed and reply.written_by is None:
        out.print()
    for notice in reply.notices:
        out.print(notice, style="yellow")
    if reply.answer is not None:
        out.print_text(reply.answer.text)
        if reply.answer.sources:
            out.print()
        for source in reply.answer.sources:
            chunk = source.chunk
            out.print(f"[{source.n}] ", *source_line(chunk.path, source.locator, chunk.heading_path))
    if reply.checked is not None:
        _show_checked(out, reply.checked)
    if reply.usage is not None:
        used = reply.usage
        input_tokens = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
        cached = f", {used.cache_read_tokens:,} of them from the cache" if used.cache_read_tokens else ""
        out.print()
        paid = (
            "" if reply.cost is None else f" · {shown(reply.cost.dollars)}, {shown(reply.cost.saved)} saved"
        )
        words = f"{reply.written_by}: {input_tokens:,} tokens in{cached}, {used.output_tokens:,} out{paid}"
        out.print(words, style="dim")


def _show_checked(out: Output, claims: Sequence[VerifiedClaim]) -> None:
    """How much of a reply the project's sources bear out; what they contradict first."""
    out.print()
    wrong = [claim for claim in claims if not claim.judgement.holds]
    if claims and not wrong:
        out.print(f"Checked: the project supports {counted(len(claims), 'statement')}.", style="green")
    wrong.sort(key=lambda claim: claim.judgement.verdict != "contradicted")
    for each in wrong[:_MOST_SHOWN]:
        contradicted = each.judgement.verdict == "contradicted"
        heading = "Contradicted by the project" if contradicted else "Not found in the project"
        why = f" ({each.judgement.reason})" if each.judgement.reason else ""
        out.print(
            f"{heading}: «{' '.join(each.text.split())}»{why}", style="red" if contradicted else "yellow"
        )
    if len(wrong) > _MOST_SHOWN:
        out.print(f"… and {len(wrong) - _MOST_SHOWN} more without a source", style="yellow")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("chat", help=_HELP)(chat)


_HELP = """Chat about a project. Its documents are in the prompt; with Smart Context on, related text of other
projects is added.

Without a message, it starts a conversation; /help lists its commands, /quit or Ctrl-D ends it.

Examples:

    bob chat --project garden

    bob chat --project garden "When is the hedge cut?"

    bob chat --continue "And who does it?"

    bob chat --project garden --smart-context "Have we rented out tools before?"
"""

_COMMANDS = """\
/project NAME   start a new chat about another project (/project alone: about none)
/new            start a new chat
/smart on|off   use other chats and projects, or not, in this conversation
/context        show the parts of the last prompt
/quit           end (so does Ctrl-D)"""


def chat(
    message: Annotated[list[str] | None, typer.Argument(help="The message.", show_default=False)] = None,
    project: options.ChatProject = None,
    chat_id: options.ChatId = None,
    go_on: Annotated[bool, typer.Option("--continue", "-c", help="Continue the last chat.")] = False,
    smart: options.Smart = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Talk."""
    from bob.conversations.chat import check_message

    if message:
        check_message(" ".join(message))
    engine = options.engine(config, database)
    engine.warm_up()
    talk = _Talk(engine, chosen_chat(engine, project, chat_id, go_on), smart, as_json)
    if not message and as_json and sys.stdin.isatty():
        raise UsageError("--json requires a message")
    with engine.conversations.remembering():
        if message:
            talk.say(" ".join(message))
        else:
            talk.converse()


def chosen_chat(engine: Engine, project: str | None, chat_id: int | None, go_on: bool) -> Chat | None:
    """The chat that the flags name, None for a new one; `project` is checked where it is given."""
    conversations = engine.conversations
    named = None if project is None else conversations.chats.project(project)
    if chat_id is not None:
        return options.chat_about(engine, chat_id, named)
    if go_on:
        last = conversations.chats.recent(engine.settings.user, 1, named)
        if not last:
            raise UsageError("there is no chat to continue; start one with bob chat")
        return last[0]
    return None if named is None else conversations.chats.start(conversations.scope(named), options.now())


@dataclass
class _Talk:
    engine: Engine
    chat: Chat | None
    smart: bool | None
    as_json: bool
    last: ContextReady | None = None

    def say(self, text: str) -> None:
        """One message and its reply."""
        from bob.conversations.chat import ContextReady, Replied
        from bob.core.prompt import TextPiece

        conversations = self.engine.conversations
        if self.chat is None:
            self.chat = conversations.chats.start(conversations.scope(), options.now())
        smart = conversations.smart_context.enabled if self.smart is None else self.smart
        streamed = False
        for event in conversations.turn.send_message(self.chat, text, smart=smart):
            if isinstance(event, ContextReady):
                self.last = event
                if not self.as_json:
                    show_context(event)
            elif isinstance(event, TextPiece):
                if not self.as_json:
                    print_text(event.text, end="")
                    streamed = True
            elif isinstance(event, Replied):
                self._show(event, streamed)

    def _show(self, reply: Replied, streamed: bool) -> None:
        if self.as_json:
            assert self.last is not None
            print_json(reply.to_json(self.last.compiled))
        else:
            show_reply(reply, streamed)

    def converse(self) -> None:
        """Messages from the keyboard, or one a line from a pipe."""
        out = Output()
        if sys.stdin.isatty():
            about = self.chat.scope.project if self.chat and self.chat.scope.project else "no project"
            out.print(f"Chat about {about}. /help lists commands, /quit ends.", style="dim")
        for line in _lines():
            word, _, rest = line.partition(" ")
            if word in ("/quit", "/exit"):
                return
            if word.startswith("/"):
                try:
                    self._obey(out, word, rest.strip())
                except UsageError as error:
                    out.print(str(error), style="red")
            else:
                self.say(line)

    def _obey(self, out: Output, word: str, rest: str) -> None:
        conversations = self.engine.conversations
        if word == "/project":
            named = conversations.chats.project(rest) if rest else ""
            self.chat = conversations.chats.start(conversations.scope(named), options.now())
            out.print(f"A new chat about {named or 'no project'}.", style="dim")
        elif word == "/new":
            project = self.chat.scope.project if self.chat else ""
            self.chat = conversations.chats.start(conversations.scope(project), options.now())
            out.print("A new chat.", style="dim")
        elif word == "/smart" and rest in ("on", "off"):
            self.smart = rest == "on"
            out.print(f"Smart Context is {rest} for this conversation.", style="dim")
        elif word == "/context":
            if self.last is None:
                out.print("No prompt yet: send a message first.", style="dim")
            else:
                from bob.cli.context import show_compiled

                show_compiled(self.last.compiled)
        else:
            if word != "/help":
                out.print(f"Unknown command or argument: {word}. Commands:", style="red")
            out.print_text(_COMMANDS, style="dim")


def _lines() -> Iterator[str]:
    """What is typed, without empty lines."""
    terminal = sys.stdin.isatty()
    while True:
        try:
            line = input("\nyou> " if terminal else "")
        except EOFError:
            return
        except UnicodeDecodeError as error:
            raise UsageError("standard input: not UTF-8 text") from error
        options.checked_input(line)
        if line.strip():
            yield line.strip()
