"""Numbers and dates as numbers that can be compared, and back as people write them."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from typing import Final

from rdfcrawl.rdf import terms

NUMERIC: Final = (terms.INT, terms.INTEGER, terms.DECIMAL, terms.DOUBLE, terms.XSD + "float", terms.XSD + "long")
DATED: Final = (terms.DATE, terms.DATE_TIME)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def as_number(text: str, datatype: str) -> float | None:
    """Where a value stands among those of its kind; ``None`` for what is no number and no date."""
    try:
        if datatype in DATED:
            moment = datetime.fromisoformat(text) if _DAY.match(text) else None
            if moment is None:
                return None
            seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
            return moment.toordinal() + seconds / 86400
        if datatype == terms.G_YEAR:
            return float(date(int(text), 1, 1).toordinal())
        number = float(text) if datatype in NUMERIC else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def is_measured(datatype: str) -> bool:
    """Whether values of that type can be between two others."""
    return datatype in (*NUMERIC, *DATED, terms.G_YEAR)


def as_text(number: float, datatype: str) -> str:
    """A bound of a histogram, in the notation of its values."""
    if datatype in DATED:
        return (date.min + timedelta(days=math.floor(number) - 1)).isoformat()
    if datatype == terms.G_YEAR:
        return f"{date.fromordinal(max(1, math.floor(number))).year:04}"
    return f"{number:.6g}" if abs(number) < 1e6 and not number.is_integer() else f"{number:.0f}"
