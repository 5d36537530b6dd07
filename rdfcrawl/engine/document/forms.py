"""A page goes in; the form that some of its fields belong to comes out, as a browser would send it without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.charsets import codec_of, sending_codec
from rdfcrawl.engine.document.errors import FormError
from rdfcrawl.engine.document.tree import Document, Element, compile_path

_SENDING: Final = frozenset(("submit", "image"))
_SILENT: Final = frozenset(("submit", "image", "button", "reset", "file"))
_SWITCHES: Final = frozenset(("checkbox", "radio"))
_OFF: Final = frozenset(("", "false", "0", "off", "no"))


@dataclass(frozen=True, slots=True)
class FormEntry:
    """One name and value of a form; ``fill`` is the number of the field that the model fills in, or -1.

    Of a field that is filled in, ``value`` is what a checkbox sends; ``options`` are the labels and values of a list.
    """

    name: str
    value: str
    fill: int = -1
    is_switch: bool = False
    options: tuple[tuple[str, str], ...] = ()

    def filled(self, value: str) -> str | None:
        """What is sent for a value; ``None`` for a checkbox that is off. Raises ``FormError`` for an unknown option."""
        if self.is_switch:
            return None if value.strip().lower() in _OFF else self.value
        if not self.options:
            return value
        for label, sent in self.options:
            if value in (sent, label):
                return sent
        known = ", ".join(label for label, _ in self.options[:10])
        raise FormError(f"the list {self.name} has no option {value}; it has {known}")


@dataclass(frozen=True, slots=True)
class FoundForm:
    """What is sent, where to, how and in which characters; the values that the model fills in are still missing."""

    method: str
    action: str
    is_multipart: bool
    codec: str
    entries: tuple[FormEntry, ...]


def read_form(document: Document, fields: Sequence[str], submit: str) -> FoundForm:
    """The form with these fields, sent by the button at ``submit``; raises ``FormError``."""
    found = [_first(document, path, "the field") for path in fields]
    button = _first(document, submit, "the button")
    forms = [
        _form_of(document, element, path) for element, path in zip((*found, button), (*fields, submit), strict=True)
    ]
    form = forms[-1]
    for other, path in zip(forms, fields, strict=False):
        if other is not form:
            raise FormError(f"the field {path} and the button {submit} belong to different forms")
    if form.get("onsubmit") or (button is not form and button.get("onclick")) or not _sends(button, form):
        raise FormError(f"a script sends the form of {submit}; only a browser can do that")
    entries = tuple(_entries(document, form, button, found))
    unnamed = [path for number, path in enumerate(fields) if not any(entry.fill == number for entry in entries)]
    if unnamed:
        raise FormError(f"the field {unnamed[0]} has no name or is disabled, so that a form does not send it")
    method = (button.get("formmethod") or form.get("method") or "get").strip().lower()
    encoding = (button.get("formenctype") or form.get("enctype") or "").strip().lower()
    return FoundForm(
        "POST" if method == "post" else "GET",
        _action(document, form, button),
        "multipart" in encoding,
        _codec(document, form),
        entries,
    )


def has_match(document: Document, path: str) -> bool:
    """Whether a path selects anything on a page."""
    root = document.root
    return bool(document.select(compile_path(path), root, outer=root, root=root))


def _first(document: Document, path: str, what: str) -> Element:
    root = document.root
    for match in document.select(compile_path(path), root, outer=root, root=root):
        if not isinstance(match, str):
            return match
    raise FormError(f"{what} {path} is not on the page", is_missing=True)


def _form_of(document: Document, element: Element, path: str) -> Element:
    if element.tag == "form":
        return element
    owner = element.get("form")
    if owner is not None:
        for form in document.root.iter("form"):
            if form.get("id") == owner:
                return form
    around = next(element.iterancestors("form"), None)
    if around is None:
        raise FormError(f"{path} is not in a form; only a browser can send it")
    return around


def _sends(button: Element, form: Element) -> bool:
    kind = (button.get("type") or "").lower()
    if button is form:
        return True
    if button.tag == "button":
        return kind in ("", "submit")
    return button.tag == "input" and kind in _SENDING


def _action(document: Document, form: Element, button: Element) -> str:
    said = button.get("formaction") or form.get("action") or ""
    try:
        address = resolve(said, document.base) if said.strip() else document.address
    except BadAddress as error:
        raise FormError(f"the form leads nowhere: {error}") from None
    if not address.startswith(("http://", "https://")):
        raise FormError(f"a script sends the form to {address}; only a browser can do that")
    return address.partition("#")[0]


def _codec(document: Document, form: Element) -> str:
    """The first known character set that a form accepts, else that of its page."""
    accepted = (name for name in re.split(r"[\s,]+", form.get("accept-charset", "")) if name)
    return next((sending_codec(name) for name in accepted if codec_of(name)), document.codec)


def _entries(document: Document, form: Element, button: Element, filled: Sequence[Element]) -> Iterator[FormEntry]:
    """Names and values in the order of the page, hidden fields included."""
    numbers = {element: number for number, element in reversed(list(enumerate(filled)))}
    for element in document.root.iter("input", "textarea", "select", "button"):
        name = element.get("name")
        if not name or _is_disabled(element) or not _belongs(document, element, form):
            continue
        if element in numbers:
            is_switch = element.tag == "input" and (element.get("type") or "").lower() in _SWITCHES
            options = _options(element) if element.tag == "select" else ()
            yield FormEntry(name, element.get("value", "on"), numbers[element], is_switch, options)
        elif element is button or not _is_silent(element):
            yield from _own_values(element, name)


def _belongs(document: Document, element: Element, form: Element) -> bool:
    owner = element.get("form")
    if owner is not None:
        return owner == form.get("id")
    return next(element.iterancestors("form"), None) is form


def _is_disabled(element: Element) -> bool:
    if element.get("disabled") is not None:
        return True
    return any(around.get("disabled") is not None for around in element.iterancestors("fieldset"))


def _is_silent(element: Element) -> bool:
    if element.tag == "button":
        return True
    return element.tag == "input" and (element.get("type") or "").lower() in _SILENT


def _own_values(element: Element, name: str) -> Iterator[FormEntry]:
    if element.tag == "textarea":
        yield FormEntry(name, "".join(str(text) for text in element.itertext()))
    elif element.tag == "select":
        options = [option for option in element.iter("option") if option.get("disabled") is None]
        chosen = [option for option in options if option.get("selected") is not None]
        if not chosen and element.get("multiple") is None:
            chosen = options[:1]
        for option in chosen:
            yield FormEntry(name, _option_value(option))
    elif (element.get("type") or "").lower() in _SWITCHES:
        if element.get("checked") is not None:
            yield FormEntry(name, element.get("value", "on"))
    else:
        yield FormEntry(name, element.get("value", ""))


def _option_value(option: Element) -> str:
    value = option.get("value")
    return _label(option) if value is None else value


def _label(option: Element) -> str:
    return " ".join("".join(str(text) for text in option.itertext()).split())


def _options(select: Element) -> tuple[tuple[str, str], ...]:
    return tuple((_label(option), _option_value(option)) for option in select.iter("option"))
