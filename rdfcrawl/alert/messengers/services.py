"""The services that Apprise knows, if it is installed: chats, telephones, and many more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.messages.wording import subject_of, text_of
from rdfcrawl.alert.messengers.outcome import Delivery, Fate
from rdfcrawl.engine.secrets import secret_value
from rdfcrawl.errors import UsageError

_SECONDS: Final = 60.0


class AppriseMessenger:
    """Sends through Apprise to the address that an environment variable holds.

    That address is a secret, and Apprise's log may repeat it: nothing of it is kept.
    """

    def __init__(self, environment: Mapping[str, str], *, seconds: float = _SECONDS) -> None:
        self._environment = environment
        self._seconds = seconds

    async def send(self, message: Message) -> Delivery:
        """Hand a message over; Apprise says whether it arrived, and not why."""
        variable = message.recipient.address
        try:
            from apprise import Apprise

            address = secret_value(f"env:{variable}", self._environment)
        except ImportError:
            said = "Apprise is not installed: pip install 'rdfcrawl[apprise]'"
            return Delivery(Fate.WAITS, said, server_fails=True)
        except UsageError as error:
            return Delivery(Fate.WAITS, str(error), server_fails=True)
        # What it logs may have the address in it.
        logging.getLogger("apprise").disabled = True
        service = Apprise()
        if not service.add(address):
            return Delivery(Fate.WAITS, f"{variable} holds no address that Apprise knows", server_fails=True)
        try:
            async with asyncio.timeout(self._seconds):
                taken = await service.async_notify(body=text_of(message.content), title=subject_of(message.content))
        except TimeoutError:
            return Delivery(Fate.WAITS, f"the service of {variable} took too long to answer", server_fails=True)
        if not taken:
            return Delivery(Fate.WAITS, f"the service of {variable} did not take it", server_fails=True)
        return Delivery(Fate.SENT, f"the service of {variable} took it")

    async def close(self) -> None:
        """Do nothing: nothing is left open."""
