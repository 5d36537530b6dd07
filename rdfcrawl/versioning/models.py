"""Two models go in; what only an edit of the model explains comes out.

Values and objects that such an edit touches are counted with it and are not changes of the site.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import RdfcrawlError
from rdfcrawl.metamodel.edges import Trail, trails_to
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Item, Model, Page, Property
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.runs.record import Predicates
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.versioning.changes import ChangeKind, change_triple


class ModelPart(StrEnum):
    """The part of a model that was edited."""

    PROPERTY = "property"
    CLASS = "class"
    SECTION = "section"
    NAMING = "naming"
    """No edit: the objects of a class are named by other rules since this version."""


@dataclass(frozen=True, slots=True)
class ModelChange:
    """An edit of the model. ``predicates`` (N-Triples text) are those whose differences it explains."""

    kind: ChangeKind
    part: ModelPart
    iri: str
    predicates: frozenset[str] = frozenset()
    count: int = 0

    @property
    def triple(self) -> str:
        """The change as the changes store has it."""
        return change_triple(iri(terms.MODEL), self.kind, iri(self.iri))

    @property
    def triples(self) -> tuple[str, ...]:
        """All that the changes store has of it."""
        return (self.triple,)


def model_of(runs: RunFiles, run: int) -> Model | None:
    """The model that a run used; ``None`` if its copy is gone, or if this version no longer accepts it."""
    try:
        return load_model(runs.model(run))
    except (OSError, RdfcrawlError):
        return None


def compare_models(old: Model, new: Model) -> tuple[ModelChange, ...]:
    """Every edit between two models that can touch what a run writes."""
    if old.digest == new.digest:
        return ()
    return (*_sections(old, new), *_classes(old, new), *_properties(old, new))


def compare_predicates(old: Predicates, new: Predicates) -> tuple[ModelChange, ...]:
    """The edits that the predicates of two runs show: the fallback where a model's text is gone."""
    return (
        *_one_sided(ModelPart.CLASS, set(old.items), set(new.items)),
        *_one_sided(ModelPart.PROPERTY, set(old.properties), set(new.properties)),
    )


def _one_sided(part: ModelPart, old: set[str], new: set[str]) -> Iterator[ModelChange]:
    for name in sorted(old ^ new):
        kind = ChangeKind.ADDED if name in new else ChangeKind.REMOVED
        yield ModelChange(kind, part, name, frozenset({iri(name)}))


def _sections(old: Model, new: Model) -> Iterator[ModelChange]:
    before, after = ({section.address for section in model.sections} for model in (old, new))
    for change in _one_sided(ModelPart.SECTION, before, after):
        yield replace(change, predicates=frozenset())


def _classes(old: Model, new: Model) -> Iterator[ModelChange]:
    before, after = _items(old), _items(new)
    shared = before.keys() & after.keys()
    removed, added = _others(before, shared), _others(after, shared)
    is_typed_anew = _rdf_classes(removed) - {None} != _rdf_classes(added) - {None}
    # A class that was renamed and has another root element reads its properties elsewhere.
    moved = _written(removed) & _written(added) if _roots(removed) != _roots(added) else set()
    for predicate in sorted(before.keys() | after.keys()):
        ours, theirs = before.get(predicate), after.get(predicate)
        if ours is None or theirs is None:
            kind = ChangeKind.ADDED if ours is None else ChangeKind.REMOVED
            others = _values(old if ours is None else new)
            items = theirs or ours or ()
            own = _written(items) - (others - moved)
            if is_typed_anew and any(item.rdf_class for item in items):
                own.add(terms.RDF_TYPE)
            yield ModelChange(kind, ModelPart.CLASS, predicate, _terms(own | {predicate}))
        elif _roots(ours) != _roots(theirs):
            own = _written((*ours, *theirs))
            yield ModelChange(ChangeKind.CHANGED, ModelPart.CLASS, predicate, _terms(own | {predicate}))
        elif _ways_to_class(old, predicate) != _ways_to_class(new, predicate):
            yield ModelChange(ChangeKind.CHANGED, ModelPart.CLASS, predicate, _terms({predicate}))
    if any(_rdf_classes(before[predicate]) != _rdf_classes(after[predicate]) for predicate in shared):
        yield ModelChange(ChangeKind.CHANGED, ModelPart.PROPERTY, terms.RDF_TYPE, _terms({terms.RDF_TYPE}))


