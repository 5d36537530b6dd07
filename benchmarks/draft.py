"""How good drafted models are: on sites with known answers, and beside the hand-written models of the example sites.

    python benchmarks/draft.py [FOLDER] [--properties 25]

FOLDER has a folder for each site, with pages as ``KEY.htm`` and a ``truth.json``: ``draft_from`` and ``evaluate_on``
list the keys of pages, ``truth`` has for each attribute the texts of each page. Without FOLDER only the example sites
are drafted.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import mean
from tempfile import TemporaryDirectory
from threading import Thread
from time import process_time
from typing import Any

import pyoxigraph as ox

import rdfcrawl
from rdfcrawl.drafting.reading.slots import Sample, read_sample
from rdfcrawl.drafting.reading.xpaths import texts_at
from rdfcrawl.drafting.writing.assembly import draft_object_page
from rdfcrawl.drafting.writing.forms import fits, shown
from rdfcrawl.drafting.writing.outline import DraftedPage, DraftedProperty
from rdfcrawl.engine.document.tree import parse
from rdfcrawl.store.runs.problems import ProblemGroup

ROOT = Path(__file__).parent.parent
EXAMPLES = {
    "chefkoch": [
        "http://www.chefkoch.de/rs/s0/Donauwelle/Rezepte.html",
        "http://www.chefkoch.de/rs/s0/Kaiserschmarrn/Rezepte.html",
    ],
    "bundestag": ["https://www.bundestag.de/bundestag/parteienfinanzierung/fundstellen50000"],
    "imdb": ["http://www.imdb.com/chart/toptv/"],
}
SAMPLES = 5
HTTP_PAGES = 6


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """What was measured on one site."""

    best: tuple[float, ...]
    with_offered: tuple[float, ...]
    fitting: int
    values: int
    useless: int
    active: int
    seconds: float
    http_seconds: float


def main() -> None:
    """Print the figures of every site, and those of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--properties", type=int, default=25)
    options = parser.parse_args()
    if options.folder:
        measure_sites(options.folder, options.properties)
    for name, addresses in EXAMPLES.items():
        found, all_triples, problems, unannounced = asyncio.run(compare(name, addresses))
        print(
            f"{name}: {found} of {all_triples} hand-written values found ({found / all_triples:.0%}), "
            f"{problems} problems in the run of the draft, {unannounced} of them not announced"
        )


def measure_sites(folder: Path, properties: int) -> None:
    """The figures of the sites with known answers."""
    figures = []
    for site in sorted(path.parent for path in folder.glob("*/truth.json")):
        one = measure(site, properties)
        figures.append(one)
        print(
            f"{site.name:28} F1 {mean(one.best):.3f} ({mean(one.with_offered):.3f} with comments), "
            f"types {one.fitting}/{one.values}, useless {one.useless}/{one.active}, {one.seconds:.2f} s, "
            f"{one.http_seconds:.2f} s over HTTP"
        )
    best = [score for one in figures for score in one.best]
    offered = [score for one in figures for score in one.with_offered]
    fitting, values = sum(one.fitting for one in figures), sum(one.values for one in figures)
    useless, active = sum(one.useless for one in figures), sum(one.active for one in figures)
    print(f"F1 with at most {properties} properties {mean(best):.3f}, with those in comments {mean(offered):.3f}")
    print(
        f"types that fit {fitting / max(1, values):.2%}, useless properties {useless / max(1, active):.1%}, "
        f"seconds a site {mean(one.seconds for one in figures):.2f}, at most {max(one.seconds for one in figures):.2f}"
    )
    over_http = [one.http_seconds for one in figures]
    unit = processor_time([sys.executable, "-c", "import rdflib"])
    print(
        f"processor time of six pages over HTTP, all processes from their start on: {mean(over_http):.2f} s, at most "
        f"{max(over_http):.2f} s; importing rdflib takes {unit:.2f} s"
    )


