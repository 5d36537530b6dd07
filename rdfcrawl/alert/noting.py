"""The events of runs are put into the outbox: of the run that has just ended, and of those that were killed before.

Whatever is killed in between is made up for by whoever runs or sends next: a run is noted together with its messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from rdfcrawl.alert.events.event import Event, EventKind
from rdfcrawl.alert.events.gathering import AlertEvents, RunEvents
from rdfcrawl.alert.messages.message import MOST_SINGLE, messages_of, without_known
from rdfcrawl.alert.messages.wording import cut, subject_of
from rdfcrawl.alert.outbox import Noted, Outbox, open_outbox, outbox_path
from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.store.folder import Store
from rdfcrawl.store.marker import store_name
from rdfcrawl.store.query.prepare import QueryError
from rdfcrawl.store.runs.record import RunRecord, RunState
from rdfcrawl.versioning.models import model_of
from rdfcrawl.versioning.recording import record_missing

_LONGEST_TEXT: Final = 200_000

Notice = Callable[[str], None]


def prepare_outbox(store: Store) -> None:
    """Make an outbox, if there is none, before a run begins; runs that have ended by then are not reported."""
    if outbox_path(store.folder).exists():
        return
    with open_outbox(store.folder) as outbox:
        outbox.note_past(record.id for record in store.runs.records() if record.state is RunState.COMPLETE)


async def note_events(store: Store, notice: Notice) -> None:
    """Put the events of all runs that were not noted into the outbox, and of removals that were accepted since."""
    if not outbox_path(store.folder).exists():
        return
    # What is suspected, and so what is known, is only decided when the changes of a run are written.
    await asyncio.to_thread(record_missing, store.runs)
    with open_outbox(store.folder) as outbox:
        noted = outbox.noted()
        records = [record for record in store.runs.records() if record.alerts and record.state is RunState.COMPLETE]
        for record in records:
            if noted.get(record.id) == _accepted(record):
                continue
            try:
                await _note(store, outbox, record, records, notice)
            except RdfcrawlError as error:
                # Whatever is wrong with an old run, the others are reported.
                notice(f"the events of run {record.id} cannot be determined: {error}")


async def _note(store: Store, outbox: Outbox, record: RunRecord, records: Iterable[RunRecord], notice: Notice) -> None:
    """Put the events of one run into the outbox."""
    newer = any(other.order > record.order and other.addresses & record.addresses for other in records)
    rows = _Rows(store, outbox, notice, ask=not newer)
    # What a replay of an old archive shows is no news, and of a run that was pruned nothing is known.
    is_news = not record.is_pruned and not (newer and record.observed != record.id)
    found = await asyncio.to_thread(_new_events, store, outbox, record, rows) if is_news else []
    texts = await _texts(store, record, found)
    name, source = store_name(store.folder), record.model.name
    made = messages_of(found, name, record.id, source, texts)
    messages = tuple((message, subject_of(message.content, message.recipient.subject)) for message in made)
    await asyncio.to_thread(outbox.note, Noted(record.id, _accepted(record), messages, rows.now))


def _new_events(store: Store, outbox: Outbox, record: RunRecord, rows: _Rows) -> list[AlertEvents]:
    """The events of a run that no message tells of yet."""
    model = model_of(store.runs, record.id)
    if model is None:
        raise UsageError("its model can no longer be read")
    told = outbox.told(record.id)
    return [without_known(one, told) for one in RunEvents(store.runs, record, model, rows.new).of_alerts()]


class _Rows:
    """The new rows of queries, each asked once; what they have now is kept with the messages."""

    def __init__(self, store: Store, outbox: Outbox, notice: Notice, *, ask: bool) -> None:
        self._store = store
        self._outbox = outbox
        self._notice = notice
        self._ask = ask
        self.now: dict[str, frozenset[bytes]] = {}

    def new(self, query: str) -> list[Event]:
        """The rows that were not there when the query was last asked; none the first time."""
        if not self._ask:
            # A later run asks for the same, and knows more.
            return []
        # Few alerts ask a query, and all runs would wait for what asks a store.
        from rdfcrawl.alert.events.rows import row_events

        try:
            events = row_events(self._store, query)
        except QueryError as error:
            self._notice(f"the query of an alert, {cut(' '.join(query.split()), 60)}, was not answered: {error}")
            return []
        before = self._outbox.rows_seen(query)
        keyed = {key: event for event in events for key, _ in event.parts}
        self.now[query] = frozenset(keyed)
        return [] if before is None else [event for key, event in keyed.items() if key not in before]


async def _texts(store: Store, record: RunRecord, found: Iterable[AlertEvents]) -> Mapping[str, str]:
    """The visible texts of pages that were found, from the archive of the run; none where there is no archive."""
    wanted: dict[str, None] = {}
    for one in found:
        pages = [event.about for event in one.events if event.kind is EventKind.FOUND]
        wanted |= dict.fromkeys(pages[:MOST_SINGLE])
    texts: dict[str, str] = {}
    if not wanted:
        return texts
    # Few runs find something to tell of, and all of them would wait for what reads archives.
    from rdfcrawl.engine.inspect.visible_texts import visible_texts

    # An archive that is not there, or whatever is wrong with it, costs the text and not the message.
    with suppress(Exception):
        async for address, page in visible_texts(store, record, list(wanted), lambda _: None):
            texts[address] = cut(page.text, _LONGEST_TEXT)
    return texts


def _accepted(record: RunRecord) -> str:
    """What of a run's suspicions was accepted, as a text to compare."""
    accepted = [suspicion.key for suspicion in record.suspicions if not suspicion.is_open]
    return "\n".join(sorted(f"{item} {prop or ''}" for item, prop in accepted))
