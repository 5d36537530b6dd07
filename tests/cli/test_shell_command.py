"""``rdfcrawl shell``: selectors tried on a page, one line after another."""

from __future__ import annotations

from pathlib import Path

from tests.commands import Command

_ROWS = "".join(f"<tr><td>Row {n}</td><td>{'' if n % 4 else f'<b>{n}</b>'}</td></tr>" for n in range(1, 9))
_PAGE = f"""<!doctype html><title>Rows</title><h1>Eight rows</h1><table>{_ROWS}</table>
<p>Hidden <span style="display:none">not this</span></p><a href="next">More</a>
<script type="application/json">{{"total": 8}}</script>"""


def _typed(folder: Path, *lines: str) -> tuple[int, list[str], str]:
    """What a session prints for what is typed into it."""
    (folder / "site.example").mkdir(parents=True)
    (folder / "site.example/list.html").write_text(_PAGE, encoding="utf-8")
    (folder / "site.example/next.html").write_text("<h1>More</h1>", encoding="utf-8")
    session = Command("shell", "http://site.example/list", "--replay", str(folder), typed="\n".join(lines))
    code = session.wait()
    return code, session.printed.splitlines(), session.said


def test_selectors_are_counted_and_their_first_matches_shown(tmp_path: Path) -> None:
    """XPath and CSS, links with their address, computed values, JSON in scripts, and how often inside an element."""
    code, printed, said = _typed(
        tmp_path,
        "# a comment",
        "//h1",
        "css:a",
        "count(//tr)",
        "//script/json/total",
        ":show 1",
        "//tr",
        ":in //tr",
        "./td[2]/b",
        ":in",
        ":go next",
        "//h1",
    )
    assert code == 0
    assert printed == [
        *("1 match", "  Eight rows", "      /html/body/h1"),
        *("1 match", "  More", "      → http://site.example/next", "      /html/body/a"),
        *("1 match", "  8"),
        *("1 match", "  8", "      /html/body/script/json/total"),
        *("8 matches", "  Row 1", "      /html/body/table/tbody/tr[1]", "  … 7 more (:show 8)"),
        *("2 matches in 2 of 8 elements", "  4", "      /html/body/table/tbody/tr[4]/td[2]/b", "  … 1 more (:show 2)"),
        *("1 match", "  More", "      /html/body/h1"),
    ]
    assert "selectors are tried inside each of 8 elements" in said
    assert "http://site.example/next read over HTTP" in said


def test_what_is_wrong_is_said_and_the_session_goes_on(tmp_path: Path) -> None:
    """A selector without match says where it stops; mistakes are quoted; a page that is not there stays unopened."""
    code, printed, said = _typed(
        tmp_path, "//table/tr", "//td[", "css:h1 >", ":foo bar", ":go nowhere", ":in //article", "//h1", ":quit", "//td"
    )
    assert code == 0
    assert printed == ["1 match", "  Eight rows", "      /html/body/h1"]
    for message in (
        "no match: //table matches, //table/tr does not",
        "XPath error: Invalid expression in //td[",
        "css:h1 >",
        ":foo bar is not known; :help says what can be typed",
        "http://site.example/nowhere: the replay has no answer",
        "no match: nothing matches //article",
    ):
        assert message in said


def test_text_and_help_are_there(tmp_path: Path) -> None:
    """The text is what people see."""
    _, printed, _ = _typed(tmp_path, ":text", ":help")
    assert "Eight rows" in printed
    assert "Hidden" in printed
    assert any(line.lstrip().startswith(":in SELECTOR") for line in printed)


def test_a_page_that_cannot_be_had_is_one_sentence(tmp_path: Path) -> None:
    """Nothing to try selectors on: the command is wrong."""
    session = Command("shell", "http://site.example/x", "--replay", str(tmp_path), typed="//h1")
    assert session.wait() == 2
    assert session.said.splitlines() == ["rdfcrawl: http://site.example/x: the replay has no answer for this address"]


def test_css_selectors_need_no_prefix(tmp_path: Path) -> None:
    """What finds nothing as an XPath, or is none, is tried as a CSS selector, and what a model would say is shown."""
    code, printed, said = _typed(tmp_path, "h1", "table td b", "h2")
    assert code == 0
    assert printed == [
        *("1 match", "  Eight rows", "      /html/body/h1"),
        *("2 matches", "  4", "      /html/body/table/tbody/tr[4]/td[2]/b"),
        *("  8", "      /html/body/table/tbody/tr[8]/td[2]/b"),
    ]
    assert "nothing as an XPath, but as a CSS selector, css:h1:" in said
    assert "css:table td b:" in said
    assert "no match: nothing matches h2" in said
