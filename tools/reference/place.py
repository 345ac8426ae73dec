"""Where the pages belong, and what stands at the top of each."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = "python tools/write_reference.py"
NOTICE = f"<!-- Written by `{COMMAND}`; change the code, not this page. -->"
