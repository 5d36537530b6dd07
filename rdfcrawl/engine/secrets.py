"""The secrets that a model names, taken from the environment when they are needed and bound to one origin each.

A model may be somebody else's, and the environment holds more than it should get. So it can name only variables that
are meant for models, by their prefix, or that whoever runs it allows by name.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from rdfcrawl.engine.address import origin_of
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.forms import ENVIRONMENT
from rdfcrawl.metamodel.model import Model, Section

PREFIX: Final = "RDFCRAWL_SECRET_"
"""The variables that any model may name begin so."""


def permitted_variables(allowed: Collection[str] = (), environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that a model may have; ``allowed`` names some although they do not have the prefix."""
    known = os.environ if environment is None else environment
    return {name: value for name, value in known.items() if name.startswith(PREFIX) or name in allowed}


def secret_value(reference: str, variables: Mapping[str, str]) -> str:
    """The value of the variable that ``env:NAME`` means, of those that a model may have; raises ``UsageError``."""
    variable = reference.removeprefix(ENVIRONMENT)
    if not (value := variables.get(variable, "").strip()):
        permitted = "" if variable.startswith(PREFIX) else f", or not allowed by --allow-env {variable}"
        raise UsageError(f"the environment variable {variable} is not set{permitted}")
    return value


def credentials_of(
    sections: Iterable[Section], allowed: Collection[str] = (), environment: Mapping[str, str] | None = None
) -> dict[str, dict[str, str]]:
    """The headers for each origin; raises ``UsageError`` for a variable that is not set, or that no model may have.

    ``allowed`` names variables that this model may have although they do not begin with ``RDFCRAWL_SECRET_``.
    """
    variables = permitted_variables(allowed, environment)
    headers: defaultdict[str, dict[str, str]] = defaultdict(dict)
    cookies: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for section in sections:
        origin = origin_of(section.address)
        for header in section.headers:
            name, _, reference = header.partition(":")
            headers[origin][name] = _value(_variable(reference, section, allowed), section, variables)
        for cookie in section.cookies:
            name, _, reference = cookie.partition("=")
            cookies[origin][name] = _value(_variable(reference, section, allowed), section, variables)
    for origin, named in cookies.items():
        headers[origin]["Cookie"] = "; ".join(f"{name}={value}" for name, value in named.items())
    return dict(headers)


def values_of_fills(
    model: Model,
    sections: Sequence[Section],
    allowed: Collection[str] = (),
    environment: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The values that logins and forms name as ``env:NAME``, by that name; raises what ``credentials_of`` raises."""
    variables = permitted_variables(allowed, environment)
    named = [(fill.value, section) for section in sections if section.login for fill in section.login.fills]
    named += [(fill.value, sections[0]) for page in model.pages.values() for fill in page.fills]
    return {
        value: _value(_variable(value, section, allowed), section, variables)
        for value, section in named
        if value.startswith(ENVIRONMENT)
    }


def _variable(reference: str, section: Section, allowed: Collection[str]) -> str:
    variable = reference.strip().removeprefix("env:")
    if not variable.startswith(PREFIX) and variable not in allowed:
        raise UsageError(
            f"the section {section.address} asks for the environment variable {variable}, which models do not get; "
            f"if it is meant for this one, allow it with --allow-env {variable}, or name it {PREFIX}{variable}"
        )
    return variable


def _value(variable: str, section: Section, variables: Mapping[str, str]) -> str:
    value = variables.get(variable, "").strip()
    if not value:
        raise UsageError(f"the section {section.address} needs the environment variable {variable}, which is not set")
    if not value.isprintable():
        raise UsageError(f"the environment variable {variable} contains characters that a header cannot hold")
    return value
