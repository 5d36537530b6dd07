"""``type:object``: the first root element is the object, and it must be there."""

from __future__ import annotations

from rdfcrawl.engine.extract.found import FoundObject, Holder, Lack
from rdfcrawl.engine.extract.objects import read_objects
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind


class ObjectPageReader:
    """Reads one object."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the object that the page is about."""
        reading.result.found = self._read(reading, plan, reading.top, "the object")

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Read the one object that is nested in another."""
        self._read(reading, plan, holder, "the nested object")

    def _read(self, reading: Reading, plan: PagePlan, holder: Holder, what: str) -> int:
        item = plan.required_item
        elements = reading.elements(item.path, holder.element)
        if not elements:
            reason = f"the root element of {what} is not there"
            holder.lacks.append(Lack(ProblemKind.NO_ROOT, reason, path=item.item.path))
        read_objects(reading, plan, item, elements[:1], holder)
        return len(elements)
