"""Which predicates RDF/XML can write: there, a predicate is an element, and its end must be the name of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TypeVar
from xml.parsers import expat

import pyoxigraph as ox

from rdfcrawl.errors import UsageError

T = TypeVar("T", ox.Triple, ox.Quad)


def writable_in_xml(statements: Iterable[T]) -> Iterator[T]:
    """The statements; raises ``UsageError`` at one that would make the document unreadable."""
    for statement in statements:
        if not has_xml_name(statement.predicate.value):
            raise UsageError(
                f"RDF/XML cannot write {statement.predicate}, because it does not end with the name of an element: "
                "take another format"
            )
        yield statement


@lru_cache(4096)
def has_xml_name(predicate: str) -> bool:
    """Whether the serialiser makes XML of a predicate; it does not check the names of elements itself."""
    said = ox.Triple(ox.NamedNode("x:"), ox.NamedNode(predicate), ox.Literal(""))
    try:
        expat.ParserCreate(namespace_separator=" ").Parse(
            ox.serialize([said], format=ox.RdfFormat.RDF_XML) or b"", True
        )
    except expat.ExpatError:
        return False
    return True
