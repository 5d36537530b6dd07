"""A comparison goes in; its changes, with everything that a reader wants to know about them, come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.labels import label_predicates
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.names import expand
from rdfcrawl.rdf.ntriples import iri, term_text
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.versioning.changes import Change, ChangeKind, ObjectChange, PropertyChange, Values, compare_values
from rdfcrawl.versioning.compare import Comparison, find_changes
from rdfcrawl.versioning.models import ModelChange
from rdfcrawl.versioning.names import ObjectNames, look_up
from rdfcrawl.versioning.pairing.replaced import descriptions
from rdfcrawl.versioning.recording import ChangeSummary, summary_of


@dataclass(frozen=True, slots=True)
class ReplacedBy:
    """The object that took the place of another, the values in which it differs, and its label."""

    object: str
    changes: tuple[PropertyChange, ...]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class ReportedChange:
    """A change with its context, all terms as N-Triples text.

    ``item`` is the predicate that leads to the object that the change is about; ``label`` is that object's label,
    ``parent_label`` that of the object it belongs to.
    """

    change: Change
    section: str | None = None
    item: str | None = None
    label: str | None = None
    parent_label: str | None = None
    replaced_by: ReplacedBy | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The changes between two states, with their context, in the order of sections, classes and objects."""

    old_runs: tuple[int, ...]
    new_run: int
    entries: tuple[ReportedChange, ...]
    edits: tuple[ModelChange, ...]
    suspicions: tuple[Suspicion, ...] = ()

    def summary(self) -> ChangeSummary:
        """The number of changes of each kind."""
        return summary_of((entry.change for entry in self.entries), self.edits, self.suspicions)

    @property
    def differs(self) -> bool:
        """Whether anything is different or suspected; what was only not observed is not."""
        return bool(self.edits) or any(entry.change.kind is not ChangeKind.UNOBSERVED for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Filter:
    """What of a report is wanted, as N-Triples text; an empty filter wants everything."""

    sections: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        prefixes: Mapping[str, str],
        sections: Iterable[str] = (),
        classes: Iterable[str] = (),
        properties: Iterable[str] = (),
    ) -> Filter:
        """A filter of names as people write them: IRIs, or names with a prefix of the model."""
        named = (frozenset(iri(expand(name, prefixes)) for name in names) for names in (sections, classes, properties))
        return cls(*named)

    def __bool__(self) -> bool:
        return bool(self.sections or self.classes or self.properties)

    def wants(self, entry: ReportedChange) -> bool:
        """Whether an entry passes."""
        changed = entry.replaced_by.changes if entry.replaced_by else (entry.change,)
        properties = {change.predicate for change in changed if isinstance(change, PropertyChange)}
        return (
            (not self.sections or entry.section in self.sections)
            and (not self.classes or entry.item in self.classes)
            and (not self.properties or bool(properties & self.properties))
        )

    def wants_suspicion(self, suspicion: Suspicion) -> bool:
        """Whether a suspicion passes: one about a class or property that is wanted."""
        return (not self.classes or iri(suspicion.item) in self.classes) and (
            not self.properties or (suspicion.prop is not None and iri(suspicion.prop) in self.properties)
        )

    def wants_edit(self, edit: ModelChange) -> bool:
        """Whether an edit of the model passes: one that touches what is wanted."""
        return not self or bool({iri(edit.iri), *edit.predicates} & (self.sections | self.classes | self.properties))


def make_report(comparison: Comparison, models: Sequence[Model] = (), wanted: Filter | None = None) -> Report:
    """Find the changes and look up their context in both states; the models, the newest first, say what labels are."""
    found = find_changes(comparison)
    context = _context(comparison, models, found.changes)
    wanted = wanted or Filter()
    entries = (context.entry(change) for change in found.changes)
    return Report(
        comparison.old_runs,
        comparison.new_run,
        tuple(sorted((entry for entry in entries if wanted.wants(entry)), key=_place)),
        tuple(edit for edit in found.edits if wanted.wants_edit(edit)),
        tuple(suspicion for suspicion in comparison.suspicions if wanted.wants_suspicion(suspicion)),
    )


@dataclass(frozen=True, slots=True)
class _Context:
    names: ObjectNames
    described: Mapping[str, Values]

    def entry(self, change: Change) -> ReportedChange:
        labels = self.names.labels
        section = self.names.sections.get(change.subject)
        if isinstance(change, PropertyChange):
            return ReportedChange(change, section, self.names.classes.get(change.subject), labels.get(change.subject))
        return ReportedChange(
            change,
            section,
            change.predicate,
            labels.get(change.object),
            labels.get(change.subject),
            self._replacement(change),
        )

    def _replacement(self, change: ObjectChange) -> ReplacedBy | None:
        gone, come = change.object, change.successor
        if come is None:
            return None
        changes = tuple(compare_values(gone, self.described[gone], self.described[come]))
        return ReplacedBy(come, changes, self.names.labels.get(come))


def _context(comparison: Comparison, models: Sequence[Model], changes: tuple[Change, ...]) -> _Context:
    objects = {change.object for change in changes if isinstance(change, ObjectChange)}
    successors = {change.successor for change in changes if isinstance(change, ObjectChange) and change.successor}
    wanted = objects | successors | {change.subject for change in changes}
    scope = comparison.scope
    labels = label_predicates(models, (term_text(predicate) for predicate in scope.properties))
    # The new state first: what an object is called now is what people look for.
    names = look_up((comparison.new, comparison.old), wanted, scope.items, scope.sections, labels)
    has_replaced = any(change.kind is ChangeKind.REPLACED for change in changes)
    return _Context(names, descriptions(comparison.differences()) if has_replaced else {})


def _place(entry: ReportedChange) -> tuple[str, str, str, str]:
    change = entry.change
    about = change.object if isinstance(change, ObjectChange) else change.subject
    return entry.section or "", entry.item or "", about, change.predicate
