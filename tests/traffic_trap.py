"""Watches every system call of a command and of all that it starts: what it looks up, connects to and writes.

`strace` sees what a library in C does, too, which no hook of Python's does. What counts is the attempt: an
address that cannot be reached from a machine without a network counts as much as one that answers.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

STRACE = shutil.which("strace")
_CALLS = (
    "connect,sendto,sendmsg,sendmmsg,open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,"
    "rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate"
)
_CALL = re.compile(r"^(?P<process>\d+) +(?P<name>\w+)\((?P<arguments>.*)")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
"""A path, and before it the open folder that it is relative to."""
_INTERNET = re.compile(r"sa_family=AF_INET6?")
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "(?:::1|::ffff:127\.[\d.]+)"')
_WRITES = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT)\b")
_NAME_SERVICE = ("/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf")
"""The C library opens these when a name is looked up, and not for an address in digits."""
_OPENING = ("open", "openat", "openat2", "creat")
_DNS, _DNS_OVER_TLS = 53, 853
_NOWHERE = re.compile(r"/dev/(?:null|tty|full)$|/proc/self/|/proc/\d+/|/dev/pts/")


@dataclass
class Traffic:
    """What was seen, each as the line of the trace."""

    lookups: list = field(default_factory=list)
    connections: list = field(default_factory=list)
    files: list = field(default_factory=list)

    @property
    def total(self):
        return len(self.lookups) + len(self.connections) + len(self.files)

    def __str__(self):
        rows = [*self.lookups, *self.connections, *self.files]
        return "\n".join([f"{self.total} calls", *rows[:40]])


def trapped(command, trace):
    """The command to start in its place; the trace is written to that file."""
    return [
        STRACE,
        "-f",
        "-qq",
        "-y",
        "-s",
        "300",
        "--seccomp-bpf",
        "-e",
        f"trace={_CALLS}",
        "-o",
        str(trace),
        *command,
    ]


def signal_trapped(process, number):
    """Send a signal to what was started; `strace` itself lets none end it."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
    os.kill(int(children[0]), number)


def run_trapped(command, trace, **more):
    return subprocess.run(
        trapped(command, trace), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, **more
    )


def traffic_of(trace, folders, cwd, addresses=(), begin=0):
    """What a trace has from its byte `begin` on, beside files below `folders` and the ports `addresses`."""
    seen = Traffic()
    allowed = [Path(each).resolve() for each in folders]
    for line in Path(trace).read_bytes()[begin:].decode("utf-8", "replace").splitlines():
        call = _CALL.match(line)
        if call is None:
            continue  # The second half of a call whose first was counted, a signal, an exit.
        name, arguments = call["name"], call["arguments"]
        if name in ("connect", "sendto", "sendmsg", "sendmmsg"):
            _count_message(seen, line, arguments, addresses)
        else:
            _count_file(seen, line, name, arguments, allowed, cwd)
    return seen


def _count_message(seen, line, arguments, addresses):
    if "/nscd/" in arguments:
        return  # The C library asks this daemon about accounts; a name also opens the files below.
    if not _INTERNET.search(arguments):
        return
    port = int(_PORT.search(arguments)[1])
    if port in (_DNS, _DNS_OVER_TLS):
        seen.lookups.append(line)
    elif not (_LOOPBACK.search(arguments) and port in addresses):
        seen.connections.append(line)


def _count_file(seen, line, name, arguments, allowed, cwd):
    paths = [
        Path(cwd, folder, path.encode().decode("unicode_escape")) for folder, path in _PATH.findall(arguments)
    ]
    if any(str(path) in _NAME_SERVICE for path in paths):
        seen.lookups.append(line)
    elif name in _OPENING and name != "creat" and not _WRITES.search(arguments):
        pass
    elif not all(_is_own(path, name, allowed) for path in _written(name, paths)):
        seen.files.append(line)


def _written(name, paths):
    """Of the paths of a call, those that it makes, changes or takes away."""
    if name.startswith(("rename", "link")):
        return paths
    return paths[-1:] if name.startswith("symlink") else paths[:1]


def _is_own(path, name, allowed):
    if _NOWHERE.match(str(path)):
        return True
    place = path.resolve()
    # A new account has no ~/.local/share yet, which is no file of Bob's but where its own folder has to be.
    above = name.startswith("mkdir") and any(folder.is_relative_to(place) for folder in allowed)
    return above or any(place.is_relative_to(folder) for folder in allowed)
