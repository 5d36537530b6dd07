"""Any model, any page: right or reported, and nothing is merged silently."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rdfcrawl.engine.conflicts import find_conflicts
from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.extract.extraction import Extraction, Trace
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import Item, Model, ObjectPage, ObjectsPage, Page, Property
from tests.conformance import unexplained

ADDRESS = "http://site.example/page"
ANYWHERE = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@dataclass(frozen=True)
class Element:
    """A root element: its number on the page, its page of the model, its texts, where it links, what is in it."""

    number: int
    page: Page
    texts: tuple[tuple[Property, str], ...]
    href: str | None
    inside: tuple[Element, ...]

    @property
    def item(self) -> Item:
        assert self.page.item is not None
        return self.page.item

    def html(self) -> str:
        link = "" if self.href is None else f"<a href='{self.href}'>link</a>"
        texts = "".join(f"<b class='{prop.iri[-1]}'>{text}</b>" for prop, text in self.texts)
        name = self.item.iri[-1]
        return f"<div class='{name}' id='{self.number}'>{link}{texts}{''.join(one.html() for one in self.inside)}</div>"

    def values(self) -> frozenset[tuple[str, str]]:
        """The predicates and texts that it must bring."""
        found = set()
        for prop in self.item.properties:
            texts = [text for one, text in self.texts if one is prop]
            for text in texts if prop.multiple else texts[:1]:
                if final := text[:1] if prop.pattern else text:
                    found.add((prop.predicate, final))
        return frozenset(found)

    def raw(self) -> list[tuple[str, str]]:
        found = []
        for prop in self.item.properties:
            texts = [(prop.iri, text) for one, text in self.texts if one is prop]
            found += texts if prop.multiple else texts[:1]
        return found

    def is_keyed(self) -> bool:
        """Whether a property of its key has a text; the first character of one is left by every pattern."""
        return any(text for iri, text in self.raw() if iri in self.item.key)

    def content(self) -> tuple[Any, ...]:
        """Everything that it says, without names."""
        nested = frozenset((one.item.predicate, one.content()) for one in self.written())
        address = self.href or None if self.item.id_path else None
        return address, self.item.rdf_class, self.values(), nested

    def written(self) -> list[Element]:
        """What is in it, as far as it has a value; a nested page of type:object is its first element."""
        kept = [one for one in self.inside if isinstance(one.page, ObjectsPage)]
        singles = {one.page.iri: one for one in reversed(self.inside) if isinstance(one.page, ObjectPage)}
        return [one for one in (*kept, *singles.values()) if one.values()]

    def all(self) -> list[Element]:
        """Itself and everything that is read inside it."""
        return [self, *(below for one in self.written() for below in one.all())]


@st.composite
def properties(draw: st.DrawFn) -> list[Property]:
    """Three properties that every item may have; two of them may write the same predicate."""
    flags = st.booleans()
    return [
        Property(
            f"property://{name}",
            f"./b[@class='{name}']",
            optional=draw(flags),
            multiple=draw(flags),
            pattern="^." if draw(flags) else None,
            alias=draw(st.sampled_from([None, None, "schema:name"])),
        )
        for name in "xyz"
    ]


@st.composite
def pages(draw: st.DrawFn) -> list[Page]:
    """A page with one or two nested in it, or one in the other."""
    pool = draw(properties())
    nesting = draw(st.sampled_from([((),), ((1,), ()), ((1, 2), (), ()), ((1,), (2,), ())]))
    found: list[Page] = []
    for number, subs in enumerate(nesting):
        kind = draw(st.sampled_from([ObjectsPage, ObjectsPage, ObjectPage]))
        own = tuple(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True)))
        is_the_page = kind is ObjectPage and number == 0
        path = f"/html/body/div[@class='{number}']" if number == 0 else f"./div[@class='{number}']"
        item = Item(
            f"item://{number}",
            path,
            own,
            id_path="./a" if not is_the_page and draw(st.booleans()) else None,
            key=tuple(prop.iri for prop in own if draw(st.booleans())),
            rdf_class=draw(st.sampled_from([None, None, "schema:Thing"])),
            alias=draw(st.sampled_from([None, None, "schema:part"])),
        )
        found.append(kind(iri=f"page://{number}", item=item, subs=tuple(f"page://{sub}" for sub in subs)))
    return found


@st.composite
def elements(draw: st.DrawFn, model: list[Page], number: int, count: list[int]) -> list[Element]:
    """Root elements of a page of the model, few texts and addresses, so that they repeat."""
    page = model[number]
    assert page.item is not None
    found = []
    for _ in range(draw(st.integers(0, 3 if number else 5))):
        count[0] += 1
        own = count[0]
        text = st.tuples(st.sampled_from(page.item.properties), st.sampled_from(["a", "a1", "b", ""]))
        texts = draw(st.lists(text, min_size=draw(st.sampled_from([0, 1, 1, 2])), max_size=4))
        href = draw(st.sampled_from([None, "", "#", "#a", "/other", "/other#a"])) if page.item.id_path else None
        inside = [one for sub in page.subs for one in draw(elements(model, int(sub[-1]), count))]
        found.append(Element(own, page, tuple(texts), href, tuple(inside)))
    return found


@dataclass(frozen=True)
class Read:
    """A page that was read: its elements, the name of each, and what came of it."""

    model: Model
    elements: tuple[Element, ...]
    names: dict[int, str]
    extraction: Extraction

    def all(self) -> list[Element]:
        """Every element that is an object."""
        is_list = isinstance(self.model.pages["page://0"], ObjectsPage)
        tops = self.elements if is_list else self.elements[:1]
        return [below for one in tops if one.values() for below in one.all()]

    def is_hashed(self, element: Element) -> bool:
        """Whether its values name an element."""
        is_the_page = isinstance(element.page, ObjectPage) and element.page.iri == "page://0"
        return not is_the_page and not (element.item.id_path and element.href)

    def triples(self) -> list[str]:
        section = "<http://site.example/>"
        return [*self.extraction.triples, *(f"{section} {edge} {name}" for edge, name in self.extraction.tops)]


@st.composite
def read_pages(draw: st.DrawFn) -> Read:
    model_pages = draw(pages())
    model = Model((), {page.iri: page for page in model_pages}, "")
    found = draw(elements(model_pages, 0, [0]))
    html = f"<!doctype html><title>Page</title><body>{''.join(one.html() for one in found)}"
    traces: list[Trace] = []
    document = parse(html.encode(), ADDRESS, "text/html; charset=utf-8")
    extraction = extract(build_plan(model).pages["page://0"], document, traces)
    names = {int(trace.root.get("id") or 0): trace.subject for trace in traces}
    return Read(model, tuple(found), names, extraction)


@ANYWHERE
@given(read_pages())
def test_nothing_that_differs_is_merged_silently(read: Read) -> None:
    """Objects named by their values have one name exactly if they are the same; a number in a name is a problem."""
    by_name = defaultdict(set)
    for one in read.all():
        if read.is_hashed(one):
            by_name[read.names[one.number]].add(one.content())
    assert {name: len(contents) for name, contents in by_name.items() if len(contents) > 1} == {}
    numbered = {name for name in by_name if "-" in name.rpartition("#")[2]}
    problems = read.extraction.problems
    assert numbered == {problem.subject for problem in problems if problem.kind is ProblemKind.COLLISION}


@ANYWHERE
@given(read_pages())
def test_equal_objects_are_one(read: Read) -> None:
    """Elements with the same texts and the same content, in the same object, have the same name."""
    names = defaultdict(set)

    def visit(one: Element, holder: str) -> None:
        names[holder, one.item.iri, tuple(one.raw()), one.content()].add(read.names[one.number])
        for below in one.written():
            visit(below, read.names[one.number])

    for top in (one for one in read.elements if one.number in read.names and one.values()):
        visit(top, "")
    assert [found for found in names.values() if len(found) > 1] == []


@ANYWHERE
@given(read_pages())
def test_a_key_holds_inside_the_object_around_it(read: Read) -> None:
    """Keyed objects that are nested in different objects have different names, unless both are the page's own."""
    holders = defaultdict(set)
    for one in read.all():
        is_the_page = isinstance(one.page, ObjectPage) and one.page.iri == "page://0"
        for below in one.written():
            if read.is_hashed(below) and below.is_keyed() and not is_the_page:
                holders[read.names[below.number]].add(read.names[one.number])
    assert [names for names in holders.values() if len(names) > 1] == []


