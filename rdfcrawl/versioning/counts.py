"""How many changes a run has brought: of objects, of their values, and of the model, each counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.versioning.changes import Change, ChangeKind, PropertyChange
from rdfcrawl.versioning.models import ModelChange

_WORDS: Final = {ChangeKind.UNOBSERVED: "not observed"}

Amounts = Mapping[ChangeKind, int]


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """The number of changes of each kind; a replaced object is one, not one removed and one added."""

    objects: Amounts = field(default_factory=dict)
    values: Amounts = field(default_factory=dict)
    model: Amounts = field(default_factory=dict)

    @classmethod
    def of(cls, changes: Iterable[Change], edits: Iterable[ModelChange] = ()) -> ChangeCounts:
        """The counts of changes that were found."""
        objects: Counter[ChangeKind] = Counter()
        values: Counter[ChangeKind] = Counter()
        for change in changes:
            (values if isinstance(change, PropertyChange) else objects)[change.kind] += 1
        return cls(dict(objects), dict(values), dict(Counter(edit.kind for edit in edits)))

    @property
    def by_kind(self) -> dict[ChangeKind, int]:
        """Changes of objects and of values together."""
        return {kind: count for kind in ChangeKind if (count := self.objects.get(kind, 0) + self.values.get(kind, 0))}

    @property
    def total(self) -> int:
        """All changes, those of the model included."""
        return sum(sum(amounts.values()) for amounts in (self.objects, self.values, self.model))

    def as_noted(self) -> dict[str, dict[str, int]]:
        """The counts as a run's record has them."""
        return {name: {str(kind): count for kind, count in amounts.items()} for name, amounts in asdict(self).items()}

    def __str__(self) -> str:
        parts = (_phrase("object", self.objects), _phrase("value", self.values))
        return "; ".join(part for part in parts if part) or "no changes"


def counted_changes(runs: RunFiles, record: RunRecord) -> ChangeCounts | None:
    """The changes of a run as it noted them; of a run of an earlier version, as they are recorded. None if unknown."""
    if noted := record.counts.changes:
        return ChangeCounts(**{name: _amounts(amounts) for name, amounts in noted.items()})
    if not runs.has_file(record, RunFile.CHANGES):
        return None
    try:
        return _recounted(runs, record)
    except (DamagedFile, OSError):
        return None


def _recounted(runs: RunFiles, record: RunRecord) -> ChangeCounts:
    known = {str(kind): kind for kind in ChangeKind}
    properties = {f"<{name}>" for name in (*record.model.predicates.properties, terms.RDF_TYPE)}
    counts: tuple[Counter[ChangeKind], ...] = (Counter(), Counter(), Counter())
    for line in read_lines(runs.changes(record.id)):
        subject, predicate, what = split(line.decode())
        if kind := known.get(predicate[1:-1].removeprefix(terms.METAMODEL)):
            place = 2 if subject == f"<{terms.MODEL}>" else 1 if what in properties else 0
            counts[place][kind] += 1
    return ChangeCounts(*map(dict, counts))


def _amounts(noted: Mapping[str, int]) -> Amounts:
    return {ChangeKind(name): count for name, count in noted.items()}


def _phrase(noun: str, amounts: Amounts) -> str:
    """Such as ``2 objects added, 1 removed``."""
    parts = [f"{amounts[kind]:,} {_WORDS.get(kind, str(kind))}" for kind in ChangeKind if amounts.get(kind)]
    if not parts:
        return ""
    number, _, rest = parts[0].partition(" ")
    return ", ".join((f"{number} {noun if number == '1' else noun + 's'} {rest}", *parts[1:]))
