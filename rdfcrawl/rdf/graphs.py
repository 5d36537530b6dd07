"""The names of the graphs that hold a run, its record, its changes and its current part."""

from __future__ import annotations


def run_iri(run: int) -> str:
    """The IRI of a run, which is the name of its graph in the data and in the changes."""
    return f"run://{run}"


def part_iri(run: int) -> str:
    """The name of the graph that holds the current part of a run, where that is not all of it."""
    return f"{run_iri(run)}/current"


def record_iri(run: int) -> str:
    """The name of the graph that holds a run's record."""
    return f"record://{run}"


def changes_iri(run: int) -> str:
    """The name of a run's changes in the data store, where the run's own name is that of its graph."""
    return f"changes://{run}"
