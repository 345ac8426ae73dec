"""Takes secrets out of a text before it is summarized, embedded or sent anywhere.

Known forms of keys, private keys, tokens, passwords that are named as such or stand in an address, payment
cards, bank accounts (IBAN), and long random strings. The forms of some 200 services are those of gitleaks,
which `tools/write_secret_rules.py` brings up to date; how a person names a secret is known here. Git hashes,
UUIDs, checksums, ordinary identifiers and paths stay: digits and `a` to `f` alone are never taken for a
random string. Data URLs, such as an image in a document, stay as well: they are long and random and no
secret. `detect-secrets` was tried for this and left out: importing it brings an HTTP client, and it knows
neither prose nor Portuguese.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from bob.text import lexicon
from bob.text.iban import without_ibans
from bob.text.sentences import message_sentences

SecretKind = Literal[
    "private key", "api key", "token", "password", "card number", "bank account", "random string"
]


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text in which each secret is replaced by `[kind removed]`, and the kinds, in order, each once."""

    text: str
    kinds: tuple[SecretKind, ...]


_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|"
    r"\Z)",
    re.DOTALL,
)
_API_KEY = re.compile(
    r"""(?<![\w-])(?:
    (?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}            # AWS
    | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_\w{40,}        # GitHub
    | gl(?:pat|ptt|rt|dt|ft|agent)-[\w-]{20,}                # GitLab
    | sk-(?:ant-|proj-|svcacct-|or-v1-)?[\w-]{20,}           # OpenAI, Anthropic, OpenRouter
    | (?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}    # Stripe
    | xox[abeoprs]-[\w-]{10,} | xapp-[\w-]{10,}              # Slack
    | AIza[\w-]{35} | ya29\.[\w-]{20,} | GOCSPX-[\w-]{20,}   # Google
    | hf_[A-Za-z0-9]{30,} | npm_[A-Za-z0-9]{36} | pypi-[\w-]{30,} | dckr_pat_[\w-]{20,}
    | SG\.[\w-]{16,}\.[\w-]{16,} | key-[0-9a-f]{32} | (?:AC|SK)[0-9a-f]{32}   # SendGrid, Mailgun, Twilio
    | bobkey\.[a-z0-9_-]{1,64}\.[0-9a-f]{16}\.[A-Za-z0-9]{49}               # Bob
    | dop_v1_[0-9a-f]{64} | shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32} | EAA[A-Za-z0-9]{40,}
    | \d{8,10}:AA[\w-]{32,34} | [MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}       # Telegram, Discord
    )(?![\w-])""",
    re.VERBOSE,
)
_JWT = re.compile(
    r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?|(?i:(?<=bearer ))[A-Za-z0-9._~+/-]{20,}=*"
)
_IN_ADDRESS = re.compile(r"(?<=://)([^\s:/@]*:)([^\s/]+)(?=@[\w.\[-])")


_NAME = rf"(?:[\w-]*(?:{lexicon.any_of('secret names').replace(chr(92) + ' ', '[_ -]?')})|pwd|pin|token)"
_BETWEEN = rf"(?: (?:{lexicon.any_of('secret owners')})(?: [\w.@'-]+){{1,4}}?)?"
_ASIDE = r"(?:, (?:[\w'-]+ ){0,3}[\w'-]+,)?"
"""Between commas: "my password, by the way, is …"."""

_NAMED = re.compile(
    rf"(?<![\w-])({_NAME}[\"']?(?:{_BETWEEN}{_ASIDE} (?:{lexicon.any_of('secret links')})"
    rf"(?:,? (?:{lexicon.any_of('before a secret')}),?){{0,3}}:? |\s*[:=]+>?\s*)"
    rf"[\"'`]?)([^\s\"'`]+)",
    re.IGNORECASE,
)
_NO_FILLER = lexicon.either([*lexicon.phrases("no secret"), *lexicon.words("function words")])
_NAMED_BEFORE = re.compile(
    rf"(?<![\w-])({_NAME}{_BETWEEN}{_ASIDE} (?:{lexicon.any_of('secret links')})"
    rf"(?: (?!(?:{_NO_FILLER})\b)[^\W\d_]+,?){{1,3}} )"
    r"([^\s\"'`]+)",
    re.IGNORECASE,
)
"""Of other words between the link and the value so many, where that looks like no word ("Blue-42-Sky")."""

