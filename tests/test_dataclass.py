"""Our dataclasses are those of the standard library, only that their methods are written later."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any, ClassVar

import pytest

from rdfcrawl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A frozen record."""

    kind: ClassVar[str] = "point"
    x: int
    y: int = 0
    tags: Sequence[str] = ()
    notes: list[str] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NamedPoint(Point):
    """A record with the fields of another one."""

    name: str = field(default="", kw_only=True)


@dataclass(slots=True)
class Counter:
    """A record that changes."""

    count: int = 0
    seen: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cached:
    """A record that computes a field, and has its own hash."""

    text: str
    length: int = field(init=False, compare=False, default=-1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.text))

    def __hash__(self) -> int:
        return 7


@dataclass(frozen=True, slots=True, eq=False)
class Itself:
    """A record that equals nothing else."""

    x: int


@dataclass(frozen=True, slots=True)
class Empty:
    """A record without fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A record whose values are named."""

    depth: int = 1
    name: str


RECORDS = (Point, NamedPoint, Counter, Cached, Itself, Empty, Options)


def made_by_library(record: type) -> Any:
    """The same fields, described to the standard library alone."""
    known: Any = record
    body: dict[str, Any] = {"__annotations__": {one.name: one.type for one in fields(known)}, "__doc__": ""}
    return dataclasses.dataclass(frozen=True)(
        type(record.__name__, (), body | {one.name: one for one in fields(known)})
    )


@pytest.mark.parametrize("record", RECORDS)
def test_records_take_the_same_arguments(record: Any) -> None:
    """What a call may say does not depend on who wrote the method."""
    with pytest.raises(TypeError):
        record(1, 2, 3, 4, 5, 6, 7)
    theirs = inspect.signature(made_by_library(record)).parameters.values()
    ours = inspect.signature(record).parameters.values()
    assert [(one.name, one.kind) for one in ours] == [(one.name, one.kind) for one in theirs]
    assert [one.default is inspect.Parameter.empty for one in ours] == [
        one.default is inspect.Parameter.empty for one in theirs
    ]


def test_records_equal_what_has_the_same_values() -> None:
    """Fields that do not count make no difference; a record of another class is another one."""
    assert Point(1, notes=["a"]) == Point(1, 0, (), ["b"])
    assert Point(1) != Point(2)
    assert Point(1) != NamedPoint(1)
    assert hash(Point(1, notes=["a"])) == hash(Point(1))
    assert {Point(1): "one"}[Point(1)] == "one"
    assert Itself(1) != Itself(1)
    assert len({Itself(1), Itself(1)}) == 2
    assert hash(Cached("x")) == 7
    assert Empty() == Empty()


def test_a_record_that_changes_has_no_hash() -> None:
    """It could not be found again."""
    counter = Counter()
    counter.count = 2
    assert counter == Counter(2)
    assert Counter().seen is not Counter().seen
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


@pytest.mark.parametrize("change", [lambda point: setattr(point, "x", 2), lambda point: delattr(point, "x")])
def test_a_frozen_record_does_not_change(change: Callable[[Point], None]) -> None:
    """Neither by setting nor by deleting."""
    point = NamedPoint(1, name="a")
    with pytest.raises(FrozenInstanceError):
        change(point)
    assert point.x == 1


def test_records_are_shown_by_their_fields() -> None:
    """All but those that are left out."""
    assert repr(NamedPoint(1, name="a")) == "NamedPoint(x=1, y=0, tags=(), name='a')"
    assert repr(Empty()) == "Empty()"


def test_the_functions_of_the_library_know_records() -> None:
    """What replaces values, copies and tells fields does so."""
    point = NamedPoint(1, name="a")
    assert replace(point, x=5) == NamedPoint(5, name="a")
    assert asdict(point) == {"x": 1, "y": 0, "tags": (), "notes": [], "name": "a"}
    assert [one.name for one in fields(NamedPoint)] == ["x", "y", "tags", "notes", "name"]
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point
    assert replace(Cached("ab"), text="abc").length == 3
    match point:
        case Point(x, y):
            assert (x, y) == (1, 0)
    assert not hasattr(point, "__dict__")
    assert point.kind == "point"


def test_a_method_is_written_once() -> None:
    """The second call finds what the first one has written."""

    @dataclass(frozen=True, slots=True)
    class Fresh:
        """A record that nobody has made yet."""

        x: int

    before = Fresh.__init__
    Fresh(1)
    written = Fresh.__init__
    Fresh(2)
    assert written is not before
    assert Fresh.__init__ is written
