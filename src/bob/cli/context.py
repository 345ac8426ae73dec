"""`bob context`: the prompt of a chat before it is sent; `bob smart-context`: the switch."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bob.cli import options
from bob.cli.output import Output, print_json, print_line, print_text
from bob.cli.progress import shown_count
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.conversations.chat import ContextReady
    from bob.conversations.context import Compiled
    from bob.conversations.simulate_context import Simulation

_MOST_SOURCES = 12


def show_compiled(compiled: Compiled) -> None:
    """Tokens per part with its sources, breakpoints, and what was left out and why."""
    out = Output()
    for segment in compiled.segments:
        out.print((f"{segment.tokens:>8,}  {segment.name}", "bold"))
        for piece in segment.pieces[:_MOST_SOURCES]:
            where = f"  ({piece.project})" if segment.name == "inspiration" and piece.project else ""
            out.print(f"{piece.tokens:>8,}    {piece.source}{where}", style="dim")
        if len(segment.pieces) > _MOST_SOURCES:
            out.print(f"{'':>8}    … and {len(segment.pieces) - _MOST_SOURCES} more", style="dim")
        if segment.cached:
            out.print(
                f"{'':>8}  ---- cache breakpoint: the same bytes on every turn up to here ----", style="cyan"
            )
    for turn in compiled.turns:
        out.print(f"{turn.tokens:>8,}  message of the {turn.role}")
    out.print((f"{compiled.tokens:>8,}  tokens in total (estimated)", "bold"))
    for item in compiled.left_out[:_MOST_SOURCES]:
        out.print(f"left out: {item.source}: {item.why}", style="yellow")
    if len(compiled.left_out) > _MOST_SOURCES:
        out.print(f"left out: … and {len(compiled.left_out) - _MOST_SOURCES} more", style="yellow")


def show_prediction(ready: ContextReady) -> None:
    """What the prompt should find in the provider's cache and cost, beside the chat's last prompt; nothing
    without a language model."""
    from bob.llm.prices import shown

    prediction = ready.prediction
    if prediction is None:
        return
    out = Output()
    prefix = prediction.prefix
    out.print(
        f"predicted: {prefix.read_tokens:,} tokens from the cache, {prefix.write_tokens:,} written to it, "
        f"{shown(prediction.dollars)} for the prompt"
        + ("" if ready.last_dollars is None else f" (the last one: {shown(ready.last_dollars)})")
    )
    for differ in prediction.differs[:_MOST_SOURCES]:
        out.print(f"no longer cached: {differ}", style="yellow")


def show_simulation(outcome: Simulation) -> None:
    """What stayed the same from turn to turn, and what that is worth with each provider."""
    from bob.llm.prices import shown

    out = Output()
    out.print(
        f"{outcome.turns} turns, {outcome.memories_written} memories written: the project "
        f"({outcome.project_tokens:,} tokens) was the same bytes on {outcome.same} of {outcome.turns} turns"
    )
    out.print(
        f"{outcome.prefix_bytes_share:.1%} of all prompt bytes and {outcome.prefix_tokens_share:.1%} of the "
        f"{outcome.prompt_tokens:,} tokens are before the breakpoint"
    )
    for miss in outcome.misses:
        out.print(miss, style="yellow")
    out.print()
    out.print(f"{'':28} {'from cache':>10} {'cost':>14} {'memory first':>14} {'no cache':>14}", style="bold")
    for share in outcome.shares:
        name = f"{share.model.provider}:{share.model.model}"
        amounts = (share.dollars, share.naive_dollars, share.uncached_dollars)
        out.print(
            f"{name:28} {share.read_share:>10.1%} " + " ".join(f"{shown(amount):>14}" for amount in amounts)
        )


CATCH_UP_SECONDS = 5
"""An agent that starts waits so long for messages that are still to be remembered."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("context", help=_HELP)(context)
    app.command("smart-context", help=_SWITCH_HELP)(smart_context)


