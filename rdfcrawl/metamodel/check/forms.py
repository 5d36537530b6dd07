"""Rules about what is filled in, sent and clicked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from rdflib.term import Node

from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rule import Rule, strings
from rdfcrawl.metamodel.forms import ENVIRONMENT
from rdfcrawl.metamodel.statements.description import Description

_VARIABLE: Final = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*")
_PASSWORD: Final = re.compile(r"pass|pwd|kennwort|secret|pin\\b", re.IGNORECASE)


def _sequences_are_whole(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for fault in description.sequences.faults:
        yield reporter.error(fault.resource, fault.message, fault.advice, term=fault.term, value=fault.value)


def _clicks_have_an_order(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Without one they are clicked in alphabetical order, which is hardly what is meant."""
    for page in description.resources:
        clicks = description.values(page, "click")
        if len(clicks) > 1 and (page, "click") not in description.sequences.values:
            advice = 'write them as a list in the order of the clicks: :click ( "…" "…" )'
            yield reporter.warning(page, f"{len(clicks)} clicks have no order", advice, term="click", value=clicks[-1])


def _forms_are_sent(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for page in description.of_kind("Page"):
        fills, buttons = description.values(page, "fill"), description.values(page, "submit")
        if fills and not buttons:
            advice = "name the button that sends the form: :submit \"//button[@type='submit']\""
            yield reporter.error(page, "fields are filled, but nothing is sent", advice, term="fill", value=fills[0])
        elif buttons and not fills:
            advice = "add a :fill for each field, or use :click for a button that fills nothing"
            yield reporter.error(page, "a form is sent without a :fill", advice, term="submit", value=buttons[0])


def _values_name_variables(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for fill, value in strings(description, "value"):
        if str(value).startswith(ENVIRONMENT) and not _VARIABLE.fullmatch(str(value)):
            advice = "write env: and a name of letters, digits and _: env:RDFCRAWL_SECRET_PASSWORD"
            yield reporter.error(fill, f'"{value}" names no variable', advice, term="value", value=value)
        elif not str(value).startswith(ENVIRONMENT) and any(
            _PASSWORD.search(str(path)) for path in description.values(fill, "path")
        ):
            advice = 'keep it in an environment variable: :value "env:RDFCRAWL_SECRET_PASSWORD"'
            yield reporter.warning(fill, "a password stands in the model", advice, term="value", value=value)


def _an_origin_has_one_login(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A session belongs to an origin, so that two logins would end each other's."""
    seen: dict[tuple[str, str], tuple[Node, object]] = {}
    for section, login in description.with_term("login"):
        address = urlsplit(str(section))
        first, said = seen.setdefault((address.scheme, address.netloc), (section, _said(description, login)))
        if said != _said(description, login):
            message = f"{reporter.show(first)} has another login for the same origin"
            advice = "give both sections the same login, or put them into two models"
            yield reporter.error(section, message, advice, term="login", value=login)


def _said(description: Description, login: Node) -> object:
    texts = tuple(description.values(login, term) for term in ("address", "submit", "success"))
    fills = {
        (description.values(fill, "path"), description.values(fill, "value"))
        for fill in description.values(login, "fill")
    }
    return texts, frozenset(fills)


RULES: Final[tuple[Rule, ...]] = (
    _sequences_are_whole,
    _clicks_have_an_order,
    _forms_are_sent,
    _values_name_variables,
    _an_origin_has_one_login,
)
