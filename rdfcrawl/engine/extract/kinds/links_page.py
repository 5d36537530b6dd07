"""``type:links``: every link element is an entry of the list and leads to the target."""

from __future__ import annotations

from collections.abc import Iterator

from rdfcrawl.engine.extract.found import FoundLink, FoundObject, Holder
from rdfcrawl.engine.extract.links import follow, read_link
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.metamodel.kinds.links_page import LinksPage


class LinksPageReader:
    """Reads a list of links."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the links of the page; they hang from whatever the page hangs from."""
        result = reading.result
        for found in self._read(reading, plan, reading.top):
            result.found += 1
            if found is not None:
                result.complete_entries += 1
                result.entries.append(found.key)
        for link in plan.links:
            read_link(reading, link, reading.top, reading.top.element)

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Read the links inside an object; they hang from it."""
        for _ in self._read(reading, plan, holder):
            pass
        for link in plan.links:
            read_link(reading, link, holder, holder.element)

    def _read(self, reading: Reading, plan: PagePlan, holder: Holder) -> Iterator[FoundLink | None]:
        page, context = plan.page, holder.element
        assert isinstance(page, LinksPage)
        assert plan.entries is not None
        for match in reading.document.select(plan.entries, context, outer=context, root=context):
            yield follow(reading, match, page.target, plan.target_params, holder, page.path)
