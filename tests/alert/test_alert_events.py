"""What is an event: what a run has found out and the run before had not, and nothing else."""

from __future__ import annotations

import pytest

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.events.gathering import AlertEvents
from rdfcrawl.alert.messages.message import (
    MOST_SINGLE,
    Content,
    Message,
    joined_keys,
    messages_of,
    parted_keys,
    without_known,
)
from rdfcrawl.alert.noting import prepare_outbox
from rdfcrawl.metamodel.model import Alert
from rdfcrawl.store.runs.unread import Unread
from tests.alert.conftest import AlertedRuns
from tests.commands import Command
from tests.versioning.library import MODEL, NOVELS, POEMS, book, review

ME = "mailto:me@library.example"


def alerting(said: str, model: str = MODEL) -> str:
    """The model of the library with one alert."""
    return f"{model}\n@prefix alert: <alert://> .\n<model:> :alert [ {said} ; :to <{ME}> ] .\n"


CHANGES = alerting(":on alert:added , alert:changed , alert:removed")


def events(messages: list[Message]) -> list[Event]:
    return [event for message in messages for event in message.content.events]


def labels(messages: list[Message]) -> list[tuple[str, str]]:
    return [(event.kind.value, event.label) for event in events(messages)]


async def test_what_comes_goes_and_changes_is_told_with_its_values(runs: AlertedRuns) -> None:
    """Each object is a message of its own, with the values before and after."""
    await runs.run(1, CHANGES, [*book("a"), *book("b"), *book("c")])
    messages = await runs.run(2, CHANGES, [*book("a", price="7.50"), *book("b"), *book("d")])
    assert labels(messages) == [("added", "D"), ("changed", "A"), ("removed", "C")]
    added, changed, removed = events(messages)
    assert changed.facts == (Fact("book:price", "property://book/price", ("9.90",), ("7.50",)),)
    assert Fact("book:title", "property://book/title", after=("D",)) in added.facts
    assert Fact("book:title", "property://book/title", before=("C",)) in removed.facts
    assert added.about == "http://library.example/book/d"
    assert {message.content.total for message in messages} == {1}
    assert len({message.id for message in messages}) == 3


async def test_a_first_run_tells_nobody_what_is_there(runs: AlertedRuns) -> None:
    """Nor does the first run of another section."""
    runs.written.add(1, CHANGES, book("a"), sections=[NOVELS])
    assert await runs.note() == []
    runs.written.add(2, CHANGES, book("b", section=POEMS), sections=[POEMS])
    assert await runs.note() == []


async def test_a_section_that_was_never_read_is_new_as_a_whole(runs: AlertedRuns) -> None:
    """Although another section of the same run was read before."""
    runs.written.add(1, CHANGES, book("a"), sections=[NOVELS])
    await runs.note()
    messages = await runs.run(2, CHANGES, [*book("a"), *book("b"), *book("p", section=POEMS)])
    assert labels(messages) == [("added", "B")]


async def test_an_alert_can_be_about_one_class(runs: AlertedRuns) -> None:
    """Others are not told, and values of others neither."""
    model = alerting(":on alert:added , alert:changed ; :class item:review")
    await runs.run(1, model, book("a"))
    messages = await runs.run(2, model, [*book("a", price="1.00"), *book("b"), *review("a", "r", "Max", "5", "Good")])
    assert [event.item for event in events(messages)] == ["item://review"]


async def test_an_outage_removes_nothing(runs: AlertedRuns) -> None:
    """What could not be read is not gone, and when it is back it is not new."""
    await runs.run(1, CHANGES, [*book("a"), *book("b")])
    gone = Unread(("http://library.example/book/b",), ())
    assert await runs.run(2, CHANGES, book("a"), unread=gone) == []
    assert await runs.run(3, CHANGES, [*book("a"), *book("b")]) == []


def _reviewed(count: int) -> list[str]:
    numbers = range(count)
    return [
        line for number in numbers for line in (*book(f"b{number}"), *review(f"b{number}", "r", "Max", "5", "Good"))
    ]


async def test_removals_that_are_suspected_wait_until_they_are_accepted(runs: AlertedRuns) -> None:
    """Then they are sent, once; what was told before is not told again."""
    model = alerting(":on alert:added , alert:removed ; :digest true")
    await runs.run(1, model, _reviewed(12))
    books = [line for number in range(13) for line in book(f"b{number}")]
    assert labels(await runs.run(2, model, books)) == [("added", "B12")]
    accepting = Command("accept", "--store", str(runs.written.store))
    assert await accepting.ended() == 0, accepting.said
    _, digest = runs.listed()
    assert digest.subject == "rdfcrawl: 12 removed"
    assert await runs.note() == []
    assert await runs.run(3, model, books) == []


