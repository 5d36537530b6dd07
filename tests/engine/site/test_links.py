"""Every form in which a page links to others, and nothing else."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.site.links import page_images, page_links

ADDRESS = "https://site.example/folder/page"


def links(html: str) -> list[tuple[str, str]]:
    document = parse(f"<!doctype html>{html}".encode(), ADDRESS, "text/html; charset=utf-8")
    return [(link.address.removeprefix("https://site.example"), link.text) for link in page_links(document)]


def images(html: str) -> list[str]:
    document = parse(f"<!doctype html>{html}".encode(), ADDRESS, "text/html; charset=utf-8")
    return [address.removeprefix("https://site.example") for address in page_images(document)]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<a href=/a>A  <b>b</b></a>", [("/a", "A b")]),
        ("<a href=b?x=1#part>B</a>", [("/folder/b?x=1", "B")]),
        ("<a href=/logo><img alt='The logo' src=l.png></a>", [("/logo", "The logo")]),
        ("<a href=/t title='A title'></a>", [("/t", "A title")]),
        ("<map><area href=/area alt=Area></map>", [("/area", "Area")]),
        ("<iframe src=/frame></iframe>", [("/frame", "")]),
        ("<iframe data-src=/later></iframe>", [("/later", "")]),
        ("<link rel=next href=/2><link rel=prev href=/0>", [("/2", ""), ("/0", "")]),
        ("<link rel='canonical' href=/c><link rel='ALTERNATE stylesheet' href=/alt>", [("/c", ""), ("/alt", "")]),
        ("<link rel=stylesheet href=/style.css><link rel=icon href=/i.png>", []),
        ("<meta http-equiv=Refresh content='5; url=/refreshed'>", [("/refreshed", "")]),
        ("<meta http-equiv=refresh content=\"0;URL='/quoted'\">", [("/quoted", "")]),
        ("<meta http-equiv=refresh content=30>", []),
        ("<div onclick=\"location.href='/clicked'\">Go</div>", [("/clicked", "Go")]),
        ('<button onclick=\'window.open("/opened", "_blank")\'>Open</button>', [("/opened", "Open")]),
        ("<p onclick=\"document.location = 'x'; window.location.assign('/y')\">", [("/folder/x", ""), ("/y", "")]),
        ("<p onclick=\"if (location == '/no') run('/no')\">", []),
        ("<base href=/base/><a href=a>A</a>", [("/base/a", "A")]),
        ("<a href='mailto:a@site.example'>m</a><a href=tel:123>t</a><a href='javascript:go()'>j</a>", []),
        ("<a href='#top'>Top</a><a name=x>x</a><a href='data:text/html,x'>d</a>", []),
        ("<a href='http://[broken'>broken</a>", []),
        ("<a href='HTTPS://Site.Example:443/%7euser/../b'>n</a>", [("/b", "n")]),
        ("<noscript><a href=/without>Without scripts</a></noscript>", [("/without", "Without scripts")]),
    ],
)
def test_links_of_all_forms(html: str, found: list[tuple[str, str]]) -> None:
    """Each with its address as a browser spells it, and what a person sees of it."""
    assert links(html) == found


def test_frames_are_links() -> None:
    """A page of frames has nothing else."""
    assert links("<frameset><frame src=/left><frame src=/right></frameset>") == [("/left", ""), ("/right", "")]


def test_a_link_says_itself_that_it_is_not_to_be_followed() -> None:
    """Among other relations, in any case."""
    document = parse(b"<a rel='external NoFollow' href=/a>a</a><a rel=external href=/b>b</a>", ADDRESS, "text/html")
    assert [link.nofollow for link in page_links(document)] == [True, False]


def test_long_texts_are_cut() -> None:
    """A link around a whole article has no text that anybody reads in a report."""
    ((_, text),) = links(f"<a href=/a>{'word ' * 100}</a>")
    assert len(text) == 200
    assert text.endswith("…")


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<img src=/a.png>", ["/a.png"]),
        ("<img data-src=lazy.jpg src='data:image/gif;base64,R0lGOD'>", ["/folder/lazy.jpg"]),
        ("<img srcset='/1.jpg 1x, /2.jpg 2x'>", ["/1.jpg", "/2.jpg"]),
        ("<img srcset='/a,b.jpg 100w,/c.jpg'>", ["/a,b.jpg", "/c.jpg"]),
        ("<picture><source srcset=/big.webp><img src=/small.jpg></picture>", ["/big.webp", "/small.jpg"]),
        ("<video><source src=/film.mp4></video>", []),
        ("<input type=image src=/go.png><input type=text src=/no.png>", ["/go.png"]),
        ("<svg><image href=/inside.png /></svg>", ["/inside.png"]),
        ("<noscript><img src=/without.png></noscript>", ["/without.png"]),
    ],
)
def test_images_of_all_forms(html: str, found: list[str]) -> None:
    """Also those that scripts load later."""
    assert images(html) == found
