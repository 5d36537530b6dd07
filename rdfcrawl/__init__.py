"""Turn structured websites into versioned Linked Data, from one Turtle model.

``check_model`` and ``load_model`` read models, ``run`` crawls one into a store, ``try_page`` shows what a model
extracts from one page, ``draft`` writes a first model of a site, ``open`` opens a store for queries, differences
and exports.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rdfcrawl.version import VERSION

if TYPE_CHECKING:
    from rdfcrawl.api import Finished, run
    from rdfcrawl.dataset import Dataset, Rows, open  # noqa: A004 - rdfcrawl.open
    from rdfcrawl.drafting.site.drafting import draft
    from rdfcrawl.drafting.site.result import Draft
    from rdfcrawl.engine.choice import Engine
    from rdfcrawl.engine.inspect.trial import try_page
    from rdfcrawl.engine.problem import Problem, ProblemKind
    from rdfcrawl.engine.run.finish import RunReport
    from rdfcrawl.engine.run.options import RunOptions
    from rdfcrawl.errors import (
        BrowserMissing,
        ModelError,
        NothingToDraft,
        RdfcrawlError,
        Stopped,
        StoreBusy,
        StoreError,
        UsageError,
    )
    from rdfcrawl.metamodel.check.findings import Finding
    from rdfcrawl.metamodel.load import check_model, load_model
    from rdfcrawl.metamodel.model import Model
    from rdfcrawl.store.folder import Store, open_store
    from rdfcrawl.store.runs.record import RunRecord

__version__ = VERSION

__all__ = [
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

_PLACES = {
    "rdfcrawl.api": ("Finished", "run"),
    "rdfcrawl.dataset": ("Dataset", "Rows", "open"),
    "rdfcrawl.drafting.site.drafting": ("draft",),
    "rdfcrawl.drafting.site.result": ("Draft",),
    "rdfcrawl.engine.choice": ("Engine",),
    "rdfcrawl.engine.run.finish": ("RunReport",),
    "rdfcrawl.engine.run.options": ("RunOptions",),
    "rdfcrawl.engine.problem": ("Problem", "ProblemKind"),
    "rdfcrawl.engine.inspect.trial": ("try_page",),
    "rdfcrawl.errors": tuple(
        name for name in __all__ if name.endswith(("Error", "Busy", "Missing", "Stopped", "NothingToDraft"))
    ),
    "rdfcrawl.metamodel.check.findings": ("Finding",),
    "rdfcrawl.metamodel.load": ("check_model", "load_model"),
    "rdfcrawl.metamodel.model": ("Model",),
    "rdfcrawl.store.folder": ("Store", "open_store"),
    "rdfcrawl.store.runs.record": ("RunRecord",),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `rdfcrawl check` does not wait for everything else."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
