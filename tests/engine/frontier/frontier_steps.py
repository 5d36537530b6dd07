"""What tests of a frontier do with it: pages are claimed, committed, and asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import (
    NOTHING_VALID,
    Counted,
    Entry,
    Lead,
    Lengths,
    Outcome,
    PageResult,
)
from rdfcrawl.engine.frontier.protocol import Frontier

BEST = "http://site.example/best"
THING = "page://thing"
NOTHING = Counted()


async def commit(
    frontier: Frontier,
    *outcomes: Outcome,
    valid: Lengths = NOTHING_VALID,
    counted: Counted = NOTHING,
    in_rounds: bool = False,
) -> Counter[int]:
    results = [PageResult(outcome, "http") for outcome in outcomes]
    return await frontier.commit(results, valid=valid, counted=counted, in_rounds=in_rounds)


async def claimed(frontier: Frontier) -> Entry:
    (entry,) = await frontier.claim(1)
    return entry


def to(name: str, parent: str | None = None, page: str = THING) -> Follow:
    address = f"http://site.example/{name}"
    return Follow(page, address, address, parent)


def lead(name: str, score: float = 0.0, page: str = THING, **about: Any) -> Lead:
    address = f"http://site.example/{name}"
    return Lead(page, address, address, score, **about)


def top(name: str) -> tuple[str, str]:
    return "<item://thing>", f"<http://site.example/{name}>"


async def rows(found: AsyncIterator[Sequence[tuple[Any, ...]]]) -> set[tuple[Any, ...]]:
    return {row async for some in found for row in some}


async def addresses(frontier: Frontier) -> set[tuple[Any, ...]]:
    """Every address of a survey: its name, kind, depth, reason, and the name of what it duplicates."""
    return {
        (one.address[20:], one.kind, one.depth, one.reason, one.original and one.original[20:])
        async for some in frontier.surveyed()
        for one in some
    }


async def edges(frontier: Frontier) -> set[tuple[str, str]]:
    return {(parent, target) for parent, _, target in await rows(frontier.edges())}
