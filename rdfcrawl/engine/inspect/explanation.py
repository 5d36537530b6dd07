"""What an explanation says: of an object, of each of its values, and of each step from a text to a term."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.fetch.warc.source import FoundAnswer
from rdfcrawl.engine.inspect.framing import FramedPage
from rdfcrawl.engine.values.pipeline import Steps
from rdfcrawl.engine.workers.weighing import WeighedPage
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Item, Page, Property


class NothingKept(UsageError):
    """The pages of a run are not there to be read again."""


class NotShown(UsageError):
    """No kept page of a run shows the object; the message says why, as far as that is known.

    With ``needs_browser``, a browser would perhaps show it.
    """

    def __init__(self, message: str, *, needs_browser: bool = False) -> None:
        super().__init__(message)
        self.needs_browser = needs_browser


class ValueStep(NamedTuple):
    """One step: its name, what the model says for it, and the text after it."""

    name: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class ExplainedValue:
    """One value: the element that the property's path found, the steps from its text to the term, or why it stopped."""

    property: Property
    place: str | None
    steps: Steps | None
    triple: str | None
    stopped: str | None
    reasons: tuple[str, ...] = ()

    def told_steps(self) -> Iterator[ValueStep]:
        """The steps from what was read to the text that became the term."""
        prop, steps = self.property, self.steps
        if steps is None:
            return
        yield ValueStep(f"@{prop.attribute}" if prop.attribute else "raw text", "", steps.raw)
        if steps.after_pattern is not None:
            yield ValueStep("pattern", prop.pattern or "", steps.after_pattern)
        if steps.after_split is not None:
            yield ValueStep("split", prop.split or "", steps.after_split)
        replacements = sorted(prop.replacements, key=lambda replacement: replacement.order)
        for replacement, text in zip(replacements, steps.after_replacements, strict=False):
            yield ValueStep("replace", f"{replacement.old} by {replacement.new!r}", text)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where an object comes from.

    ``record`` is missing where a run was read from a folder and not recorded. ``root`` is missing where the root
    element of the object is not on the page; ``stopped`` then says how far its path leads. An address of a site with
    criteria is ``weighed``. ``document`` is the page as it was read; ``framed`` is it with the elements marked, if that
    was wanted. ``is_unrendered`` if it is a page for a browser, read without one: what its scripts add is missing.
    """

    run: int
    subject: str
    page: Page
    item: Item
    address: str
    engine: Engine
    record: FoundAnswer | None
    root: str | None
    values: tuple[ExplainedValue, ...] = ()
    stopped: str | None = None
    weighed: WeighedPage | None = None
    document: Fetched | None = None
    framed: FramedPage | None = None
    is_unrendered: bool = False


@dataclass(frozen=True, slots=True)
class Looking:
    """How a page is looked at: whether a browser may read it again, and whether its elements are to be marked."""

    in_browser: bool = True
    framed: bool = False


PLAINLY: Final = Looking()
"""As the crawl would read it, in a browser if need be."""
