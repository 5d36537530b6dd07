"""Rows of a query that were not there after the run before are events."""

from __future__ import annotations

from tests.alert.conftest import AlertedRuns
from tests.alert.test_alert_events import alerting, labels
from tests.versioning.library import MODEL, book

QUERY = "SELECT ?title WHERE { ?book book:price ?price ; book:title ?title FILTER (?price < 5) }"
CHEAP = alerting(f':query "{QUERY}"')


async def test_new_rows_are_told_once(runs: AlertedRuns) -> None:
    """The first time the query is only taken note of; a row that comes back is new again."""
    assert await runs.run(1, CHEAP, book("a", price="1.00")) == []
    both = [*book("a", price="1.00"), *book("b", price="2.00"), *book("c")]
    assert labels(await runs.run(2, CHEAP, both)) == [("row", "B")]
    assert await runs.run(3, CHEAP, both) == []
    assert await runs.run(4, CHEAP, [*book("a", price="1.00"), *book("b", price="9.00")]) == []
    assert labels(await runs.run(5, CHEAP, both)) == [("row", "B")]


async def test_an_alert_that_is_added_later_begins_with_what_there_is(runs: AlertedRuns) -> None:
    """And so does a query that was edited."""
    await runs.run(1, MODEL, book("a", price="1.00"))
    assert await runs.run(2, CHEAP, book("a", price="1.00")) == []
    other = CHEAP.replace("< 5", "< 20")
    assert await runs.run(3, other, [*book("a", price="1.00"), *book("b")]) == []


async def test_a_query_that_is_not_answered_is_named_and_asked_again(runs: AlertedRuns) -> None:
    """It must not send parts of itself to other hosts; no row is lost by that."""
    await runs.run(1, alerting(':query "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"'), book("a"))
    (notice,) = runs.notices
    assert "SELECT * WHERE { SERVICE" in notice
    assert "was not answered: SERVICE would send parts of the query to another host" in notice
    assert runs.listed() == []


async def test_a_row_is_shown_with_what_it_is_about(runs: AlertedRuns) -> None:
    """The first address is that; values are told by their variables, and the query knows the model's prefixes."""
    model = alerting(':query "SELECT ?book ?price WHERE { ?book book:price ?price }"')
    await runs.run(1, model, [])
    (message,) = await runs.run(2, model, book("a"))
    (event,) = message.content.events
    assert (event.about, event.title) == ("http://library.example/book/a", "9.9")
    assert [(fact.name, fact.after) for fact in event.facts] == [
        ("book", ("http://library.example/book/a",)),
        ("price", ("9.9",)),
    ]
