"""The official websites of institutions, as the sections of a model that surveys them for names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.registers.name_lists import checked_language
from rdfcrawl.engine.registers.paged import Notice, PagedQuery, answers
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.files.whole import write_whole

_CLASS: Final = re.compile(r"Q[1-9][0-9]*")


def institutions_query(endpoint: str, wikidata_class: str, language: str, limit: int, page_size: int) -> PagedQuery:
    """Name and official website of everything that is an instance of a class or of its subclasses."""
    if not _CLASS.fullmatch(wikidata_class):
        raise UsageError(f"{wikidata_class!r} is not a class of Wikidata; Q5341295 is educational organisation")
    text = f"""PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT DISTINCT ?id ?label ?url WHERE {{
  ?id wdt:P31/wdt:P279* wd:{wikidata_class} .
  ?id wdt:P856 ?url .
  ?id rdfs:label ?label .
  FILTER(lang(?label) = '{checked_language(language)}')
}} ORDER BY ?id ?url"""
    return PagedQuery(endpoint, text, ("id", "label", "url"), limit, page_size)


def write_institutions(target: Path, query: PagedQuery, depth: int, notice: Notice) -> str:
    """Write the model and return a sentence about it; addresses that are none are left out and counted."""
    if not target.parent.is_dir():
        raise UsageError(f"the folder {target.parent} does not exist")
    kept = target.with_name(f"{target.name}.part")
    sections: dict[str, str] = {}
    wrong = 0
    for _, label, url in answers(query, kept, notice):
        address = _address(url)
        if address is None:
            wrong += 1
        else:
            sections.setdefault(address, label)
    if not sections:
        raise UsageError("no institution with a website was found, so that no model was written")
    write_whole(target, _model(sections, depth).encode())
    kept.unlink(missing_ok=True)
    left_out = f"; {wrong:,} addresses are none and were left out" if wrong else ""
    return f"{target}: {len(sections):,} sections{left_out}"


def _address(url: str) -> str | None:
    try:
        address = resolve(url.strip(), "https://localhost/")
    except BadAddress:
        return None
    is_absolute = url.strip().lower().startswith(("http://", "https://"))
    return address if is_absolute and address.startswith(("http://", "https://")) else None


def _model(sections: dict[str, str], depth: int) -> str:
    written = [_SURVEY.format(depth=depth)]
    for address, label in sorted(sections.items()):
        written.append(
            f"# {' '.join(label.split())}\n<model:> :section {iri(address)} .\n{iri(address)} :page page:site .\n"
        )
    return "".join(written)


_SURVEY: Final = """\
@prefix : <predicate://> .
@prefix type: <type://> .
@prefix recognise: <recognise://> .
@prefix page: <page://> .
@prefix item: <item://> .
@prefix person: <property://person/> .

page:site :type type:site ; :depth {depth} ; :item item:page .
item:page :path "/html" ; :property person:name .
person:name :path "//body" ; :recognise recognise:person ; :optional true .

"""
