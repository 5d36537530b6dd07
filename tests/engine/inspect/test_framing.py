"""A page with marked elements: written anew, so that nothing of its own markup is left that could do anything."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.inspect.framing import FRAME, MOST_CHARACTERS, frame
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.workers.messages import Question
from rdfcrawl.engine.workers.tasks import Workplace, task_of
from rdfcrawl.metamodel.kinds.links_page import links_at
from rdfcrawl.metamodel.model import Model

HOSTILE = """<!doctype html><html><head><meta http-equiv=refresh content="0;url=http://evil.example/">
<base href="http://evil.example/"><link rel=stylesheet href="http://evil.example/x.css"><title>T</title></head>
<body onload="alert(1)" background="http://evil.example/b.png"><main>
<p onclick="alert(1)" style="background:url(http://evil.example/)" id="value-7" class="root"
>One<script>alert(1)</script> two</p>
<a href="javascript:alert(1)" ping="http://evil.example/">link</a><img src="http://evil.example/i.png" alt="<b>Alt</b>">
<iframe src="http://evil.example/" srcdoc="<script>alert(1)</script>"></iframe><object data="x"></object>
<svg><a href="javascript:alert(1)"><text>in svg</text></a><script>alert(1)</script></svg><math><mi>x</mi></math>
<form action="http://evil.example/"><input name=a autofocus onfocus="alert(1)">
<button formaction="javascript:1">Go</button>
<select><option>first</option></select><textarea></textarea></form><video src="http://evil.example/v"></video>
<table><tr><td colspan="2" onmouseover="x()">cell</td><td rowspan="99999999999999999999">far</td></tr></table>
<x-own is="x">own <b>bold</b></x-own><!-- <script>alert(1)</script> --> after &lt;script&gt;alert(2)&lt;/script&gt;
<style>* { display: none }</style><template><p>hidden</p></template></main></body></html>"""


def framed(body: str, *places: str | None, content_type: str = "text/html; charset=utf-8") -> dict[str, Any]:
    """What the task answers for a page, the place of the object's root first."""
    page = links_at("//a")
    workplace = Workplace(build_plan(Model((), {page.iri: page}, "")), RunLimits())
    fetched = Fetched("http://a.example/", 200, {"content-type": content_type}, body.encode())
    found: dict[str, Any] = json.loads(
        frame(workplace, Question(FRAME, "", (fetched,), {"places": json.dumps(places), "scripts": None}))
    )
    return found


class Elements(HTMLParser):
    """The elements of some markup."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It must be the one that was opened last."""
        assert self.open.pop() == tag


def test_nothing_of_a_hostile_page_is_left_but_texts() -> None:
    """No attribute of its own, nothing that loads, runs, sends or leads anywhere; elements end where they should."""
    found = framed(HOSTILE, "//main", "//main/p", "//img")
    parsed = Elements(found["html"])
    assert parsed.open == []
    for tag, attributes in parsed.found:
        assert tag not in ("script", "style", "a", "img", "form", "input", "button", "iframe", "svg", "object", "meta")
        assert set(attributes) <= {"id", "class", "colspan", "rowspan"}
        assert attributes.get("class") in (None, "picture")
    ids = [attributes["id"] for _, attributes in parsed.found if "id" in attributes]
    assert sorted(filter(None, ids)) == ["root", "value-0", "value-1"]
    assert "evil" not in found["html"]
    assert "alert(1)" not in found["html"]


def test_texts_stay_whole_and_in_place() -> None:
    """Also those after what is left out, and those that look like markup."""
    html = framed(HOSTILE, "//main", "//main/p")["html"]
    assert '<p id="value-0">One two</p>' in html
    assert "after &lt;script&gt;alert(2)&lt;/script&gt;" in html
    assert "&lt;b&gt;Alt&lt;/b&gt;" in html
    assert "own <b>bold</b>" in html
    assert '<td colspan="2">cell</td><td>far</td>' in html


def test_what_nobody_sees_is_told_by_its_source() -> None:
    """Values of the head have no place on the page, but an element."""
    found = framed(HOSTILE, "//main", "//meta", "//main/p", None)
    assert found["marks"] == [None, "value-1", None]
    assert found["elements"][0].startswith("<meta http-equiv=")
    assert found["elements"][2] == ""


def test_values_of_one_element_share_its_mark() -> None:
    """An element has one id; the root of an object can be one of its values."""
    found = framed("<p>a</p><p>b</p>", "//p[1]", "//p[1]", "//p[1]", "//p[2]")
    assert found["marks"] == ["value-0", "value-0", "value-2"]
    assert 'id="root"' not in found["html"]


def test_of_a_long_page_the_object_is_shown() -> None:
    """Wherever it stands; and of a long object the beginning."""
    rows = "".join(f"<p>{'word ' * 50}{number}</p>" for number in range(5_000))
    found = framed(f"<body><div>{rows}</div><div id=x><b>value</b>{rows}</div></body>", "//div[2]", "//b")
    assert found["cut"]
    assert found["marks"] == ["value-0"]
    assert found["html"].startswith('<div id="root"><b id="value-0">value</b>')
    assert len(found["html"]) < MOST_CHARACTERS + 2_000
    assert Elements(found["html"]).open == []


def test_a_large_element_is_told_by_its_beginning() -> None:
    """Its source is not written out for a line of it."""
    found = framed("<table class=x>" + "<tr><td>cell" * 5_000 + "</table>", "//table", "//table")
    assert found["elements"] == ['<table class="x"></table>']


@pytest.mark.parametrize(("body", "kind"), [('{"a": [1, 2]}', "application/json"), ("a,b\n1,2\n", "text/csv")])
def test_data_is_no_page(body: str, kind: str) -> None:
    """There is nothing to be seen, but the source."""
    found = framed(body, "/*", "/*/*[1]", content_type=kind)
    assert found["html"] is None
    assert found["marks"] == [None]
    assert found["elements"][0]


def test_workers_find_the_task() -> None:
    """By the name that they are asked by."""
    assert task_of(FRAME) is frame
