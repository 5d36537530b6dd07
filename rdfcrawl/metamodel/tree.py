"""A valid model as a tree that shows what will be crawled."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass
from rdfcrawl.expressions.templates import parse_template, renamed
from rdfcrawl.metamodel.model import Alert, Item, Model, Page, Property, Section
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import notation


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree and the lines below it."""

    text: str
    branches: tuple[Branch, ...] = ()


def model_tree(model: Model) -> Branch:
    """The sections, their pages with items and properties, and the pages that links and nesting lead to."""
    # What a survey says of addresses is no item that the model describes.
    items = [item for item in model.items() if item.path]
    properties = sum(len(item.properties) for item in items)
    counts = ", ".join(
        f"{count} {noun if count == 1 else plural}"
        for count, noun, plural in (
            (len(model.sections), "section", "sections"),
            (len(model.pages), "page", "pages"),
            (len(items), "item", "items"),
            (properties, "property", "properties"),
        )
    )
    planting = _Planting(model)
    sections = (planting.section(section) for section in model.sections)
    return Branch(counts, (*sections, *(planting.alert(alert) for alert in model.alerts)))


class _Planting:
    """Builds the tree; a page that was already shown is only named, because links may be cyclic."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._shown: set[str] = set()

    def section(self, section: Section) -> Branch:
        delay = f", {section.delay} ms between requests" if section.delay is not None else ""
        login = f", logs in at <{section.login.address}>" if section.login else ""
        window = f", read at {section.window}" if section.window else ""
        return Branch(f"section <{section.address}>{delay}{window}{login}", (self._page(section.page),))

    def alert(self, alert: Alert) -> Branch:
        events = ", ".join(name.removeprefix(terms.ALERT) for name in alert.on)
        what = f"new rows of {_on_one_line(alert.query)}" if alert.query else events
        classes = f" of {', '.join(map(self._name, alert.classes))}" if alert.classes else ""
        digest = ", as a digest" if alert.digest else ""
        return Branch(f"alert on {what}{classes}{digest} → {', '.join(alert.to)}")

    def _page(self, iri: str, way: str = "") -> Branch:
        page = self._model.page(iri)
        text = f"{way}{self._name(iri)}: {_on_one_line(page.reads)}"
        if iri in self._shown:
            return Branch(f"{text} (see above)")
        self._shown.add(iri)
        below: list[Branch] = []
        if page.item is not None:
            below.append(self._item(page.item))
        below.extend(Branch(text) for text in page.weighs)
        if page.read_as is not None:
            below.append(self._page(page.read_as, "finds → "))
        below.extend(self._page(sub, "nested ") for sub in page.subs)
        if page.entry_link is not None:
            below.append(self._page(page.entry_link.target, "→ "))
        for link in page.links:
            optional = ", optional" if link.optional else ""
            way = f"{self._name(link.iri)} at {_on_one_line(link.path)}{optional}"
            below.append(Branch(way, (self._page(link.target, "→ "),)))
        return Branch(f"{text}{_options(page)}", tuple(below))

    def _item(self, item: Item) -> Branch:
        details = [
            f"named by the link at {_on_one_line(item.id_path)}" if item.id_path else "",
            f"named {renamed(parse_template(item.template), self._name)}" if item.template else "",
            f"named by {', '.join(self._name(key) for key in item.key)}" if item.key else "",
            f"a {self._name(item.rdf_class)}" if item.rdf_class else "",
            f"written as {self._name(item.alias)}" if item.alias else "",
            "volatile" if item.volatile else "",
        ]
        text = f"{self._name(item.iri)} at {_on_one_line(item.path)}{_appended(details)}"
        return Branch(text, tuple(Branch(self._property(prop)) for prop in item.properties))

    def _property(self, prop: Property) -> str:
        details = [
            "optional" if prop.optional else "",
            "multiple" if prop.multiple else "",
            f"at {_on_one_line(prop.path)}",
            f"@{prop.attribute}" if prop.attribute else "",
            f"recognises {self._name(prop.recognise)}" if prop.recognise else "",
            f"with the list {prop.names}" if prop.names else "",
            f"pattern {prop.pattern}" if prop.pattern else "",
            f"split at {prop.split}" if prop.split else "",
            *(f'"{replacement.old}" becomes "{replacement.new}"' for replacement in prop.replacements),
            f"format {' or '.join(prop.formats)}" if prop.formats else "",
            f"locale {prop.locale}" if prop.locale else "",
            f"language {_language(prop.language)}" if prop.language else "",
            "label" if prop.label else "",
            f"written as {self._name(prop.alias)}" if prop.alias else "",
        ]
        return f"{self._name(prop.iri)}: {self._datatype(prop.datatype)}{_appended(details)}"

    def _datatype(self, iri: str) -> str:
        return iri.removeprefix(terms.XSD) if iri.startswith(terms.XSD) else self._name(iri)

    def _name(self, iri: str) -> str:
        return notation(iri, self._model.prefixes)


def _options(page: Page) -> str:
    return _appended(
        [
            f"next {_on_one_line(page.next)}" if page.next else "",
            f"wait up to {page.wait} ms" if page.wait is not None else "",
            f"scroll, up to {page.scroll} ms each" if page.scroll is not None else "",
            f"wait for {_on_one_line(page.wait_for)}" if page.wait_for else "",
            *(f'fill {_on_one_line(fill.path)} with "{fill.value}"' for fill in page.fills),
            f"submit {_on_one_line(page.submit)}" if page.submit else "",
            *(f"click {_on_one_line(click)}" for click in page.clicks),
            f"more {_on_one_line(page.more)}" if page.more else "",
            f"total {_on_one_line(page.total)}" if page.total else "",
            f"without {', '.join(page.params)}" if page.params else "",
            "" if page.render is None else "always in the browser" if page.render else "never in the browser",
            f"loads {', '.join(page.load)}" if page.load else "",
        ]
    )


def _language(tag: str) -> str:
    return "as the page states it" if tag == terms.STATED_LANGUAGE else tag


def _appended(details: list[str]) -> str:
    return "".join(f", {detail}" for detail in details if detail)


def _on_one_line(path: str) -> str:
    return " ".join(path.split())
