"""What waits in the outbox is sent: by one process at a time, to all servers side by side."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.messengers.outcome import Delivery, Fate, Messenger
from rdfcrawl.alert.messengers.settings import MailSettings
from rdfcrawl.alert.outbox import Outbox, open_outbox, outbox_path
from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.fetch.guard import AddressGuard
from rdfcrawl.engine.secrets import permitted_variables
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.alerts.recipients import Channel
from rdfcrawl.store.files.locks import exclusive
from rdfcrawl.store.folder import Store

_MAIL: Final = "mail"


@dataclass(frozen=True, slots=True)
class SendOptions:
    """What messages are sent with. ``allowed_variables`` are for models although they do not have the prefix."""

    allowed_variables: tuple[str, ...] = ()
    allow_private: bool = False
    everything: bool = False
    """Also what is to wait longer, and what was refused."""
    seconds: float | None = None
    """How long to go on beginning messages, and how long each may take; none means until all were tried."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of some messages, in the order in which they were tried.

    ``left`` are those for which there was no time, ``busy`` says that another process is sending.
    """

    outcomes: tuple[tuple[Message, Delivery], ...] = ()
    left: int = 0
    busy: bool = False

    def count(self, fate: Fate) -> int:
        """How many messages this became of."""
        return sum(outcome.fate is fate for _, outcome in self.outcomes)


async def send_waiting(store: Store, options: SendOptions) -> Sent:
    """Send what is due; a server that cannot be reached costs one try and no exception."""
    path = outbox_path(store.folder)
    if not path.exists():
        return Sent()
    with exclusive(path.with_suffix(".lock"), wait=0) as mine:
        if not mine:
            return Sent(busy=True)
        with open_outbox(store.folder) as outbox:
            sent = Sent()
            seen: set[str] = set()
            # Whoever has put something in meanwhile has left it to this process.
            while new := [one for one in outbox.waiting(everything=options.everything) if one.id not in seen]:
                seen.update(message.id for message in new)
                outcomes = await _send_to_all(new, outbox, store, options)
                sent = Sent((*sent.outcomes, *outcomes), sent.left + len(new) - len(outcomes))
                if options.seconds is not None:
                    break
            return sent


async def _send_to_all(
    messages: Sequence[Message], outbox: Outbox, store: Store, options: SendOptions
) -> list[tuple[Message, Delivery]]:
    """Send messages to all of their servers side by side."""
    homes = {address for record in store.runs.records() for address in record.addresses}
    going = [
        asyncio.create_task(_send_to_one(server, of_server, outbox, homes, options))
        for server, of_server in _by_server(messages).items()
    ]
    try:
        return [one for tried in await asyncio.gather(*going) for one in tried]
    finally:
        for task in going:
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)


async def try_sending(message: Message, options: SendOptions, homes: Iterable[str] = ()) -> Delivery:
    """Send one message that is in no outbox; ``homes`` are the sections of its model."""
    try:
        messenger = _messenger(_server(message), homes, options)
    except UsageError as error:
        return Delivery(Fate.WAITS, str(error), server_fails=True)
    try:
        return await _outcome(messenger, message)
    finally:
        await messenger.close()


async def _send_to_one(
    server: str, messages: Sequence[Message], outbox: Outbox, homes: Iterable[str], options: SendOptions
) -> list[tuple[Message, Delivery]]:
    """Send the messages for one server one after the other, until it fails or the time is up."""
    until = None if options.seconds is None else asyncio.get_running_loop().time() + options.seconds
    tried: list[tuple[Message, Delivery]] = []
    try:
        messenger = _messenger(server, homes, options)
    except UsageError as error:
        return _fail(outbox, messages, Delivery(Fate.WAITS, str(error), server_fails=True))
    try:
        for number, message in enumerate(messages):
            if until is not None and asyncio.get_running_loop().time() >= until:
                break
            outcome = await _outcome(messenger, message)
            if outcome.server_fails:
                return [*tried, *_fail(outbox, messages[number:], outcome)]
            _mark(outbox, message, outcome)
            tried.append((message, outcome))
    finally:
        await messenger.close()
    return tried


async def _outcome(messenger: Messenger, message: Message) -> Delivery:
    """What becomes of a message; a fault of rdfcrawl itself, or of a library, costs that message a try."""
    try:
        return await messenger.send(message)
    except Exception as error:
        # Its text is not kept: a library may put an address with a secret into it.
        return Delivery(Fate.WAITS, f"internal: {type(error).__name__}", server_fails=True)


def _fail(outbox: Outbox, messages: Iterable[Message], outcome: Delivery) -> list[tuple[Message, Delivery]]:
    """A server that does not work fails for everything that is to go there."""
    for message in messages:
        _mark(outbox, message, outcome)
    return [(message, outcome) for message in messages]


def _mark(outbox: Outbox, message: Message, outcome: Delivery) -> None:
    if outcome.fate is Fate.SENT:
        outbox.mark_sent(message.id, outcome.said)
    elif outcome.fate is Fate.REFUSED:
        outbox.mark_refused(message.id, outcome.said)
    else:
        outbox.mark_failed(message.id, outcome.said, outcome.pause)


def _by_server(messages: Iterable[Message]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for message in messages:
        found.setdefault(_server(message), []).append(message)
    return found


def _server(message: Message) -> str:
    """The server that a message goes to: one for all mail, else the recipient's own."""
    recipient = message.recipient
    if recipient.way is Channel.MAIL:
        return _MAIL
    return origin_of(recipient.address) if recipient.way is Channel.WEBHOOK else message.to


def _messenger(server: str, homes: Iterable[str], options: SendOptions) -> Messenger:
    """Who delivers to a server; raises ``UsageError`` where the environment does not say how."""
    # Most runs tell nobody, and need not wait for the libraries of those who deliver.
    limit = {} if options.seconds is None else {"seconds": options.seconds}
    if server == _MAIL:
        from rdfcrawl.alert.messengers.mail import MailMessenger

        return MailMessenger(MailSettings.of(options.environment), **limit)
    permitted = permitted_variables(options.allowed_variables, options.environment)
    if server.startswith("https:"):
        from rdfcrawl.alert.messengers.webhook import WebhookMessenger

        return WebhookMessenger(AddressGuard(homes, allow_private=options.allow_private), permitted, **limit)
    from rdfcrawl.alert.messengers.services import AppriseMessenger

    return AppriseMessenger(permitted, **limit)
