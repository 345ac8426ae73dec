"""`bob persona`: interviews with a persona, questions for it, and what they bring out of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, counted, print_json, shown_path, source_line

if TYPE_CHECKING:
    from bob.personas.fidelity import Fidelity, Side
    from bob.personas.find import Personas
    from bob.personas.service import Persona
    from bob.personas.values import CorpusPart, Interview, InterviewGuide, Passage


def show_persona(out: Output, persona: Persona) -> None:
    """The voice card, and a line a part."""
    out.print((persona.name, "bold"), f"  {persona.folder}")
    _notices(out, persona.notices)
    if persona.voice:
        out.print()
        out.print_text(persona.voice)
    out.print()
    out.print("lines    tokens  facet")
    for part in persona.corpus.searched:
        lines = f"{part.start_line}-{part.end_line}"
        out.print(f"{lines:<8} {part.tokens:>6}  {part.label}", *_stance(part))


def show_interview(out: Output, done: Interview, corpus: str) -> None:
    """The answer, or the brief without one, and the passages."""
    _notices(out, done.notices)
    out.print_text(done.brief if done.answer is None else done.answer)
    _passages(out, done.passages, corpus)
    if done.written_by is None:
        out.print("This is a brief for a language model; to use one, set llm.provider.", style="dim")
    else:
        out.print(
            f"Written by {done.written_by} in the voice of {done.persona}: an imitation, not a quotation.",
            style="dim",
        )


def show_guide(out: Output, done: InterviewGuide, corpus: str) -> None:
    """The questions, the brief where no model wrote them, and the passages."""
    _notices(out, done.notices)
    for n, question in enumerate(done.questions, 1):
        out.print(f"{n}. {question}")
    if done.written_by is None and done.questions:
        out.print()
        out.print("Made from headings. Brief for a language model:", style="dim")
        out.print()
        out.print_text(done.brief)
    _passages(out, done.passages, corpus)
    if done.written_by is not None:
        out.print(f"Written by {done.written_by}.", style="dim")


def show_report(out: Output, done: Fidelity) -> None:
    """A table of facets, then what was not reached, and the balance."""
    _notices(out, done.notices)
    out.print(f"{done.persona}: {counted(len(done.asked), 'question')} from {done.source}")
    out.print()
    out.print("questions  cosine  facet")
    for facet in done.facets:
        cosine = "-" if facet.cosine is None else f"{facet.cosine:.2f}"
        stance = f"  ({facet.stance})" if facet.stance else ""
        style = "" if facet.questions else "yellow"
        out.print(f"{facet.questions:>9}  {cosine:>6}  {facet.label}{stance}", style=style)
    out.print()
    if done.coverage is not None:
        out.print(f"covered     {done.covered} of {counted(len(done.facets), 'facet')} ({done.coverage:.0%})")
    _side(out, "doubt", done.doubt, len(done.asked))
    _side(out, "confidence", done.confidence, len(done.asked))
    if done.doubt_in_corpus is not None and done.doubt_in_answers is not None:
        out.print(
            f"balance     doubt is {done.doubt_in_corpus:.0%} of the marked facets, "
            f"and {done.doubt_in_answers:.0%} of those that questions reach"
        )
    for question, passages in done.asked:
        if not passages:
            out.print(f"reaches nothing: {question}", style="yellow")


def _side(out: Output, name: str, side: Side, questions: int) -> None:
    if side.facets:
        out.print(
            f"{name:<11} {side.found} of {counted(side.facets, 'facet')}, "
            f"by {side.questions} of {counted(questions, 'question')}"
        )


def _passages(out: Output, passages: Sequence[Passage], corpus: str) -> None:
    from bob.core.locator import LineLocator

    out.print()
    for n, passage in enumerate(passages, 1):
        part = passage.part
        details = f"  cosine {passage.cosine:.2f}" + (" (cut to fit)" if passage.is_cut else "")
        where = source_line(
            corpus, LineLocator(start_line=part.start_line, end_line=passage.end_line), part.heading_path
        )
        out.print(f"[{n}] ", *where, details, *_stance(part))


def _stance(part: CorpusPart) -> list[str | tuple[str, str]]:
    return [(f"  ({part.stance})", "dim")] if part.stance else []


def _notices(out: Output, notices: Sequence[str]) -> None:
    for notice in notices:
        out.print(f"{notice}", style="yellow")
    if notices:
        out.print()


Name = Annotated[
    str, typer.Argument(help="Name of a folder below persona.folder, or a path.", show_default=False)
]

persona_app = typer.Typer(no_args_is_help=True, help="Interview personas, which answer in somebody's voice.")


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

_INTERVIEW_HELP = """Ask a persona a question: a language model answers in its voice, from passages of its
corpus.

Without a language model it prints the brief for one.

Examples:

    bob persona interview montaigne "Do you trust your memory?"

    bob persona interview montaigne "What is a friend?" --json
"""

_QUESTIONS_HELP = """Write questions that probe a persona on topics.

Without a language model they are made from headings, and the brief for a model is printed.

Examples:

    bob persona questions montaigne

    bob persona questions montaigne --topic friendship --topic "fear of death"
"""

_REPORT_HELP = """Show which facets of a corpus the questions reach, and how doubt and confidence are
balanced.

The questions are those of questions.md in the persona's folder; without it, they are made from headings.

Examples:

    bob persona report montaigne

    bob persona report montaigne --json
"""


def listed(as_json: options.Json = False, config: options.Config = None) -> None:
    """List personas."""
    personas = _personas(config)
    found = personas.listed()
    if as_json:
        print_json([persona.to_json() for persona in found])
        return
    out = Output()
    if not found:
        out.print(f"No personas in {shown_path(str(personas.folder))} yet.")
    for persona in found:
        lacks = [
            name
            for name, has in (("voice.md", persona.has_voice), ("corpus.md", persona.has_corpus))
            if not has
        ]
        out.print((persona.name, "bold"), *([(f"  no {' and no '.join(lacks)}", "yellow")] if lacks else []))


def show(name: Name, as_json: options.Json = False, config: options.Config = None) -> None:
    """Show a persona."""
    persona = _personas(config).open(name)
    if as_json:
        print_json(persona.to_json())
    else:
        show_persona(Output(), persona)


def interview(
    name: Name,
    question: Annotated[list[str], typer.Argument(help="The question.", show_default=False)],
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Ask a persona."""
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
            "--topic", "-t", help="Topic to probe (repeatable); default: aesthetic, style, vulnerabilities."
        ),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Write questions."""
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
