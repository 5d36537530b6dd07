"""How links are read: where they lead, what they hang from, and what it means when they are not there."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Element, Match, address_of
from rdfcrawl.engine.extract.found import FoundLink, Holder, Lack
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import LinkPlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind


def read_link(reading: Reading, plan: LinkPlan, holder: Holder, outer: Element) -> None:
    """Follow a ``:link`` from the element of ``holder``, which may be the page itself."""
    link, result = plan.link, reading.result
    matches = reading.document.select(plan.path, holder.element, outer=outer, root=holder.element)
    if holder is reading.top:
        result.found += len(matches)
        result.complete_entries += len(matches)
    for match in matches:
        follow(reading, match, link.target, plan.target_params, holder, link.path)
    if not matches and not link.optional:
        reason = f"the link {link.iri} is not there; mark it :optional if it may be missing"
        holder.lacks.append(Lack(ProblemKind.NO_LINK, reason, path=link.path))
        holder.unread.append(link.target)


def follow(
    reading: Reading, match: Match, target: str, target_params: tuple[str, ...], holder: Holder, path: str
) -> FoundLink | None:
    """Follow the link at ``match`` to the page ``target``; nothing where it has no address."""
    address = address_of(match, reading.document.base)
    if address is None:
        raw = reading.document.text_of(match)
        holder.lacks.append(Lack(ProblemKind.BAD_ADDRESS, "the link element has no http address", path=path, raw=raw))
        holder.unread.append(target)
        return None
    found = FoundLink(target, address, clean_address(address, target_params))
    holder.links.append(found)
    return found