def measure(site: Path, properties: int) -> SiteFigures:
    """Draft a site from its first pages and compare what the draft finds on the others."""
    truth: dict[str, Any] = json.loads((site / "truth.json").read_text())
    begun = process_time()
    samples = [sample_of(site, key, number) for number, key in enumerate(truth["draft_from"][:SAMPLES])]
    page = draft_object_page(samples, "object", most=properties)
    seconds = process_time() - begun
    others = [sample_of(site, key, number) for number, key in enumerate(truth["evaluate_on"])]
    assert page.item is not None
    drafted = page.item.properties
    values = [[values_of(found, page.item.path, sample) for sample in others] for found in drafted]
    nested = [column for sub in page.subs for column in nested_values(sub, page.item.path, others)]
    is_active = [found.active for found in drafted]
    best, offered = [], []
    for answers in truth["truth"].values():
        wanted = [[plain(text) for text in answers.get(key, ())] for key in truth["evaluate_on"]]
        if any(wanted):
            scores = [f1(wanted, column) for column in values]
            inside = max((f1(wanted, column) for column in nested), default=0.0)
            best.append(max([inside, *(score for score, active in zip(scores, is_active, strict=True) if active)]))
            offered.append(max([inside, *scores]))
    fitting, typed = type_figures(drafted, values)
    useless = useless_properties([column for column, active in zip(values, is_active, strict=True) if active])
    over_http = http_seconds(site, truth["draft_from"][:HTTP_PAGES])
    return SiteFigures(tuple(best), tuple(offered), fitting, typed, useless, sum(is_active), seconds, over_http)


