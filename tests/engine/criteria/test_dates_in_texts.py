"""Dates in running text: those that people write, and numbers that only look like one."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.criteria.dates import find_date


@pytest.mark.parametrize(
    "written",
    [
        *("2010-10-05", "2010/10/05", "2010.10.05"),
        *("5 October 2010", "5th of October 2010", "05-Oct-2010", "5 October, 2010", "7 Oct. 2010", "5October2010"),
        *("October 5, 2010", "Oct 5th, 2010", "Oct. 5 2010", "October 5-7, 2010", "June 30 – July 2, 2010"),
        *(
            "5.10.2010",
            "05.10.2010",
            "5. 10. 2010",
            "5. Oktober 2010",
            "1. März 2011",
            "5 Okt. 2010",
            "31. Jänner 2012",
        ),
        *("05/10/2010", "10/25/2010", "25/10/2010", "5-10-2010", "29.02.2012"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "Deadline: {}.", "(until {})", "from {}, 12:00", "deadline:{} (CET)"])
def test_a_date_is_found_with_its_place(written: str, around: str) -> None:
    """ISO, English, German and numeric notations, wherever they stand in a sentence."""
    text = around.format(written)
    start, end = find_date(text) or (0, 0)
    assert text[start:end] == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2010-10-05T12:00:00Z", "2010-10-05"),
        ("5-7 October 2010", "7 October 2010"),
        ("am 5.-7. März 2011 in Garching", "7. März 2011"),
        ("01/02/2003-04/05/2003", "01/02/2003"),
        ("version 1.2, from 5.10.2010", "5.10.2010"),
    ],
)
def test_of_ranges_and_times_the_date_is_found(text: str, written: str) -> None:
    """Whatever stands around it."""
    start, end = find_date(text) or (0, 0)
    assert text[start:end] == written


@pytest.mark.parametrize(
    "text",
    [
        *("v5.10.2010", "Version 5.10.2010", "firmware 2.10.2010", "rev. 1.2.2010", "1.2.3", "10.0.2010.1", "5.10.10"),
        *("Tel. 05.10.2010", "+49 89 05.10.2010", "Fax: 05/10/2010", "089/12/10/2010", "555-10-2010", "05.10.2010.33"),
        *("31.02.2010", "29.02.2011", "30/30/2010", "2010-13-01", "0.0.2010", "99/99/2010"),
        *(
            "May 2010",
            "in 2010",
            "1990-1995",
            "2010-2011-12",
            "x 2010-10-05-3",
            "Maya 5, 2010",
            "5 Mars 2010",
            "5.10.1410",
        ),
        *("", "2010", "ISBN 10-10-2010", "article 12/5/20103"),
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    """Versions, telephones, days that do not exist, months without a day."""
    assert find_date(text) is None


def test_a_long_text_of_numbers_is_searched_in_a_moment() -> None:
    """The time grows with the text and not faster: tens of thousands of numbers that begin like dates."""
    assert find_date("5.10. 20103 " * 30_000 + "x") is None
    assert find_date("2010 " * 30_000) is None


def test_a_date_is_found_after_many_numbers() -> None:
    """Wherever it stands among years that are none."""
    for filler in ("2010 ", "x" * 60, "2010 " + "x" * 120):
        text = filler * 30 + "on 5 October 2010, and " + filler * 3
        start, end = find_date(text) or (0, 0)
        assert text[start:end] == "5 October 2010"
