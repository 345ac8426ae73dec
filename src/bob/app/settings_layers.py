"""Reads layers of settings and lays one over the other. Knows nothing of which keys there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bob.core.errors import SettingsError
from bob.core.yaml_depth import check_depth

_DEEPEST = 20
"""Levels; no setting has more than four."""


def read_layer(path: Path, read: bytes | None = None) -> dict[str, Any]:
    """The content of a settings file; of `read`, where its bytes were read before.

    Raises SettingsError: it cannot be read, or is not keys and values.
    """
    import yaml

    try:
        text = (path.read_bytes() if read is None else read).decode("utf-8")
        _refuse_bombs(path, text)
        content = yaml.load(text, Loader=_loader())
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise SettingsError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    except (ValueError, RecursionError) as error:
        # A day that is in no calendar, a number of thousands of digits, brackets without end.
        raise SettingsError(f"{path}: invalid value: {error}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: must have keys and values, such as «database: notes.db»")
    return content


def _loader() -> Any:
    """What reads YAML: the library's own code in C where it has it, which is ten times as fast."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_bombs(path: Path, text: str) -> None:
    """Raises SettingsError for what a small file can hold and a machine cannot: nine aliases of nine aliases,
    nine levels deep, stand for a third of a billion values, and brackets in brackets take quadratic time."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise SettingsError(
                f"{path}, line {line}: *{event.anchor}: write the value itself instead of an alias"
            )
        if depth > _DEEPEST:
            raise SettingsError(f"{path}, line {line}: values are nested deeper than {_DEEPEST} levels")


def parsed(value: str) -> Any:
    """A value of the environment: read as YAML, so that numbers, lists and true/false work."""
    import yaml

    try:
        check_depth(value)
        return yaml.load(value, Loader=_loader())
    except (yaml.YAMLError, ValueError, RecursionError):
        return value


def nested(keys: list[str], value: Any) -> dict[str, Any]:
    """The layer that has one value, at the key that the parts of `keys` are the path to."""
    for key in reversed(keys):
        value = {key: value}
    found: dict[str, Any] = value
    return found


def merge(into: dict[str, Any], layer: Mapping[str, Any], origin: str, origins: dict[str, str]) -> None:
    """Lay a layer over the values so far, key by key, and note where each came from."""
    for key, value in leaves(layer):
        place = into
        *parents, last = key.split(".")
        for parent in parents:
            if not isinstance(place.get(parent), dict):
                place[parent] = {}
            place = place[parent]
        place[last] = value
        origins[key] = origin


def leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with its key, parts joined by dots."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
