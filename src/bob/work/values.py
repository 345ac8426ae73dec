"""Checks what is given for an item and brings it into the one form in which it is kept (SPEC K1)."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from bob.core.errors import RequestError
from bob.work.items import CustomField, FieldType

_LINE_ENDS = re.compile(r"\r\n?|[\u0085\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""No letters: control characters, marks that show a text in another order, halves of pairs."""
_BLANK_LINES = re.compile(r"\n{3,}")


def clean_line(text: str) -> str:
    """The text in one line, words one space apart.

    >>> clean_line(" slow\\r\\n on  mobile\\x00 ")
    'slow on mobile'
    """
    return " ".join(clean_text(text).split())


def clean_text(text: str) -> str:
    """The text with its lines and paragraphs, without spaces at their ends.

    >>> clean_text("one  \\r\\ntwo\\r\\n\\r\\n\\r\\n\\r\\nthree\\x07\\n")
    'one\\ntwo\\n\\nthree'
    """
    cleaned = _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))
    lines = [line.rstrip() for line in cleaned.split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


LONGEST_TITLE = 500
LONGEST_NAME = 100
LONGEST_TEXT = 100_000
_LONGEST_PERSON = 128
_LONGEST_NUMBER = 40
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BOOLEANS = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}


def line_of(field: str, value: Any, longest: int) -> str:
    """A text of one line that is not empty. Raises RequestError."""
    line = clean_line(_text(field, value))
    if not line:
        raise RequestError(field, f"{field} is empty")
    return _within(field, line, longest)


def text_of(field: str, value: Any) -> str | None:
    """A text with its lines; None when it is empty. Raises RequestError."""
    return None if value is None else _within(field, clean_text(_text(field, value)), LONGEST_TEXT) or None


def person_of(field: str, value: Any) -> str | None:
    """The name by which a user is known; None when it is empty. Raises RequestError."""
    if value is None or value == "":
        return None
    return line_of(field, value, _LONGEST_PERSON)


def word_of(field: str, value: Any, allowed: Sequence[str]) -> str:
    """One of the words that are allowed, however it is written: `in progress` is IN_PROGRESS. Raises
    RequestError."""
    word = re.sub(r"[\s-]+", "_", clean_line(_text(field, value))).upper()
    if word in allowed:
        return word
    raise RequestError(field, f"{field}: {_shown(value)} must be one of {', '.join(allowed)}")


def canonical(field: CustomField, value: Any) -> str | None:
    """A custom field's value as text: 3.5, true, 2025-01-31, JSON with sorted keys; None for no value.

    Raises:
        RequestError: the value is not of the field's type; the message names the field.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    made = _CANONICAL[field.field_type](field, value)
    return _within(field.name, made, LONGEST_TEXT) or None


def _canonical_text(field: CustomField, value: Any) -> str:
    return clean_text(_text(field.name, value))


def _canonical_enum(field: CustomField, value: Any) -> str:
    line = clean_line(_text(field.name, value))
    for option in field.options:
        if option.casefold() == line.casefold():
            return option
    close = difflib.get_close_matches(line, field.options, n=1)
    hint = f"; did you mean {close[0]}?" if close else f" of {', '.join(field.options)}"
    raise RequestError(field.name, f"{field.name}: {_shown(value)} is none{hint}")


def _canonical_number(field: CustomField, value: Any) -> str:
    wrong = RequestError(
        field.name, f"{field.name}: {_shown(value)} is not a number; use for example 12 or 3.5"
    )
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise wrong
    written = str(value).strip()
    try:
        number = Decimal(written)
    except InvalidOperation as error:
        raise wrong from error
    # Written out, 1e999 would be a thousand digits.
    if not number.is_finite() or "_" in written or abs(number.adjusted()) > _LONGEST_NUMBER:
        raise wrong
    plain = format(number, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if Decimal(plain) == 0 else plain


def _canonical_boolean(field: CustomField, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    truth = _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else None
    if truth is None:
        raise RequestError(field.name, f"{field.name}: {_shown(value)} must be true or false")
    return truth


def _canonical_date(field: CustomField, value: Any) -> str:
    if isinstance(value, date):
        return (value.date() if isinstance(value, datetime) else value).isoformat()
    written = value.strip() if isinstance(value, str) else ""
    try:
        if _DATE.fullmatch(written):
            return date.fromisoformat(written).isoformat()
    except ValueError:
        written = ""
    raise RequestError(field.name, f"{field.name}: {_shown(value)} is not a date; use for example 2025-01-31")


def _canonical_json(field: CustomField, value: Any) -> str:
    wrong = RequestError(field.name, f"{field.name}: {_shown(value)} is not valid JSON")
    try:
        parsed = json.loads(value, parse_constant=_no_constant) if isinstance(value, str) else value
        made = json.dumps(parsed, sort_keys=True, ensure_ascii=False, allow_nan=False)
        made.encode()  # Half of a pair is no text that a database keeps.
    except (ValueError, TypeError, RecursionError) as error:
        raise wrong from error
    return made


def _no_constant(name: str) -> float:
    raise ValueError(name)


_CANONICAL = {
    FieldType.TEXT: _canonical_text,
    FieldType.ENUM: _canonical_enum,
    FieldType.NUMBER: _canonical_number,
    FieldType.BOOLEAN: _canonical_boolean,
    FieldType.DATE: _canonical_date,
    FieldType.JSON: _canonical_json,
}


def guessed_type(values: Sequence[str]) -> FieldType:
    """The narrowest type that all of these values have; text when there are none."""
    values_given = [value for value in values if value.strip()]
    if not values_given:
        return FieldType.TEXT
    for field_type in (FieldType.BOOLEAN, FieldType.NUMBER, FieldType.DATE, FieldType.JSON):
        if all(_is(field_type, value) for value in values_given):
            return field_type
    return FieldType.TEXT


def _is(field_type: FieldType, value: str) -> bool:
    if field_type is FieldType.BOOLEAN and value.strip() in ("0", "1"):
        return False
    if field_type is FieldType.JSON and not value.strip().startswith(("{", "[")):
        return False
    try:
        kept = canonical(CustomField(0, "value", field_type), value)
    except RequestError:
        return False
    # 1.10 may be a version, 007 an id and +49301234 a telephone: as numbers they would be other texts.
    return field_type is not FieldType.NUMBER or kept == value.strip()


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError(field, f"{field} must be text")
    return value


def _within(field: str, text: str, longest: int) -> str:
    if len(text) > longest:
        raise RequestError(field, f"{field} has more than {longest:,} characters")
    return text


def _shown(value: Any) -> str:
    shown = value if isinstance(value, str) else repr(value)
    return f"«{clean_line(shown[:60])}»"
