"""What different pages say about one object, looked at when the run has all of it."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.conflicts import find_conflicts
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.model import Item, Model, ObjectPage, ObjectsPage, Page, Property

START = "http://site.example/"
ADA = "http://site.example/ada"
NAME = Property("property://name", "./a")
ROLE = Property("property://role", "./i", multiple=True)
CAST = ObjectsPage(iri="page://cast", item=Item("item://role", "//li", (NAME, ROLE), id_path="./a"))


def conflicts(
    *triples: str, pages: tuple[Page, ...] = (CAST,), known: tuple[tuple[str, str], ...] = ()
) -> list[Problem]:
    """The conflicts in these triples, each repeated and all of them sorted, as a journal's might be."""
    lines = sorted(f"{triple} <run://1> .".encode() for triple in (*triples, *triples))
    return list(find_conflicts(lambda: iter(lines), Model((), {page.iri: page for page in pages}, ""), known))


def edge(predicate: str, target: str = ADA) -> str:
    return f"<{START}> <{predicate}> <{target}>"


def value(predicate: str, text: str, subject: str = ADA) -> str:
    return f'<{subject}> <{predicate}> "{text}"'


def test_several_values_where_one_is_allowed_are_a_conflict() -> None:
    """It names the object, the property and the values; what is :multiple may have as many as it likes."""
    found = conflicts(
        edge("item://role"),
        value("property://name", "Ada"),
        value("property://name", "A. Young"),
        value("property://role", "Mother"),
        value("property://role", "Queen"),
    )
    reason = 'the object has 2 values of a property that is not :multiple: "A. Young", "Ada"; all of them are kept'
    assert found == [Problem(ProblemKind.CONFLICT, ADA, "page://cast", reason, ADA, "property://name")]


def test_one_value_is_none() -> None:
    """However often it was read; neither are equal values of different objects."""
    ben = "http://site.example/ben"
    assert not conflicts(
        edge("item://role"),
        edge("item://role", ben),
        value("property://name", "Ada"),
        value("property://name", "Ada", ben),
    )


def test_of_many_values_some_are_said() -> None:
    """And how many there are."""
    (found,) = conflicts(edge("item://role"), *(value("property://name", f"Ada {number}") for number in range(9)))
    assert found.reason.startswith('the object has 9 values of a property that is not :multiple: "Ada 0", "Ada 1", ')
    assert '"Ada 2", …;' in found.reason


def test_what_is_known_is_not_told_again() -> None:
    """A document that contradicts itself has said so; two properties that write one predicate are one here."""
    person = ObjectPage(
        iri="page://ada", item=Item("item://person", "//main", (Property("property://title", "./h1", alias=NAME.iri),))
    )
    triples = (edge("item://role"), value("property://name", "Ada"), value("property://name", "A. Young"))
    for known in ("property://name", "property://title"):
        assert not conflicts(*triples, pages=(CAST, person), known=((ADA, known),))
    assert conflicts(*triples, pages=(CAST, person), known=(("http://site.example/ben", "property://name"),))


@pytest.mark.parametrize(("leading", "count"), [("item://role", 0), ("item://person", 1), ("item://unknown", 0)])
def test_the_classes_that_lead_to_an_object_decide(leading: str, count: int) -> None:
    """As in the shapes: two classes may write the same predicate, one of them several times."""
    person = ObjectPage(
        iri="page://ada", item=Item("item://person", "//main", (Property("property://t", "./h1", alias=ROLE.iri),))
    )
    triples = (edge(leading), value("property://role", "Mother"), value("property://role", "Queen"))
    found = conflicts(*triples, pages=(CAST, person))
    assert [(problem.page, problem.property) for problem in found] == [("page://ada", "property://t")] * count


def test_an_object_of_a_list_is_looked_for_at_the_list() -> None:
    """Its address is that of the list's first page."""
    subject = f"{START}list#0123"
    (found,) = conflicts(
        edge("item://role", subject), value("property://name", "A", subject), value("property://name", "B", subject)
    )
    assert (found.address, found.subject) == (f"{START}list", subject)


def test_values_may_be_anything() -> None:
    """Spaces, quotes, dots and addresses do not confuse where a value ends."""
    found = conflicts(
        edge("item://role"),
        f'<{ADA}> <property://name> "a \\"b\\" . <c> "@en',
        f"<{ADA}> <property://name> <http://site.example/x>",
    )
    assert [problem.reason.partition(": ")[2] for problem in found] == [
        '"a \\"b\\" . <c> "@en, <http://site.example/x>; all of them are kept'
    ]


def test_the_lines_are_read_once_where_nothing_is_to_be_found() -> None:
    """The second look is for the classes of what was found."""
    opened: list[None] = []

    def lines() -> list[bytes]:
        opened.append(None)
        return [f"{edge('item://role')} .".encode(), f"{value('property://name', 'Ada')} .".encode()]

    assert list(find_conflicts(lines, Model((), {CAST.iri: CAST}, ""))) == []
    assert len(opened) == 1
