"""Numbers, dates and durations on pages: as people write them, with what is kept beside it."""

from __future__ import annotations

import pytest

from rdfcrawl.publish.web.readable import readable
from rdfcrawl.rdf import terms
from tests.publish.conftest import Server


@pytest.mark.parametrize(
    ("text", "datatype", "shown"),
    [
        ("1234", terms.INT, "1234"),
        ("1234567", terms.INT, "1 234 567"),
        ("-12345.678900", terms.DECIMAL, "−12 345.678900"),
        ("1.5E10", terms.DOUBLE, "1.5E10"),
        ("INF", terms.DOUBLE, "INF"),
        ("1234567", terms.STRING, "1234567"),
        ("2026-03-01", terms.DATE, "1 Mar 2026"),
        ("2026-03-01Z", terms.DATE, "1 Mar 2026 UTC"),
        ("2026-13-01", terms.DATE, "2026-13-01"),
        ("-0044-03-15", terms.DATE, "15 Mar -0044"),
        ("2026-03-01T12:30:00Z", terms.DATE_TIME, "1 Mar 2026, 12:30 UTC"),
        ("2026-03-01T12:30:05.5+02:00", terms.DATE_TIME, "1 Mar 2026, 12:30:05.5 +02:00"),
        ("20:15:00", terms.TIME, "20:15"),
        ("PT20M", terms.DURATION, "20 min"),
        ("P1DT2H", terms.DURATION, "1 day 2 h"),
        ("-P2Y1M3DT0H1.5S", terms.DURATION, "−2 years 1 month 3 days 1.5 s"),
        ("PT0S", terms.DURATION, "0 s"),
        ("PT", terms.DURATION, "PT"),
        ("soon", terms.DATE_TIME, "soon"),
        ("9" * 5000, terms.INTEGER, "9" * 5000),
    ],
)
def test_values_are_written_for_people(text: str, datatype: str, shown: str) -> None:
    """What a value says stays; what is not what its type says is left alone."""
    assert readable(text, datatype).replace("\u202f", " ") == shown


def test_the_exact_value_is_there_as_well(server: Server) -> None:
    """For programs in the element that HTML has for it, for people as a title."""
    page = server.get("/class?item=item://recipe", accept="text/html").text
    assert '<time datetime="PT40M" title="PT40M">40 min</time>' in page
    assert ">PT40M<" not in page
