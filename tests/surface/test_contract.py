"""The rules of the OpenAPI document, and that clients can be made from it."""

import compileall
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden" / "openapi.json"
DOCUMENT = json.loads(GOLDEN.read_text("utf-8"))
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
    assert [name for name in SCHEMAS if not re.fullmatch("[A-Z][A-Za-z]+", name)] == []
    assert [name for name in SCHEMAS if name.endswith(("Input", "Output"))] == []


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


def test_python_models_can_be_made_of_the_document(tmp_path):
    made = tmp_path / "models.py"
    options = "--input-file-type openapi --output-model-type pydantic_v2.BaseModel --formatters builtin"
    options += " --target-python-version 3.11 --extra-fields forbid"
    generator = [sys.executable, "-m", "datamodel_code_generator", "--input", GOLDEN, "--output", made]
    subprocess.run([*generator, *options.split()], check=True, timeout=300)
    specification = importlib.util.spec_from_file_location("made_models", made)
    models = importlib.util.module_from_spec(specification)
    sys.modules["made_models"] = models
    specification.loader.exec_module(models)
    assert [name for name in SCHEMAS if not hasattr(models, name)] == []
    lines = {"kind": "lines", "start_line": 3, "end_line": 4}
    chunk = {"chunk_id": 8, "ordinal": 0, "heading_path": [], "locator": lines, "text": "Cut it in May."}
    assert models.Chunk.model_validate(chunk).locator.root.start_line == 3
    with pytest.raises(ValueError, match="extra_field"):
        models.Chunk.model_validate(chunk | {"extra_field": 1})


@pytest.mark.skipif(
    not shutil.which("openapi-python-client"),
    reason="pipx install openapi-python-client; it needs another typer than Bob's command line",
)
def test_a_python_client_can_be_made_of_the_document(tmp_path):
    made = tmp_path / "client"
    generator = ["openapi-python-client", "generate", "--path", GOLDEN, "--output-path", made]
    subprocess.run([*generator, "--meta", "none"], check=True, timeout=300)
    assert compileall.compile_dir(made, quiet=1)
    functions = {path.stem for path in made.glob("api/*/*.py")}
    assert [
        operation["operationId"]
        for operation in (parameter.values[2] for parameter in OPERATIONS)
        if operation["operationId"] not in functions
    ] == []


_USE = """
import type { components, paths } from "./bob";
type Answer = paths["/ask"]["post"]["responses"][200]["content"]["application/json"];
export const kinds = (answer: Answer): string[] => answer.sources.map((source) => source.locator.kind);
export const id = (hit: components["schemas"]["Hit"]): number => hit.document_id;
"""


@pytest.mark.skipif(
    not (shutil.which("openapi-typescript") and shutil.which("tsc")),
    reason="npm install --global openapi-typescript@7 typescript@5",
)
def test_typescript_types_can_be_made_of_the_document(tmp_path):
    subprocess.run(["openapi-typescript", GOLDEN, "-o", tmp_path / "bob.ts"], check=True, timeout=300)
    (tmp_path / "use.ts").write_text(_USE, "utf-8")
    compiler = ["tsc", "--noEmit", "--strict", "bob.ts", "use.ts"]
    subprocess.run(compiler, check=True, timeout=300, cwd=tmp_path)
