"""The text on the page goes in; RDF terms come out, or the reason why there are none.

raw text -> ``:pattern`` -> ``:split`` -> ``:replace``, in their order -> trim -> ``:type``. One pipeline per property,
built once per model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import resolve
from rdfcrawl.engine.values import lexical
from rdfcrawl.errors import quoted
from rdfcrawl.expressions.patterns import PATTERN_SECONDS, compiled_pattern, library_template, literal_of, too_slow
from rdfcrawl.metamodel.model import Property, Replacement
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.characters import writable
from rdfcrawl.rdf.ntriples import iri, literal

if TYPE_CHECKING:
    from rdfcrawl.engine.values.dates import DateParser

LONGEST_VALUE: Final = 1_000_000
"""Whatever reads a run holds its values several times: the store, comparisons, web pages."""

_TEXTS: Final = frozenset((terms.STRING, terms.ANY_ATOMIC, terms.XSD + "normalizedString", terms.XSD + "token"))

Shape = Callable[[str], str]
Writer = Callable[[str, str, str | None], str]
Cut = Callable[[str], list[str]]
Value = tuple[str, "str | Misfit | NoValue"]
"""The final text, as it is before ``:type`` and as a ``:key`` counts it, and the term that is made of it."""


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
    after_split: str | None = None


class Pipeline:
    """Makes the terms of one property. ``no_text`` is what it says about a raw text that is empty.

    ``makes_several`` is whether one raw text can become several values. Where nothing is done to a text but to write
    it, ``ending`` is what follows it in its term.
    """

    __slots__ = ("_cuts", "_has_pattern", "_is_text", "_no_text", "_shapes", "_write", "ending", "makes_several")

    def __init__(self, property: Property, no_text: str = "the element has no text") -> None:  # noqa: A002
        replacements = sorted(property.replacements, key=lambda replacement: replacement.order)
        shapes = [_replacement(replacement) for replacement in replacements]
        pattern = property.pattern
        self.makes_several = property.split is not None or (property.multiple and pattern is not None)
        self._has_pattern = pattern is not None
        self._cuts: tuple[Cut, ...] = ()
        if self.makes_several:
            cut = None if pattern is None else _every_match(pattern) if property.multiple else _only(_pattern(pattern))
            self._cuts = tuple(filter(None, (cut, None if property.split is None else _parts(property.split))))
        elif pattern is not None:
            shapes.insert(0, _pattern(pattern))
        self._is_text = property.datatype in _TEXTS or not property.datatype.startswith(terms.XSD)
        self._no_text = no_text
        self._shapes = tuple(shapes)
        self._write = _writer(property)
        self.ending = None if shapes or self.makes_several else _ending(property)

    def term(self, raw: str, base: str) -> str | Misfit | NoValue:
        """The value as N-Triples text; ``base`` is the address that relative addresses start from."""
        return self.value(raw, base)[1]

    def value(self, raw: str, base: str, stated: str | None = None, seen: list[str] | None = None) -> Value:
        """The one value of a raw text; ``stated`` is the language or the datatype that the page states of it.

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
            return text, self._write(text, base, stated)
        except ValueError as error:
            if self._has_pattern and not self._cuts and not self._shapes[0](raw):
                return text, Misfit(f"the :pattern finds nothing in {quoted(raw)}, and {error}")
            return text, Misfit(str(error))

    def values(self, raw: str, base: str, stated: str | None = None) -> list[Value]:
        """All values of a raw text, at least one."""
        if not self.makes_several:
            return [self.value(raw, base, stated)]
        try:
            pieces = self._cut(raw)[-1]
        except ValueError as error:
            return [("", Misfit(str(error)))]
        if not pieces:
            return [("", NoValue(self._why_nothing(raw)))]
        return [self.value(piece, base, stated) for piece in pieces]

    def steps(self, raw: str, base: str, stated: str | None = None) -> Steps:
        """How the first value of a raw text comes about."""
        return self.all_steps(raw, base, stated)[0]

    def all_steps(self, raw: str, base: str, stated: str | None = None) -> list[Steps]:
        """The same as ``values``, with everything in between."""
        if not self.makes_several:
            return [self._steps(raw, raw, base, stated)]
        try:
            cuts = self._cut(raw)
        except ValueError as error:
            return [Steps(raw, None, (), None, str(error))]
        if not cuts[-1]:
            return [Steps(raw, "" if self._has_pattern else None, (), None, self._why_nothing(raw), is_empty=True)]
        matched = " | ".join(cuts[0]) if self._has_pattern else None
        is_split = len(self._cuts) > self._has_pattern
        return [self._steps(raw, piece, base, stated, (matched, piece if is_split else None)) for piece in cuts[-1]]

    def _steps(
        self,
        raw: str,
        piece: str,
        base: str,
        stated: str | None,
        cut: tuple[str | None, str | None] | None = None,
    ) -> Steps:
        seen: list[str] = []
        _, result = self.value(piece, base, stated, seen)
        has_shape = self._has_pattern and cut is None
        pattern, replacements = (seen[:1], seen[1:]) if has_shape else ([], seen)
        after_pattern, after_split = cut or (pattern[0] if pattern else None, None)
        # Of several matches each value shows its own.
        own_match = piece if cut is not None and after_pattern is not None and after_split is None else after_pattern
        return Steps(
            raw=raw,
            after_pattern=own_match,
            after_replacements=tuple(replacements),
            term=result if isinstance(result, str) else None,
            reason=None if isinstance(result, str) else result.reason,
            is_empty=isinstance(result, NoValue),
            after_split=after_split,
        )

    def _cut(self, raw: str) -> list[list[str]]:
        """The texts after ``:pattern`` and after ``:split``, without empty ones."""
        texts, after = [raw], []
        for cut in self._cuts:
            texts = [piece for text in texts for piece in cut(text) if piece.strip()]
            after.append(texts)
        return after

    def _why_nothing(self, raw: str) -> str:
        if not raw.strip():
            return self._no_text
        if self._has_pattern and not self._cuts[0](raw):
            return f"the :pattern finds nothing in {quoted(raw)}"
        return f"the :split leaves nothing of {quoted(raw)}"

    def _why_empty(self, raw: str) -> str:
        if not raw.strip():
            return self._no_text
        has_shape = self._has_pattern and not self._cuts
        if has_shape and not self._shapes[0](raw).strip():
            return f"the :pattern finds nothing in {quoted(raw)}"
        if len(self._shapes) > has_shape:
            return f"the :replace leaves nothing of {quoted(raw)}"
        return f"no character of {quoted(raw)} can be written"


