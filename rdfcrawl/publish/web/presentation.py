"""Terms, objects and changes as people read them: short texts and links that are safe to follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.changes import PublishedChange
from rdfcrawl.publish.data.objects import ObjectStanding, Term, class_of, is_described, label, standing
from rdfcrawl.publish.data.schema import ObjectClass, readable_name
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.addresses import Addresses, short_address, web_link
from rdfcrawl.publish.web.readable import MOMENTS, NUMBERS, readable
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.versioning.pairing.words import WordPiece, changed_words
from rdfcrawl.versioning.sites import SiteChange, of_address, of_fact

WHOLE = 600
UNFOLDED = 20_000
"""A longer value is no part of the page; a link leads to it."""
IN_TABLE = 90
UNFOLDED_IN_TABLE = 2_000
_IN_CHANGE = 300
_SHORT, _LONG = 16, 50
_TITLE = 120
_TITLE_VALUES = 3
_TITLE_VALUE = 50


@dataclass(frozen=True, slots=True)
class Shown:
    """A value: its text, and where it leads.

    ``whole`` is the address of the whole text where it was cut; if it is not too long, ``full`` is the text itself, to
    be unfolded. ``title`` is the whole of a shortened address, ``why`` is where its way from the page is told, and
    ``exact`` a number, a date or a duration as it is kept.
    """

    text: str
    href: str | None = None
    external: bool = False
    language: str | None = None
    datatype: str | None = None
    whole: str | None = None
    iri: str | None = None
    full: str | None = None
    title: str | None = None
    why: str | None = None
    exact: str | None = None
    is_number: bool = False
    is_moment: bool = False

    @property
    def width(self) -> str:
        """How a table should treat the text: ``short`` ones stay on one line, ``long`` ones need room."""
        return "short" if len(self.text) <= _SHORT else "long" if len(self.text) > _LONG else ""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change with everything that a reader needs to understand it."""

    kind: str
    subject: Shown
    name: str
    target: Shown | None
    old: Sequence[Shown]
    new: Sequence[Shown]
    model: bool
    successor: Shown | None = None
    differences: Sequence[ShownChange] = ()
    words: Sequence[WordPiece] = ()

    @property
    def named(self) -> str:
        """The class of the object that came or went, unless it is already part of the object's label."""
        return "" if self.target and self.target.text.startswith(f"{self.name} ") else self.name


