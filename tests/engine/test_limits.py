"""Every limit has its problem, and the run goes on; only a full disk stops it, and then it can go on later."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.manners.window import Window
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.runs.record import RunState
from tests.crawling import Crawled, read_run, unloaded_store
from tests.thing_site import ThingSite, page, thing_site

COSTLY = "//li[count(//li/following-sibling::li/a) > 0]/a"


ENDLESS_LIST = """
<style>li { height: 2000px }</style><ul></ul><button>more</button>
<script>
  const list = document.querySelector("ul");
  let part = 0;
  function load() {
    if (MODE === "next") list.replaceChildren();
    list.insertAdjacentHTML("beforeend", `<li><a href="/thing/${part++}">x</a></li>`);
  }
  document.querySelector("button").onclick = load;
  addEventListener("scroll", () => {
    if (MODE === "scroll" && innerHeight + scrollY >= document.documentElement.scrollHeight - 10) load();
  });
  load();
</script>
"""


async def crawled(
    site: ThingSite, folder: Path, limits: RunLimits, turtle: str | None = None, engine: Engine = Engine.HTTP
) -> Crawled:
    store = unloaded_store(folder / "store")
    (folder / "model.ttl").write_text(turtle or site.turtle(), encoding="utf-8")
    options = RunOptions(engine=engine, record=False, limits=limits)
    report = await run_model(load_model(folder / "model.ttl"), store, options)
    return read_run(store, report.record)


def names(found: Crawled) -> list[str]:
    return sorted(line.split('"')[1] for line in found.triples if " <property://name> " in line)


def problems(found: Crawled) -> list[tuple[str, str]]:
    return [(problem["kind"], problem["reason"]) for problem in found.problems]


class TestOfAPage:
    """One page is given up, its object is unread, the others are there."""

    @pytest.mark.parametrize(
        ("answer", "limits", "reason"),
        [
            (page("<b>" * 20_000), RunLimits(depth=500), "nested"),
            (page("<p>" * 200 + "<main><h1>x</h1></main>"), RunLimits(elements=100), "elements; the limit is 100"),
            (page("<p>" + "x" * 5000), RunLimits(body_bytes=3000), "larger than 3,000 bytes"),
            (web.Response(status=302, headers={"Location": "/round"}), RunLimits(redirects=2), "more than 2 redirects"),
        ],
        ids=["depth", "elements", "bytes", "redirects"],
    )
    async def test_what_is_too_much(self, tmp_path: Path, answer: web.Response, limits: RunLimits, reason: str) -> None:
        """Depth, elements, bytes, redirects."""
        await self._one_is_given_up(tmp_path, answer, limits, reason)

    @pytest.mark.usefixtures("cold_processes")
    async def test_too_much_memory(self, tmp_path: Path) -> None:
        """What the process that reads has from the start is not the page's fault, and leaves room for others."""
        limits, reason = RunLimits(worker_bytes=200_000_000), "more memory than the 200,000,000 bytes"
        await self._one_is_given_up(tmp_path, page("<b>x</b>" * 900_000), limits, reason)

    async def _one_is_given_up(self, folder: Path, answer: web.Response, limits: RunLimits, reason: str) -> None:
        async def always(request: web.Request) -> web.Response:
            return web.Response(body=answer.body, status=answer.status, headers=answer.headers)

        async with thing_site(2) as site:
            site.answers["/thing/0"] = [always]
            site.answers["/round"] = [always] * 9
            found = await crawled(site, folder, limits)
        assert names(found) == ["Thing 1"]
        ((kind, said),) = problems(found)
        assert kind == "limit"
        assert reason in said
        assert found.unread.objects == (f"{site.address}/thing/0",)

    @pytest.mark.usefixtures("cold_processes")
    async def test_an_xpath_that_takes_for_ever_is_interrupted(self, tmp_path: Path) -> None:
        """No matter that nothing in Python could: the page is a problem, and the next section is read."""
        async with thing_site(3000) as site:
            turtle = site.turtle().replace('"//li/a"', f'"{COSTLY}"')
            found = await crawled(site, tmp_path, RunLimits(extraction_seconds=0.5), turtle)
        ((kind, said),) = problems(found)
        assert kind == "limit"
        assert "takes more than 0.5 seconds" in said
        assert found.unread.lists == ((f"{site.address}/list", "item://thing"),)


