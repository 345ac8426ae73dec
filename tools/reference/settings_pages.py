"""Every setting, as a page and as an example file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bob.app.folder_settings import HARMLESS
from bob.app.settings import ENVIRONMENT_PREFIX, known_keys
from reference.kinds import inner_kind
from reference.place import NOTICE

_SETTINGS_PROSE = """
Nothing has to be set. Values come from four places, and the later one wins key by key:

1. the defaults below;
2. `~/.config/bob/bob.yaml`;
3. `bob.yaml` in the working folder, as far as you [trust it](../settings.md#a-folder-of-somebody-else),
   or the file that `--config` names;
4. environment variables: KEY is VARIABLE.

`bob config` prints the values in force and where each comes from. An unknown key or a bad value is an error
that names the key, the file and what is allowed. `bob.yaml.example`, at the top of the repository, has
every key.

Without your trust a folder's `bob.yaml` sets HARMLESS; all else in it is ignored.
""".strip()

_EXAMPLE_PROSE = """
# Settings of Bob: every key at its default. Copy this file to ~/.config/bob/bob.yaml, or to bob.yaml in the
# folder where you work, and type bob trust there. To change a value, remove the # before its line and before
# the line of its group.
""".strip()


def settings_page() -> str:
    """Every setting with its default and bounds."""
    rows = ["| key | default | allowed | meaning |", "| --- | --- | --- | --- |"]
    for key, field in known_keys().items():
        default = _yaml(_default(field)).replace("|", "\\|")
        rows.append(f"| `{key}` | `{default}` | {_allowed(field)} | {field.description} |")
    nested = next(key for key in known_keys() if "." in key)
    variable = ENVIRONMENT_PREFIX + nested.upper().replace(".", "__")
    return (
        "\n\n".join(
            [
                NOTICE,
                "# Settings",
                _SETTINGS_PROSE.replace("KEY", f"`{nested}`")
                .replace("VARIABLE", f"`{variable}`")
                .replace("HARMLESS", ", ".join(f"`{key}`" for key in HARMLESS)),
                "\n".join(rows),
            ]
        )
        + "\n"
    )


def settings_example() -> str:
    """A settings file with every key commented out at its default."""
    lines = [_EXAMPLE_PROSE]
    group = ""
    for key, field in known_keys().items():
        *parents, name = key.split(".")
        if ".".join(parents) != group:
            group = ".".join(parents)
            lines += ["", f"#{group}:"]
        indent = "  " * len(parents)
        allowed = _allowed(field)
        lines += [] if parents else [""]
        lines += [
            f"{indent}# {field.description}" + (f" Allowed: {allowed.replace('`', '')}." if allowed else "")
        ]
        lines += [f"#{indent}{name}: {_yaml(_default(field))}".replace(": null", ":")]
    return "\n".join(lines) + "\n"


def _default(field: FieldInfo) -> Any:
    default = field.get_default(call_default_factory=True)
    return default.get_secret_value() if isinstance(default, SecretStr) else default


def _yaml(value: Any) -> str:
    plain = str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value
    # One line, however long: a row of a table, and a line that is commented out.
    dumped = yaml.safe_dump(plain, default_flow_style=True, allow_unicode=True, width=math.inf)
    return dumped.removesuffix("\n").removesuffix("\n...")


def _allowed(field: FieldInfo) -> str:
    kind, _ = inner_kind(field.annotation)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{each}`" for each in get_args(kind))
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than", "pattern": "like"}
    found = [
        f"{said} {f'`{bound}`' if name == 'pattern' else bound}"
        for each in field.metadata
        for name, said in words.items()
        if (bound := getattr(each, name, None)) is not None
    ]
    return ", ".join(found)
