"""A page in plain markup in which the elements of an object are marked, so that somebody can see where a value stands.

Nothing of the page's own markup is passed on but the names of some harmless elements and its texts: it is written anew,
by a worker. Whoever shows it must still treat it as something that the page wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import islice
from typing import Final

from lxml import etree

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.tree import Document, Element
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.workers.messages import Question
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.reading import parsed_document
from rdfcrawl.engine.workers.tasks import Workplace

FRAME: Final = f"{__name__}:frame"
MOST_CHARACTERS: Final = 400_000
"""A longer page is shown from the object's root element on, and ends where this is reached."""
_LONGEST_ELEMENT: Final = 1_000
_MOST_INSIDE: Final = 200

_BLOCKS: Final = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section"
    " select summary table tbody td tfoot th thead tr ul"
)
_INLINE: Final = (
    "abbr b bdi bdo big br cite code data del dfn em font i ins kbd label mark meter output progress q rp rt ruby s"
    " samp small span strike strong sub sup time tt u var wbr"
)
_AS_BLOCKS: Final = "html body details dialog fieldset form legend menu optgroup option search select summary"
_AS_TEXT: Final = "font label meter output progress"
_WRITTEN: Final = {name: name for name in f"{_BLOCKS} {_INLINE}".split()} | {
    # What would be filled in, opened or sent is only to be looked at.
    **dict.fromkeys(_AS_BLOCKS.split(), "div"),
    **dict.fromkeys(_AS_TEXT.split(), "span"),
}
_VOID: Final = frozenset(("br", "hr", "wbr"))
_LEFT_OUT: Final = frozenset(
    (
        *("head", "script", "style", "template", "noscript", "iframe", "frame", "frameset", "object", "embed"),
        *("applet", "svg", "math", "canvas", "video", "audio", "map", "datalist", "textarea", "noembed", "noframes"),
    )
)
_SPANS: Final = ("colspan", "rowspan")
_MOST_SPANNED: Final = 100


@dataclass(frozen=True, slots=True)
class FramedPage:
    """``html`` is what belongs into a body; a page that is not HTML has none.

    ``marks`` has for each value the id of its element there, ``None`` if the element is none that people see. The
    object's root element has the id ``root``, unless it is that of a value. ``elements`` are the sources of the values'
    elements. ``is_cut`` says that not all of the page is there.
    """

    html: str | None
    marks: tuple[str | None, ...]
    elements: tuple[str, ...]
    is_cut: bool = False


async def framed_page(
    pool: WorkerPool, document: Fetched, root: str | None, places: Sequence[str | None], *, with_scripts: bool
) -> FramedPage | None:
    """The page of some values with their elements marked; ``None`` if it cannot be read again."""
    options = {"places": json.dumps([root, *places]), "scripts": "1" if with_scripts else None}
    try:
        return await pool.perform(FRAME, [document], options, _framed)
    except (DocumentError, FetchFailed):
        return None


def frame(workplace: Workplace, question: Question) -> bytes:
    """The task of a worker: a document in plain markup, with the elements at some places marked."""
    (fetched,) = question.documents
    document = parsed_document(fetched, workplace.limits, with_scripts=bool(question.options["scripts"]))
    root, *found = (_element(document, place) for place in json.loads(question.options["places"] or "[]"))
    marks: dict[Element, str] = {}
    for number, element in enumerate(found):
        if element is not None:
            marks.setdefault(element, f"value-{number}")
    if root is not None:
        marks.setdefault(root, "root")
    page = _Written("", frozenset(), False) if document.is_data(document.root) else _written(document.root, marks)
    if page.is_cut and root is not None:
        page = replace(_written(root, marks), is_cut=True)
    answer = {
        "html": page.html or None,
        "marks": [marks[one] if one is not None and marks[one] in page.marks else None for one in found],
        "elements": [_source(element) for element in found],
        "cut": page.is_cut,
    }
    return json.dumps(answer).encode()


@dataclass(frozen=True, slots=True)
class _Written:
    html: str
    marks: frozenset[str]
    is_cut: bool


def _written(root: Element, marks: Mapping[Element, str]) -> _Written:
    """An element in plain markup, and the marks that are in it."""
    pieces: list[str] = []
    left, skipped, is_cut, seen = MOST_CHARACTERS, None, False, set[str]()
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        name = str(element.tag).lower() if event in ("start", "end") else ""
        if event == "start" and (left <= 0 or name in _LEFT_OUT):
            is_cut, skipped = is_cut or left <= 0, element
            walk.skip_subtree()
            continue
        if event == "start":
            mark = marks.get(element)
            seen |= {mark} if mark else set()
            piece = _start(element, name, mark) + escape(element.text or "")
        else:
            # What is left out has no end, but the text after it counts.
            after = "" if element is root or left <= 0 else escape(element.tail or "")
            piece = (_end(name) if event == "end" and element is not skipped else "") + after
        pieces.append(piece)
        left -= len(piece)
    return _Written("".join(pieces), frozenset(seen), is_cut)


def _start(element: Element, name: str, mark: str | None) -> str:
    id_ = f' id="{mark}"' if mark else ""
    if name == "img":
        return f'<span class="picture"{id_}>{escape((element.get("alt") or "picture")[:_LONGEST_ELEMENT])}'
    spans = "".join(f' {span}="{value}"' for span in _SPANS if (value := _spanned(element.get(span))))
    tag = _WRITTEN.get(name, "span")
    return f"<{tag}{id_}{spans if tag in ('td', 'th') else ''}>"


def _end(name: str) -> str:
    tag = _WRITTEN.get(name, "span")
    return "" if tag in _VOID else f"</{tag}>"


def _spanned(value: str | None) -> int:
    return min(int(value), _MOST_SPANNED) if value and value.isascii() and value.isdigit() and len(value) < 10 else 0


def _element(document: Document, place: str | None) -> Element | None:
    if place is None:
        return None
    found = document.root.getroottree().xpath(place)
    return found[0] if isinstance(found, list) and found and isinstance(found[0], Element) else None


def _source(element: Element | None) -> str:
    if element is None:
        return ""
    # A table of a megabyte is not written out for its first line.
    whole = element if sum(1 for _ in islice(element.iter(), _MOST_INSIDE)) < _MOST_INSIDE else _alone(element)
    source = str(etree.tostring(whole, method="html", encoding="unicode", with_tail=False)).strip()
    return source if len(source) <= _LONGEST_ELEMENT else source[: _LONGEST_ELEMENT - 1] + "…"


def _alone(element: Element) -> Element:
    """The element without what is inside it."""
    return element.makeelement(element.tag, {str(name): str(value) for name, value in element.attrib.items()})


def _framed(result: bytes) -> FramedPage:
    checks = {
        "html": strict.text_or_none,
        "marks": strict.listed(strict.text_or_none),
        "elements": strict.texts,
        "cut": strict.flag,
    }
    values = strict.whole_record(strict.plain(result), **checks)
    return FramedPage(values["html"], tuple(values["marks"]), tuple(values["elements"]), values["cut"])
