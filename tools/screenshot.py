"""Makes docs/screenshot.png: a real question over the example notes, as a terminal shows it.

    python tools/screenshot.py

`bob` runs in a pseudo-terminal, so that it prints its colours. Rich draws what it printed as SVG, and
Chromium, which has to be installed, makes that a picture. Needs a POSIX system.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "docs" / "examples" / "notes"
COMMANDS = (
    'bob ask --in notes "When is the pump drained?"',
    'bob ask "What did we decide about the hives?" --tag meeting',
    'bob ask "Are dogs allowed in the garden?"',
)
COLUMNS = 100
SCALE = 2

_CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--default-background-color=00000000",
)
_PROGRESS = re.compile(r"[^\n]*\r\x1b\[2K")
_LINK = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\")

_THEME = TerminalTheme(
    (17, 24, 32),
    (225, 231, 238),
    [
        (40, 50, 62), (240, 113, 120), (126, 201, 143), (232, 196, 104),
        (112, 165, 235), (198, 146, 233), (96, 200, 214), (225, 231, 238),
    ],
    [
        (128, 142, 158), (255, 140, 146), (150, 225, 168), (250, 215, 130),
        (140, 190, 255), (220, 170, 250), (130, 225, 238), (255, 255, 255),
    ],
)  # fmt: skip


def printed(command: str, folder: Path) -> str:
    """What a command prints in a terminal, colours included and progress left out."""
    home = folder / ".home"
    home.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BOB_", "XDG_"))}
    environment |= {"HOME": str(home), "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "60"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment.pop("NO_COLOR", None)
    parent, child = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=environment, stdin=child, stdout=child, stderr=child
    )
    os.close(child)
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(parent, 65_536)
        except OSError:  # the last process that had the terminal is gone
            break
        if not part:
            break
        parts.append(part)
    os.close(parent)
    process.wait()
    text = b"".join(parts).decode("utf-8").replace("\r\n", "\n")
    return _LINK.sub("", _PROGRESS.sub("", text))


def drawn(outputs: list[tuple[str, str]]) -> str:
    """A terminal window with the commands and what they printed, as SVG."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        for at, (command, output) in enumerate(outputs):
            console.print(Text.assemble(("" if at == 0 else "\n"), ("$ ", "bold cyan"), (command, "bold")))
            console.print(Text.from_ansi(output.rstrip("\n")))
        console.print()
        return console.export_svg(title="bob", theme=_THEME)


def main() -> None:
    """Run the commands and write the picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("Chromium is needed to turn the SVG into a picture")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        shutil.copytree(NOTES, folder / "notes")
        svg = drawn([(command, printed(command, folder)) for command in COMMANDS])
        # The font that the SVG names would be fetched; the system's own is there already.
        svg = re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
        svg = svg.replace("Fira Code", "DejaVu Sans Mono").replace("font-variant: east-asian-width;", "")
        sizes = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
        assert sizes is not None
        width, height = (round(float(size)) for size in sizes.groups())
        page = folder / "page.html"
        style = f"body{{margin:0}}svg{{display:block;width:{width}px;height:{height}px}}"
        page.write_text(f"<!doctype html><style>{style}</style>{svg}", encoding="utf-8")
        subprocess.run(
            [
                browser,
                *_CHROMIUM,
                f"--user-data-dir={folder / 'browser'}",
                f"--window-size={width},{height}",
                f"--force-device-scale-factor={SCALE}",
                f"--screenshot={ROOT / 'docs' / 'screenshot.png'}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
