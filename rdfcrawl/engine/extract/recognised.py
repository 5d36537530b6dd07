"""``:recognise``: what a recogniser finds in the text that a path leads to, and what a page mentions altogether.

Mentions are no part of the run's graph: a name that stands on a page twice is one value and two mentions. They travel
beside the triples, one statement for each page, and become ``<derived://ID>`` at the end of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final

from rdfcrawl.engine.document.lines import lines_of
from rdfcrawl.engine.document.tree import Document, Element, Match
from rdfcrawl.metamodel.model import Property
from rdfcrawl.rdf import ntriples
from rdfcrawl.recognise.finds import Find, Recogniser
from rdfcrawl.recognise.lines import MOST_CHARACTERS, Line, plain_lines, searched
from rdfcrawl.recognise.mentions import MENTIONS, Mention, PageMentions

_PERSONS: Final = ("recognise://person", "recognise://personBySets")


class FoundText(str):
    """A raw value that knows how it was recognised."""

    __slots__ = ("how", "is_person")
    how: Find
    is_person: bool

    @classmethod
    def of(cls, find: Find, *, is_person: bool) -> FoundText:
        """The value of a find."""
        text = cls(find.value)
        text.how = find
        text.is_person = is_person
        return text


class _SearchedPage:
    """A document searched as a whole: a row of a table is judged by all the other rows, whatever a path finds."""

    __slots__ = ("_finds", "_words", "document", "elements", "unsearched")

    def __init__(self, document: Document, using: Recogniser) -> None:
        self.document = document
        everything, self.elements = lines_of(document.root)
        lines = searched(everything)
        self.unsearched = _characters(everything[len(lines) :])
        self._finds: dict[Element, list[tuple[int, Find]]] = {}
        for number, find in enumerate(using.finds(lines, reasons=document.explains)):
            self._finds.setdefault(self.elements[find.where], []).append((number, find))
        self._words: dict[Element, int] = {}
        for line in lines:
            for piece in line.pieces:
                element = self.elements[piece.where]
                self._words[element] = self._words.get(element, 0) + len(piece.text.split())

    def inside(self, match: Element) -> list[Find]:
        """The finds that begin and end inside an element, in the order of the page."""
        inside = set(match.iter())
        found = [one for element in inside if element in self._finds for one in self._finds[element]]
        return [find for _, find in sorted(found, key=itemgetter(0)) if self.elements[find.until] in inside]

    def words(self, match: Element) -> int:
        """How many words stand inside an element."""
        return sum(self._words.get(element, 0) for element in match.iter())


def _characters(lines: Iterable[Line]) -> int:
    return sum(line.characters for line in lines)


class RecognisedText:
    """Every find in the text of an element is a value; a match that is a string is searched itself."""

    __slots__ = ("_page", "_recogniser", "finds_people")

    def __init__(self, prop: Property) -> None:
        assert prop.recognise is not None
        # Most models name none, and their workers need not import what finds people.
        from rdfcrawl.recognise.recognisers import recogniser

        self._recogniser = recogniser(prop.recognise, prop.names)
        self._page: _SearchedPage | None = None
        self.finds_people = prop.recognise in _PERSONS
        if prop.names is not None:
            # A list that cannot be read must not wait for the first page.
            self._recogniser.finds([])

    @classmethod
    def asked_by(cls, prop: Property) -> RecognisedText | None:
        """The recogniser that a property names."""
        return None if prop.recognise is None else cls(prop)

    @property
    def wanted(self) -> str:
        """What is looked for."""
        return self._recogniser.what

    @property
    def emptiness(self) -> str:
        """A find is never empty."""
        return f"{self._recogniser.what} is empty"

    def values(self, document: Document, match: Match) -> Sequence[tuple[str, Match]]:
        """The finds in the order of the page, each with the element in which it begins."""
        people = self.finds_people
        if isinstance(match, str):
            finds = self._recogniser.finds(plain_lines(match), reasons=document.explains)
            return [(FoundText.of(find, is_person=people), match) for find in finds]
        page = self._searched(document)
        return [(FoundText.of(find, is_person=people), page.elements[find.where]) for find in page.inside(match)]

    def absence(self, match: Match) -> str:
        """It was not found."""
        return f"{self._recogniser.what} was not found in the text"

    def words(self, document: Document, match: Match) -> int:
        """How many words the searched text has."""
        return len(match.split()) if isinstance(match, str) else self._searched(document).words(match)

    def unsearched(self, document: Document, match: Match) -> int:
        """How many characters of the page, or of a text, come after those that are searched."""
        if isinstance(match, str):
            lines = plain_lines(match) if len(match) > MOST_CHARACTERS else []
            return _characters(lines[len(searched(lines)) :])
        return self._searched(document).unsearched

    def _searched(self, document: Document) -> _SearchedPage:
        if self._page is None or self._page.document is not document:
            self._page = _SearchedPage(document, self._recogniser)
        return self._page


class MentionLog:
    """The names that one document mentions, and how many words were searched for them."""

    __slots__ = ("_searched", "mentions", "unsearched")

    def __init__(self) -> None:
        self.mentions: dict[tuple[str, str, str], Mention] = {}
        self.unsearched = 0
        self._searched: dict[Element | str, int] = {}

    def note_search(self, source: object, document: Document, match: Match) -> None:
        """Note that a text was searched for people; one that two properties search counts once."""
        if not isinstance(source, RecognisedText):
            return
        self.unsearched = max(self.unsearched, source.unsearched(document, match))
        if source.finds_people and match not in self._searched:
            self._searched[match] = source.words(document, match)

    def add(self, text: str, predicate: str, subject: str, find: Find) -> None:
        """Note a name of an object."""
        key = (text, predicate, subject)
        known = self.mentions.get(key)
        facts = find.facts if known is None else known.facts
        excerpt = find.excerpt if known is None else known.excerpt
        count = 1 if known is None else known.times + 1
        self.mentions[key] = Mention(text, predicate, subject, count, facts, excerpt)

    def statement(self, page: str, kind: str) -> str | None:
        """All of it as one statement without its final dot; nothing where no text was searched."""
        if not self._searched:
            return None
        said = PageMentions(page, kind, sum(self._searched.values()), tuple(self.mentions.values()))
        return f"{ntriples.iri(page)} {MENTIONS} {ntriples.literal(said.packed())}"
