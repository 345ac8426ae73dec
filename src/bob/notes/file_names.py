"""File names that every system takes, made of any text; and what a name of a note may be."""

from __future__ import annotations

import unicodedata

from bob.core.errors import UsageError
from bob.core.storable import is_storable
from bob.text.visible import visible_line

NOTE_SUFFIX = ".md"

_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789¹²³"]
)
"""Names of devices on Windows, whatever their suffix:
https://learn.microsoft.com/windows/win32/fileio/naming-a-file"""

_FORBIDDEN = frozenset('<>:"/\\|?*')
_STEM_BYTES = 150
"""Of the 255 that file systems take; the rest is for a date or a number before, and a number after."""
_NAME_BYTES = 200


_UNNAMED = "note"


def slug(text: str) -> str:
    """The letters and digits of a text in any script, lower case (NFC), with hyphens between the words.

    It has at most 150 bytes in UTF-8, is no name of a device, and is "note" when nothing is left.
    """
    words: list[str] = []
    word = ""
    for character in unicodedata.normalize("NFC", text).lower():
        kind = unicodedata.category(character)[0]
        if kind in "LN" or (kind == "M" and word):
            word += character
        elif word and character not in "'’":
            words.append(word)
            word = ""
    name = unicodedata.normalize("NFC", "-".join([*words, word] if word else words))
    name = name.encode()[:_STEM_BYTES].decode(errors="ignore").rstrip("-")
    return f"{name}-{_UNNAMED}" if name in _RESERVED else name or _UNNAMED


def check_existing_name(name: str) -> None:
    """Refuse what lies hidden, such as `.git`, and names that no system takes.

    Raises:
        UsageError: it says what is wrong with the name.
    """
    if name.startswith("."):
        raise UsageError(f"{visible_line(name)}: hidden files and folders are not allowed")
    if not is_storable(name):
        raise UsageError(f"{visible_line(name)}: the name is not UTF-8, or contains a null character")


def check_name(name: str) -> None:
    """Refuse a name that a new note or folder may not have, on whatever system.

    Raises:
        UsageError: it says what is wrong with the name.
    """
    reason = _flaw(name)
    if reason is not None:
        raise UsageError(f"{visible_line(name)}: invalid name of a note or folder: {reason}")


def _flaw(name: str) -> str | None:
    if not name:
        return "the name is empty"
    if name.startswith("."):
        return "it begins with a dot"
    if name[0] == " " or name[-1] in ". ":
        return "it begins with a space, or ends with a dot or a space"
    if any(character in _FORBIDDEN or not character.isprintable() for character in name):
        return "it has a character that some systems do not allow"
    if unicodedata.normalize("NFC", name) != name:
        return "it is not in Unicode normal form NFC"
    if len(name.encode(errors="replace")) > _NAME_BYTES:
        return f"it has more than {_NAME_BYTES} bytes"
    if name.split(".", maxsplit=1)[0].rstrip().lower() in _RESERVED:
        return "it is the name of a device on Windows"
    return None
