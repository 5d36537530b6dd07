"""Which PostgreSQL server keeps a queue: what is written on a command line, and what may be shown of it."""

from __future__ import annotations

from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError

_SHOWN: Final = ("service", "host", "hostaddr", "port", "dbname", "user")
_PATIENCE: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""How soon a connection that leads nowhere is given up: well before the lease of a worker ends."""


@dataclass(frozen=True, slots=True)
class QueueAddress:
    """How to connect, and the words for it in messages, which never contain a password."""

    conninfo: str
    shown: str

    @classmethod
    def of(cls, text: str) -> QueueAddress:
        """The address that was given; raises ``UsageError`` for one that is wrong, or that gives a password away."""
        try:
            given = conninfo_to_dict(text)
        except ProgrammingError as error:
            # What libpq says may quote the address, and with it a password.
            reason = "" if "@" in text or "password" in text else f": {str(error).strip()}"
            raise UsageError(
                f"the address of the queue is not one of PostgreSQL{reason}; write it like postgresql:///?service=crawl"
            ) from None
        if "password" in given or "sslpassword" in given:
            raise UsageError(
                "the address of the queue contains a password, which everybody on this machine could read; "
                "leave it out, and put it into a service file, into PGPASSFILE or into PGPASSWORD"
            )
        shown = ", ".join(f"{name} {given[name]}" for name in _SHOWN if given.get(name))
        return cls(
            make_conninfo(text, **{name: value for name, value in _PATIENCE.items() if name not in given}), shown
        )

    def __str__(self) -> str:
        return f"PostgreSQL ({self.shown})" if self.shown else "PostgreSQL"
