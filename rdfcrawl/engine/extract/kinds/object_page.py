"""``type:object``: the first root element is the object, and it must be there."""

from __future__ import annotations

from rdfcrawl.engine.extract.objects import read_nested_objects, read_object
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading, ReadObject
from rdfcrawl.engine.problem import ProblemKind


class ObjectPageReader:
    """Reads one object."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the object that the page is about."""
        result, item = reading.result, plan.required_item
        elements = reading.elements(item.path, reading.document.root)
        result.found = len(elements)
        if not elements:
            path = item.item.path
            reading.problem(ProblemKind.NO_ROOT, "the root element of the object is not there", path=path)
        for element in elements[:1]:
            if found := read_object(reading, plan, item, element, None):
                result.tops.append((item.predicate, found.name))
                result.complete_entries += found.is_complete

    def read_nested(self, reading: Reading, plan: PagePlan, holder: ReadObject) -> None:
        """Read the one object that is nested in another."""
        item = plan.required_item
        elements = reading.elements(item.path, holder.element)
        if not elements:
            reading.problem(
                ProblemKind.NO_ROOT,
                "the root element of the nested object is not there",
                subject=holder.subject,
                path=item.item.path,
            )
        read_nested_objects(reading, plan, item, elements[:1], holder)
