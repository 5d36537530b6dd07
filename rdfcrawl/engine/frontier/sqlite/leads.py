"""The leads of a run in SQLite, and the statements that make the next level of them.

Every statement is about a whole level, so that its result does not depend on the order in which pages were read.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.frontier import rules
from rdfcrawl.engine.frontier.entries import MOST_ANCHORS, Outcome, Surveyed

_NOTE: Final = """
INSERT OR IGNORE INTO lead
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
 WHERE NOT EXISTS (SELECT 1 FROM entry WHERE run = ?1 AND page = ?2 AND key = ?3)
"""

_FIND_DUPLICATES: Final = rules.FIND_DUPLICATES.format(run=":run")
_DROP_LEADS: Final = rules.DROP_LEADS.format(run=":run")
_DROP_TOPS: Final = rules.DROP_TOPS.format(run=":run")

_BOUND_FAMILIES: Final = """
UPDATE lead SET held = 'trap: ' || substr(family, 1, instr(family, ' ') - 1)
 WHERE run = :run AND held IS NULL AND (page, key) IN (
       SELECT found.page, found.key FROM (
              SELECT page, key, family, most,
                     row_number() OVER (PARTITION BY page, family ORDER BY max(score) DESC, key) AS place
                FROM lead WHERE run = :run AND held IS NULL AND family IS NOT NULL GROUP BY page, key) AS found
         LEFT JOIN family AS known ON known.run = :run AND known.page = found.page AND known.family = found.family
        WHERE place + coalesce(taken, 0) > most)
"""
_COUNT_FAMILIES: Final = """
INSERT INTO family
SELECT run, page, family, count(DISTINCT key) FROM lead
 WHERE run = :run AND held IS NULL AND family IS NOT NULL GROUP BY page, family
    ON CONFLICT DO UPDATE SET taken = taken + excluded.taken
"""

_CHOOSE: Final = """
CREATE TEMP TABLE chosen AS
SELECT page, key, address, host, section, source, start, hop, nearest, best FROM (
       SELECT page, key, address, host, section, source, start, hop,
              min(level) OVER same AS nearest, max(score) OVER same AS best,
              row_number() OVER (same ORDER BY start, address, source) AS place
         FROM lead WHERE run = :run AND {which} WINDOW same AS (PARTITION BY page, key))
 WHERE place = 1
"""
"""Of several leads to one page, the one that decides where it belongs; ``which`` of all leads are taken."""
_QUEUE: Final = """
INSERT OR IGNORE INTO entry (run, page, key, address, host, section, level, score, part, list_address, anchors, state)
SELECT :run, page, key, address, host, section, nearest, best, hop, start, {anchors}, {state}
  FROM chosen ORDER BY nearest, best DESC, key, page LIMIT :most
"""
_ANCHORS: Final = f"""
(SELECT group_concat(texts, char(31)) FROM (
        SELECT DISTINCT anchors AS texts FROM lead INDEXED BY lead_anchors
         WHERE run = :run AND page = chosen.page AND key = chosen.key AND anchors IS NOT NULL AND {{which}}
         ORDER BY 1 LIMIT {MOST_ANCHORS}))
"""
"""The texts of all links to a page, those of each page once; a page that everybody links to has more than enough.

SQLite knows nothing about how many leads there are, and would look through all of them for each page.
"""
_CONNECT: Final = """
INSERT OR IGNORE INTO edge SELECT entry.id, chosen.source, ''
  FROM chosen JOIN entry ON entry.run = :run AND entry.page = chosen.page AND entry.key = chosen.key
"""
_REMOVE: Final = """
DELETE FROM lead WHERE run = :run
   AND EXISTS (SELECT 1 FROM entry WHERE run = :run AND page = lead.page AND key = lead.key)
"""
_LEAVE: Final = """
INSERT OR IGNORE INTO surveyed (entry, run, page, level, key, kind, reason)
SELECT entry.id, entry.run, entry.page, entry.level, entry.key, 'unread', min(lead.held)
  FROM lead JOIN entry USING (run, page, key) WHERE lead.run = :run AND entry.state = 2 GROUP BY entry.id
