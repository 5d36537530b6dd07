"""Which entries are next: by level, score and age, over all hosts that can take more.

The queue of each host is in order in the index. The heads of these queues are merged, so that a claim costs the same
however long they are, and whatever is queued for hosts that are passed over.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.frontier.entries import Entry
from rdfcrawl.engine.frontier.protocol import LONGEST_WAIT_SECONDS

_FIRST_LOOK: Final = 4
"""How many entries of a host are fetched at first, where there are others to choose from."""

_IS_DUE: Final = "(due <= :now OR due > :far)"
_COLUMNS: Final = (
    "id, page, key, address, host, section, coalesce(list, id), part, attempts, level, list_address, anchors, score"
)

_HEADS: Final = f"""
WITH RECURSIVE waiting (host) AS (
    SELECT min(host) FROM entry WHERE run = :run AND state = 0
    UNION ALL
    SELECT (SELECT min(host) FROM entry WHERE run = :run AND state = 0 AND host > waiting.host)
      FROM waiting WHERE waiting.host IS NOT NULL
)
SELECT waiting.host FROM waiting JOIN entry ON entry.id = (
        SELECT id FROM entry WHERE run = :run AND state = 0 AND host = waiting.host AND {_IS_DUE}
         ORDER BY level, score DESC, id LIMIT 1)
 WHERE waiting.host NOT IN (SELECT value FROM json_each(:busy))
   AND waiting.host NOT IN (SELECT host FROM postponed WHERE run = :run AND until > :now AND until <= :far)
 ORDER BY level, score DESC, id LIMIT :count
"""
_OF_HOST: Final = f"""
SELECT {_COLUMNS} FROM entry WHERE run = :run AND state = 0 AND host = :host AND {_IS_DUE}
 ORDER BY level, score DESC, id LIMIT :some OFFSET :taken
"""
_EXPIRED: Final = f"""
SELECT {_COLUMNS} FROM entry WHERE run = :run AND state = 1 AND {_IS_DUE}
   AND host NOT IN (SELECT value FROM json_each(:busy)) ORDER BY level, score DESC, id LIMIT :count
"""


@dataclass(frozen=True, slots=True)
class Claiming:
    """A look into the queue of a run at one moment."""

    db: sqlite3.Connection
    run: int
    now: float

    def next_entries(self, count: int, busy_hosts: Iterable[str]) -> list[Entry]:
        """The next entries that are due, including expired claims."""
        asked = self._parameters(busy=json.dumps(list(busy_hosts)), count=count)
        hosts = [host for (host,) in self.db.execute(_HEADS, asked)]
        if len(hosts) == 1:
            rows = self.db.execute(_OF_HOST, self._parameters(host=hosts[0], some=count, taken=0)).fetchall()
        else:
            rows = list(islice(merge(*map(self._of_host, hosts), key=_place), count))
        if len(rows) < count:
            rows += self.db.execute(_EXPIRED, {**asked, "count": count - len(rows)})
            rows.sort(key=_place)
        return [Entry(*row[:-1]) for row in rows]

    def _of_host(self, host: str) -> Iterator[tuple[Any, ...]]:
        """The entries of a host, queried a few at a time: most of them come after those of other hosts."""
        taken, some = 0, _FIRST_LOOK
        while rows := self.db.execute(_OF_HOST, self._parameters(host=host, some=some, taken=taken)).fetchall():
            yield from rows
            if len(rows) < some:
                return
            taken, some = taken + some, 2 * some

    def _parameters(self, **values: object) -> dict[str, object]:
        return {"run": self.run, "now": self.now, "far": self.now + LONGEST_WAIT_SECONDS, **values}


def _place(row: tuple[Any, ...]) -> tuple[int, float, int]:
    """The place of an entry in the queue."""
    return row[-4], -row[-1], row[0]
