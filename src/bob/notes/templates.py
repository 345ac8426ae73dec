"""Templates of notes: a front matter with the fields, and a text with their places. No code runs in one.

A template is a Markdown file. The mapping `template` in its front matter says what it is for (`about`), where
its notes go (`folder`), how their files are named (`file`) and which fields must be given (`needs`); every
other key is a field of the note with its default. `{{field}}` stands for a field's value, in one pass: a
value that looks like a place is just text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from bob.core.document import Writer
from bob.core.errors import NotFoundError, UsageError
from bob.core.yaml_depth import check_depth
from bob.documents.formats.authorship import front_key

Default = str | tuple[str, ...]

_PLACE = re.compile(r"\{\{ *([a-z][a-z0-9_]*) *\}\}")
_QUOTED_PLACE = re.compile(r"^([ >]*)\{\{ *([a-z][a-z0-9_]*) *\}\}$", re.MULTILINE)
"""A place that has its line for itself, perhaps in a quote: only there a value keeps its lines."""

_FIELD = re.compile(r"[a-z][a-z0-9_]*")
_ABOUT = {"about", "folder", "file", "needs"}
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MOST_FILLED_IN = 200_000
_COMMON = ("title", "date", "project", "tags")


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of note. `folder` is relative to the notes' folder, `file` a name with places, without a suffix;
    `fields` are its own ones with their defaults, beside title, date, project and tags."""

    kind: str
    about: str
    folder: str
    file: str
    needs: tuple[str, ...]
    fields: Mapping[str, Default]
    body: str

    @property
    def places(self) -> tuple[str, ...]:
        """The fields that its text has a place for."""
        return tuple(dict.fromkeys(_PLACE.findall(self.body)))

    @property
    def is_numbered(self) -> bool:
        """Whether its notes carry a number."""
        return "number" in {*_PLACE.findall(self.file), *self.places}

    @property
    def names(self) -> tuple[str, ...]:
        """All fields that may be given."""
        names = dict.fromkeys((*_COMMON, *self.fields, *self.needs, *self.places))
        return tuple(name_known for name_known in names if name_known not in ("number", "kind"))

    def to_json(self) -> dict[str, Any]:
        """The template in short, as `bob new --list --json` prints it."""
        return {
            "kind": self.kind,
            "about": self.about,
            "folder": self.folder,
            "needs": list(self.needs),
            "fields": list(self.names),
        }

    def whole(self) -> dict[str, Any]:
        """The template with its fields' defaults and its text."""
        defaults = {
            name: list(value) if isinstance(value, tuple) else value for name, value in self.fields.items()
        }
        return self.to_json() | {"file": self.file, "defaults": defaults, "body": self.body}


@dataclass(frozen=True, slots=True)
class Note:
    """A rendered note; `file` is its name in words, of which a file name can be made."""

    title: str
    file: str
    text: str


def parse_template(kind: str, text: str, where: str) -> Template:
    """The template in a file's text; `where` names the file in errors.

    Raises:
        UsageError: it has no front matter, or there is a key or a value in it that no template has.
    """
    front, body = _divided(text.removeprefix("\ufeff").replace("\r\n", "\n"), where)
    about = front.pop("template", None) or {}
    if not isinstance(about, dict) or not set(about) <= _ABOUT:
        raise UsageError(f"{where}: template can have only {', '.join(sorted(_ABOUT))}")
    fields = {_field(key, where): _default(key, value, where) for key, value in front.items()}
    needs = _default("needs", about.get("needs") or (), where)
    return Template(
        kind,
        _line(str(about.get("about") or "")),
        str(about.get("folder") or ""),
        str(about.get("file") or "{{title}}"),
        tuple(_field(item, where) for item in ((needs,) if isinstance(needs, str) else needs)),
        fields,
        body,
    )


def render(
    template: Template,
    given: Mapping[str, str],
    tags: Sequence[str],
    day: date,
    number: str,
    writer: Writer | None = None,
) -> Note:
    """The note; `given` are values by field, the title and the project among them; `writer` says that it is
    not a person's own.

    Raises:
        UsageError: a needed field is missing, or one is given that the template does not have.
    """
    unknown = sorted(set(given) - set(template.names))
    if unknown:
        allowed = ", ".join(template.names)
        raise UsageError(f"{template.kind}: unknown field {unknown[0]}; use one of {allowed}")
    fixed = {"date": day.isoformat(), "number": number, "kind": template.kind}
    values = {**{key: _clean(value) for key, value in given.items()}, **fixed}
    for name in (*template.fields, *template.names):
        default = template.fields.get(name, "")
        if not values.get(name) and name != "tags":
            values[name] = ", ".join(default) if isinstance(default, tuple) else _filled(default, values)
    missing = [name for name in dict.fromkeys(("title", *template.needs)) if not _line(values.get(name, ""))]
    if missing:
        raise UsageError(f"{template.kind}: {' and '.join(missing)} must not be empty")
    values["tags"] = ", ".join(all_tags := _tags(template, tags))
    return Note(
        title=_line(values["title"]),
        file=_filled(template.file, values),
        text=_front(template, values, all_tags, day, writer) + _body(template.body, values),
    )


