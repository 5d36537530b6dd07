"""Who may import whom; a change of direction is a change of the design."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "rdfcrawl"

ALLOWED = {
    "errors": set(),
    "version": set(),
    "endpoint": set(),
    "metamodel": {"endpoint"},
    "store": {"metamodel", "endpoint"},
    "engine": {"store", "metamodel"},
    "versioning": {"store", "metamodel"},
    "publish": {"versioning", "store", "metamodel"},
    "api": {"engine", "versioning", "store", "metamodel"},
    "cli": {"api", "publish", "versioning", "engine", "store", "metamodel"},
}
EVERYBODY_MAY = {"errors", "version"}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def only_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def imports(module: str) -> frozenset[str]:
    """Every module that a module imports when it runs, wherever the import stands."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(ast.parse(MODULES[module].read_text(encoding="utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and only_for_types(node):
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in MODULES else node.module for name in names)
        waiting += ast.iter_child_nodes(node)
    return frozenset(found)


@cache
def reaches(module: str) -> frozenset[str]:
    """Everything that a module imports, directly or not."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(waiting.pop()) - seen:
            seen.add(name)
            if name in MODULES:
                waiting.append(name)
    return frozenset(seen)


@pytest.mark.parametrize("module", [name for name in MODULES if "." in name and not name.endswith("__main__")])
def test_rooms_import_only_what_is_below_them(module: str) -> None:
    """cli -> api, publish -> versioning, engine -> store -> metamodel; rooms side by side do not know each other."""
    room = module.split(".")[1]
    used = {name.split(".")[1] for name in imports(module) if name.startswith("rdfcrawl.")}
    assert used - EVERYBODY_MAY - {room} <= ALLOWED[room]


def test_there_are_no_cycles() -> None:
    """Every module can be read before those that import it."""
    TopologicalSorter({name: imports(name) & MODULES.keys() for name in MODULES}).prepare()


def test_extract_never_sees_the_network() -> None:
    """The rules work on documents alone."""
    seen = reaches("rdfcrawl.engine.extract.page")
    assert not [name for name in seen if name.startswith(("rdfcrawl.engine.fetch", "aiohttp", "playwright", "sqlite3"))]


def test_fetch_never_sees_the_store() -> None:
    """What brings pages knows nothing of where triples live."""
    fetchers = [name for name in MODULES if name.startswith("rdfcrawl.engine.fetch")]
    assert not [name for module in fetchers for name in reaches(module) if name.startswith("rdfcrawl.store")]


def test_publish_never_sees_fetch() -> None:
    """Publishing reads the store and asks no site."""
    publishing = [name for name in MODULES if name.startswith("rdfcrawl.publish")]
    assert not [name for module in publishing for name in reaches(module) if name.startswith("rdfcrawl.engine")]
