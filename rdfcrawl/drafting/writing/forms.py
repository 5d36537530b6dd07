"""What a property's sample texts are: numbers, amounts of money, dates, addresses, or just texts.

A form is only chosen if every sample fits it, as the values of a run are made: an identifier that happens to consist of
digits stays a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.values.pipeline import Pipeline
from rdfcrawl.metamodel.parts import Property, Replacement
from rdfcrawl.rdf import terms

LEAST_VALUES: Final = 2
"""From fewer samples no type is concluded."""

LEAST_NUMBERS: Final = 3
WITHOUT_SEPARATORS: Final = r"[^\s/|,;·•](.*[^\s/|,;·•])?"
"""A text without what separates it from its neighbours."""
_SEPARATORS: Final = " /|,;·•"
_NOTE: Final = re.compile(r"(?P<number>[\d.,]*[.,]\d+)(\s\d{1,2}\)?|\s?\*+|\s?[¹²³]+)$")
_NAMED: Final = re.compile(r"(?P<word>[^\W\d]{3,20})\s+\d{1,6}")
_ALL_NAMED: Final = re.compile(rf"{_NAMED.pattern}(\W+[^\W\d]{{3,20}}\s+\d{{1,6}}){{1,3}}")
_NOWHERE: Final = "http://site.invalid/"


@dataclass(frozen=True, slots=True)
class Form:
    """How the texts of a property become values; ``doubt`` is what the samples leave open."""

    datatype: str = terms.STRING
    pattern: str | None = None
    replacements: tuple[Replacement, ...] = ()
    format: str | None = None
    locale: str | None = None
    doubt: str | None = None

    @property
    def is_demanding(self) -> bool:
        """Whether there are texts that do not become a value."""
        return self.datatype != terms.STRING or self.pattern is not None


@dataclass(frozen=True, slots=True)
class _Guard:
    """A form, and what the whole text must look like before it is considered."""

    text: re.Pattern[str]
    form: Form
    one_with: str = ""
    """What at least one of the texts must have in it: 55.000 alone may be anything, beside 60.000,50 it is not."""


_DROP_COMMAS: Final = Replacement(",", "", 1)
_DROP_POINTS: Final = Replacement(r"\.", "", 1)
_POINT_FOR_COMMA: Final = Replacement(",", ".", 2)
_ENGLISH: Final = r"[-+]?([1-9]\d{0,2}(,\d{3})+|0|[1-9]\d*)(\.\d+)?"
_GERMAN: Final = r"[-+]?([1-9]\d{0,2}(\.\d{3})+|0|[1-9]\d*)(,\d+)?"
_SIGN: Final = r"[$€£¥]|EUR|USD|CHF|GBP|Euro"
_GERMAN_STEPS: Final = (_DROP_POINTS, _POINT_FOR_COMMA)
_NUMBERS: Final = r"[-+\d.,]*\d"


def _guard(text: str, form: Form, one_with: str = "") -> _Guard:
    return _Guard(re.compile(text), form, one_with)


_GUARDS: Final = (
    _guard(r"(1[5-9]|20)\d\d", Form(terms.G_YEAR)),
    _guard(r"[-+]?(0|[1-9]\d{0,8})", Form(terms.INTEGER)),
    _guard(r"[-+]?([1-9]\d{0,2}(,\d{3})*|0)", Form(terms.INTEGER, replacements=(_DROP_COMMAS,))),
    _guard(r"[-+]?(0|[1-9]\d*)(\.\d+)?", Form(terms.DECIMAL)),
    _guard(_ENGLISH, Form(terms.DECIMAL, replacements=(_DROP_COMMAS,))),
    _guard(_GERMAN, Form(terms.DECIMAL, replacements=_GERMAN_STEPS), ","),
    _guard(
        rf"({_SIGN})\s?{_ENGLISH}|{_ENGLISH}\s?({_SIGN}|%)",
        Form(terms.DECIMAL, _NUMBERS, (_DROP_COMMAS,)),
    ),
    _guard(
        rf"({_SIGN})\s?{_GERMAN}|{_GERMAN}\s?({_SIGN}|%)",
        Form(terms.DECIMAL, _NUMBERS, _GERMAN_STEPS),
        ",",
    ),
    _guard(r"https?://\S+", Form(terms.ANY_URI)),
)

_DATES: Final = (
    ("yyyy-MM-dd", None),
    ("dd.MM.yyyy", None),
    ("d.M.yyyy", None),
    ("d. MMMM yyyy", "de"),
    ("d. MMM yyyy", "de"),
    ("MMMM d, yyyy", "en"),
    ("MMM d, yyyy", "en"),
    ("d MMMM yyyy", "en"),
    ("d MMM yyyy", "en"),
    ("EEEE, MMMM d, yyyy", "en"),
    ("EEE, MMM d, yyyy", "en"),
    ("EEEE, d. MMMM yyyy", "de"),
    ("MM/dd/yyyy", None),
    ("M/d/yyyy", None),
    ("dd/MM/yyyy", None),
    ("d/M/yyyy", None),
)
_TIMES: Final = (("yyyy-MM-dd HH:mm", None), ("dd.MM.yyyy HH:mm", None), ("dd.MM.yyyy, HH:mm", None))
_HAS_YEAR: Final = re.compile(r"\d{4}")
_NAMED_MONTH: Final = "MMM"
_LONGEST_DATE: Final = 50


def form_of(texts: Sequence[str]) -> Form:
    """The form that all sample texts have: after what separates them from their neighbours and notes are left out."""
    bare = [text.strip(_SEPARATORS) for text in texts]
    if sum(one != text for one, text in zip(bare, texts, strict=True)) * 2 > len(texts):
        form = _plain_form(bare)
        return form if form.pattern else replace(form, pattern=WITHOUT_SEPARATORS)
    form = _plain_form(texts)
    if form != Form():
        return form
    return _noted_form(texts) or _named_number(texts) or form


def shown(form: Form, text: str) -> str:
    """A sample text without the separators that its pattern leaves out."""
    return text.strip(_SEPARATORS) if form.pattern == WITHOUT_SEPARATORS else text


def _noted_form(texts: Sequence[str]) -> Form | None:
    """The form of numbers of which a few have the number of a footnote behind them."""
    bare = [_NOTE.sub(r"\g<number>", text) for text in texts]
    noted = sum(one != text for one, text in zip(bare, texts, strict=True))
    form = _plain_form(bare)
    if not noted or noted * 3 > len(texts) or form.datatype != terms.DECIMAL or form.pattern:
        return None
    point, group = (",", ".") if form.replacements == _GERMAN_STEPS else (".", ",")
    places = {len(text.partition(point)[2]) for text in bare} - {0}
    if len(places) != 1:
        return None
    pattern = rf"[-+]?[\d{group}]*\d(\{point}\d{{{places.pop()}}})?"
    return replace(form, pattern=pattern, doubt="what follows the number is left out")


def _named_number(texts: Sequence[str]) -> Form | None:
    """The form of a number that has the same word before it everywhere, as in ``Season 3``."""
    found = [_NAMED.fullmatch(text) for text in texts]
    words = {hit["word"] for hit in found if hit}
    if not all(found) or len(words) != 1 or len(set(texts)) < LEAST_NUMBERS:
        return None
    form = _number_after(words.pop())
    return form if fits(form, texts) else None


def named_numbers(texts: Sequence[str]) -> dict[str, Form]:
    """The words before the numbers that every text consists of, as in ``Season 3, Episode 5``, with their forms."""
    if len(set(texts)) < LEAST_NUMBERS or not all(_ALL_NAMED.fullmatch(text) for text in texts):
        return {}
    words, *others = [tuple(_NAMED.findall(text)) for text in texts]
    forms = {word: _number_after(word) for word in words}
    is_same = all(each == words for each in others) and len(forms) == len(words)
    return forms if is_same and all(fits(form, texts) for form in forms.values()) else {}


def _number_after(word: str) -> Form:
    return Form(terms.INTEGER, rf"(?<={re.escape(word)}\s+)\d+")


def _plain_form(texts: Sequence[str]) -> Form:
    distinct = list(dict.fromkeys(texts))
    if len(distinct) < LEAST_VALUES:
        return Form()
    for guard in _GUARDS:
        has_mark = not guard.one_with or any(guard.one_with in text for text in distinct)
        if has_mark and all(guard.text.fullmatch(text) for text in distinct) and fits(guard.form, distinct):
            return guard.form
    if all(len(text) <= _LONGEST_DATE and _HAS_YEAR.search(text) for text in distinct):
        return next(_date_forms(distinct), Form())
    return Form()


def fits(form: Form, texts: Sequence[str]) -> bool:
    """Whether every text becomes a value."""
    pipeline = Pipeline(
        Property(
            "property:",
            "",
            pattern=form.pattern,
            replacements=form.replacements,
            datatype=form.datatype,
            format=form.format,
            locale=form.locale,
        )
    )
    return all(isinstance(pipeline.term(text, _NOWHERE), str) for text in texts)


def _date_forms(texts: Sequence[str]) -> Iterator[Form]:
    has_words = {any(map(str.isalpha, text)) for text in texts}
    for layouts, datatype in ((_DATES, terms.DATE), (_TIMES, terms.DATE_TIME)):
        for layout, locale in layouts:
            if has_words != {_NAMED_MONTH in layout}:
                # The names of months need not be loaded for what has none.
                continue
            form = Form(datatype, format=layout, locale=locale)
            if fits(form, texts):
                swapped = layout.replace("M/d", "d/M") if layout == "M/d/yyyy" else layout.replace("MM/dd", "dd/MM")
                if swapped != layout and fits(Form(datatype, format=swapped), texts):
                    yield Form(datatype, format=layout, doubt=f"month and day may be the other way round: {swapped}")
                else:
                    yield form
