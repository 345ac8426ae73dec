"""Finds the numbers of bank accounts (IBAN, ISO 13616) by their country's length and their check sum."""

from __future__ import annotations

import re

_WRITTEN_LENGTHS = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24
FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22
SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _WRITTEN_LENGTHS.split()}
"""Characters of an account number by its country."""

_BLANK = " \\u00a0\\u202f"
_IBAN = re.compile(
    rf"(?<![^\W_])(?=((?:{'|'.join(_LENGTHS)})[{_BLANK}]?\d(?:[{_BLANK}./-]{{0,2}}[a-z0-9]){{12,32}}))",
    re.IGNORECASE | re.ASCII,
)
"""May run on into what follows, another number too."""

_CHARACTER = re.compile(r"[A-Za-z0-9]")


def without_ibans(text: str, mark: str) -> tuple[str, int]:
    """The text with the mark in the place of each account number, and how many there were."""
    parts: list[str] = []
    end = 0
    for match in _IBAN.finditer(text):
        length = _LENGTHS[match[1][:2].upper()]
        places = [place.end() for place in _CHARACTER.finditer(match[1])][:length]
        stop = match.start() + places[-1]
        ends = len(places) == length and not text[stop : stop + 1].isalnum()
        if ends and _has_check_sum(text[match.start() : stop]):
            parts += text[end : match.start()], mark
            end = stop
    return "".join([*parts, text[end:]]), len(parts) // 2


def _has_check_sum(number: str) -> bool:
    """Whether the number leaves 1 when divided by 97 (ISO 7064)."""
    plain = "".join(_CHARACTER.findall(number)).upper()
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1
