"""The rules of the OpenAPI document, and that clients can be made from it."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

DOCUMENT = json.loads((Path(__file__).parent / "golden" / "openapi.json").read_text("utf-8"))
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    pytest.param(method, path, operation, id=f"{method.upper()} {path}")
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_every_answer_has_a_named_shape(method, path, operation):
    successes = {status: told for status, told in operation["responses"].items() if status.startswith("2")}
    assert successes
    for status, told in successes.items():
        for kind, media in told.get("content", {}).items():
            if kind in ("application/json", "text/event-stream"):
                assert media["schema"].keys() == {"$ref"}, (status, kind)
                assert media["schema"]["$ref"].rpartition("/")[2] in SCHEMAS


def test_every_operation_has_a_name_of_its_own():
    names = Counter(parameter.values[2]["operationId"] for parameter in OPERATIONS)
    assert [name for name, count in names.items() if count > 1] == []
    assert [name for name in names if not re.fullmatch("[a-z]+(_[a-z0-9]+)+", name)] == []


def test_every_schema_has_a_plain_name():
    assert [name for name in SCHEMAS if not re.fullmatch("[A-Z][A-Za-z]+(_[a-z_]+)?", name)] == []
    assert [name for name in SCHEMAS if "__" in name or name.endswith(("Input", "Output"))] == []


def test_an_id_is_a_whole_number_or_a_text():
    wrong = []
    for name, schema in SCHEMAS.items():
        for field, shape in schema.get("properties", {}).items():
            if field == "id" or field.endswith(("_id", "_ids")):
                kinds = json.dumps(shape)
                if '"number"' in kinds or "type" not in kinds:
                    wrong.append(f"{name}.{field}")
    assert wrong == []


def test_a_shape_says_what_each_field_is():
    open_fields = [
        f"{name}.{field}"
        for name, schema in SCHEMAS.items()
        for field, shape in schema.get("properties", {}).items()
        if not shape.keys() & {"type", "$ref", "anyOf", "oneOf", "const", "enum"}
    ]
    # The value of a setting is of any kind.
    assert open_fields == ["Setting.value", "Setting.default"]
