"""Dates and times in the spellings of pages, read with a format."""

from __future__ import annotations

from datetime import date

import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.engine.values.dates import DateMismatch, DateParser
from rdfcrawl.metamodel.formats import FormatError
from rdfcrawl.rdf.terms import DATE, DATE_TIME, TIME


@pytest.mark.parametrize(
    ("format_", "text", "value"),
    [
        ("dd.MM.yyyy", "11.11.2015", "2015-11-11"),
        ("dd.MM.yyyy", "1.1.2015", "2015-01-01"),
        ("d.M.y", "01.01.2015", "2015-01-01"),
        ("yyyyMMdd", "20151111", "2015-11-11"),
        ("uuuu/LL/dd", "2016/02/29", "2016-02-29"),
        ("dd.MM.yy", "26.02.68", "2068-02-26"),
        ("dd.MM.yy", "26.02.69", "1969-02-26"),
        ("dd.MM.yy", "26.02.2010", "2010-02-26"),
        ("yyMMdd", "100226", "2010-02-26"),
        ("yyyy-DDD", "2016-366", "2016-12-31"),
        ("dd.MM.yyyy HH:mm", "11.11.2015 16:00", "2015-11-11"),
        ("'am' d.M.yyyy", "Am  11.11.2015", "2015-11-11"),
        ("yyyy''MM''dd", "2015'11'11", "2015-11-11"),
        ("dd.MM.yyyy", "\u200e11.\u200e11.\u200e2015", "2015-11-11"),
        ("yyyy年M月d日", "２０１５年３月１日", "2015-03-01"),
        ("d/M/yyyy", "١/٣/٢٠١٥", "2015-03-01"),
    ],
)
def test_dates_are_read(format_: str, text: str, value: str) -> None:
    """Leading zeros, kinds of blanks and digits and the case of words make no difference."""
    assert DateParser(format_, DATE).parse(text) == value


@pytest.mark.parametrize(
    ("format_", "text", "value"),
    [
        ("HH:mm", "16:00", "16:00:00"),
        ("H:mm", "9:05", "09:05:00"),
        ("HHmm", "0905", "09:05:00"),
        ("HH 'Uhr'", "20\u00a0Uhr", "20:00:00"),
        ("HH:mm", "24:00", "00:00:00"),
        ("kk:mm", "24:30", "00:30:00"),
        ("h:mm a", "12:30 AM", "00:30:00"),
        ("h:mm a", "12:30 p.m.", "12:30:00"),
        ("K:mma", "0:30pm", "12:30:00"),
        ("hh:mm", "12:30", "12:30:00"),
        ("HH:mm a", "16:00 PM", "16:00:00"),
        ("HH:mm:ss.SSS", "16:00:01.500", "16:00:01.5"),
        ("HH:mm:ss.SSS", "16:00:01.000", "16:00:01"),
        ("HHmmssSSS", "160001050", "16:00:01.05"),
        ("HH:mmX", "16:00+01:00", "16:00:00+01:00"),
    ],
)
def test_times_are_read(format_: str, text: str, value: str) -> None:
    """All four ways to count hours give the 24 hours of XSD; a fraction is written only if there is one."""
    assert DateParser(format_, TIME).parse(text) == value


@pytest.mark.parametrize(
    ("format_", "text", "value"),
    [
        ("yyyy-MM-dd'T'HH:mm:ssZ", "2016-01-22T20:00:00+01", "2016-01-22T20:00:00+01:00"),
        ("yyyy-MM-dd'T'HH:mm:ssZ", "2016-01-22T20:00:00+0100", "2016-01-22T20:00:00+01:00"),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "2016-01-22T20:00:00Z", "2016-01-22T20:00:00Z"),
        ("yyyy-MM-dd'T'HH:mm:ssx", "2016-01-22T20:00:00-00:00", "2016-01-22T20:00:00Z"),
        ("yyyy-MM-dd HH:mm O", "2016-01-22 20:00 GMT-3:30", "2016-01-22T20:00:00-03:30"),
        ("dd.MM.yyyy HH:mm", "22.01.2016 20:00", "2016-01-22T20:00:00"),
        ("dd.MM.yyyy HH:mm", "31.12.2015 24:00", "2016-01-01T00:00:00"),
        ("dd.MM.yyyy HH:mm z", "22.07.2016 20:00 CEST", "2016-07-22T20:00:00+02:00"),
        ("dd.MM.yyyy HH:mm z", "22.07.2016 20:00 CET", "2016-07-22T20:00:00+01:00"),
        ("dd.MM.yyyy HH:mm z", "22.01.2016 20:00 MEZ", "2016-01-22T20:00:00+01:00"),
        ("dd.MM.yyyy HH:mm VV", "22.01.2016 20:00 Europe/Berlin", "2016-01-22T20:00:00+01:00"),
        ("dd.MM.yyyy HH:mm VV", "22.07.2016 20:00 Europe/Berlin", "2016-07-22T20:00:00+02:00"),
        ("EEE, dd MMM yyyy HH:mm:ss z", "Fri, 22 Jan 2016 20:00:00 GMT", "2016-01-22T20:00:00Z"),
        ("EEE MMM d HH:mm:ss z yyyy", "Fri Jan 22 20:00:00 EST 2016", "2016-01-22T20:00:00-05:00"),
    ],
)
def test_moments_are_read_with_their_zone(format_: str, text: str, value: str) -> None:
    """Offsets in every spelling, abbreviations and names of zones become the offset that XSD writes."""
    assert DateParser(format_, DATE_TIME).parse(text) == value


