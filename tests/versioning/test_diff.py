"""The laws of the diff, and what it says about the surroundings of a difference."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.rdf.ntriples import iri, literal
from rdfcrawl.versioning.blocks import about, read_blocks
from rdfcrawl.versioning.changes import Scope, changes
from rdfcrawl.versioning.compare import Comparison
from rdfcrawl.versioning.diff import Difference, diff
from tests.versioning.library import in_blocks

# Few names, so that graphs overlap; names that are prefixes of each other, so that order is put to the test.
_NAMES = st.sampled_from(["s:a", "s:ab", "s:a/b", "s:a#x", "s:ä", "s:𝄞"])
_VALUES = st.one_of(
    _NAMES.map(iri),
    st.text(max_size=3).map(literal),
    st.sampled_from(["", "a", "a "]).map(lambda text: literal(text, language="en")),
)
_LINES = st.builds("{} {} {} .".format, _NAMES.map(iri), _NAMES.map(iri), _VALUES)
_GRAPHS = st.sets(_LINES, max_size=30)


def _diff(old: Iterable[str], new: Iterable[str], old_block: int = 7, new_block: int = 5) -> list[Difference]:
    return list(diff(in_blocks(old, old_block), in_blocks(new, new_block)))


@given(_GRAPHS, _GRAPHS, st.integers(1, 9), st.integers(1, 9))
def test_applying_the_diff_to_the_old_graph_gives_the_new_one(
    old: set[str], new: set[str], old_block: int, new_block: int
) -> None:
    """However the graphs are cut into blocks."""
    graph = set(old)
    for difference in _diff(old, new, old_block, new_block):
        (graph.add if difference.added else graph.remove)(difference.line)
    assert graph == new


@given(_GRAPHS, st.integers(1, 9), st.integers(1, 9))
def test_a_graph_does_not_differ_from_itself(graph: set[str], old_block: int, new_block: int) -> None:
    """``diff(a, a)`` is empty."""
    assert _diff(graph, graph, old_block, new_block) == []


@given(_GRAPHS, _GRAPHS)
def test_the_diff_in_the_other_direction_is_the_inverse(old: set[str], new: set[str]) -> None:
    """What was added is removed, and nothing else differs."""
    inverse = [difference._replace(added=not difference.added) for difference in _diff(old, new)]
    assert sorted(inverse) == sorted(_diff(new, old))


@given(_GRAPHS, _GRAPHS)
def test_every_difference_knows_whether_the_other_side_has_its_subject_and_predicate(
    old: set[str], new: set[str]
) -> None:
    """The flags agree with a look at the whole of the other graph."""
    for difference in _diff(old, new, 1, 3):
        other = old if difference.added else new
        subject, predicate, _ = difference.line.split(" ", 2)
        assert difference.subject_in_both == any(line.startswith(f"{subject} ") for line in other)
        assert difference.predicate_in_both == any(line.startswith(f"{subject} {predicate} ") for line in other)


@given(_GRAPHS, _GRAPHS)
def test_the_graph_name_is_cut_from_the_quads_of_a_run_file(old: set[str], new: set[str]) -> None:
    """Two files with different graph names compare by their triples, and stay in order."""
    files = []
    for run, lines in ((1, old), (2, new)):
        quads = sorted(f"{line[:-2]} <run://{run}> .\n".encode() for line in lines)
        files.append(read_blocks(BytesIO(b"".join(quads)), f"run://{run}"))
    assert list(diff(*files)) == _diff(old, new)


def test_an_object_that_is_named_like_the_graph_stays() -> None:
    """Only the last term of a quad is its graph."""
    quads = b"<s:a> <s:b> <run://1> <run://1> .\n"
    with gzip.open(BytesIO(gzip.compress(quads))) as file:
        assert list(read_blocks(file, "run://1")) == [b"<s:a> <s:b> <run://1> .\n"]


@given(_GRAPHS, st.integers(1, 4))
def test_the_lines_about_a_subject_are_found_across_blocks(graph: set[str], lines_per_block: int) -> None:
    """Also where they begin in one block and end in another, and never those of a longer name."""
    found = [line.decode().rstrip("\n") for line in about(in_blocks(graph, lines_per_block), b"<s:a>")]
    assert sorted(found) == sorted(line for line in graph if line.startswith("<s:a> "))


@given(_GRAPHS, _GRAPHS, st.sets(_NAMES.map(iri)), st.sets(_NAMES.map(iri)), st.integers(1, 4))
def test_what_changes_are_made_of_is_all_that_they_need(
    old: set[str], new: set[str], sections: set[str], items: set[str], lines_per_block: int
) -> None:
    """Also the first time, when only what sections lead to is looked at."""
    scope = Scope(frozenset(sections), frozenset(items), frozenset(map(iri, ("s:ab", "s:ä"))))
    for before in (old, set[str]()):
        comparison = Comparison(
            (), 1, lambda known=before: in_blocks(known, 3), lambda: in_blocks(new, lines_per_block), scope
        )
        found = list(changes(comparison.topmost_differences(), scope))
        assert found == list(changes(comparison.differences(), scope))


def test_long_equal_stretches_are_skipped_without_losing_the_line_after() -> None:
    """A difference in the middle of megabytes of equal lines is found, and only it."""
    old = [f'<s:{number:07}> <s:p> "value {number}" .' for number in range(50_000)]
    new = [*old[:31_337], '<s:0031337> <s:p> "other" .', *old[31_338:]]
    found = list(diff(in_blocks(old, 10_000), in_blocks(new, 10_000)))
    assert found == [
        Difference('<s:0031337> <s:p> "other" .', True, True, True),
        Difference('<s:0031337> <s:p> "value 31337" .', False, True, True),
    ]