async def test_suspicions_are_problems_once(runs: AlertedRuns) -> None:
    """Somebody has to decide; the next run that suspects the same is no news."""
    model = alerting(":on alert:problem")
    await runs.run(1, model, _reviewed(12))
    books = [line for number in range(12) for line in book(f"b{number}")]
    (message,) = await runs.run(2, model, books)
    (event,) = message.content.events
    assert event.kind is EventKind.PROBLEM
    assert event.title.startswith("12 of 12 objects of item:review are missing since run 2")
    assert "rdfcrawl accept" in event.facts[1].after[0]
    assert await runs.run(3, model, books) == []


async def test_suspicions_of_a_run_that_was_killed_before_it_had_any_are_told(runs: AlertedRuns) -> None:
    """Its changes are written first; its removals wait."""
    model = alerting(":on alert:problem , alert:removed")
    await runs.run(1, model, _reviewed(12))
    runs.written.add(2, model, [line for number in range(12) for line in book(f"b{number}")])
    (message,) = await runs.note()
    assert message.content.events[0].title.startswith("12 of 12 objects of item:review are missing")


async def test_an_edit_of_the_model_is_no_change_of_the_site(runs: AlertedRuns) -> None:
    """Every value is another one, and nobody is told."""
    await runs.run(1, CHANGES, [*book("a"), *book("b")])
    edited = CHANGES.replace('".//b" ;', '".//strong" ;')
    assert edited != CHANGES
    assert await runs.run(2, edited, [*book("a", price="1.00"), *book("b", price="1.00")]) == []


async def test_another_recipient_does_not_make_it_another_model(runs: AlertedRuns) -> None:
    """What was known before is still known."""
    await runs.run(1, CHANGES, book("a"))
    other = CHANGES.replace(ME, "mailto:you@library.example")
    assert await runs.run(2, other, book("a")) == []
    (message,) = await runs.run(3, other, [*book("a"), *book("b")])
    assert message.to == "mailto:you@library.example"


@pytest.mark.parametrize(("count", "messages"), [(MOST_SINGLE, MOST_SINGLE), (MOST_SINGLE + 1, 1)])
async def test_above_a_bound_events_come_as_a_digest(runs: AlertedRuns, count: int, messages: int) -> None:
    """Nobody reads hundreds of messages."""
    await runs.run(1, CHANGES, book("a"))
    sent = await runs.run(2, CHANGES, [*book("a"), *(line for n in range(count) for line in book(f"n{n}"))])
    assert len(sent) == messages
    assert sum(message.content.total for message in sent) == count


def test_an_event_of_two_alerts_is_told_once_to_each_recipient() -> None:
    """The first alert tells; the second one has other recipients, other events and the rows of its query."""
    you = "mailto:you@library.example"
    new, gone = (Event(kind, "https://library.example/1") for kind in (EventKind.ADDED, EventKind.REMOVED))
    row = Event(EventKind.ROW, "https://library.example/1")
    first, second = Alert(("alert://added",), to=(ME,)), Alert(("alert://added", "alert://removed"), to=(ME, you))
    queries = [Alert((), query=f"SELECT ?{name} {{}}", to=(ME,)) for name in "ab"]
    found = [AlertEvents(first, (new,)), AlertEvents(second, (new, gone))]
    found += [AlertEvents(query, (row,)) for query in queries]
    sent = list(messages_of(found, "store", 1, "model.ttl", {}))
    told = [(message.to, event.kind.value) for message in sent for event in message.content.events]
    assert told == [(ME, "added"), (ME, "removed"), (you, "added"), (you, "removed"), (ME, "row"), (ME, "row")]
    assert len({message.id for message in sent}) == len(sent)


def test_ten_thousand_events_and_more_are_one_message() -> None:
    """It says how many there are; whoever is told of them is not told again."""
    alert = Alert(("alert://added",), to=(ME,))
    events = tuple(Event(EventKind.ADDED, f"https://library.example/{number}") for number in range(10_500))
    (message,) = messages_of([AlertEvents(alert, events)], "store", 1, "model.ttl", {})
    assert (message.content.total, len(message.content.events), len(message.keys)) == (10_500, 10_000, 10_500)
    assert parted_keys(joined_keys(message.keys)) == message.keys
    assert Content.unpacked(message.content.packed()) == message.content
    assert without_known(AlertEvents(alert, events), message.keys).events == ()


