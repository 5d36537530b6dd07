"""What `import rdfcrawl` offers is a promise; it changes here first."""

from __future__ import annotations

import inspect

import pytest

import rdfcrawl

PUBLIC = [
    "BrowserMissing",
    "Dataset",
    "Draft",
    "Engine",
    "Finding",
    "Finished",
    "Model",
    "ModelError",
    "NothingToDraft",
    "Problem",
    "ProblemKind",
    "RdfcrawlError",
    "Rows",
    "RunOptions",
    "RunRecord",
    "RunReport",
    "Stopped",
    "Store",
    "StoreBusy",
    "StoreError",
    "UsageError",
    "__version__",
    "check_model",
    "draft",
    "load_model",
    "open",
    "open_store",
    "run",
    "try_page",
]


def test_the_public_names_are_these() -> None:
    """Nothing more, nothing less, and all of it can be imported."""
    assert sorted(rdfcrawl.__all__) == PUBLIC
    assert all(getattr(rdfcrawl, name) is not None for name in PUBLIC)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Names are looked up when they are first used; a wrong one fails as everywhere."""
    with pytest.raises(AttributeError, match="crawl_everything"):
        rdfcrawl.crawl_everything  # noqa: B018


def test_the_options_of_a_run_can_be_looked_up() -> None:
    """In a notebook, before any were made."""
    assert {"sections", "engine", "replay", "limits"} <= inspect.signature(rdfcrawl.RunOptions).parameters.keys()
