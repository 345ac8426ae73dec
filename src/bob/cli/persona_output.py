"""How personas, interviews and reports look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bob.cli.output import Output, counted, source_line
from bob.core.locator import LineLocator

if TYPE_CHECKING:
    from bob.personas.fidelity import Fidelity, Side
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
        out.print("This is the brief for a language model; the setting llm.provider names one.", style="dim")
    else:
        out.print(
            f"Written by {done.written_by} in the voice of {done.persona}: no words of that person.",
            style="dim",
        )


def show_guide(out: Output, done: InterviewGuide, corpus: str) -> None:
    """The questions, the brief where no model wrote them, and the passages."""
    _notices(out, done.notices)
    for n, question in enumerate(done.questions, 1):
        out.print(f"{n}. {question}")
    if done.written_by is None and done.questions:
        out.print()
        out.print("Made from headings. The brief for a language model:", style="dim")
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
    for each in done.facets:
        cosine = "-" if each.cosine is None else f"{each.cosine:.2f}"
        stance = f"  ({each.stance})" if each.stance else ""
        style = "" if each.questions else "yellow"
        out.print(f"{each.questions:>9}  {cosine:>6}  {each.label}{stance}", style=style)
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
    out.print()
    for n, each in enumerate(passages, 1):
        part = each.part
        told = f"  cosine {each.cosine:.2f}" + (" (cut: no room for all of it)" if each.is_cut else "")
        where = source_line(
            corpus, LineLocator(start_line=part.start_line, end_line=each.end_line), part.heading_path
        )
        out.print(f"[{n}] ", *where, told, *_stance(part))


def _stance(part: CorpusPart) -> list[str | tuple[str, str]]:
    return [(f"  ({part.stance})", "dim")] if part.stance else []


def _notices(out: Output, notices: Sequence[str]) -> None:
    for each in notices:
        out.print(f"{each}", style="yellow")
    if notices:
        out.print()
