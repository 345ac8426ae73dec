"""Lint over HTTP: of a text while it is written, and of notes on the disk (SPEC M3)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.errors import RefusedError, RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.decisions import SCOPE
from bob.http.failures import Body, JsonBytes, today
from bob.http.params import existing_path
from bob.http.shapes import Routes
from bob.notes.lint_rule import Severity

router = Routes(tags=["lint"])

_MOST_CHARACTERS = 200_000

"""Of a text that is checked while it is written: there may be a finding in each of its lines."""

_RULES = "Ids or names of rules."


class LintRequest(Body):
    """A text, or a file or folder."""

    text: str | None = Field(
        None, max_length=_MOST_CHARACTERS, description="The text to check.", examples=["# Gate\n"]
    )
    name: str = Field(
        "note.md",
        min_length=1,
        max_length=255,
        description="File name of the text, which may contain a date.",
    )
    path: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="In place of a text: a note, or a folder with all below it, from the root or `~/`. "
        "Only the user of this machine may name one.",
        examples=["~/notes"],
    )
    select: list[str] = Field(
        [], max_length=100, description=f"Only these rules. {_RULES}", examples=[["BOB004"]]
    )
    ignore: list[str] = Field([], max_length=100, description=f"Skip these rules. {_RULES}")


class LintFixRequest(LintRequest):
    """What to mend."""

    dry_run: bool = Field(False, description="With a path: only show what would change.")


class LintFinding(TypedDict):
    """What a rule finds; lines and columns count from 1."""

    path: str
    rule: str
    name: str
    severity: Severity
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    remedy: str
    fixable: bool


class UnreadableFile(TypedDict):
    """A file that could not be read."""

    path: str
    reason: str


class LintReport(TypedDict):
    """What the rules find."""

    files: int
    findings: list[LintFinding]
    unreadable: list[UnreadableFile]


class Repair(TypedDict):
    """The change of a file."""

    path: str
    diff: str


class LintRepairs(TypedDict):
    """What was mended; `text` is null when files were named."""

    text: str | None
    repairs: list[Repair]
    done: bool


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]


@router.post("/lint", summary="Check a note", response_model=LintReport)
def lint_note(caller: Reader, request: LintRequest) -> Response:
    """What the rules find, as `bob lint --json` prints it; lines and columns count from 1. Where links
    lead is only looked at in files."""
    service, path = caller.engine.knowledge.lint_notes, _path(request, caller)
    rules = service.rules(request.select, request.ignore)
    if path is not None:
        return JsonBytes(service.lint_notes([path], rules, today()).to_json())
    return JsonBytes(service.run_text(request.text or "", request.name, rules, today()).to_json())


@router.post("/lint/fix", summary="Mend a note", response_model=LintRepairs)
def mend_note(caller: Reader, request: LintFixRequest) -> Response:
    """What is unmistakable is mended: of a text, `text` is what it becomes; the files of a path are
    changed, if they lie in a folder for notes or in one that is indexed. `repairs` are the changes."""
    service, path = caller.engine.knowledge.lint_notes, _path(request, caller)
    rules = service.rules(request.select, request.ignore)
    if path is None:
        repair = service.mend_text(request.text or "", request.name, rules, today())
        repairs = [repair] if repair.after != repair.before else []
        text, done = repair.after, False
    else:
        repairs = service.repairs(service.lint_notes([path], rules, today()), rules, today())
        text, done = None, not request.dry_run
        for repair in repairs if done else ():
            service.apply(repair)
    return JsonBytes({"text": text, "repairs": [repair.to_json() for repair in repairs], "done": done})


def _path(request: LintRequest, caller: Caller) -> Path | None:
    if (request.text is None) == (request.path is None):
        raise RequestError("text", "text or path is required")
    if request.path is None:
        return None
    if not caller.at_home:
        raise RefusedError(403, "only the user of this machine may name a path")
    return existing_path(request.path, "path")
