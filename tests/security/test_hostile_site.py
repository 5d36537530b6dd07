"""A site that has every bad thing at once, two hundred pages of it, beside a hundred good ones."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.commands import Command
from tests.crawling import read_run, unloaded_store
from tests.security.hostile_pages import bad_pages
from tests.security.raw_site import RawSite, answer, listing, raw_site

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<model:> :section <{site}/> .
<{site}/> :page page:list .
page:list  :type type:links ; :path "//li/a" ; :target page:thing .
page:thing :type type:object ; :item item:thing .
item:thing :path "//main" ; :property p:name , p:code , p:note , p:number , p:rank , p:slow .
p:name     :path ".//h1" .
p:code     :path ".//i" ; :optional true ; :pattern "^(a|aa)+$" .
p:note     :path ".//em" ; :optional true .
p:number   :path ".//s" ; :optional true ; :type xsd:decimal .
p:rank     :path ".//q" ; :optional true .
p:slow     :path ".//u[following::u[following::u[following::u[@nope]]]]" ; :optional true .
"""
GOOD = 100
MOST_BYTES = 1024**3
_STEPS = 0.2


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.usefixtures("cold_processes")
async def test_every_bad_thing_at_once_costs_one_problem_each(tmp_path: Path) -> None:
    """The run ends by itself with exit code 1, the good pages are read, and all processes stay below a gigabyte."""
    bad = bad_pages()
    answers = {f"/good/{number}": _good(number) for number in range(GOOD)}
    answers |= {f"/bad/{number}": sent for number, (_, sent) in enumerate(bad)}
    links = [f"/bad/{number}" for number in range(len(bad))]
    for number in range(GOOD):
        links.insert(3 * number + 1, f"/good/{number}")
    async with raw_site({"/": listing(*links), **answers}) as site:
        (tmp_path / "model.ttl").write_text(MODEL.format(site=site.address), encoding="utf-8")
        command = Command(
            *("run", str(tmp_path / "model.ttl"), "--store", str(tmp_path / "store"), "--engine", "http"),
            *("--max", "extraction-seconds=6"),
        )
        peak = asyncio.create_task(_peak_bytes(command.pid))
        code = await command.ended()
        most_bytes = await peak
    assert code == 1, command.said
    assert "Traceback" not in command.said
    store = unloaded_store(tmp_path / "store")
    (record,) = store.runs.records()
    run = read_run(store, record)
    problems = Counter(problem["address"] for problem in run.problems)
    assert problems == {f"{site.address}/bad/{number}": 1 for number in range(len(bad))}
    kinds = {problem["address"]: problem["kind"] for problem in run.problems}
    assert kinds == {f"{site.address}/bad/{number}": kind for number, (kind, _) in enumerate(bad)}
    assert _about_good_pages(run.triples, site) == {triple for number in range(GOOD) for triple in _said(site, number)}
    assert most_bytes < MOST_BYTES, f"{most_bytes:,} bytes"


def _good(number: int) -> bytes:
    return answer(
        f"<main><h1>Thing {number}</h1><i>aaaa</i><s>{number}.5</s><em>\N{GRINNING FACE}</em></main>".encode()
    )


def _said(site: RawSite, number: int) -> set[str]:
    """What is to be known of a good page."""
    thing, decimal = f"<{site.address}/good/{number}>", "<http://www.w3.org/2001/XMLSchema#decimal>"
    return {
        f"<{site.address}/> <item://thing> {thing}",
        f'{thing} <property://name> "Thing {number}"',
        f'{thing} <property://code> "aaaa"',
        f'{thing} <property://note> "\N{GRINNING FACE}"',
        f'{thing} <property://number> "{number}.5"^^{decimal}',
    }


def _about_good_pages(triples: frozenset[str], site: RawSite) -> set[str]:
    return {triple for triple in triples if f"<{site.address}/good/" in triple}


async def _peak_bytes(process: int) -> int:
    """The most memory that a process and all below it had together, as long as it lives."""
    most = 0
    while (found := sum(map(_bytes, _family(process)))) or _is_alive(process):
        most = max(most, found)
        await asyncio.sleep(_STEPS)
    return most


def _is_alive(process: int) -> bool:
    try:
        return b") Z " not in Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return False


def _family(process: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                parent = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(name))
    found, waiting = [process], [process]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _bytes(process: int) -> int:
    """The memory of a process; what it shares with others counts in parts."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
