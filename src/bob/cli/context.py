"""`bob context`: the prompt of a chat before it is sent; `bob smart-context`: the switch."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from bob.cli import options
from bob.cli.chat import ChatOption, ProjectOption, SmartOption
from bob.cli.output import Output, print_json
from bob.cli.progress import shown_count
from bob.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("context", help=_HELP)(context)
    app.command("smart-context", help=_SWITCH_HELP)(smart_context)


_HELP = """Show the prompt that a chat would send: text, tokens, cache breakpoints, and what is left out.

Nothing is sent and nothing is kept.

Examples:

    bob context --project garden "When is the hedge cut?"

    bob context --project garden --summary "When is the hedge cut?"

    bob context --chat 3 --json "And who does it?"

    bob context --project garden --simulate 50
"""

_SWITCH_HELP = """Whether chats look at your other chats and projects; off until you switch it on.

Memories are collected either way.

Examples:

    bob smart-context

    bob smart-context on
"""


def context(
    question: Annotated[
        list[str] | None, typer.Argument(help="The next message.", show_default=False)
    ] = None,
    project: ProjectOption = None,
    chat_id: ChatOption = None,
    smart: SmartOption = None,
    summary: Annotated[bool, typer.Option("--summary", help="Without the prompt's text.")] = False,
    simulate: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, max=10_000, help="Replay N turns; count what caches would keep."),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Compile a prompt."""
    from bob.cli.context_output import show_compiled, show_prediction, show_simulation

    engine = options.engine(config, database)
    engine.warm_up()
    conversations = engine.conversations
    scope, chat = conversations.scope(), None
    if project is not None:
        scope = conversations.scope(conversations.chats.project(project))
    if chat_id is not None:
        chat = conversations.chats.at(engine.settings.user, chat_id)
        scope = chat.scope
    asked = " ".join(question or ())
    if simulate is not None:
        with shown_count("turns") as report:
            found = conversations.simulate.run(scope, simulate, options.now(), asked or None, report)
        if as_json:
            print_json(found.to_json())
        else:
            show_simulation(found)
        return
    if not asked:
        raise UsageError("what is the next message? bob context --project NAME QUESTION")
    looks = conversations.smart_context.enabled if smart is None else smart
    ready = conversations.turn.preview(scope, chat, asked, smart=looks)
    compiled = ready.compiled
    if as_json:
        messages = [{"role": each.role, "content": each.text} for each in compiled.turns]
        predicted = None if ready.prediction is None else ready.prediction.to_json()
        receipt = compiled.receipt() | {"predicted": predicted}
        print_json({"system": compiled.system, "messages": messages, "receipt": receipt})
        return
    out = Output()
    if not summary:
        print(compiled.system)
        for turn in compiled.turns:
            out.print()
            out.print(f"[{turn.role}]", style="bold")
            print(turn.text)
        out.print()
    show_compiled(compiled)
    show_prediction(ready)


def smart_context(
    switch: Annotated[
        Literal["on", "off"] | None, typer.Argument(help="on or off; alone, it tells.", show_default=False)
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Switch, or tell."""
    chosen = options.engine(config, database).conversations.smart_context
    if switch is not None:
        chosen.switch(switch == "on")
    state = "on" if chosen.enabled else "off"
    if as_json:
        print_json({"enable_smart_rag": state == "on"})
    else:
        print(f"Smart Context is {state}.")
