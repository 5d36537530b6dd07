"""What a request for a table asks for, and the addresses of the same table in another way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.catalogue.wishes import Between, Wish
from rdfcrawl.publish.catalogue.words import LONGEST_SEARCH
from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.web.site import number

_MOST_CONDITIONS: Final = 20


def wish_of(asked: QueryParams, shown: ObjectClass) -> Wish:
    """What a request wants to see; ``is``, ``from`` and ``to`` name a property and, after a space, a value."""
    known = {column.predicate for column in shown.columns}
    values = [(name, text) for name, text in _pairs(asked.getlist("is")) if name in known]
    least, greatest = ({**dict(_pairs(asked.getlist(end))), **_typed(asked, end)} for end in ("from", "to"))
    ranges = [
        Between(name, least.get(name) or None, greatest.get(name) or None)
        for name in dict.fromkeys((*least, *greatest))
        if name in known and (least.get(name) or greatest.get(name))
    ]
    return Wish(
        text=asked.get("q", "").strip()[:LONGEST_SEARCH],
        column=asked.get("column", ""),
        sort=asked.get("sort", ""),
        descending=asked.get("order") == "desc",
        within=asked.get("within", ""),
        page=number(asked.get("page")),
        values=tuple(values),
        ranges=tuple(ranges),
        link=next((pair for pair in _pairs(asked.getlist("with")) if all(map(node_of, pair))), None),
    )


def _pairs(given: Iterable[str]) -> Iterable[tuple[str, str]]:
    for one in list(given)[:_MOST_CONDITIONS]:
        name, _, value = one.partition(" ")
        yield name, value


def _typed(asked: QueryParams, end: str) -> dict[str, str]:
    """The bounds that were typed into a form, which cannot write a property and a value into one field."""
    numbered = [(name.partition("-")[2], value) for name, value in asked.items() if name.startswith("range-")]
    return {value: asked.get(f"{end}-{number}", "").strip() for number, value in numbered[:_MOST_CONDITIONS]}


@dataclass(frozen=True, slots=True)
class TableLinks:
    """The addresses of a table: in another order, at another page, with a condition more or less, as a file."""

    shown: ObjectClass
    wish: Wish

    def sorted_by(self, predicate: str) -> str:
        """The table ordered by a column; in reverse if it is already ordered by that column."""
        descending = predicate == self.wish.sort and not self.wish.descending
        return self._address(replace(self.wish, sort=predicate, descending=descending, page=1))

    def direction(self, predicate: str) -> str:
        """How the table is ordered by a column, in the words of ``aria-sort``."""
        if predicate != self.wish.sort:
            return "none"
        return "descending" if self.wish.descending else "ascending"

    def page(self, page: int) -> str:
        """Another page of the same table."""
        return self._address(replace(self.wish, page=page))

    def with_value(self, predicate: str, text: str) -> str:
        """Only objects with this value as well; all again where that is the case already."""
        had = (predicate, text) in self.wish.values
        values = tuple(one for one in self.wish.values if one != (predicate, text))
        return self._address(replace(self.wish, values=values if had else (*values, (predicate, text)), page=1))

    def with_range(self, predicate: str, least: str | None, greatest: str | None) -> str:
        """Only objects whose value is between these; without any, all again."""
        others = tuple(one for one in self.wish.ranges if one.predicate != predicate)
        span = (Between(predicate, least, greatest),) if least or greatest else ()
        return self._address(replace(self.wish, ranges=(*others, *span), page=1))

    def as_file(self, suffix: str) -> str:
        """Everything that the table shows, on all its pages."""
        return self._address(replace(self.wish, page=1), f"/class.{suffix}")

    def has_value(self, predicate: str, text: str) -> bool:
        """Whether only objects with this value are shown."""
        return (predicate, text) in self.wish.values

    def fields(self, *without: str) -> list[tuple[str, str]]:
        """What a form must send to keep the rest of what is shown."""
        return [(name, value) for name, value in self._options(replace(self.wish, page=1)) if name not in without]

    def _address(self, wish: Wish, path: str = "/class") -> str:
        return f"{path}?{urlencode(self._options(wish))}"

    def _options(self, wish: Wish) -> list[tuple[str, str]]:
        options = [
            ("item", self.shown.predicate),
            ("q", wish.text),
            ("column", wish.column),
            ("sort", wish.sort),
            ("order", "desc" if wish.descending else ""),
            ("within", wish.within),
            ("with", " ".join(wish.link or ())),
            ("page", str(wish.page) if wish.page > 1 else ""),
            *(("is", f"{name} {text}") for name, text in wish.values),
            *(("from", f"{one.predicate} {one.least}") for one in wish.ranges if one.least),
            *(("to", f"{one.predicate} {one.greatest}") for one in wish.ranges if one.greatest),
        ]
        return [(name, value) for name, value in options if value]
