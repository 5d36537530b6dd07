"""The rules about a whole level or round that every database carries out with the same statement.

``{run}`` stands for the number of the run, as the database writes its parameters.
"""

from __future__ import annotations

from typing import Final

FIND_DUPLICATES: Final = """
UPDATE surveyed SET original = (
       SELECT first.entry FROM surveyed AS first
        WHERE first.run = surveyed.run AND first.page = surveyed.page AND first.digest = surveyed.digest
        ORDER BY first.level, first.key LIMIT 1)
 WHERE run = {run} AND digest IS NOT NULL AND original IS NULL
"""
_OF_DUPLICATES: Final = "(SELECT entry FROM surveyed WHERE run = {run} AND original <> entry)"
DROP_LEADS: Final = f"DELETE FROM lead WHERE run = {{run}} AND source IN {_OF_DUPLICATES}"
DROP_TOPS: Final = f"DELETE FROM top WHERE entry IN {_OF_DUPLICATES}"

NEXT_ROUND: Final = """
WITH found AS (
    SELECT DISTINCT child, source FROM edge JOIN entry ON entry.id = child WHERE entry.run = {run} AND state = 4
),
first AS (
    SELECT child, level, score, source, count(*) OVER (PARTITION BY child) > 1 AS is_found_again,
           row_number() OVER (PARTITION BY child ORDER BY level, score DESC, source) AS place
      FROM found JOIN entry ON entry.id = source
),
next AS (
    SELECT child, section, row_number() OVER (
           ORDER BY first.level, first.score DESC, first.source, is_found_again,
                    CASE WHEN is_found_again THEN 0 ELSE child END, page, key) AS place
      FROM first JOIN entry ON entry.id = child WHERE first.place = 1
)
"""
"""What is held for the ``next`` round, with its place in it; what becomes of it follows.

By the place of the first page that leads there, which its own round has given it, then in the order of its links.
That is the order of the numbers, unless another page of the round leads there as well: whoever was faster has then
given it its number. Those come last, by address.
"""
