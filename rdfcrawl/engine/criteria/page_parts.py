"""The parts of a page and of the links on it, as criteria see them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Final
from urllib.parse import unquote

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.criteria.part_text import PartText
from rdfcrawl.engine.document.files.file_text import FileText
from rdfcrawl.engine.document.lines import lines_of
from rdfcrawl.engine.document.text import visible_blocks
from rdfcrawl.engine.document.tree import Document, Element
from rdfcrawl.metamodel.criteria import ADDRESS, ANCHOR, ANCHORS, CONTEXT, HEAD, HEADINGS, TEXT

ANCHOR_END: Final = "\x1f"
"""What stands between the texts of several links; no text of a page has it once white space is collapsed."""
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_ENTRIES: Final = frozenset(("li", "tr", "dd", "dt", "p"))
"""The elements whose text is the context of a link in them; elsewhere its line is."""
_MOST_AROUND: Final = 300
"""How many elements of an entry or a row are looked at: one may contain half of the page."""
_LONGEST_CONTEXT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is known of a page before its content is: the texts of the links that led to it, and its type of file."""

    anchors: tuple[str, ...] = ()
    file_type: str | None = None


def joined_anchors(texts: Collection[str]) -> str:
    """The texts of links as one text; which comes first makes no difference."""
    return ANCHOR_END.join(sorted({text.replace(ANCHOR_END, " ") for text in texts if text}))


def split_anchors(joined: str | None) -> tuple[str, ...]:
    """The texts of links that were joined, perhaps more than once, each once."""
    return tuple(sorted(set(filter(None, (joined or "").split(ANCHOR_END)))))


def html_parts(document: Document, address: str, arrival: Arrival, wanted: Collection[str]) -> dict[str, PartText]:
    """The wanted parts of a page."""
    root = document.root
    made: Mapping[str, Callable[[], Collection[str]]] = {
        TEXT: lambda: visible_blocks(next(root.iter("body"), root)),
        HEAD: lambda: list(_head(root)),
        HEADINGS: lambda: [block for heading in root.iter(*_HEADINGS) for block in visible_blocks(heading)],
    }
    parts = {part: PartText(blocks()) for part, blocks in made.items() if part in wanted}
    return parts | outer_parts(address, arrival, wanted)


def file_parts(text: FileText, address: str, arrival: Arrival, wanted: Collection[str]) -> dict[str, PartText]:
    """The wanted parts of a document that is no page."""
    made = {TEXT: text.blocks, HEAD: text.head, HEADINGS: text.headings}
    parts = {part: PartText(blocks) for part, blocks in made.items() if part in wanted}
    return parts | outer_parts(address, arrival, wanted)


def outer_parts(address: str, arrival: Arrival, wanted: Collection[str]) -> dict[str, PartText]:
    """The wanted parts of any file that are known without its content."""
    made = {ADDRESS: (unquote(address),), ANCHORS: arrival.anchors}
    return {part: PartText(blocks) for part, blocks in made.items() if part in wanted}


def lead_parts(anchor: str, context: str, address: str, wanted: Collection[str]) -> dict[str, PartText]:
    """The wanted parts of a link."""
    made = {ANCHOR: anchor, CONTEXT: context, ADDRESS: unquote(address)}
    return {part: PartText((text,)) for part, text in made.items() if part in wanted}


class Contexts:
    """The texts around the links of a document, which is read once for all of them."""

    def __init__(self, document: Document) -> None:
        lines, elements = lines_of(document.root)
        self._lines = [line.text for line in lines]
        self._places: dict[Element, list[int]] = {}
        for number, line in enumerate(lines):
            for element in {elements[piece.where] for piece in line.pieces}:
                self._places.setdefault(element, []).append(number)
        self._known: dict[Element, str] = {}

    def around(self, link: Element) -> str:
        """The text of the list entry, row or paragraph that a link stands in, else of its line."""
        entry = next((one for one in link.iterancestors() if one.tag in _ENTRIES), link)
        if entry.tag == "dt" and (term := entry.getnext()) is not None and term.tag == "dd":
            return f"{self._text(entry)} {self._text(term)}"[:_LONGEST_CONTEXT]
        return self._text(entry)

    def _text(self, element: Element) -> str:
        if element not in self._known:
            inside = islice(element.iter(), _MOST_AROUND)
            numbers = sorted({number for one in inside for number in self._places.get(one, ())})
            self._known[element] = " ".join(self._lines[number] for number in numbers)[:_LONGEST_CONTEXT]
        return self._known[element]


def _head(root: Element) -> Iterator[str]:
    """The title of a page and the contents of its meta elements."""
    head = next(root.iter("head"), None)
    if head is None:
        return
    for element in head.iter("title", "meta"):
        if element.tag == "title":
            yield "".join(map(str, element.itertext()))
        elif element.get("name") or element.get("property"):
            yield element.get("content") or ""
