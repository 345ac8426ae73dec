"""Recipes: schema.org JSON-LD, the same in YAML with loose keys, and Cooklang."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from bob.extensions import (
    Block,
    BlockKind,
    DataForm,
    ParsedDocument,
    RecipeLocator,
    Section,
    SourceDate,
    SourceFile,
    UnreadableError,
    detect_language,
    found_sections,
    load_yaml,
    read_date,
    read_front_matter,
)
from bob.extensions import value_text as text
from bob.extensions import value_words as words

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


RecipePart = tuple[str, str, list[str]]
"""The locator's section, the heading, and the lines (or steps) of one part of a recipe."""

_MAX_RECIPE = 2_000_000  # characters; larger data is no recipe
_LOOKS_LIKE_ONE = re.compile(r"ingredients?\b", re.IGNORECASE)
_INGREDIENTS = ("recipeingredient", "ingredients", "ingredient")
_INSTRUCTIONS = ("recipeinstructions", "instructions", "steps", "directions", "method", "preparation")
_FACTS = {
    "recipeyield": "Yield", "yield": "Yield", "servings": "Servings", "serves": "Servings",
    "preptime": "Preparation", "cooktime": "Cooking", "totaltime": "Total time", "time": "Time",
    "recipecategory": "Category", "category": "Category", "course": "Course", "recipecuisine": "Cuisine",
    "cuisine": "Cuisine", "cookingmethod": "Method", "suitablefordiet": "Diet", "difficulty": "Difficulty",
    "source": "Source", "url": "Source", "author": "Author",
}  # fmt: skip
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_MAX_DEPTH = 20  # of lists in lists


