"""Units of measure, and which of them can be compared: seconds with hours, kilobytes with gigabytes."""

from __future__ import annotations

_DAY = 86_400.0
_YEAR = 365.25 * _DAY

_UNITS: tuple[tuple[str, float, str], ...] = (
    ("time", 1e-9, "ns nanosecond nanoseconds"),
    ("time", 1e-6, "µs us microsecond microseconds"),
    ("time", 1e-3, "ms msec millisecond milliseconds Millisekunden milissegundos milisegundos millisecondes"),
    ("time", 1.0, "s sec secs second seconds Sekunde Sekunden segundo segundos seconde secondes"),
    ("time", 60.0, "min mins minute minutes Minuten minuto minutos"),
    ("time", 3600.0, "h hr hrs hour hours Stunde Stunden hora horas heure heures"),
    ("time", _DAY, "d day days Tag Tage Tagen dia dias día días jour jours"),
    ("time", 7 * _DAY, "week weeks Woche Wochen semana semanas semaine semaines"),
    ("time", _YEAR / 12, "month months Monat Monate Monaten mês meses mes mois"),
    ("time", _YEAR, "yr yrs year years Jahr Jahre Jahren ano anos año años ans année années"),
    ("bytes", 1.0, "B byte bytes"),
    ("bytes", 1e3, "kB KB K kilobyte kilobytes"),
    ("bytes", 1e6, "MB megabyte megabytes"),
    ("bytes", 1e9, "GB gigabyte gigabytes"),
    ("bytes", 1e12, "TB terabyte terabytes"),
    ("bytes", 1024.0, "KiB kibibyte kibibytes"),
    ("bytes", 1024.0**2, "MiB mebibyte mebibytes"),
    ("bytes", 1024.0**3, "GiB gibibyte gibibytes"),
    ("bytes", 1024.0**4, "TiB tebibyte tebibytes"),
    ("bits", 1.0, "bit bits"),
    ("bits", 1e3, "kbit"),
    ("bits", 1e6, "Mbit megabit megabits"),
    ("bits", 1e9, "Gbit gigabit gigabits"),
    ("percent", 1.0, "% percent percentage Prozent"),
    ("dollars", 1.0, "$ USD dollar dollars"),
    ("euros", 1.0, "€ EUR euro euros"),
    ("pounds sterling", 1.0, "£ GBP"),
    ("reais", 1.0, "R$ BRL reais"),
    ("length", 1e-3, "mm millimeter millimeters millimetre millimetres"),
    ("length", 1e-2, "cm centimeter centimeters centimetre centimetres"),
    ("length", 1.0, "m meter meters metre metres"),
    ("length", 1e3, "km kilometer kilometers kilometre kilometres"),
    ("length", 0.0254, "inch inches"),
    ("length", 0.3048, "ft foot feet"),
    ("length", 0.9144, "yd yard yards"),
    ("length", 1609.344, "mile miles"),
    ("weight", 1e-3, "mg milligram milligrams"),
    ("weight", 1.0, "g gram grams"),
    ("weight", 1e3, "kg kilogram kilograms kilo kilos"),
    ("weight", 1e6, "tonne tonnes"),
    ("weight", 453.592, "lb lbs pound pounds"),
    ("weight", 28.3495, "oz ounce ounces"),
    ("volume", 1e-3, "ml milliliter milliliters millilitre millilitres"),
    ("volume", 1.0, "l L liter liters litre litres"),
    ("volume", 0.568261, "pint pints"),
    ("volume", 3.785412, "gal gallon gallons"),
    ("volume", 158.987, "barrel barrels"),
    ("area", 1e4, "ha hectare hectares"),
    ("area", 4046.856, "acre acres"),
    ("celsius", 1.0, "°C Celsius"),
    ("fahrenheit", 1.0, "°F Fahrenheit"),
    ("degrees", 1.0, "° degree degrees"),
    ("frequency", 1.0, "Hz hertz"),
    ("frequency", 1e3, "kHz"),
    ("frequency", 1e6, "MHz"),
    ("frequency", 1e9, "GHz"),
    ("pixels", 1.0, "px pixel pixels"),
)

UNITS: dict[str, tuple[str, float]] = {
    name: (dimension, factor) for dimension, factor, names in _UNITS for name in names.split()
}
"""A unit's name as written: what it measures, and how much of that dimension's base unit it is."""

WORDS_OF = {
    (dimension, factor): [name for name in names.split() if name.islower() and len(name) > 2]
    for dimension, factor, names in _UNITS
}

DECIMAL_AND_BINARY = 1.1
"""A gigabyte is 1000³ bytes to some and 1024³ to others: so far apart two sizes in bytes may be."""


def unit_named(name: str) -> tuple[str, float] | None:
    """The dimension and factor of a unit; a word may be written with a capital, a symbol must be exact."""
    return UNITS.get(name) or (UNITS.get(name.lower()) if len(name) > 3 else None)
