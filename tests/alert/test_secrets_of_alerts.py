"""Whoever reads the store, the report or the screen learns none of the secrets that messages are sent with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from aiohttp import web

from tests.commands import Command
from tests.mail_server import PASSWORD, USER, certificate, mail_server
from tests.serving import serving
from tests.thing_site import thing_site

HOOK_SECRET = "signed-with-this"
ALERT = """
@prefix alert: <alert://> .
<model:> :alert [
    :on alert:added ; :to <mailto:me@books.example> , <{hook}/new> ; :secret "env:RDFCRAWL_SECRET_HOOK" ] .
"""


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
async def test_no_secret_is_in_the_store_or_on_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither after messages arrived, nor after servers refused them and repeated what they knew."""
    trusted, context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setenv("RDFCRAWL_SECRET_HOOK", HOOK_SECRET)
    model, store, report = tmp_path / "things.ttl", tmp_path / "store", tmp_path / "report.json"
    run = ("run", str(model), "--engine", "http", "--allow-private", "--store", str(store), "--report", str(report))
    taken: list[bool] = []

    async def hook(request: web.Request) -> web.Response:
        taken.append("X-Hub-Signature-256" in request.headers)
        return web.Response(status=200 if len(taken) == 1 else 400, text=HOOK_SECRET)

    said = ""
    async with (
        mail_server(context, login=True) as server,
        serving(hook, context=context) as address,
        thing_site() as site,
    ):
        for name, value in server.environment("starttls", USER=USER, PASSWORD=PASSWORD).items():
            monkeypatch.setenv(name, value)
        model.write_text(site.turtle() + ALERT.format(hook=address), encoding="utf-8")
        for _ in range(3):
            command = Command(*run)
            await command.ended()
            said += command.printed + command.said
            site.things += 1
            server.answers = [] if not taken else [f"554 {PASSWORD} is not welcome"]
    assert taken == [True, True]
    assert len(server.received) == 2
    assert "1 alert was refused for mailto:me@books.example: 554 *** is not welcome" in said
    kept = b"".join(path.read_bytes() for path in (report, *store.rglob("*")) if path.is_file()) + said.encode()
    assert HOOK_SECRET.encode() not in kept
    assert PASSWORD.encode() not in kept
