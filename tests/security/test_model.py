"""A model that somebody else wrote: what is wrong with it is a finding, and what it costs has a limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import check_model
from tests.crawling import read_run, unloaded_store
from tests.security.raw_site import THING, answer, raw_site
from tests.security.test_site import told

PREFIXES = "@prefix : <predicate://> . @prefix type: <type://> . @prefix x: <x:> . @prefix p: <p:> . "
OBJECT = (
    "<model:> :section <{section}> . <{section}> :page x:page . x:page :type type:object ; :item x:item . "
    'x:item :path "//main" ; :property p:name . p:name :path "{path}" {more} .'
)


def findings(folder: Path, text: str) -> list[str]:
    """What a check says about a model."""
    path = folder / "model.ttl"
    path.write_text(PREFIXES + text, encoding="utf-8")
    checked = check_model(path)
    assert (checked.model is None) == bool(checked.findings)
    return [str(finding) for finding in checked.findings]


def one_object(path: str = ".//h1", more: str = "", section: str = "http://site.example/") -> str:
    return OBJECT.format(section=section, path=path, more=more)


class TestTextsThatCannotBeWritten:
    @pytest.mark.parametrize(("escape", "name"), [(r"\uD800", "D800"), (r"\u0000", "0000"), (r"\u0007", "0007")])
    def test_they_are_findings_wherever_they_are(self, tmp_path: Path, escape: str, name: str) -> None:
        """In a path, a pattern, a replacement or an attribute; the message itself can be shown."""
        texts = (
            one_object(path=f".//h1[.='{escape}']"),
            one_object(more=f'; :pattern "{escape}"'),
            one_object(more=f'; :replace [ :old "a" ; :new "{escape}" ]'),
            one_object(more=f'; :attribute "{escape}"'),
        )
        for text in texts:
            (found,) = findings(tmp_path, text)
            assert f"U+{name} cannot be written" in found
            assert found.isprintable()


class TestModelsThatCostTooMuch:
    def test_nested_pages_with_too_many_ways_are_refused(self, tmp_path: Path) -> None:
        """Two pages on each of 24 levels, each with both of the next one: 2^24 ways."""
        depth = 24
        web = "".join(
            f"x:{side}{level} :type type:object ; :item x:i{level} ; :sub x:p{level + 1} , x:q{level + 1} . "
            for level in range(depth)
            for side in "pq"
        )
        web += "".join(f'x:i{level} :path "." ; :property p:x . ' for level in range(depth + 1))
        web += "".join(f"x:{side}{depth} :type type:object ; :item x:i{depth} . " for side in "pq") + 'p:x :path "." .'
        start = "<model:> :section <http://site.example/> . <http://site.example/> :page x:p0 . "
        found = findings(tmp_path, start + web)
        assert found
        assert all("ways; 10,000 are the most" in one for one in found)

    def test_brackets_without_end_are_a_finding(self, tmp_path: Path) -> None:
        """Whatever compiles the expression is not made for them."""
        nested = "(" * 3000 + "a" + ")" * 3000
        (found,) = findings(tmp_path, one_object(more=f'; :pattern "{nested}"'))
        assert "nested too deeply" in found

    @pytest.mark.parametrize(
        "more",
        ['; :pattern "(?R)"', '; :replace [ :old "(H)" ; :new "$1' + "1" * 6000 + '" ]'],
        ids=["recursion", "digits"],
    )
    async def test_what_passes_the_check_cannot_end_a_run(self, tmp_path: Path, more: str) -> None:
        """At most the page has a problem."""
        async with raw_site({"/": answer(THING)}) as site:
            found = findings(tmp_path, one_object(more=more, section=f"{site.address}/"))
            model = check_model(tmp_path / "model.ttl").model
            if model is None:
                assert found
                return
            store = unloaded_store(tmp_path / "store")
            report = await run_model(model, store, RunOptions(ignore_robots=True))
            run = read_run(store, report.record)
        assert run.triples or told(run)
