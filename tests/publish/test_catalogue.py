"""The catalogue: its pages are those of a plain sort, and its file is made once, whole or not at all."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rdfcrawl.publish.catalogue import keeping
from rdfcrawl.publish.catalogue.catalogue import Catalogue
from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.columns import SortedColumn, folded, text_blocks, whole_text
from rdfcrawl.publish.catalogue.keeping import catalogue_of, catalogue_soon, prepare, words_soon
from rdfcrawl.publish.catalogue.pieces import SHORTEST, ColumnOrder, pieces_of
from rdfcrawl.publish.catalogue.sets import everything, mask_of, packed, set_of, unpacked
from rdfcrawl.publish.catalogue.statements import _spooled
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.snapshot import Snapshot, Snapshots
from rdfcrawl.rdf import terms
from rdfcrawl.store.files.lines import unwatched
from rdfcrawl.store.folder import Store, open_store
from tests.publish.conftest import AddRun, serving, thing
from tests.store.test_read_only import not_writable

CHANCE = random.Random(5)
LABELS = ["Äpfel", "apfel", "Birne", "birnen", "Zwetschge", "ß", "10", "9", "x" * 70 + "b", "x" * 70 + "a"]


@pytest.fixture(scope="module")
def things() -> list[tuple[str, str]]:
    """Names and labels of many things; some labels are there often, and capitals are no matter of the alphabet."""
    return [(f"{number:03}", f"{CHANCE.choice(LABELS)} {CHANCE.randrange(40)}") for number in range(200)]


@pytest.fixture
def store(tmp_path: Path, add_run: AddRun, things: list[tuple[str, str]]) -> Store:
    """A store of these things; every seventh has no label."""
    made = open_store(tmp_path / "store")
    lines = [thing(name, label) for name, label in things]
    unnamed = [line.splitlines()[0] + "\n" if number % 7 == 0 else line for number, line in enumerate(lines)]
    add_run(made, 1, "".join(unnamed))
    return made


@pytest.fixture
def snapshot(store: Store) -> Iterator[Snapshot]:
    """Its state."""
    with Snapshots(store).using() as found:
        yield found


def files(store: Store) -> dict[str, int]:
    """The files of the catalogue, by the numbers that the system has given them."""
    folder = store.folder / "catalogue"
    return {path.name: path.stat().st_ino for path in folder.iterdir() if path.name != "lock"}


def names(catalogue: Catalogue, snapshot: Snapshot, wish: Wish) -> list[str]:
    """The things on all pages of a table, by the last part of their IRIs."""
    chosen = ChosenObjects(catalogue, snapshot.schema.classes["item://thing"], wish)
    return [iri.rpartition("/")[2] for iri in chosen.objects(1000)]


def test_pages_are_those_of_a_plain_sort(snapshot: Snapshot, things: list[tuple[str, str]]) -> None:
    """Forwards and backwards, all and some; what has no value comes last, however the table is ordered."""
    labelled = [(label[:60].casefold(), name) for number, (name, label) in enumerate(things) if number % 7]
    unlabelled = [name for number, (name, _) in enumerate(things) if number % 7 == 0]
    catalogue = catalogue_of(snapshot)
    assert names(catalogue, snapshot, Wish()) == [name for _, name in sorted(labelled)] + unlabelled
    assert (
        names(catalogue, snapshot, Wish(descending=True, sort="property://thing/label"))
        == [name for _, name in sorted(labelled, reverse=True)] + unlabelled
    )
    wanted = [name for label, name in sorted(labelled) if "apfel" in label]
    assert wanted
    assert names(catalogue, snapshot, Wish(text="APFEL")) == wanted
    whole = ChosenObjects(catalogue, snapshot.schema.classes["item://thing"], Wish())
    assert whole.objects(50, 150) == whole.objects(1000)[150:200]


def test_a_value_that_is_no_facet_is_found_exactly(snapshot: Snapshot, things: list[tuple[str, str]]) -> None:
    """Texts are kept without case, and those that differ only in that are told apart by the store."""
    label = next(label for number, (_, label) in enumerate(things) if number % 7 and label.startswith("Birne"))
    wish = Wish(values=(("property://thing/label", label),))
    same = {name for number, (name, own) in enumerate(things) if number % 7 and own == label}
    assert set(names(catalogue_of(snapshot), snapshot, wish)) == same


def test_several_values_of_an_object_are_one_row() -> None:
    """By the least of them forwards, by the greatest backwards; each counts in a range."""
    values = [(0, "5"), (0, "1"), (1, "3"), (2, "many"), (3, "2")]
    order = ColumnOrder.of(SortedColumn.of(values, terms.INT), 5)
    assert list(order.in_order()) == [0, 3, 1, 2, 4]
    assert list(order.in_order(descending=True)) == [0, 1, 3, 2, 4]
    assert list(order.in_order(set_of([1, 2, 3], 5), descending=True)) == [1, 3, 2]
    assert order.between(4, None) == set_of([0], 5)
    assert order.between(None, 2) == set_of([0, 3], 5)
    spread = order.spread()
    assert spread is not None
    assert spread.bars == [1, *[0] * 4, 1, *[0] * 4, 1, *[0] * 8, 1]


@pytest.mark.parametrize(
    ("datatype", "in_order"),
    [
        (terms.XSD + "nonNegativeInteger", ["9", "10", "100"]),
        (terms.XSD + "short", ["-10", "-9", "2"]),
        (terms.ANY_ATOMIC, ["0.5", "9", "1e2", "1000", "1_0", "infinity", "ten"]),
        (terms.DURATION, ["-PT5M", "PT90S", "PT20M", "PT1H", "PT100M", "P30D", "P1M", "P400D", "P2Y"]),
        (
            terms.DATE_TIME,
            [
                "2026-01-01T11:00:00+05:00",
                "2026-01-01T10:00:00Z",
                "2026-01-01T10:00:00.5Z",
                "2026-01-01T08:00:00-03:00",
            ],
        ),
    ],
)
def test_values_are_ordered_by_what_they_say(datatype: str, in_order: list[str]) -> None:
    """Not by their letters: ten comes after nine, an hour after twenty minutes, and noon here before noon there."""
    values = [(place, text) for place, text in enumerate(sorted(in_order))]
    order = ColumnOrder.of(SortedColumn.of(values, datatype), len(values))
    assert [values[place][1] for place in order.in_order()] == in_order


@pytest.mark.parametrize("several", [False, True])
def test_an_order_of_many_pieces_is_that_of_all_values(several: bool) -> None:
    """Pages, bounds and bars are what going through every value finds, wherever a piece ends."""
    chance = random.Random(several)
    size = 3 * SHORTEST + 100
    values = [
        (place, "none" if chance.random() < 0.1 else str(chance.randrange(400)))
        for place in range(size - 50)
        for _ in range(chance.randrange(1, 4) if several else 1)
    ]
    column = SortedColumn.of(values, terms.INT)
    order = ColumnOrder.of(column, size)
    assert len(list(pieces_of(column))) > 3
    numbers = [(float(text), place) for place, text in values if text != "none"]
    texts = [place for place, text in values if text == "none"]
    for chosen in (None, {*range(0, size, 3)}, {5, size - 1}, set[int]()):
        wanted = {*range(size)} if chosen is None else chosen
        filter_ = None if chosen is None else set_of(chosen, size)
        for descending in (False, True):
            ordered = [place for _, place in sorted(numbers, reverse=descending)]
            ordered += [*sorted(texts, reverse=descending), *range(size)]
            expected = [place for place in dict.fromkeys(ordered) if place in wanted]
            for start in (0, 1, SHORTEST - 1, SHORTEST, 2 * SHORTEST + 7, size - 20, size + 5):
                assert list(order.in_order(filter_, descending, start)) == expected[start:]
        kept = sorted(number for number, place in numbers if place in wanted)
        spread = order.spread(filter_)
        if len(set(kept)) < 2:
            assert spread is None
        else:
            assert spread is not None
            assert (spread.least, spread.greatest, sum(spread.bars)) == (kept[0], kept[-1], len(kept))
            middle = kept[0] + 10 * (kept[-1] - kept[0]) / 20
            assert sum(spread.bars[:10]) == sum(number < middle for number in kept)
    for least, greatest in ((None, 10), (10, None), (100, 100), (50, 350), (350, 50), (-5, -1), (500, None), (0, 400)):
        inside = {
            place
            for number, place in numbers
            if (least is None or number >= least) and (greatest is None or number <= greatest)
        }
        assert order.between(least, greatest) == set_of(inside, size)


def test_texts_in_blocks_are_found_each_once() -> None:
    """However often a text has what is looked for, and whether it is all of it or a part."""
    (block,) = text_blocks([(0, "abc abc"), (0, "x\x00abc"), (2, "ABC"), (5, "")])
    assert [block.objects[number] for number in block.matches(folded("aBc"))] == [0, 0, 2]
    assert [block.objects[number] for number in block.matches(whole_text("abc"))] == [2]
    assert [block.text(number) for number in range(4)] == [b"abc abc", b"x abc", b"abc", b""]


@pytest.mark.parametrize("size", [0, 1, 8, 1000])
def test_a_set_is_kept_as_it_is(size: int) -> None:
    """Also the empty one, and one of no objects at all."""
    for places in ([], list(range(0, size, 3)), list(range(size))):
        found = set_of(places, size)
        assert unpacked(packed(found, size)) == found
        assert [place for place, is_in in enumerate(mask_of(found, size)) if is_in] == places
    assert set_of(range(size), size) == everything(size)


def test_what_the_index_says_is_what_the_files_say(published: Store, tmp_path: Path) -> None:
    """The run files are read because they are fast; where they cannot be, the index makes the same tables."""
    with Snapshots(published).using() as snapshot:
        predicates = (*snapshot.schema.classes, *snapshot.schema.property_names)
        fast = _spooled(snapshot, predicates, tmp_path / "fast", unwatched)
        sure = _spooled(snapshot, predicates, tmp_path / "sure", unwatched, only_index=True)
        for predicate in predicates:
            assert {subject for subject, _ in fast.of(predicate)} == {subject for subject, _ in sure.of(predicate)}
        assert sorted(fast.of("item://recipe")) == sorted(sure.of("item://recipe")) != []


def test_the_next_server_of_the_same_state_makes_nothing_again(store: Store) -> None:
    """The files are those of the first one."""
    with Snapshots(store).using() as first:
        prepare(first)
    made = files(store)
    assert len(made) == 2
    with Snapshots(store).using() as second:
        prepare(second)
        assert words_soon(second)
    assert files(store) == made


def test_a_new_state_replaces_the_files_and_its_readers_go_on(store: Store, add_run: AddRun) -> None:
    """Who reads the old one has it open; nobody needs its name any more."""
    with Snapshots(store).using() as old:
        prepare(old)
        before, known = files(store), catalogue_of(old)
        add_run(store, 2, thing("one", "only"))
        with Snapshots(store).using() as new:
            prepare(new)
            assert "one" in names(catalogue_of(new), new, Wish())
        assert not before.keys() & files(store).keys()
        assert len(names(known, old, Wish())) == 200
        words = words_soon(old)
        assert words
        assert words.search(known, "Birne", 1000).hits


def test_what_was_stopped_or_damaged_is_made_anew(store: Store) -> None:
    """A process that ends in the middle leaves nothing that has a name; a damaged file is not believed."""

    class Killed(Exception):
        pass

    def killed(share: float) -> None:
        raise Killed

    with Snapshots(store).using() as snapshot:
        with pytest.raises(Killed):
            prepare(snapshot, killed)
        assert files(store) == {}
        (store.folder / "catalogue" / ".making-x").mkdir()
        (store.folder / "catalogue" / ".making-x" / "part").write_bytes(b"half")
        prepare(snapshot)
        made = files(store)
        assert sorted(name.rpartition(".")[2] for name in made) == ["tables", "words"]
    for name in made:
        os.truncate(store.folder / "catalogue" / name, 5000)
    with Snapshots(store).using() as again:
        prepare(again)
        assert len(names(catalogue_of(again), again, Wish())) == 200


def test_a_store_that_cannot_be_written_has_tables_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in a temporary folder, of which nothing is left."""
    # One that every user can reach, which those of the tests are not.
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        folder.chmod(0o755)
        shutil.copytree(store.folder, folder / "store")
        (folder / "temporary").mkdir()
        (folder / "temporary").chmod(0o777)
        monkeypatch.setattr(tempfile, "tempdir", str(folder / "temporary"))
        with not_writable(folder / "store"), Snapshots(open_store(folder / "store", create=False)).using() as snapshot:
            prepare(snapshot)
            assert len(names(catalogue_of(snapshot), snapshot, Wish())) == 200
        assert not (folder / "store" / "catalogue").exists()
        assert not list((folder / "temporary").iterdir())
    finally:
        shutil.rmtree(folder)


