"""What a run does about alerts: before it begins, and when it has ended."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from rdfcrawl.alert.messengers.outcome import Fate
from rdfcrawl.alert.messengers.settings import MailSettings
from rdfcrawl.alert.noting import note_events, prepare_outbox
from rdfcrawl.alert.sending import SendOptions, Sent, send_waiting
from rdfcrawl.engine.crawl.boundary import internal_reason
from rdfcrawl.engine.secrets import PREFIX, permitted_variables, secret_value
from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.metamodel.alerts.recipients import Channel, Recipient
from rdfcrawl.metamodel.forms import ENVIRONMENT
from rdfcrawl.metamodel.model import Alert, Model
from rdfcrawl.store.folder import Store

PATIENCE: Final = 20.0
"""For how many seconds a run that has ended goes on sending, and how long one message may take it then."""


def check_variables(model: Model, allowed: Collection[str]) -> None:
    """Raise ``UsageError`` if alerts name variables that models do not get."""
    for variable in _variables(model.alerts):
        if not variable.startswith(PREFIX) and variable not in allowed:
            raise UsageError(
                f"an alert asks for the environment variable {variable}, which models do not get; if it is meant for "
                f"this one, allow it with --allow-env {variable}, or name it {PREFIX}{variable}"
            )


async def before_run(model: Model, store: Store, allowed: Collection[str], notice: Callable[[str], None]) -> None:
    """Make the outbox, report what a killed run could not, and say what will have to wait.

    Raises ``UsageError`` if alerts name variables that models do not get; nothing else keeps a run from beginning.
    """
    check_variables(model, allowed)
    if not model.alerts:
        return
    for reason in dict.fromkeys(_obstacles(model.alerts, permitted_variables(allowed), os.environ)):
        notice(f"alerts will have to wait: {reason}")
    try:
        prepare_outbox(store)
        await note_events(store, notice)
    except Exception as error:
        notice(f"alerts cannot be noted: {_reason(error)}")


async def tell(
    store: Store, options: SendOptions, notice: Callable[[str], None], stop: asyncio.Event | None = None
) -> Sent:
    """Note what has happened, and send what waits; whatever fails is a notice, and waits.

    ``stop`` ends the sending; what was not sent by then waits.
    """
    try:
        await note_events(store, notice)
        sending = asyncio.create_task(send_waiting(store, options))
        stopping = asyncio.create_task((stop or asyncio.Event()).wait())
        try:
            await asyncio.wait({sending, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                notice("alerts wait: the command was stopped")
                return Sent()
            return sending.result()
        finally:
            for task in (sending, stopping):
                task.cancel()
            await asyncio.gather(sending, stopping, return_exceptions=True)
    except Exception as error:
        # A run has ended before: nothing that alerts can do may make it fail.
        notice(f"alerts cannot be sent now: {_reason(error)}")
        return Sent()


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, RdfcrawlError | OSError) else internal_reason(error)


def sent_lines(sent: Sent) -> Iterator[str]:
    """What became of messages, in words: each recipient and server once."""
    if sent.busy:
        yield "another process is sending alerts; what waits is left to it"
    if count := sent.count(Fate.SENT):
        yield f"{count:,} {'alert was' if count == 1 else 'alerts were'} sent"
    for fate, what in ((Fate.WAITS, "waits"), (Fate.REFUSED, "was refused")):
        said = [f"{message.to}: {outcome.said}" for message, outcome in sent.outcomes if outcome.fate is fate]
        for reason in dict.fromkeys(said):
            count = said.count(reason)
            yield f"{count:,} {f'alert {what}' if count == 1 else f'alerts {_PLURALS[what]}'} for {reason}"
    if sent.left:
        yield f"{sent.left:,} more wait; rdfcrawl alerts send sends them"


_PLURALS: Final = {"waits": "wait", "was refused": "were refused"}


def _variables(alerts: Collection[Alert]) -> Iterator[str]:
    for alert in alerts:
        if alert.secret is not None:
            yield alert.secret.removeprefix(ENVIRONMENT)
        for to in alert.to:
            if (recipient := Recipient.parse(to)).way is Channel.APPRISE:
                yield recipient.address


def _obstacles(
    alerts: Collection[Alert], permitted: Mapping[str, str], environment: Mapping[str, str]
) -> Iterator[str]:
    """Why nothing could be sent now."""
    for variable in _variables(alerts):
        try:
            secret_value(variable, permitted)
        except UsageError as error:
            yield str(error)
    if any(Recipient.parse(to).way is Channel.MAIL for alert in alerts for to in alert.to):
        try:
            MailSettings.of(environment)
        except UsageError as error:
            yield str(error)
