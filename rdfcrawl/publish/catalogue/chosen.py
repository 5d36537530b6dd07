"""Some objects of a class: which a wish chooses, a page of them in order, and what they can be chosen by further."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import cache, partial
from itertools import compress, islice

from rdfcrawl.publish.catalogue.catalogue import (
    PAGE_SIZE,
    Catalogue,
    Choices,
    Facet,
    Histogram,
    Listing,
    page_count,
)
from rdfcrawl.publish.catalogue.columns import folded, whole_text
from rdfcrawl.publish.catalogue.numbers import as_bound, as_number, as_text, is_measured, just_below
from rdfcrawl.publish.catalogue.pieces import bounds_of
from rdfcrawl.publish.catalogue.sets import everything, mask_of, set_of
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.schema import ObjectClass, PropertyColumn

Having = Callable[[Sequence[str], str, str], Iterable[str]]
"""Those of some objects that have exactly this value of a property."""


class ChosenObjects:
    """The objects of a class that a wish is about.

    What the catalogue does not know, the store says: ``among`` are lists of IRIs that they must be among, ``having``
    looks at their values.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        shown: ObjectClass,
        wish: Wish,
        among: Sequence[Sequence[str]] = (),
        having: Having = lambda objects, *_: objects,
    ) -> None:
        self._catalogue, self.shown, self._wish = catalogue, shown, wish
        self._among, self._having = among, having
        self._class = catalogue.of_class(shown.predicate)
        # A column is often chosen by, ordered by and drawn for the same page.
        self._order = cache(partial(catalogue.order, self._class))
        self.total = self._class.objects
        counts = tuple(map(len, among))
        self._key = self._class.number, replace(wish, sort="", descending=False, page=1), counts
        is_whole = not wish.is_filter
        chosen = everything(self.total) if is_whole else catalogue.known_sets.find(self._key, self._chosen)
        self.found = chosen.bit_count()
        self._set = chosen
        self._filter = None if is_whole else chosen

    def page(self) -> Listing:
        """The page of the table that is wanted."""
        page = min(max(1, self._wish.page), page_count(self.found, PAGE_SIZE))
        return Listing(self.objects(PAGE_SIZE, (page - 1) * PAGE_SIZE), self.found, self.total, page)

    def objects(self, at_most: int, start: int = 0) -> list[str]:
        """The chosen objects in order, a part of them; those without a value in the ordering column come last."""
        places = islice(self._in_order(start), at_most)
        return self._catalogue.iris([self._class.first + place for place in places])

    def choices(self) -> Choices:
        """What the chosen objects can be chosen by further."""
        if not self.found:
            return Choices()
        return self._catalogue.known_choices.find(self._key, lambda: Choices(self._facets(), self._histograms()))

    def _in_order(self, start: int) -> Iterator[int]:
        column = next((one for one in self.shown.columns if one.predicate == self._wish.sort), self.shown.key)
        number = self._catalogue.property(self._class, column.predicate) if column else None
        if number is None:
            return islice(compress(range(self.total), mask_of(self._set, self.total)), start, None)
        return self._order(number).in_order(self._filter, self._wish.descending, start)

    def _facets(self) -> list[Facet]:
        """The columns with few values, and how often each occurs among the chosen objects."""
        found = []
        for column in self.shown.columns:
            number = self._catalogue.property(self._class, column.predicate)
            known = self._catalogue.facets(number) if number is not None else []
            counts = [(text, (objects & self._set).bit_count()) for text, _, objects in known]
            if values := sorted(((text, count) for text, count in counts if count), key=lambda one: (-one[1], one[0])):
                found.append(Facet(column, values))
        return found

    def _histograms(self) -> list[Histogram]:
        """The columns of numbers and dates, and how the chosen objects are spread over them."""
        found = (self._histogram(column) for column in self.shown.columns if is_measured(column.datatype))
        return [one for one in found if one is not None]

    def _histogram(self, column: PropertyColumn) -> Histogram | None:
        number = self._catalogue.property(self._class, column.predicate)
        kind = column.datatype

        def said(bound: float) -> float:
            stated = as_number(as_text(bound, kind), kind)
            return bound if stated is None else stated

        found = self._order(number).spread(self._filter, said) if number is not None else None
        if found is None:
            return None
        # Rounded outwards, so that the first and the last bar include the least and the greatest value.
        least, greatest = as_text(found.least, kind, ROUND_FLOOR), as_text(found.greatest, kind, ROUND_CEILING)
        bounds = [as_text(bound, kind) for bound in bounds_of(found.least, found.greatest)[1:-1]]
        highs = [just_below(bound, kind) if count else bound for bound, count in zip(bounds, found.bars, strict=False)]
        bars = zip([least, *bounds], [*highs, greatest], found.bars, strict=True)
        return Histogram(column, least, greatest, list(bars))

    def _chosen(self) -> int:
        chosen = everything(self.total)
        for condition in self._conditions():
            chosen &= condition
        return chosen

    def _conditions(self) -> Iterator[int]:
        wish, size = self._wish, self.total
        if wish.within and (inside := self._catalogue.inside(self._class, wish.within)) is not None:
            yield inside
        for iris in self._among:
            yield set_of(self._catalogue.places(self._class, iris), size)
        for predicate, text in wish.values:
            yield self._with_value(predicate, text)
        kinds = {column.predicate: column.datatype for column in self.shown.columns}
        for span in wish.ranges:
            kind = kinds.get(span.predicate, "")
            least = as_bound(span.least, kind) if span.least else None
            greatest = as_bound(span.greatest, kind, is_greatest=True) if span.greatest else None
            number = self._catalogue.property(self._class, span.predicate)
            if number is not None and (least is not None or greatest is not None):
                yield self._order(number).between(least, greatest)
        if wish.text:
            columns = [wish.column] if wish.column in kinds else [*kinds]
            wanted = folded(wish.text)
            yield set_of((place for one in columns for place in self._with_text(one, wanted)), size)

    def _with_value(self, predicate: str, text: str) -> int:
        number = self._catalogue.property(self._class, predicate)
        known = self._catalogue.facets(number) if number is not None else []
        if known:
            return next((objects for value, _, objects in known if value == text), 0)
        # The texts are kept without case: whoever has this one, has it perhaps in another.
        places = list(dict.fromkeys(self._with_text(predicate, whole_text(text))))
        alike = self._catalogue.iris([self._class.first + place for place in places])
        return set_of(self._catalogue.places(self._class, [*self._having(alike, predicate, text)]), self.total)

    def _with_text(self, predicate: str, wanted: bytes) -> Iterator[int]:
        number = self._catalogue.property(self._class, predicate)
        for block in self._catalogue.blocks(number) if number is not None else ():
            for found in block.matches(wanted):
                yield block.objects[found]
