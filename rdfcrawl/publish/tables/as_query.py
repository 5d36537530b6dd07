"""The table that a reader sees, as a SPARQL query that somebody can take away and change."""

from __future__ import annotations

from collections.abc import Mapping

from rdfcrawl.publish.catalogue.numbers import is_day_of_moments
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import iri, literal


def query_of(shown: ObjectClass, wish: Wish, prefixes: Mapping[str, str]) -> str:
    """A query with a variable for each column; texts are looked for as the table does."""
    named = _variables(shown)
    lines = [f"SELECT ?object {' '.join(named.values())}", "WHERE {"]
    start = f"{iri(wish.within)} " if wish.within else "?parent "
    lines.append(f"  {start}{_name(shown.predicate, prefixes)} ?object .")
    if wish.link:
        lines.append(f"  ?object {_name(wish.link[0], prefixes)} {iri(wish.link[1])} .")
    for column in shown.columns:
        lines.append(f"  OPTIONAL {{ ?object {_name(column.predicate, prefixes)} {named[column.predicate]} }}")
    for predicate, text in wish.values:
        lines.append(f"  FILTER (STR({named[predicate]}) = {literal(text)})")
    kinds = {column.predicate: column.datatype for column in shown.columns}
    for span in wish.ranges:
        for comparison, bound in ((">=", span.least), ("<=", span.greatest)):
            if bound:
                values = _bounds(bound, kinds[span.predicate], comparison)
                stated = " || ".join(f"{named[span.predicate]} {comparison} {value}" for value in values)
                lines.append(f"  FILTER ({stated})")
    if wish.text:
        where = [named[wish.column]] if wish.column in named else [*named.values()]
        wanted = literal(wish.text.lower())
        found = " || ".join(f"CONTAINS(LCASE(STR(COALESCE({one}, ''))), {wanted})" for one in where) or "false"
        lines.append(f"  FILTER ({found})")
    lines.append("}")
    if order := named.get(wish.sort) or (named[shown.key.predicate] if shown.key else None):
        lines.append(f"ORDER BY {f'DESC({order})' if wish.descending else order}")
    return "\n".join(lines) + "\n"


def _bounds(bound: str, datatype: str, comparison: str) -> list[str]:
    """A bound as terms; a day of moments with its hours, once for those with a zone and once for those without."""
    if not is_day_of_moments(bound, datatype):
        return [literal(bound, datatype)]
    hour = "00:00:00" if comparison == ">=" else "23:59:59.999"
    return [literal(f"{bound}T{hour}{zone}", datatype) for zone in ("Z", "")]


def _variables(shown: ObjectClass) -> dict[str, str]:
    """A variable for each column, named after it."""
    found: dict[str, str] = {}
    for number, column in enumerate(shown.columns):
        word = "".join(char if char.isascii() and char.isalnum() else "_" for char in column.name).strip("_")
        name = f"?{word}" if word and not word[0].isdigit() and word != "object" else f"?column{number}"
        found[column.predicate] = name if name not in found.values() else f"{name}{number}"
    return found


def _name(predicate: str, prefixes: Mapping[str, str]) -> str:
    short = shorten(predicate, prefixes)
    return iri(predicate) if short == predicate or predicate == terms.RDF_TYPE else short
