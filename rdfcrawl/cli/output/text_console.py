"""The consoles for styled text, for which every text is only a text."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from rdfcrawl.errors import printable


class TextConsole(Console):
    """A console for which every text is only a text."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = True, width: int | None = None) -> None:
        super().__init__(stderr=stderr, soft_wrap=soft_wrap, width=width, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed, with only those control codes that the console itself has made."""
        for segment in super().render(renderable, options):
            if segment.control is None and not segment.text.isprintable():
                yield Segment(printable(segment.text), segment.style)
            else:
                yield segment


out = TextConsole()
err = TextConsole(stderr=True)
