"""Writes src/bob/text/gitleaks/rules.json: the rules of gitleaks for secrets, as Python's `re` reads them.

    python tools/write_secret_rules.py GITLEAKS_TOML VERSION

GITLEAKS_TOML is config/gitleaks.toml of https://github.com/gitleaks/gitleaks (MIT) at the tag VERSION. A rule
that cannot be translated is named and left out, as is one of `LEFT_OUT`.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/bob/text/gitleaks/rules.json"

LEFT_OUT = {
    "curl-auth-header": "reads on over lines, several times over: not linear",
    "curl-auth-user": "reads on over lines, several times over: not linear",
    "generic-api-key": "needs a list of words that are no secrets; Bob's rule for named secrets does it",
    "jwt": "Bob's rule is wider",
    "private-key": "Bob's rule takes one that is cut off, too",
    "sidekiq-sensitive-url": "Bob's rule for passwords in addresses does it",
    "sourcegraph-access-token": "takes any Git hash in a text that names the product",
    "vault-service-token": "takes names such as s.connectionPoolManagerImpl",
}

_NO_SECRET = re.compile(r"-(client-id|public-key|access-id|api-id|access-key-id|key-id)$")
"""Names of rules for what everybody may know."""

_ANY_NAME = r"[\w.-]{0,50}?"
"""What gitleaks shows before a keyword. Left out: it holds no secret, and takes 2,500 tries a letter."""


def translated(pattern: str) -> str:
    """The pattern for `re`. Raises ValueError: it cannot be said there."""
    text = pattern.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[a-zA-Z0-9]")
    text = text.replace(_ANY_NAME, "")
    text = _scoped(text)
    re.compile(text, re.ASCII)
    return text


def _scoped(text: str) -> str:
    """`(?i)` holds to the end of its group in RE2, and only at the beginning in `re`."""
    while (at := text.find("(?i)")) >= 0:
        end = _group_end(text, at + 4)
        rest = text[at + 4 : end]
        if at and _alternatives(rest):
            raise ValueError("(?i) before alternatives")
        text = f"{text[:at]}(?i:{rest}){text[end:]}"
    return text


def _group_end(text: str, at: int) -> int:
    depth = 0
    for place, letter in _syntax(text, at):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return place
    return len(text)


def _alternatives(text: str) -> bool:
    depth = 0
    for _, letter in _syntax(text, 0):
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            return True
    return False


def _syntax(text: str, at: int) -> Iterator[tuple[int, str]]:
    """The letters outside of brackets that are not escaped."""
    inside = False
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if inside:
            inside = text[at] != "]"
        elif text[at] == "[":
            inside = True
        else:
            yield at, text[at]
        at += 1


def main() -> None:
    """Write the file, and say what is left out."""
    source, version = sys.argv[1:]
    rules, left_out = [], dict(LEFT_OUT)
    for rule in tomllib.loads(Path(source).read_text("utf-8"))["rules"]:
        name = rule["id"]
        if name in LEFT_OUT:
            continue
        if _NO_SECRET.search(name):
            left_out[name] = "no secret"
            continue
        if "path" in rule or "regex" not in rule:
            left_out[name] = "needs the path of a file"
            continue
        try:
            pattern = translated(rule["regex"])
        except (ValueError, re.error) as error:
            left_out[name] = str(error)
            continue
        rules.append([name, rule["keywords"], rule.get("entropy", 0), rule.get("secretGroup", 0), pattern])
    lines = ",\n".join(json.dumps(each) for each in rules)
    TARGET.write_text(
        f'{{"source": "https://github.com/gitleaks/gitleaks {version}, MIT, see LICENSE beside this file",\n'
        f'"fields": ["name", "keywords", "entropy", "group", "pattern"],\n"rules": [\n{lines}\n]}}\n',
        "utf-8",
    )
    print(f"{len(rules)} rules; left out:")
    for name, why in sorted(left_out.items()):
        print(f"  {name}: {why}")


if __name__ == "__main__":
    main()
