"""Why a value is there: page, element, steps, and the kept page in a frame that can do nothing."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from rdfcrawl.publish.server.lanes import Overcrowded
from rdfcrawl.publish.why.telling import Teller, Untold
from rdfcrawl.store.folder import Store
from tests.commands import Command
from tests.publish.conftest import Server, asked, serving
from tests.publish.quote_site import HOSTILE, MODEL, SITE, crawled, pages


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Quotes with an archive; one of them is not to be trusted."""
    files = {name: text.replace("</ul>", f"{HOSTILE}</ul>") for name, text in pages().items()}
    return crawled(tmp_path_factory.mktemp("why"), files)


@pytest.fixture(scope="module")
def quotes(store: Store) -> Iterator[Server]:
    """A server of them."""
    with serving(store) as server:
        yield server


def _why(quote: str, prop: str, number: int = 0) -> str:
    return f"/why?iri={asked(f'{SITE}/quote/{quote}')}&property=property://quote/{prop}&number={number}"


def _steps(text: str) -> dict[str, str]:
    found = re.findall(r'<span class="step">([^<]*)</span>(.*?)</li>', text, re.DOTALL)
    return {name: unescape(re.sub(r"<[^>]*>", "", rest)).strip() for name, rest in found}


def test_every_value_leads_to_its_why(quotes: Server) -> None:
    """From its object to the page, the element and the steps."""
    page = quotes.get(f"/page?iri={asked(SITE + '/quote/3')}", accept="text/html").text
    found = [unescape(link) for link in re.findall(r'class="why-link" href="([^"]+)"', page)]
    named = [re.findall(r"property=property://quote/(\w+)", link) for link in found]
    assert named == [["text"], ["picture"], ["words"]]
    text = quotes.get(found[-1], accept="text/html").text
    assert f'href="{SITE}/quotes" title="{SITE}/quotes"' in text
    assert re.search(r'<dt>Fetched</dt><dd><time datetime="20', text)
    assert _steps(text) == {
        "path": "./i",
        "element": "<i>3 words</i>",
        "raw text": "3 words",
        "pattern": "[0-9]+ → 3",
        "replace": "^0+ by '' → 3",
        "type": "int",
    }


def test_the_kept_page_is_framed_and_can_do_nothing(quotes: Server) -> None:
    """No script, no origin, no request, and no page of others may frame it."""
    text = quotes.get(_why("3", "words"), accept="text/html")
    assert "frame-src 'self'" in text.headers["content-security-policy"]
    frame = re.search(r'<iframe sandbox src="([^"#]+)#(value-\d+)"', text.text)
    assert frame
    answer = quotes.get(unescape(frame[1]), accept="text/html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy
    assert "frame-ancestors 'self'" in policy
    assert f'<i id="{frame[2]}">3 words</i>' in answer.text
    assert '<li id="root">' in answer.text


def test_without_an_archive_it_says_so(tmp_path: Path) -> None:
    """In one sentence, and without naming folders of this machine."""
    unrecorded = crawled(tmp_path, record=False)
    shutil.rmtree(tmp_path / "site")
    with serving(unrecorded) as server:
        answer = server.get(_why("3", "words"), accept="text/html")
        framed = server.get(_why("3", "words").replace("/why?", "/why/page?"), accept="text/html")
    assert answer.status == 200
    assert "The pages of this run were not kept, so that nothing can be read again." in answer.text
    assert "<iframe" not in answer.text
    assert str(tmp_path) not in answer.text + framed.text
    assert framed.status == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (_why("3", "words", 7), 404),
        (_why("3", "nothing"), 404),
        (_why("missing", "words"), 404),
        (f"{_why('3', 'words')}&run=5", 404),
        ("/why?iri=x&property=property://quote/words", 400),
        (f"/why?iri={SITE}/quote/3&property=words", 400),
        (f"/why?iri={SITE}/quotes&property=item://quote", 404),
        ("/why/page", 400),
    ],
)
def test_what_is_no_value_has_no_why(quotes: Server, path: str, status: int) -> None:
    """Nothing is started for it."""
    assert quotes.get(path, accept="text/html").status == status