_HELP = """Show the prompt that a chat would send: text, tokens, cache breakpoints, and what is left out.

Nothing is sent and nothing is saved. With --for-agent it prints a briefing for a coding agent, in Markdown:
decisions, memories and documents of the project, and passages that fit the question, if you give one. For up
to 5 seconds it first makes memories of messages that have none yet.

Examples:

    bob context --project garden "When is the hedge cut?"

    bob context --project garden --summary "When is the hedge cut?"

    bob context --chat 3 --json "And who does it?"

    bob context --project garden --simulate 50

    bob context --for-agent --project garden "I will change how the hedge is cut"
"""

_SWITCH_HELP = """Show or set whether chats use your other chats and projects. Off by default.

Memories are collected in either case.

Examples:

    bob smart-context

    bob smart-context on
"""


def context(
    question: Annotated[
        list[str] | None, typer.Argument(help="The next message.", show_default=False)
    ] = None,
    project: options.ChatProject = None,
    chat_id: options.ChatId = None,
    smart: options.Smart = None,
    summary: Annotated[bool, typer.Option("--summary", help="Omit the prompt's text.")] = False,
    simulate: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=2, max=10_000, help="Simulate N turns and report what caches would keep."
        ),
    ] = None,
    for_agent: Annotated[
        bool,
        typer.Option(
            "--for-agent",
            help="Print a briefing for a coding agent; default project: the one of this folder.",
        ),
    ] = False,
    tokens: Annotated[
        int, typer.Option(metavar="N", min=200, max=100_000, help="Maximum length of the briefing in tokens.")
    ] = 2_000,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Compile a prompt."""
    engine = options.engine(config, database)
    if for_agent:
        if chat_id is not None or simulate is not None or summary:
            raise UsageError(
                "--for-agent can be combined only with --project, --tokens, --smart-context, --json and "
                "a question"
            )
        _brief(engine, project, " ".join(question or ()), tokens, smart, as_json)
        return
    engine.warm_up()
    conversations = engine.conversations
    scope, chat = conversations.scope(), None
    if project is not None:
        scope = conversations.scope(conversations.chats.project(project))
    if chat_id is not None:
        chat = options.chat_about(engine, chat_id, None if project is None else scope.project)
        scope = chat.scope
    question_text = " ".join(question or ())
    if simulate is not None:
        with shown_count("turns") as report:
            simulation = conversations.simulate.simulate_turns(
                scope, simulate, options.now(), question_text or None, report
            )
        if as_json:
            print_json(simulation.to_json())
        else:
            show_simulation(simulation)
        return
    if not question_text:
        raise UsageError("missing question; use bob context --project NAME QUESTION")
    looks = conversations.smart_context.enabled if smart is None else smart
    ready = conversations.turn.preview(scope, chat, question_text, smart=looks)
    compiled = ready.compiled
    if as_json:
        messages = [{"role": turn.role, "content": turn.text} for turn in compiled.turns]
        predicted = None if ready.prediction is None else ready.prediction.to_json()
        receipt = compiled.receipt() | {"predicted": predicted}
        print_json({"system": compiled.system, "messages": messages, "receipt": receipt})
        return
    out = Output()
    if not summary:
        print_text(compiled.system)
        for turn in compiled.turns:
            out.print()
            out.print(f"[{turn.role}]", style="bold")
            print_text(turn.text)
        out.print()
    show_compiled(compiled)
    show_prediction(ready)


def _brief(
    engine: Engine, project: str | None, question: str, tokens: int, smart: bool | None, as_json: bool
) -> None:
    conversations = engine.conversations
    until = time.monotonic() + CATCH_UP_SECONDS
    conversations.remember.process_messages(stopped=lambda: time.monotonic() > until)
    if project is None:
        project = conversations.chats.project_at(Path.cwd())
    projects = {project.lower(): project for project in conversations.chats.projects()}
    scope = conversations.scope(projects.get(project.lower(), project))
    looks = conversations.smart_context.enabled if smart is None else smart
    brief = conversations.brief_agent.write_briefing(scope, question, tokens, smart=looks)
    if as_json:
        print_json(brief.to_json())
    else:
        print_text(brief.text)


def smart_context(
    switch: Annotated[
        Literal["on", "off"] | None,
        typer.Argument(help="on or off; without it, show the state.", show_default=False),
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
        print_line(f"Smart Context is {state}.")
