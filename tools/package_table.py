"""Prints the packages of Bob with their lines and modules, as the table of docs/architecture.md has them.

python tools/package_table.py
"""

from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "bob"
AIMS = {
    "core": (1_400, 8),
    "text": (2_200, 14),
    "storage": (2_000, 10),
    "models": (800, 6),
    "llm": (1_200, 9),
    "search": (2_400, 12),
    "documents": (7_000, 36),
    "decisions": (3_200, 14),
    "answers": (3_500, 16),
    "conversations": (4_700, 20),
    "work": (4_000, 18),
    "access": (600, 4),
    "notes": (3_600, 16),
    "health": (1_600, 8),
    "personas": (700, 4),
    "evaluation": (1_900, 10),
    "app": (1_200, 6),
    "http": (4_500, 22),
    "mcp": (1_200, 8),
    "cli": (4_300, 20),
}
"""Lines and modules that a package should need: an aim with an argument behind it, no limit."""


def main() -> None:
    """Print the table."""
    print("| package | lines | modules | aim |\n| --- | ---: | ---: | ---: |")
    whole = [0, 0]
    for name, (lines, modules) in AIMS.items():
        files = [each for each in (ROOT / name).rglob("*.py") if each.name != "__init__.py"]
        count = sum(len(each.read_text("utf-8").splitlines()) for each in files)
        whole = [whole[0] + count, whole[1] + len(files)]
        print(f"| `{name}` | {count:,} | {len(files)} | {lines:,}, {modules} |")
    formats = list((ROOT.parent / "bob_formats").rglob("*.py"))
    aim = f"{sum(each[0] for each in AIMS.values()):,}, {sum(each[1] for each in AIMS.values())}"
    print(f"| all | {whole[0]:,} | {whole[1]} | {aim} |")
    count = sum(len(each.read_text("utf-8").splitlines()) for each in formats)
    print(f"| `bob_formats`, beside `bob` | {count:,} | {len(formats)} | |")


if __name__ == "__main__":
    main()
