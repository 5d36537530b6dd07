"""The published values and triples of the five sites, from the example sites and the models."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from pathlib import Path

import pyoxigraph as ox
import pytest
from _pytest.mark.structures import ParameterSet
from rdflib import Literal
from rdflib.term import URIRef

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.trial import try_page
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import split
from tests.crawling import Crawled, crawl
from tests.sampling import sampled

_ROOT = Path(__file__).parents[2]
_SITES = _ROOT / "examples/sites"
_LISTINGS = Path(__file__).parent / "listings"
_MODELS = {"A": "bundestag", "B": "campus-tum", "C": "chefkoch", "D": "imdb", "E": "muenchen"}
_CUT = "[...]"
_EQUAL_BY_VALUE = frozenset({terms.DURATION, terms.TIME, terms.DATE_TIME})
"""The datatypes of which the print itself has one value in two spellings."""

_PAGES_WITH_LISTED_VALUES = {
    "A": ("https://www.bundestag.de/bundestag/parteienfinanzierung/fundstellen50000/2010",),
    "B": (
        "https://campus.tum.de/tumonline/organisationen.display?corg=14189",
        "https://campus.tum.de/tumonline/lv.detail?clvnr=950208933",
        "https://campus.tum.de/tumonline/wbTvw_List.lehrveranstaltung?pStpSpNr=950208933",
    ),
    "C": (
        "http://www.chefkoch.de/rezepte/372611122991708/Donauwelle-Konditorenart.html",
        "http://www.chefkoch.de/rezepte/2309811368533750/Kaiserschmarrn-la-Mittermeier.html",
    ),
    "D": (
        "http://www.imdb.com/title/tt0903747/",
        "http://www.imdb.com/title/tt0903747/episodes?season=3",
        "http://www.imdb.com/title/tt1615556/",
    ),
    "E": (
        "http://www.muenchen.de/veranstaltungen/event/22060.html",
        "http://www.muenchen.de/veranstaltungen/event/18009.html",
        "http://www.muenchen.de/veranstaltungen/orte/131027.html",
        "http://www.muenchen.de/veranstaltungen/orte/140242.html",
    ),
}

# B.3 and B.5 print what was found without the groups as a class of their own; the model here reaches the goals instead.
each_listing_of_values = pytest.mark.parametrize("listing", ["A2", "A3", "B2", "C2", "C3", "D2", "D3", "E2", "E3"])
_SAMPLE = "ACD"
"""The sites that plain HTTP is enough for; the lists of the others are clicked through and scrolled in the browser."""


RunOf = Callable[[str], Crawled]
RawValuesOf = Callable[[str], Awaitable[dict[str, dict[str, str]]]]


def of_sites(*names: str) -> list[ParameterSet]:
    """Names that begin with the letter of a site; of the others than those of the sample, the long run takes care."""
    return sampled(names, [name for name in names if name[0] in _SAMPLE])


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> RunOf:
    """The run of a model, made once; two of the five need the browser for their lists."""

    @cache
    def run_once(letter: str) -> Crawled:
        return asyncio.run(crawl(_model(letter), tmp_path_factory.mktemp(_MODELS[letter]), _SITES, engine=Engine.AUTO))

    return run_once


@pytest.fixture(scope="module")
def raw_values_of() -> RawValuesOf:
    """The values of the listed pages of a site, which are read once."""
    known: dict[str, dict[str, dict[str, str]]] = {}

    async def read_once(letter: str) -> dict[str, dict[str, str]]:
        if letter not in known:
            known[letter] = await _raw_values(letter)
        return known[letter]

    return read_once


@each_listing_of_values
async def test_raw_values_are_those_of_the_print(listing: str, raw_values_of: RawValuesOf) -> None:
    """Every listed object has exactly the listed values, as the page shows them."""
    raw = await raw_values_of(listing[0])
    for subject, expected in json.loads((_LISTINGS / f"{listing}.json").read_text(encoding="utf-8")).items():
        assert raw[subject].keys() == expected.keys()
        for prop, text in expected.items():
            assert _as_far_as_printed(raw[subject][prop], text) == text


@pytest.mark.parametrize("listing", of_sites("A4", "A5", "B4", "C4", "C5", "D4", "D5", "E4", "E5"))
def test_typed_triples_are_those_of_the_print(listing: str, run_of: RunOf) -> None:
    """The graph of a run contains every listed triple, the hashes in the names of objects included."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in run_of(listing[0]).triples:
        subject, predicate, value = split(f"{line} .")
        found[subject, predicate].append(value)
    expected = list(_triples(listing))
    assert expected
    for triple in expected:
        values = found[str(triple.subject), str(triple.predicate)]
        assert any(_is_printed_as(value, triple.object) for value in values), triple


