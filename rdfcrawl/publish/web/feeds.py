"""Changes as feeds: Atom for the data set, a class or an object."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.changes import PublishedChange, counts, run_changes
from rdfcrawl.publish.data.histories import life
from rdfcrawl.publish.data.objects import ObjectStanding, class_of, standing
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.web.negotiation import Format
from rdfcrawl.publish.web.presentation import Showing, shortened
from rdfcrawl.publish.web.resources import asked_iri
from rdfcrawl.publish.web.site import not_found, number, send, site_of
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts
from rdfcrawl.versioning.pairing.words import in_brackets
from rdfcrawl.versioning.suspicion.wording import in_words

ATOM = Format("atom", "application/atom+xml")
_NAMESPACE = "http://www.w3.org/2005/Atom"
_ENTRIES = 50
_LOOKED_AT = 5000
_TITLE = 300
_IN_FRAGMENT = "-._~!$&'()*+,;=:@/?"
_FORBIDDEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF), 0xFFFD)
"""Characters that XML cannot contain in any notation."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry; ``href`` is a path."""

    name: str
    title: str
    href: str
    updated: datetime
    summary: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A page of a feed (RFC 5005): the root of the site, the address of the first page, and which one it is."""

    root: str
    address: str
    number: int
    has_next: bool

    def at(self, number: int) -> str:
        """The address of one of the pages."""
        mark = "&" if "?" in self.address else "?"
        return self.root + self.address + (f"{mark}page={number}" if number > 1 else "")


def feed(request: Request) -> Response:
    """``/feed.atom``: all runs; with ``class=`` the changes of a class, with ``iri=`` those of an object."""
    site = site_of(request)
    wanted = request.query_params.get("class")
    with site.snapshots.using() as snapshot:
        showing = Showing(snapshot, site.addresses)
        if "iri" in request.query_params:
            iri = asked_iri(request)
            if standing(snapshot, iri) is ObjectStanding.UNKNOWN:
                raise not_found(f"no run has seen {iri}")
            title, entries = f"{site.title}: {showing.title(iri)}", _of_object(showing, iri)
        elif wanted:
            if wanted not in snapshot.schema.classes:
                raise not_found("there is no such class")
            shown = snapshot.schema.classes[wanted]
            title, entries = f"{site.title}: {shown.name}", _of_class(showing, shown)
        else:
            title, entries = site.title, _of_runs(showing)
        page = number(request.query_params.get("page"))
        start = (page - 1) * _ENTRIES
        found = list(islice(entries, start, start + _ENTRIES + 1))
    updated = max((entry.updated for entry in found), default=datetime.fromtimestamp(0, UTC))
    place = FeedPage(site.root(request), _address(request), page, has_next=len(found) > _ENTRIES)
    return send(request, _atom(place, title, site.title, updated, found[:_ENTRIES]), ATOM, modified=updated)


def _address(request: Request) -> str:
    """The address of the feed's first page, which is part of all names: they stay when entries move to other pages."""
    kept = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "page"])
    return f"{request.url.path}?{kept}" if kept else request.url.path


def _of_runs(showing: Showing) -> Iterator[FeedEntry]:
    changed = counts(showing.snapshot)
    for record in reversed(showing.snapshot.complete):
        summary = str(changed.get(record.id, ChangeCounts()))
        told = [", ".join(section.address for section in record.sections)]
        told += (in_words(suspicion, record.model.prefixes, published=True) for suspicion in record.suspicions)
        href = showing.addresses.run(record.id)
        yield FeedEntry(f"run-{record.id}", summary, href, changed_at(record), "\n".join(told))


def _of_class(showing: Showing, shown: ObjectClass) -> Iterator[FeedEntry]:
    for record in reversed(showing.snapshot.complete):
        changes = run_changes(showing.snapshot, record.id, at_most=_LOOKED_AT)
        # After an outage there are thousands of objects that nobody has seen, and what has changed comes before them.
        for change in sorted(changes, key=lambda one: one.kind is ChangeKind.UNOBSERVED):
            if not change.model and _is_about(showing.snapshot, change, shown):
                yield _entry(showing, record, change)


