"""The text of a model, from a file or from standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError

STANDARD_INPUT: Final = "-"


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a model, before it is parsed."""

    name: str
    text: str
    n3: bool = False


def read_text(source: str) -> SourceText:
    """The text of a file or of standard input (``-``); raises ``UsageError`` if it cannot be read."""
    name = "<stdin>" if source == STANDARD_INPUT else source
    try:
        octets = sys.stdin.buffer.read() if source == STANDARD_INPUT else Path(source).read_bytes()
        text = octets.decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{name}: this is a folder, not a model; name the Turtle file in it") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: this is not UTF-8 text (byte {error.start + 1}); save the model as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    return SourceText(name, text, n3=source.endswith(".n3"))
