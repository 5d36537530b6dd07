"""What may stand in place of a part that died: its own path changed a little, other names, new paths, other formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.drafting.repair.bench import Bench, Sheet
from rdfcrawl.drafting.repair.edits import Edit, edited
from rdfcrawl.drafting.repair.facts import LINK, normal
from rdfcrawl.drafting.repair.mutations import literals, mutations, renamed
from rdfcrawl.drafting.repair.parts import Part, parts_of
from rdfcrawl.drafting.repair.readings import other_readings
from rdfcrawl.drafting.ways.fresh import paths_to
from rdfcrawl.engine.document.tree import address_of
from rdfcrawl.engine.extract.extraction import Trace
from rdfcrawl.engine.extract.identity import clean_address, permalink
from rdfcrawl.engine.values.pipeline import Pipeline
from rdfcrawl.metamodel.model import Property
from rdfcrawl.rdf.ntriples import iri

_NAMING: Final = ("class", "itemprop", "id", "name", "rel", "title", "property", "itemtype", "role")
_MOST_NAMES: Final = 80
_MOST_MUTATIONS: Final = 80
_LONGEST_LABEL: Final = 60
_LONGEST_VALUE: Final = 5_000
_MOST_ELEMENTS: Final = 6_000
_UNREAD_ATTRIBUTES: Final = frozenset(("class", "style", "id", "onclick"))
_UNSEEN: Final = frozenset(("script", "style", "noscript", "template", "head", "html", "body"))


def choices_for(part: Part, bench: Bench, edits: Sequence[Edit]) -> list[tuple[Edit, ...]]:
    """The edits that are worth a trial, the least intrusive first."""
    attribute = part.prop.attribute if part.prop else None
    found = [*_renamings(part, bench, edits)]
    found += [
        (Edit(part.term, part.name, part.text, path),) for path in mutations(part.text, attribute)[:_MOST_MUTATIONS]
    ]
    traced = bench.traces(edits)
    if part.prop is not None:
        found += _readings(part.prop, part, bench, traced)
        found += _new_places(part.prop, part, bench, traced)
    elif part.name == "id" or next(iter(part.predicates)).startswith(LINK):
        found += [(Edit(part.term, part.name, part.text, path),) for path in _new_links(part, bench, edits, traced)]
    else:
        found += [(Edit(part.term, part.name, part.text, path),) for path in _new_roots(part, bench)]
    return list(dict.fromkeys(found))


def _renamings(part: Part, bench: Bench, edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Another name in place of one that the pages no longer have, in all paths that use it."""
    model = edited(bench.model, edits)
    others = list(parts_of(model, model.page(bench.page)))
    names = _names(bench.sheets)
    for old, is_whole in literals(part.text).items():
        if old in names or (not is_whole and any(old in name for name in names)):
            continue
        alike = sorted(names, key=lambda name: (-names[name], -SequenceMatcher(None, old, name).ratio(), name))
        for new in alike[:_MOST_NAMES]:
            edit = Edit(part.term, part.name, part.text, renamed(part.text, old, new))
            yield (edit,)
            everywhere = {
                (one.term, one.name): Edit(one.term, one.name, one.text, renamed(one.text, old, new))
                for one in others
                if old in literals(one.text)
            }
            if len(everywhere) > 1:
                yield tuple(everywhere.values())


def _names(sheets: Sequence[Sheet]) -> Counter[str]:
    """What the elements of the pages are called, and on how many pages; labels are names as well."""
    on_pages: Counter[str] = Counter()
    for sheet in sheets:
        names: set[str] = set()
        for element in sheet.document.root.iter("*"):
            for attribute in _NAMING:
                if value := element.get(attribute):
                    names.add(value)
                    names.update(value.split() if attribute == "class" else ())
            text = (element.text or "").strip()
            if text and len(text) <= _LONGEST_LABEL and len(element) == 0:
                names.add(text)
        on_pages.update(names)
    return Counter({name: count for name, count in on_pages.items() if count * 2 >= len(sheets)})


def _readings(
    prop: Property, part: Part, bench: Bench, traced: Sequence[tuple[Sheet, Sequence[Trace]]]
) -> list[tuple[Edit, ...]]:
    raws = [trace.raw for _, traces in traced for trace in traces if trace.plan.property.iri == prop.iri and trace.raw]
    known = [value for value, count in _values(part, bench.sheets).items() for _ in range(count)]
    base = bench.sheets[0].document.base if bench.sheets else ""
    return other_readings(prop, raws, known, base) if raws else []


