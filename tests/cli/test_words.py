"""What commands say: one sentence about a mistake, lines that fit 80 columns, hints that can be pasted."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rdfcrawl.cli import main
from rdfcrawl.cli.runs import run_lines
from rdfcrawl.engine.frontier.sqlite.glance import PagesSoFar
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import ModelUsed, RunCounts, RunRecord, RunState, SectionRecord
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts
from tests.commands import Command
from tests.program import program
from tests.versioning.library import MODEL, book
from tests.versioning.written_runs import WrittenRuns

ROOT = Path(__file__).parents[2]


def called(*arguments: str) -> tuple[int, str, str]:
    command = Command(*arguments)
    code = command.wait()
    return code, command.printed, command.said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "MODEL is missing (see rdfcrawl run --help)"),
        (["runn"], "there is no command runn; did you mean run or runs? (see rdfcrawl --help)"),
        (["run", "x", "--limt", "3"], "there is no option --limt; did you mean --limit? (see rdfcrawl run --help)"),
        (["run", "x", "--limit"], "--limit needs a value (see rdfcrawl run --help)"),
        (["run", "x", "--limit", "zero"], "--limit: a whole number is expected (see rdfcrawl run --help)"),
        (["run", "x", "--limit", "0"], "--limit: it must be at least 1 (see rdfcrawl run --help)"),
        (["run", "x", "--time", "long"], "--time: a number is expected (see rdfcrawl run --help)"),
        (["run", "x", "--quiet=3"], "--quiet takes no value (see rdfcrawl run --help)"),
        (["run", "x", "y"], "too many arguments: y (see rdfcrawl run --help)"),
        (["diff", "--format", "nix"], "--format: nix is none of text, ttl, json, patch (see rdfcrawl diff --help)"),
    ],
)
def test_a_mistake_in_a_command_is_one_sentence(arguments: list[str], message: str) -> None:
    """It names the option and what would be right, and the exit code is 2."""
    assert called(*arguments) == (2, "", f"rdfcrawl: {message}\n")


@pytest.mark.parametrize("question", ["?", "help"])
def test_the_limits_are_listed_on_demand(question: str) -> None:
    """Each with its default; nothing is run."""
    code, printed, said = called("run", "no-such-model.ttl", "--max", question)
    assert (code, said) == (0, "")
    assert re.search(r"^body-bytes +33,554,432$", printed, re.MULTILINE)


def test_runs_fit_eighty_columns() -> None:
    """Also with long names and large numbers; a run of which a section is not complete is not called complete."""
    started = datetime(2026, 11, 17, 12, tzinfo=UTC)
    record = RunRecord(
        1794919860,
        RunState.COMPLETE,
        started,
        ModelUsed("digest", "/a/very/long/folder/with/a/very/long/name/and-a-model-with-a-long-name.ttl"),
        (SectionRecord("http://site.example/", complete=False),),
        started + timedelta(hours=30, minutes=2, seconds=3),
        counts=RunCounts({"http": 1_234_567}, {"item://x": 9_876_543}, {"missing": 1}, 123_456_789),
    )
    kinds = dict.fromkeys(ChangeKind, 1_000_000)
    lines = list(run_lines([record], {record.id: ChangeCounts(kinds, kinds)}))
    assert max(map(len, lines)) <= 80
    assert lines[1].split()[-3:-1] == ["30:02:03", "incomplete"]
    text = " ".join(" ".join(lines[2:]).split())
    assert text.startswith(
        "1,234,567 pages, 9,876,543 objects, 123,456,789 triples, 1 problem; 1,000,000 objects added"
    )
    assert "1,000,000 values added" in text


def test_classes_properties_and_sections_that_do_not_exist_are_mistakes(tmp_path: Path) -> None:
    """Nothing found would look as if nothing had changed."""
    runs = WrittenRuns(tmp_path)
    runs.add(1, MODEL, book("trial"))
    store = ("--store", str(runs.store))
    for option, name in (("--class", "item:bok"), ("--property", "book:pricy"), ("--section", "http://x.example/")):
        code, printed, said = called("diff", option, name, *store)
        assert (code, printed) == (2, "")
        assert f"{name} in these runs; there is " in said
    assert called("diff", "--class", "item:book", *store)[0] == 0


def test_an_export_onto_something_of_another_kind_is_one_sentence(tmp_path: Path) -> None:
    """A folder where a file is written, and a file where a folder is; neither is touched."""
    runs = WrittenRuns(tmp_path)
    runs.add(1, MODEL, book("trial"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("precious")
    store = ("--store", str(runs.store))
    code, _, said = called("export", "-o", str(tmp_path / "folder"), *store)
    assert (code, said) == (2, f"rdfcrawl: {tmp_path / 'folder'} is a folder; nq is written to a file\n")
    for form in ("csv", "parquet"):
        code, _, said = called("export", "--format", form, "-o", str(tmp_path / "file"), *store)
        message = f"{tmp_path / 'file'} is a file; {form} writes one file per class, into a folder"
        assert (code, said) == (2, f"rdfcrawl: {message}\n")
    assert (tmp_path / "file").read_text() == "precious"


def test_the_first_run_is_called_the_first_and_its_hint_can_be_pasted(tmp_path: Path) -> None:
    """From then on, the report says what has changed since the run before."""
    case = ROOT / "tests" / "cases" / "extract" / "empty-values"
    store = tmp_path / "some store"
    arguments = ("run", str(case / "model.ttl"), "--engine", "http", "--replay", str(case / "pages"))
    first, second = (called(*arguments, "--store", str(store))[2] for _ in range(2))
    assert "This is the first run of this section: 1 object added" in first
    assert "previous" not in first
    assert "Since the previous run: no changes." in second
    hint = second.splitlines()[-1].strip()
    program, *words = shlex.split(hint)
    assert program.endswith("rdfcrawl")
    code, printed, _ = called(*words)
    assert code == 0
    assert "item:thing" in printed


@pytest.mark.slow
def test_the_hints_of_the_demo_can_be_pasted(tmp_path: Path) -> None:
    """Into the shell in which it was started, where nobody has put rdfcrawl on the path or named a store."""
    for name in ("models", "examples", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if name != "RDFCRAWL_STORE"}
    environment["PATH"] = "/usr/bin:/bin"
    options = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True}
    with program(programs):
        shown = subprocess.run(["scripts/demo"], check=True, **options).stdout  # type: ignore[call-overload]
        query = re.search(r"^  (\S*rdfcrawl query .*)$", shown, re.MULTILINE)
        serve = re.search(r"in a browser: (.*)$", shown, re.MULTILINE)
        assert query is not None
        assert serve is not None
        answer = subprocess.run(query[1], shell=True, check=True, **options)  # type: ignore[call-overload]
        assert "10 rows" in answer.stderr
        store = shlex.split(serve[1])[-1]
        assert open_store(tmp_path / store, create=False).runs.records()
        helped = subprocess.run(f"{serve[1]} --help", shell=True, check=True, **options)  # type: ignore[call-overload]
        assert "--port" in helped.stdout


def test_a_trial_shows_a_block_for_each_object(tmp_path: Path) -> None:
    """On 80 columns, long values cut, nothing twice, and for what is missing where its path stopped."""
    model, pages = tmp_path / "model.ttl", tmp_path / "pages" / "site.example"
    pages.mkdir(parents=True)
    model.write_text(
        "@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix p: <property://> .\n"
        "@prefix item: <item://> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        "<model:> :section <http://site.example/list> . <http://site.example/list> :page page:scroll .\n"
        "page:scroll :type type:objects ; :item item:x . page:links :type type:links ; :target page:scroll ;\n"
        "  :path \"//nav/ul/li[@class='on']/a\" .\n"
        "page:x :type type:objects ; :item item:x .\n"
        "<model:> :section <http://site.example/links> . <http://site.example/links> :page page:links .\n"
        'item:x :path "//li" ; :property p:name , p:price , p:size . p:name :path "./b" .\n'
        'p:price :path "./i" ; :pattern "[0-9,]+" ; :replace [ :old "," ; :new "." ] ; :type xsd:decimal .\n'
        'p:size :path "./table/tr[2]/td" .\n'
    )
    long = "word " * 40
    (pages / "list.html").write_text(f"<!doctype html><title>x</title><li><b>{long}</b><i>EUR 1,50</i><table></table>")
    (pages / "links.html").write_text("<!doctype html><title>x</title><nav><ul><li><a href=list>x</a></ul></nav>")
    replay = ("--engine", "http", "--replay", str(tmp_path / "pages"))
    code, printed, said = called("try", str(model), "http://site.example/list", *replay, "--page", "page:scroll")
    assert code == 1
    assert re.fullmatch(
        r"item:x  #[0-9a-f]{40}\n"
        r"  p:name   word word.*…\n"
        r"  p:price  1\.50  decimal\n"
        r'           from "EUR 1,50" → "1,50"\n'
        r"  p:size   missing: \./table matches, \./table/tr does not\n\n",
        printed,
    )
    assert max(map(len, printed.splitlines())) <= 80
    assert said == "http://site.example/list read over HTTP as page:scroll\n"

    code, printed, _ = called("try", str(model), "http://site.example/links", *replay)
    assert code == 1
    assert "Nothing was found: //nav/ul/li matches, //nav/ul/li[@class='on'] does not" in " ".join(printed.split())

    code, printed, _ = called("try", str(model), "http://site.example/list", *replay, "--format", "json")
    (found,) = json.loads(printed)["objects"]
    name, price, size = found["values"]
    assert (name["raw"], price["term"]) == (long.strip(), '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>')
    assert size["reason"] == "missing: ./table matches, ./table/tr does not"

    code, _, said = called("try", str(model), "http://site.example/list", *replay, "--page", "page:list")
    assert (code, said) == (2, "rdfcrawl: the model has no page page:list; it has page:links, page:scroll\n")


def test_a_run_that_is_under_way_shows_its_pages() -> None:
    """What it has found is not counted before its end; how many pages it has read is known."""
    record = RunRecord(
        id=1,
        state=RunState.RUNNING,
        started=datetime(2026, 1, 1, tzinfo=UTC),
        model=ModelUsed("d", "model.ttl", {}),
        sections=(SectionRecord("http://site.example/", complete=False),),
    )
    *_, line = run_lines([record], {}, {1: PagesSoFar(1200, 34)})
    assert line.strip() == "1,200 pages so far, 34 queued"


def test_a_read_only_disk_is_named_by_its_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not by the first file that a command happens to make there."""

    def refused(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "/mnt/store/work/1234.lock")

    monkeypatch.setattr("rdfcrawl.cli.app", refused)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = "rdfcrawl: nothing can be written to /mnt/store/work: it is on a read-only file system\n"
    assert capsys.readouterr().err == said
