"""What workers do for a draft: look at a page, and write the model. Nothing of a page is parsed elsewhere.

Whoever asks imports this module, too: what only a worker needs is imported when it does something.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from rdfcrawl.drafting.reading.look import Look, look_from_plain, look_to_plain
from rdfcrawl.drafting.site.plan import SitePlan
from rdfcrawl.drafting.site.result import Draft
from rdfcrawl.engine import strict
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.workers.messages import Question

if TYPE_CHECKING:
    from rdfcrawl.drafting.reading.slots import Sample
    from rdfcrawl.engine.workers.tasks import Workplace

LOOK: Final = f"{__name__}:look"
LINKS_AT: Final = f"{__name__}:links_at"
DRAFT: Final = f"{__name__}:draft"

_MOST_KEPT: Final = 16


def look(workplace: Workplace, question: Question) -> bytes:
    """What a page has to lead on."""
    from rdfcrawl.drafting.reading.looking import look_at

    (page,) = _pages(workplace, question)
    return json.dumps(look_to_plain(look_at(page))).encode()


def looked(result: bytes) -> Look:
    """The answer to ``look``; raises ``Nonsense``."""
    data: Any = strict.plain(result)
    try:
        return look_from_plain(data)
    except (KeyError, TypeError) as error:
        raise Nonsense(f"it is no look at a page: {error}") from None


def links_at(workplace: Workplace, question: Question) -> bytes:
    """Where the links lead that a path finds on a page."""
    from rdfcrawl.drafting.reading.looking import addresses_at

    (page,) = _pages(workplace, question)
    return json.dumps(addresses_at(question.options["path"] or "", page)).encode()


def linked_addresses(result: bytes) -> list[str]:
    """The answer to ``links_at``; raises ``Nonsense``."""
    data: Any = strict.plain(result)
    if not isinstance(data, list):
        raise Nonsense("these are no addresses")
    return [strict.text(address) for address in data]


def draft(workplace: Workplace, question: Question) -> bytes:
    """The model of a site, from all documents that were sampled."""
    from rdfcrawl.drafting.writing.whole import drafted_site

    plan = SitePlan.from_json(question.options["plan"] or "")
    return drafted_site(plan, _pages(workplace, question)).to_json().encode()


def drafted(result: bytes) -> Draft:
    """The answer to ``draft``; raises ``Nonsense``."""
    try:
        return Draft.from_plain(strict.plain(result))
    except (KeyError, TypeError) as error:
        raise Nonsense(f"it is no draft: {error}") from None


def _pages(workplace: Workplace, question: Question) -> list[Sample]:
    return [
        _page(workplace.limits, one.address, one.content_type, one.rendered, one.body) for one in question.documents
    ]


@lru_cache(maxsize=_MOST_KEPT)
def _page(limits: RunLimits, address: str, content_type: str | None, rendered: bool, body: bytes) -> Sample:
    """A page, read once: first it is looked at, then it is drafted from, and reading it takes as long as the look."""
    from rdfcrawl.drafting.reading.slots import read_sample
    from rdfcrawl.engine.workers.reading import parsed_document

    headers = {} if content_type is None else {"content-type": content_type}
    return read_sample(parsed_document(Fetched(address, 200, headers, body, rendered), limits), 0)