@ANYWHERE
@given(read_pages())
def test_objects_without_key_are_named_by_their_raw_texts(read: Read) -> None:
    """Byte for byte as ever; so are those whose key is empty, and that is a problem."""
    without_key = set()
    for one in read.all():
        if not read.is_hashed(one):
            continue
        name = read.names[one.number]
        if not one.is_keyed():
            assert name.split("-")[0] == f"{ADDRESS}#{object_hash(one.raw())}"
            if one.item.key:
                without_key.add(name)
    problems = read.extraction.problems
    assert without_key == {problem.subject for problem in problems if problem.kind is ProblemKind.NO_KEY}


@settings(ANYWHERE, max_examples=30)
@given(read_pages())
def test_the_data_is_what_its_shapes_promise_or_a_problem_says_why_not(read: Read) -> None:
    """No text is empty, nothing mandatory is missing, nothing is there twice that is to be there once."""
    problems = read.extraction.problems
    reported = [(problem.kind.value, problem.subject, problem.property) for problem in problems]
    assert unexplained(read.model, read.triples(), reported) == []
    assert [triple for triple in read.triples() if triple.endswith(' ""')] == []


@ANYWHERE
@given(read_pages())
def test_a_document_tells_all_of_its_conflicts(read: Read) -> None:
    """Looking at its triples afterwards finds the same ones."""
    lines = sorted(f"{triple} .".encode() for triple in read.triples())
    conflicts = [problem for problem in read.extraction.problems if problem.kind is ProblemKind.CONFLICT]
    known = [(problem.subject or "", problem.property or "") for problem in conflicts]
    afterwards = list(find_conflicts(lambda: lines, read.model))
    assert {problem.subject for problem in afterwards} == {subject for subject, _ in known}
    assert list(find_conflicts(lambda: lines, read.model, known)) == []
