"""Markup as a value: everything that is shown, nothing that runs."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.document.clean_markup import markup_of, markup_of_text
from rdfcrawl.engine.document.tree import parse


def cleaned(html: str) -> str:
    """The markup of the first section of a page."""
    root = parse(html.encode(), "http://site.example/", "text/html").root
    section = root.find(".//section")
    assert section is not None
    return markup_of(section)


def test_the_element_itself_is_part_of_its_markup() -> None:
    """With attributes and without what follows it."""
    assert (
        cleaned('<section class="x">a <b>b</b><br> c</section> tail') == '<section class="x">a <b>b</b><br> c</section>'
    )


@pytest.mark.parametrize(
    "harmful",
    [
        "<script>alert(1)</script>",
        "<script src=//evil.example></script>",
        "<svg><script>alert(1)</script></svg>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href=' jAva\tscript:alert(1)'>x</a>",
        "<a href='&#1;javascript:alert(1)'>x</a>",
        "<a href='vbscript:x'>x</a>",
        "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
        "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<object data='javascript:alert(1)'></object>",
        "<form action='javascript:alert(1)'><button formaction='javascript:alert(1)'>x</button></form>",
        "<math><mtext></mtext><script>alert(1)</script></math>",
        "<noscript><img src=x onerror=alert(1)></noscript>",
        "<template><script>alert(1)</script></template>",
        "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    ],
)
def test_nothing_that_runs_is_left(harmful: str) -> None:
    """Whether the page or a text inside JSON has it."""
    for markup in (cleaned(f"<section>a{harmful}b</section>"), markup_of_text(f"a{harmful}b")):
        assert "alert" not in markup
        assert "script:" not in markup.lower().replace("\t", "")
        assert markup.replace("<section>", "").startswith("a")
        assert "b" in markup


def test_texts_around_what_is_removed_stay() -> None:
    """Also comments go."""
    assert cleaned("<section>a<script>x</script>b<!-- c -->d<i>e</i><script></script>f</section>") == (
        "<section>abd<i>e</i>f</section>"
    )


def test_pictures_in_addresses_stay() -> None:
    """They show something and run nothing."""
    assert "data:image/png" in cleaned("<section><img src='data:image/png;base64,AAAA'></section>")
