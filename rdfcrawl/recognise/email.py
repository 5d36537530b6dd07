"""E-mail addresses in visible text, also where they are written to escape machines: ``name (at) example.org``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rdfcrawl.recognise.finds import Find, Reason
from rdfcrawl.recognise.lines import Line, searched

_AT: Final = r"(?:@|\s?[\[({<]\s?(?:at|@|AT)\s?[\])}>]\s?)"
_DOT: Final = r"(?:\.|\s?[\[({<]\s?(?:dot|punkt|DOT)\s?[\])}>]\s?)"
_ADDRESS: Final = re.compile(
    rf"(?<![\w.+-])(?P<local>\w[\w.+'-]{{0,63}}+){_AT}(?P<host>[a-zA-Z0-9-]{{1,63}}+(?:{_DOT}[a-zA-Z0-9-]{{1,63}}+){{1,8}})(?![\w@])"
)
_WRITTEN_DOT: Final = re.compile(_DOT)


class EmailRecogniser:
    """``recognise:email``: the addresses as they would be typed, the host in lower case."""

    what: Final = "an e-mail address"

    def __init__(self, names: str | None = None) -> None:
        # It needs no list; one that is given does no harm.
        pass

    def finds(self, lines: Sequence[Line], *, reasons: bool = False) -> list[Find]:
        """Every address, in order."""
        return [find for line in searched(lines) for find in self._in_line(line, reasons)]

    def _in_line(self, line: Line, reasons: bool) -> list[Find]:
        text = line.text
        finds = []
        for match in _ADDRESS.finditer(text):
            local, host = match["local"].rstrip("."), _WRITTEN_DOT.sub(".", match["host"]).lower()
            if not host.rpartition(".")[2].isalpha():
                continue
            why = (Reason(f"has the form of an address: {match[0].strip()}", 0.0),) if reasons else ()
            where, until = line.where(match.start()), line.where(match.end() - 1)
            excerpt = line.excerpt(match.start(), match.end())
            finds.append(Find(f"{local}@{host}", match[0], where, until, (), 1.0, excerpt, why))
        return finds
