"""The names of the months, for whoever reads dates."""

from __future__ import annotations

_MONTHS = """
    january jan janeiro januar janvier enero jänner; february feb fevereiro februar février febrero;
    march mar março märz mars marzo; april apr abril avril; may maio mai mayo; june jun junho juni juin
    junio; july jul julho juli juillet julio; august aug agosto août; september sep sept setembro
    septembre septiembre; october oct outubro oktober octobre octubre; november nov novembro novembre
    noviembre; december dec dezembro dezember décembre diciembre
"""

MONTH_NUMBER = {name: at for at, names in enumerate(_MONTHS.split(";"), 1) for name in names.split()}
"""The number of each month, from 1, by its small name in English (also short), German, French, Spanish and
Portuguese."""

MONTH_NAMES = tuple(names.split()[0].capitalize() for names in _MONTHS.split(";"))
"""The English names of the months, January first."""
