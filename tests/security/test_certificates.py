"""A server with an unsigned certificate is refused, unless the user of the crawler says otherwise."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
import sys
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
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this host that nobody has signed, beside its key."""
    made = tmp_path_factory.mktemp("certificate") / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(made.with_name("key.pem")), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def context(certificate: Path) -> ssl.SSLContext:
    """What a server with that certificate needs."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, certificate.with_name("key.pem"))
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


_FETCHES = """
import asyncio, sys
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.session import FetchFailed, Request
from rdfcrawl.metamodel.model import LinksPage

async def fetch(address):
    async with Fetchers(access=NetworkAccess(), notice=print) as fetchers:
        http = fetchers.http
        from aiohttp.connector import _SSL_CONTEXT_VERIFIED as context
        before = context.cert_store_stats()["x509"]
        try:
            (page,) = [one async for one in http.open(Request(address, LinksPage(iri="page://list", path="//a", target="page://list")))]
        except FetchFailed as failure:
            print(before, failure)
        else:
            print(before, page.status, context.cert_store_stats()["x509"])

asyncio.run(fetch(sys.argv[1]))
"""


async def fetched(address: str, trusted: Path) -> str:
    """What a process of its own says that trusts the certificates in a file: how many it has, and what it was told."""
    command, environment = [sys.executable, "-c", _FETCHES, address], {**os.environ, "SSL_CERT_FILE": str(trusted)}
    process = await asyncio.create_subprocess_exec(
        *command, env={**environment, "SSL_CERT_DIR": "/nowhere"}, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    return said.decode().strip()


async def test_certificates_are_loaded_with_the_first_connection(
    site: ThingSite, certificate: Path, tmp_path: Path
) -> None:
    """Importing what asks does not load them, and until they are loaded nobody is trusted."""
    assert await fetched(f"{site.address}/list", certificate) == "0 200 1"
    (nobody := tmp_path / "none.pem").touch()
    assert "0 the certificate of 127.0.0.1 is not valid" in await fetched(f"{site.address}/list", nobody)
