"""What a page is, judged by what was found on it: a list, one of its kind, worth a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from rdfcrawl.drafting.reading.look import FoundList, Look
from rdfcrawl.drafting.site.visitor import Seen

LIST_SHARE: Final = 0.45
"""The part of a page's text that its list has if the page is for it."""
TABLE_SHARE: Final = 0.6
"""The same for rows without pages of their own."""
_LEAST_SCORE: Final = 0.75
_PAGED_SHARE: Final = 0.25
_LEAST_ALIKE: Final = 0.35


def best_list(look: Look, common: frozenset[str], least_share: float) -> FoundList | None:
    """The list of links that the page is for, if it has one that leads to its own site."""
    for found in look.lists:
        own = [address for address in found.addresses if _site(address) == _site(look.address)]
        is_new = sum(address in common for address in found.addresses) * 2 < len(found.addresses)
        if (
            found.score >= _LEAST_SCORE
            and found.share >= least_share
            and len(own) * 2 > len(found.addresses)
            and is_new
        ):
            return found
    return None


def is_list(look: Look, common: frozenset[str]) -> bool:
    """Whether a page is for its list: by how much of it that is, of which a next button needs less."""
    goes_on = look.next_path is not None or look.more is not None
    return best_list(look, common, _PAGED_SHARE if goes_on else LIST_SHARE) is not None or look.rows >= TABLE_SHARE


def _site(address: str) -> str:
    return ".".join((urlsplit(address).hostname or "").split(".")[-2:])


def common_addresses(pages: Sequence[Seen]) -> frozenset[str]:
    """The addresses that most of the pages link to."""
    counts = Counter(
        address for seen in pages for address in {each for one in seen.look.lists for each in one.addresses}
    )
    return frozenset(address for address, count in counts.items() if count > 1 and count * 2 >= len(pages))


def alike(pages: Sequence[Seen]) -> list[Seen]:
    """The largest set of pages that resemble one of them."""
    sets = [[other for other in pages if seen.look.likeness(other.look) >= _LEAST_ALIKE] for seen in pages]
    return max(sets, key=len, default=[])


def spread(found: Sequence[Sequence[str]], most: int) -> list[str]:
    """Addresses from all pages of a list, from its beginning, middle and end."""
    each = max(1, -(-most // max(1, sum(1 for one in found if one))))
    chosen: dict[str, None] = {}
    for addresses in found:
        count = min(each, len(addresses))
        for number in range(count):
            chosen[addresses[number * (len(addresses) - 1) // max(1, count - 1)]] = None
    return list(chosen)[:most]
