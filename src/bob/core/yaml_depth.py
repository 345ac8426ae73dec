"""Refuses YAML that nests deeper than anybody writes: reading it would end the process, or take very long."""

from __future__ import annotations

from typing import Any

MOST_LEVELS = 100


def check_depth(content: str) -> None:
    """Raises yaml.YAMLError: the text is no YAML, or its values are nested deeper than `MOST_LEVELS`."""
    import yaml

    event: Any
    depth = 0
    for event in yaml.parse(content, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_LEVELS:
            problem = f"values are nested deeper than {MOST_LEVELS} levels"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
