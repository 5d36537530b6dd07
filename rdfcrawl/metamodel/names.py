"""IRIs as people read them: shortened by the prefixes of their model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from rdfcrawl.rdf import terms

_LOCAL_NAME: Final = re.compile(r"(?:[\w-](?:[\w.-]*[\w-])?)?")
STANDARD_PREFIXES: Final = {"": terms.METAMODEL, "type": terms.TYPE, "xsd": terms.XSD}


def shorten(iri: str, prefixes: Mapping[str, str]) -> str:
    """``prefix:name`` with the longest namespace that fits, else ``<iri>``."""
    fitting = [
        (len(namespace), prefix)
        for prefix, namespace in prefixes.items()
        if namespace and iri.startswith(namespace) and _LOCAL_NAME.fullmatch(iri, len(namespace))
    ]
    if not fitting:
        return f"<{iri}>"
    length, prefix = max(fitting, key=lambda fit: (fit[0], fit[1] == ""))
    return f"{prefix}:{iri[length:]}"


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant, if any is near enough; what stands before the last name does not count."""
    by_last_name = {_last_name(candidate): candidate for candidate in candidates}
    near = get_close_matches(_last_name(word), by_last_name, n=1, cutoff=0.7)
    return by_last_name[near[0]] if near else None


def _last_name(name: str) -> str:
    return re.split(r"[:/#]", name.strip('<>"'))[-1]
