"""Ages as people write them: 90d, 26w, 6m, 2y."""

from __future__ import annotations

import re
from datetime import date, timedelta

_AGE = re.compile(r"([0-9]{1,5})\s*([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def day_before(age: str, today: date) -> date | None:
    """The day that lies so far back; None for what is no age.

    >>> day_before("2w", date(2025, 3, 15)), day_before("soon", date(2025, 3, 15))
    (datetime.date(2025, 3, 1), None)
    """
    found = _AGE.fullmatch(age.strip().lower())
    days = int(found[1]) * _DAYS[found[2]] if found else None
    if days is None or days >= today.toordinal():
        return None
    return today - timedelta(days)
