"""Who decides the IRI of an object: its ``:iri``, else its page, else its ``:id``, else its values.

What that takes: the page's address without its ``:param``s, the link that ``:id`` finds from the root element, the
final texts of the ``:key``, the raw texts of everything. How addresses are cleaned and values hashed is in
``identity``.
"""

from __future__ import annotations

from rdfcrawl.engine.document.tree import address_of
from rdfcrawl.engine.extract.comparison import Content, content_of, difference
from rdfcrawl.engine.extract.found import FoundObject, Lack
from rdfcrawl.engine.extract.identity import ENCLOSING, hash_iri, permalink
from rdfcrawl.engine.extract.plan import ItemPlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.expressions.templates import Template, filled, placeholders


def read_address(reading: Reading, found: FoundObject) -> None:
    """Read the address that ``:id`` names; where there is none, the values name the object."""
    item, document, element = found.item, reading.document, found.element
    if found.is_the_page or item.id_path is None:
        return
    matches = document.select(item.id_path, element, outer=found.outer, root=element)
    address = address_of(matches[0], document.base) if matches else None
    if address is not None:
        found.address = permalink(address, found.plan.page.params)
        return
    reason = "the link that :id names is not there or has no address; the object is named by its values instead"
    reading.report(Lack(ProblemKind.BAD_ADDRESS, reason, path=item.item.id_path))


def fill_template(reading: Reading, found: FoundObject, template: Template) -> None:
    """Make the IRI that ``:iri`` describes; where a value is missing, the object has the name it would have without."""
    texts: dict[str, str] = {}
    for prop, text in found.key_texts:
        texts.setdefault(prop, text)
    missing = [name for name in placeholders(template) if name not in texts]
    if not missing:
        found.address = filled(template, texts.__getitem__)
    elif found.is_written:
        instead = "the address of its page" if found.is_the_page else "all of its values"
        reason = (
            f"the :iri needs {', '.join(missing)}, which has no value here; the object is named by {instead} instead"
        )
        lack = Lack(ProblemKind.NO_KEY, reason, missing[0], found.item.item.path)
        found.lacks.append(lack._replace(element=reading.place_of(found.element)))


def entry_name(item: ItemPlan, subject: str) -> str:
    """How an object is known wherever a list shows it; one that is named by its values, by their hash alone."""
    is_address = item.id_path is not None or item.template is not None
    return subject if is_address else subject.rpartition("#")[2]


class DocumentNames:
    """Names the objects of one document. An address may be the name of several elements, a hash only of equal ones."""

    __slots__ = ("_first", "_reading", "_variants", "shared")

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._first: dict[str, FoundObject] = {}
        self._variants: dict[str, dict[Content, str]] = {}
        self.shared: dict[str, list[FoundObject]] = {}
        """The elements that have the same address for a name, wherever there is more than one."""

    def name(self, found: FoundObject, enclosing: str | None) -> str:
        """The IRI of an object that is nested in the object ``enclosing``, unless that is the page itself."""
        address = found.address
        if address is None and found.is_the_page:
            address = self._reading.address
        if address is None:
            return self._hash_name(found, enclosing)
        if found.is_written and (first := self._first.setdefault(address, found)) is not found:
            self.shared.setdefault(address, [first]).append(found)
        return address

    def _hash_name(self, found: FoundObject, enclosing: str | None) -> str:
        reading, params = self._reading, found.plan.page.params
        if found.key_texts and found.item.item.key:
            texts = found.key_texts if enclosing is None else [*found.key_texts, (ENCLOSING, enclosing)]
            name = hash_iri(reading.list_address, texts, params)
        else:
            name = hash_iri(reading.address, found.raw_values, params)
        if not found.is_written:
            return name
        if (first := self._first.setdefault(name, found)) is not found:
            name = self._variant(name, first, found)
        if found.item.item.key and not found.key_texts:
            reading.report(_without_key(reading, found), name)
        return name

    def _variant(self, name: str, first: FoundObject, found: FoundObject) -> str:
        """The same name for what is equal; another one, and a problem, for what is not."""
        variants = self._variants.setdefault(name, {content_of(first): name})
        content = content_of(found)
        if content not in variants:
            variants[content] = f"{name}-{len(variants) + 1}"
            self._reading.report(_collision(self._reading, variants[content], first, found), variants[content])
        return variants[content]


def _without_key(reading: Reading, found: FoundObject) -> Lack:
    item = found.item.item
    reason = f"the :key ({', '.join(item.key)}) has no value here; the object is named by all of its values instead"
    only = item.key[0] if len(item.key) == 1 else None
    return Lack(ProblemKind.NO_KEY, reason, only, item.path, element=reading.place_of(found.element))


def _collision(reading: Reading, variant: str, first: FoundObject, found: FoundObject) -> Lack:
    item, differs = found.item.item, difference(first, found)
    key = f":key ({', '.join(item.key)})"
    if found.key_texts:
        cause = f"the same {key}"
    else:
        cause = f"the same values, and the {key} is empty" if item.key else "the same values, and the item has no :key"
    reason = (
        f"another object of this page has {cause}; they differ in {differs.what}, "
        f"so that this one is named {variant.rpartition('#')[2]}"
    )
    return Lack(ProblemKind.COLLISION, reason, differs.property, item.path, element=reading.place_of(found.element))
