"""A server with an unsigned certificate is refused, unless the user of the crawler says otherwise."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher
from rdfcrawl.engine.fetch.session import Fetcher, FetchFailed, Request
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.model import LinksPage
from tests.crawling import Crawled, read_run, unloaded_store
from tests.serving import serving
from tests.thing_site import ThingSite

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A certificate for this host that nobody has signed."""
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    return made


@pytest_asyncio.fixture
async def site(context: ssl.SSLContext) -> AsyncIterator[ThingSite]:
    """A site that is served with a certificate of its own making."""
    running = ThingSite(1)
    async with serving(running.handle, context=context) as running.address:
        yield running


async def crawled(site: ThingSite, folder: Path, engine: Engine, insecure: bool) -> Crawled:
    store = unloaded_store(folder / "store")
    options = RunOptions(engine=engine, record=False, insecure=insecure)
    report = await run_model(site.model(folder), store, options)
    return read_run(store, report.record)


async def test_a_certificate_that_is_not_valid_is_refused(site: ThingSite, tmp_path: Path) -> None:
    """No request is sent."""
    found = await crawled(site, tmp_path, Engine.HTTP, insecure=False)
    (problem,) = found.problems
    assert "certificate of 127.0.0.1 is not valid" in problem["reason"]
    assert site.log == []


@pytest.mark.parametrize(
    "fetcher", [HttpFetcher(user_agent="rdfcrawl/test"), BrowserFetcher()], ids=["http", "browser"]
)
async def test_a_certificate_does_not_become_valid_by_trying_again(site: ThingSite, fetcher: Fetcher) -> None:
    """The page is given up at once."""
    page = LinksPage(iri="page://list", path="//a", target="page://list")
    with pytest.raises(FetchFailed, match="certificate") as failed:
        _ = [fetched async for fetched in fetcher.open(Request(f"{site.address}/list", page))]
    await fetcher.close()
    assert not failed.value.transient


@pytest.mark.parametrize("engine", [Engine.HTTP, Engine.BROWSER])
async def test_certificates_can_be_ignored_for_one_run(site: ThingSite, tmp_path: Path, engine: Engine) -> None:
    """The record of the run says so; who asks says who it is, the browser as a browser that rdfcrawl drives."""
    found = await crawled(site, tmp_path, engine, insecure=True)
    assert found.problems == ()
    assert found.record.counts.objects == {"item://thing": 1}
    assert found.record.notes["insecure"] == "certificates were not verified"
    agents = {asked.headers["User-Agent"] for asked in site.log if asked.path == "/thing/0"}
    assert agents
    assert all(" rdfcrawl/" in f" {agent}" and ("Chrome/" in agent) == (engine is Engine.BROWSER) for agent in agents)
