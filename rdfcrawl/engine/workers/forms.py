"""Forms, as they go from a worker to whoever fills them in: a worker never sees the values."""

from __future__ import annotations

from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.charsets import sending_codec
from rdfcrawl.engine.document.errors import FormError
from rdfcrawl.engine.document.forms import FormEntry, FoundForm, has_match, read_form
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.packing import encode
from rdfcrawl.metamodel.forms import Fill, Login


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """The form of a page, or why there is none."""

    form: FoundForm | None
    fault: str | None = None
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class LoginState:
    """Whether a page shows what is there after a login, and whether it shows the form of the login."""

    succeeded: bool
    asks: bool


def form_of(document: Document, fills: tuple[Fill, ...], submit: str) -> bytes:
    """The form of a page as bytes."""
    try:
        form = read_form(document, [fill.path for fill in fills], submit)
    except FormError as error:
        return encode([None, str(error), error.is_missing]).encode()
    entries = [[entry.name, entry.value, entry.fill, entry.is_switch, entry.options] for entry in form.entries]
    return encode([[form.method, form.action, form.is_multipart, form.codec, entries], None, False]).encode()


def form_answer(content: bytes) -> FormAnswer:
    """What a worker says of a form; raises ``Nonsense``."""
    return FormAnswer(*_answer(strict.plain(content)))


def login_state(document: Document, login: Login) -> bytes:
    """The state of a login as bytes."""
    asks = all(has_match(document, fill.path) for fill in login.fills)
    return encode([has_match(document, login.success), asks]).encode()


def login_answer(content: bytes) -> LoginState:
    """What a worker says of a login; raises ``Nonsense``."""
    return LoginState(*strict.row(strict.flag, strict.flag)(strict.plain(content)))


def _number(value: object) -> int:
    return -1 if value == -1 else strict.count(value)


def _entry(value: object) -> FormEntry:
    name, said, fill, is_switch, options = _entry_row(value)
    return FormEntry(name, said, fill, is_switch, tuple(options))


def _form(value: object) -> FoundForm:
    method, action, is_multipart, codec, entries = _form_row(value)
    return FoundForm("POST" if method == "POST" else "GET", action, is_multipart, sending_codec(codec), tuple(entries))


_entry_row: Final[strict.Check[tuple[Any, ...]]] = strict.row(
    strict.text, strict.text, _number, strict.flag, strict.listed(strict.row(strict.text, strict.text))
)
_form_row: Final[strict.Check[tuple[Any, ...]]] = strict.row(
    strict.text, strict.text, strict.flag, strict.text, strict.listed(_entry)
)
_answer: Final[strict.Check[tuple[Any, ...]]] = strict.row(strict.or_none(_form), strict.text_or_none, strict.flag)
