"""Takes the words of a decision, or of its context, out of the sections that state it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from bob.decisions.fields import fields_of
from bob.decisions.passages import Paragraph, Section, Span
from bob.text import lexicon
from bob.text.markup import ends_with_colon, readable
from bob.text.sentences import sentence_ranges
from bob.text.words import folded, opening_pattern

_LONGEST = 800  # characters: a statement is what is shown of a decision, not the whole of its section
_LABELLED = re.compile(r"[*_]{0,3}[A-Za-z][\w -]{1,25}:[*_]{0,3}\s")
_SHORT = 25  # "The second." alone says nothing
_TITLE_LENGTH = 100
_NO_WORDS = re.compile(r"(?:[^\w!]++|!\[[^\]]*\]\([^)]*\)|!)*+")


def statement_of(
    sections: Iterable[Section], *, skip_fields: bool = False, takes_all: bool = False
) -> Span | None:
    """The first paragraph of the sections, with the list that it introduces; a whole list when they begin so.
    A note that stands before them ("Note that ...") is passed over.

    `skip_fields` to pass over lines such as "Status: accepted". `takes_all` for a section of several
    decisions: as many of its paragraphs as fit.
    """
    sections = list(sections)
    for section in sections:
        fields = (
            {field.span.start for field in fields_of(section.lines) if field.span} if skip_fields else set()
        )
        paragraphs = [paragraph for paragraph in section.paragraphs if not _holds(paragraph, fields)]
        if skip_fields:
            paragraphs = [
                paragraph for paragraph in paragraphs if not _LABELLED.match(paragraph.text)
            ] or paragraphs
        worded = [
            index for index, paragraph in enumerate(paragraphs) if not _NO_WORDS.fullmatch(paragraph.text)
        ]
        if worded:
            of_weight = (index for index in worded if not _note().match(folded(paragraphs[index].text)))
            return _with_list(paragraphs[next(of_weight, worded[0]) :], takes_all=takes_all)
    lines = (
        line for section in sections for line in section.lines if line.role in ("table", "code", "quote")
    )
    shown = (line.span.part(0, len(line.text)) for line in lines if not _NO_WORDS.fullmatch(line.text))
    return None if skip_fields else next(shown, None)


def context_of(sections: Iterable[Section]) -> str:
    """The first paragraphs of the sections, as many as fit."""
    taken: list[str] = []
    size = 0
    for text in (paragraph.text for section in sections for paragraph in section.paragraphs):
        if size + len(text) > _LONGEST and taken:
            break
        taken.append(text)
        size += len(text)
    return "\n\n".join(taken)


def title_of(statement: str) -> str:
    """The start of a statement, on one line, cut between words."""
    line = readable(" ".join(statement.split())).replace("**", "").strip("*_ ")
    if len(line) <= _TITLE_LENGTH:
        return line
    return line[: _TITLE_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


@cache
def _note() -> re.Pattern[str]:
    return opening_pattern(lexicon.phrases("opens a note"))


def _with_list(paragraphs: list[Paragraph], *, takes_all: bool) -> Span:
    first = paragraphs[0]
    end = first.span.end
    if takes_all or first.is_item or ends_with_colon(first.text) or len(first.text) < _SHORT:
        for item in _following(paragraphs, takes_all=takes_all):
            if item.span.end - first.span.start > _LONGEST:
                break
            end = item.span.end
    return Span(first.span.passage, first.span.start, end)


def _following(paragraphs: list[Paragraph], *, takes_all: bool) -> Iterator[Paragraph]:
    for paragraph in paragraphs[1:]:
        if not (takes_all or paragraph.is_item) or paragraph.span.passage is not paragraphs[0].span.passage:
            return
        yield paragraph


def _holds(paragraph: Paragraph, starts: set[int]) -> bool:
    return any(paragraph.span.start <= start < paragraph.span.end for start in starts)


_BLANK_LINE = re.compile(r"\n\s*\n")


def sentences(span: Span) -> Iterator[Span]:
    """The sentences of a paragraph, without the white space between them."""
    yield from (span.part(start, end) for start, end in _ranges(span.text))


def sentence_texts(text: str) -> Iterator[str]:
    """The sentences of a text, where their place does not matter."""
    yield from (text[start:end] for start, end in _ranges(text))


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*(match.end() for match in _BLANK_LINE.finditer(text)), len(text)):
        yield from (
            sentence_range
            for sentence_range in sentence_ranges(text, start, end)
            if text[sentence_range[0] : sentence_range[1]].strip()
        )
        start = end


_NUMBERING = r"(?:\d+(?:\.\d+)*[.)]?\s+|[^\w\s]+\s*)?"


def _heading(words: str) -> re.Pattern[str]:
    return re.compile(rf"{_NUMBERING}(?:{words})\W*", re.IGNORECASE)


STATUS_HEADING = _heading(r"(?:decision |adr |current )?status|statut|estado|state")
DECISION_HEADING = _heading(
    r"(?:the |our |final |design |architecture |architectural |technical |"
    r"proposed )?decision(?: outcome| made| taken"
    r"| statement| summary)?(?: ?/ ?(?:choice|outcome|resolution))?|decision(?: outcome)?(?: and| &|,) "
    r"(?:rationale|justification|reasons?|reasoning|consequences)|(?:the )?(?:choice|outcome|resolution|"
    r"solution|"
    r"proposal|proposed solution|chosen (?:option|solution|approach)|what (?:we|was) (?:decided|chose))|"
    r"entscheidung|décision|decisión|decisão"
)
DECISIONS_HEADING = _heading(rf"(?:the )?(?:{lexicon.any_of('several decisions')})")
"""In a record it stands above several decisions; elsewhere above a list of unrelated ones."""
CONTEXT_HEADING = _heading(
    r"(?:the )?(?:context|question|problem|issue|background|motivation|forces)(?: statement| description)?"
    r"(?:(?: and| &|,| /) (?:the )?(?:problem(?: statement)?|context|background|motivation|forces|"
    r"scope))?|kontext|"
    r"contexte|contexto|hintergrund|why|introduction"
)
CONSEQUENCES_HEADING = _heading(
    r"consequences?(?:.*)|(?:positive|negative) consequences|implications|impact|konsequenzen|conséquences|"
    r"consecuencias|consequências|look again|trade-?offs"
)
OPTIONS_HEADING = _heading(
    r"(?:the )?(?:considered |possible |available )?(?:options|alternatives|solutions|approaches|positions)"
    r"(?: considered| evaluated| explored| we considered)?|(?:other )?options?(?:.*) considered|"
    r"alternatives? (?:considered|and .*)|optionen|alternativen|opciones|alternativas|"
    r"(?:pros and cons of (?:the|these) )(?:options|alternatives|solutions)|considered alternatives"
)
REJECTED_HEADING = _heading(
    r"(?:the )?(?:rejected|discarded|dismissed|declined)(?: alternatives?| options?| ideas?| approaches|"
    r" solutions|"
    r" proposals)?|(?:alternatives?|options?|ideas?)(?: \w+)? (?:rejected|discarded|dismissed|not chosen)|"
    r"what (?:we|was) (?:rejected|did not choose)|why not .*|verworfene? .*|"
    r"alternatives? considered and rejected"
)
ALTERNATIVES_HEADING = _heading(
    r"(?:other |the )?alternatives?(?: considered| we considered| explored)?|considered alternatives|"
    r"alternativen|"
    r"alternativas(?: consideradas)?|other (?:options|approaches|solutions)(?: considered)?"
)
ABSTRACT_HEADING = _heading(r"abstract|summary|overview|tl;?dr|proposal|introduction|specification")
LIST_HEADING = _heading(
    r"(?:the |our |key |main |major |important |design |architectural |architecture |technical |"
    r"product |meeting |"
    r"team )*(?:decisions|agreements|resolutions)(?: (?:made|taken|reached|already taken|we made|so far|log|"
    r"record(?:ed|s)?|and agreements|and rationale))?(?: \(.*\))?|what (?:we|was) (?:decided|agreed)|"
    r"decision log|"
    rf"decided|agreed|{lexicon.any_of('several decisions')}"
)

MARKER = re.compile(
    r"(?:[^\w\s\[#*_]{1,3}\s*)?[*_]{0,3}(?:\[(?P<tag>decision|decided|agreed|agreement|resolved)\]|"
    r"#(?P<command>agreed|decision|decided|agree)\b|"
    r"(?P<word>(?:final |team |group |our |the |key )?decisions?(?: made| taken| reached)?|decided|agreed|"
    r"agreements?|resolved|"
    r"resolutions?|beschluss|beschlossen|entscheidung|entschieden|décision|décidé|decisión|decidido|"
    r"acordado|decisão)"
    r"(?:\s+\#?\d{1,3})?(?:\s*\((?P<note>[^()\n]{1,40})\))?)"
    r"(?(word)[*_]{0,3}\s*(?::|[—–]\s|-\s)|:?)[*_]{0,3}\s*",
    re.IGNORECASE,
)
REJECTED_MARKER = re.compile(
    r"(?:[^\w\s\[#*_]{1,3}\s*)?[*_]{0,3}(?:\[rejected\]|(?:rejected|ruled out|discarded|dismissed|"
    r"not chosen|verworfen|"
    r"abgelehnt|rejeté|rechazado|rejeitado)(?: (?:alternatives?|options?|ideas?))?[*_]{0,3}\s*:)[*_]{0,3}\s*",
    re.IGNORECASE,
)
NO_DECISION = re.compile(
    r"\W*(?:(?:no(?:t|ne|thing)?|n/?a|tb[ad]|todo|pending|open|unclear|undecided|deferred|postponed|unknown|"
    r"still open|to be (?:decided|determined|made|confirmed)|not? (?:yet )?(?:decided|made|taken)|"
    r"no decisions?"
    r"(?: (?:yet|made|taken|was made|were made|reached|today|needed|required))*|keine|aucune|ninguna|"
    r"yes|ok|see\b.*|"
    r"(?:accept|approv|reject|declin|adopt|implement|fix|clos|merg|complet)ed|done|final|go|no-go)\W*|"
    r".*\?[\s*_)\"]*)",
    re.IGNORECASE | re.DOTALL,
)
PLACEHOLDER = re.compile(
    # What stands between two of them begins none: else each could be read in two ways.
    r"[^\w{\[<.…]*+(?:(?:\{++[^{}\n]*\}|<++[^<>\n]*>|[.…])[^\w{\[<]*+|"
    r"\[[^\]\n]*\](?![(\[:])[\s.:;,\"'*_]*+)+$|"
    r"\W*(?:what is the change|describe (?:the|your|our|what|here)|state the|summari[sz]e the|"
    r"explain (?:the|what|why|"
    r"here)|list the|which option|what (?:was|is|did we|have we) (?:decided|chosen)|full explanation of).*|"
    r"\W*[Cc]hosen option:?\s*[\"'“*]*(?:\{|\[(?![^\]\n]*\]\()).*",
    re.DOTALL,
)
"""The whole of a statement stands for what is to be written."""
HAS_PLACEHOLDER = re.compile(
    # Braces with words in them ("{title of option 1}"); JSON, code, variables and sets are no placeholders.
    r".*(?:(?<![$%{\w/])\{(?!\w+(?:, *\w+)+\})[^\W\d_][^{}`\"=:<>\n]*\s[^{}`\"=:<>\s]+\}(?!\})|"
    r"\[(?:YYYY|yyyy|short|name|insert|title|description|option \d|"
    r"describe|list|e\.g)"
    r"[^\]\n]*\](?!\()|<(?:insert|your|describe|name|title)\b[^<>\n]*>).*",
    re.DOTALL,
)
ONLY_LINK = re.compile(r"\W*\[[^\]\n]*\]\([^)\n]*\)\W*(?:\(?\d{4}-\d\d-\d\d\)?\W*)?")
_DECISION_WORD = re.compile(r"d[eé]cisi[oóã]|entscheidung", re.IGNORECASE)
_TITLE_PLACEHOLDER = re.compile(
    r"\W*(?:(?:adr|rfc|pep)?[\s#-]*(?:x{2,}|n{2,}|number|\d*)[\]}>]?\W*)?"
    r"(?:[\[{<][^\]}>]*[\]}>](?!\()|(?:short |decision |adr |the )?title(?: of .*| here)?|"
    r"(?:adr |decision |record )*template)\W*|"
    r".*\b(?:adr|rfc|pep)[\s#-]*(?:x{2,}|n{3,})\b.*",
    re.IGNORECASE,
)


_CALLED_TEMPLATE = re.compile(r"\btemplate\W*$|\btemplate\W+(?:adr|f[oü]r?\b|of\b)", re.IGNORECASE)


def is_placeholder_title(title: str) -> bool:
    """Whether a title is what a template shows in place of one."""
    return bool(_TITLE_PLACEHOLDER.fullmatch(title))


def is_called_template(title: str) -> bool:
    """Whether a title may be that of a template: one on templates has such words too."""
    return bool(_CALLED_TEMPLATE.search(title))


def is_called_decision(heading: str) -> bool:
    """Whether a heading says "decision" ("Solution" and "Outcome" are headings of many a text)."""
    return bool(DECISION_HEADING.fullmatch(heading) and _DECISION_WORD.search(heading))
