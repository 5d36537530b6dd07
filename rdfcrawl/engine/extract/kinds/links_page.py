"""``type:links``: every link element is an entry of the list and leads to the target."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Element
from rdfcrawl.engine.extract.links import follow, read_link
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading, ReadObject
from rdfcrawl.metamodel.kinds.links_page import LinksPage


class LinksPageReader:
    """Reads a list of links."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the links of the page; they hang from whatever the page hangs from."""
        self._read(reading, plan, reading.document.root, None)

    def read_nested(self, reading: Reading, plan: PagePlan, holder: ReadObject) -> None:
        """Read the links inside an object; they hang from it."""
        self._read(reading, plan, holder.element, holder.subject)

    def _read(self, reading: Reading, plan: PagePlan, context: Element, parent: str | None) -> None:
        page, result = plan.page, reading.result
        assert isinstance(page, LinksPage)
        assert plan.entries is not None
        for match in reading.document.select(plan.entries, context, outer=context, root=context):
            if parent is None:
                result.found += 1
            found = follow(reading, match, page.target, plan.target_params, parent, page.path)
            if found is not None and parent is None:
                result.complete_entries += 1
                result.entries.append(found.key)
        for link in plan.links:
            read_link(reading, link, context, context, parent)
