"""The Tab key in a real shell: commands, options and projects; other shells by what they are sent."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile_markup import NAMES
from served_memory import GARDEN, KITCHEN, index
from small_memory import bob_in, engine_over

BOB = Path(sys.executable).parent / "bob"
pytestmark = pytest.mark.skipif(not BOB.exists(), reason="`bob` is not installed as a command")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    bob = bob_in(tmp_path_factory.mktemp("completion") / "home")
    engine = engine_over(bob.database)
    odd = {
        each: {"a.md": "# A\n"} for each in ("garden $(touch ran)", "garden`touch ran`", f"garden{NAMES[0]}")
    }
    index(engine, bob.home, garden=GARDEN, gardening=KITCHEN, **odd)
    engine.close()
    bob.environment["PATH"] = f"{BOB.parent}{os.pathsep}{os.environ['PATH']}"
    return bob


class Shell:
    """bash with a terminal."""

    def __init__(self, home):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            environment = home.environment | {"TERM": "dumb", "INPUTRC": os.devnull}
            os.chdir(home.home)
            os.execvpe("bash", ["bash", "-i"], environment)

    def shows(self, wanted):
        """What the terminal shows, up to `wanted`."""
        shown, until = "", time.monotonic() + 60
        while wanted not in shown and time.monotonic() < until:
            if select.select([self.terminal], [], [], 1)[0]:
                shown += os.read(self.terminal, 65536).decode()
        assert wanted in shown, shown
        return shown

    def types(self, keys):
        os.write(self.terminal, keys.encode())

    def close(self):
        self.types("\x15exit\n")
        os.close(self.terminal)
        os.waitpid(self.child, 0)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_projects(home):
    shell = Shell(home)
    shell.types("bob --install-completion && . ~/.bashrc && echo in''stalled\n")
    shell.shows("installed\r\n")
    for typed, completed in (
        ("bob memor", "bob memories "),
        ("bob search --mo", "bob search --mode "),
        ("bob search --mode v", "bob search --mode vectors "),
        ("bob search heron --project gardeni", "bob search heron --project gardening "),
        ("bob chat --project gardeni", "bob chat --project gardening "),
    ):
        shell.types(f"{typed}\t")
        shell.shows(completed)
        shell.types("\x15")
    shell.close()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_every_shell_is_sent_the_same_names(home, shell):
    told = {
        "_BOB_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "bob search --project gard",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run([BOB], env=home.environment | told, capture_output=True, text=True, check=False)
    assert "garden" in done.stdout and "gardening" in done.stdout, done.stderr
    # What is offered is read by the shell: names that it would take for more are left out.
    assert "touch" not in done.stdout and "ran(" not in done.stdout


def test_the_tab_key_makes_no_database_and_tells_no_error(home, tmp_path):
    told = {"_BOB_COMPLETE": "complete_bash", "COMP_WORDS": "bob search -p x", "COMP_CWORD": "3"}
    for more in ({"BOB_DATABASE": str(tmp_path / "bob.db")}, {"BOB_SEARCH__LIMIT": "no number"}):
        done = subprocess.run(
            [BOB], env=home.environment | told | more, capture_output=True, text=True, check=False
        )
        assert (done.stdout.strip(), done.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []
