"""Runs `bob` as a fork of a process that has imported its libraries already.

Hundreds of commands are run in the suite, and most of a short one's time goes into imports. A fork has its
own process, arguments, environment, folder and streams, and runs the same `main`; what is measured, killed
or interrupted is started as a process of its own (`Bob.start`). `put_command` gives shells a `bob` that is
forked.
"""

import array
import atexit
import gc
import hashlib
import json
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path


def start(watched=lambda command: command, environment=None):
    """A process to fork, and where it listens; `watched` gives the command that starts it under a watcher."""
    folder = tempfile.mkdtemp(prefix="bob-forks-")
    path = f"{folder}/socket"
    server = subprocess.Popen(
        watched([sys.executable, __file__, path]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=environment,
    )
    assert server.stdout.readline() == b"ready\n"
    return server, path


@cache
def address():
    """Where the process listens that is forked; it ends with this one."""
    server, path = start()
    atexit.register(server.kill)
    return path


def run(arguments, cwd, environment, input=None, timeout=300, path=None):
    """As `subprocess.run` of the command, with its output as text."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write((input or "").encode())
        given.seek(0)
        ends = [each.fileno() for each in (given, out, err)]
        code = run_on(ends, arguments, cwd, environment, timeout, path)
        texts = []
        for each in (out, err):
            each.seek(0)
            texts.append(each.read().decode())
    return subprocess.CompletedProcess(arguments, code, *texts)


def run_on(ends, arguments, cwd, environment, timeout=300, path=None):
    """The exit code of the command over these descriptors: its input, its output and its errors."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.settimeout(timeout)
        asked.connect(path or address())
        order = json.dumps([arguments, str(cwd), environment]).encode("utf-8", "surrogateescape")
        given = array.array("i", ends)
        asked.sendmsg([b"%010d" % len(order)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)])
        asked.sendall(order)
        answer = asked.recv(16)
    return int(answer) if answer else -9


def put_command(folder):
    """Make `bob` in that folder the same for shells: it gives the fork its own streams and waits for it."""
    folder.mkdir()
    command = folder / "bob"
    command.write_text(f"#!{sys.executable} -IS\n{COMMAND.format(path=address())}", "utf-8")
    command.chmod(0o755)


COMMAND = """
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({path!r})
    order = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode("utf-8", "surrogateescape")
    ends = array.array("i", [0, 1, 2])
    asked.sendmsg([b"%010d" % len(order)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ends)])
    asked.sendall(order)
    sys.exit(int(asked.recv(16) or 137))
"""


IMPORTED = (
    "encodings.idna",
    "onnxruntime",
    "openai",
    "openai.resources.chat",
    "rich.live",
    "rich.markdown",
    "truststore",
    "uvicorn",
)


def serve(path):
    """Fork for each order, for ever."""
    import signal
    from importlib import import_module
    from pkgutil import walk_packages

    import bob

    # What a command would spend most of its time on.
    for name in IMPORTED:
        import_module(name)
    for module in walk_packages(bob.__path__, "bob."):
        if ".migrations" not in module.name:
            import_module(module.name)

    for load in share_model():
        load()
    if "COMPUTED_ONCE" in os.environ:  # one whose files are watched does only what commands do
        compile_patterns()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    gc.freeze()
    print("ready", flush=True)
    while True:
        asked, _ = listening.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listening.close()
            become_bob(asked)
        asked.close()


def compile_patterns():
    """Use the memory once: what is made of lexicons when it is first needed is there for every fork."""
    from datetime import date

    from small_memory import engine_over, write_files

    day = date(2025, 6, 1)
    with tempfile.TemporaryDirectory() as folder:
        notes = {"hedge.md": "# Hedge\n\nThe hedge was cut on 3 August 2024.\n", "hecke.md": "Die Hecke.\n"}
        write_files(Path(folder) / "notes", notes)
        engine = engine_over(Path(folder) / "bob.db")
        engine.index_files.index_folder(Path(folder) / "notes", "notes")
        engine.ask.answer_question("When was the hedge cut in August 2024?", today=day)
        engine.conversations.remember.tell(
            engine.conversations.scope("notes"), "The press costs 5 euros a day."
        )
        engine.close()
    assert threading.active_count() == 1, "a fork has none of these threads"


def share_model():
    """Load each model that is shipped once a process, when it is first used: each engine would load its own.
    Without threads of its own it survives a fork. What a model makes of an input is computed once a run."""
    from functools import partial

    from bob.models import networks, pair_models
    from bob.models.wordpiece import WordPiece

    words = networks.DEFAULT_MODEL / "vocab.txt"
    folders = (
        networks.DEFAULT_MODEL,
        networks.DEFAULT_QUESTION_ENCODER,
        pair_models.DEFAULT_READER,
        pair_models.DEFAULT_VERIFIER,
    )
    # The last two may be left out, to see that rules judge without them.
    shipped = [path for folder in folders if (path := folder / "model.onnx").exists()]
    opened, read = networks.open_session, WordPiece.load
    one_vocabulary = cache(lambda: read(words))
    folder = os.environ.get("COMPUTED_ONCE")

    @cache
    def one_session(path):
        session = opened(path, 1)
        return ComputedOnce(session, path, folder) if folder else session

    def open_session(path, threads):
        return one_session(path) if path in shipped else opened(path, threads)

    networks.open_session = open_session
    WordPiece.load = staticmethod(lambda path: one_vocabulary() if path == words else read(path))
    return *(partial(one_session, path) for path in shipped), one_vocabulary


class ComputedOnce:
    """A network's session that keeps its outputs in a folder, for every process of a run of the suite."""

    MOST_BYTES = 100_000
    """Larger outputs (a vector a word) are computed again: the folder would grow by gigabytes."""

    def __init__(self, session, path, folder):
        self._session, self._name, self._folder = session, str(path), Path(folder)

    def __getattr__(self, name):
        return getattr(self._session, name)

    def run(self, outputs, inputs):
        given = [(name, values.shape, values.dtype.str, values.tobytes()) for name, values in inputs.items()]
        key = hashlib.blake2b(pickle.dumps((self._name, outputs, given)), digest_size=20).hexdigest()
        path = self._folder / key
        if path.exists():
            return pickle.loads(path.read_bytes())
        computed = self._session.run(outputs, inputs)
        if sum(each.nbytes for each in computed) <= self.MOST_BYTES:
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as written:
                pickle.dump(computed, written)
            Path(written.name).replace(path)
        return computed


def become_bob(asked):
    """Run the order in this process, answer with its exit code, and end."""
    import io

    from bob.core.plug_ins import plug_ins

    length, ends, _, _ = socket.recv_fds(asked, 10, 3)
    order = b""
    while len(order) < int(length):
        order += asked.recv(int(length) - len(order))
    arguments, folder, environment = json.loads(order.decode("utf-8", "surrogateescape"))
    for at, end in enumerate(ends):
        os.dup2(end, at)
        os.close(end)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if places := [place for place in environment.get("PYTHONPATH", "").split(os.pathsep) if place]:
        sys.path[1:1] = places
        plug_ins.cache_clear()
    sys.argv = ["bob", *arguments]
    given, out, err = (os.fdopen(at, mode, closefd=False) for at, mode in ((0, "rb"), (1, "wb"), (2, "wb")))
    sys.stdin = io.TextIOWrapper(given, encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8")
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    code = 1
    try:
        from bob.cli.main import main

        main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0 if left.code is None else 1
        if isinstance(left.code, str):
            print(left.code, file=sys.stderr)
    except Exception:  # noqa: BLE001 - told as an interpreter tells it
        import traceback

        traceback.print_exc()
    # What an interpreter does at its end, as far as others can see it: threads and files are done.
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    asked.sendall(str(code).encode())
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