def _of_object(showing: Showing, iri: str) -> Iterator[FeedEntry]:
    for event in reversed(life(showing.snapshot, iri).events):
        told = [_in_words(showing, change) for change in event.changes]
        yield FeedEntry(
            f"run-{event.record.id}",
            str(event.kind),
            showing.addresses.page(iri, "history"),
            changed_at(event.record),
            "\n".join(told),
        )


def _is_about(snapshot: Snapshot, change: PublishedChange, shown: ObjectClass) -> bool:
    if change.target:
        return change.predicate == shown.predicate
    found = class_of(snapshot, change.subject)
    return found is not None and found.predicate == shown.predicate


def _entry(showing: Showing, record: RunRecord, change: PublishedChange) -> FeedEntry:
    title = _title(showing, change) if change.target else shortened(_in_words(showing, change, full=True), _TITLE)
    name = f"run-{record.id}-{change.kind}-{change.target or change.subject}-{change.predicate}"
    has_page = standing(showing.snapshot, change.about) is not ObjectStanding.UNKNOWN
    href = showing.addresses.page(change.about) if has_page else showing.addresses.run(record.id)
    return FeedEntry(name, title, href, changed_at(record), _in_words(showing, change))


def _title(showing: Showing, change: PublishedChange) -> str:
    """An object that came, went or was replaced; by which other one, unless that is called the same."""
    name, new = showing.title(change.target or change.subject), showing.title(change.about)
    return f"{name}: {change.kind}" + (f" by {new}" if change.successor and new != name else "")


def _in_words(showing: Showing, change: PublishedChange, full: bool = False) -> str:
    told = showing.change(change)
    if told.target:
        by = f" by {told.successor.text}" if told.successor else ""
        different = "".join(f"\n{_in_words(showing, one)}" for one in change.differences)
        return f"{told.named} {told.target.text}: {told.kind}{by}".lstrip() + different
    before, after = (", ".join(value.text for value in values) for values in (told.old, told.new))
    values = in_brackets(told.words) or (f"{before} → {after}" if before and after else before or after)
    return (f"{told.subject.text}: " if full else "") + f"{told.name} {told.kind}: {values}"


def _atom(page: FeedPage, title: str, author: str, updated: datetime, entries: list[FeedEntry]) -> bytes:
    root = page.root
    ET.register_namespace("", _NAMESPACE)
    document = ET.Element(f"{{{_NAMESPACE}}}feed")
    _add(document, "id", page.at(1))
    _add(document, "title", title)
    _add(document, "updated", updated.isoformat(timespec="seconds"))
    _add(_add(document, "author"), "name", author)
    _add(document, "link", rel="self", href=page.at(page.number))
    if page.number > 1:
        _add(document, "link", rel="first", href=page.at(1))
        _add(document, "link", rel="previous", href=page.at(page.number - 1))
    if page.has_next:
        _add(document, "link", rel="next", href=page.at(page.number + 1))
    _add(document, "link", rel="alternate", href=f"{root}/")
    for entry in entries:
        element = _add(document, "entry")
        _add(element, "id", f"{page.at(1)}#{quote(entry.name, safe=_IN_FRAGMENT)}")
        _add(element, "title", entry.title)
        _add(element, "updated", entry.updated.isoformat(timespec="seconds"))
        _add(element, "link", rel="alternate", href=root + entry.href)
        _add(element, "summary", entry.summary)
    written: bytes = ET.tostring(document, encoding="utf-8", xml_declaration=True)
    return written


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    clean = {key: value.translate(_FORBIDDEN) for key, value in attributes.items()}
    element = ET.SubElement(parent, f"{{{_NAMESPACE}}}{name}", clean)
    element.text = text.translate(_FORBIDDEN) if text is not None else None
    return element
