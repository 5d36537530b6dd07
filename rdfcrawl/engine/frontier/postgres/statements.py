"""The statements with which a worker keeps its place in a run."""

from __future__ import annotations

from typing import Final

ALIVE: Final = """
UPDATE worker SET alive_until = greatest(alive_until, clock_timestamp() + make_interval(secs => %s))
 WHERE run = %s AND name = %s AND life = %s AND NOT gone RETURNING 1
"""
NUMBER: Final = """
UPDATE worker SET number = %(number)s, triples = coalesce(%(triples)s, triples),
       problems = coalesce(%(problems)s, problems), links = coalesce(%(links)s, links),
       archive = coalesce(%(archive)s, archive),
       alive_until = greatest(alive_until, clock_timestamp() + make_interval(secs => %(lease)s))
 WHERE run = %(run)s AND name = %(worker)s AND life = %(life)s AND NOT gone AND number = %(number)s - 1 RETURNING 1
"""
POSTPONE: Final = """
INSERT INTO postponed AS known VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s))
    ON CONFLICT (run, host) DO UPDATE SET until = greatest(known.until, excluded.until)
"""
RELEASE: Final = """
UPDATE entry SET state = 0, due = '-infinity', worker = NULL, claimed = NULL
 WHERE run = %s AND state = 1 AND worker = %s
"""
