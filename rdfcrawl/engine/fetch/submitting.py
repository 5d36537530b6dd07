"""A form and the values for its fields go in; the request that sends it comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol
from urllib.parse import urlencode

from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.fetch.session import FetchFailed, Submission
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.forms import Fill

_UNKNOWN: Final = "xmlcharrefreplace"
"""How browsers send characters that the character set of a form does not have."""


class SentEntry(Protocol):
    """One name and value of a form."""

    @property
    def name(self) -> str:
        """What the server knows the field by."""

    @property
    def value(self) -> str:
        """What the page has for it."""

    @property
    def fill(self) -> int:
        """Which of the model's fields it is, or -1."""

    def filled(self, value: str) -> str | None:
        """What is sent for a value of the model."""


class SentForm(Protocol):
    """A form that can be sent."""

    @property
    def method(self) -> str:
        """GET or POST."""

    @property
    def action(self) -> str:
        """Where it is sent to."""

    @property
    def is_multipart(self) -> bool:
        """Whether each field is a part of its own."""

    @property
    def codec(self) -> str:
        """What its texts are encoded with."""

    @property
    def entries(self) -> Sequence[SentEntry]:
        """What is sent."""


def submission(form: SentForm, fills: Sequence[Fill], values: Mapping[str, str], origins: frozenset[str]) -> Submission:
    """The request that sends a form.

    Values from the environment go to these origins only, and never into an address. Raises ``FetchFailed``.
    """
    secret = next((fill for fill in fills if fill.is_secret), None)
    if secret is not None and origin_of(form.action) not in origins:
        reason = f"the form is sent to {origin_of(form.action)}, which must not get the value of {secret.value}"
        raise FetchFailed(ProblemKind.REFUSED, reason)
    if secret is not None and form.method == "GET":
        reason = f"the form would show the value of {secret.value} in an address; only forms sent by POST can have it"
        raise FetchFailed(ProblemKind.REFUSED, reason)
    pairs = []
    for entry in form.entries:
        value: str | None = entry.value
        if entry.fill >= 0:
            said = fills[entry.fill].value
            value = entry.filled(values.get(said, said))
        if value is not None:
            pairs.append((entry.name, value.replace("\r\n", "\n").replace("\n", "\r\n")))
    if form.method == "GET":
        front = form.action.partition("?")[0]
        return Submission(f"{front}?{_urlencoded(pairs, form.codec)}" if pairs else front)
    if form.is_multipart:
        return _multipart(form.action, pairs, form.codec)
    kind = "application/x-www-form-urlencoded"
    return Submission(form.action, "POST", _urlencoded(pairs, form.codec).encode(), kind)


def _urlencoded(pairs: Sequence[tuple[str, str]], codec: str) -> str:
    return urlencode(pairs, encoding=codec, errors=_UNKNOWN)


def _multipart(action: str, pairs: Sequence[tuple[str, str]], codec: str) -> Submission:
    # The same form has the same body every time, so that an archive can answer it.
    boundary = "----rdfcrawl-form"
    while any(boundary in value for _, value in pairs):
        boundary += "-"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n{value}\r\n'
        for name, value in pairs
    ]
    body = f"{''.join(parts)}--{boundary}--\r\n".encode(codec, _UNKNOWN)
    return Submission(action, "POST", body, f"multipart/form-data; boundary={boundary}")


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