def _properties(old: Model, new: Model) -> Iterator[ModelChange]:
    shared = _items(old).keys() & _items(new).keys()
    before, after = _definitions(old, shared), _definitions(new, shared)
    found: dict[str, set[ChangeKind]] = {}
    for place in before.keys() | after.keys():
        item, predicate = place
        # What only one of the models has is explained by its class.
        is_compared = item is not None or (place in before and place in after)
        if is_compared and before.get(place) != after.get(place):
            kind = ChangeKind.CHANGED
            if place not in before:
                kind = ChangeKind.ADDED
            elif place not in after:
                kind = ChangeKind.REMOVED
            found.setdefault(predicate, set()).add(kind)
    for predicate in sorted(found):
        kinds = found[predicate]
        kind = kinds.pop() if len(kinds) == 1 else ChangeKind.CHANGED
        yield ModelChange(kind, ModelPart.PROPERTY, predicate, _terms({predicate}))


def _items(model: Model) -> Mapping[str, tuple[Item, ...]]:
    found: dict[str, tuple[Item, ...]] = {}
    for item in model.items():
        found[item.predicate] = (*found.get(item.predicate, ()), item)
    return found


def _others(items: Mapping[str, tuple[Item, ...]], shared: Collection[str]) -> tuple[Item, ...]:
    """The items of the classes that the other model does not have."""
    return tuple(item for predicate, found in items.items() if predicate not in shared for item in found)


def _values(model: Model) -> set[str]:
    return _written(model.items())


def _written(items: Iterable[Item]) -> set[str]:
    return {prop.predicate for item in items for prop in item.properties}


def _roots(items: tuple[Item, ...]) -> frozenset[str]:
    return frozenset(item.path for item in items)


def _rdf_classes(items: tuple[Item, ...]) -> frozenset[str | None]:
    return frozenset(item.rdf_class for item in items)


def _definitions(model: Model, shared: Collection[str]) -> Mapping[tuple[str | None, str], frozenset[Property]]:
    """The properties by class and predicate; classes that the other model lacks count as one, which was renamed."""
    found: dict[tuple[str | None, str], frozenset[Property]] = {}
    for item in model.items():
        for prop in item.properties:
            place = (item.predicate if item.predicate in shared else None, prop.predicate)
            # Whether a value may be missing or names its object has no effect on the values that are written.
            found[place] = found.get(place, frozenset()) | {replace(prop, iri="", optional=False, label=False)}
    return found


def _ways_to_class(model: Model, predicate: str) -> frozenset[object]:
    """Everything that decides which objects of a class are found and how they are named."""
    return frozenset(
        (_identity(page, item), _reading(page), _way(trail))
        for page in model.pages.values()
        for item in page.items
        if item.predicate == predicate
        for trail in trails_to(model, page.iri)
    )


def _way(trail: Trail) -> object:
    """What decides where a trail leads; pages that it passes leave no trace in the graph, so they are a part of it."""
    passed = tuple((step.path, _reading(step.page)) for step in trail.passed)
    if trail.start is None:
        return passed, "section"
    item = trail.start.page.item
    return passed, trail.start.path, item and item.predicate


def _reading(page: Page) -> object:
    done = page.clicks, page.wait_for, page.fills, page.submit
    return page.next, page.more, page.scroll is not None, done, page.survey


def _identity(page: Page, item: Item) -> object:
    if item.template:
        named = {prop for prop in item.properties if f"{{{prop.iri}}}" in item.template}
        texts = {(prop.iri, prop.path, prop.attribute, prop.pattern, prop.split, prop.replacements) for prop in named}
        return "template", item.template, frozenset(texts)
    if page.address_names_object or item.id_path:
        return page.address_names_object, item.id_path, page.params
    # A key counts as it is after :pattern and :replace; without one, the raw texts do.
    hashed = {
        (
            prop.iri,
            prop.path,
            prop.attribute,
            prop.recognise,
            prop.names,
            prop.multiple,
            *((prop.pattern, prop.split, prop.replacements) if item.key else ()),
        )
        for prop in item.properties
        if not item.key or prop.iri in item.key
    }
    return "hash", page.params, frozenset(hashed)


def _terms(names: set[str]) -> frozenset[str]:
    return frozenset(iri(name) for name in names)
