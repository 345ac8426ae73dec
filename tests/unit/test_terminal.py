"""The streams between Bob and the terminal, as a process of its own has them."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_terminal import LINE, MARK, NAME, TEXT, dangers

import bob.cli

CLI = Path(bob.cli.__file__).parent
SETUP = """
import logging, sys, warnings
from bob.cli.main import main
from bob.cli import output, terminal
from bob.text.visible import LineFormatter
terminal.install_visible_streams()
log = logging.StreamHandler()
log.setFormatter(LineFormatter("bob: %(message)s"))
logging.basicConfig(handlers=[log])
EVIL, NAME = sys.argv[1:]
"""


def run(program, encoding="utf-8", *arguments):
    """What a program with Bob's streams writes, in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", SETUP + program, *(arguments or (TEXT, NAME))],
        env={"PYTHONIOENCODING": encoding, "PYTHONPATH": str(CLI.parents[1]), "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "print(EVIL)",
        "sys.stdout.write(EVIL); sys.stderr.write(EVIL)",
        "sys.stdout.writelines([EVIL])",
        "sys.__stdout__.write(EVIL); sys.__stderr__.write(EVIL)",
        "for each in EVIL: print(each, end='', flush=True)",
        "logging.getLogger('x').error('%s and %s', EVIL, NAME)",
        "logging.lastResort.stream.write(EVIL)",
        "warnings.warn(EVIL)",
        "raise ValueError(EVIL)",
        "sys.exit(EVIL)",
        "import typer; typer.echo(EVIL); typer.echo(EVIL, err=True)",
        "output.print_line(NAME); output.print_error(NAME); output.print_notice(NAME)",
        "output.Output().print(NAME, (NAME, 'red'))",
        "output.Output().print_text(EVIL)",
        "output.print_line(output.shown_path(NAME))",
        "terminal.redraw_line(NAME)",
    ],
)
def test_whatever_is_written_is_marked(program):
    shown = run(program)
    assert not dangers(shown, terminal="redraw" in program), shown
    assert MARK.search(shown.decode())


def test_an_exception_in_the_log_is_indented_so_that_it_forges_no_line():
    shown = run("try:\n    raise ValueError(NAME)\nexcept ValueError:\n    logging.exception(NAME)").decode()
    assert [each for each in shown.splitlines() if not each.startswith("    ")] == [shown.splitlines()[0]]
    assert shown.startswith("bob: n␊FORGED") and "    FORGED" in shown


def test_a_servers_log_lines_are_marked_and_exact_as_json():
    program = "from bob.http.logs import set_up\nset_up({form!r})\n"
    program += "logging.getLogger('bob.x').error('%s', EVIL + NAME)"
    shown = run(program.format(form="text"))
    assert not dangers(shown, terminal=False) and shown.count(b"\n") == 1 and MARK.search(shown.decode())
    shown = run(program.format(form="json"))
    assert not dangers(shown, terminal=False) and json.loads(shown)["message"] == TEXT + NAME


def test_what_is_written_past_the_streams_has_no_way():
    program = "old = sys.stdout\nterminal.install_visible_streams()\nassert sys.stdout is old\n"
    assert run(program + "print(type(sys.stdout).__name__)") == b"VisibleStream\n"


def test_a_reply_in_pieces_keeps_its_emoji():
    pieces = ["👩", "\u200d", "🔬", " می", "\u200cخواهم"]
    program = f"for each in {pieces!r}: output.print_text(each, end='')"
    assert run(program).decode() == "".join(pieces)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "utf-16-le"])
def test_other_encodings_show_marks_too(encoding):
    shown = run("print('é €', EVIL)\nprint(NAME, file=sys.stderr)", encoding).decode(encoding)
    assert not dangers(shown.replace("\nFORGED", "").encode(), terminal=False)
    if encoding == "utf-16-le":
        assert "␛]52" in shown
    else:
        assert "<1B>]52" in shown and "<U+202E>" in shown
    assert shown.startswith(
        {"ascii": "\\xe9 \\u20ac", "latin-1": "é \\u20ac", "cp437": "é \\u20ac"}.get(encoding, "é €")
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_json_is_exact_in_every_encoding(encoding):
    value = [TEXT, NAME, "é € 👩\u200d🔬 ␛ ⟨U+202E⟩", "\udc9b"]
    shown = run(f"output.print_json({value!r})", encoding)
    assert json.loads(shown.decode(encoding)) == value
    assert not dangers(shown.decode(encoding).replace("👩\u200d", "").encode(), terminal=False)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "javascript:x",
        "file://host/share",
        "file:///a b",
        "file:///a\x1b\\\x1b]52;c;cA==\x1b\\",
        "file:///a\u202e",
        "file:///%zz",
        "file:///é",
    ],
)
def test_only_files_are_linked(address):
    program = (
        "from rich.style import Style\nfrom rich.text import Text\n"
        "console = terminal.styled_console(sys.stdout, force_terminal=True, color_system='truecolor')\n"
        f"console.print(Text(EVIL, Style(link={address!r}, bold=True)))\n"
        "console.print(Text('a', Style(link='file:///a%20b#L3')))"
    )
    shown = run(program).decode()
    assert shown.count("\x1b]8;id=") == 1 and "file:///a%20b#L3\x1b\\a\x1b]8;;\x1b\\" in shown
    assert "␛]8;;evil:x␛" in shown


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        "\x1b[?1049h",
        "\x1b]8;;https://evil.example\x1b\\x",
        "\x1b]8;id=1;file:///a\x07",
        "\x1b[5;5H",
        "a\r\nb",
    ],
)
def test_the_styled_channel_lets_only_bobs_own_through(text):
    program = f"sys.stdout.write_styled({text!r} + '\\x1b[1mbold\\x1b[0m')"
    shown = run(program).decode()
    assert shown.endswith("\x1b[1mbold\x1b[0m")
    assert not dangers(shown.encode(), terminal=True), shown


def test_commands_print_with_the_module_for_it():
    """A name that is printed past it could forge a line."""
    past = []
    for path in sorted(CLI.glob("*.py")):
        if path.name in ("output.py", "terminal.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called in ("print", "typer.echo", "typer.secho", "Console") or (
                ".write" in called and "sys.std" in called
            ):
                past.append(f"{path.name}:{node.lineno} {called}")
    assert past == []