class Pages(SimpleHTTPRequestHandler):
    """Serves the pages of a site without a word."""

    extensions_map = {".htm": "text/html; charset=utf-8"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def http_seconds(site: Path, keys: Sequence[str]) -> float:
    """The processor time of drafting some pages that are fetched over HTTP."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        addresses = [f"http://127.0.0.1:{server.server_port}/{key}.htm" for key in keys]
        spent = processor_time([sys.executable, "-m", "rdfcrawl", "draft", "--engine", "http", *addresses])
        server.shutdown()
    return spent


def processor_time(command: Sequence[str]) -> float:
    """What a command takes, together with the processes that it starts."""
    before = getrusage(RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sample_of(site: Path, key: str, number: int) -> Sample:
    """A page of a site."""
    content = (site / f"{key}.htm").read_bytes()
    return read_sample(parse(content, f"http://{site.name}/{key}", "text/html; charset=utf-8"), number)


def values_of(found: DraftedProperty, root: str, sample: Sample) -> list[str]:
    """What a property has on a page, before its form is applied."""
    if found.attribute:
        matches = sample.document.root.xpath(f"{root}{found.path[1:]}/@{found.attribute}")
        texts = [str(match) for match in matches] if isinstance(matches, list) else []
    else:
        texts = [
            shown(found.form, text) for start in roots(root, sample) for text in texts_at(found.path, sample, start)
        ]
    return texts if found.multiple else texts[:1]


def roots(path: str, sample: Sample) -> list[Any]:
    """The root elements of objects on a page."""
    found = sample.document.root.xpath(path)
    return found if isinstance(found, list) else []


def nested_values(sub: DraftedPage, root: str, samples: Sequence[Sample]) -> Iterator[list[list[str]]]:
    """The values of the properties of nested rows, page by page."""
    if sub.item is None:
        return
    for found in sub.item.properties:
        if found.active:
            yield [
                [
                    text
                    for start in roots(root, sample)
                    for row in start.xpath(sub.item.path)
                    for text in texts_at(found.path, sample, row)[: None if found.multiple else 1]
                ]
                for sample in samples
            ]


def plain(text: str) -> str:
    """A text without what does not matter for a comparison."""
    return re.sub(r"[\s,;]+", " ", html.unescape(text)).strip().lower()


def f1(wanted: Sequence[Sequence[str]], column: Sequence[Sequence[str]]) -> float:
    """How well the values of a property are the wanted ones, page by page; a label in front of one does not matter."""
    hits = found = there = 0
    for answers, texts in zip(wanted, column, strict=True):
        values = [plain(text) for text in texts]
        accepted = [*answers, *(answer.split(": ", 1)[1] for answer in answers if ": " in answer and len(answers) == 1)]
        accepted += [
            value.split(": ", 1)[1] for value in values if ": " in value and value.split(": ", 1)[1] in answers
        ]
        joined = " ".join(values)
        is_hit = any(value in accepted or value.partition(": ")[2] in accepted for value in values) or (
            all(answer in joined for answer in answers) and len(joined) <= 1.6 * len(" ".join(answers)) + 3
        )
        there += bool(answers)
        found += bool(values)
        hits += bool(answers) and bool(values) and is_hit
    return 2 * hits / (there + found) if there + found else 0.0


def type_figures(drafted: Sequence[DraftedProperty], values: Sequence[Sequence[Sequence[str]]]) -> tuple[int, int]:
    """How many of the values on other pages fit the type of their property, and how many there are."""
    fitting = typed = 0
    for found, column in zip(drafted, values, strict=True):
        if found.active and found.form.datatype:
            texts = [text for texts in column for text in texts]
            typed += len(texts)
            fitting += sum(fits(found.form, [text]) for text in texts)
    return fitting, typed


def useless_properties(columns: Sequence[Sequence[Sequence[str]]]) -> int:
    """How many properties are constant, the same as another one, or always a part of another one's values."""
    told = [[" ".join(texts) for texts in column] for column in columns]
    useless = 0
    for number, column in enumerate(told):
        known = [page for page, text in enumerate(column) if text]
        is_constant = len(known) > 1 and len({column[page] for page in known}) == 1
        is_part = len(known) > 1 and any(
            all(f" {column[page]} " in f" {other[page]} " for page in known) and (other != column or place < number)
            for place, other in enumerate(told)
            if place != number
        )
        useless += is_constant or is_part
    return useless


async def compare(name: str, addresses: Sequence[str]) -> tuple[int, int, int, int]:
    """How many values of the hand-written model the draft finds too, how many there are, and the draft's problems.

    The last number is that of the problems that the draft did not announce.
    """
    replay = str(ROOT / "examples" / "sites")
    draft = await rdfcrawl.draft(addresses, replay=replay)
    with TemporaryDirectory() as folder:
        model = Path(folder) / "draft.ttl"
        model.write_text(draft.model)
        options = rdfcrawl.RunOptions(replay=replay)
        ours = await rdfcrawl.run(model, store=Path(folder) / "ours", options=options)
        await rdfcrawl.run(ROOT / "models" / f"{name}.ttl", store=Path(folder) / "theirs", options=options)
        found = values_in(Path(folder) / "ours")
        wanted = values_in(Path(folder) / "theirs")
        problems = sum(group.count for group in ours.report.problems)
        unannounced = sum(group.count for group in ours.report.problems if not is_announced(group, draft.doubts))
    return sum(pair in found for pair in wanted), len(wanted), problems, unannounced


def is_announced(group: ProblemGroup, doubts: Sequence[str]) -> bool:
    """Whether the draft has said that such a problem may come: by its property, and what it will be reported as."""
    kind = "missing" if group.kind == "empty" else group.kind
    name = group.property.removeprefix("property://").replace("/", ":", 1)
    return any(kind in doubt and (not name or name in re.findall(r"[\w:]+", doubt)) for doubt in doubts)


def values_in(store: Path) -> set[tuple[str, str]]:
    """Objects and their values, without the names of properties, which nobody can guess.

    Objects that are named by a hash of their values are called by the page that they are on.
    """
    content = b"".join(gzip.decompress(file.read_bytes()) for file in (store / "runs").glob("*.nq.gz"))
    quads = ox.parse(content, format=ox.RdfFormat.N_QUADS)
    return {
        (quad.subject.value.partition("#")[0], normalised(quad.object.value))
        for quad in quads
        if isinstance(quad.subject, ox.NamedNode) and isinstance(quad.object, ox.Literal)
    }


def normalised(value: str) -> str:
    """A value without differences that only the form makes."""
    text = plain(value)
    day = re.fullmatch(r"(\d\d)\.(\d\d)\.(\d{4})", text)
    return f"{day[3]}-{day[2]}-{day[1]}" if day else re.sub(r"^(\d+)\.0+$", r"\1", text)


if __name__ == "__main__":
    main()
