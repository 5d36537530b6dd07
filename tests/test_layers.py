"""Who may import whom: a change of this table is a change of the design."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "rdfcrawl"

SEES = {
    "errors": "",
    "version": "",
    "dataclass": "",
    "rdf": "",
    "expressions": "",
    "metamodel": "rdf expressions",
    "store": "rdf expressions metamodel",
    "recognise": "",
    "convert": "",
    "engine.address": "",
    "engine.charsets": "",
    "engine.problem": "",
    "engine.choice": "rdf expressions metamodel",
    "engine.limits": "",
    "engine.strict": "",
    "engine.compression": "",
    "engine.document": "rdf expressions engine.address engine.charsets recognise.lines",
    "engine.values": "rdf expressions metamodel engine.address",
    "engine.criteria": "rdf expressions metamodel engine.address engine.charsets engine.document recognise.lines",
    "engine.site": "rdf expressions metamodel engine.address engine.charsets engine.document engine.compression"
    " recognise.lines",
    "engine.extract": "rdf expressions metamodel recognise engine.address engine.charsets engine.document engine.values"
    " engine.problem engine.compression engine.strict engine.site engine.criteria",
    "engine.fetch": "rdf expressions metamodel engine.address engine.problem engine.limits engine.choice"
    " engine.compression",
    "engine": "rdf expressions metamodel store recognise engine",
    "versioning": "rdf expressions metamodel store",
    "survey": "rdf expressions metamodel store engine.address engine.site",
    "navigation": "",
    "navigation.results": "rdf expressions metamodel store engine.address engine.site survey navigation",
    "navigation.archive": "rdf expressions metamodel store recognise engine survey navigation",
    "publish.data": "rdf expressions metamodel store recognise versioning",
    "publish.catalogue": "rdf expressions metamodel store recognise versioning publish.data",
    "publish": "rdf expressions metamodel store recognise versioning survey publish engine.address engine.site"
    " navigation",
    "drafting.reading": "rdf expressions metamodel recognise.lines engine.address engine.charsets engine.document"
    " engine.values",
    "drafting.ways": "rdf expressions metamodel recognise.lines engine.address engine.charsets engine.document"
    " engine.values drafting.reading",
    "drafting": "rdf expressions metamodel store recognise engine survey.reading drafting",
    "alert.messages": "rdf expressions metamodel store versioning alert.events",
    "alert": "rdf expressions metamodel store recognise engine versioning alert",
    "api": "rdf expressions metamodel store recognise engine versioning alert",
    "dataset": "rdf expressions metamodel store versioning",
    "cli": "rdf expressions metamodel store recognise engine versioning alert survey navigation publish"
    " drafting api dataset convert",
}
"""What each room sees of the others, also through what it imports. A room without a line of its own is its parent's."""

EVERYBODY_SEES = {"errors", "version", "dataclass"}
LIBRARIES_UNSEEN = {
    "recognise": {"aiohttp", "playwright", "sqlite3", "lxml"},
    "engine.document": {"aiohttp", "playwright", "sqlite3"},
    "engine.values": {"aiohttp", "playwright", "sqlite3"},
    "engine.criteria": {"aiohttp", "playwright", "sqlite3"},
    "engine.site": {"aiohttp", "playwright", "sqlite3"},
    "engine.extract": {"aiohttp", "playwright", "sqlite3"},
    "navigation": {"aiohttp", "playwright", "sqlite3", "lxml"},
}
"""Rooms that are pure: neither network nor database."""


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
        # No expression imports anything, and most of a module is expressions.
        waiting += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
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


def room_of(module: str) -> str | None:
    """The room with a line in the table that a module is in; the package itself is in none."""
    name = module.removeprefix("rdfcrawl").lstrip(".")
    while name and name not in SEES:
        name = name.rpartition(".")[0]
    return name or None


def is_in(module: str, rooms: set[str]) -> bool:
    name = module.removeprefix("rdfcrawl.")
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def test_rooms_see_only_what_is_below_them() -> None:
    """Every module imports, directly or not, only what the table allows its room; there are no cycles."""
    TopologicalSorter({name: imports(name) & MODULES.keys() for name in MODULES}).prepare()
    wrong = []
    for module in MODULES:
        room = room_of(module)
        if room is None or module.endswith("__main__"):
            continue
        allowed = {room, *SEES[room].split(), *EVERYBODY_SEES}
        for name in reaches(module):
            if name in MODULES and name != "rdfcrawl" and "." in name and not is_in(name, allowed):
                wrong.append(f"{module} sees {name}")
            if name.partition(".")[0] in LIBRARIES_UNSEEN.get(room, ()):
                wrong.append(f"{module} sees the library {name}")
    assert wrong == []


def test_sql_is_written_in_few_places() -> None:
    """Whoever uses the queue does not know that it is in a database."""
    seeing = {module for module in MODULES if "sqlite3" in imports(module)}
    assert seeing
    assert all(
        is_in(
            module,
            {
                *("engine.frontier.sqlite", "engine.fetch.warc.bodies", "store.export.sqlite_file", "alert.outbox"),
                *("publish.catalogue", "store.files.databases"),
            },
        )
        for module in seeing
    )
