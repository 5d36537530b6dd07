"""Where output goes: results to standard output, everything about them to standard error."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def shorten(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI with the longest prefix that fits it."""
    fitting = [(namespace, prefix) for prefix, namespace in prefixes.items() if namespace and iri.startswith(namespace)]
    if not fitting:
        return iri
    namespace, prefix = max(fitting, key=lambda pair: len(pair[0]))
    return f"{prefix}:{iri[len(namespace) :]}"
