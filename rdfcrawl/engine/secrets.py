"""The secrets that a model names, taken from the environment when they are needed and bound to one origin each."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping

from rdfcrawl.engine.address import origin_of
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Section


def credentials_of(
    sections: Iterable[Section], environment: Mapping[str, str] | None = None
) -> dict[str, dict[str, str]]:
    """The headers for each origin; raises ``UsageError`` for a variable that is not set."""
    variables = os.environ if environment is None else environment
    headers: defaultdict[str, dict[str, str]] = defaultdict(dict)
    cookies: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for section in sections:
        origin = origin_of(section.address)
        for header in section.headers:
            name, _, reference = header.partition(":")
            headers[origin][name] = _value(reference.strip(), section, variables)
        for cookie in section.cookies:
            name, _, reference = cookie.partition("=")
            cookies[origin][name] = _value(reference, section, variables)
    for origin, named in cookies.items():
        headers[origin]["Cookie"] = "; ".join(f"{name}={value}" for name, value in named.items())
    return dict(headers)


def _value(reference: str, section: Section, variables: Mapping[str, str]) -> str:
    variable = reference.removeprefix("env:")
    value = variables.get(variable, "").strip()
    if not value:
        raise UsageError(f"the section {section.address} needs the environment variable {variable}, which is not set")
    if not value.isprintable():
        raise UsageError(f"the environment variable {variable} contains characters that a header cannot hold")
    return value
