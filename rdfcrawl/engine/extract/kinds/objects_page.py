"""``type:objects``: every root element is an object and an entry of the list."""

from __future__ import annotations

from rdfcrawl.engine.extract.found import FoundObject, Holder
from rdfcrawl.engine.extract.kinds.objects import read_objects
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading


class ObjectsPageReader:
    """Reads a list of objects."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the objects of the page."""
        reading.result.found = self._read(reading, plan, reading.top)

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Read the objects that are nested in another; there may be none."""
        self._read(reading, plan, holder)

    def _read(self, reading: Reading, plan: PagePlan, holder: Holder) -> int:
        item = plan.required_item
        elements = reading.elements(item.path, holder.element)
        read_objects(reading, plan, item, elements, holder)
        return len(elements)
