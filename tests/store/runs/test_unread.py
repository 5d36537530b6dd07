"""What a run left unread is a file of its own, read only for comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from rdfcrawl.cli import app
from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.files.damage import find_damage
from rdfcrawl.store.folder import Store, finish_run
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.unread import Unread, load_unread, write_unread
from tests.sampling import sampled

MANY = 20_000
ADDRESS = st.text(min_size=1, max_size=8).map(lambda text: f"http://site.example/{text}")


def clean(address: str) -> str:
    """The address as an IRI."""
    return iri(address)[1:-1]


@given(objects=st.sets(ADDRESS), lists=st.sets(st.tuples(ADDRESS, ADDRESS)))
def test_what_was_left_unread_is_read_as_it_was_written(objects: set[str], lists: set[tuple[str, str]]) -> None:
    """In order, each once, as IRIs; the file is one that the diagnosis of run files understands."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "1.unread.nq.gz")
        write_unread(path, 1, Unread(tuple(objects), tuple(lists)))
        assert path.exists() == bool(objects or lists)
        if path.exists():
            assert find_damage(path) is None
            assert load_unread(path) == Unread(
                tuple(sorted({clean(name) for name in objects})),
                tuple(sorted({(clean(parent), clean(name)) for parent, name in lists})),
            )


def test_a_run_that_has_read_everything_has_no_such_file(tmp_path: Path) -> None:
    """Also where an earlier try of its end has left one."""
    path = tmp_path / "1.unread.nq.gz"
    write_unread(path, 1, Unread(("http://site.example/a",)))
    write_unread(path, 1, Unread())
    assert not path.exists()


@pytest.fixture
def outage(store: Store, add_run: Callable[..., RunRecord]) -> RunRecord:
    """A run that could read hardly anything."""
    found = [("http://site.example/list", "i:", "x:1"), ("x:1", "p:name", "one")]
    record = add_run(store, 1, ["http://site.example/list"], found)
    unread = Unread(tuple(f"http://site.example/thing/{number:06}" for number in range(MANY)))
    about = store.runs.record_graph(1).read_bytes()
    lines = store.folder.parent / "1.lines"
    return finish_run(store, record, lines, about, store.runs.model(1).read_text(), unread)


def write_garbage(path: Path) -> None:
    """Leave nothing in a file that could be read."""
    path.write_bytes(b"garbage")


@pytest.mark.parametrize("harm", sampled([Path.unlink, write_garbage], [write_garbage]), ids=["missing", "garbage"])
def test_commands_that_do_not_compare_never_look_at_it(
    store: Store, outage: RunRecord, harm: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    """However much a run left unread, its record is small; a file that cannot be read does no harm."""
    assert store.runs.record(1).stat().st_size < 2000
    assert RunFile.UNREAD in outage.checksums
    assert len(store.runs.read_unread(outage).objects) == MANY
    commands = (["runs"], ["runs", "--format", "json"], ["query", "ASK {}"], ["export"], ["history", "x:1"])
    before = [CliRunner().invoke(app, [*command, "--store", str(store.folder)]).stdout for command in commands]
    harm(store.runs.unread(1))
    for command, printed in zip(commands, before, strict=True):
        result = CliRunner().invoke(app, [*command, "--store", str(store.folder)])
        assert result.exception is None
        assert result.stdout == printed
    assert caplog.text == ""
    compared = CliRunner().invoke(app, ["diff", "--store", str(store.folder)])
    assert isinstance(compared.exception, DamagedFile)
    assert "1.unread.nq.gz is damaged" in str(compared.exception)
