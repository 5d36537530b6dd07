"""Finds a Chromium and runs it: one process, one context, gone without a trace when closed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import BrowserMissing

VARIABLE: Final = "RDFCRAWL_CHROMIUM"
_SYSTEM_NAMES: Final = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""One that cannot open windows comes first: it draws the same pages, and starts in half the time."""
_INSTALL: Final = (
    "install one with `playwright install chromium` (on Debian also `apt install chromium-headless-shell`)"
)
_SCRIPT_MEMORY: Final = "--js-flags=--max-old-space-size=512"
"""What the scripts of one page may take, in MiB; a tab whose page takes more is lost, and not the machine."""
_OPENING_SECONDS: Final = 30.0
_CLOSING_SECONDS: Final = 10.0

# Names resolve to nothing and the proxy does not exist, so a request that escapes the replay fails at once.
CUT_OFF: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
"""Arguments of a browser that can reach no network."""


def through_proxy(port: int) -> tuple[str, ...]:
    """Arguments of a browser whose only way out is a SOCKS proxy on this machine; it resolves no names itself."""
    return (
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        f"--proxy-server=socks5://127.0.0.1:{port}",
        "--proxy-bypass-list=<-loopback>",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    )


def find_chromium(own: str | None = None) -> str:
    """The Chromium to run: the one the environment names, else ``own`` (Playwright's), else the system's."""
    if named := os.environ.get(VARIABLE):
        if found := shutil.which(named):
            return found
        raise BrowserMissing(f"{VARIABLE} names {named}, which is not a program; unset it, or {_INSTALL}")
    if own and Path(own).exists():
        return own
    for name in _SYSTEM_NAMES:
        if found := shutil.which(name):
            return found
    raise BrowserMissing(f"this page needs a browser and no Chromium was found: {_INSTALL}, or set {VARIABLE}")


@dataclass(frozen=True, slots=True)
class Chromium:
    """A running browser with the context of one run and a session to its network."""

    playwright: Playwright
    browser: Browser
    context: BrowserContext
    network: CDPSession
    context_id: str

    @classmethod
    async def launch(
        cls,
        *,
        user_agent: str | None,
        notice: Callable[[str], None],
        arguments: tuple[str, ...] = (),
        insecure: bool = False,
    ) -> Chromium:
        """Start a browser that adds ``user_agent`` to its own name; ``insecure`` accepts any certificate."""
        starting = asyncio.ensure_future(cls._start(user_agent, notice, arguments, insecure))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # A half-started browser cannot be closed, so its start is completed first.
            await asyncio.wait((starting,))
            if not starting.cancelled() and starting.exception() is None:
                await starting.result().close()
            raise

    @classmethod
    async def _start(
        cls, user_agent: str | None, notice: Callable[[str], None], arguments: tuple[str, ...], insecure: bool
    ) -> Chromium:
        playwright = await async_playwright().start()
        try:
            executable = find_chromium(playwright.chromium.executable_path)
            browser = await _launch(playwright, executable, arguments, notice)
            context = await browser.new_context(
                user_agent=_agent(browser.version, user_agent) if user_agent else None,
                service_workers="block",
                accept_downloads=False,
                reduced_motion="reduce",
                ignore_https_errors=insecure,
            )
            network = await browser.new_browser_cdp_session()
            known = await network.send("Target.getBrowserContexts")
            return cls(playwright, browser, context, network, known["browserContextIds"][0])
        except BaseException:
            await _close_quietly(playwright.stop())
            raise

    @property
    def alive(self) -> bool:
        """Whether the process is there and answers."""
        return self.browser.is_connected()

    async def open_page(self, *, in_window: bool) -> tuple[Page, CDPSession]:
        """A page and a session to it, in its own window or as a tab behind others.

        What lies behind another tab is drawn once a second; a window takes a third more of the processor. Raises
        ``PlaywrightError``, also as ``PlaywrightTimeout``.
        """
        opened: asyncio.Queue[Page] = asyncio.Queue()
        self.context.on("page", opened.put_nowait)
        try:
            async with asyncio.timeout(_OPENING_SECONDS):
                place = {"newWindow": True} if in_window else {"background": True}
                asked = {"url": "about:blank", "browserContextId": self.context_id, **place}
                target = (await self.network.send("Target.createTarget", asked))["targetId"]
                while True:
                    page = await opened.get()
                    try:
                        session = await self.context.new_cdp_session(page)
                        about = await session.send("Target.getTargetInfo")
                        if about["targetInfo"]["targetId"] == target:
                            return page, session
                        await session.detach()
                    except PlaywrightError:
                        # Windows that other pages open are announced the same way, and may be closed again at once.
                        if not self.alive:
                            raise
        except TimeoutError as error:
            raise PlaywrightTimeout(f"no window opened within {_OPENING_SECONDS:g} seconds") from error
        finally:
            self.context.remove_listener("page", opened.put_nowait)

    async def close(self) -> None:
        """End the process, even if it hangs or has died."""
        await _close_quietly(self.browser.close())
        await _close_quietly(self.playwright.stop())


def _agent(version: str, name: str) -> str:
    """Chromium's own name, followed by that of the crawler; pages look at the beginning, hosts at all of it."""
    major = version.partition(".")[0]
    engine = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
    return f"{engine} Chrome/{major}.0.0.0 Safari/537.36 {name}"


async def _launch(
    playwright: Playwright, executable: str, arguments: tuple[str, ...], notice: Callable[[str], None]
) -> Browser:
    sandbox = os.geteuid() != 0
    if not sandbox:
        notice("Chromium runs without its sandbox, because it has none for root")
    try:
        return await _run(playwright, executable, arguments, sandbox)
    except PlaywrightError as error:
        if sandbox and "sandbox" in error.message.lower():
            notice("Chromium runs without its sandbox, because this system does not allow one")
            return await _run(playwright, executable, arguments, False)
        first = error.message.partition("\n")[0]
        raise BrowserMissing(f"{executable} does not start ({first}); {_INSTALL}") from error


async def _run(playwright: Playwright, executable: str, arguments: tuple[str, ...], sandbox: bool) -> Browser:
    # The signals of a terminal are for rdfcrawl, which then closes its browser itself.
    return await playwright.chromium.launch(
        executable_path=executable,
        args=(*arguments, _SCRIPT_MEMORY),
        chromium_sandbox=sandbox,
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
    )


async def _close_quietly(closing: Coroutine[object, object, None]) -> None:
    """Wait for something to close, for a limited time, and ignore its errors."""
    # A driver that died raises errors of no particular type.
    with contextlib.suppress(Exception):
        await asyncio.wait_for(closing, _CLOSING_SECONDS)