@dataclass(frozen=True, slots=True)
class Showing:
    """Presents what is in a snapshot, with links to this server's own pages where it has any."""

    snapshot: Snapshot
    addresses: Addresses

    def term(self, value: Term, at_most: int = WHOLE, whole: str | None = None, unfolded: int = 0) -> Shown:
        """A value of a property; a text longer than ``at_most`` is cut; up to ``unfolded`` it is kept whole as well."""
        if isinstance(value, ox.NamedNode):
            return self.iri(value.value, at_most)
        text = value.value
        kind = value.datatype.value
        if kind in NUMBERS or kind in MOMENTS:
            written = shortened(readable(text, kind), at_most)
            exact = text if written != text and len(text) <= at_most else None
            moment = exact is not None and kind in MOMENTS
            return Shown(
                written,
                None,
                False,
                None,
                readable_name(kind),
                exact=exact,
                is_number=kind in NUMBERS,
                is_moment=moment,
            )
        return Shown(
            shortened(text, at_most),
            language=value.language,
            datatype=None if kind in (terms.STRING, terms.LANGUAGE_STRING) else readable_name(kind),
            whole=whole if len(text) > at_most else None,
            full=text if at_most < len(text) <= unfolded else None,
        )

    def iri(self, iri: str, at_most: int = WHOLE) -> Shown:
        """An IRI: an object by its label, any other by its address, of which people need the host and the file."""
        if is_described(self.snapshot, iri):
            return self.object(iri)
        text = shortened(short_address(iri), at_most)
        return Shown(text, web_link(iri), external=True, iri=iri, title=iri if text != iri else None)

    def object(self, iri: str) -> Shown:
        """An object, by its label, with a link to its page; one of which no run says anything has none."""
        if standing(self.snapshot, iri) is ObjectStanding.UNKNOWN:
            return Shown(self.title(iri), web_link(iri), external=True, iri=iri)
        return Shown(self.title(iri), self.addresses.page(iri), iri=iri)

    def section(self, address: str) -> Shown:
        """A section, by its address."""
        return replace(self.object(address), text=address)

    def title(self, iri: str, run: int | None = None) -> str:
        """The label of an object, otherwise its class and first values, or its address."""
        found = label(self.snapshot, iri, run)
        if found is not None:
            return shortened(" ".join(found.split()), _TITLE)
        shown = class_of(self.snapshot, iri)
        values = self._first_values(iri, shown, run) if shown else []
        if shown and values:
            return f"{shown.name} {' · '.join(values)}"
        return shortened(iri.removeprefix("https://").removeprefix("http://"), _TITLE)

    def predicate(self, predicate: str) -> str:
        """The name of a predicate."""
        return self.snapshot.schema.name_of(predicate)

    def change(self, change: PublishedChange) -> ShownChange:
        """A change with its values."""
        name = self.predicate(change.predicate) if change.predicate else "object"
        return ShownChange(
            str(_site_word(change) or change.kind),
            Shown("the model") if change.model else self.object(change.subject),
            name,
            self.object(change.target) if change.target else None,
            self._terms(change.old),
            self._terms(change.new),
            change.model,
            self.object(change.successor) if change.successor else None,
            [self.change(difference) for difference in change.differences],
            _words(change),
        )

    def _terms(self, values: Iterable[Term]) -> list[Shown]:
        return [self._exact(value) for value in values]

    def _exact(self, value: Term) -> Shown:
        """A value of a change: what a shortened address leaves out may be all that has changed."""
        if isinstance(value, ox.NamedNode) and not is_described(self.snapshot, value.value):
            return Shown(shortened(value.value, _IN_CHANGE), web_link(value.value), external=True, iri=value.value)
        return self.term(value, _IN_CHANGE)

    def _first_values(self, iri: str, shown: ObjectClass, run: int | None) -> list[str]:
        """In a run, otherwise now; only what is gone is called what it once was."""
        in_run = (ox.NamedNode(run_iri(run)),) if run else ()
        tried = (self._values_in(iri, shown, graphs) for graphs in (in_run, self.snapshot.graphs, (None,)))
        return next((values for values in tried if values), [])

    def _values_in(self, iri: str, shown: ObjectClass, graphs: Sequence[ox.NamedNode | None]) -> list[str]:
        node, pattern = ox.NamedNode(iri), self.snapshot.data.store.quads_for_pattern
        found = []
        for column in shown.columns:
            quads = (quad for graph in graphs for quad in pattern(node, ox.NamedNode(column.predicate), None, graph))
            value = next((quad.object for quad in quads), None)
            if isinstance(value, ox.Literal) and 0 < len(value.value) <= _TITLE_VALUE:
                found.append(" ".join(readable(value.value, value.datatype.value).split()))
        return found[:_TITLE_VALUES]


def _words(change: PublishedChange) -> Sequence[WordPiece]:
    """The words that differ in a long text."""
    if len(change.old) != 1 or len(change.new) != 1:
        return ()
    old, new = change.old[0], change.new[0]
    is_text = isinstance(old, ox.Literal) and isinstance(new, ox.Literal)
    return changed_words(old.value, new.value) if is_text else ()


def shortened(text: str, at_most: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= at_most else text[: at_most - 1].rstrip() + "…"


def _site_word(change: PublishedChange) -> SiteChange | None:
    """What a change means for the address of a site."""
    if change.predicate is None or change.model:
        return None
    if change.target is not None:
        return of_address(change.kind, change.predicate)
    old, new = ([value.value for value in side] for side in (change.old, change.new))
    return of_fact(change.kind, change.predicate, old, new)
