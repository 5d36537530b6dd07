"""Pictures of rows and of runs: which columns allow which, where things are drawn, and what hostile values do."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

import pyoxigraph as ox
import pytest

from rdfcrawl.publish.charts.axes import NARROW, WIDE, Tick, fitting, number_text, round_dates, round_numbers
from rdfcrawl.publish.charts.bars import MOST_BARS, BarPicture
from rdfcrawl.publish.charts.columns import as_moment, as_point
from rdfcrawl.publish.charts.earth import MapPicture
from rdfcrawl.publish.charts.lines import LinePicture
from rdfcrawl.publish.charts.of_rows import Picture, pictures_of
from rdfcrawl.publish.charts.run_chart import charts
from rdfcrawl.publish.data.objects import Term
from rdfcrawl.publish.data.run_times import RunTimes
from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.publish.web.presentation import Shown
from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import ModelUsed, RunRecord, RunState
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts

Value = str | int | float | Term | None


def term(value: Value) -> Term | None:
    if isinstance(value, str):
        return ox.Literal(value)
    return ox.Literal(value) if isinstance(value, int | float) else value


def date(text: str) -> ox.Literal:
    return ox.Literal(text, datatype=ox.NamedNode(terms.DATE))


def drawn(variables: str, *rows: tuple[Value, ...]) -> list[Picture]:
    found = [[term(value) for value in row] for row in rows]
    shown = [[Shown(value.value) if value is not None else None for value in row] for row in found]
    return pictures_of(variables.split(), found, shown)


def test_names_and_numbers_are_bars() -> None:
    """From zero, in the order of the rows; a negative number goes the other way."""
    (picture,) = drawn("name count", ("a", 30), ("b", -10), ("c", None), ("d", 0))
    assert isinstance(picture, BarPicture)
    assert [(bar.name.text, bar.start, bar.length) for bar in picture.bars] == [
        ("a", 25, 75),
        ("b", 0, 25),
        ("d", 25, 0),
    ]
    (many,) = drawn("name count", *((str(number), number) for number in range(80)))
    assert isinstance(many, BarPicture)
    assert (len(many.bars), many.left_out) == (MOST_BARS, 30)


def test_dates_and_numbers_are_a_line() -> None:
    """In the order of time, whatever the order of the rows; runs are the moments at which they began."""
    first, second = drawn("day count", (date("2026-01-03"), 2), (date("2026-01-01"), 1))
    assert isinstance(first, LinePicture)
    assert isinstance(second, BarPicture)
    (line,) = first.drawings[0].lines
    assert [title for _, _, title in line.dots] == ["2026-01-01: 1", "2026-01-03: 2"]
    assert [x for x, _, _ in line.dots] == [WIDE.left, WIDE.width - WIDE.right]
    runs = drawn("run value", (ox.NamedNode("run://1700000000"), 1), (ox.NamedNode("run://1700086400"), 2))
    assert isinstance(runs[0], LinePicture)


def test_several_rows_of_one_moment_are_several_lines_or_none() -> None:
    """A column of few names tells them apart; otherwise a line would jump between unlike things."""
    rows = [(date(f"2026-01-0{day}"), name, day) for day in (1, 2) for name in ("a", "b")]
    first, *_ = drawn("day name count", *rows)
    assert isinstance(first, LinePicture)
    assert first.names == ["a", "b"]
    mixed = drawn("day count", *((day, count) for day, _, count in rows))
    assert not any(isinstance(picture, LinePicture) for picture in mixed)
    many = [(date(f"2026-01-0{day}"), str(name), day) for day in (1, 2) for name in range(9)]
    assert not any(isinstance(picture, LinePicture) for picture in drawn("day name count", *many))


@pytest.mark.parametrize(
    ("variables", "rows"),
    [
        ("name lat long", [("Munich", 48.137, 11.575), ("Berlin", 52.52, 13.405)]),
        ("name placeLatitude placeLongitude", [("Munich", "48.137", "11.575"), ("Berlin", "52.52", "13.405")]),
        ("name place", [("Munich", "POINT(11.575 48.137)"), ("Berlin", "Point (13.405 52.52)"), ("nowhere", None)]),
    ],
)
def test_places_are_a_map(variables: str, rows: list[tuple[Value, ...]]) -> None:
    """North is up, east is right, and the grid has degrees; degrees are not drawn as bars."""
    (picture,) = drawn(variables, *rows)
    assert isinstance(picture, MapPicture)
    for drawing in picture.drawings:
        munich, berlin = drawing.dots
        assert (munich.name, berlin.name) == ("Munich", "Berlin")
        assert munich.across < berlin.across
        assert munich.down > berlin.down
        assert any(tick.text == "50° N" for tick in drawing.latitudes)
        assert all(0 <= dot.across <= drawing.canvas.width for dot in drawing.dots)


def test_what_is_no_picture_has_none() -> None:
    """Texts, a single row, columns of mixed values, degrees beyond the poles."""
    assert drawn("name other", ("a", "b"), ("c", "d")) == []
    assert drawn("name count", ("a", 1)) == []
    assert drawn("name count", ("a", 1), ("b", "two")) == []
    assert drawn("name lat lon", ("a", "99", "11"), ("b", "north", "200")) == []
    assert drawn("name count") == []
    assert drawn("") == []


@pytest.mark.parametrize(
    "numbers",
    [
        ["1e308", "-1e308"],
        ["NaN", "INF"],
        ["5e-324", "0"],
        ["1e300", "-1e300"],
        ["9" * 400, "1"],
        ["1e16", "1.0000000000000002e16"],
        ["0", "0"],
    ],
)
def test_extreme_numbers_harm_no_picture(numbers: list[str]) -> None:
    """They are drawn, or left out; nothing fails."""
    kind = ox.NamedNode(terms.DOUBLE)
    rows = [
        (date(f"200{place}-01-01"), f"n{place}", ox.Literal(text, datatype=kind)) for place, text in enumerate(numbers)
    ]
    for picture in drawn("day name value", *rows):
        assert "nan" not in repr(picture)


@pytest.mark.parametrize(
    "text",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-02-30", "2026-01-01Tnonsense", "-0044-03-15", ""],
)
def test_extreme_dates_are_left_out(text: str) -> None:
    """What no calendar has, or what this one cannot count with."""
    assert as_moment(ox.Literal(text, datatype=ox.NamedNode(terms.DATE_TIME))) is None
    assert as_moment(ox.NamedNode("run://99999999999999999999")) is None
    assert as_moment(ox.NamedNode("run://x")) is None


def test_the_whole_calendar_has_an_axis() -> None:
    """From seconds to millennia there are a few ticks, in order, between the ends."""
    start = datetime(2024, 2, 29, 12, tzinfo=UTC).timestamp()
    for span in (1, 30, 3_600, 86_400, 9 * 86_400, 90 * 86_400, 3e7, 1e9, 2e11):
        ticks = round_dates(start, start + span, 8)
        assert 1 <= len(ticks) <= 12, span
        assert [tick.place for tick in ticks] == sorted(tick.place for tick in ticks)
        assert all(start <= tick.place <= start + span for tick in ticks)
    assert as_point(ox.Literal("POINT(" + "1" * 100_000)) is None


def test_axes_have_round_numbers() -> None:
    """Ones, twos and fives; grouped; not more than there is room for."""
    assert round_numbers(0, 97, 5) == [0, 50, 100]
    assert round_numbers(26, 27, 5, finest=1.0) == [26, 27]
    assert number_text(12345678) == "12\u202f345\u202f678"
    assert number_text(-0.5) == "\u22120.5"
    assert number_text(1e20) == "1e+20"
    ticks = [Tick(place, "2026-01-01") for place in range(0, 400, 10)]
    kept = [tick.place for tick in fitting(ticks, 400)]
    assert all(later - earlier >= 70 for earlier, later in pairwise(kept))


def run(number: int) -> RunRecord:
    return RunRecord(number, RunState.COMPLETE, datetime.fromtimestamp(number, UTC), ModelUsed("digest", "m.ttl"), ())


def test_the_chart_of_runs_has_numbers_and_dates() -> None:
    """Heights by the square root of the total, said by the axis; days and times below, numbers in a minute."""
    records = [run(0), run(86_400), run(86_410)]
    counts = {
        0: ChangeCounts(objects={ChangeKind.ADDED: 100}),
        86_400: ChangeCounts(objects={ChangeKind.ADDED: 20, ChangeKind.REMOVED: 5}),
    }
    wide, narrow = charts(records, counts, Addresses(), RunTimes.of(records))
    full, quarter, none = wide.bars
    assert full.total == "100"
    assert sum(part.height for part in quarter.segments) == pytest.approx(wide.canvas.up / 2, abs=0.2)
    assert none.segments == []
    assert wide.ticks[0] == Tick(wide.canvas.top, "100")
    assert wide.ticks[-1] == Tick(wide.canvas.base, "0")
    assert [tick.text for tick in wide.times] == ["00:00", "00:00", "2nd"]
    assert [tick.text for tick in wide.days] == ["1970-01-01", "1970-01-02"]
    assert none.title == "1970-01-02 00:00, 2nd that minute: no changes"
    assert narrow.canvas is NARROW
    assert charts(records[:1], counts, Addresses(), RunTimes.of(records)) == []


def test_many_runs_fit_the_chart() -> None:
    """The newest ones, as many as there is room for, without overlapping words."""
    records = [run(number * 86_400) for number in range(500)]
    for chart in charts(records, {}, Addresses(), RunTimes({})):
        assert chart.bars[-1].left + chart.bar_width <= chart.canvas.width
        assert chart.bars[-1].title.startswith("1971-05-15")
        assert re.search(r"1971-05-\d\d", chart.days[-1].text)
