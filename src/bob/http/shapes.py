"""Shapes that several routes answer with.

What a route answers is declared as a `TypedDict`, for the OpenAPI document alone: `JsonBytes` writes the
bytes, and nothing is validated on its way out. Tests compare the shapes with what a server sends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired

from fastapi import APIRouter
from pydantic import ConfigDict, Field, WithJsonSchema
from typing_extensions import TypeAliasType, TypedDict, is_typeddict

from bob.answers.answer import Verdict
from bob.conversations.context import SegmentName
from bob.core.conversation import FunnelLayer, MessageRole, MessageType
from bob.core.decision import DecisionStatus
from bob.core.document import SourceDateKind

Day = Annotated[str, WithJsonSchema({"type": "string", "format": "date"})]
Moment = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]


class Routes(APIRouter):
    """The routes of one feature. Their shapes are read when the document is written, not when a server
    starts. An operation has the name of its function."""

    def __init__(self, **options: Any) -> None:
        super().__init__(generate_unique_id_function=lambda route: route.name, **options)

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Adds a route; the options are those of FastAPI."""
        shape: Any = options.get("response_model")
        if is_typeddict(shape):
            own = getattr(shape, "__pydantic_config__", ConfigDict())
            shape.__pydantic_config__ = own | ConfigDict(defer_build=True)
        super().add_api_route(path, endpoint, **options)


class LineLocator(TypedDict):
    """Whole lines of a text file, from 1; with columns when the text begins or ends inside a line."""

    kind: Literal["lines"]
    heading: NotRequired[str]
    start_line: int
    end_line: int
    start_column: NotRequired[int]
    end_column: NotRequired[int]


class GitLocator(TypedDict):
    """Lines of a file as a commit of a git repository has it."""

    kind: Literal["git"]
    heading: NotRequired[str]
    start_line: int
    end_line: int
    start_column: NotRequired[int]
    end_column: NotRequired[int]
    git_file: str
    git_commit: str


class PartLocator(TypedDict):
    """Characters in the text of one part of a file; parts count from 0."""

    part: int
    start_char: int
    end_char: int


class PageLocator(PartLocator):
    """A page of a PDF, from 1."""

    kind: Literal["page"]
    page: int
    total_pages: int


class ParagraphLocator(PartLocator):
    """Paragraphs of a Word document, from 0."""

    kind: Literal["paragraph"]
    parent_heading: NotRequired[str]
    paragraph_index: int
    last_paragraph_index: int


class SheetLocator(PartLocator):
    """Rows of a sheet, from 1."""

    kind: Literal["sheet"]
    sheet_name: str
    row_count: int
    first_row: int
    last_row: int


class SlideLocator(PartLocator):
    """A slide of a presentation, from 1; `notes`: the text stands in the speaker's notes."""

    kind: Literal["slide"]
    slide: int
    total_slides: int
    notes: bool


class ChapterLocator(PartLocator):
    """A chapter of an EPUB."""

    kind: Literal["chapter"]
    chapter: str
    heading: NotRequired[str]


class MessageLocator(PartLocator):
    """A message of a mail file, from 1; `message_id` as the message gives it."""

    kind: Literal["message"]
    message: int
    total_messages: int
    subject: NotRequired[str]
    message_id: NotRequired[str]


class CellLocator(PartLocator):
    """A cell of a notebook, from 1."""

    kind: Literal["cell"]
    cell: int
    cell_type: str
    heading: NotRequired[str]


class RecipeLocator(PartLocator):
    """A section of a recipe."""

    kind: Literal["recipe"]
    section: str


class ElementLocator(PartLocator):
    """A section of an HTML page, by its heading and the nearest anchor."""

    kind: Literal["element"]
    heading: NotRequired[str]
    anchor: NotRequired[str]


Locator = TypeAliasType(
    "Locator",
    Annotated[
        LineLocator
        | GitLocator
        | PageLocator
        | ParagraphLocator
        | SheetLocator
        | SlideLocator
        | ChapterLocator
        | MessageLocator
        | CellLocator
        | RecipeLocator
        | ElementLocator,
        Field(discriminator="kind"),
    ],
)
"""Where in a file a text stands."""


