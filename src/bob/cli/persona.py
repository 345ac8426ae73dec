"""`bob persona`: interviews with a persona, questions for it, and what they bring out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, print_json, shown_path

if TYPE_CHECKING:
    from bob.personas.find import Personas
    from bob.personas.service import Persona

Name = Annotated[
    str, typer.Argument(help="A folder below persona.folder, or the path of one.", show_default=False)
]

persona_app = typer.Typer(
    no_args_is_help=True, help="Personas: a voice card and a corpus that answer in somebody's voice."
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(persona_app, name="persona")
    persona_app.command("list", help=_LIST_HELP)(listed)
    persona_app.command("show", help=_SHOW_HELP)(show)
    persona_app.command("interview", help=_INTERVIEW_HELP)(interview)
    persona_app.command("questions", help=_QUESTIONS_HELP)(questions)
    persona_app.command("report", help=_REPORT_HELP)(report)


_LIST_HELP = """List the personas below the folder of the setting persona.folder.

Examples:

    bob persona list

    BOB_PERSONA__FOLDER=personas bob persona list
"""

_SHOW_HELP = """Show the voice card of a persona and the parts of its corpus.

Examples:

    bob persona show montaigne

    bob persona show ./personas/montaigne --json
"""

_INTERVIEW_HELP = """Ask a persona: a language model answers in its voice, from passages of its corpus.

Without a language model, the brief for one is printed.

Examples:

    bob persona interview montaigne "Do you trust your memory?"

    bob persona interview montaigne "What is a friend?" --json
"""

_QUESTIONS_HELP = """Write questions that probe a persona, from the passages that suit the topics.

Without a language model they are made from headings, and the brief for a model is printed.

Examples:

    bob persona questions montaigne

    bob persona questions montaigne --topic friendship --topic "fear of death"
"""

_REPORT_HELP = """Show which facets of a corpus questions reach, and whether doubt is heard beside confidence.

The questions are those of questions.md in the persona's folder, or else made from its headings.

Examples:

    bob persona report montaigne

    bob persona report montaigne --json
"""


def listed(as_json: options.Json = False, config: options.Config = None) -> None:
    """List personas."""
    personas = _personas(config)
    found = personas.listed()
    if as_json:
        print_json([each.to_json() for each in found])
        return
    out = Output()
    if not found:
        out.print(f"No persona is in {shown_path(str(personas.folder))} yet.")
    for each in found:
        lacks = [
            name for name, has in (("voice.md", each.has_voice), ("corpus.md", each.has_corpus)) if not has
        ]
        out.print((each.name, "bold"), *([(f"  no {' and no '.join(lacks)}", "yellow")] if lacks else []))


def show(name: Name, as_json: options.Json = False, config: options.Config = None) -> None:
    """Show a persona."""
    from bob.cli.persona_output import show_persona

    found = _personas(config).open(name)
    if as_json:
        print_json(found.to_json())
    else:
        show_persona(Output(), found)


def interview(
    name: Name,
    question: Annotated[list[str], typer.Argument(help="The question.", show_default=False)],
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Ask a persona."""
    from bob.cli.persona_output import show_interview

    persona = _opened(name, config)
    done = persona.simulated_interview(options.query(question))
    if as_json:
        print_json(done.to_json())
    else:
        show_interview(Output(), done, str(persona.corpus.path))


def questions(
    name: Name,
    topics: Annotated[
        list[str] | None,
        typer.Option(
            "--topic", "-t", help="What to probe (repeatable); else aesthetic, style and vulnerabilities."
        ),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Write questions."""
    from bob.cli.persona_output import show_guide

    persona = _opened(name, config)
    done = persona.generate_questions(topics or ())
    if as_json:
        print_json(done.to_json())
    else:
        show_guide(Output(), done, str(persona.corpus.path))
    if not done.questions:
        raise typer.Exit(1)


def report(name: Name, as_json: options.Json = False, config: options.Config = None) -> None:
    """Report what questions bring out."""
    from bob.cli.persona_output import show_report

    persona = _opened(name, config)
    done = persona.report()
    if as_json:
        print_json(done.to_json())
    else:
        show_report(Output(), done)


def _personas(config: Path | None) -> Personas:
    return options.engine(config).personas


def _opened(name: str, config: Path | None) -> Persona:
    engine = options.engine(config)
    persona = engine.personas.open(name)
    engine.warm_up()
    return persona
