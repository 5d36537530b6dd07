"""Rules about alerts: what they report can be found out, and whom they tell can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rdflib import Literal, URIRef
from rdflib.term import Node

from rdfcrawl.expressions.queries import fault_in_select
from rdfcrawl.metamodel.alerts.alert import OF_CLASSES
from rdfcrawl.metamodel.alerts.recipients import APPRISE, BadRecipient, Channel, Recipient
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rule import Rule, strings
from rdfcrawl.metamodel.kinds.site_page import ADDRESSES
from rdfcrawl.metamodel.names import STANDARD_PREFIXES, closest
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.rdf import terms

_QUERY_PREFIXES: Final = {"rdf": terms.RDF, "rdfs": terms.RDFS, "xsd": terms.XSD, "prov": terms.PROV}
"""What a query need not declare, besides the prefixes of the model."""


def _alerts_report_something(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for alert in description.of_kind("Alert"):
        on, queries = (description.values(alert, term) for term in ("on", "query"))
        if not on and not queries:
            advice = "say what is reported: :on alert:found, or a :query whose new rows are"
            yield reporter.error(alert, "the alert reports nothing", advice)
        elif on and queries:
            advice = "write two alerts, one with :on and one with :query"
            yield reporter.error(alert, "the alert has :on and a :query", advice, term="query", value=queries[0])


def _recipients_can_be_reached(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for alert, value in description.with_term("to"):
        wrong = _wrong_recipient(value)
        if wrong is not None:
            yield reporter.error(alert, *wrong, term="to", value=value)


def _wrong_recipient(value: Node) -> tuple[str, str] | None:
    try:
        recipient = Recipient.parse(str(value))
    except BadRecipient as bad:
        return str(bad), bad.advice
    if isinstance(value, Literal) and recipient.way is not Channel.APPRISE:
        return "a recipient is an address", f"remove the quotes: <{value}>"
    if isinstance(value, URIRef) and recipient.way is Channel.APPRISE:
        return "a variable is no address", f'write it in quotes: "{APPRISE}env:{recipient.address}"'
    return None


def _classes_narrow_changes(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A class that no item writes has no objects, and a find or a problem has no class."""
    items = {str(item) for item in description.of_kind("Item")}
    names = {str(name) for item in description.of_kind("Item") for name in description.values(item, "as")}
    known = items | names | {ADDRESSES.predicate}
    for alert in description.of_kind("Alert"):
        on = [str(value) for value in description.values(alert, "on")]
        for value in description.values(alert, "class"):
            if not set(on) <= set(OF_CLASSES) or not on:
                advice = "use it with alert:added, alert:changed or alert:removed, in an alert of their own"
                yield reporter.error(alert, "only changes of objects have a class", advice, term="class", value=value)
            elif isinstance(value, URIRef) and str(value) not in known:
                shown = reporter.show(value)
                meant = closest(shown, [reporter.show(URIRef(name)) for name in sorted(known)])
                advice = f"did you mean {meant}?" if meant else "name an item of the model"
                yield reporter.error(alert, f"{shown} is not an item of the model", advice, term="class", value=value)


def _queries_parse(description: Description, reporter: Reporter) -> Iterator[Finding]:
    prefixes = {**STANDARD_PREFIXES, **_QUERY_PREFIXES, **reporter.source.prefixes}
    for alert, value in strings(description, "query"):
        if (fault := fault_in_select(str(value), prefixes)) is not None:
            yield reporter.error(alert, *fault, term="query", value=value)


def _secrets_sign_webhooks(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for alert, value in strings(description, "secret"):
        if not any(str(to).startswith("https:") for to in description.values(alert, "to")):
            advice = "leave it out, or name a webhook: :to <https://example.org/hook>"
            yield reporter.error(alert, "only webhooks are signed", advice, term="secret", value=value)


def _windows_are_not_empty(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for section, value in strings(description, "window"):
        begin, _, end = (part.strip().zfill(5) for part in str(value).partition("-"))
        if begin == end:
            advice = "leave it out, and the section is read all day"
            yield reporter.error(section, f'the window "{value}" is empty', advice, term="window", value=value)


RULES: Final[tuple[Rule, ...]] = (
    _alerts_report_something,
    _recipients_can_be_reached,
    _classes_narrow_changes,
    _queries_parse,
    _secrets_sign_webhooks,
    _windows_are_not_empty,
)
