"""``type:object``: the first root element is the object, and it must be there."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Element
from rdfcrawl.engine.extract.found import FoundObject, Holder, Lack
from rdfcrawl.engine.extract.kinds.objects import read_objects
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind


class ObjectPageReader:
    """Reads one object."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the object that the page is about."""
        elements = self._roots(reading, plan, reading.top)
        if not elements:
            # The page names the object, so it is known which one is not there.
            reading.report(_no_root(plan, "the object"), reading.address)
        reading.result.found = len(elements)

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Read the one object that is nested in another."""
        if not self._roots(reading, plan, holder):
            holder.lacks.append(_no_root(plan, "the nested object"))

    def _roots(self, reading: Reading, plan: PagePlan, holder: Holder) -> list[Element]:
        """Read the first of the root elements; returns all of them."""
        item = plan.required_item
        elements = reading.elements(item.path, holder.element)
        read_objects(reading, plan, item, elements[:1], holder)
        return elements


def _no_root(plan: PagePlan, what: str) -> Lack:
    reason = f"the root element of {what} is not there"
    return Lack(ProblemKind.NO_ROOT, reason, path=plan.required_item.item.path)