class TestOfARun:
    """What is left is unread, not gone."""

    async def test_a_list_has_no_more_pages_than_allowed(self, tmp_path: Path) -> None:
        """It ends there, with what it has."""

        async def part(request: web.Request) -> web.Response:
            number = int(request.query.get("page", "0"))
            following = f'<a rel=next href="/list?page={number + 1}">next</a>'
            return page(f'<li><a href="/thing/{number}">x</a></li>{following}')

        async with thing_site(0) as site:
            site.answers = {path: [part] for path in ("/list", "/list?page=1", "/list?page=2", "/list?page=3")}
            found = await crawled(site, tmp_path, RunLimits(list_pages=3))
            assert "/list?page=3" not in site.asked
        assert names(found) == ["Thing 0", "Thing 1", "Thing 2"]
        assert problems(found) == [("limit", "the list has more than 3 pages; it ends here")]
        assert found.unread.lists == ((f"{site.address}/list", "item://thing"),)

    @pytest.mark.exhaustive
    @pytest.mark.parametrize(
        ("mode", "term"), [("more", ':more "//button"'), ("next", ':next "//button"'), ("scroll", ":scroll 500")]
    )
    async def test_a_list_has_no_more_pages_in_the_browser_either(self, tmp_path: Path, mode: str, term: str) -> None:
        """However its parts are loaded, it ends at the same place and with the same words as over HTTP."""
        async with thing_site(0) as site:
            site.answers = {"/list": [page(ENDLESS_LIST.replace("MODE", f'"{mode}"'))]}
            turtle = site.turtle().replace(""":next "//a[@rel='next']\"""", term)
            found = await crawled(site, tmp_path, RunLimits(list_pages=3), turtle, Engine.BROWSER)
        assert names(found) == ["Thing 0", "Thing 1", "Thing 2"]
        assert problems(found) == [("limit", "the list has more than 3 pages; it ends here")]
        assert found.unread.lists == ((f"{site.address}/list", "item://thing"),)

    async def test_as_many_pages_are_read_as_allowed(self, tmp_path: Path) -> None:
        """Exactly; the run is complete, its section is not."""
        async with thing_site(50) as site:
            found = await crawled(site, tmp_path, RunLimits(pages=20))
            assert sum(site.asked.values()) - site.asked["/robots.txt"] == 20
        assert len(names(found)) == 19
        assert problems(found) == [("limit", "the 20 pages of this run are used up; 31 known pages were not read")]
        assert found.record.state is RunState.COMPLETE
        assert not found.record.sections[0].complete
        assert len(found.unread.objects) == 31

    async def test_a_run_ends_when_its_hours_are_over(self, tmp_path: Path) -> None:
        """With what it has by then; here that is nothing."""
        async with thing_site(5) as site:
            found = await crawled(site, tmp_path, RunLimits(seconds=0.0))
        assert problems(found) == [("limit", "the 0 hours of this run are used up; 1 known pages were not read")]
        assert found.unread.lists == ((f"{site.address}/list", "item://thing"),)

    async def test_a_full_disk_stops_the_run_before_it_is_full(self, tmp_path: Path) -> None:
        """It goes on when there is room again, and nothing is asked for twice."""
        async with thing_site(5) as site:
            store, model = unloaded_store(tmp_path / "store"), site.model(tmp_path)
            options = RunOptions(engine=Engine.HTTP, record=False, limits=RunLimits(free_bytes=2**62))
            store.folder.mkdir()
            with pytest.raises(Stopped, match="free some space") as stopped:
                await run_model(model, store, options)
            assert stopped.value.exit_code == 3
            report = await run_model(model, store, RunOptions(engine=Engine.HTTP, record=False))
            assert set(site.asked.values()) == {1}
        assert report.record.counts.objects == {"item://thing": 5}


class TestWindow:
    """The time of day in which a run works."""

    @pytest.mark.parametrize(
        ("window", "now", "hours"),
        [
            ("22:00-06:00", "21:00", 1),
            ("22:00-06:00", "22:00", 0),
            ("22:00-06:00", "23:59", 0),
            ("22:00-06:00", "05:59", 0),
            ("22:00-06:00", "06:00", 16),
            ("9:00-17:30", "08:00", 1),
            ("9:00-17:30", "17:29", 0),
            ("9:00-17:30", "18:00", 15),
        ],
    )
    def test_work_waits_for_it(self, window: str, now: str, hours: float) -> None:
        """Also over midnight."""
        moment = datetime.fromisoformat(f"2024-05-17 {now}")
        assert replace(Window.parse(window), clock=lambda: moment).seconds_until_open() == hours * 3600

    @pytest.mark.parametrize("text", ["", "22-6", "25:00-06:00", "22:00", "22:00-22:00"])
    def test_a_window_that_is_none_is_refused(self, text: str) -> None:
        """With an example of one."""
        with pytest.raises(UsageError, match=r"22:00"):
            Window.parse(text)


class TestSettings:
    """Limits as they are given on the command line."""

    def test_a_limit_is_changed_by_name(self) -> None:
        """The others keep their defaults."""
        changed = RunLimits().with_settings(["body-bytes=1000", "page-seconds=1.5"])
        assert changed == RunLimits(body_bytes=1000, page_seconds=1.5)

    def test_the_pages_of_a_run_are_a_limit_like_any_other(self) -> None:
        """Though there is none by default."""
        assert RunLimits().with_settings(["pages=3"]) == RunLimits(pages=3)
        with pytest.raises(UsageError, match="pages=1000"):
            RunLimits().with_settings(["pages=0"])

    @pytest.mark.parametrize("setting", ["bytes=1", "depth", "depth=", "depth=-1", "depth=many", "seconds=3"])
    def test_a_setting_that_is_none_is_refused(self, setting: str) -> None:
        """The message shows what there is, or what is expected."""
        with pytest.raises(UsageError, match="depth="):
            RunLimits().with_settings([setting])
