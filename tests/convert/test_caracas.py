"""Configurations of CARACAS as models: the formats of its manual, with every option taken over or named."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.convert.caracas import convert_caracas
from rdfcrawl.convert.caracas_files import read_configuration
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import check_text, load_model
from rdfcrawl.metamodel.model import SitePage
from tests.commands import Command

FOLDER = Path(__file__).parent / "caracas"


def converted(configuration: str, *criteria: str) -> SitePage:
    """The page of the model of a configuration with these criteria."""
    checked = check_text(turtle(configuration, *criteria), "model.ttl")
    assert checked.findings == ()
    assert checked.model is not None
    page = checked.model.page("page://site")
    assert isinstance(page, SitePage)
    return page


def turtle(configuration: str, *criteria: str) -> str:
    text = f"CARACAS\n{configuration}\nBeginLinks\nhttp://a.example/\nEndLinks\nBeginCriterias\nc.txt\nEndCriterias\n"
    entries = "\n".join(f"ENTRY\n{one}\n" for one in criteria)
    return convert_caracas(read_configuration(text, "k.txt"), {"c.txt": f"CARACAS\n{entries}"}).turtle


def test_a_whole_configuration_is_converted_and_every_option_accounted_for(tmp_path: Path) -> None:
    """The example of the manual: what is not in the model is named with its reason; the password is not shown."""
    path = tmp_path / "model.ttl"
    command = Command("convert", "caracas", str(FOLDER / "Konfiguration.txt"), "-o", str(path))
    assert command.wait() == 0, command.said
    assert command.said.splitlines() == [
        "MailServer: not part of a model; set the environment variable RDFCRAWL_SMTP_HOST=smtp.mail.example",
        "MailUser: not part of a model; set the environment variable RDFCRAWL_SMTP_FROM=crawler@mail.example",
        "MailLogin: not part of a model; set the environment variable RDFCRAWL_SMTP_USER=crawler",
        "MailPWD: not part of a model; set the environment variable RDFCRAWL_SMTP_PASSWORD=…",
        "TimeOut: not part of a model; run it with --max response-seconds=3",
        "BlatLog: not applicable: rdfcrawl alerts lists what was sent",
    ]
    model = load_model(path)
    page = model.page("page://site")
    assert isinstance(page, SitePage)
    assert [section.address for section in model.sections] == ["http://calls.example/CFP/", "http://faculty.example/"]
    assert (page.depth, page.threshold, page.scope) == (4, 5.0, "scope://web")
    assert sorted((one.kind, one.texts, one.weight) for one in page.criteria) == [
        ("contains", ("CALL FOR PAPER",), 2.0),
        ("contains", ("CFP",), 2.0),
        ("contains", ("CFPs",), 2.0),
        ("contains", ("Call for paper",), 2.0),
        ("contains", ("Calls for papers",), 2.0),
        ("containsDate", (), 2.0),
        ("fileType", ("txt",), 1.0),
    ]
    assert ':window "00:00-23:59"' in path.read_text()
    assert "<mailto:calls@faculty.example?subject=Possible%20CFP>" in path.read_text()
    assert "geheim" not in path.read_text() + command.said


def test_every_kind_of_criterion_is_taken_over() -> None:
    """With its texts, its distance, its weight and whether case counts."""
    page = converted(
        "MaxLinkDepth = -1",
        "TYP Near\nVAL -3\nCAS Y\nPAR 20\nfirst\nsecond",
        "TYP AND\nVAL 4\na b\nc",
        'TYP OR\nVAL 5\nsay "it"\nVAL 7',
        "TYP Header\nVAL 6\nh",
    )
    found = {one.weight: one for one in page.criteria}
    assert (page.depth, page.threshold) == (None, 10.0)
    assert (found[-3.0].texts, found[-3.0].distance, found[-3.0].case_sensitive) == (("first", "second"), 20, True)
    assert (found[4.0].kind, [inner.texts[0] for inner in found[4.0].criteria]) == ("all", ["a b", "c"])
    assert (found[5.0].kind, [inner.texts[0] for inner in found[5.0].criteria]) == ("any", ['say "it"', "VAL 7"])
    assert found[6.0].parts == ("part://head",)


@pytest.mark.parametrize(
    ("configuration", "criterion", "message"),
    [
        ("Triggervalue = much", "TYP Date\nVAL 1", "k.txt:2: Triggervalue = much is not a whole number from 0"),
        ("StartTime = 8\nStopTime = 9:00", "TYP Date\nVAL 1", "k.txt:2: StartTime = 8 is not a time; write hh:mm"),
        ("Nonsense", "TYP Date\nVAL 1", "k.txt:2: 'Nonsense' is no option; write FIELD = VALUE"),
        ("", "TYP Sideways\nVAL 1\nx", "c.txt:3: TYP Sideways is not known"),
        ("", "TYP Near\nVAL 1\nx", "c.txt:2: TYP Near needs 2 line"),
        ("", "TYP Simple\nVAL x\ny", "c.txt:4: VAL x is not a whole number"),
        ("", "VAL 1\ny", "c.txt:2: the ENTRY has no TYP"),
    ],
)
def test_a_mistake_is_named_with_its_line(configuration: str, criterion: str, message: str) -> None:
    """The file, the line, what is wrong and what would be right."""
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        turtle(configuration, criterion)


def test_what_carries_no_header_is_no_configuration(tmp_path: Path) -> None:
    """A file of something else, an empty one, one that is not there."""
    for content in ("", "Triggervalue = 5"):
        with pytest.raises(UsageError, match="does not begin with CARACAS"):
            read_configuration(content, "k.txt")
    command = Command("convert", "caracas", str(tmp_path / "missing.txt"))
    assert command.wait() != 0
    assert "cannot be read" in command.said
