"""How an object is read: its values, what may name it, what is nested in it and what it links to."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Element, Match
from rdfcrawl.engine.extract.found import FoundName, FoundObject, Holder, Lack
from rdfcrawl.engine.extract.links import read_link
from rdfcrawl.engine.extract.naming import fill_template, read_address
from rdfcrawl.engine.extract.plan import ItemPlan, PagePlan, PropertyPlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.extract.recognised import FoundText
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.values.pipeline import Misfit


def read_objects(reading: Reading, plan: PagePlan, item: ItemPlan, elements: list[Element], holder: Holder) -> None:
    """Read the objects at these root elements, with everything nested in them; they hang from ``holder``."""
    is_the_page, outer = holder is reading.top and plan.page.address_names_object, holder.element
    for element in elements:
        found = FoundObject(plan, item, element, outer, is_the_page)
        _read_values(reading, found)
        if item.id_path is not None:
            read_address(reading, found)
        elif item.template is not None:
            fill_template(reading, found, item.template)
        holder.objects.append(found)
        if not found.is_written:
            continue
        for link in plan.links:
            read_link(reading, link, found, outer)
        for sub in plan.subs:
            reading.readers[type(sub.page)].read_nested(reading, sub, found)


def _read_values(reading: Reading, found: FoundObject) -> None:
    """Read the values of an object, and what it lacks."""
    document, element, item = reading.document, found.element, found.item
    cells = [] if item.cells is None else document.cell_texts(element, *item.cells)
    for plan in item.properties:
        text = cells[plan.cell] if plan.cell is not None and plan.cell < len(cells) else None
        if not text:
            matches = document.select(plan.path, element, outer=found.outer, root=element)
            text = document.plain_text(matches[0]) if matches and plan.ending is not None else None
            if not text:
                _read_property(reading, found, plan, matches)
                continue
        # Nearly every value of nearly every table: ``_read_property`` comes to the same, in several times the time.
        iri = plan.property.iri
        found.raw_values.append((iri, text))
        found.values.append(f'{plan.predicate} "{text}{plan.ending}')
        if plan.is_key:
            found.key_texts.append((iri, text))
    found.is_complete = not found.lacks
    found.is_written = bool(found.values) or not item.properties


def _read_property(reading: Reading, found: FoundObject, plan: PropertyPlan, matches: list[Match]) -> None:
    """Read the values of one property from what its path has found, or what is wrong with them."""
    document, base = reading.document, reading.document.base
    element, values, prop = found.element, found.values, plan.property
    known, is_missing, empty = len(values), True, None
    for match in matches:
        if prop.recognise is not None:
            reading.mentions.note_search(plan.source, document, match)
        for raw, place in plan.source.values(document, match):
            is_missing = False
            found.raw_values.append((prop.iri, raw))
            stated = plan.stated and plan.stated(document, element if isinstance(place, str) else place)
            for text, term in plan.pipeline.values(raw, base, stated):
                if isinstance(term, str):
                    values.append(f"{plan.predicate} {term}")
                    if isinstance(raw, FoundText) and raw.is_person:
                        found.finds.append(FoundName(text, prop.predicate, raw.how))
                elif isinstance(term, Misfit):
                    found.lacks.append(_lack(ProblemKind.MISFIT, plan, term.reason, raw))
                elif empty is None:
                    empty = (term.reason, raw, place)
                if text and plan.is_key:
                    found.key_texts.append((prop.iri, text))
        if not prop.multiple:
            break
    if prop.optional or len(values) > known:
        return
    if is_missing:
        reason = f"{plan.source.wanted} is not there; mark the property :optional if it may be missing"
        found.lacks.append(_lack(ProblemKind.MISSING, plan, reason))
    elif empty is not None:
        found.lacks.append(_empty(reading, found, plan, *empty))


def _lack(
    kind: ProblemKind, plan: PropertyPlan, reason: str, raw: str | None = None, element: str | None = None
) -> Lack:
    return Lack(kind, reason, plan.property.iri, plan.property.path, raw, element)


def _empty(reading: Reading, found: FoundObject, plan: PropertyPlan, reason: str, raw: str, place: Match) -> Lack:
    # A match that is no element, such as an attribute, stands somewhere in the object.
    element = reading.place_of(found.element if isinstance(place, str) else place)
    reason = f"{reason}; mark the property :optional if it may be empty"
    return _lack(ProblemKind.EMPTY, plan, reason, raw, element)
