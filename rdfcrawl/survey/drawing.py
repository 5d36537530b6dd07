"""The picture of the links as SVG: readable without a script, and without style sheets of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from rdfcrawl.survey.centrality import DrawnPage, LinkPicture

WIDTH: Final = 1000
HEIGHT: Final = 700
_MARGIN: Final = 60
_LABELS: Final = 40
_LETTER: Final = 6.2
"""About the width of a letter of a label."""
_LINE: Final = 15
_LONGEST: Final = 34
_COLOURS: Final = ("#1f6b66", "#a8690c", "#5b6abf", "#b0413a", "#2c7a4b", "#8a4f9e", "#67707c")
_UNSHOWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

Box = tuple[float, float, float, float]


def picture_svg(picture: LinkPicture, href: Callable[[str], str | None], *, standalone: bool = True) -> str:
    """The drawing. A page is a circle, as large as it is central; ``href`` is where a click on it leads."""
    title = f"Links between the {len(picture.pages)} most linked pages"
    size = f' width="{WIDTH}" height="{HEIGHT}"' if standalone else ""
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>' if standalone else ""
    ink = "#23211d" if standalone else "currentColor"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"{size} role="group"',
            f'aria-label={quoteattr(title)} class="links" font-family="system-ui, sans-serif" font-size="12">',
            ground,
            f'<g class="edges" fill="none" stroke="{ink}" stroke-width="0.6" stroke-opacity="{_opacity(picture)}">',
            *_edges(picture),
            "</g>",
            f'<g class="pages" fill="{ink}">',
            *_pages(picture, href),
            "</g>",
            "</svg>",
        ]
    )


def _opacity(picture: LinkPicture) -> float:
    """The more links there are, the fainter each of them is."""
    count = sum(map(len, picture.links))
    return round(min(0.5, max(0.06, 60 / (count + 1))), 3)


def _edges(picture: LinkPicture) -> Iterator[str]:
    """The links of each page as one path."""
    for number, targets in enumerate(picture.links):
        x, y = _at(picture.pages[number])
        lines = (_at(picture.pages[target]) for target in targets)
        path = "".join(f"M{x:.0f} {y:.0f}L{tx:.0f} {ty:.0f}" for tx, ty in lines)
        if path:
            yield f'<path data-page="{number}" d="{path}"/>'


def _pages(picture: LinkPicture, href: Callable[[str], str | None]) -> Iterator[str]:
    """The circles, the largest first, so that no small one is hidden; labels where there is room."""
    hosts = list(dict.fromkeys(page.host for page in picture.pages))
    most = max((page.rank for page in picture.pages), default=1.0)
    taken: list[Box] = []
    order = sorted(range(len(picture.pages)), key=lambda number: (-picture.pages[number].rank, number))
    for place, number in enumerate(order):
        page = picture.pages[number]
        x, y = _at(page)
        radius = 4 + 14 * (page.rank / most) ** 0.5
        label = _label(page)
        has_room = place < _LABELS and _finds_room(_box(x, y, radius, label), taken)
        colour = _COLOURS[min(hosts.index(page.host), len(_COLOURS) - 1)]
        named = f"{page.title}\n{page.address}\nlinked from {page.linked_from:,} pages" if page.title else page.address
        shown = "" if has_room else ' visibility="hidden"'
        target = href(page.address)
        begin = f"<a href={_quoted(target)}>" if target else "<a>"
        yield (
            f'{begin}<g data-page="{number}"><title>{_text(named)}</title>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" stroke="#ffffff"/>'
            f'<text x="{x:.1f}" y="{y + radius:.1f}" dy="1.05em" text-anchor="middle"'
            f"{shown}>{_text(label)}</text></g></a>"
        )


def _at(page: DrawnPage) -> tuple[float, float]:
    return _MARGIN + page.x * (WIDTH - 2 * _MARGIN), _MARGIN + page.y * (HEIGHT - 2 * _MARGIN)


def _label(page: DrawnPage) -> str:
    name = page.title or page.address.partition("://")[2]
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _box(x: float, y: float, radius: float, label: str) -> Box:
    half = len(label) * _LETTER / 2
    return x - half, y + radius, x + half, y + radius + _LINE


def _finds_room(box: Box, taken: list[Box]) -> bool:
    """Whether a label hides no other one; then its place is taken."""
    left, top, right, bottom = box
    if left < 0 or right > WIDTH or bottom > HEIGHT:
        return False
    if any(left < r and right > low and top < b and bottom > t for low, t, r, b in taken):
        return False
    taken.append(box)
    return True


def _text(text: str) -> str:
    return escape(_UNSHOWABLE.sub("\ufffd", text))


def _quoted(text: str) -> str:
    return quoteattr(_UNSHOWABLE.sub("\ufffd", text))
