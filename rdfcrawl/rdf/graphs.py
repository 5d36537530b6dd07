"""The names of the graphs that hold a run, its record, its changes and its current part."""

from __future__ import annotations

from typing import Final

_RUN: Final = "run://"
_PART: Final = "/current"


def run_iri(run: int) -> str:
    """The IRI of a run, which is the name of its graph in the data and in the changes."""
    return f"{_RUN}{run}"


def part_iri(run: int) -> str:
    """The name of the graph that holds the current part of a run, if only a part is current."""
    return f"{run_iri(run)}{_PART}"


def is_run(graph: str) -> bool:
    """Whether a graph is that of a whole run, not only of its current part."""
    return graph.startswith(_RUN) and not graph.endswith(_PART)


def is_part(graph: str) -> bool:
    """Whether a graph is only the current part of a run."""
    return graph.startswith(_RUN) and graph.endswith(_PART)


def run_of(graph: str) -> int:
    """The run that a graph belongs to, whether it holds the whole run or only its current part."""
    return int(graph.removeprefix(_RUN).removesuffix(_PART))


def record_iri(run: int) -> str:
    """The name of the graph that holds a run's record."""
    return f"record://{run}"


def links_iri(run: int) -> str:
    """The name of the graph that holds the links between the pages that a run has surveyed."""
    return f"links://{run}"


def derived_iri(run: int) -> str:
    """The name of the graph that holds what was computed from a run: the scores of names, and people."""
    return f"derived://{run}"


def navigation_iri(run: int) -> str:
    """The name of the graph that says which links of a survey are navigation, with its menus and its site map."""
    return f"navigation://{run}"


def changes_iri(run: int) -> str:
    """The name of a run's changes in the data store, where the IRI of the run already names its graph."""
    return f"changes://{run}"
