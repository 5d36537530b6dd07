"""Edits made in the text of a model: only what is edited changes, and everything else stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from io import StringIO
from typing import Final

from rdfcrawl.drafting.repair.edits import Edit
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.statements.notation import Statement, parse
from rdfcrawl.rdf import terms

_STRING: Final = re.compile(
    r"""(?P<long>\"{3}|'{3})(?:\\.|(?!(?P=long)).)*(?P=long)|(?P<short>["'])(?:\\.|(?!(?P=short)).)*(?P=short)""",
    re.DOTALL,
)
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")
_BEGINNING: Final = re.compile(r"(?P<indent>[ \t]*)(?P<rest>(?P<term>\S*:\S*)(?P<gap>[ \t]+))?")
_INDENT: Final = "    "


def edited_text(text: str, model: Model, edits: Sequence[Edit]) -> str:
    """The Turtle text with the edits made; ``model`` is what it describes before them."""
    # What is added stands behind a path as it is written now.
    for edit in sorted(edits, key=lambda one: one.old is not None):
        text = _edited(text, model, edit)
    return text


def differences(old: str, new: str, name: str) -> str:
    """The edits as a unified diff."""
    before, after = (StringIO(text, newline="\n").readlines() for text in (old, new))
    lines = unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _edited(text: str, model: Model, edit: Edit) -> str:
    if edit.old is not None:
        start, end = _string_at(text, _offset(text, edit))
        return text[:start] + quoted(edit.new, text[start:end]) + text[end:]
    path = _path_of(model, edit.term)
    start, end = _string_at(text, _offset(text, Edit(edit.term, "path", path, "")))
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    beginning = _BEGINNING.match(text, line)
    assert beginning is not None
    is_aligned = beginning["term"] is not None and beginning.end() == start
    indent = beginning["indent"] if is_aligned else _INDENT
    width = len(beginning["rest"]) if is_aligned else 0
    newline = next(iter(_LINE_BREAK.findall(text)), "\n")
    return f"{text[:end]} ;{newline}{indent}{_statement(model, edit, width)}{text[end:]}"


def _statement(model: Model, edit: Edit, width: int) -> str:
    """A term with its value, aligned with its neighbours."""
    prefix = next((name for name, space in model.prefixes.items() if space == terms.METAMODEL), "")
    name = f"{prefix}:{edit.name}"
    if edit.name != "replace":
        return f"{name:{max(width, len(name) + 1)}}{quoted(edit.new)}"
    order = f" ; {prefix}:order {edit.order}" if edit.order else ""
    value = f"[ {prefix}:old {quoted(edit.new)} ; {prefix}:new {quoted(edit.replacement)}{order} ]"
    return f"{name:{max(width, len(name) + 1)}}{value}"


def quoted(text: str, before: str = '""') -> str:
    """A text as a Turtle string, between the quotes of the string that stood there before."""
    mark = before[:3] if before[:3] in ('"""', "'''") and len(before) > 5 else before[:1]
    escaped = text.replace("\\", "\\\\")
    if len(mark) == 1:
        escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace(mark, f"\\{mark}")
    else:
        escaped = escaped.replace(mark[0], f"\\{mark[0]}") if mark in escaped or escaped.endswith(mark[0]) else escaped
    return f"{mark}{escaped}{mark}"


def _offset(text: str, edit: Edit) -> int:
    """Where the value of a term begins in the text."""
    statements = parse(text).statements
    wanted = terms.METAMODEL + edit.name
    for subject in _subjects(statements, edit):
        for statement, place in statements.items():
            if (str(statement[0]), str(statement[1]), str(statement[2])) == (subject, wanted, edit.old):
                starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]
                return starts[place.line - 1] + place.column - 1
    raise UsageError(f"the model has no :{edit.name} {quoted(edit.old or '')} of {edit.term}")


def _subjects(statements: Iterable[Statement], edit: Edit) -> Iterator[str]:
    """Whose term is edited: what replaces something is a resource of its own."""
    if edit.name != "old":
        yield edit.term
        return
    for subject, predicate, value in statements:
        if str(subject) == edit.term and str(predicate) == terms.METAMODEL + "replace":
            yield str(value)


def _string_at(text: str, offset: int) -> tuple[int, int]:
    found = _STRING.match(text, offset)
    if found is None:
        raise UsageError("the value that is to be edited is not written as a string in quotes")
    return found.span()


def _path_of(model: Model, term: str) -> str:
    for page in model.pages.values():
        for prop in page.item.properties if page.item else ():
            if prop.iri == term:
                return prop.path
    raise UsageError(f"the model has no property {term}")