@pytest.mark.parametrize(
    ("locale", "format_", "text", "value"),
    [
        (None, "MMMM d, yyyy", "january 22, 2016", "2016-01-22"),
        (None, "MMM d, yyyy", "Sept. 22, 2016", "2016-09-22"),
        ("de", "d. MMMM yyyy", "1. MÄRZ 2015", "2015-03-01"),
        ("de", "d. MMMM yyyy", "1. Ma\u0308rz 2015", "2015-03-01"),
        ("de", "d. MMM yyyy", "1. Mär. 2015", "2015-03-01"),
        ("de", "d. MMM. yyyy", "1. Dez. 2015", "2015-12-01"),
        ("de", "d. MMM yyyy", "1. Dez 2015", "2015-12-01"),
        ("de", "EEEE, d. MMMM yyyy", "Freitag, 22. Januar 2016", "2016-01-22"),
        ("de", "EE, d.M.yyyy", "Fr, 22.1.2016", "2016-01-22"),
        ("de-AT", "d. MMMM yyyy", "22. Jänner 2016", "2016-01-22"),
        ("fr", "d MMM yyyy", "3 févr. 2016", "2016-02-03"),
        ("fr", "EEEE d MMMM yyyy", "vendredi 22 janvier 2016", "2016-01-22"),
        ("ru", "d MMMM yyyy", "1 января 2015", "2015-01-01"),
        ("ru", "LLLL d, yyyy", "январь 1, 2015", "2015-01-01"),
        ("vi", "d MMMM y", "1 tháng 12 2015", "2015-12-01"),
        ("tr", "d MMMM y", "1 KASIM 2015", "2015-11-01"),
        ("tr", "d MMMM y", "1 Haziran 2015", "2015-06-01"),
        ("tr", "d MMMM y", "1 HAZİRAN 2015", "2015-06-01"),
        ("el", "d MMMM y", "1 ΜΑΪΟΥ 2015", "2015-05-01"),
        ("el", "d MMMM y", "1 ΜΑΡΤΙΟΥ 2015", "2015-03-01"),
        ("el", "d MMMM y", "1 Μαρτίου 2015", "2015-03-01"),
    ],
)
def test_names_are_those_of_the_locale(locale: str | None, format_: str, text: str, value: str) -> None:
    """Names come long, short, inflected, with and without their dot, in any case; English is the default."""
    assert DateParser(format_, DATE, locale).parse(text) == value


_LOCALES = [
    "af",
    "ar",
    "cs",
    "da",
    "de",
    "el",
    "es",
    "fi",
    "fr",
    "hu",
    "it",
    "ja",
    "ko",
    "nl",
    "pl",
    "ru",
    "tr",
    "vi",
    "zh",
]


@pytest.mark.parametrize("locale", _LOCALES)
def test_what_cldr_writes_can_be_read(locale: str) -> None:
    """Each month of the year, with its names long and short, in the languages of many sites."""
    for format_ in ("EEEE, d MMMM yyyy", "EEE d LLL yyyy"):
        parser = DateParser(format_, DATE, locale)
        for month in range(1, 13):
            day = date(2015, month, month + 3)
            assert parser.parse(format_date(day, format_, locale=locale)) == day.isoformat()


