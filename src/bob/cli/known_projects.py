"""What the Tab key offers for `--project`: the names of the projects that there are."""

from __future__ import annotations

import re

import typer

_PLAIN = re.compile(r"[\w.@%+:-]+")
"""Names that no shell reads anything into: what is offered goes into a line of it as it stands."""


def known_projects(context: typer.Context, incomplete: str) -> list[str]:
    """The projects of the database that the line names or the settings do, if it is a file: a key press
    waits for no server, and makes no database."""
    from bob.app.settings import load_settings
    from bob.cli import options
    from bob.core.errors import BobError

    try:
        # Nothing is said of the settings: the line that is being typed stands on the screen.
        loaded = load_settings(context.params.get("config"))
        engine = options.engine_of(loaded, context.params.get("database"))
        if engine.settings.on_server or not engine.settings.database_path.is_file():
            return []
        names = [str(project["project"]) for project in engine.sources.library.projects()]
        engine.close()
    except BobError:
        return []
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)]