def test_an_explanation_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """With its process; the reader is told, and can ask again."""
    note = tmp_path / "pid"
    sleeping = ("sh", "-c", f"echo $$ > {note}; exec sleep 600")
    teller = Teller(tmp_path, 0.5, sleeping)
    told = asyncio.run(teller.explain("http://a.example/", 1, "somebody"))
    assert isinstance(told, Untold)
    assert told.kept
    assert "takes too long" in told.reason
    assert not Path(f"/proc/{note.read_text().strip()}").exists()


def test_who_asks_too_much_is_told_so(tmp_path: Path) -> None:
    """A client has one explanation at a time, and few that wait; another one does not wait for them."""

    async def ask() -> tuple[list[object], object]:
        teller = Teller(tmp_path, 1.0, ("sleep", "600"))
        greedy = [
            asyncio.ensure_future(teller.explain(f"http://a.example/{number}", 1, "greedy")) for number in range(20)
        ]
        await asyncio.sleep(0)
        other = await teller.explain("http://a.example/", 1, "other")
        refused = [task.exception() for task in greedy if task.done() and task.exception()]
        for task in greedy:
            task.cancel()
        await asyncio.gather(*greedy, return_exceptions=True)
        return list(refused), other

    refused, other = asyncio.run(ask())
    assert len(refused) == 20 - 1 - 8
    assert all(isinstance(failure, Overcrowded) for failure in refused)
    assert isinstance(other, Untold)


@pytest.mark.parametrize("output", ["", "[]", "{}", "null", '{"error": "/home/secret", "kind": "usage"}', "{" * 9999])
def test_nonsense_is_no_explanation(tmp_path: Path, output: str) -> None:
    """Whatever the process writes; and what it says may name folders, so that not every message is passed on."""
    (tmp_path / "output").write_text(output)
    told = asyncio.run(Teller(tmp_path, 30.0, ("sh", "-c", f"cat {tmp_path / 'output'}")).explain("http://a/", 1, ""))
    assert isinstance(told, Untold)
    assert "/home" not in told.reason


SCRIPTED = """<!doctype html><title>Quotes</title><ul>{}</ul><script>
for (const one of document.querySelectorAll("{}")) one.innerHTML = "{}";</script>"""
SECTION = f"<{SITE}/made> :page page:quotes . <model:> :section <{SITE}/made> ."


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A quote whose words a script has counted, and another that a script has made."""
    words = SCRIPTED.format("<li><a href='/quote/1'>#</a><q>Quote 01</q><i></i></li>", "i", "7 words")
    made = SCRIPTED.format("", "ul", "<li><a href='/quote/2'>#</a><q>Quote 02</q><i>8 words</i></li>")
    return crawled(tmp_path_factory.mktemp("scripted"), {"quotes": words, "made": made}, model=f"{MODEL}\n{SECTION}")


@pytest.fixture(scope="module")
def scripted_server(scripted: Store) -> Iterator[Server]:
    """A server of both."""
    with serving(scripted) as server:
        yield server


def test_what_a_script_has_written_is_said_to_be_so(scripted_server: Server) -> None:
    """Not that the page no longer has it; what the page had before its scripts ran is explained as anywhere."""
    text = scripted_server.get(_why("1", "words"), accept="text/html").text
    assert "has read this page in a browser" in text
    assert "rdfcrawl explain http://quotes.example/quote/1 property://quote/words --run " in text
    assert "no longer gives" not in text
    assert "no text" not in text
    assert "<iframe" in text
    text = scripted_server.get(_why("1", "text"), accept="text/html").text
    assert "in a browser" not in text
    assert _steps(text)["raw text"] == "Quote 01"


def test_an_object_of_a_script_is_said_to_be_one(scripted_server: Server) -> None:
    """The page has nothing without its scripts; one sentence says so, and which command has a browser."""
    text = scripted_server.get(_why("2", "words"), accept="text/html").text
    assert "has read this page in a browser" in text
    assert "rdfcrawl explain http://quotes.example/quote/2 property://quote/words --run " in text
    assert "no saved page" not in text


@pytest.mark.exhaustive
def test_the_command_that_is_named_has_a_browser(scripted: Store) -> None:
    """What the page cannot explain, it does."""
    command = Command("explain", f"{SITE}/quote/2", "property://quote/words", "--store", str(scripted.folder))
    assert command.wait() == 0
    assert "8 words" in command.printed
