"""Which events a run has, for each alert of its model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from rdfcrawl.alert.events.changed import change_events
from rdfcrawl.alert.events.event import Event, EventKind
from rdfcrawl.alert.events.found import found_events
from rdfcrawl.alert.events.problems import problem_events
from rdfcrawl.metamodel.model import Alert, Model
from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.state import state_before
from rdfcrawl.versioning.compare import Comparison, compare_with_previous
from rdfcrawl.versioning.models import model_of
from rdfcrawl.versioning.report import make_report

Rows = Callable[[str], list[Event]]
"""The new rows of a query."""


@dataclass(frozen=True, slots=True)
class AlertEvents:
    """The events that one alert reports. ``edited`` says that the model was edited since the run before.

    Then a find or a row may be there because of that; they are told all the same, but together.
    """

    alert: Alert
    events: tuple[Event, ...]
    edited: bool = False


@dataclass
class RunEvents:
    """Finds out what has happened in a run, each kind of event at most once, and only if somebody wants to know."""

    runs: RunFiles
    record: RunRecord
    model: Model
    rows: Rows = field(default=lambda _: [])

    def of_alerts(self) -> Iterator[AlertEvents]:
        """The events of each alert; there may be none."""
        for alert in self.model.alerts:
            events = tuple(self._events(alert))
            yield AlertEvents(alert, events, bool(events) and self._depends_on_model(alert) and self._is_edited)

    def _events(self, alert: Alert) -> Iterator[Event]:
        if alert.query is not None:
            yield from self.rows(alert.query)
        for name in alert.on:
            kind = EventKind(name.removeprefix(terms.ALERT))
            if kind is EventKind.FOUND:
                yield from self._found
            elif kind is EventKind.PROBLEM:
                yield from self._problems
            else:
                changes = (event for event in self._changes if event.kind is kind)
                yield from (event for event in changes if not alert.classes or event.item in alert.classes)

    @staticmethod
    def _depends_on_model(alert: Alert) -> bool:
        return alert.query is not None or terms.ALERT + EventKind.FOUND in alert.on

    @cached_property
    def _comparison(self) -> Comparison:
        return compare_with_previous(self.runs, self.record)

    @cached_property
    def _is_edited(self) -> bool:
        return bool(self._edited_runs)

    @cached_property
    def _edited_runs(self) -> list[int]:
        """The runs before whose model was another one."""
        before = (self.runs.find_record(run) for run in self._comparison.old_runs)
        digest = self.record.model.digest
        return [record.id for record in before if record is not None and record.model.digest != digest]

    @cached_property
    def _changes(self) -> list[Event]:
        comparison = self._comparison
        if not comparison.old_runs:
            # The first run finds everything for the first time; nothing of it is news.
            return []
        older = [model_of(self.runs, run) for run in self._edited_runs]
        report = make_report(comparison, [self.model, *(model for model in older if model is not None)])
        known = state_before(self.runs, self.record, self.runs.records()).sections
        return change_events(report, comparison, known, self.record.model.prefixes)

    @cached_property
    def _found(self) -> list[Event]:
        return found_events(self._comparison, self.model)

    @cached_property
    def _problems(self) -> list[Event]:
        return problem_events(self.runs, self.record, self._comparison.old_runs)