_NAME_PARTS = tuple(
    {max(phrase.split(), key=len).casefold() for phrase in lexicon.phrases("secret names")}
    | {"pwd", "pin", "token"}
)
"""Of each name its longest word: without any of them a text names no secret."""

_NO_VALUE = re.compile(
    rf"(?:{lexicon.any_of('no secret')}|"
    r"\*+|x{3,}|\.{3}|<.*|\$.*|\{.*|\[.*|%\(?\w.*|os\..*|env\..*|settings\..*|self\..*|\w+\(.*)[.,;:!?)]*$",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[a-zà-ÿ]+[.,;:!?)]*$|[A-Z][a-zà-ÿ]+[.,;:!?)]*$")
_LABELLED = re.compile(r"[:=]+>?\s*[\"'`]?$|[\"'`]$")
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)")
_RANDOM = re.compile(r"(?<![\w+/=.:@-])[A-Za-z0-9+/_=-]{24,200}(?![\w+/=@-])")
_DATA_ADDRESS = re.compile(r"data:[\w/+.-]+;base64,\s*$", re.IGNORECASE)
_DATA_ADDRESS_REACH = 200
"""Characters in which it begins: to look at all of a long text for each string takes minutes."""

_ACCOUNT_MARK = re.compile(r"\[(?:card number|bank account) removed\]")
_HEX = re.compile(r"[0-9a-fA-F-]+$")

_SHORTEST_KEY = 15
"""Characters without a blank. Most texts have no such word, and then most patterns need not be tried."""

_SHORTEST_PASSWORD = 6
"""Characters of a password that other words stand before."""

_LEAST_BITS = 4.0
"""Bits a character: above what words joined by marks reach (3.8) and below random base64 of 24 (about 4.2).
Base64 of 32 bytes has 4.7."""

_LONGEST_WORD = 6
"""A random string has no longer run of small letters; identifiers and paths consist of such runs."""


