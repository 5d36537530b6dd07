"""``rdfcrawl survey`` as people use it, on the example sites and with mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rdfcrawl.metamodel.load import model_of_text
from tests.commands import Command
from tests.sampling import sampled

SITES = Path(__file__).parents[2] / "examples" / "sites"
STARTS = {
    "http://www.muenchen.de/veranstaltungen/events/comedy.html": 62,
    "http://www.chefkoch.de/rs/s0/Donauwelle/Rezepte.html": None,
    "http://www.imdb.com/chart/toptv/": None,
    "https://www.bundestag.de/bundestag/parteienfinanzierung/fundstellen50000": None,
    "https://campus.tum.de/tumonline/wborg.display_virtuell?PORGNR=1&PORGTYP=28567": None,
}


def survey(*arguments: str) -> tuple[int, Command]:
    command = Command("survey", *arguments)
    return command.wait(), command


@pytest.mark.parametrize("start", sampled(STARTS, list(STARTS)[:1]))
def test_the_example_sites_are_surveyed_from_their_folder(start: str, tmp_path: Path) -> None:
    """Every address is in the table; what the folder lacks is a problem."""
    code, command = survey(start, "--replay", str(SITES), "--engine", "http", "--store", str(tmp_path / "store"))
    assert code in (0, 1), command.said
    (objects,) = re.findall(r"([\d,]+)  site:page", command.said)
    count = int(objects.replace(",", ""))
    (addresses,) = re.findall(r"^  addresses .* ([\d,]+)$", command.said, re.MULTILINE)
    (levels,) = re.findall(r"^Levels .*?\n.*?\n(.*?)\n\n", command.said, re.DOTALL | re.MULTILINE)
    assert int(addresses.replace(",", "")) == count
    assert sum(int(row.split()[1].replace(",", "")) for row in levels.splitlines()) == count
    assert re.search(r"HTML pages +[1-9]", command.said)
    if STARTS[start] is not None:
        assert int(objects) == STARTS[start]


def test_the_model_that_a_survey_stands_for_can_be_kept() -> None:
    """It is printed, and nothing else happens; what it says is what was asked for."""
    options = ("--depth", "2", "--scope", "path", "--skip", r"\.pdf$", "--skip", 'a"b', "--sitemap", "--print-model")
    code, command = survey("https://site.example/a/", *options)
    assert (code, command.said) == (0, "")
    model = model_of_text(command.printed, "printed.ttl")
    (extent,) = [page.survey for page in model.pages.values()]
    assert extent is not None
    assert (extent.depth, extent.scope, extent.sitemap) == (2, "scope://path", True)
    assert set(extent.skips) == {r"\.pdf$", 'a"b'}
    assert [section.address for section in model.sections] == ["https://site.example/a/"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("site.example",),
            "site.example is not the address of a site; write it with its scheme: https://site.example",
        ),
        (("mailto:a@site.example",), "is not the address of a site"),
        (("https://site.example/", "--skip", "["), "--skip: the regular expression [ is invalid at character 2"),
        (("https://site.example/", "--scope", "planet"), "planet"),
        (("https://site.example/", "--max", "pages=0"), "a number above 0 is expected, like pages=1000"),
        (("https://site.example/", "--depth", "-1"), "--depth"),
        ((), "URL"),
    ],
)
def test_mistakes_get_one_message(arguments: tuple[str, ...], said: str) -> None:
    """And nothing is begun."""
    code, command = survey(*arguments)
    assert code == 2
    assert said in command.said
    assert "Traceback" not in command.said


def test_a_start_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    """The survey is complete, and says what is wrong."""
    (tmp_path / "empty" / "site.example").mkdir(parents=True)
    options = ("--replay", str(tmp_path / "empty"), "--store", str(tmp_path / "store"))
    code, command = survey("http://site.example/", *options)
    assert code == 1
    assert re.search(r"other errors +1 +1", command.said)
    assert "the replay has no answer for this address" in command.said