SITE = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix alert: <alert://> .
<model:> :section <https://conferences.example/> ; :alert [ :on alert:found ; :to <mailto:me@library.example> ] .
<https://conferences.example/> :page page:site .
page:site :type type:site ; :criterion <criterion://call> ; :threshold 4 .
<criterion://call> :contains "call for papers" ; :weight 5 .
"""


def found(name: str, score: str = "5", find: bool = True) -> list[str]:
    """The facts of a page with a score."""
    page, site = f"<https://conferences.example/{name}>", "predicate://site/"
    lines = [
        f"<https://conferences.example/> <{site}page> {page} .",
        f"{page} <{site}kind> <{site}html> .",
        f'{page} <{site}title> "Page {name}" .',
        f'{page} <{site}score> "{score}"^^<http://www.w3.org/2001/XMLSchema#decimal> .',
    ]
    if find:
        lines.append(f'{page} <{site}find> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .')
        lines.append(f"{page} <{site}meets> <criterion://call> .")
    return lines


async def test_finds_are_told_from_the_first_run_on_the_best_first(runs: AlertedRuns) -> None:
    """With their score and what they meet, in words."""
    messages = await runs.run(1, SITE, [*found("a"), *found("b", "12.5"), *found("c", "1", find=False)])
    assert labels(messages) == [("found", "Page b"), ("found", "Page a")]
    assert events(messages)[0].facts == (
        Fact("score", "predicate://site/score", after=("12.5",)),
        Fact("meets", "predicate://site/meets", after=('contains "call for papers" (+5)',)),
    )


async def test_a_find_is_told_when_it_becomes_one(runs: AlertedRuns) -> None:
    """Not when its score changes, not when it could not be read in between; once more when it was none meanwhile."""
    await runs.run(1, SITE, [*found("a"), *found("c", "1", find=False)])
    assert labels(await runs.run(2, SITE, [*found("a", "7"), *found("c", "6")])) == [("found", "Page c")]
    unread = Unread(("https://conferences.example/a",), ())
    assert await runs.run(3, SITE, found("c"), unread=unread) == []
    assert await runs.run(4, SITE, [*found("a"), *found("c", "1", find=False)]) == []
    assert labels(await runs.run(5, SITE, [*found("a"), *found("c")])) == [("found", "Page c")]


async def test_finds_of_edited_criteria_come_in_one_message_that_says_so(runs: AlertedRuns) -> None:
    """They are wanted, but they are not news of the site."""
    await runs.run(1, SITE, found("a"))
    edited = SITE.replace(":threshold 4", ":threshold 3")
    (message,) = await runs.run(2, edited, [*found("a"), *found("b"), *found("c")])
    assert (message.content.digest, message.content.edited, message.content.total) == (True, True, 2)


async def test_what_a_page_says_about_itself_makes_no_find(runs: AlertedRuns) -> None:
    """A title is a text, whatever it looks like."""
    page = "<https://conferences.example/x>"
    title = f'{page} <predicate://site/title> " <predicate://site/find> \\"true\\"" .'
    edge = f"<https://conferences.example/> <predicate://site/page> {page} ."
    assert await runs.run(1, SITE, [edge, title]) == []


async def test_events_of_a_run_that_was_killed_are_told_by_the_next(runs: AlertedRuns) -> None:
    """Of both runs, each once."""
    await runs.run(1, CHANGES, book("a"))
    runs.add(2, CHANGES, [*book("a"), *book("b")])
    messages = await runs.run(3, CHANGES, [*book("a"), *book("b"), *book("c")])
    assert labels(messages) == [("added", "B"), ("added", "C")]
    assert [message.content.run for message in messages] == [2, 3]
    assert await runs.note() == []


async def test_runs_from_before_there_was_an_outbox_are_not_told(runs: AlertedRuns) -> None:
    """Whoever loses the outbox, or moves it away, is not flooded."""
    await runs.run(1, CHANGES, book("a"))
    runs.add(2, CHANGES, [*book("a"), *book("b")])
    (runs.written.store / "alerts.sqlite").unlink()
    prepare_outbox(runs.store)
    assert await runs.note() == []
    assert labels(await runs.run(3, CHANGES, [*book("a"), *book("b"), *book("c")])) == [("added", "C")]


async def test_a_run_whose_files_are_damaged_does_not_keep_others_from_being_told(runs: AlertedRuns) -> None:
    """It is named."""
    await runs.run(1, CHANGES, book("a"))
    runs.add(2, CHANGES, [*book("a"), *book("b")])
    runs.written.files.model(2).write_text("no model")
    await runs.run(3, CHANGES, [*book("a"), *book("b"), *book("c")])
    assert runs.notices[-1] == "the events of run 2 cannot be determined: its model can no longer be read"
    assert [one.subject for one in runs.listed()] == ["rdfcrawl: added: C"]