class RecipeParser:
    """Takes files that are a recipe by their name."""

    name = "recipe"
    suffixes = frozenset({".cook", ".recipe.yaml", ".recipe.yml", ".recipe.json", ".jsonld"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections with recipe locators: metadata, description, ingredients, instructions, notes.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, "damaged" and "no-text".
        """
        content = source.read_text()
        stem = source.path.name.removesuffix(".gz")
        if stem.lower().endswith(".cook"):
            values, parts = read_cooklang(content)
            # Cooklang keeps the title in the file name; what the recipe says of itself goes before.
            name = values.get("name") or values.get("title") or stem[: -len(".cook")]
            return _document({**values, "name": name}, parts, content)
        is_json = ".json" in source.path.name.lower() or content.lstrip()[:1] == "{"
        recipe = read_recipe(content, "json" if is_json else "yaml")
        if recipe is None:
            raise UnreadableError("damaged", "not a recipe: ingredients and instructions are missing")
        return recipe


def read_recipe(content: str, form: DataForm) -> ParsedDocument | None:
    """The recipe that a text of JSON or YAML holds, or None when it holds none. JSON-LD says what it is; in
    other data a recipe is known by its ingredients.

    Raises:
        UnreadableError: "no-text", all of the recipe is empty.
    """
    if form == "json-ld":
        if "ecipe" not in content:
            return None
    elif len(content) > _MAX_RECIPE or not _LOOKS_LIKE_ONE.search(content):
        return None
    recipe = _find_recipe(load_yaml(content) if form == "yaml" else _load_json(content))
    return None if recipe is None else _document(recipe, list(_parts(recipe)), "")


def _load_json(content: str) -> object:
    """The value of a JSON text; None when it is not valid JSON."""
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value


def _find_recipe(value: object, depth: int = 0) -> Mapping[str, object] | None:
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, list):
        found = (_find_recipe(each, depth + 1) for each in value)
        return next((each for each in found if each is not None), None)
    if not isinstance(value, dict):
        return None
    keys = _normalized(value)
    if _first(keys, _INGREDIENTS) and _first(keys, _INSTRUCTIONS):
        return keys
    kinds = value.get("@type")
    if kinds == "Recipe" or (isinstance(kinds, list) and "Recipe" in kinds):
        return keys
    inside = (_find_recipe(value.get(key), depth + 1) for key in ("recipe", "@graph", "mainEntity"))
    return next((each for each in inside if each is not None), None)


def _document(values: Mapping[str, object], parts: list[RecipePart], content: str) -> ParsedDocument:
    name = text(values.get("name") or values.get("title"))
    facts = [f"{label}: {fact}" for key, label in _FACTS.items() if (fact := _fact(values.get(key)))]
    head: list[RecipePart] = [
        ("metadata", "", list(dict.fromkeys(facts))),
        ("description", "", [text(values.get("description") or values.get("introduction"))]),
    ]
    sections = found_sections(_sections(name, [*head, *parts]))
    date = read_date(text(values.get("datepublished") or values.get("date")))
    prose = content or "\n".join(each.text for each in sections)
    return ParsedDocument(
        title=name,
        source_type="recipe",
        sections=sections,
        source_date=SourceDate(date, "front_matter") if date is not None else None,
        language=text(values.get("inlanguage"))[:2].lower() or detect_language(prose),
        tags=tuple(dict.fromkeys([*words(values.get("keywords")), *words(values.get("tags"))])),
    )


def _sections(name: str, parts: list[RecipePart]) -> Iterator[Section]:
    number = 0
    for key, heading, given in parts:
        lines = [line for line in given if line.strip()]
        if not lines:
            continue
        kind: BlockKind = "list" if key in {"ingredients", "metadata"} else "paragraph"
        separator = "\n" if kind == "list" else "\n\n"
        starts, end = [], 0
        for line in lines:
            starts.append(end)
            end += len(line) + len(separator)
        joined = separator.join(lines)
        blocks = tuple(
            Block(start, start + len(line), kind, at)
            for at, (start, line) in enumerate(zip(starts, lines, strict=True))
        )
        path = tuple(each for each in (name, heading) if each)
        yield Section(joined, RecipeLocator(part=number, end_char=len(joined), section=key), path, blocks)
        number += 1


def _parts(recipe: Mapping[str, object]) -> Iterator[RecipePart]:
    yield "ingredients", "Ingredients", [f"- {each}" for each in _items(_first(recipe, _INGREDIENTS))]
    for heading, steps in _step_groups(_first(recipe, _INSTRUCTIONS)):
        numbered = [f"{at}. {step}" for at, step in enumerate(steps, 1)] if len(steps) > 1 else steps
        yield "instructions", heading or "Instructions", numbered
    for key in ("notes", "tips", "storage", "nutrition"):
        yield key, key.capitalize(), _items(recipe.get(key))


def _step_groups(value: object) -> Iterator[tuple[str, list[str]]]:
    """Steps under the name of their section, if they have one."""
    loose: list[str] = []
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict) and (steps := each.get("itemListElement") or each.get("steps")):
            if loose:
                yield "", loose
                loose = []
            yield text(each.get("name")), _items(steps)
        else:
            loose.extend(_items(each))
    if loose:
        yield "", loose


def _items(value: object, depth: int = 0) -> list[str]:
    """A list, a text of several lines, or a mapping, as a list of lines."""
    if isinstance(value, list) and depth < _MAX_DEPTH:
        return [line for each in value for line in _items(each, depth + 1)]
    if isinstance(value, dict):
        return _items_of_mapping(value, depth)
    if isinstance(value, str) and "\n" in value.strip():
        return [line for line in (text(each) for each in value.split("\n")) if line]
    return [text(value)] if text(value) else []


def _items_of_mapping(value: Mapping[object, object], depth: int) -> list[str]:
    keys = _normalized(value)
    if body := text(keys.get("text") or keys.get("description")):
        return [body]
    if name := text(keys.get("name") or keys.get("ingredient") or keys.get("item")):
        amount = text(keys.get("quantity") or keys.get("amount") or keys.get("qty"))
        note = text(keys.get("note") or keys.get("notes"))
        line = " ".join(each for each in (amount, text(keys.get("unit")), name) if each)
        return [f"{line}, {note}" if note else line]
    found: list[str] = []
    for key, each in value.items():
        if str(key).startswith("@"):
            continue
        if isinstance(each, list | dict) and depth < _MAX_DEPTH:
            found += [f"{text(key)}:", *_items(each, depth + 1)]
        elif text(each):
            found.append(f"{text(key)}: {text(each)}")
    return found


def _fact(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(each for each in (_fact(item) for item in value) if each)
    if isinstance(value, dict):
        return text(value.get("name"))
    plain = text(value)
    match = _DURATION.fullmatch(plain)
    if match is None or not any(match.groups()):
        return plain
    units = zip(match.groups(), ("d", "h", "min", "s"), strict=True)
    return " ".join(f"{amount} {unit}" for amount, unit in units if amount)


def _normalized(value: Mapping[object, object]) -> dict[str, object]:
    return {re.sub(r"[\s_-]+", "", str(key)).lower(): each for key, each in value.items()}


def _first(values: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((values[key] for key in keys if values.get(key)), None)
