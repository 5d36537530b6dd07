"""``type:objects``: every root element is an object and an entry of the list."""

from __future__ import annotations

from rdfcrawl.engine.extract.naming import entry_name
from rdfcrawl.engine.extract.objects import read_nested_objects, read_object
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading, ReadObject


class ObjectsPageReader:
    """Reads a list of objects."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the objects of the page."""
        result, item = reading.result, plan.required_item
        elements = reading.elements(item.path, reading.document.root)
        result.found = len(elements)
        for element in elements:
            if found := read_object(reading, plan, item, element, None):
                result.tops.append((item.predicate, found.name))
                result.complete_entries += found.is_complete
                result.entries.append(entry_name(item, found.subject))

    def read_nested(self, reading: Reading, plan: PagePlan, holder: ReadObject) -> None:
        """Read the objects that are nested in another; there may be none."""
        item = plan.required_item
        read_nested_objects(reading, plan, item, reading.elements(item.path, holder.element), holder)