class DecisionName(TypedDict):
    """A decision in short."""

    id: int
    name: str
    title: str
    date: Day | None


class DecisionStanding(DecisionName):
    """A decision that a text is of, and whether it still holds."""

    status: DecisionStatus
    superseded_by: list[DecisionName]


class CitedPlace(TypedDict):
    """Where a number in a text leads."""

    n: int
    document_id: int
    path: str
    title: str
    heading_path: list[str]
    locator: Locator


class Source(CitedPlace):
    """A source of an answer; `quote_range` is where in its chunk the quote stands."""

    chunk_id: int
    project: str
    quote: str
    quote_range: list[int]
    source_date: Day | None
    source_date_kind: SourceDateKind | None
    decision: NotRequired[DecisionStanding]


class Quote(TypedDict):
    """Words of a source, and where in the chunk they stand."""

    chunk_id: int
    path: str
    locator: Locator
    quote: str
    quote_range: list[int]


class Judgement(TypedDict):
    """What the sources say of a claim; `signals` are the values by which the score came about."""

    verdict: Verdict
    score: float
    reason: str | None
    support: Quote | None
    against: Quote | None
    signals: NotRequired[dict[str, float]]


class VerifiedClaim(Judgement):
    """A claim of a text, its place in it (characters, and the line from 1), and what the sources say."""

    text: str
    range: list[int]
    line: int


class Memory(TypedDict):
    """What is remembered of chats; null for `valid_until` while it holds."""

    memory_id: int
    project: str
    chat_id: int | None
    summary: str
    importance: int
    level: Literal["temporary", "context", "critical"]
    message_type: MessageType
    valid_from: Moment
    valid_until: Moment | None
    superseded_by: int | None
    pinned: bool
    edited: bool
    times_said: int


class ChatMessage(TypedDict):
    """A message word for word, and what was remembered of it: null until it was judged."""

    message_id: int
    chat_id: int
    role: MessageRole
    text: str
    sent_at: Moment
    importance: int | None
    summary: str | None
    message_type: MessageType | None
    stopped_by: FunnelLayer | None
    sources: list[CitedPlace]


class PromptPiece(TypedDict):
    """One source of a part of a prompt."""

    source: str
    project: str
    tokens: int
    sha256: str
    memory_id: int | None


class PromptSegment(TypedDict):
    """A part of a prompt; `cached`: the provider's cache may keep all up to its end."""

    name: SegmentName
    tokens: int
    bytes: int
    sha256: str
    cached: bool
    sources: list[PromptPiece]


class PromptMessage(TypedDict):
    """A message of a prompt, without its words."""

    role: MessageRole
    tokens: int
    sha256: str


class LeftOut(TypedDict):
    """What did not fit into a prompt."""

    source: str
    tokens: int
    why: str


class Receipt(TypedDict):
    """What stood in a prompt."""

    project: str
    pinned: bool
    smart_context: bool
    tokens: int
    segments: list[PromptSegment]
    messages: list[PromptMessage]
    left_out: list[LeftOut]


class Prediction(TypedDict):
    """What a prompt should cost; the dollars are decimals."""

    cache_read_tokens: int
    cache_write_tokens: int
    outcome: str
    dollars: str | None
    saved: str | None
    differs: list[str]


class PredictedReceipt(Receipt):
    """What stands in a prompt, and what it should cost; null where nobody knows."""

    predicted: Prediction | None


class Step(TypedDict):
    """How far work in the background is."""

    done: int
    total: int


class TextDelta(TypedDict):
    """The next words of a model."""

    text: str


class Problem(TypedDict):
    """A problem document (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    field: NotRequired[Annotated[str, Field(description="The invalid field, if there is one.")]]
    request_id: NotRequired[
        Annotated[str, Field(description="The same as in the header `X-Request-ID` and the server's log.")]
    ]


class Nothing(TypedDict):
    """An object without fields."""


class OpenAIErrorDetail(TypedDict):
    """Why a request failed."""

    message: str
    type: str
    param: str | None
    code: str | None


class Error(TypedDict):
    """An error in the form of OpenAI's API."""

    error: OpenAIErrorDetail


class Success(TypedDict):
    """It is done."""

    success: bool