"""
_SETTLE: Final = """
INSERT OR IGNORE INTO surveyed (entry, run, page, level, key, kind, reason)
SELECT id, run, page, level, key, 'unread', coalesce(failure, 'limit') FROM entry
 WHERE run = :run AND page IN (SELECT value FROM json_each(:pages))
"""

_NEXT_ROUND: Final = f"""
{rules.NEXT_ROUND.format(run=":run")}
SELECT section, place, child FROM next ORDER BY place LIMIT :most
"""

_FREE: Final = "held IS NULL"
_HOPS: Final = "held IS NULL AND hop"
_HELD: Final = "held IS NOT NULL"


class Leads:
    """The leads of one run; every method is called inside a transaction."""

    def __init__(self, db: sqlite3.Connection, run: int) -> None:
        self._db = db
        self._run = {"run": run}

    def note(self, outcomes: Sequence[Outcome]) -> None:
        """Keep what pages lead to, unless it is queued already, and what was found at addresses."""
        self._db.executemany(_NOTE, [row for outcome in outcomes for row in self._rows(outcome)])
        self._db.executemany(
            """INSERT OR REPLACE INTO surveyed (entry, run, page, level, key, kind, digest, reason, seconds)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [
                (entry.id, self._run["run"], entry.page, entry.level, entry.key, *_found(surveyed))
                for entry, surveyed in ((outcome.entry, outcome.surveyed) for outcome in outcomes)
                if surveyed is not None
            ],
        )

    def take_round(self, most: int | None) -> Counter[int]:
        """Queue what pages of this round link to, if that was held back; returns the sections that it is of."""
        about = {**self._run, "most": -1 if most is None else most}
        rows = self._db.execute(_NEXT_ROUND, about).fetchall()
        self._db.executemany("UPDATE entry SET state = 0, score = -? WHERE id = ?", [row[1:] for row in rows])
        return Counter(dict.fromkeys((section for section, *_ in rows), 0))

    def take_hops(self, most: int | None) -> None:
        """Queue what pages of this level redirect to."""
        self._take(_HOPS, most=most)

    def take_level(self, most: int | None) -> None:
        """Queue the next level: find the duplicates of this one, and take no more of a family than allowed."""
        self._find_duplicates()
        self._db.execute(_BOUND_FAMILIES, self._run)
        self._db.execute(_COUNT_FAMILIES, self._run)
        self._take(_FREE, most=most)

    def take_all(self) -> None:
        """Queue everything that nothing holds back."""
        self._find_duplicates()
        self._take(_FREE)

    def leave(self) -> None:
        """Make entries of what is held back: they are done, and unread for that reason."""
        self._take(_HELD, state=2, before_removal=_LEAVE)

    def settle(self, pages: Sequence[str]) -> None:
        """Note every entry of these pages that nothing was found for as unread."""
        self._find_duplicates()
        self._db.execute(_SETTLE, {**self._run, "pages": json.dumps(list(pages))})

    def _rows(self, outcome: Outcome) -> Iterator[tuple[object, ...]]:
        run, entry = self._run["run"], outcome.entry
        source, section, level, hop = entry.id, entry.section, entry.level, entry.part + 1
        for page, address, key, score, *about, is_hop in outcome.leads:
            place = (level, hop) if is_hop else (level + 1, 0)
            yield run, page, key, source, address, host_of(address), section, *place, score, *about

    def _find_duplicates(self) -> None:
        for statement in (_FIND_DUPLICATES, _DROP_LEADS, _DROP_TOPS):
            self._db.execute(statement, self._run)

    def _take(self, which: str, *, state: int = 0, most: int | None = None, before_removal: str | None = None) -> None:
        self._db.execute(_CHOOSE.format(which=which), self._run)
        about = {**self._run, "most": -1 if most is None else most}
        self._db.execute(_QUEUE.format(anchors=_ANCHORS.format(which=which), state=state), about)
        self._db.execute(_CONNECT, self._run)
        self._db.execute("DROP TABLE chosen")
        if before_removal is not None:
            self._db.execute(before_removal, self._run)
        self._db.execute(_REMOVE, self._run)


def _found(surveyed: Surveyed) -> tuple[object, ...]:
    return surveyed.kind, surveyed.digest, surveyed.reason, surveyed.seconds