def _values(part: Part, sheets: Sequence[Sheet]) -> Counter[str]:
    """The known values of a part on some pages."""
    found: Counter[str] = Counter()
    for sheet in sheets:
        for (_, predicate, value), count in sheet.expected.items():
            if predicate in part.predicates:
                found[value] += count
    return found


def _new_places(
    prop: Property, part: Part, bench: Bench, traced: Sequence[tuple[Sheet, Sequence[Trace]]]
) -> Iterator[tuple[Edit, ...]]:
    """Paths to the elements that have the known values now, in their text or in an attribute."""
    places: dict[str | None, list[tuple[Element, Element | None]]] = {}
    for sheet, traces in traced:
        roots = {trace.root for trace in traces if part.item is not None and trace.item.iri == part.item.iri}
        for element, attribute in _holders(prop, set(_values(part, [sheet])), sheet):
            root = next((one for one in (element, *element.iterancestors()) if one in roots), None)
            places.setdefault(attribute, []).append((element, root))
    for attribute, elements in places.items():
        others = () if attribute == prop.attribute else (Edit(prop.iri, "attribute", prop.attribute, attribute or ""),)
        if attribute is None and prop.attribute is not None:
            continue
        if others:
            yield others
        yield from ((Edit(prop.iri, "path", prop.path, path), *others) for path in paths_to(elements))


def _holders(prop: Property, known: set[str], sheet: Sheet) -> Iterator[tuple[Element, str | None]]:
    """The innermost elements whose text becomes a known value, and elements with an attribute that does."""
    document = sheet.document
    plain = Pipeline(replace(prop, attribute=None))
    taken: set[Element] = set()
    elements = [element for element in document.root.iter("*") if element.tag not in _UNSEEN][:_MOST_ELEMENTS]
    for element in reversed(elements):
        for name, value in ((str(name), str(value)) for name, value in element.items()):
            if (
                name not in _UNREAD_ATTRIBUTES
                and len(value) <= _LONGEST_VALUE
                and _makes(plain, value, known, document.base)
            ):
                yield element, name
        if element in taken or prop.attribute is not None:
            continue
        text = document.text_of(element)
        if text and len(text) <= _LONGEST_VALUE and _makes(plain, text, known, document.base):
            taken.update(element.iterancestors())
            yield element, None


def _makes(pipeline: Pipeline, text: str, known: set[str], base: str) -> bool:
    return any(isinstance(term, str) and normal(term) in known for _, term in pipeline.values(text, base))


def _new_links(
    part: Part, bench: Bench, edits: Sequence[Edit], traced: Sequence[tuple[Sheet, Sequence[Trace]]]
) -> list[str]:
    """Paths to the elements that lead to known addresses."""
    model = edited(bench.model, edits)
    target = next(iter(part.predicates)).removeprefix(LINK)
    params = model.page(target).params if target in model.pages else ()
    found: list[tuple[Element, Element | None]] = []
    for sheet, traces in traced:
        roots = {trace.root for trace in traces if part.item is not None and trace.item.iri == part.item.iri}
        known = set(_values(part, [sheet]))
        for element in sheet.document.root.iter("a", "area"):
            address = address_of(element, sheet.document.base)
            if address and {iri(clean_address(address, params)), iri(permalink(address, params))} & known:
                root = next((one for one in (element, *element.iterancestors()) if one in roots), None)
                found.append((element, root))
    return paths_to(found, several=True)


def _new_roots(part: Part, bench: Bench) -> list[str]:
    """Paths to the elements around known values: each of their ancestors may be the root element."""
    assert part.item is not None
    is_nested = not part.text.startswith("/")
    found: list[tuple[Element, Element | None]] = []
    for sheet in bench.sheets:
        for prop in part.item.properties:
            known = {value for (_, name, value) in sheet.expected if name == iri(prop.predicate)}
            holders = [element for element, attribute in _holders(prop, known, sheet) if attribute == prop.attribute]
            for holder in holders[:40]:
                around = (holder, *holder.iterancestors())
                found += ((element, None) for element in around if element.tag not in _UNSEEN)
    paths = paths_to(found, several=True)
    return [f".{path}" for path in paths] if is_nested else paths
