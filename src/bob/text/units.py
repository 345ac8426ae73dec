"""Units of measure, and which of them can be compared: seconds with hours, kilobytes with gigabytes."""

from __future__ import annotations

from bob.text import lexicon

_DAY = 86_400.0
_YEAR = 365.25 * _DAY

# What a unit measures, its factor, its name in the lexicon, and the symbols that all languages share.
_UNITS: tuple[tuple[str, float, str, str], ...] = (
    ("time", 1e-9, "nanosecond", "ns"),
    ("time", 1e-6, "microsecond", "µs us"),
    ("time", 1e-3, "millisecond", "ms"),
    ("time", 1.0, "second", "s"),
    ("time", 60.0, "minute", "min"),
    ("time", 3600.0, "hour", "h"),
    ("time", _DAY, "day", "d"),
    ("time", 7 * _DAY, "week", ""),
    ("time", _YEAR / 12, "month", ""),
    ("time", _YEAR, "year", ""),
    ("bytes", 1.0, "byte", "B"),
    ("bytes", 1e3, "kilobyte", "kB KB K"),
    ("bytes", 1e6, "megabyte", "MB"),
    ("bytes", 1e9, "gigabyte", "GB"),
    ("bytes", 1e12, "terabyte", "TB"),
    ("bytes", 1024.0, "kibibyte", "KiB"),
    ("bytes", 1024.0**2, "mebibyte", "MiB"),
    ("bytes", 1024.0**3, "gibibyte", "GiB"),
    ("bytes", 1024.0**4, "tebibyte", "TiB"),
    ("bits", 1.0, "bit", ""),
    ("bits", 1e3, "kilobit", "kbit"),
    ("bits", 1e6, "megabit", "Mbit"),
    ("bits", 1e9, "gigabit", "Gbit"),
    ("percent", 1.0, "percent", "%"),
    ("dollars", 1.0, "dollar", "$ USD"),
    ("euros", 1.0, "euro", "€ EUR"),
    ("pounds sterling", 1.0, "pound sterling", "£ GBP"),
    ("reais", 1.0, "real", "R$ BRL"),
    ("length", 1e-3, "millimeter", "mm"),
    ("length", 1e-2, "centimeter", "cm"),
    ("length", 1.0, "meter", "m"),
    ("length", 1e3, "kilometer", "km"),
    ("length", 0.0254, "inch", ""),
    ("length", 0.3048, "foot", "ft"),
    ("length", 0.9144, "yard", "yd"),
    ("length", 1609.344, "mile", ""),
    ("speed", 1.0, "meter per second", "m/s"),
    ("speed", 1 / 3.6, "kilometer per hour", "km/h kph"),
    ("speed", 0.44704, "mile per hour", "mph"),
    ("bits per second", 1e3, "kilobit per second", "kbit/s kbps"),
    ("bits per second", 1e6, "megabit per second", "Mbit/s Mbps Mb/s"),
    ("bits per second", 1e9, "gigabit per second", "Gbit/s Gbps Gb/s"),
    ("weight", 1e-3, "milligram", "mg"),
    ("weight", 1.0, "gram", "g"),
    ("weight", 1e3, "kilogram", "kg"),
    ("weight", 1e6, "tonne", ""),
    ("weight", 453.592, "pound", ""),
    ("weight", 28.3495, "ounce", "oz"),
    ("grams per liter", 1.0, "gram per liter", "g/L g/l"),
    ("volume", 1e-3, "milliliter", "ml"),
    ("volume", 1.0, "liter", "l L"),
    ("volume", 0.568261, "pint", ""),
    ("volume", 3.785412, "gallon", ""),
    ("volume", 158.987, "barrel", ""),
    ("volume", 1e3, "cubic meter", "m³"),
    ("area", 1.0, "square meter", "m² qm"),
    ("area", 1e6, "square kilometer", "km²"),
    ("area", 0.0929, "square foot", ""),
    ("area", 1e4, "hectare", "ha"),
    ("area", 4046.856, "acre", ""),
    ("celsius", 1.0, "degree Celsius", "°C"),
    ("fahrenheit", 1.0, "degree Fahrenheit", "°F"),
    ("degrees", 1.0, "degree", "°"),
    ("frequency", 1.0, "hertz", "Hz"),
    ("frequency", 1e3, "kilohertz", "kHz"),
    ("frequency", 1e6, "megahertz", "MHz"),
    ("frequency", 1e9, "gigahertz", "GHz"),
    ("pixels", 1.0, "pixel", "px"),
)


_WORDS = lexicon.by_name("units")

UNITS: dict[str, tuple[str, float]] = {
    written: (dimension, factor)
    for dimension, factor, name, symbols in _UNITS
    for written in (*symbols.split(), *_WORDS.get(name, ()))
}
"""A unit's name as written: what it measures, and how much of that dimension's base unit it is."""

WORDS_OF = {
    (dimension, factor): [word for word in _WORDS.get(name, ()) if word.islower() and len(word) > 2]
    for dimension, factor, name, _ in _UNITS
}
"""The words for the unit of a dimension and factor."""

DECIMAL_AND_BINARY = 1.1
"""A gigabyte is 1000³ bytes to some and 1024³ to others: so far apart two sizes in bytes may be."""


def unit_named(name: str) -> tuple[str, float] | None:
    """The dimension and factor of a unit; a word may be written with a capital, a symbol must be exact."""
    return UNITS.get(name) or (UNITS.get(name.lower()) if len(name) > 3 else None)


def unit_asked_for(name: str) -> tuple[str, float] | None:
    """As `unit_named`, of a name in a question, where a symbol may have lost its capitals.

    >>> unit_asked_for("gb") == unit_named("GB"), unit_asked_for("members")
    (True, None)
    """
    meant = {unit for written, unit in UNITS.items() if written.lower() == name.lower()}
    return unit_named(name) or (meant.pop() if len(meant) == 1 else None)


_ENGLISH_WORDS = {word.lower() for words in lexicon.by_name("units", "en").values() for word in words}
_FOREIGN_WORDS = {word.lower() for words in _WORDS.values() for word in words} - _ENGLISH_WORDS


def is_unit(word: str, *, in_english: bool) -> bool:
    """Whether a word is "MB", "GHz" or "Minute"; a letter alone ("plan B") says something else, and in
    English so does a unit of another language.

    >>> is_unit("Tag", in_english=False), is_unit("Tag", in_english=True), is_unit("MB", in_english=True)
    (True, False, True)
    """
    if len(word) == 1 or unit_named(word) is None:
        return False
    return not (in_english and word.lower() in _FOREIGN_WORDS)
