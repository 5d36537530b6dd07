"""The text on the page goes in; an RDF term comes out, or the reason why there is none.

raw text -> ``:pattern`` -> ``:replace``, in their order -> trim -> ``:type``. One pipeline per property, built once
per model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import regex

from rdfcrawl.engine.address import resolve
from rdfcrawl.engine.values import lexical
from rdfcrawl.engine.values.dates import DateParser
from rdfcrawl.errors import quoted
from rdfcrawl.metamodel.model import Property, Replacement
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.characters import writable
from rdfcrawl.rdf.ntriples import iri, literal

PATTERN_SECONDS: Final = 1.0
"""How long one regular expression may work on one text."""

LONGEST_VALUE: Final = 1_000_000
"""Whatever reads a run holds its values several times: the store, comparisons, web pages."""

_REFERENCE: Final = re.compile(r"\\(.)|\$(?:([0-9]+)|\{(\w+)\})|[^\\$]+|.", re.DOTALL)

Shape = Callable[[str], str]
Writer = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that is not written, because it would not be what its type says."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoValue:
    """An empty text, which is no value, whatever its type; ``reason`` says why nothing is left."""

    reason: str


@dataclass(frozen=True, slots=True)
class Steps:
    """How a value came about, step by step; a step that the property lacks, or that was not reached, is missing.

    ``is_empty`` distinguishes a text of which nothing is left from one that does not fit its type.
    """

    raw: str
    after_pattern: str | None
    after_replacements: tuple[str, ...]
    term: str | None
    reason: str | None
    is_empty: bool = False


class Pipeline:
    """Makes the terms of one property. ``no_text`` is what it says about a raw text that is empty."""

    __slots__ = ("_has_pattern", "_is_text", "_no_text", "_shapes", "_write")

    def __init__(self, property: Property, no_text: str = "the element has no text") -> None:  # noqa: A002
        shapes = [_replacement(replacement) for replacement in sorted(property.replacements, key=lambda r: r.order)]
        if property.pattern is not None:
            shapes.insert(0, _pattern(property.pattern))
        self._has_pattern = property.pattern is not None
        self._is_text = property.datatype == terms.STRING
        self._no_text = no_text
        self._shapes = tuple(shapes)
        self._write = _writer(property)

    def term(self, raw: str, base: str) -> str | Misfit | NoValue:
        """The value as N-Triples text; ``base`` is the address that relative addresses start from."""
        return self.value(raw, base)[1]

    def value(self, raw: str, base: str, seen: list[str] | None = None) -> tuple[str, str | Misfit | NoValue]:
        """The final text, as it is before ``:type`` and as a ``:key`` counts it, and the term that is made of it.

        ``seen`` gets the text after each step. The final text of a value that did not get there is empty.
        """
        text = raw
        try:
            for shape in self._shapes:
                text = shape(text)
                if seen is not None:
                    seen.append(text)
        except ValueError as error:
            return "", Misfit(str(error))
        text = text.strip()
        if self._is_text and (written := writable(text)) is not text:
            text = written.strip()
        if not text:
            return "", NoValue(self._why_empty(raw))
        if len(text) > LONGEST_VALUE:
            return "", Misfit(f"the text has {len(text):,} characters; a value has {LONGEST_VALUE:,} at most")
        try:
            return text, self._write(text, base)
        except ValueError as error:
            if self._has_pattern and not self._shapes[0](raw):
                return text, Misfit(f"the :pattern finds nothing in {quoted(raw)}, and {error}")
            return text, Misfit(str(error))

    def steps(self, raw: str, base: str) -> Steps:
        """The same as ``term``, with everything in between."""
        seen: list[str] = []
        _, result = self.value(raw, base, seen)
        pattern, replacements = (seen[:1], seen[1:]) if self._has_pattern else ([], seen)
        return Steps(
            raw=raw,
            after_pattern=pattern[0] if pattern else None,
            after_replacements=tuple(replacements),
            term=result if isinstance(result, str) else None,
            reason=None if isinstance(result, str) else result.reason,
            is_empty=isinstance(result, NoValue),
        )

    def _why_empty(self, raw: str) -> str:
        if not raw.strip():
            return self._no_text
        if self._has_pattern and not self._shapes[0](raw).strip():
            return f"the :pattern finds nothing in {quoted(raw)}"
        if len(self._shapes) > self._has_pattern:
            return f"the :replace leaves nothing of {quoted(raw)}"
        return f"no character of {quoted(raw)} can be written"


def _pattern(pattern: str) -> Shape:
    search = regex.compile(pattern).search

    def first_match(text: str) -> str:
        try:
            match = search(text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(_too_slow(pattern)) from None
        return match[0] if match else ""

    return first_match


def _replacement(replacement: Replacement) -> Shape:
    expression = regex.compile(replacement.old)
    template = _template(replacement.new, expression)

    def replaced(text: str) -> str:
        try:
            return expression.sub(template, text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(_too_slow(replacement.old)) from None

    return replaced


def _too_slow(pattern: str) -> str:
    return f"the regular expression {pattern} takes more than {PATTERN_SECONDS:g} s on this text; make it more specific"


def _template(new: str, expression: regex.Pattern[str]) -> str:
    r"""``:new`` in the syntax of the library: ``$1`` is a group, ``\$`` a dollar sign, as in XPath's ``replace()``."""

    def translated(match: re.Match[str]) -> str:
        escaped, number, name = match.groups()
        if number is not None:
            return _group(number, expression.groups)
        if name is not None:
            return rf"\g<{name}>" if name in expression.groupindex else ""
        return (match[0] if escaped is None else str(escaped)).replace("\\", r"\\")

    return _REFERENCE.sub(translated, new)


def _group(digits: str, groups: int) -> str:
    """As many digits as name a group of the expression; the rest is text. A missing group is empty."""
    length = min(len(digits), len(str(groups)))
    while length > 1 and int(digits[:length]) > groups:
        length -= 1
    group = rf"\g<{int(digits[:length])}>" if int(digits[:length]) <= groups else ""
    return group + digits[length:]


def _writer(property: Property) -> Writer:  # noqa: A002
    datatype, language = property.datatype, property.language
    if datatype == terms.STRING:
        # Stores compare language tags in lower case; in any other case, a run file and its index would differ.
        tag = language.lower() if language else None
        return lambda text, base: literal(text, language=tag)
    if datatype == terms.ANY_URI:
        return lambda text, base: iri(resolve(text, base))
    if datatype in terms.FORMATTED_DATATYPES and property.format is not None:
        read: Shape = DateParser(property.format, datatype, property.locale).parse
    else:
        read = lexical.form(datatype)
    return lambda text, base: literal(read(text), datatype)
