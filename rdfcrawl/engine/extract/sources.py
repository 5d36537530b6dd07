"""Where the raw values of a property stand, once its path has found something: in a text or an attribute, recognised.

A source is chosen once per property, when the model is compiled. One that takes many values from an element returns
them all; ``:multiple`` is about what the path finds, not about what a source makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from rdfcrawl.engine.document.clean_markup import markup_of, markup_of_text
from rdfcrawl.engine.document.stated import json_type_of, language_of
from rdfcrawl.engine.document.tree import Document, Element, Match, attribute_of
from rdfcrawl.engine.extract.recognised import RecognisedText
from rdfcrawl.metamodel.model import Property
from rdfcrawl.rdf import terms

RawValue = tuple[str, Match]
"""A raw value, and the element or string in which it stands."""


Stated = Callable[[Document, Element], str | None]
"""What a document states about the value in an element: its language, or its datatype."""


class PropertySource(Protocol):
    """Takes the raw values of a property from what its path found."""

    @property
    def wanted(self) -> str:
        """What is not there when a property has no value, as the beginning of a sentence."""

    @property
    def emptiness(self) -> str:
        """What is said of a raw value that is empty, as the beginning of a sentence."""

    def values(self, document: Document, match: Match) -> Sequence[RawValue]:
        """The raw values in the order of the document, each with its place; none where the match has none."""

    def absence(self, match: Match) -> str:
        """Why a match has no value, in words."""


class VisibleText:
    """The text that a person sees; a match that is a string is that string."""

    __slots__ = ()
    wanted: Final = "the element"
    emptiness: Final = "the element has no text"

    def values(self, document: Document, match: Match) -> Sequence[RawValue]:
        """The one text, which may be empty."""
        return ((document.text_of(match), match),)

    def absence(self, match: Match) -> str:
        """Every element has a text, even if it is empty."""
        return self.emptiness


class AttributeValue:
    """``:attribute``: the value of an attribute; a match that is a string is that string."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    @classmethod
    def asked_by(cls, prop: Property) -> AttributeValue | None:
        """The attribute that a property names."""
        return None if prop.attribute is None else cls(prop.attribute)

    @property
    def wanted(self) -> str:
        """The attribute."""
        return f"its attribute {self._name}"

    @property
    def emptiness(self) -> str:
        """The attribute is there."""
        return f"its attribute {self._name} is empty"

    def values(self, document: Document, match: Match) -> Sequence[RawValue]:
        """The one value, if the element has the attribute."""
        value = attribute_of(match, self._name)
        return () if value is None else ((value, match),)

    def absence(self, match: Match) -> str:
        """It lacks the attribute."""
        return f"the element has no attribute {self._name}"


class Markup:
    """``rdf:HTML``: the markup of the element without scripts; a text, as JSON has it, is markup itself."""

    __slots__ = ()
    wanted: Final = "the element"
    emptiness: Final = "the element has no markup without scripts"

    @classmethod
    def asked_by(cls, prop: Property) -> Markup | None:
        """Asked for by the datatype."""
        return cls() if prop.datatype == terms.HTML and prop.attribute is None else None

    def values(self, document: Document, match: Match) -> Sequence[RawValue]:
        """The one markup."""
        if isinstance(match, str) or document.is_data(match):
            return ((markup_of_text(document.text_of(match)), match),)
        return ((markup_of(match), match),)

    def absence(self, match: Match) -> str:
        """Every element has some."""
        return self.emptiness


def stated_by(prop: Property) -> Stated | None:
    """What the page is asked about the values of a property besides their text."""
    if prop.language == terms.STATED_LANGUAGE:
        return language_of
    if prop.datatype == terms.ANY_ATOMIC:
        return _datatype_of
    return None


def _datatype_of(document: Document, element: Element) -> str | None:
    stated = json_type_of(document, element)
    return None if stated is None else terms.XSD + stated


def source_of(prop: Property) -> PropertySource:
    """The source that a property asks for; by default its visible text."""
    return next(filter(None, (asked_by(prop) for asked_by in _SOURCES)), VisibleText())


_SOURCES: Final[tuple[Callable[[Property], PropertySource | None], ...]] = (
    AttributeValue.asked_by,
    Markup.asked_by,
    RecognisedText.asked_by,
)
"""The sources that a property can ask for; the first one that it asks for is taken."""
