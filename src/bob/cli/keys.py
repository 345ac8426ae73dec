"""`bob keys`: who may ask a server."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, print_json, when
from bob.core.errors import UsageError
from bob.core.principal import SCOPES, Role

if TYPE_CHECKING:
    from datetime import timedelta

    from bob.access.api_key import ApiKey

keys = typer.Typer(help="Create, list and revoke API keys for the server.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(keys, name="keys")


@keys.command(
    "create",
    help="""Create a key and show it once; only its hash is saved. Once a key exists, every request to the
server requires a key or a token.

Examples:

    bob keys create laptop --user ana

    bob keys create ci --user build --role reader --scope rag --expires 90d
""",
)
def create(
    name: Annotated[str, typer.Argument(help="What the key is for.", show_default=False)],
    role: Annotated[Role, typer.Option(help="Role of the key.")] = Role.MEMBER,
    scope: Annotated[
        list[str] | None,
        typer.Option(help=f"Only for this part of the server (repeatable): {', '.join(SCOPES)}."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time until it expires: 12h, 90d or 52w.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            help="User of the key (required). All keys of a user share chats and memories; `me` is you, on "
            "this machine.",
            show_default=False,
        ),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Make a key."""
    if user is None:
        raise UsageError(
            f"missing option --user; use bob keys create {shlex.quote(name)} --user ana "
            "(with --user me it reads your own chats)"
        )
    valid_for = _validity(expires)
    made = options.engine(config, database).team.api_keys.create(name, user, role, scope or (), valid_for)
    if as_json:
        print_json(made.to_json())
        return
    out = Output()
    out.print(made.text, style="bold")
    until = f"until {when(made.key.expires_at)}" if made.key.expires_at else "until it is revoked"
    out.print(f"Key {made.key.key_id}: {_rights(made.key)}, {until}. It is not shown again.")


@keys.command(
    "list",
    help="""List the keys of the organization, oldest first.

Examples:

    bob keys list

    bob keys list --json
""",
)
def list_keys(
    as_json: options.Json = False, config: options.Config = None, database: options.Db = None
) -> None:
    """List."""
    keys = options.engine(config, database).team.api_keys.every()
    if as_json:
        print_json([key.to_json() for key in keys])
        return
    out = Output()
    for key in keys:
        used = f"used {when(key.last_used_at)}" if key.last_used_at else "not used yet"
        ends = f"ends {when(key.expires_at)}, " if key.expires_at else ""
        why = key.why_invalid(options.now())
        out.print(
            f"{key.key_id}  {key.name}  ({_rights(key)})  {ends}{used}",
            (f"  {why}" if why else "", "yellow"),
        )
    if not keys:
        out.print("No keys yet. Create one: bob keys create NAME --user USER")


@keys.command(
    "revoke",
    help="""Revoke a key, immediately and permanently.

Examples:

    bob keys revoke 3f0c9a5d1b7e2468
""",
)
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as bob keys list shows it.")],
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Revoke."""
    ended = options.engine(config, database).team.api_keys.revoke(key_id)
    if as_json:
        print_json(ended.to_json())
    else:
        Output().print(f"Key {ended.key_id} ({ended.name}) is revoked.")


def _rights(key: ApiKey) -> str:
    parts = ", ".join(sorted(key.scopes)) if key.scopes else "all parts"
    return f"{key.role} {key.user_id}, {parts}"


def _validity(text: str | None) -> timedelta | None:
    if text is None:
        return None
    from bob.access.api_keys import validity

    period = validity(text)
    if period is None:
        raise UsageError(f"--expires: {text!r} is not a duration; use for example 12h, 90d or 52w")
    return period
