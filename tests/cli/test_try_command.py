"""``rdfcrawl try`` and the report of ``rdfcrawl run``: what they say about missing values."""

from __future__ import annotations

from pathlib import Path

from tests.commands import Command

CASE = Path(__file__).parent.parent / "cases" / "extract" / "empty-values"
THING = "http://site.example/thing"


def test_texts_that_are_empty_are_shown_as_no_value() -> None:
    """With the reason, whether the property may be empty or not, and once."""
    command = Command("try", str(CASE / "model.ttl"), THING, "--engine", "http", "--replay", str(CASE / "pages"))
    assert command.wait() == 1
    for reason in (
        "no value: its attribute alt is empty",
        "no value: its attribute src is empty",
        "no value: the element has no text",
        'no value: the :replace leaves nothing of "-"',
    ):
        assert reason in command.printed
    assert "empty" not in command.said, "it is said above, at the object"


def test_a_report_quotes_pages_as_they_are(tmp_path: Path) -> None:
    """Brackets on a page, or in the path of an element, are no markup of the terminal's."""
    model = tmp_path / "model.ttl"
    model.write_text((CASE / "model.ttl").read_text().replace('"-"', '"."'))
    page = tmp_path / "pages" / "site.example" / "thing.html"
    page.parent.mkdir(parents=True)
    html = (CASE / "pages" / "site.example" / "thing.html").read_text()
    page.write_text(
        html.replace("<p><!-- nobody has written anything --></p>", "<p>x<p>y").replace("-</b>", "[/b]</b>")
    )
    replay = ("--engine", "http", "--replay", str(tmp_path / "pages"))
    command = Command("run", str(model), *replay, "--store", str(tmp_path / "store"))
    assert command.wait() == 1
    assert "       1 × empty p:mark on page:thing\n" in command.said
    assert 'the :replace leaves nothing of "[/b]"' in command.said
    tried = Command("try", str(model), THING, *replay)
    assert tried.wait() == 1
    assert 'p:mark    no value: the :replace leaves nothing of "[/b]"' in tried.printed


def test_a_page_is_read_in_the_way_of_the_page_that_it_is(tmp_path: Path) -> None:
    """The model's first page, a list, is read over HTTP; the thing behind it is clicked in the browser, as in a run."""
    model = tmp_path / "model.ttl"
    model.write_text("""
        @prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
        <model:> :section <http://site.example/> .
        <http://site.example/> :page page:list .
        page:list :type type:links ; :path "//li/a" ; :target page:thing .
        page:thing :type type:object ; :item item:thing ; :click "//button" .
        item:thing :path "//main" ; :property <property://name> , <property://size> .
        <property://name> :path "./h1" .
        <property://size> :path "./p" ; :optional true .
    """)
    site = tmp_path / "pages" / "site.example"
    site.mkdir(parents=True)
    (site / "index.html").write_text('<!doctype html><li><a href="/thing">Thing</a>')
    (site / "thing.html").write_text(
        "<!doctype html><main><h1>Thing</h1><button onclick=\"this.outerHTML = '<p>large'\">more</button></main>"
    )
    command = Command("try", str(model), THING, "--replay", str(tmp_path / "pages"))
    assert command.wait() == 0, command.said
    assert "read in the browser as page:thing" in command.said
    assert "large" in command.printed
