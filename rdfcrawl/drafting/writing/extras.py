"""What a page tells besides its texts: properties from attributes, and the schema.org terms of its own markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.reading.attributes import FoundAttribute, find_attributes
from rdfcrawl.drafting.reading.markup import has_microdata, is_term, stated_values
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.writing.forms import Form, form_of
from rdfcrawl.drafting.writing.naming import local_name
from rdfcrawl.drafting.writing.outline import DraftedProperty
from rdfcrawl.metamodel.parts import Replacement
from rdfcrawl.rdf import terms

_SAMPLES: Final = 3
_SCHEMA: Final = "schema:"
_ITEMPROP: Final = re.compile(r"\.//[\w*]+\[@itemprop='(\w+)'\]")
_DURATION: Final = re.compile(r"P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?")


def attribute_properties(samples: Sequence[Sample], known: Sequence[DraftedProperty]) -> list[DraftedProperty]:
    """Properties from attributes that say what no text of the page says, without those that have no name."""
    texts = [{slot.text for slot in sample.slots} for sample in samples]
    names = {found.name for found in known}
    result: list[DraftedProperty] = []
    for found in find_attributes(samples):
        values = [value for value in found.values if value is not None]
        shown = sum(value in texts[page] for page, value in enumerate(found.values) if value is not None)
        name = local_name(found.name)
        if not name or shown * 2 > len(values):
            continue
        while name in names:
            name = f"{name}{found.attribute.capitalize()}"
        names.add(name)
        result.append(_property(found, name, values))
    return result


def _property(found: FoundAttribute, name: str, values: Sequence[str]) -> DraftedProperty:
    return DraftedProperty(
        name=name,
        path=f".{found.path}",
        samples=tuple(dict.fromkeys(values))[:_SAMPLES],
        seen=len(values),
        pages=len(found.values),
        form=_form(found, values),
        attribute=found.attribute,
        active=found.attribute != "src" or "itemprop" in found.path or "id=" in found.path,
    )


def _form(found: FoundAttribute, values: Sequence[str]) -> Form:
    if found.stem:
        return Form(terms.DECIMAL, rf"(?<={found.stem})\d+([_.]\d+)?", (Replacement("_", ".", 1),))
    if found.attribute == "src":
        return Form(terms.ANY_URI)
    if all(_DURATION.fullmatch(value) for value in values):
        return Form(terms.XSD + "duration")
    return form_of(values)


def with_aliases(properties: Sequence[DraftedProperty], samples: Sequence[Sample]) -> tuple[DraftedProperty, ...]:
    """The properties, those with a schema.org term that the pages themselves give their values."""
    stated = [stated_values(sample) for sample in samples]
    marked = all(has_microdata(sample) for sample in samples)
    used: set[str] = set()
    result = []
    for found in properties:
        term = _stated_term(found, stated) or (_itemprop(found) if marked else None)
        if term is not None and term not in used and found.active:
            used.add(term)
            found = replace(found, alias=f"{_SCHEMA}{term}")
        result.append(found)
    return tuple(result)


def _stated_term(found: DraftedProperty, stated: Sequence[dict[str, set[str]]]) -> str | None:
    """The one term that has all sample values, each on one of the pages."""
    if len(found.samples) < 2:
        return None
    known = [set().union(*(page.get(sample, set()) for page in stated)) for sample in found.samples]
    common = set.intersection(*known)
    return common.pop() if len(common) == 1 else None


def _itemprop(found: DraftedProperty) -> str | None:
    named = _ITEMPROP.fullmatch(found.path)
    return named[1] if named and is_term(named[1]) else None
