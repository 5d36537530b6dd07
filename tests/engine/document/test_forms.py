"""Forms as browsers send them without scripts."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.document.errors import FormError
from rdfcrawl.engine.document.forms import FormEntry, read_form
from rdfcrawl.engine.document.tree import parse

FORM = """<form id=f method=post action="/send?x=1#y" {attributes}>
<input type=hidden name=token value=abc><input name=user><input name=off disabled value=1>
<fieldset disabled><input name=inside value=1></fieldset>
<input type=checkbox name=keep value=yes checked><input type=checkbox name=news>
<input type=radio name=kind value=a><input type=radio name=kind value=b checked>
<select name=place><option value=1>One<option selected>Two</select><textarea name=note>
a
b</textarea><input type=file name=upload><button name=go value=1>Go</button><button name=other>Other</button>
<input type=submit name=unused value=u><input value=nameless></form><input form=f name=late value=2>"""


def form_of(
    attributes: str = "", fields: tuple[str, ...] = ("//input[@name='user']",), submit: str = "//button"
) -> object:
    """The form of a page."""
    page = parse(FORM.format(attributes=attributes).encode(), "http://site.example/dir/login", "text/html")
    return read_form(page, fields, submit)


def test_a_form_sends_what_a_browser_would_send() -> None:
    """Hidden fields as they are, the button that is clicked and no other, what belongs to it from elsewhere."""
    form = read_form(
        parse(FORM.format(attributes="").encode(), "http://site.example/dir/login", "text/html"),
        ["//input[@name='user']"],
        "//button",
    )
    assert (form.method, form.action, form.is_multipart) == ("POST", "http://site.example/send?x=1", False)
    assert [(entry.name, entry.value) for entry in form.entries if entry.fill < 0] == [
        ("token", "abc"),
        ("keep", "yes"),
        ("kind", "b"),
        ("place", "Two"),
        ("note", "a\nb"),
        ("go", "1"),
        ("late", "2"),
    ]
    assert [entry.name for entry in form.entries if entry.fill == 0] == ["user"]


@pytest.mark.parametrize(
    ("attributes", "fields", "submit", "reason", "is_missing"),
    [
        ("", ("//input[@name='nobody']",), "//button", "the field //input.* is not on the page", True),
        ("", ("//input[@name='user']",), "//button[3]", "the button //button.* is not on the page", True),
        ("onsubmit='x()'", ("//input[@name='user']",), "//button", "a script sends the form", False),
        ("", ("//input[@name='off']",), "//button", "has no name or is disabled", False),
    ],
)
def test_a_form_that_cannot_be_sent_is_told(
    attributes: str, fields: tuple[str, ...], submit: str, reason: str, is_missing: bool
) -> None:
    """With the path that finds nothing, or why only a browser can do it."""
    with pytest.raises(FormError, match=reason) as raised:
        form_of(attributes, fields, submit)
    assert raised.value.is_missing is is_missing


def test_values_are_what_their_fields_send() -> None:
    """An option by its label or value, a checkbox by what it stands for."""
    options = FormEntry("place", "", 0, options=(("One", "1"), ("Two", "Two")))
    assert [options.filled(value) for value in ("One", "1", "Two")] == ["1", "1", "Two"]
    with pytest.raises(FormError, match="has no option Three; it has One, Two"):
        options.filled("Three")
    box = FormEntry("keep", "yes", 0, is_switch=True)
    assert [box.filled(value) for value in ("true", "false", "")] == ["yes", None, None]
