"""What a model fills in and sends: the fields of a form, and the login of a section."""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass

ENVIRONMENT: Final = "env:"
"""How a value begins that is not in the model itself, but in an environment variable."""


@dataclass(frozen=True, slots=True)
class Fill:
    """``:fill``: the field at ``path`` gets ``value``; ``env:NAME`` is the value of that variable."""

    path: str
    value: str
    order: int = 0

    @property
    def is_secret(self) -> bool:
        """Whether an environment variable holds the value."""
        return self.value.startswith(ENVIRONMENT)


@dataclass(frozen=True, slots=True)
class Login:
    """``:login``: the form at ``address`` is filled and sent; then the page has what ``success`` selects."""

    address: str
    fills: tuple[Fill, ...]
    submit: str
    success: str