def test_a_reader_who_comes_too_early_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of a class says how far the tables are and loads again; all other pages are there."""
    with Snapshots(store).using() as snapshot:
        lock = snapshot._locks.setdefault("catalogue", threading.Lock())
        with lock:
            assert catalogue_soon(snapshot, 0.01) is None
        assert catalogue_soon(snapshot, 0.01) is not None
    monkeypatch.setattr("rdfcrawl.publish.tables.page.catalogue_soon", lambda _: None)
    monkeypatch.setattr("rdfcrawl.publish.tables.downloads.catalogue_soon", lambda _: None)
    with serving(store) as server:
        page = server.get("/class?item=item://thing", accept="text/html")
        assert page.status == 503
        assert "being prepared" in page.text
        assert page.headers["retry-after"] == page.headers["refresh"] == "3"
        assert server.get("/class.csv?item=item://thing").status == 503
        assert server.get("/", accept="text/html").status == 200


def test_two_servers_at_once_make_one_file(store: Store) -> None:
    """The second one waits for the first, and reads what it has made."""
    made: list[Path] = []
    real = keeping.write_catalogue

    def counted(snapshot: Snapshot, path: Path, advance: keeping.Advance) -> None:
        made.append(path)
        real(snapshot, path, advance)

    with pytest.MonkeyPatch.context() as patch, Snapshots(store).using() as one, Snapshots(store).using() as other:
        patch.setattr(keeping, "write_catalogue", counted)
        threads = [threading.Thread(target=prepare, args=(snapshot,)) for snapshot in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 1
        assert names(catalogue_of(one), one, Wish()) == names(catalogue_of(other), other, Wish())
