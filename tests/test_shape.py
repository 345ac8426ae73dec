"""The shape that the code keeps: small documented modules, plain names, no hidden inputs below the engine.

Where a list of exceptions softens a rule, each has its reason; take a line out rather than add one.
"""

import ast
import re
import runpy
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "bob"
MODULES = sorted(SOURCE.rglob("*.py"))
NAMES = [str(path.relative_to(SOURCE)) for path in MODULES]
MODULE_NAMES = frozenset(NAMES)

MOST_LINES = 500
TOO_LONG: dict[str, str] = {}

VAGUE = re.compile(r"^(utils?|helpers?|managers?|common|misc|handlers?|stuff|base)$")
VAGUE_END = re.compile(r"(Manager|Helper|Utils?|Handler)$")

MOST_VAGUE_NAMES = 0.012
MOST_BARE_FUNCTIONS = 50
"""As measured by `python tools/count_names.py`. Lower them with each renaming."""

FACES = ("cli/", "http/", "mcp/", "ui/", "python.py")
FOR_FACES = {"typer", "rich", "click", "fastapi", "uvicorn", "mcp"}

AT_OR_ABOVE_ENGINE = (*FACES, "app/")
HIDDEN = {
    "os.environ": "environment",
    "os.getenv": "environment",
    "time.time": "clock",
    "datetime.now": "clock",
    "datetime.today": "clock",
    "datetime.utcnow": "clock",
    "date.today": "clock",
    "uuid.uuid4": "chance",
    "uuid.uuid1": "chance",
    "secrets.token_hex": "chance",
    "random.random": "chance",
    "random.choice": "chance",
    "random.shuffle": "chance",
    "time.monotonic": "stopwatch",
    "time.perf_counter": "stopwatch",
    "time.sleep": "stopwatch",
}
ALLOWED = {
    ("__init__.py", "environment"): "switches telemetry off, before anything that has it is imported",
    ("documents/embed_pending.py", "clock"): "leases of jobs; the default of a parameter that tests replace",
    ("storage/jobs.py", "chance"): "tells this process from an earlier one of the same number",
    ("work/sql_child.py", "stopwatch"): "ends a question that takes too long, in a process of its own",
    ("storage/postgres.py", "stopwatch"): "waits for a server that starts again",
    ("search/snapshot.py", "clock"): "tells a build under way from one that was killed an hour ago",
    ("search/snapshot.py", "chance"): "a folder name that no other process takes; nothing reads it",
    ("documents/ingest_changes.py", "stopwatch"): "durations in the report, and how often to commit",
    ("documents/embed_pending.py", "stopwatch"): "the budget of time, and durations in the report",
    ("answers/ask.py", "stopwatch"): "durations in the audit",
    ("answers/write_answer.py", "stopwatch"): "durations in the audit",
    ("evaluation/benchmark_beir.py", "stopwatch"): "what a benchmark measures",
    ("evaluation/benchmark_duplicates.py", "stopwatch"): "what a benchmark measures",
    ("evaluation/benchmark_recall.py", "stopwatch"): "what a benchmark measures",
    ("evaluation/evaluate.py", "stopwatch"): "what an evaluation measures",
    ("models/openai_embedder.py", "stopwatch"): "waits between tries of a server",
    ("llm/endpoint.py", "stopwatch"): "how long an answer of a server may take in all",
    ("llm/limited_stream.py", "stopwatch"): "how long an answer of a server may take in all",
}


@cache
def text_of(name):
    return (SOURCE / name).read_text(encoding="utf-8")


@cache
def tree_of(name):
    return ast.parse(text_of(name))


def below(*places):
    return [name for name in NAMES if not name.startswith(places)]


def test_there_are_modules_to_look_at():
    assert len(NAMES) > 80 and "app/engine.py" in NAMES


def test_a_module_says_what_it_is_for():
    assert not [name for name in NAMES if not (ast.get_docstring(tree_of(name)) or "").strip()]


def test_a_module_is_short():
    long = {name: lines for name in NAMES if (lines := len(text_of(name).splitlines())) > MOST_LINES}
    assert long.keys() == TOO_LONG.keys(), long


def test_names_say_something():
    assert not [name for name in NAMES if any(VAGUE.match(part) for part in Path(name).with_suffix("").parts)]
    kinds = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
    defined = [
        (name, node.name) for name in NAMES for node in ast.walk(tree_of(name)) if isinstance(node, kinds)
    ]
    assert not [each for each in defined if VAGUE_END.search(each[1]) or VAGUE.match(each[1])]


def test_names_are_nouns_of_what_they_name():
    count = runpy.run_path(str(SOURCE.parents[1] / "tools" / "count_names.py"))
    assert count["vague_share"]() <= MOST_VAGUE_NAMES and count["bare_functions"]() <= MOST_BARE_FUNCTIONS


def imported_by(name):
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_only_faces_know_the_terminal_and_the_web():
    assert not [(name, each) for name in below(*FACES) for each in imported_by(name) if each in FOR_FACES]


def test_time_chance_and_environment_are_passed_in_below_the_engine():
    found = {(name, kind): line for name in below(*AT_OR_ABOVE_ENGINE) for kind, line in hidden_inputs(name)}
    assert found.keys() == ALLOWED.keys(), {each: found[each] for each in found.keys() - ALLOWED.keys()}


def hidden_inputs(name):
    """Each use of the clock, of chance or of the environment: what kind it is, and its line."""
    members = {dotted.rpartition(".")[::2]: kind for dotted, kind in HIDDEN.items()}
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "attr", None) or getattr(node.value, "id", None)
            if f"{owner}.{node.attr}" in HIDDEN:
                yield HIDDEN[f"{owner}.{node.attr}"], node.lineno
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                if (node.module, each.name) in members:
                    yield members[node.module, each.name], node.lineno


def test_nothing_catches_everything_without_saying_why():
    wrong = []
    for name in NAMES:
        lines = text_of(name).splitlines()
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.ExceptHandler):
                broad = node.type is None or re.search(r"\b(Base)?Exception\b", ast.unparse(node.type))
                if broad and "BLE001 - " not in lines[node.lineno - 1]:
                    wrong.append((name, node.lineno))
    assert not wrong


def modules_imported_by(name):
    """Those of Bob, also where they are imported for types alone or inside a function."""
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "bob":
            place = Path(*node.module.split(".")[1:])
            for path in (place / each.name for each in node.names):
                yield from {f"{path}.py", f"{place}.py"} & MODULE_NAMES


def test_no_module_imports_itself_by_way_of_others():
    TopologicalSorter({name: set(modules_imported_by(name)) for name in NAMES}).prepare()
