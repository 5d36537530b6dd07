"""Builds a frozen ``Model`` from a valid description."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from rdflib.term import Node

from rdfcrawl.expressions.templates import parse_template, renamed
from rdfcrawl.metamodel.check.reach import reachable
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.model import Alert, Fill, Item, Link, Login, Model, Page, Property, Replacement, Section
from rdfcrawl.metamodel.statements.description import MODEL, Description
from rdfcrawl.metamodel.statements.resource import Resource
from rdfcrawl.metamodel.statements.source import SourceGraph
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import expand


def build_model(description: Description, source: SourceGraph) -> Model:
    """The model of a valid description; unreachable pages are left out."""
    reached = reachable(description)
    sections = tuple(_section(description, section) for section in description.values(MODEL, "section"))
    prefixes = dict(source.prefixes)
    pages = {str(page): _page(description, page, prefixes) for page in description.of_kind("Page") if page in reached}
    alerts = _alerts(description)
    return Model(sections, pages, digest(sections, pages), prefixes, source.turtle(), alerts)


def digest(sections: tuple[Section, ...], pages: Mapping[str, Page]) -> str:
    """SHA-256 over what the model says, as JSON with sorted keys.

    Values that equal their default are left out, so that a term added to the metamodel later does not change the
    digests of models that do not use it.
    """
    said = {"sections": _canonical(sections), "pages": {iri: _canonical(page) for iri, page in pages.items()}}
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_canonical(element) for element in value]
    if not is_dataclass(value):
        return value
    said = {
        entry.name: _canonical(content)
        for entry in fields(value)
        if (content := getattr(value, entry.name)) != entry.default or entry.default is MISSING
    }
    return {"kind": type(value).__name__, **said} if isinstance(value, Page) else said


def _section(description: Description, section: Node) -> Section:
    said = description.resource(section)
    logins = [_login(description, login) for login in said.values("login")]
    return Section(
        str(section),
        said.text("page"),
        said.number("delay"),
        said.texts("header"),
        said.texts("cookie"),
        logins[0] if logins else None,
        said.optional_text("window"),
    )


def _alerts(description: Description) -> tuple[Alert, ...]:
    """The alerts in an order that does not depend on how their blank nodes happen to be called."""
    written = {str(item): said.text("as") for item in description.of_kind("Item") if (said := _said(description, item))}
    found = {_alert(description.resource(alert), written) for alert in description.values(MODEL, "alert")}
    return tuple(sorted(found, key=repr))


def _said(description: Description, item: Node) -> Resource | None:
    said = description.resource(item)
    return said if said.values("as") else None


def _alert(said: Resource, written: Mapping[str, str]) -> Alert:
    return Alert(
        said.texts("on"),
        tuple(written.get(name, name) for name in said.texts("class")),
        said.optional_text("query"),
        said.texts("to"),
        bool(said.flag("digest")),
        said.optional_text("secret"),
    )


def _login(description: Description, login: Node) -> Login:
    said = description.resource(login)
    return Login(said.text("address"), _fills(description, said), said.text("submit"), said.text("success"))


def _fills(description: Description, said: Resource) -> tuple[Fill, ...]:
    fields_of = [description.resource(fill) for fill in said.values("fill")]
    fills = [Fill(each.text("path"), each.text("value"), each.number("order") or 0) for each in fields_of]
    return tuple(sorted(fills, key=lambda fill: (fill.order, fill.path, fill.value)))


def _page(description: Description, page: Node, prefixes: Mapping[str, str]) -> Page:
    said = description.resource(page)
    common: dict[str, Any] = {
        "iri": str(page),
        "subs": said.texts("sub"),
        "links": tuple(_link(description.resource(link), str(link)) for link in said.values("link")),
        "params": said.texts("param"),
        "render": said.flag("render"),
        "next": said.optional_text("next"),
        "wait": said.number("wait"),
        "scroll": said.number("scroll"),
        "wait_for": said.optional_text("waitFor"),
        "clicks": said.texts("click"),
        "more": said.optional_text("more"),
        "total": said.optional_text("total"),
        "load": said.texts("load"),
        "fills": _fills(description, said),
        "submit": said.optional_text("submit"),
    }
    if items := said.values("item"):
        common["item"] = _item(description, items[0], prefixes)
    kind = KINDS[said.text("type")]
    return kind(**common, **kind.own_terms(said))


def _link(said: Resource, iri: str) -> Link:
    return Link(iri, said.text("path"), said.text("target"), optional=bool(said.flag("optional")))


def _item(description: Description, item: Node, prefixes: Mapping[str, str]) -> Item:
    said = description.resource(item)
    template = said.optional_text("iri")
    return Item(
        str(item),
        said.text("path"),
        properties=tuple(_property(description, prop) for prop in said.values("property")),
        id_path=said.optional_text("id"),
        key=said.texts("key"),
        rdf_class=said.optional_text("class"),
        alias=said.optional_text("as"),
        volatile=bool(said.flag("volatile")),
        template=renamed(parse_template(template), lambda name: expand(name, prefixes)) if template else None,
    )


def _property(description: Description, prop: Node) -> Property:
    said = description.resource(prop)
    formats = said.texts("format")
    replacements = [_replacement(description.resource(replacement)) for replacement in said.values("replace")]
    return Property(
        str(prop),
        said.text("path"),
        optional=bool(said.flag("optional")),
        multiple=bool(said.flag("multiple")),
        attribute=said.optional_text("attribute"),
        pattern=said.optional_text("pattern"),
        replacements=tuple(sorted(replacements, key=lambda replacement: replacement.order)),
        datatype=said.optional_text("type") or terms.STRING,
        format=formats[0] if formats else None,
        locale=said.optional_text("locale"),
        language=said.optional_text("language"),
        alias=said.optional_text("as"),
        label=bool(said.flag("label")),
        split=said.optional_text("split"),
        later_formats=formats[1:],
        recognise=said.optional_text("recognise"),
        names=said.optional_text("names"),
    )


def _replacement(said: Resource) -> Replacement:
    return Replacement(said.text("old"), said.text("new"), said.number("order") or 0)
