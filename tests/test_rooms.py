"""What keeps the rooms of the package easy to find one's way in."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "rdfcrawl"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 400
MOST_MODULES = 15


def test_no_two_classes_have_the_same_name() -> None:
    """Whoever searches for a class finds it, and only it."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for found in _classes(ast.parse(path.read_text(encoding="utf-8"))):
            places.setdefault(found.name, []).append(f"{path.relative_to(PACKAGE)}:{found.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_folder_has_too_many_modules() -> None:
    """What does not fit on one screen belongs into rooms of its own; ``__init__`` does not count."""
    modules = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {str(folder): number for folder, number in modules.items() if number > MOST_MODULES} == {}


def test_no_module_is_too_long() -> None:
    """A module has one subject."""
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: number for path, number in lines.items() if number > MOST_LINES} == {}


def _classes(node: ast.AST) -> Iterator[ast.ClassDef]:
    """All classes in it; no expression has any, and most of a module is expressions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            if isinstance(child, ast.ClassDef):
                yield child
            yield from _classes(child)
