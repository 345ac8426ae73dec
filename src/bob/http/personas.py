"""Personas over HTTP: which there are, and what one is made of (SPEC J)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.errors import NotFoundError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.chats import SCOPE
from bob.http.failures import Body, JsonBytes
from bob.http.shapes import Routes
from bob.personas.service import Persona
from bob.personas.values import Stance

router = Routes(tags=["personas"])


class InterviewRequest(Body):
    """A question."""

    question: str = Field(
        min_length=1, max_length=10_000, description="The question.", examples=["What is a friend?"]
    )


class QuestionsRequest(Body):
    """What to probe."""

    topics: list[Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        [],
        max_length=20,
        description="Topics; default: aesthetic, style and vulnerabilities.",
        examples=[["friendship"]],
    )


Name = Annotated[str, Path(description="The persona's name.", examples=["ines"], max_length=255)]

PersonaFolder = TypedDict("PersonaFolder", {"name": str, "path": str, "voice.md": bool, "corpus.md": bool})


class PersonasList(TypedDict):
    """The personas by name, and which of their two files are there."""

    personas: list[PersonaFolder]


class CorpusPart(TypedDict):
    """A part of a persona's corpus."""

    heading_path: list[str]
    start_line: int
    end_line: int
    tokens: int
    facet: Stance | None


class PersonaDetails(TypedDict):
    """What a persona is made of."""

    name: str
    path: str
    voice: str
    voice_tokens: int
    parts: list[CorpusPart]
    notices: list[str]


class Passage(CorpusPart):
    """A passage of a corpus that fits; `cut`: there is more of its part."""

    cosine: float
    cut: bool
    text: str


class Interview(TypedDict):
    """What a persona says; without a language model `answer` is null."""

    persona: str
    question: str
    answer: str | None
    written_by: str | None
    notices: list[str]
    passages: list[Passage]
    brief: str


class InterviewGuide(TypedDict):
    """Questions that probe a persona."""

    persona: str
    topics: list[str]
    questions: list[str]
    written_by: str | None
    notices: list[str]
    passages: list[Passage]
    brief: str


class Facet(TypedDict):
    """A facet of a corpus, and how many questions reach it."""

    heading_path: list[str]
    start_line: int
    facet: Stance | None
    questions: int
    cosine: float | None


class StanceCounts(TypedDict):
    """How much of one stance there is, and is reached."""

    facets: int
    found: int
    questions: int


class Balance(TypedDict):
    """Doubt beside confidence; the shares are null where there is neither."""

    doubt: StanceCounts
    confidence: StanceCounts
    doubt_in_corpus: float | None
    doubt_in_answers: float | None


class RankedPart(CorpusPart):
    """A part of a corpus that fits a question."""

    cosine: float


class ProbingQuestion(TypedDict):
    """A question, and the parts that fit it."""

    question: str
    passages: list[RankedPart]


class FidelityReport(TypedDict):
    """Which facets of a corpus questions reach."""

    persona: str
    questions_from: str
    notices: list[str]
    coverage: float | None
    balance: Balance
    facets: list[Facet]
    unreached: list[list[str]]
    questions: list[ProbingQuestion]


Reader = Annotated[Caller, needs(Role.READER, SCOPE, at_home=True)]


@router.get("/personas", summary="List personas", response_model=PersonasList)
def list_personas(caller: Reader) -> Response:
    """Those in the folder of the settings, by name, and which of their two files are there."""
    return JsonBytes({"personas": [folder.to_json() for folder in caller.engine.personas.listed()]})


@router.get("/personas/{name}", summary="Read a persona", response_model=PersonaDetails)
def read_persona(caller: Reader, name: Name) -> Response:
    """Its voice card, and the parts of its corpus without their text."""
    return JsonBytes(_opened(caller, name).to_json())


@router.post("/personas/{name}/interview", summary="Ask a persona", response_model=Interview)
def interview_persona(caller: Reader, name: Name, request: InterviewRequest) -> Response:
    """A language model answers in its voice, from passages of its corpus. Without one, `answer` is null,
    and `brief` is what one would be told."""
    return JsonBytes(_opened(caller, name).simulated_interview(request.question).to_json())


@router.post(
    "/personas/{name}/questions", summary="Write questions for a persona", response_model=InterviewGuide
)
def write_questions(caller: Reader, name: Name, request: QuestionsRequest) -> Response:
    """Those that probe it, from the passages that suit the topics; without a language model from
    headings."""
    return JsonBytes(_opened(caller, name).generate_questions(request.topics).to_json())


@router.get(
    "/personas/{name}/report",
    summary="Report which facets of a persona questions reach",
    response_model=FidelityReport,
)
def report_fidelity(caller: Reader, name: Name) -> Response:
    """Which facets of its corpus the questions of its folder reach, and whether doubt is heard beside
    confidence."""
    return JsonBytes(_opened(caller, name).report().to_json())


def _opened(caller: Caller, name: str) -> Persona:
    """One of those in the folder: no path."""
    if name not in [folder.name for folder in caller.engine.personas.listed()]:
        raise NotFoundError(f"no persona {name!r}")
    return caller.engine.personas.open(name)
