"""PageRank and HITS of a site's pages, with all links and with those of the content only."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.results.reading import content_links
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.centrality import numbered, scores_of
from rdfcrawl.survey.reading import read_links

_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page with PageRank, hub and authority: by all links, and by those that are no navigation."""

    address: str
    with_navigation: tuple[float, float, float]
    without_navigation: tuple[float, float, float]


def ranks_of(runs: RunFiles, record: RunRecord) -> Sequence[RankedPage]:
    """The pages that come first in any of the six orders; raises ``UsageError`` without igraph."""
    numbers = numbered(runs, record)
    everything = scores_of(numbers, read_links(runs, record))
    content = scores_of(numbers, content_links(runs, record))
    pages = list(numbers)
    chosen: dict[int, None] = {}
    for scores in (content, everything):
        for weights in (scores.ranks, scores.authorities, scores.hubs):
            ordered = zip((-weight for weight in weights), pages, range(len(pages)), strict=True)
            chosen |= dict.fromkeys(place for _, _, place in nsmallest(_MOST, ordered))
    ranked = [RankedPage(pages[number], everything.of(number), content.of(number)) for number in chosen]
    return sorted(ranked, key=lambda page: (-page.without_navigation[0], page.address))[:_MOST]
