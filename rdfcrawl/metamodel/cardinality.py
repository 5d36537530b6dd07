"""How many values the objects of a model may have and must have: what its shapes demand and its runs are held to.

Items that share a predicate share these rules, since their objects cannot be told apart by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Item, Model, Property

SHOWN_VALUES: Final = 3
"""How many of the conflicting values a message quotes."""


@dataclass(frozen=True, slots=True)
class ValueRule:
    """The properties that write one predicate, whether every object must have a value of it, and whether only one."""

    properties: tuple[Property, ...]
    is_mandatory: bool
    is_single: bool


def items_by_predicate(model: Model) -> dict[str, list[Item]]:
    """The items of a model by the predicate that leads to their objects."""
    found: dict[str, list[Item]] = {}
    for item in model.items():
        found.setdefault(item.predicate, []).append(item)
    return found


def value_rules(items: Sequence[Item]) -> dict[str, ValueRule]:
    """The rules for objects that may be of any of these items, by the predicate of the values."""
    by_predicate: dict[str, list[Property]] = {}
    for item in items:
        for found in item.properties:
            by_predicate.setdefault(found.predicate, []).append(found)
    return {
        predicate: ValueRule(
            tuple(properties),
            is_mandatory=all(_demands(item, predicate) for item in items),
            is_single=len(properties) == 1 and properties[0].is_single,
        )
        for predicate, properties in by_predicate.items()
    }


def single_valued(model: Model) -> dict[str, frozenset[str]]:
    """For each predicate that leads to objects, the predicates of which these may have one value only."""
    return {
        predicate: frozenset(written for written, rule in value_rules(items).items() if rule.is_single)
        for predicate, items in items_by_predicate(model).items()
    }


def _demands(item: Item, predicate: str) -> bool:
    return any(found.predicate == predicate and not found.optional for found in item.properties)


def conflict_reason(shown: Sequence[str], count: int) -> str:
    """A sentence about ``count`` values of a property that is to have one, of which ``shown`` are the first."""
    values = ", ".join(shown) + (", …" if count > len(shown) else "")
    return f"the object has {count} values of a property that is not :multiple: {values}; all of them are kept"
