"""The way through a site whose model is repaired: from its sections on, some pages of each kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.repair.edits import Edit, edited
from rdfcrawl.drafting.repair.facts import Facts, Tally, expected_on
from rdfcrawl.drafting.repair.mending import Mend
from rdfcrawl.drafting.repair.tasks import MEND, Mended, RepairLead, mended_from
from rdfcrawl.drafting.site.visitor import Seen, Visitor
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.boundary import internal_reason
from rdfcrawl.engine.crawl.visit import Means
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.metamodel.edges import predicates_below
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.plain import model_to_json
from rdfcrawl.rdf.ntriples import iri

_SAMPLES: Final = 8
_MOST_ADDRESSES: Final = 2_000


@dataclass(slots=True)
class Walk:
    """The way through a site: ``mends`` grow as it goes, and what they find is where it goes on."""

    model: Model
    facts: Facts
    suspected: frozenset[str]
    means: Means
    engine: Engine
    tell: Callable[[str], None]
    mends: list[Mend] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    _waiting: dict[str, dict[RepairLead, None]] = field(default_factory=dict)

    async def from_sections(self) -> None:
        """Read every kind of page that the sections lead to, a few of each."""
        visitor = Visitor(self.means, self.engine, self.tell)
        for section in self.model.sections:
            self._wait_for(RepairLead(section.page, section.address, iri(section.address)))
        done: set[str] = set()
        while kinds := [kind for kind in self._waiting if kind not in done]:
            done.add(kinds[0])
            await self._kind(kinds[0], visitor)

    async def _kind(self, kind: str, visitor: Visitor) -> None:
        chosen = self._chosen(self._waiting[kind])
        seen = [(lead, await visitor.try_to_see(lead.address, self.doubts)) for lead in chosen]
        read = [(lead, one) for lead, one in seen if one is not None]
        if not read:
            return
        mended = await self._mend(kind, visitor, read)
        self.mends += mended.mends
        for lead in mended.leads:
            self._wait_for(lead)
        if mended.buttons:
            await self._next(kind, visitor, read[0], mended)

    async def _mend(
        self, kind: str, visitor: Visitor, read: Sequence[tuple[RepairLead, Seen]], *, search: bool = True
    ) -> Mended:
        model = edited(self.model, [one.edit for one in self.mends])
        expected = [self._expected(model, kind, lead, seen) for lead, seen in read]
        question = {
            "model": model_to_json(model).decode(),
            "page": kind,
            "owners": [lead.parent for lead, _ in read],
            "expected": [[[*statement, count] for statement, count in tally.items()] for tally in expected],
            "suspected": sorted(self.suspected),
            "search": search,
        }
        documents = [visitor.documents[seen.number] for _, seen in read]
        try:
            return await self.means.pool.perform(MEND, documents, {"repair": json.dumps(question)}, mended_from)
        except (FetchFailed, DocumentError) as failure:
            self.doubts.append(f"{documents[0].address}: {failure}")
        except WorkerFailure as failure:
            self.doubts.append(f"{documents[0].address}: {internal_reason(failure)}")
        return Mended()

    def _expected(self, model: Model, kind: str, lead: RepairLead, seen: Seen) -> Tally:
        return expected_on(model, self.facts, model.page(kind), seen.address, lead.parent or "")

    async def _next(self, kind: str, visitor: Visitor, first: tuple[RepairLead, Seen], mended: Mended) -> None:
        """Try what may be the next button: it must lead to a page with more of what was known."""
        lead, page = first[0], self.model.page(kind)
        tried: dict[str, int] = {}
        for path, address in mended.buttons:
            if address not in tried:
                seen = await visitor.try_to_see(address, self.doubts)
                there = await self._mend(kind, visitor, [(lead, seen)], search=False) if seen else Mended()
                tried[address] = there.found
                for one in there.leads if there.found else ():
                    self._wait_for(one)
            if tried[address]:
                known = self._known_below(kind, lead)
                edit = Edit(kind, "next", page.next, path)
                found = mended.found + tried[address]
                below = tuple(iri(name) for name in sorted(predicates_below(self.model, kind)))
                self.mends.append(Mend(edit, found, mended.found, known, (address,), below))
                return
        self.doubts.append(f"{first[1].address}: the next button was not found again")

    def _known_below(self, kind: str, lead: RepairLead) -> int:
        page = self.model.page(kind)
        if page.item is not None:
            names = self.facts.objects(lead.parent or "", iri(page.item.predicate))
            return len(names) + sum(len(self.facts.by_subject.get(name, ())) for name in names)
        return expected_on(self.model, self.facts, page, lead.address, lead.parent or "").total()

    def _wait_for(self, lead: RepairLead) -> None:
        waiting = self._waiting.setdefault(lead.page, {})
        if len(waiting) < _MOST_ADDRESSES:
            waiting[lead] = None

    def _chosen(self, leads: Iterable[RepairLead]) -> list[RepairLead]:
        """A few leads from the beginning, middle and end, known ones before others."""
        all_leads = list({lead.address: lead for lead in leads}.values())
        known = [lead for lead in all_leads if self._is_known(lead)] or all_leads
        step = max(1, len(known) // _SAMPLES)
        return known[::step][:_SAMPLES]

    def _is_known(self, lead: RepairLead) -> bool:
        page = self.model.page(lead.page)
        return not page.address_names_object or iri(clean_address(lead.address, page.params)) in self.facts.by_subject
