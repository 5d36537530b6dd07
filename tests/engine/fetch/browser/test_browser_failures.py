"""What goes wrong: servers, downloads, tabs and browsers; and that nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from aiohttp import web
from browser_site import Site, documents, links, thing
from playwright.async_api import Error as PlaywrightError

from rdfcrawl.engine.fetch.browser.chromium import Chromium, find_chromium
from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.session import FetchFailed, Request
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import BrowserMissing

pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def own_browser(**options: object) -> AsyncIterator[BrowserFetcher]:
    """A browser that a test may break."""
    fetcher = BrowserFetcher(**options)  # type: ignore[arg-type]
    try:
        yield fetcher
    finally:
        await fetcher.close()


def chromium_of(fetcher: BrowserFetcher) -> Chromium:
    assert fetcher._chromium is not None
    return fetcher._chromium


async def process_of(fetcher: BrowserFetcher) -> int:
    """The id of the browser's main process."""
    told = await chromium_of(fetcher).network.send("SystemInfo.getProcessInfo")
    return next(int(process["id"]) for process in told["processInfo"] if process["type"] == "browser")


def runs(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def crash(fetcher: BrowserFetcher) -> None:
    """Crash the tab that is at work."""
    for page in chromium_of(fetcher).context.pages:
        with suppress(PlaywrightError):
            await page.goto("chrome://crash")


@pytest.mark.parametrize(
    ("status", "text", "kind", "transient"),
    [
        (404, "<p>an error page", ProblemKind.GONE, False),
        pytest.param(410, "", ProblemKind.GONE, False, marks=pytest.mark.exhaustive),
        (403, "<p>an error page", ProblemKind.UNREACHABLE, False),
        pytest.param(500, "<p>an error page", ProblemKind.UNREACHABLE, True, marks=pytest.mark.exhaustive),
        (503, "", ProblemKind.UNREACHABLE, True),
    ],
)
async def test_error_statuses_are_no_pages(
    site: Site, browser: BrowserFetcher, status: int, text: str, kind: ProblemKind, transient: bool
) -> None:
    """With and without a body."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=status, text=text, content_type="text/html")

    path = f"/error/{status}"
    site.answers[path] = answer
    with pytest.raises(FetchFailed) as failed:
        await documents(browser, site.address(path), thing())
    assert (failed.value.kind, failed.value.transient) == (kind, transient)


async def test_server_says_when_to_come_back(site: Site, browser: BrowserFetcher) -> None:
    """Its wish goes to the crawl."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "7"})

    site.answers["/busy"] = answer
    with pytest.raises(FetchFailed) as failed:
        await documents(browser, site.address("/busy"), thing())
    assert (failed.value.transient, failed.value.retry_after) == (True, 7.0)


async def test_server_that_is_not_there_may_come_back(browser: BrowserFetcher) -> None:
    """Nothing listens on port 9."""
    with pytest.raises(FetchFailed, match="ERR_") as failed:
        await documents(browser, "http://127.0.0.1:9/", thing())
    assert (failed.value.kind, failed.value.transient) == (ProblemKind.UNREACHABLE, True)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/html", "Content-Disposition": "attachment; filename=page.html"},
        {"Content-Type": "application/pdf"},
        pytest.param({"Content-Type": "application/zip"}, marks=pytest.mark.exhaustive),
        pytest.param({"Content-Type": "image/png"}, marks=pytest.mark.exhaustive),
    ],
)
async def test_download_is_no_page(site: Site, browser: BrowserFetcher, headers: dict[str, str]) -> None:
    """Neither is anything else without elements; the tab goes on to the next page."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=b"%PDF-1.4 or something", headers=headers)

    site.answers["/download"] = answer
    with pytest.raises(FetchFailed) as failed:
        await documents(browser, site.address("/download"), thing())
    assert failed.value.kind is ProblemKind.UNREADABLE
    assert len(await documents(browser, site.address("/pages/next-address"), links())) == 1


@pytest.mark.parametrize("leads_to", ["/archive.zip", "mailto:somebody@books.example"])
async def test_a_page_whose_script_leaves_it_for_no_page_is_told_at_once(
    site: Site, browser: BrowserFetcher, leads_to: str
) -> None:
    """The browser reads it no further, so that what follows the script is missing; it is not a server that is slow."""

    async def download(request: web.Request) -> web.Response:
        return web.Response(body=b"PK", headers={"Content-Type": "application/zip"})

    async def page(request: web.Request) -> web.Response:
        text = f"<!doctype html><main><h1>Thing</h1><script>location = '{leads_to}'</script><p>the rest</main>"
        return web.Response(text=text, content_type="text/html")

    site.answers |= {"/archive.zip": download, "/leaving": page}
    with pytest.raises(FetchFailed, match="a script leaves the page before its end") as failed:
        await documents(browser, site.address("/leaving"), thing())
    assert (failed.value.kind, failed.value.transient) == (ProblemKind.UNREADABLE, False)
    assert len(await documents(browser, site.address("/pages/next-address"), links())) == 1


async def test_a_page_whose_script_leaves_it_for_a_slow_page_is_followed(site: Site, browser: BrowserFetcher) -> None:
    """Until the other page comes, the browser is still loading."""

    async def slow(request: web.Request) -> web.Response:
        await asyncio.sleep(1.5)
        return web.Response(text="<!doctype html><main><h1>Thing</h1></main>", content_type="text/html")

    async def page(request: web.Request) -> web.Response:
        return web.Response(
            text="<!doctype html><script>location = '/left-for'</script><p>rest", content_type="text/html"
        )

    site.answers |= {"/left-for": slow, "/leaving": page}
    (document,) = await documents(browser, site.address("/leaving"), thing())
    assert document.address == site.address("/left-for")


async def test_answer_that_never_comes_ends_at_the_bound(site: Site, impatient_browser: BrowserFetcher) -> None:
    """The browser then serves the next page."""
    with pytest.raises(FetchFailed, match="within 2 seconds") as failed:
        await documents(impatient_browser, site.address("/never"), thing())
    assert failed.value.transient
    assert len(await documents(impatient_browser, site.address("/pages/next-address"), links())) == 1


async def test_page_that_hangs_is_given_up(site: Site, impatient_browser: BrowserFetcher) -> None:
    """A script without an end takes its tab, not the run."""

    async def answer(request: web.Request) -> web.Response:
        text = "<p>text</p><script>addEventListener('load', () => setTimeout(() => { for (;;); }))</script>"
        return web.Response(text=text, content_type="text/html")

    site.answers["/hang"] = answer
    with pytest.raises(FetchFailed, match="the tab does not respond"):
        await documents(impatient_browser, site.address("/hang"), thing())
    assert len(await documents(impatient_browser, site.address("/pages/next-address"), links())) == 1


async def test_crashed_tab_is_replaced_and_the_page_tried_again(site: Site, browser: BrowserFetcher) -> None:
    """Parts that were given before the crash are not given twice."""
    found: list[bytes] = []
    request = Request(site.address("/pages/next"), links(next="//*[@id='next']"))
    async for fetched in browser.open(request):
        found.append(fetched.body)
        if len(found) == 1:
            await crash(browser)
    assert [body.count(b'"/entry/1a"') for body in found] == [1, 0, 0]
    assert [body.count(b'"/entry/3a"') for body in found] == [0, 0, 1]


async def test_page_that_always_kills_its_tab_is_given_up(site: Site, browser: BrowserFetcher) -> None:
    """After a bounded number of tries."""

    async def answer(request: web.Request) -> web.Response:
        await crash(browser)
        return web.Response()

    async def page(request: web.Request) -> web.Response:
        return web.Response(text="<script src=/crash.js></script>", content_type="text/html")

    site.answers |= {"/crash.js": answer, "/crashing": page}
    with pytest.raises(FetchFailed, match="lost 3 times") as failed:
        await documents(browser, site.address("/crashing"), thing())
    assert failed.value.transient


async def test_killed_browser_is_replaced_and_the_page_tried_again(site: Site) -> None:
    """In the middle of a page. That it runs without sandbox, where it has to, is said once for both."""
    said: list[str] = []
    async with own_browser(notice=said.append) as fetcher:
        killed: list[int] = []

        async def answer(request: web.Request) -> web.Response:
            if not killed:
                killed.append(await process_of(fetcher))
                os.kill(killed[0], signal.SIGKILL)
            return web.Response(text="<p>alive", content_type="text/html")

        site.answers["/kill"] = answer
        (found,) = await documents(fetcher, site.address("/kill"), thing())
        assert b"alive" in found.body
        assert await process_of(fetcher) != killed[0]
        assert len(said) == (1 if os.geteuid() == 0 else len(set(said)))


async def test_nothing_is_left_behind_after_closing(site: Site) -> None:
    """Neither of a page that came nor of one that was cancelled while it loaded; closing twice does no harm."""
    fetcher = BrowserFetcher()
    await documents(fetcher, site.address("/pages/next-address"), links())
    process = await process_of(fetcher)
    asked = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.set()
        return await site.respond(request.clone(rel_url="/never"))

    site.answers["/cancelled"] = answer
    loading = asyncio.ensure_future(documents(fetcher, site.address("/cancelled"), thing()))
    await asked.wait()
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert len(await documents(fetcher, site.address("/pages/next-address"), links())) == 1
    await fetcher.close()
    await fetcher.close()
    assert not runs(process)


async def test_missing_browser_is_told_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only Chromium's own places count."""
    monkeypatch.delenv("RDFCRAWL_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrowserMissing, match="playwright install chromium"):
        find_chromium(str(tmp_path / "chrome"))


async def test_missing_browser_is_told_when_a_page_needs_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable takes precedence."""
    monkeypatch.setenv("RDFCRAWL_CHROMIUM", "/nowhere/chromium")
    async with own_browser() as fetcher:
        with pytest.raises(BrowserMissing, match="RDFCRAWL_CHROMIUM names /nowhere/chromium"):
            await documents(fetcher, site.address("/pages/next"), links())


async def test_chromium_is_looked_for_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The variable, then Playwright's own, then the system's."""
    for name in ("named", "own", "chromium"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("RDFCRAWL_CHROMIUM", str(tmp_path / "named"))
    assert find_chromium(str(tmp_path / "own")) == str(tmp_path / "named")
    monkeypatch.delenv("RDFCRAWL_CHROMIUM")
    assert find_chromium(str(tmp_path / "own")) == str(tmp_path / "own")
    assert find_chromium(str(tmp_path / "missing")) == str(tmp_path / "chromium")
