"""The people that a run has found, read from its derived graph: who there is, and which pages are about whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.graphs import derived_iri
from rdfcrawl.recognise.mentions import NAMESPACE
from rdfcrawl.recognise.people import name_words
from rdfcrawl.store.runs.record import RunFile, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles


def _term(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"{NAMESPACE}{name}")


@dataclass(frozen=True, slots=True)
class PersonEntry:
    """A person: how they are called, how often they were found and on how many pages."""

    iri: str
    label: str
    count: int
    pages: int


@dataclass(frozen=True, slots=True)
class AboutPage:
    """A page that mentions a person, with its scores; those of several forms of the name are added up."""

    address: str
    count: int
    tf_idf: float
    bm25: float
    excerpt: str
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownNameForm:
    """A form of a person's name, with its parts as ``name:given``, ``name:family`` and ``name:title`` have them."""

    iri: str
    name: str
    given: tuple[str, ...]
    family: tuple[str, ...]
    titles: tuple[str, ...]


class People:
    """The people of one run."""

    def __init__(self, store: ox.Store, run: int) -> None:
        self._store = store
        self.run = run
        self._graph = ox.NamedNode(derived_iri(run))

    def everyone(self) -> list[PersonEntry]:
        """All people, those that most pages mention first."""
        found = [self._entry(node.value, label) for node, label in self._pairs("label")]
        return sorted(found, key=lambda person: (-person.pages, -person.count, person.label, person.iri))

    def person(self, iri: str) -> PersonEntry | None:
        """The person with an IRI."""
        label = next(self._values(ox.NamedNode(iri), "label"), None)
        return None if label is None else self._entry(iri, label)

    def called(self, name: str) -> list[PersonEntry]:
        """The people with a form of this name, else those whose forms have all of its words."""
        wanted = name_words(name)
        exact: set[str] = set()
        partial: set[str] = set()
        if wanted:
            for node, written in self._pairs("name"):
                words = name_words(written)
                if set(words) == set(wanted):
                    exact |= set(self._values(node, "person"))
                elif set(wanted) <= set(words):
                    partial |= set(self._values(node, "person"))
        people = (self.person(iri) for iri in exact or partial)
        found = [person for person in people if person is not None]
        return sorted(found, key=lambda person: (-person.pages, -person.count, person.label, person.iri))

    def forms(self, person: str) -> list[ShownNameForm]:
        """The forms of a person's name, the longest first."""
        found = [self._form(node) for node, _ in self._pairs("person", value=ox.NamedNode(person))]
        return sorted(found, key=lambda form: (-len(form.name), form.name))

    def pages_about(self, forms: Iterable[ShownNameForm]) -> list[AboutPage]:
        """The pages that mention any of the forms, best first."""
        pages: dict[str, AboutPage] = {}
        for form in forms:
            for node, _ in self._pairs("of", value=ox.NamedNode(form.iri)):
                page = self._about(node, form.name)
                known = pages.get(page.address)
                pages[page.address] = page if known is None else _added(known, page)
        return sorted(pages.values(), key=lambda page: (-page.bm25, -page.tf_idf, page.address))

    def names(self) -> Iterator[tuple[ShownNameForm, list[AboutPage]]]:
        """Every name in alphabetical order, with its pages, best first."""
        for _, iri in sorted((name, node.value) for node, name in self._pairs("name")):
            form = self._form(ox.NamedNode(iri))
            yield form, self.pages_about([form])

    def _entry(self, iri: str, label: str) -> PersonEntry:
        node = ox.NamedNode(iri)
        count, pages = (int(next(self._values(node, name), "0")) for name in ("count", "pages"))
        return PersonEntry(iri, label, count, pages)

    def _form(self, node: ox.NamedNode) -> ShownNameForm:
        name = next(self._values(node, "name"), "")
        given, family, titles = (tuple(sorted(self._values(node, part))) for part in ("given", "family", "title"))
        return ShownNameForm(node.value, name, given, family, titles)

    def _about(self, node: ox.NamedNode, name: str) -> AboutPage:
        said = {part: next(self._values(node, part), "") for part in ("page", "count", "tfidf", "bm25", "excerpt")}
        numbers = float(said["tfidf"] or 0), float(said["bm25"] or 0)
        return AboutPage(said["page"], int(said["count"] or 0), *numbers, said["excerpt"], (name,))

    def _values(self, node: ox.NamedNode, term: str) -> Iterator[str]:
        return (value for _, value in self._pairs(term, node))

    def _pairs(
        self, term: str, subject: ox.NamedNode | None = None, value: ox.NamedNode | None = None
    ) -> Iterator[tuple[ox.NamedNode, str]]:
        """Subjects and the texts of objects."""
        for quad in self._store.quads_for_pattern(subject, _term(term), value, self._graph):
            if isinstance(quad.subject, ox.NamedNode) and isinstance(quad.object, ox.NamedNode | ox.Literal):
                yield quad.subject, quad.object.value


def run_with_names(runs: RunFiles, name: str | None = None) -> RunRecord:
    """The run that is named, else the latest complete one that has recognised names."""
    if name is not None:
        record = runs.resolve(name)
        if not runs.has_file(record, RunFile.DERIVED):
            raise UsageError(f"run {record.id} has recognised no names; its model needs :recognise recognise:person")
        return record
    found = latest_with_names(runs, runs.records())
    if found is None:
        raise UsageError("no run has recognised names yet: a property of its model needs :recognise recognise:person")
    return found


def latest_with_names(runs: RunFiles, records: Sequence[RunRecord]) -> RunRecord | None:
    """The latest complete run that has recognised names."""
    found = [
        record
        for record in records
        if record.state is RunState.COMPLETE and not record.is_pruned and runs.has_file(record, RunFile.DERIVED)
    ]
    return max(found, key=lambda record: record.order, default=None)


def _added(one: AboutPage, other: AboutPage) -> AboutPage:
    best = one if one.bm25 >= other.bm25 else other
    return AboutPage(
        one.address,
        one.count + other.count,
        one.tf_idf + other.tf_idf,
        one.bm25 + other.bm25,
        best.excerpt,
        (*one.forms, *other.forms),
    )
