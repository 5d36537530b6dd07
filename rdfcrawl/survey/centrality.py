"""The links between the pages of a site as a graph: which pages are central, and how to lay them out."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.findings import LinkedPage
from rdfcrawl.survey.hits import hits
from rdfcrawl.survey.reading import HTML, PageLinks, read_links, read_pages

if TYPE_CHECKING:
    import igraph

MOST_LINKS: Final = 5_000_000
"""How many links are taken into account; each takes 16 bytes, and twice that in the library."""
_DIGITS: Final = 6
"""How many digits of a score mean something."""
NEEDS_IGRAPH: Final = 'the picture of the links needs igraph: pip install "rdfcrawl[picture]"'


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page with its place between 0 and 1, and how central it is: by PageRank, and as hub and authority by HITS."""

    address: str
    title: str
    linked_from: int
    x: float
    y: float
    rank: float
    hub: float
    authority: float

    @property
    def host(self) -> str:
        """The host with its port."""
        return urlsplit(self.address).netloc


@dataclass(frozen=True, slots=True)
class LinkPicture:
    """The most linked pages, and for each the numbers of those that it links to.

    ``groups`` is in how many parts without links to each other the whole site falls apart; not
    ``complete`` is a picture of a site with too many links to take all of them into account.
    """

    pages: Sequence[DrawnPage]
    links: Sequence[Sequence[int]]
    groups: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PageScores:
    """PageRank, hub and authority of each page, by its number; not ``complete`` if there were too many links."""

    ranks: Sequence[float]
    hubs: Sequence[float]
    authorities: Sequence[float]
    complete: bool = True

    def of(self, number: int) -> tuple[float, float, float]:
        """PageRank, hub and authority of a page."""
        return self.ranks[number], self.hubs[number], self.authorities[number]


def picture_of(
    runs: RunFiles, record: RunRecord, most_linked: Sequence[LinkedPage], links: Iterable[PageLinks] | None = None
) -> LinkPicture:
    """Place the most linked pages of a survey; how central they are is computed from all of its pages.

    ``links`` are those that count, where it is not all of them.
    """
    if not most_linked:
        _igraph()
        return LinkPicture((), (), 0)
    numbers = numbered(runs, record, most_linked)
    whole, scores = _scored(numbers, read_links(runs, record) if links is None else links)
    # The pages that are drawn have the first numbers, in this graph and in the part of it that is drawn.
    part = whole.induced_subgraph(range(len(most_linked)))
    pages = [
        DrawnPage(page.address, page.title, page.linked_from, x, y, *scores.of(number))
        for number, (page, (x, y)) in enumerate(zip(most_linked, _spots(part), strict=False))
    ]
    groups = len(whole.connected_components(mode="weak"))
    return LinkPicture(pages, [sorted(part.successors(one)) for one in range(len(pages))], groups, scores.complete)


def scores_of(numbers: Mapping[str, int], links: Iterable[PageLinks]) -> PageScores:
    """How central pages are, by links between them; raises ``UsageError`` without igraph."""
    return _scored(numbers, links)[1]


def numbered(runs: RunFiles, record: RunRecord, first: Sequence[LinkedPage] = ()) -> dict[str, int]:
    """A number for every page of the site, some of them first."""
    numbers = {page.address: place for place, page in enumerate(first)}
    for page in read_pages(runs, record):
        if page.kind == HTML:
            numbers.setdefault(page.address, len(numbers))
    return numbers


def _scored(numbers: Mapping[str, int], links: Iterable[PageLinks]) -> tuple[igraph.Graph, PageScores]:
    library = _igraph()
    pairs, complete = _pairs(numbers, links)
    whole = library.Graph(n=len(numbers), edges=_matrix(pairs), directed=True)
    kept = memoryview(pairs)
    hubs, authorities = hits(len(numbers), zip(kept[::2], kept[1::2], strict=True))
    return whole, PageScores(_rounded(whole.pagerank()), _rounded(hubs), _rounded(authorities), complete)


def _rounded(scores: Iterable[float]) -> list[float]:
    return [round(score, _DIGITS) for score in scores]


def _igraph() -> Any:
    try:
        import igraph
    except ImportError:
        raise UsageError(NEEDS_IGRAPH) from None
    return igraph


def _pairs(numbers: Mapping[str, int], links: Iterable[PageLinks]) -> tuple[array[int], bool]:
    """The links between pages, the number of each followed by that of its target."""
    pairs = array("q")
    for page in links:
        source = numbers.get(page.address)
        if source is None:
            continue
        for target in page.links:
            if (number := numbers.get(target)) is not None and number != source:
                pairs.extend((source, number))
        if len(pairs) > 2 * MOST_LINKS:
            return pairs, False
    return pairs, True


def _matrix(pairs: array[int]) -> memoryview | tuple[()]:
    """The pairs in the form that the library reads without copying each; there is no matrix of nothing."""
    if not pairs:
        return ()
    return memoryview(pairs).cast("B").cast("q", shape=[len(pairs) // 2, 2])


def _spots(part: igraph.Graph) -> list[tuple[float, float]]:
    """A place between 0 and 1 for each page; the same links have the same places, whenever they are drawn."""
    joined = part.as_undirected(mode="collapse")
    coords = joined.layout_kamada_kawai(seed=joined.layout_circle().coords).coords
    lows = [min(spot[axis] for spot in coords) for axis in (0, 1)]
    spans = [max(spot[axis] for spot in coords) - lows[axis] or 1.0 for axis in (0, 1)]
    return [(round((x - lows[0]) / spans[0], _DIGITS), round((y - lows[1]) / spans[1], _DIGITS)) for x, y in coords]
