"""The boundary around the reading of a page: whatever happens inside is the trouble of that page, not of the run.

What ends a run is about its surroundings: the disk, the queue, the processes that it cannot start.
"""

from __future__ import annotations

import errno
import traceback
from typing import Final

from rdfcrawl.engine.faults import place_of_fault
from rdfcrawl.engine.frontier.opening import QUEUE_FAULTS
from rdfcrawl.engine.limits import OUT_OF_ROOM
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.errors import RdfcrawlError

_SURROUNDINGS: Final = OUT_OF_ROOM | {errno.EIO, errno.EMFILE, errno.ENFILE}


def ends_run(error: Exception) -> bool:
    """Whether an error that was raised while a page was read is not about the page, so that the run cannot go on."""
    if isinstance(error, OSError):
        return error.errno in _SURROUNDINGS
    return isinstance(error, (RdfcrawlError, *QUEUE_FAULTS))


def internal_reason(error: Exception) -> str:
    """What a report says of an exception that nobody expects: what it is, where it was raised, and what to do."""
    if isinstance(error, WorkerFailure):
        what, place = error.what, error.place
    else:
        what, place = "".join(traceback.format_exception_only(error)).strip(), place_of_fault(error)
    return f"a fault of rdfcrawl at {place}: {what}; please report it, with this page if you can"
