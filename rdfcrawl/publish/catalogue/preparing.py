"""The first state of a server is prepared beside its first requests, and whoever watches is told how far that is."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from rdfcrawl.errors import RdfcrawlError
from rdfcrawl.publish.catalogue.amounts import is_large
from rdfcrawl.publish.catalogue.keeping import is_made, prepare
from rdfcrawl.publish.data.snapshot import Snapshots

Say = Callable[[str], None]
"""Tells the one who runs the server something."""

_TOLD_SECONDS: Final = 5.0
_STOP_SECONDS: Final = 5.0
_log = logging.getLogger(__name__)


class _Stopped(Exception):
    """The server ends; nobody needs what is being prepared."""


class Preparation:
    """Makes the catalogue of the state that a server begins with; ``share`` says how much of that is done."""

    def __init__(self, snapshots: Snapshots, say: Say = lambda _: None) -> None:
        self._snapshots = snapshots
        self._say = say
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="preparation", daemon=True)
        self._tell_at = math.inf
        self.share = 0.0

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End as soon as possible, with nothing left behind."""
        self._stopping.set()
        self._thread.join(_STOP_SECONDS)

    def _work(self) -> None:
        try:
            with self._snapshots.using() as snapshot:
                if is_large(snapshot) and not is_made(snapshot):
                    self._tell_at = 0.0
                prepare(snapshot, self._advance)
        except _Stopped:
            return
        except (RdfcrawlError, OSError) as error:
            # Every reader of a table tries again, and is told what is the matter.
            _log.warning("tables and search could not be prepared: %s", error)
        else:
            self.share = 1.0
            if not math.isinf(self._tell_at):
                self._say("tables and search are ready")

    def _advance(self, share: float) -> None:
        if self._stopping.is_set():
            raise _Stopped
        self.share = share
        if monotonic() > self._tell_at:
            self._tell_at = monotonic() + _TOLD_SECONDS
            self._say(f"preparing tables and search: {share:.0%}; everything else can be read already")
