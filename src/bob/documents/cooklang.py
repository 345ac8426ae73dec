"""Reads Cooklang: ingredients, cookware and timers marked inside the steps of a recipe."""

from __future__ import annotations

import re

from bob.documents.front_matter import load_yaml, read_front_matter

_METADATA = re.compile(r">>\s*([^:]+):\s*(.*)")
_COMMENT = re.compile(r"--[^\n]*")
# A name of several words needs its braces; what stands in the braces is amount % unit.
_MARK = re.compile(
    r"([@#~])[&?+*-]?(?:([^@#~{}\n]{0,80}?)\{([^{}\n]*)\}(?:\(([^()\n]*)\))?|([^\W_][\w'’-]*))"
)


def read_cooklang(content: str) -> tuple[dict[str, object], list[tuple[str, str, list[str]]]]:
    """The metadata, and the parts of the recipe: section of the locator, heading, lines."""
    lines = content.replace("\r\n", "\n").split("\n")
    front = read_front_matter(lines)
    values = _keys(load_yaml("\n".join(lines[1 : front.lines - 1]))) if front.lines else {}
    body = _without_comments("\n".join(lines[front.lines :]))
    ingredients: list[str] = []
    parts: list[tuple[str, str, list[str]]] = []
    heading, steps, notes = "Instructions", [""], []
    for line in _COMMENT.sub("", body).split("\n"):
        if ":" in line and (match := _METADATA.match(line)):
            values[_key(match[1])] = match[2].strip()
        elif line.startswith("="):
            parts.append(("instructions", heading, steps))
            heading, steps = line.rstrip().rstrip("=").lstrip("=").strip() or "Instructions", [""]
        elif line.startswith(">"):
            notes.append(line.lstrip("> ").strip())
        elif not line.strip():
            steps.append("")
        else:
            steps[-1] = f"{steps[-1]} {_plain(line, ingredients)}".strip()
    parts.append(("instructions", heading, steps))
    named = [("ingredients", "Ingredients", list(dict.fromkeys(ingredients)))]
    return values, [*named, *parts, ("notes", "Notes", notes)]


def _without_comments(text: str) -> str:
    """The text without `[- comments -]`; one that is not closed is none."""
    parts: list[str] = []
    at = 0
    while (begin := text.find("[-", at)) >= 0 and (end := text.find("-]", begin + 2)) >= 0:
        parts.append(text[at:begin])
        at = end + 2
    return "".join((*parts, text[at:]))


def _plain(line: str, ingredients: list[str]) -> str:
    """A step without its marks; the ingredients in it are added to the list."""

    def read(match: re.Match[str]) -> str:
        name = (match[2] if match[2] is not None else match[5] or "").strip()
        amount = " ".join(part.strip().lstrip("=") for part in (match[3] or "").split("%") if part.strip())
        if match[1] == "~":
            return amount or name
        if match[1] == "@" and name:
            note = f", {match[4]}" if match[4] else ""
            ingredients.append("- " + " ".join(each for each in (amount, name) if each) + note)
        return name or match[0]

    return " ".join(_MARK.sub(read, line).split())


def _keys(values: object) -> dict[str, object]:
    return {_key(str(key)): value for key, value in values.items()} if isinstance(values, dict) else {}


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()
