"""Which classes only seem to have changed, because their objects were named by other rules in the run before.

Earlier versions named objects by ``:id`` addresses without their fragment, and by the raw texts of a ``:key``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.names import is_hash_name
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.versioning.changes import Change, ChangeKind, ObjectChange, Scope, Values
from rdfcrawl.versioning.models import ModelChange, ModelPart


def renamed_classes(
    changes: Iterable[Change], described: Mapping[str, Values], model: Model, scope: Scope
) -> Iterator[ModelChange]:
    """The classes whose objects are named differently.

    That shows in an ``:id`` address with a fragment that only one side has, and in keyed objects of one parent that
    were removed and added with the same values; ``described`` has the values of objects that only one side has.
    """
    by_id = {iri(item.predicate) for item in model.items() if item.id_path}
    by_key = {iri(item.predicate) for item in model.items() if item.key}
    renamed: set[str] = set()
    removed: dict[tuple[str, str], set[Values]] = {}
    added: dict[tuple[str, str], set[Values]] = {}
    for change in changes:
        if not isinstance(change, ObjectChange):
            continue
        name = change.object[1:-1]
        if change.predicate in by_id and "#" in name and not is_hash_name(name):
            renamed.add(change.predicate)
        if change.predicate in by_key and change.object in described:
            # The names of objects below have changed too.
            own = frozenset(value for value in described[change.object] if not scope.is_edge(*value))
            sides = added if change.kind is ChangeKind.ADDED else removed
            sides.setdefault((change.subject, change.predicate), set()).add(own)
    renamed |= {place[1] for place, values in added.items() if values & removed.get(place, set())}
    for predicate in sorted(renamed):
        yield ModelChange(ChangeKind.CHANGED, ModelPart.NAMING, predicate[1:-1], frozenset({predicate}))