def redacted(text: str) -> Redacted:
    """The text without its secrets; pure, and the same again when run on its own result."""
    kinds: list[SecretKind] = []

    def removing(kind: SecretKind, secret: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
        def replacement(match: re.Match[str]) -> str:
            if not secret(match):
                return match[0]
            kinds.append(kind)
            before = match[1] if match.re.groups else ""
            return f"{before}[{kind} removed]"

        return replacement

    def always(_: re.Match[str]) -> bool:
        return True

    text = _PRIVATE_KEY.sub(removing("private key", always), text)
    text = _IN_ADDRESS.sub(removing("password", lambda match: not _NO_VALUE.match(match[2])), text)
    if max(map(len, text.split()), default=0) >= _SHORTEST_KEY:
        text = _API_KEY.sub(removing("api key", always), text)
        text = _JWT.sub(removing("token", always), text)
        for rule in _rules_for(text.casefold()):
            text, count = rule.without(text, "[api key removed]")
            kinds += ["api key"] * count
    folded = text.casefold()
    if any(part in folded for part in _NAME_PARTS):
        text = _NAMED.sub(removing("password", _is_password), text)
        text = _NAMED_BEFORE.sub(removing("password", _looks_like_password), text)
    text, accounts = without_ibans(text, "[bank account removed]")
    kinds += ["bank account"] * accounts
    text = _CARD.sub(removing("card number", lambda match: _is_card(match[0])), text)
    text = _RANDOM.sub(removing("random string", _is_random), text)
    return Redacted(text, tuple(dict.fromkeys(kinds)))


def without_account_numbers(text: str) -> str:
    """A cleaned text without the sentences that gave the number of a card or an account: what is left of them
    says nothing that is worth keeping. As it is, to the byte, where there are none."""
    if not _ACCOUNT_MARK.search(text):
        return text
    return "\n".join(sentence for sentence in message_sentences(text) if not _ACCOUNT_MARK.search(sentence))


def redacted_line(text: str) -> Redacted:
    """The text as one line without its secrets, those included that ran over the end of one."""
    parts = redacted(text)
    line = " ".join(parts.text.split())
    if line == parts.text:
        return parts
    whole = redacted(line)
    return Redacted(whole.text, tuple(dict.fromkeys(parts.kinds + whole.kinds)))


@dataclass(frozen=True, slots=True)
class _Rule:
    """How the keys of a service look: `group` is the secret's, and `bits` a character it has at the least."""

    pattern: str
    group: int
    bits: float

    def without(self, text: str, mark: str) -> tuple[str, int]:
        """The text with the mark in the place of each key, and how many there were."""
        parts: list[str] = []
        end = 0
        for match in _compiled(self.pattern).finditer(text):
            group = self.group or next((n for n, part in enumerate(match.groups(), 1) if part), 0)
            if _bits(match[group]) > self.bits:
                parts += text[end : match.start(group)], mark
                end = match.end(group)
        return "".join([*parts, text[end:]]), len(parts) // 2


def _rules_for(folded: str) -> Iterator[_Rule]:
    """The rules of which a keyword is in the text, in the order of their file."""
    numbers = {
        number
        for keyword, numbers_of_keyword in _keywords().items()
        if keyword in folded
        for number in numbers_of_keyword
    }
    return (_rules()[number] for number in sorted(numbers))


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(_Rule(pattern, group, bits) for _, _, bits, group, pattern in _written_rules())


@cache
def _keywords() -> dict[str, list[int]]:
    by_keyword: dict[str, list[int]] = {}
    for number, (_, keywords, *_) in enumerate(_written_rules()):
        for keyword in keywords:
            by_keyword.setdefault(keyword, []).append(number)
    return by_keyword


@cache
def _written_rules() -> list[tuple[str, list[str], float, int, str]]:
    file = Path(__file__).with_name("gitleaks") / "rules.json"
    rules: list[tuple[str, list[str], float, int, str]] = json.loads(file.read_text("utf-8"))["rules"]
    return rules


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _is_password(match: re.Match[str]) -> bool:
    """Whether what follows a secret's name is one: a plain word after "is" is speech ("the password is
    short"), but a value in quotes or behind "=" is a value."""
    value = match[2]
    if _NO_VALUE.match(value):
        return False
    return bool(_LABELLED.search(match[1])) or not _PLAIN.match(value)


def _looks_like_password(match: re.Match[str]) -> bool:
    """Whether a value has letters and figures and more, as no word and no amount has."""
    value = match[2].rstrip(".,;:!?)")
    marks = any(not character.isalnum() for character in value)
    upper = any(character.isupper() for character in value[1:])
    has_both = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return len(value) >= _SHORTEST_PASSWORD and has_both and (marks or upper) and not _NO_VALUE.match(value)


def _is_card(number: str) -> bool:
    """Whether a number of 13 to 19 digits begins as payment cards do and has their check digit (Luhn)."""
    digits = [int(character) for character in number if character.isdigit()]
    if digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) == 1:
        return False
    doubled = [
        digit if index % 2 == 0 else digit * 2 - 9 * (digit > 4)
        for index, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0


def _is_random(match: re.Match[str]) -> bool:
    value = match[0]
    before = match.string[max(0, match.start() - _DATA_ADDRESS_REACH) : match.start()]
    if _HEX.match(value) or _DATA_ADDRESS.search(before):
        return False
    kinds = (str.isdigit, str.isupper, str.islower)
    if not all(any(kind(character) for character in value) for kind in kinds):
        return False
    if any(len(run) > _LONGEST_WORD for run in re.findall(r"[a-z]+", value)):
        return False
    return _bits(value) >= _LEAST_BITS


def _bits(value: str) -> float:
    """The entropy of a character (Shannon's)."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())