def _divided(text: str, where: str) -> tuple[dict[Any, Any], str]:
    lines = text.split("\n")
    ends = [index for index, line in enumerate(lines[1:], 1) if line.rstrip() == "---"]
    if lines[0].rstrip() != "---" or not ends:
        raise UsageError(f"{where}: a template begins with front matter between two lines of ---")
    content = "\n".join(lines[1 : ends[0]])
    try:
        check_depth(content)
        front = yaml.load(content, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{where}: its front matter is not valid YAML (put placeholders in quotes)"
        ) from error
    if not isinstance(front, dict):
        raise UsageError(f"{where}: its front matter has no keys")
    return front, "\n".join(lines[ends[0] + 1 :])


def _field(name: object, where: str) -> str:
    if not isinstance(name, str) or not _FIELD.fullmatch(name):
        raise UsageError(
            f"{where}: {name}: the name of a field must be lower-case letters, digits and underscores"
        )
    return name


def _default(key: object, value: object, where: str) -> Default:
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(_line(item) for item in value)
    raise UsageError(f"{where}: {key}: the front matter of a template can have only texts and lists of texts")


def _tags(template: Template, tags: Sequence[str]) -> list[str]:
    own = template.fields.get("tags", ())
    every = (_line(tag).lstrip("#").strip() for tag in ((own,) if isinstance(own, str) else own) + (*tags,))
    return list(dict.fromkeys(tag for tag in every if tag))


def _front(
    template: Template, values: Mapping[str, str], tags: list[str], day: date, writer: Writer | None
) -> str:
    front: dict[str, object] = {"title": _line(values["title"]), "date": day}
    if project := _line(values.get("project", "")):
        front["project"] = project
    if tags:
        front["tags"] = tags
    front["kind"] = template.kind
    if writer:
        front |= front_key(writer)
    for name, default in template.fields.items():
        if name not in front and name not in _COMMON:
            value = _line(values[name])
            unchanged = isinstance(default, tuple) and value == ", ".join(default)
            front[name] = list(default) if unchanged else value
    width = float("inf")
    dumped = yaml.dump(
        front, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=width, default_flow_style=False
    )
    return f"---\n{dumped}---\n"


class _Dumper(yaml.SafeDumper):
    """Writes nothing as nothing, a key to be filled in, and lists in one line."""


def _represented(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    if not value:
        return dumper.represent_scalar("tag:yaml.org,2002:null", "")
    return dumper.represent_scalar("tag:yaml.org,2002:str", value)


def _represented_list(dumper: yaml.SafeDumper, value: list[str]) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)


_Dumper.add_representer(str, _represented)
_Dumper.add_representer(list, _represented_list)


def _body(body: str, values: Mapping[str, str]) -> str:
    def alone(match: re.Match[str]) -> str:
        value = values.get(match[2], "")
        return "\n".join((match[1] + line).rstrip() for line in value.split("\n"))

    parts: list[str] = []
    reached = 0
    for match in _QUOTED_PLACE.finditer(body):
        parts += [_filled(body[reached : match.start()], values), alone(match)]
        reached = match.end()
    parts.append(_filled(body[reached:], values))
    text = re.sub(r"(?<=\S) $", "", "".join(parts), flags=re.MULTILINE)  # "Owner: " of nobody
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its places filled in. A default has places itself, which can double and double again."""
    if sum(len(values.get(name, "")) for name in _PLACE.findall(text)) > _MOST_FILLED_IN:
        kind = values.get("kind", "template")
        raise UsageError(f"{kind}: its placeholders take more than {_MOST_FILLED_IN:,} characters")
    return _PLACE.sub(lambda match: _line(values.get(match[1], "")), text)


def _clean(value: str) -> str:
    """The value without control characters; its line ends are line feeds."""
    return _CONTROL.sub(" ", re.sub(r"\r\n?|[\x85\u2028\u2029]", "\n", value)).strip()


def _line(value: str) -> str:
    return " ".join(_CONTROL.sub(" ", value).split())


_BUILT_IN = Path(__file__).parent / "templates"
_KIND = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Templates:
    """The templates in `own`, if that is a folder's path, and those of Bob that it does not replace."""

    def __init__(self, own: Path | None = None) -> None:
        self._own = own

    def kinds(self) -> list[str]:
        """All kinds, by name. Raises UsageError: the own folder is not there."""
        return sorted(self._paths())

    def get(self, kind: str) -> Template:
        """The template of a kind.

        Raises:
            NotFoundError: there is no such kind.
            UsageError: the template is wrong, or cannot be read.
        """
        paths = self._paths()
        if kind not in paths:
            raise NotFoundError(f"{kind}: unknown kind of note; use one of {', '.join(sorted(paths))}")
        try:
            text = paths[kind].read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{paths[kind]}: the template cannot be read as UTF-8 text") from error
        return parse_template(kind, text, str(paths[kind]))

    def _paths(self) -> dict[str, Path]:
        if self._own is not None and not self._own.is_dir():
            raise UsageError(f"{self._own}: no such folder; change notes.templates")
        folders = [_BUILT_IN] if self._own is None else [_BUILT_IN, self._own]
        return {
            path.stem: path
            for folder in folders
            for path in folder.glob("*.md")
            if _KIND.fullmatch(path.stem)
        }
