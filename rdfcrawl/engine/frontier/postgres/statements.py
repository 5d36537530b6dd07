"""The statements with which a worker keeps its place in a run, and asks about the list that it reads."""

from __future__ import annotations

from typing import Final

ALIVE: Final = """
UPDATE worker SET alive_until = greatest(alive_until, clock_timestamp() + make_interval(secs => %(lease)s))
 WHERE run = %(run)s AND name = %(worker)s AND life = %(life)s AND NOT gone
"""
NUMBER: Final = """
UPDATE worker SET number = %s, triples = coalesce(%s, triples), problems = coalesce(%s, problems),
       links = coalesce(%s, links), archive = coalesce(%s, archive),
       alive_until = greatest(alive_until, clock_timestamp() + make_interval(secs => %s))
 WHERE run = %s AND name = %s AND life = %s AND NOT gone AND number = %s RETURNING 1
"""
POSTPONE: Final = """
INSERT INTO postponed AS known VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s))
    ON CONFLICT (run, host) DO UPDATE SET until = greatest(known.until, excluded.until)
"""
RELEASE: Final = """
UPDATE entry SET state = 0, due = '-infinity', worker = NULL, claimed = NULL
 WHERE run = %s AND state = 1 AND worker = %s
"""
LISTED_BEFORE: Final = """
SELECT count(*) FROM unnest(%b::bytea[]) AS shown (mark) CROSS JOIN LATERAL (
       SELECT FROM listed WHERE list = %s AND listed.mark = shown.mark OFFSET 0) AS known
"""
"""Each mark is looked up: a planner that takes a list for short would look through all of it for each of its parts."""
