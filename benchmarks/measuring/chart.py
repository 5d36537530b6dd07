"""A lane as a chart: one bar per tool, the median, with a line from the least to the greatest. SVG, by hand."""

from __future__ import annotations

from html import escape

from measuring.results import Lane, Series

WIDTH = 760
NAMES = 210
VALUES = 170
ROW = 34
TOP = 44
BAR = 18
OWN, OTHER, RANGE, TEXT = "#1f6f8b", "#b9c4c9", "#30363a", "#22282b"


def chart(lane: Lane) -> str:
    """The SVG of a lane with crawls, in seconds; shorter is better."""
    room = WIDTH - NAMES - VALUES
    longest = max(one.spread("seconds")[1] for one in lane.series)
    height = TOP + ROW * len(lane.series) + 10
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    font = f'font-family="system-ui, sans-serif" font-size="13" fill="{TEXT}"'
    title = escape(f"{lane.title}, seconds: {lane.site}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {font}>',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="24" font-size="15" font-weight="600">{title}</text>',
    ]
    for number, one in enumerate(lane.series):
        parts += _row(one, TOP + ROW * number + ROW / 2, room / longest)
    return "\n".join([*parts, "</svg>", ""])


def _row(one: Series, middle: float, scale: float) -> list[str]:
    low, high = (NAMES + seconds * scale for seconds in one.spread("seconds"))
    median = one.median("seconds")
    colour = OTHER if one.is_peer else OWN
    result = f"{median:.1f} s, {one.pages / median:,.0f} pages/s"
    return [
        f'<text x="{NAMES - 10}" y="{middle + 4.5}" text-anchor="end">{escape(one.name)}</text>',
        f'<rect x="{NAMES}" y="{middle - BAR / 2}" width="{median * scale:.1f}" height="{BAR}" fill="{colour}"/>',
        f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="{RANGE}" stroke-width="2"/>',
        f'<text x="{high + 10:.1f}" y="{middle + 4.5}">{result}</text>',
    ]
