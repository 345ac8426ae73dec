"""Counts names in `src/bob` that do not say what they name: `each`, `found`, `told` and the like.

    python tools/count_names.py          the share by package, and how often each word is used
    python tools/count_names.py --list   every place, as PATH:LINE NAME

A variable is the noun of its thing (`chunk`, `hit`, `claim`), a function a verb with its object. Counted are
all names that code binds: variables, parameters and functions, without `self` and `cls`.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "bob"
VAGUE = frozenset(
    ["asked", "at", "each", "found", "given", "held", "kept", "known", "place", "said", "told", "wanted"]
)
"""Participles and pronouns in place of a noun."""
BARE = frozenset(["at", "every", "named", "of", "put", "read", "run", "those"])
"""Functions and methods that are called by a verb or a preposition alone."""


@cache
def bound_names(path: Path) -> list[tuple[int, str, bool]]:
    """Line, name and whether it is a function, of every name that a module binds."""
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append((node.lineno, node.id, False))
        elif isinstance(node, ast.arg) and node.arg not in {"self", "cls"}:
            names.append((node.lineno, node.arg, False))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.append((node.lineno, node.name, True))
    return names


def vague_share(source: Path = SOURCE) -> float:
    """The share of bound names that are vague, between 0 and 1."""
    names = [name for path in source.rglob("*.py") for _, name, _ in bound_names(path)]
    return sum(name in VAGUE for name in names) / len(names)


def bare_functions(source: Path = SOURCE) -> int:
    """The number of functions and methods with a bare name."""
    return sum(
        is_function and name in BARE
        for path in source.rglob("*.py")
        for _, name, is_function in bound_names(path)
    )


def main() -> None:
    """Prints the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="every place")
    everywhere = parser.parse_args().list
    names: Counter[str] = Counter()
    vague: Counter[str] = Counter()
    words: Counter[str] = Counter()
    bare: Counter[str] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        package = path.relative_to(SOURCE).parts[0]
        for line, name, is_function in bound_names(path):
            names[package] += 1
            is_bare = is_function and name in BARE
            if name in VAGUE:
                vague[package] += 1
                words[name] += 1
            if is_bare:
                bare[name] += 1
            if everywhere and (is_bare or name in VAGUE):
                print(f"{path.relative_to(SOURCE.parent)}:{line} {name}")
    if everywhere:
        return
    for package, count in sorted(names.items(), key=lambda item: -vague[item[0]] / item[1]):
        print(f"{package:16} {vague[package]:5} of {count:6}  {vague[package] / count:6.1%}")
    print(f"{'all':16} {vague.total():5} of {names.total():6}  {vague.total() / names.total():6.1%}")
    print("vague:", ", ".join(f"{word} {count}" for word, count in words.most_common()))
    print("bare functions:", ", ".join(f"{word} {count}" for word, count in bare.most_common()))


if __name__ == "__main__":
    main()
