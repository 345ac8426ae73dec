"""Writes the reference pages and `bob.yaml.example` from the code itself, so that they cannot disagree.

    python tools/write_reference.py           # write
    python tools/write_reference.py --check   # write nothing; exit code 1 if a file is not current

What a machine or a day decides (times, sizes, versions, places) is written as a fixed value.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from reference.command_line import cli_page
from reference.formats import formats_page
from reference.http_api import http_api_page
from reference.json_output import json_page
from reference.lint_rules import lint_page
from reference.place import COMMAND, ROOT
from reference.settings_pages import settings_example, settings_page

_DECIMAL = re.compile(r"\d+(?:\.\d+)+")


def pages() -> dict[Path, str]:
    """Every generated file with its content."""
    reference = ROOT / "docs" / "reference"
    return {
        reference / "cli.md": cli_page(),
        reference / "settings.md": settings_page(),
        reference / "formats.md": formats_page(),
        reference / "json.md": json_page(),
        reference / "lint.md": lint_page(),
        reference / "api.md": http_api_page(),
        ROOT / "bob.yaml.example": settings_example(),
    }


def stale() -> list[Path]:
    """The generated files that are not what the code says."""
    return [path for path, content in pages().items() if not _current(path, content)]


def _current(path: Path, content: str) -> bool:
    if not path.is_file():
        return False
    written = path.read_text(encoding="utf-8")
    if path.name == "json.md":
        # The last digits of a score differ between processors.
        return _DECIMAL.sub("0.0", written) == _DECIMAL.sub("0.0", content)
    return written == content


def main() -> None:
    """Write the files, or say which are not current."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is stale")
    if parser.parse_args().check:
        wrong = stale()
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is not current: {COMMAND}")
        sys.exit(bool(wrong))
    for path, content in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _current(path, content):
            path.write_text(content, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