def test_halves_of_the_day_have_names_too() -> None:
    """Spanish and Japanese write them their own way."""
    assert DateParser("h:mm a", TIME, "es").parse("8:30 p. m.") == "20:30:00"
    assert DateParser("ah:mm", TIME, "ja").parse("午後8:30") == "20:30:00"


@pytest.mark.parametrize(
    ("datatype", "format_", "text", "reason"),
    [
        (DATE, "dd.MM.yyyy", "31.02.2015", "2015-02 has 28 days"),
        (DATE, "dd.MM.yyyy", "12.13.2015", 'out of range for "M"'),
        (DATE, "dd.MM.yyyy", "01.01.0000", 'out of range for "y"'),
        (DATE, "dd.MM.yyyy", "26.02.10", 'something like "22.01.2016"'),
        (DATE, "dd.MM.yyyy", "keine Angabe", 'does not follow the format "dd.MM.yyyy"'),
        (DATE, "dd.MM.yyyy", "11.11.2015 abends", "does not follow"),
        (DATE, "dd.MM.yyyy", "", "does not follow"),
        (DATE, "dd.MM.yyyy", "11.11. 2015", "does not follow"),
        (DATE, "yyyyMMdd", "2015111", "does not follow"),
        (DATE, "yyyy-DDD", "2015-366", "2015 has 365 days"),
        (DATE, "d MMMM yyyy", "1 März 2015", "does not follow"),
        (DATE, "EEEE d.M.yyyy", "Monday 22.1.2016", "is a Friday"),
        (DATE, "d.M.yyyy (d.)", "1.2.2015 (2.)", "two values for the day of the month"),
        (TIME, "HH:mm", "25:00", 'out of range for "H"'),
        (TIME, "HH:mm", "24:01", "ends at 24:00"),
        (TIME, "hh:mm", "16:00", r"hour 1-12"),
        (TIME, "HH:mm a", "04:00 PM", "hour 4 is not pm"),
        (TIME, "HH:mm:ss", "10:00:60", 'out of range for "s"'),
        (TIME, "HH:mm VV", "10:00 Europe/Berlin", "without a date"),
        (TIME, "HH:mmX", "10:00+15", "not an offset"),
        (DATE_TIME, "d.M.yyyy H:mm z", "1.1.2015 10:00 IST", "not an unambiguous time zone"),
        (DATE_TIME, "d.M.yyyy H:mm", "31.12.9999 24:00", "out of range"),
        (DATE_TIME, "d.M.yyyy H:mm VV", "1.1.1840 10:00 Asia/Manila", "more than 14 hours from UTC"),
    ],
)
def test_what_has_no_or_no_clear_meaning_is_refused(datatype: str, format_: str, text: str, reason: str) -> None:
    """Generous about spelling, never about meaning; the message says what is wrong."""
    with pytest.raises(DateMismatch, match=reason):
        DateParser(format_, datatype).parse(text)


@pytest.mark.parametrize(
    ("datatype", "format_"),
    [(DATE, "HH:mm"), (DATE, "MM.yyyy"), (DATE_TIME, "dd.MM.yyyy"), (DATE_TIME, "HH:mm"), (TIME, "dd.MM.yyyy")],
)
def test_a_format_must_give_what_its_type_needs(datatype: str, format_: str) -> None:
    """A time alone makes no date, and a date alone no time."""
    with pytest.raises(FormatError, match="lacks fields"):
        DateParser(format_, datatype)


def test_a_locale_must_be_known() -> None:
    """A misspelt locale is an error of the model, not of every value."""
    with pytest.raises(FormatError, match="xx-YY"):
        DateParser("d. MMMM yyyy", DATE, "xx-YY")


@given(st.dates(), st.sampled_from(["dd.MM.yyyy", "yyyyMMdd", "EEEE, d. MMMM yyyy", "yyyy-DDD"]))
def test_every_date_survives_being_written_and_read(day: date, format_: str) -> None:
    """What Python writes in a format, the parser reads back."""
    spellings = {
        "dd.MM.yyyy": f"{day.day:02}.{day.month:02}.{day.year:04}",
        "yyyyMMdd": f"{day.year:04}{day.month:02}{day.day:02}",
        "EEEE, d. MMMM yyyy": f"{day:%A}, {day.day}. {day:%B} {day.year:04}",
        "yyyy-DDD": f"{day.year:04}-{day:%j}",
    }
    assert DateParser(format_, DATE).parse(spellings[format_]) == day.isoformat()
