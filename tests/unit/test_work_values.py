"""Values of custom fields: checked, named in the error, and kept in one form."""

from datetime import date

import pytest

from bob.core.errors import RequestError
from bob.work.items import CustomField, FieldType
from bob.work.values import canonical, guessed_type

KEPT = [
    ("text", " a\r\nb ", "a\nb"),
    ("text", "  ", None),
    ("text", None, None),
    ("enum", "critical", "Critical"),
    ("number", 3.50, "3.5"),
    ("number", "1e3", "1000"),
    ("number", "-0.0", "0"),
    ("number", "100", "100"),
    ("number", 12345678901234567890, "12345678901234567890"),
    ("boolean", True, "true"),
    ("boolean", "No", "false"),
    ("date", "2025-01-31", "2025-01-31"),
    ("date", date(2025, 1, 31), "2025-01-31"),
    ("json", {"b": 1, "a": "é"}, '{"a": "é", "b": 1}'),
    ("json", '{"b":1,"a":2}', '{"a": 2, "b": 1}'),
]
WRONG = [
    ("text", 3),
    ("text", "x" * 100_001),
    ("enum", "severe"),
    ("enum", 1),
    ("number", "twelve"),
    ("number", True),
    ("number", "nan"),
    ("number", float("inf")),
    ("number", "1e999"),
    ("number", "1_000"),
    ("boolean", "perhaps"),
    ("boolean", 1),
    ("date", "31.01.2025"),
    ("date", "2025-02-30"),
    ("date", "20250131"),
    ("json", "{"),
    ("json", "NaN"),
    ("json", {"a": float("nan")}),
    ("json", {"a": "\ud800"}),
    ("json", {1, 2}),
]


def field(kind):
    options = ("Minor", "Critical") if kind == "enum" else ()
    return CustomField(1, "Severity", FieldType(kind), options)


@pytest.mark.parametrize(("kind", "given", "kept"), KEPT)
def test_a_value_is_kept_in_one_form(kind, given, kept):
    assert canonical(field(kind), given) == kept
    if kept is not None:
        assert canonical(field(kind), kept) == kept, "and that form is kept as it is"


@pytest.mark.parametrize(("kind", "given"), WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(kind, given):
    with pytest.raises(RequestError, match="Severity") as caught:
        canonical(field(kind), given)
    assert caught.value.field == "Severity" and len(str(caught.value)) < 200


GUESSES = [
    (["yes", "no", ""], "boolean"),
    (["0", "1"], "number"),
    (["1", "2.5"], "number"),
    (["007", "1"], "text"),
    (["2025-01-31"], "date"),
    (["2025-01-31", "soon"], "text"),
    (['{"a": 1}', "[]"], "json"),
    ([], "text"),
    (["nan", "1"], "text"),
    (["1.9", "1.10"], "text"),
    (["+4930123456", "1"], "text"),
    (["1e5"], "text"),
    (["-0"], "text"),
    (["-3", "0", "12345678901234567890.5"], "number"),
]


@pytest.mark.parametrize(("values", "kind"), GUESSES)
def test_the_narrowest_type_is_guessed(values, kind):
    assert guessed_type(values) == kind
