"""What is counted along the way, and what of it the frontier gets."""

from __future__ import annotations

from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.frontier.entries import Counted, Entry, Outcome, PageResult
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.model import LinksPage

ENTRY = Entry(1, "page://a", "a", "http://site.example/a", "site.example", 0, 1, 0, 0)
PROBLEM = Problem(ProblemKind.MISSING, "http://site.example/a", "page://a", "not there")
PAGE = LinksPage(iri="page://a", path="//a", target="page://b")


def added(*news: Counted) -> Counted:
    """What a frontier makes of several commits."""
    amounts: dict[tuple[str, str], float] = {}
    reasons: dict[str, str] = {}
    for counted in news:
        for name, amount in counted.amounts.items():
            amounts[name] = amounts.get(name, 0) + amount
        reasons |= counted.reasons
    return Counted(amounts, reasons)


def test_only_what_is_new_is_told() -> None:
    """Each count and each reason once, so that the sum of all commits is the whole."""
    tally = Tally(Choice(Engine.AUTO))
    tally.count(PageResult(Outcome(ENTRY), Engine.HTTP, ["<a> <b> <c>", "<a> <b> <d>"], [PROBLEM, PROBLEM]))
    tally.choice.plain_was_enough(PAGE)
    tally.seconds = 0.5
    assert tally.news() == Counted(
        {
            ("pages", "http"): 1,
            ("problems", "missing"): 2,
            ("triples", ""): 2,
            ("plain", "page://a"): 1,
            ("seconds", ""): 0.5,
        }
    )
    assert tally.news() == Counted()
    tally.count(PageResult(Outcome(ENTRY), Engine.BROWSER, unchanged=True))
    tally.choice.browser_helped(PAGE, "bare")
    tally.choice.browser_did_not_help(PAGE)
    assert tally.news() == Counted(
        {("pages", "browser"): 1, ("unchanged", ""): 1, ("helped", "page://a"): 1, ("in_vain", "page://a"): 1},
        {"page://a": "bare"},
    )


def test_a_resumed_tally_is_what_was_counted_before() -> None:
    """It goes on from there, and tells nothing twice; whoever adds up may do it in floating point."""
    first = Tally(Choice(Engine.AUTO))
    first.count(PageResult(Outcome(ENTRY), Engine.HTTP, ["<a> <b> <c>"], [PROBLEM], unchanged=True))
    first.choice.browser_helped(PAGE, "bare")
    first.seconds = 1.25
    kept = first.news()
    kept = Counted({name: float(amount) for name, amount in kept.amounts.items()}, kept.reasons)
    second = Tally.resumed(Engine.AUTO, kept)
    assert (second.pages, second.problems) == ({"http": 1}, {"missing": 1})
    assert (second.triples, second.unchanged, second.seconds) == (1, 1, 1.25)
    assert second.choice == first.choice
    assert second.news() == Counted()
    second.count(PageResult(Outcome(ENTRY), Engine.HTTP))
    assert Tally.resumed(Engine.AUTO, added(kept, second.news())).pages == {"http": 2}