def test_objects_have_no_values_that_the_print_does_not_have(run_of: RunOf) -> None:
    """The recipe that nobody has rated has no rating."""
    unrated = "<http://www.chefkoch.de/rezepte/2309811368533750/Kaiserschmarrn-la-Mittermeier.html>"
    assert not [line for line in run_of("C").triples if line.startswith(f"{unrated} <property://recipe/rating>")]


@pytest.mark.parametrize("letter", of_sites("A", "C", "D"))
def test_example_sites_are_large_enough_to_mean_something(letter: str, run_of: RunOf) -> None:
    """Each site has its least number of objects."""
    item, least = {"A": ("item://donation", 30), "C": ("item://recipe", 25), "D": ("item://series", 15)}[letter]
    assert run_of(letter).record.counts.objects[item] >= least


@pytest.mark.parametrize("letter", of_sites(*_MODELS))
def test_example_sites_are_read_without_a_problem(letter: str, run_of: RunOf) -> None:
    """Nothing is missing, nothing does not fit, and every section is complete."""
    assert run_of(letter).problems == ()
    assert all(section.complete for section in run_of(letter).record.sections)


@pytest.mark.parametrize("letter", of_sites(*_MODELS))
def test_the_browser_is_used_exactly_where_scripts_bring_the_content(letter: str, run_of: RunOf) -> None:
    """Three lists of courses are clicked through and two lists of events scrolled; all other pages come over HTTP."""
    browser = {"A": 0, "B": 3, "C": 0, "D": 0, "E": 2}
    assert run_of(letter).record.counts.pages.get("browser", 0) == browser[letter]


def _model(letter: str) -> Path:
    return _ROOT / "models" / f"{_MODELS[letter]}.ttl"


async def _raw_values(letter: str) -> dict[str, dict[str, str]]:
    raw: dict[str, dict[str, str]] = defaultdict(dict)
    model = load_model(_model(letter))
    for address in _PAGES_WITH_LISTED_VALUES[letter]:
        trial = await try_page(model, address, replay=str(_SITES))
        for value in trial.values:
            if value.steps is not None:
                raw[value.subject][value.property.iri] = value.steps.raw
    return raw


def _triples(listing: str) -> Iterator[ox.Triple]:
    content = (_LISTINGS / f"{listing}.ttl").read_bytes()
    return (quad.triple for quad in ox.parse(content, format=ox.RdfFormat.TURTLE))


def _is_printed_as(value: str, printed: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> bool:
    if value == str(printed):
        return True
    if not isinstance(printed, ox.Literal):
        return False
    found = next(iter(ox.parse(f"<a:a> <a:a> {value} .", format=ox.RdfFormat.N_TRIPLES))).object
    if not isinstance(found, ox.Literal) or found.datatype != printed.datatype:
        return False
    if found.datatype.value in _EQUAL_BY_VALUE:
        return _value(found) == _value(printed)
    return _CUT in printed.value and _as_far_as_printed(found.value, printed.value) == printed.value


def _value(literal: ox.Literal) -> object:
    return Literal(literal.value, datatype=URIRef(literal.datatype.value)).value


def _as_far_as_printed(text: str, printed: str) -> str:
    """The text, cut where the print is cut."""
    before, cut, _ = printed.partition(_CUT)
    return text[: len(before)] + cut if cut and len(text) > len(before) else text
