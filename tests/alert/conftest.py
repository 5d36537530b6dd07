"""A store with an outbox, in which a test writes runs as it wants them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.noting import note_events, prepare_outbox
from rdfcrawl.alert.outbox import Listed, list_messages, open_outbox
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.written_runs import WrittenRuns


class AlertedRuns:
    """Runs of models with alerts; ``notices`` is what was said about them."""

    def __init__(self, folder: Path) -> None:
        self.written = WrittenRuns(folder)
        self.notices: list[str] = []
        prepare_outbox(self.store)

    @property
    def store(self) -> Store:
        return open_store(self.written.store)

    def add(self, run: int, model: str, lines: Iterable[str], unread: Unread | None = None) -> None:
        """Write a run and its changes, as far as a run comes that is killed before it notes its events."""
        self.written.add(run, model, lines, unread=unread)
        record_changes(self.written.files, run)

    async def run(self, run: int, model: str, lines: Iterable[str], unread: Unread | None = None) -> list[Message]:
        """Write a run, note its events, and return the messages that came with it."""
        self.add(run, model, lines, unread)
        return await self.note()

    async def note(self) -> list[Message]:
        """Note what there is to note; returns what came with it."""
        with open_outbox(self.written.store) as outbox:
            before = {message.id for message in outbox.waiting(everything=True)}
            await note_events(self.store, self.notices.append)
            return [message for message in outbox.waiting(everything=True) if message.id not in before]

    def listed(self) -> list[Listed]:
        return list_messages(self.written.store)


@pytest.fixture
def runs(tmp_path: Path) -> AlertedRuns:
    """An empty store."""
    return AlertedRuns(tmp_path / "store")
