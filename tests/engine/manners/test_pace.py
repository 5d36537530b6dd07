"""How a host is treated that answers, that struggles, and that is gone: by rule, and in the server's own log."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.hosts import HostAside, HostStanding
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.manners.pace import HostGates, Manners, after_strain, after_success
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.run.run import RunOptions, run_model
from tests.crawling import Crawled, read_run, unloaded_store
from tests.thing_site import ThingSite, page, thing_site

MANNERS = Manners({}, patience=3, aside_seconds=100.0, asides=2)
HOST = "shop.example"


async def crawled(site: ThingSite, folder: Path, extra: str = "", concurrency: int | None = None) -> Crawled:
    store = unloaded_store(folder / "store")
    options = RunOptions(engine=Engine.HTTP, record=False, concurrency=concurrency)
    report = await run_model(site.model(folder, extra), store, options)
    return read_run(store, report.record)


def trouble(retry_after: float | None = None) -> FetchFailed:
    return FetchFailed(ProblemKind.UNREACHABLE, "trouble", transient=True, retry_after=retry_after, strained=True)


def strained(standing: HostStanding, times: int, now: float = 0.0) -> HostStanding:
    for _ in range(times):
        standing = after_strain(standing, MANNERS, now, None)
    return standing


class TestAHostInTrouble:
    """The rules, without a network."""

    def test_gets_half_as_much_at_once_and_slowly_more_again(self) -> None:
        """Down by halves, never below one; up by one for every round that goes well, never above the most."""
        assert after_strain(HostStanding(8.0), MANNERS, 0.0, None).bound == 4.0
        assert strained(HostStanding(8.0), 9).bound == 1.0
        assert after_success(HostStanding(2.0), most=4).bound == 2.5
        assert after_success(HostStanding(3.9), most=4).bound == 4.0

    def test_is_left_alone_as_long_as_it_asks(self) -> None:
        """But not for hours: then the page is given up and the rest goes on."""
        assert after_strain(HostStanding(4.0), MANNERS, 50.0, 20.0).until == 70.0
        assert after_strain(HostStanding(4.0), MANNERS, 50.0, 86400.0).until == 0.0

    def test_is_left_alone_when_it_keeps_failing_and_longer_each_time(self) -> None:
        """After the first pause one more failure is enough for the next."""
        first = strained(HostStanding(4.0), 3)
        assert 75 <= first.until <= 125
        assert first.asides == 1
        second = strained(first, 1, now=first.until)
        assert 150 <= second.until - first.until <= 250
        assert second.asides == 2

    def test_is_like_any_other_once_it_answers(self) -> None:
        """Nothing is held against it."""
        assert after_success(strained(HostStanding(1.0), 3), most=1) == HostStanding(1.0)


class TestGates:
    """One gate for all that is asked of a host."""

    async def test_a_host_that_is_left_alone_gets_no_turn(self) -> None:
        """The answer says until when; other hosts are not affected."""
        gates = HostGates(MANNERS)
        await gates.failed(HOST, trouble(retry_after=200.0))
        with pytest.raises(HostAside) as aside:
            async with gates.turn(HOST):
                pass
        assert aside.value.until == gates.aside_until(HOST)
        async with gates.turn("other.example"):
            pass

    async def test_a_host_that_never_recovers_is_given_up(self) -> None:
        """Its pages are problems at once, so that the run can end."""
        gates = HostGates(Manners({}, patience=1, aside_seconds=0.0, asides=2))
        for _ in range(2):
            await gates.failed(HOST, trouble())
            async with gates.turn(HOST):
                pass
        gates = HostGates(Manners({}, patience=1, aside_seconds=1000.0, asides=0))
        await gates.failed(HOST, trouble())
        with pytest.raises(FetchFailed, match="not asked again in this run"):
            async with gates.turn(HOST):
                pass

    async def test_failures_of_a_page_say_nothing_about_its_host(self) -> None:
        """A page that is gone or broken is its own trouble."""
        gates = HostGates(Manners({}, patience=1))
        await gates.failed(HOST, FetchFailed(ProblemKind.GONE, "gone"))
        await gates.failed(HOST, FetchFailed(ProblemKind.UNREACHABLE, "answered 500", transient=True))
        async with gates.turn(HOST):
            pass

    async def test_what_was_learnt_outlives_the_process(self, tmp_path: Path) -> None:
        """A later start of the run leaves the host alone as well, until the run has ended."""
        queue = await open_queue(tmp_path / "queue.sqlite")
        run = await queue.open(await queue.begin("identity"), worker="main", model="model")
        await HostGates(MANNERS, run.hosts).failed(HOST, trouble(retry_after=200.0))
        gates = HostGates(MANNERS, run.hosts)
        await gates.recall()
        assert gates.aside_until(HOST) > time.time()
        await run.frontier.forget()
        gates = HostGates(MANNERS, run.hosts)
        await gates.recall()
        assert gates.aside_until(HOST) == 0
        await queue.aclose()

    async def test_fewer_at_once_after_trouble(self) -> None:
        """Those who wait go on waiting until there is room under the lower bound."""
        gates = HostGates(Manners({HOST: 0.0}, concurrency=4))
        await gates.failed(HOST, trouble())
        inside = most = 0

        async def ask() -> None:
            nonlocal inside, most
            async with gates.turn(HOST):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(ask() for _ in range(20)))
        assert most == 2

    async def test_first_come_first_served_and_who_goes_away_holds_up_nobody(self) -> None:
        """Waiting requests are cancelled when a run is stopped, some of them at the moment of their turn."""
        gates = HostGates(Manners({HOST: 0.0}, concurrency=1))
        served: list[int] = []

        async def ask(number: int) -> None:
            async with gates.turn(HOST):
                served.append(number)

        async with gates.turn(HOST):
            waiting = [asyncio.create_task(ask(number)) for number in range(6)]
            await asyncio.sleep(0)
            waiting[1].cancel()
            waiting[4].cancel()
        # The first one has its turn by now, but has not begun.
        waiting[0].cancel()
        await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)
        assert served == [2, 3, 5]
        await asyncio.wait_for(ask(6), 5)
        assert served[-1] == 6

    async def test_everybody_who_waited_may_have_gone_away(self) -> None:
        """The next one does not wait behind them."""
        gates = HostGates(Manners({HOST: 0.0}, concurrency=1))
        async with gates.turn(HOST):
            waiting = asyncio.create_task(gates.enter(HOST))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            next_one = asyncio.create_task(gates.enter(HOST))
            await asyncio.sleep(0)
        await asyncio.wait_for(next_one, 5)


class TestTurns:
    """Requests to one machine, a delay apart, as this process sends them."""

    async def test_who_is_held_up_at_its_turn_is_not_followed_too_closely(self) -> None:
        """The delay counts from when a request really began, not from when it might have."""
        delay = 0.2
        gates = HostGates(Manners({HOST: delay}, concurrency=4))
        loop, began = asyncio.get_running_loop(), list[float]()

        async def ask() -> None:
            async with gates.turn(HOST):
                began.append(loop.time())

        asking = [asyncio.create_task(ask()) for _ in range(4)]
        await asking[0]
        # Nothing goes on in this process until the second turn is nearly over.
        time.sleep(1.9 * delay)  # noqa: ASYNC251 - that is what is tried
        await asyncio.gather(*asking)
        assert min(later - earlier for earlier, later in pairwise(began)) >= 0.99 * delay

    async def test_who_misses_a_turn_leaves_it(self, queue_address: str) -> None:
        """Somebody else has the next one, and was promised the whole delay."""
        delay = 0.2
        queue = await open_queue(queue_address)
        opened = [await queue.open(await queue.begin("a"), worker=name, model="m") for name in ("one", "two")]
        loop, began = asyncio.get_running_loop(), list[float]()

        async def ask(gates: HostGates) -> None:
            async with gates.turn(HOST):
                began.append(loop.time())

        both = [HostGates(Manners({HOST: delay}, concurrency=4), memory=one.hosts) for one in opened]
        asking = [asyncio.create_task(ask(gates)) for gates in (*both, *both)]
        await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        time.sleep(1.9 * delay)  # noqa: ASYNC251 - that is what is tried
        await asyncio.gather(*asking)
        await queue.aclose()
        assert min(later - earlier for earlier, later in pairwise(began)) >= 0.9 * delay

    @pytest.mark.parametrize("held_up", ["question", "answer"])
    async def test_what_is_held_up_on_its_way_to_the_queue_or_back_is_no_excuse(
        self, queue_address: str, monkeypatch: pytest.MonkeyPatch, held_up: str
    ) -> None:
        """A turn does not begin before the moment that the server means, nor long after it."""
        delay = 0.3
        queue = await open_queue(queue_address)
        opened = [await queue.open(await queue.begin("a"), worker=name, model="m") for name in ("one", "two")]
        both = [HostGates(Manners({HOST: delay}), memory=one.hosts) for one in opened]
        loop, began = asyncio.get_running_loop(), list[float]()
        hosts = opened[0].hosts
        reserve = hosts.reserve

        async def ask(gates: HostGates) -> None:
            async with gates.turn(HOST):
                began.append(loop.time())

        async def reserve_slowly(machine: str, delay: float) -> float:
            monkeypatch.setattr(hosts, "reserve", reserve)
            if held_up == "question":
                await asyncio.sleep(0.5 * delay)
            seconds = await reserve(machine, delay)
            if held_up == "answer":
                asking.append(asyncio.create_task(ask(both[1])))
                await asyncio.sleep(0.5 * delay)
            return seconds

        await ask(both[1])
        monkeypatch.setattr(hosts, "reserve", reserve_slowly)
        asking = [asyncio.create_task(ask(both[0]))]
        await asking[0]
        await asyncio.gather(*asking)
        await queue.aclose()
        assert min(later - earlier for earlier, later in pairwise(sorted(began))) >= 0.9 * delay


class TestInTheServersLog:
    """A real crawl, as its host sees it."""

    async def test_the_delay_is_kept_between_any_two_requests(self, tmp_path: Path) -> None:
        """Also when several could be sent at once."""
        async with thing_site(6) as site:
            before = time.monotonic()
            await crawled(site, tmp_path, extra="; :delay 50 ")
            begun = sorted(asked.begun for asked in site.log)
        assert len(begun) == 8
        # Whatever delays the server's notes, the n-th request cannot come before n - 1 delays have passed.
        assert all(moment - before > number * 0.049 for number, moment in enumerate(begun))

    async def test_no_more_requests_at_once_than_allowed(self, tmp_path: Path) -> None:
        """Robots.txt included."""
        async with thing_site(40) as site:
            await crawled(site, tmp_path, concurrency=3)
        assert site.most_at_once == 3

    @pytest.mark.parametrize("status", [429, 503])
    async def test_nothing_is_asked_of_the_host_before_the_time_it_has_set(self, tmp_path: Path, status: int) -> None:
        """Not that page and no other; afterwards everything is read."""
        async with thing_site(6) as site:
            site.answers["/thing/0"] = [web.Response(status=status, headers={"Retry-After": "1"})]
            found = await crawled(site, tmp_path, concurrency=1)
            refused = next(asked for asked in site.log if asked.path == "/thing/0")
            after = [asked.begun for asked in site.log if asked.begun > refused.begun]
        assert len(after) == 6
        assert min(after) - refused.ended > 0.9
        assert found.problems == ()

    async def test_what_would_not_change_is_asked_for_once(self, tmp_path: Path) -> None:
        """Refusals and pages that are gone are answers."""
        async with thing_site(3) as site:
            for number, status in enumerate((403, 404, 410)):
                site.answers[f"/thing/{number}"] = [web.Response(status=status)]
            await crawled(site, tmp_path)
        assert set(site.asked.values()) == {1}

    async def test_pages_that_wait_for_the_browser_keep_no_others_waiting(self, tmp_path: Path) -> None:
        """While it starts, pages that need none are read: those that do must not hold all the turns at their host."""

        async def by_script(_: web.Request) -> web.Response:
            return page("<body><script>document.body.innerHTML = '<main><h1>Late</h1></main>'</script>")

        async with thing_site(44) as site:
            scripted = [f"/thing/{number}" for number in range(20)]
            site.answers = {path: [by_script, by_script] for path in scripted}
            store = unloaded_store(tmp_path / "store")
            report = await run_model(site.model(tmp_path), store, RunOptions(record=False))
        assert report.record.counts.pages == {"http": 25, "browser": 20}
        plain = [f"/thing/{number}" for number in range(20, 44)]
        last = max(number for number, asked in enumerate(site.log) if asked.path in plain)
        assert not [asked for asked in site.log[:last] if "Chrome/" in asked.headers["User-Agent"]]
