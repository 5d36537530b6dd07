"""A site is searched, and finds are mailed: with score, what they met, and their text as the run has seen it."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl import api
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.options import RunOptions
from tests.mail_server import mail_server
from tests.serving import serving

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix part: <part://> .
@prefix alert: <alert://> .
<model:> :section <{site}/> ; :alert [ :on alert:found ; :to <mailto:me@conferences.example?subject=Possible%20CFP> ] .
<{site}/> :page page:site .
page:site :type type:site ; :threshold 4 ;
    :criterion [ :contains "call for papers" ; :weight 3 ] , [ :containsDate true ; :weight 2 ] .
"""
CALL = "<title>{0}</title><script>no</script><h1>Call for papers</h1><table><tr><td>Deadline<td>5 October 2027</table>"


class Conferences:
    """A site with a page for each name; those that begin with c are calls."""

    def __init__(self) -> None:
        self.names = ["c1", "about"]

    async def answer(self, request: web.Request) -> web.Response:
        name = request.path[1:]
        if name == "":
            body = "".join(f'<a href="/{one}">{one}</a>' for one in self.names)
        elif name in self.names:
            body = CALL.format(name) if name.startswith("c") else f"<title>{name}</title>Nothing."
        else:
            return web.Response(status=404)
        return web.Response(text=body, content_type="text/html")


@pytest.mark.parametrize("record", [True, False], ids=["with archive", "without"])
async def test_finds_are_mailed_once_with_their_text(
    record: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first run on; without an archive only the text is missing."""
    site, options = Conferences(), RunOptions(engine=Engine.HTTP, record=record)
    model, store = tmp_path / "cfp.ttl", tmp_path / "store"
    async with mail_server() as server, serving(site.answer) as address:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        model.write_text(MODEL.format(site=address), encoding="utf-8")
        await api.run(model, store=store, options=options)
        site.names += ["c2", "more"]
        await api.run(model, store=store, options=options)
        await api.run(model, store=store, options=options)
    first, second = (one.mail for one in server.received)
    assert [mail["Subject"] for mail in (first, second)] == ["Possible CFP: found: c1", "Possible CFP: found: c2"]
    body = first.get_body(("plain",))
    assert body is not None
    assert body.get_content().splitlines()[:4] == [
        "found: c1",
        f"  {address}/c1",
        "  score: 5",
        '  meets: contains "call for papers" (+3) · contains a date (+2)',
    ]
    attached = [str(part.get_content()).splitlines() for part in first.iter_attachments()]
    assert attached == ([[f"{address}/c1", "", "Call for papers", "Deadline 5 October 2027"]] if record else [])
