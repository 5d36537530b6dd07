"""A drafted model as Turtle that a person could have written: every statement with what speaks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rdfcrawl.drafting.writing.outline import (
    NAMESPACES,
    DraftedItem,
    DraftedPage,
    DraftedProperty,
    Outline,
    property_namespace,
)
from rdfcrawl.rdf import terms

_LONGEST_SAMPLE: Final = 60
_ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def write_turtle(outline: Outline, title: str) -> str:
    """The text of the model."""
    body = "\n".join(_body(outline))
    items = [item.name for item in outline.items()]
    prefixes = [(prefix, iri) for prefix, iri in NAMESPACES.items() if f"{prefix}:" in body]
    prefixes += [(name, property_namespace(name)) for name in items]
    width = max(len(prefix) for prefix, _ in prefixes) + 1
    head = [f"# {title}", "#", "# A draft: read it, name things as you would, and try it with `rdfcrawl try`."]
    head += ["#", "# Unsure:", *(f"# - {doubt}" for doubt in outline.doubts)] if outline.doubts else []
    lines = [f"@prefix {prefix + ':':<{width}} <{iri}> ." for prefix, iri in prefixes]
    return "\n".join([*head, "", *lines, "", body, ""])


def _body(outline: Outline) -> Iterator[str]:
    sections = " , ".join(f"<{address}>" for address, _ in outline.sections)
    yield f"<model:> :section {sections} .\n"
    for address, page in outline.sections:
        yield f"<{address}> :page page:{page} .\n"
    for drafted in outline.all_pages():
        yield _page(drafted)
        for link in drafted.links:
            terms_of_link = [(":path", quoted(link.path), ""), (":target", f"page:{link.target}", "")]
            yield _block(f"link:{link.name}", [*terms_of_link, (":optional", "true", "")])
    for drafted in outline.all_pages():
        if drafted.item is not None:
            yield from _item(drafted.item, "pages" if drafted.kind == "object" else "objects")


def _page(page: DraftedPage) -> str:
    statements = [(":type", f"type:{page.kind}", page.why)]
    texts = (("path", page.path), ("next", page.next), ("more", page.more))
    statements += [(f":{term}", quoted(value), "") for term, value in texts if value]
    if page.scroll is not None:
        statements.append((":scroll", str(page.scroll), ""))
    if page.render:
        statements.append((":render", "true", "scripts bring the content"))
    statements += [(":param", quoted(name), "") for name in page.params]
    if page.target:
        statements.append((":target", f"page:{page.target}", ""))
    if page.item is not None:
        statements.append((":item", f"item:{page.item.name}", ""))
    statements += [(":sub", f"page:{sub.name}", "") for sub in page.subs]
    statements += [(":link", f"link:{link.name}", "") for link in page.links]
    return _block(f"page:{page.name}", statements)


def _item(item: DraftedItem, seen_on: str) -> Iterator[str]:
    statements = [(":path", quoted(item.path), "")]
    if item.id_path:
        statements.append((":id", quoted(item.id_path), ""))
    active = [found for found in item.properties if found.active]
    statements += [(":property", f"{item.name}:{found.name}", "") for found in active]
    statements += [(":key", f"{item.name}:{name}", "no two of a sample page have the same") for name in item.key]
    yield _block(f"item:{item.name}", statements)
    for found in active:
        yield from _comment(found, seen_on)
        yield _block(f"{item.name}:{found.name}", _property(found))
    others = [found for found in item.properties if not found.active]
    if others:
        yield f"# Less likely wanted; to use one, also name it as a :property of item:{item.name}.\n"
    for found in others:
        yield from _comment(found, seen_on)
        block = _block(f"{item.name}:{found.name}", _property(found)).rstrip("\n")
        yield "\n".join(f"#   {line}" for line in block.splitlines()) + "\n"


def _comment(found: DraftedProperty, seen_on: str) -> Iterator[str]:
    samples = " | ".join(_shortened(text) for text in found.samples)
    yield f"# {found.seen} of {found.pages} {seen_on}: {samples}"
    if found.form.doubt:
        yield f"# Unsure: {found.form.doubt}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SAMPLE else f"{line[: _LONGEST_SAMPLE - 1]}…"


def _property(found: DraftedProperty) -> list[tuple[str, str, str]]:
    form = found.form
    statements = [(":path", quoted(found.path), "")]
    if found.attribute:
        statements.append((":attribute", quoted(found.attribute), ""))
    if found.optional:
        statements.append((":optional", "true", ""))
    if found.multiple:
        statements.append((":multiple", "true", ""))
    if form.pattern:
        statements.append((":pattern", quoted(form.pattern), ""))
    statements += [
        (":replace", f"[ :old {quoted(step.old)} ; :new {quoted(step.new)} ; :order {step.order} ]", "")
        for step in form.replacements
    ]
    if form.datatype != terms.STRING:
        statements.append((":type", f"xsd:{form.datatype.removeprefix(terms.XSD)}", ""))
    if form.format:
        statements.append((":format", quoted(form.format), ""))
    if form.locale:
        statements.append((":locale", quoted(form.locale), ""))
    if found.is_label:
        statements.append((":label", "true", ""))
    if found.alias:
        statements.append((":as", found.alias, ""))
    return statements


def _block(subject: str, statements: list[tuple[str, str, str]]) -> str:
    width = max(len(term) for term, _, _ in statements)
    lines = []
    for number, (term, value, note) in enumerate(statements):
        end = " ." if number == len(statements) - 1 else " ;"
        lines.append(f"    {term:<{width}} {value}{end}{f'  # {note}' if note else ''}")
    return "\n".join([subject, *lines, ""])


def quoted(text: str) -> str:
    """A text as a Turtle literal."""
    return f'"{text.translate(_ESCAPED)}"'
