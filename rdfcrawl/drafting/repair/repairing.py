"""A model repaired: its pages are read again from its sections on, and mended kind by kind where something has died."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.repair.edits import Edit
from rdfcrawl.drafting.repair.facts import LINK, Facts, facts_of
from rdfcrawl.drafting.repair.mending import Mend
from rdfcrawl.drafting.repair.text import differences, edited_text
from rdfcrawl.drafting.repair.walk import Walk
from rdfcrawl.drafting.site.drafting import means_for
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.explain import kept_pages
from rdfcrawl.engine.run.archives import archive_paths
from rdfcrawl.errors import ModelError, UsageError
from rdfcrawl.metamodel.edges import predicates_below
from rdfcrawl.metamodel.load import check_text
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.store.state import state_before

_BOM: Final = "\ufeff"
_READING: Final = frozenset(("format", "pattern", "old", "replace"))


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired model: its text, the edits as a unified diff, the evidence for each, and what is left in doubt.

    ``left`` is what is suspected and no edit finds again.
    """

    model: str
    difference: str
    mends: tuple[Mend, ...]
    doubts: tuple[str, ...]
    left: tuple[Suspicion, ...]


async def repair(
    source: Path,
    store: Store,
    *,
    engine: Engine = Engine.AUTO,
    replay: str | None = None,
    anew: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Repair:
    """Find edits with which a model finds again what its last good run knew; nothing is written.

    Pages come from ``replay``, else from the archive of the latest run if it has one and they are not fetched ``anew``.
    """
    text = _text_of(source)
    checked = check_text(text.removeprefix(_BOM), str(source))
    if checked.model is None:
        raise ModelError(checked.findings)
    record = _suspecting_run(store, checked.model)
    if replay is None and not anew and (record.settings.replay or archive_paths(store, record.observed)):
        replay = kept_pages(store, record)
        tell(f"reading the pages of run {record.id}; --anew fetches them again")
    addresses = [section.address for section in checked.model.sections]
    async with means_for(addresses, replay, store, tell) as means:
        walk = Walk(checked.model, _known_before(store, record), _suspected(record), means, engine, tell)
        await walk.from_sections()
    edits = [one.edit for one in walk.mends]
    repaired = edited_text(text, checked.model, edits)
    _ensure_valid(repaired, source)
    return Repair(
        repaired,
        differences(text, repaired, source.name),
        tuple(walk.mends),
        tuple(dict.fromkeys((*walk.doubts, *_other_names(checked.model, edits)))),
        tuple(_left(checked.model, record, walk.mends)),
    )


def _text_of(source: Path) -> str:
    try:
        return source.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise UsageError(f"{source}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{source}: this is a folder, not a model; name the Turtle file in it") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{source}: this is not UTF-8 text (byte {error.start + 1})") from None
    except OSError as error:
        raise UsageError(f"{source}: cannot be read: {error.strerror}") from None


def _suspecting_run(store: Store, model: Model) -> RunRecord:
    """The latest run of the model's sections, which must suspect something."""
    addresses = {section.address for section in model.sections}
    records = [record for record in store.runs.records() if record.ended and addresses & record.addresses]
    if not records:
        raise UsageError("the store has no run of the sections of this model; a repair needs what a run knew of them")
    latest = max(records, key=lambda record: record.order)
    if not latest.open_suspicions:
        raise UsageError(f"run {latest.id}, the latest of this model, suspects nothing; there is nothing to repair")
    return latest


def _suspected(record: RunRecord) -> frozenset[str]:
    found = {one.prop or one.item for one in record.open_suspicions}
    return frozenset(map(iri, found))


def _known_before(store: Store, record: RunRecord) -> Facts:
    """What was known before the first run that missed something."""
    first = min(one.since for one in record.open_suspicions)
    records = store.runs.records()
    since = next((one for one in records if one.id == first), record)
    return facts_of(state_before(store.runs, since, records).triples())


def _left(model: Model, record: RunRecord, mends: Sequence[Mend]) -> Iterator[Suspicion]:
    """What is suspected and is not found by any of the mends."""
    found = {predicate for one in mends for predicate in one.predicates}
    for target in (name.removeprefix(LINK) for name in found if name.startswith(LINK)):
        found |= set(map(iri, predicates_below(model, target)))
    terms = {one.edit.term for one in mends}
    for item in model.items():
        # Objects without address are named by their values, so that they are found again with these.
        if any(prop.iri in terms for prop in item.properties):
            found.add(iri(item.predicate))
    return (one for one in record.open_suspicions if iri(one.prop or one.item) not in found)


def _other_names(model: Model, edits: Sequence[Edit]) -> Iterator[str]:
    """Which objects get other names, because these are made of texts that are written otherwise now."""
    read = {edit.term for edit in edits if edit.name in _READING}
    for page in model.pages.values():
        item = page.item
        if item is None or page.address_names_object or item.id_path or item.key or item.template:
            continue
        if any(prop.iri in read for prop in item.properties):
            yield (
                f"the objects of {shorten(item.iri, model.prefixes)} are named by their texts, which are written "
                "otherwise now: they are found again under other names; a :key avoids that"
            )


def _ensure_valid(text: str, source: Path) -> None:
    checked = check_text(text.removeprefix(_BOM), str(source))
    if checked.model is None:
        raise ModelError(checked.findings)
