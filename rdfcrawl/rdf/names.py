"""IRIs as people read and write them: with the prefixes of a model, or by their last part alone.

A prefix is used only if the rest of the IRI is a name that Turtle and SPARQL accept without escapes. If several
prefixes fit, the one with the longest namespace is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

# PN_CHARS_U, PN_CHARS and PN_LOCAL of the grammars of Turtle and SPARQL, without backslashes, and without characters
# beyond U+FFFF, which Oxigraph does not accept in queries.
_LETTERS: Final = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd"
)
_CHARACTERS: Final = f"{_LETTERS}0-9\u00b7\u0300-\u036f\u203f\u2040\\-"
_ESCAPED: Final = "%[0-9A-Fa-f]{2}"
_LOCAL_NAME: Final = (
    f"(?:[{_LETTERS}0-9:]|{_ESCAPED})(?:(?:[{_CHARACTERS}.:]|{_ESCAPED})*(?:[{_CHARACTERS}:]|{_ESCAPED}))?"
)
_USUAL_NAME: Final = re.compile("[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)
_HASH_NAME: Final = re.compile(r"[^#]*#[0-9a-f]{40}(?:-[0-9]+)?")
_LAST_PART: Final = re.compile(r"[^/#:?]+(?=[/#:?]*$)")


def shorten(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI for readers: ``prefix:name``, else the IRI itself; a prefix alone would say less than the address."""
    return _prefixed(iri, prefixes) or iri


def notation(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI as Turtle and SPARQL write it: ``prefix:name``, ``prefix:`` or ``<iri>``."""
    exact = sorted(prefix for prefix, namespace in prefixes.items() if namespace and namespace == iri)
    return f"{exact[0]}:" if exact else _prefixed(iri, prefixes) or f"<{iri}>"


def expand(name: str, prefixes: Mapping[str, str]) -> str:
    """The IRI that a name means: ``prefix:rest`` with one of the prefixes, or the IRI itself."""
    prefix, colon, rest = name.partition(":")
    return prefixes[prefix] + rest if colon and prefix in prefixes and not rest.startswith("//") else name


def namespaces(prefixes: Mapping[str, str]) -> dict[str, str]:
    """The prefixes that stand for a namespace; a prefix for a whole address, as models use for sections, does not."""
    return {prefix: start for prefix, start in prefixes.items() if start.endswith(("/", "#", ":"))}


def last_part(iri: str) -> str:
    """The last part of an IRI: ``title`` of ``property://book/title``; the IRI itself if it has no such part."""
    match = _LAST_PART.search(iri)
    return match[0] if match else iri


def is_hash_name(iri: str) -> bool:
    """Whether an IRI was made of an object's values; a number may tell it from another object with the same hash."""
    return _HASH_NAME.fullmatch(iri) is not None


def _prefixed(iri: str, prefixes: Mapping[str, str]) -> str | None:
    fitting = [
        (len(namespace), prefix)
        for prefix, namespace in prefixes.items()
        if namespace and iri.startswith(namespace) and _is_local_name(iri, len(namespace))
    ]
    if not fitting:
        return None
    # The empty prefix is the shortest of those that stand for the same namespace.
    length, prefix = min(fitting, key=lambda fit: (-fit[0], fit[1]))
    return f"{prefix}:{iri[length:]}"


def _is_local_name(iri: str, start: int) -> bool:
    # Almost all names are usual, and the expression for all others takes six milliseconds to compile.
    return bool(_USUAL_NAME.fullmatch(iri, start) or re.compile(_LOCAL_NAME).fullmatch(iri, start))