def _pattern(pattern: str) -> Shape:
    search = compiled_pattern(pattern).search

    def first_match(text: str) -> str:
        try:
            match = search(text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(too_slow(pattern)) from None
        return match[0] if match else ""

    return first_match


def _only(shape: Shape) -> Cut:
    return lambda text: [shape(text)]


def _every_match(pattern: str) -> Cut:
    find = compiled_pattern(pattern).finditer

    def matches(text: str) -> list[str]:
        try:
            return [match[0] for match in find(text, timeout=PATTERN_SECONDS)]
        except TimeoutError:
            raise ValueError(too_slow(pattern)) from None

    return matches


def _parts(pattern: str) -> Cut:
    expression = compiled_pattern(pattern)

    def parts(text: str) -> list[str]:
        try:
            found = expression.split(text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(too_slow(pattern)) from None
        # The library puts the groups of the expression between the parts.
        return [part or "" for part in found[:: expression.groups + 1]]

    return parts


def _replacement(replacement: Replacement) -> Shape:
    old, new = literal_of(replacement.old), replacement.new
    if old is not None and not {"$", "\\"} & set(new):
        # Most replacements are commas and dots, and to watch the time of an expression takes longer than they do.
        return lambda text: text.replace(old, new)
    expression = compiled_pattern(replacement.old)
    template = library_template(replacement.new, expression)

    def replaced(text: str) -> str:
        try:
            return expression.sub(template, text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(too_slow(replacement.old)) from None

    return replaced


def _writer(property: Property) -> Writer:  # noqa: A002
    datatype, language = property.datatype, property.language
    if datatype == terms.STRING and language == terms.STATED_LANGUAGE:
        return lambda text, base, stated: literal(text, language=stated)
    if datatype == terms.STRING:
        # Stores compare language tags in lower case; in any other case, a run file and its index would differ.
        tag = language.lower() if language else None
        return lambda text, base, stated: literal(text, language=tag)
    if datatype == terms.ANY_URI:
        return lambda text, base, stated: iri(resolve(text, base))
    if datatype == terms.ANY_ATOMIC:
        return lambda text, base, stated: _as_stated(text, stated)
    if datatype in terms.FORMATTED_DATATYPES and property.formats:
        # The names of months and zones are imported with it, and most models read no dates.
        from rdfcrawl.engine.values.dates import DateParser

        read = _first_that_fits([DateParser(form, datatype, property.locale) for form in property.formats])
    else:
        read = lexical.form(datatype)
    return lambda text, base, stated: literal(read(text), datatype)


def _ending(property: Property) -> str | None:  # noqa: A002
    """What follows a text in its term, where the text is written as it is."""
    if property.datatype != terms.STRING or property.language == terms.STATED_LANGUAGE:
        return None
    return literal("", language=property.language.lower() if property.language else None)[1:]


def _as_stated(text: str, datatype: str | None) -> str:
    """A value of the datatype that JSON states; a text that was changed so that it no longer fits is a string."""
    if datatype is None:
        return literal(text)
    try:
        return literal(lexical.form(datatype)(text), datatype)
    except lexical.LexicalError:
        return literal(text)


def _first_that_fits(parsers: Sequence[DateParser]) -> Shape:
    if len(parsers) == 1:
        return parsers[0].parse

    def parse(text: str) -> str:
        reasons = []
        for parser in parsers:
            try:
                return parser.parse(text)
            except ValueError as error:
                reasons.append(str(error))
        raise ValueError(f"none of the {len(parsers)} formats fits: {'; '.join(reasons)}")

    return parse
