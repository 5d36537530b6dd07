"""``rdfcrawl alerts`` lists messages, ``alerts send`` sends what waits, ``alerts test`` tries a model's recipients."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final

import typer

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.messages.message import Content, Message
from rdfcrawl.alert.messengers.outcome import Delivery, Fate
from rdfcrawl.alert.outbox import Listed, MessageState, list_messages
from rdfcrawl.alert.sending import SendOptions, try_sending
from rdfcrawl.alert.telling import check_variables, sent_lines, tell
from rdfcrawl.cli.console import err, hand_over, say
from rdfcrawl.cli.crawl.options import AllowEnv
from rdfcrawl.cli.output.table import print_table
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Alert, Model
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.folder import open_store


class AlertsFormat(StrEnum):
    """The format of the list."""

    TABLE = "table"
    JSON = "json"


_MOST_LISTED: Final = 50
_STATES: Final = {MessageState.WAITING: "waits", MessageState.SENT: "sent", MessageState.REFUSED: "refused"}

StoreOption = Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")]
AllowPrivate = Annotated[
    bool, typer.Option("--allow-private", help="Let webhooks be in private networks that no section is in.")
]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def alerts(
    ctx: typer.Context,
    waiting: Annotated[bool, typer.Option("--waiting", help="List only what was not sent.")] = False,
    output: Annotated[AlertsFormat, typer.Option("--format", help="The format of the list.")] = AlertsFormat.TABLE,
    store: StoreOption = None,
) -> None:
    """List what was sent and what waits, the latest last: to whom, when, how often, what the server said."""
    if ctx.invoked_subcommand:
        return
    found = list_messages(open_store(store, create=False).folder)
    listed = [one for one in found if not waiting or one.state is not MessageState.SENT]
    if output is AlertsFormat.JSON:
        hand_over(json.dumps([_as_json(one) for one in listed], ensure_ascii=False, indent=1))
    elif not listed:
        err.print("Nothing waits." if found else "There were no alerts yet.")
    else:
        if len(listed) > _MOST_LISTED:
            err.print(f"The latest {_MOST_LISTED} of {len(listed):,}; --format json has all.")
        print_table(("", "when", "tries", "to", "what", "the server"), _rows(listed[-_MOST_LISTED:]), _NUMERIC)


@app.command()
def send(
    everything: Annotated[
        bool, typer.Option("--all", help="Also try what is to wait longer, and what was refused.")
    ] = False,
    allow_env: AllowEnv = None,
    allow_private: AllowPrivate = False,
    store: StoreOption = None,
) -> None:
    """Send what waits and is due; exit code 1 if anything was refused or still waits."""
    opened = open_store(store, create=False)
    options = SendOptions(tuple(allow_env or ()), allow_private, everything)
    sent = asyncio.run(tell(opened, options, _notice))
    for line in sent_lines(sent):
        say(line)
    still = [one for one in list_messages(opened.folder) if one.state is MessageState.WAITING]
    if not sent.outcomes and not sent.busy:
        say("nothing is to be sent" if not still else f"nothing is due; {_next(still)}, --all does not wait")
    if still or sent.count(Fate.REFUSED):
        raise typer.Exit(1)


@app.command("test")
def try_recipients(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A Turtle or N3 file, - for standard input, or a SPARQL endpoint.")
    ],
    allow_env: AllowEnv = None,
    allow_private: AllowPrivate = False,
    graph: Annotated[str | None, typer.Option(help="The graph of the endpoint that holds the model.")] = None,
) -> None:
    """Send a test message to every recipient of a model; exit code 1 if one does not arrive."""
    loaded = load_model(model, graph=graph)
    check_variables(loaded, allow_env or ())
    options = SendOptions(tuple(allow_env or ()), allow_private)
    messages = list(_test_messages(loaded, model))
    if not messages:
        err.print("The model has no alerts.")
        return
    outcomes = asyncio.run(_tried(messages, options, [section.address for section in loaded.sections]))
    for message, outcome in zip(messages, outcomes, strict=True):
        arrived = "arrived" if outcome.fate is Fate.SENT else "did not arrive"
        say(f"{message.to}: {arrived}: {outcome.said}")
    if any(outcome.fate is not Fate.SENT for outcome in outcomes):
        raise typer.Exit(1)


async def _tried(messages: list[Message], options: SendOptions, homes: list[str]) -> list[Delivery]:
    return [await try_sending(message, options, homes) for message in messages]


def _test_messages(model: Model, source: str) -> Iterator[Message]:
    """One message for each recipient, about something that has not happened."""
    seen: set[tuple[str, str | None]] = set()
    for alert in model.alerts:
        for to in alert.to:
            if (to, alert.secret) not in seen:
                seen.add((to, alert.secret))
                content = Content(int(time.time()), source, (_test_event(alert, model.sections[0].address),), 1)
                yield Message(uuid.uuid4().hex, to, content, secret=alert.secret)


def _test_event(alert: Alert, address: str) -> Event:
    kind = EventKind(alert.on[0].removeprefix(terms.ALERT)) if alert.on else EventKind.ROW
    said = Fact("note", "note", after=("Nothing has happened: rdfcrawl alerts test has sent this.",))
    return Event(kind, address, "a test", facts=(said,))


def _notice(text: str) -> None:
    err.print(f"Note: {text}")


_NUMERIC: Final = (False, False, True, False, False, False)


def _rows(listed: list[Listed]) -> Iterator[tuple[str, ...]]:
    for one in listed:
        when = _moment(one.tried or one.made)
        said = (
            f"{one.said}; again from {_moment(one.due)}" if one.state is MessageState.WAITING and one.said else one.said
        )
        yield _STATES[one.state], when, str(one.tries), one.recipient, one.subject, said


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M}"


def _next(waiting: list[Listed]) -> str:
    count = "1 waits" if len(waiting) == 1 else f"{len(waiting):,} wait"
    return f"{count}, the next one until {_moment(min(one.due for one in waiting))}"


def _as_json(one: Listed) -> dict[str, object]:
    def moment(seconds: float | None) -> str | None:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")

    return {
        "id": one.id,
        "state": _STATES[one.state],
        "run": run_iri(one.run),
        "to": one.recipient,
        "subject": one.subject,
        "made": moment(one.made),
        "tried": moment(one.tried),
        "tries": one.tries,
        "due": moment(one.due or one.made) if one.state is MessageState.WAITING else None,
        "said": one.said,
    }
